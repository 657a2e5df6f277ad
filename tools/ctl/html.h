// SPDX-License-Identifier: BSD-2-Clause
// Pieces of the report's HTML.
#ifndef PERDIX_TOOLS_CTL_HTML_H_
#define PERDIX_TOOLS_CTL_HTML_H_

#include <string>
#include <utility>
#include <vector>

namespace perdix::ctl {

std::string Base64(const std::string& bytes);

// <content> is HTML; an empty <title> has no heading.
std::string Section(const std::string& title, const std::string& content);

struct Heading {
  std::string text;
  bool number = false;
};
// Cells are HTML.
std::string HtmlTable(const std::vector<Heading>& headings,
                      const std::vector<std::vector<std::string>>& rows);
// Label and text, both plain.
std::string Facts(
    const std::vector<std::pair<std::string, std::string>>& facts);

// A bar of <fraction> (0 to 1); <variant> names its colour.
std::string Meter(double fraction, const std::string& variant);

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_HTML_H_
