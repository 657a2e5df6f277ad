// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace perdix::ctl {
namespace {

constexpr const char* kEscapes[] = {"",         "\033[1m",  "\033[2m",
                                    "\033[32m", "\033[33m", "\033[31m",
                                    "\033[34m", "\033[36m"};

bool StartsCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

// Behind the colour sequence at <position>, if there is one.
size_t SkipEscape(const std::string& text, size_t position) {
  if (text.compare(position, 2, "\033[") != 0) return position;
  const size_t end = text.find('m', position);
  return end == std::string::npos ? text.size() : end + 1;
}

std::string Format(const char* format, auto... values) {
  char text[64];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

}  // namespace

std::string Paint(const Style& style, Colour colour, const std::string& text) {
  if (!style.colour || colour == Colour::kPlain) return text;
  return kEscapes[size_t(colour)] + text + "\033[0m";
}

size_t Width(const std::string& text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t next = SkipEscape(text, i);
    if (next != i) {
      i = next;
      continue;
    }
    width += StartsCharacter(text[i++]);
  }
  return width;
}

std::string Cut(const std::string& text, size_t width) {
  std::string cut;
  size_t columns = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t next = SkipEscape(text, i);
    if (next != i) {
      cut += text.substr(i, next - i);
      i = next;
      continue;
    }
    columns += StartsCharacter(text[i]);
    if (columns <= width) cut += text[i];
    ++i;
  }
  return cut;
}

std::string PadRight(const std::string& text, size_t width) {
  const std::string cut = Cut(text, width);
  return cut + std::string(width - Width(cut), ' ');
}

std::string PadLeft(const std::string& text, size_t width) {
  const std::string cut = Cut(text, width);
  return std::string(width - Width(cut), ' ') + cut;
}

std::string Fixed(double value, int digits) {
  return Format("%.*f", digits, value);
}

std::string Count(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t end = digits.size(); end > 3; end -= 3) {
    digits.insert(end - 3, 1, ',');
  }
  return digits;
}

std::string Duration(uint64_t usec) {
  if (usec < 1000) return Format("%d us", int(usec));
  if (usec < 100'000) return Format("%.1f ms", double(usec) / 1e3);
  if (usec < 1'000'000) return Format("%.0f ms", double(usec) / 1e3);
  if (usec < 10'000'000) return Format("%.1f s", double(usec) / 1e6);
  const uint64_t seconds = usec / 1'000'000;
  const int minutes = int(seconds / 60 % 60);
  const uint64_t hours = seconds / 3600;
  if (seconds < 60) return Format("%d s", int(seconds));
  if (hours == 0) return Format("%d min %02d s", minutes, int(seconds % 60));
  if (hours < 48) return Format("%d h %02d min", int(hours), minutes);
  return Count(hours / 24) + Format(" d %d h", int(hours % 24));
}

std::string Bytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = double(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return Format(unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
}

std::string LocalTime(uint64_t usec) {
  const std::time_t seconds = std::time_t(usec / 1'000'000);
  std::tm broken_down = {};
  char text[64];
  localtime_r(&seconds, &broken_down);
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &broken_down);
  return text;
}

std::string Bar(const Style& style, double fraction, size_t width) {
  constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  fraction = std::clamp(std::isnan(fraction) ? 0.0 : fraction, 0.0, 1.0);
  const size_t eighths = size_t(std::lround(fraction * double(width) * 8));
  std::string bar;
  if (!style.utf8) {
    bar.assign((eighths + 4) / 8, '#');
  } else {
    for (size_t i = 0; i < eighths / 8; ++i) bar += "█";
    bar += kEighths[eighths % 8];
  }
  return PadRight(bar, width);
}

std::vector<std::string> Table::Lines(const Style& style) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(Width(columns_[i].title));
    for (const auto& row : rows_) {
      widths[i] = std::max(widths[i], Width(row[i]));
    }
  }
  const auto line = [&](const auto& cell) {
    std::string text;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) text += "  ";
      const bool last = i + 1 == columns_.size();
      if (columns_[i].right) {
        text += PadLeft(cell(i), widths[i]);
      } else {
        text += last ? cell(i) : PadRight(cell(i), widths[i]);
      }
    }
    return text;
  };
  std::vector<std::string> lines = {Paint(
      style, Colour::kBold, line([&](size_t i) { return columns_[i].title; }))};
  for (const auto& row : rows_) {
    lines.push_back(line([&](size_t i) { return row[i]; }));
  }
  return lines;
}

std::string Join(const std::vector<std::string>& lines, const char* separator) {
  std::string text;
  for (const std::string& line : lines) {
    if (&line != &lines.front()) text += separator;
    text += line;
  }
  return text;
}

}  // namespace perdix::ctl
