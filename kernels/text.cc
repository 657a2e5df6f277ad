// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/text.h"

#include <cstddef>
#include <cstdint>

namespace perdix {
namespace {

// Bytes of the character that <text> begins with; 0: it is a control character
// or not UTF-8.
size_t CharacterSize(std::string_view text) {
  const uint8_t first = uint8_t(text[0]);
  if (first < 0x80) return first >= ' ' && first != 0x7F ? 1 : 0;
  if (first < 0xC2 || first > 0xF4) return 0;
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (text.size() < size) return 0;
  uint32_t code = first & (0x7F >> size);
  for (const char c : text.substr(1, size - 1)) {
    if ((c & 0xC0) != 0x80) return 0;
    code = code << 6 | (c & 0x3F);
  }
  // Below are longer forms than needed, and the 8-bit controls.
  constexpr uint32_t kLowest[] = {0, 0, 0xA0, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool known = code >= kLowest[size] && code <= 0x10FFFF;
  return known && !surrogate ? size : 0;
}

std::string Clean(std::string_view text, bool keep_line_ends) {
  std::string clean;
  while (!text.empty()) {
    const bool line_end = keep_line_ends && text[0] == '\n';
    const size_t size = line_end ? 1 : CharacterSize(text);
    clean += size == 0 ? "?" : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return clean;
}

}  // namespace

std::string Printable(std::string_view text) { return Clean(text, false); }

std::string PrintableLines(std::string_view text) { return Clean(text, true); }

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : PrintableLines(text)) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string NotEmpty(const std::string& text) {
  return text.empty() ? "got an empty text, allowed: one character or more"
                      : "";
}

}  // namespace perdix
