// SPDX-License-Identifier: BSD-2-Clause
// Text from outside (files, clients, drivers, the bus) made safe to show. Here
// because every layer above shows some; the kernels themselves do not.
#ifndef PERDIX_KERNELS_TEXT_H_
#define PERDIX_KERNELS_TEXT_H_

#include <string>
#include <string_view>

namespace perdix {

// UTF-8 without control characters, which a terminal would obey: each byte of
// one, or of what is not UTF-8, becomes '?'. Controls are those of ASCII and
// the 8-bit ones, U+0080 to U+009F.
std::string Printable(std::string_view text);

// The same of a text of ours that holds such text: line ends stay.
std::string PrintableLines(std::string_view text);

// What is wrong with the text of an option that needs one, for CLI11's check().
// Empty: nothing.
std::string NotEmpty(const std::string& text);

// For text and attributes of HTML and XML; line ends stay.
std::string EscapeXml(std::string_view text);

}  // namespace perdix

#endif  // PERDIX_KERNELS_TEXT_H_
