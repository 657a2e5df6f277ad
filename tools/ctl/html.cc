// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/html.h"

#include <algorithm>
#include <cstdint>

#include "kernels/text.h"
#include "tools/ctl/text.h"

namespace perdix::ctl {

std::string Base64(const std::string& bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      const size_t at = i + j;
      group = group << 8 |
              (at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63];
    }
  }
  return text;
}

std::string Section(const std::string& title, const std::string& content) {
  return "<section>\n" +
         (title.empty() ? "" : "<h2>" + EscapeXml(title) + "</h2>\n") +
         content + "</section>\n";
}

std::string HtmlTable(const std::vector<Heading>& headings,
                      const std::vector<std::vector<std::string>>& rows) {
  const auto open = [&](const char* tag, size_t column) {
    return std::string("<") + tag +
           (headings[column].number ? " class=\"number\">" : ">");
  };
  std::string html = "<div class=\"scroll\"><table>\n<tr>";
  for (size_t i = 0; i < headings.size(); ++i) {
    html += open("th", i) + EscapeXml(headings[i].text) + "</th>";
  }
  html += "</tr>\n";
  for (const auto& row : rows) {
    html += "<tr>";
    for (size_t i = 0; i < row.size(); ++i) {
      html += open("td", i) + row[i] + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string Facts(
    const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string html = "<table class=\"facts\">\n";
  for (const auto& [label, text] : facts) {
    html += "<tr><td>" + EscapeXml(label) + "</td><td>" + EscapeXml(text) +
            "</td></tr>\n";
  }
  return html + "</table>\n";
}

std::string Meter(double fraction, const std::string& variant) {
  return "<div class=\"meter\"><i class=\"" + EscapeXml(variant) +
         "\" style=\"width:" + Fixed(100 * std::clamp(fraction, 0., 1.), 1) +
         "%\"></i></div>";
}

}  // namespace perdix::ctl
