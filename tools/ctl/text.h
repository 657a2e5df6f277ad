// SPDX-License-Identifier: BSD-2-Clause
// Text for people: colours, numbers with units, tables and bars. Widths are in
// columns of a terminal.
#ifndef PERDIX_TOOLS_CTL_TEXT_H_
#define PERDIX_TOOLS_CTL_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace perdix::ctl {

// What whoever reads can show.
struct Style {
  bool colour = false;  // ANSI escape sequences
  bool utf8 = false;    // bars of eighths of a column
};

enum class Colour { kPlain, kBold, kDim, kGreen, kYellow, kRed, kBlue, kCyan };

std::string Paint(const Style& style, Colour colour, const std::string& text);

// Columns that <text> takes, colours not counted; each character one.
size_t Width(const std::string& text);
// Cut, or filled with blanks, to <width> columns.
std::string PadRight(const std::string& text, size_t width);
std::string PadLeft(const std::string& text, size_t width);
// Cut to <width> columns; colours stay whole.
std::string Cut(const std::string& text, size_t width);

std::string Count(uint64_t number);   // 1,234,567
std::string Duration(uint64_t usec);  // 850 us, 4.2 ms, 1.5 s, 3 h 05 min
std::string Bytes(uint64_t bytes);    // 3.4 MiB
std::string Fixed(double value, int digits);
std::string LocalTime(uint64_t usec);  // since 1970: 2025-03-01 12:00:05

// <fraction> of <width> columns, 0 to 1.
std::string Bar(const Style& style, double fraction, size_t width);

// Columns as wide as their widest cell, two blanks apart. Rows may be painted.
class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;  // numbers
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void Add(std::vector<std::string> cells) {
    rows_.push_back(std::move(cells));
  }
  // The title line, then the rows.
  std::vector<std::string> Lines(const Style& style) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

std::string Join(const std::vector<std::string>& lines, const char* separator);

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_TEXT_H_
