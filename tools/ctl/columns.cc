// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/columns.h"

#include <span>
#include <type_traits>

#include "daemon/unit.h"
#include "kernels/text.h"
#include "tools/ctl/status.h"

namespace perdix::ctl {
namespace {

constexpr unsigned Bit(Columns columns) { return 1u << unsigned(columns); }
constexpr unsigned kFewBit = Bit(Columns::kFew);
constexpr unsigned kAllBit = Bit(Columns::kAll);
constexpr unsigned kWatchBit = Bit(Columns::kWatch);

using TextFunction = std::string (*)(const Session&);

struct ColumnSpec {
  const char* title = nullptr;     // null: the figure has no column
  unsigned tables = 0;             // bits
  Colour colour = Colour::kPlain;  // of what is not 0
  TextFunction text = nullptr;     // null: by type and unit
  bool if_watched = false;         // only where perdixd watches
};

constexpr ColumnSpec None;

constexpr ColumnSpec KeyColumn(const char* title, TextFunction text = nullptr) {
  return {title, kFewBit | kAllBit | kWatchBit, Colour::kPlain, text};
}
constexpr ColumnSpec Column(const char* title, Colour colour = Colour::kPlain) {
  return {title, kFewBit | kAllBit, colour};
}
constexpr ColumnSpec WideColumn(const char* title,
                                Colour colour = Colour::kPlain) {
  return {title, kAllBit, colour};
}
constexpr ColumnSpec WatchColumn(const char* title,
                                 TextFunction text = nullptr) {
  return {title, kWatchBit, Colour::kPlain, text};
}
constexpr ColumnSpec WatchedColumn(const char* title, TextFunction text) {
  return {title, kFewBit | kAllBit | kWatchBit, Colour::kYellow, text, true};
}

std::string TimeOrNo(uint64_t usec) { return usec ? Duration(usec) : "no"; }
std::string FrozenText(const Session& session) {
  return TimeOrNo(session.frozen_usec);
}
std::string BlackText(const Session& session) {
  return TimeOrNo(session.black_usec);
}
std::string DarkText(const Session& session) {
  return Fixed(100 * session.dark_ratio, 1) + " %";
}

struct Cell {
  std::string text;
  bool zero = false;
};

template <typename Value>
Cell CellOf(const Value& value, Unit unit) {
  if constexpr (std::is_same_v<Value, std::string>) {
    return {Printable(value)};
  } else if constexpr (std::is_arithmetic_v<Value>) {
    const bool zero = value == Value{};
    switch (unit) {
      case Unit::kFrames:
        return {Count(uint64_t(value)), zero};
      case Unit::kBytes:
        return {Bytes(uint64_t(value)), zero};
      case Unit::kUSec:
        return {Duration(uint64_t(value)), zero};
      case Unit::kPerSecond:
        return {Fixed(double(value), 1), zero};
      case Unit::kNone:
        break;
    }
    if constexpr (std::is_floating_point_v<Value>)
      return {Fixed(value, 1), zero};
    else
      return {std::to_string(value), zero};
  } else {
    return {};  // lists have no column
  }
}

struct FigureColumn {
  ColumnSpec spec;
  bool number;
  Cell (*cell)(const Session&);

  bool IsIn(Columns columns, const Daemon& daemon) const {
    return (spec.tables & Bit(columns)) && (daemon.watch || !spec.if_watched);
  }
};

std::span<const FigureColumn> FigureColumns() {
  static constexpr FigureColumn kColumns[] = {
#define PERDIX_SESSION_FIGURE(Name, field, type, unit, value, family, column) \
  {column, std::is_arithmetic_v<figure::type>, [](const Session& session) {   \
     return CellOf(session.field, Unit::k##unit);                             \
   }},
#include "daemon/figures.def"
  };
  return kColumns;
}

}  // namespace

std::vector<Table::Column> SessionTitles(const Daemon& daemon,
                                         Columns columns) {
  std::vector<Table::Column> titles;
  for (const FigureColumn& column : FigureColumns()) {
    if (column.IsIn(columns, daemon))
      titles.push_back({column.spec.title, column.number});
  }
  return titles;
}

std::vector<std::string> SessionCells(const Daemon& daemon,
                                      const Session& session, Columns columns,
                                      const Style& style) {
  std::vector<std::string> cells;
  for (const FigureColumn& column : FigureColumns()) {
    if (!column.IsIn(columns, daemon)) continue;
    const auto [text, zero] = column.cell(session);
    cells.push_back(Paint(style, zero ? Colour::kPlain : column.spec.colour,
                          column.spec.text ? column.spec.text(session) : text));
  }
  return cells;
}

}  // namespace perdix::ctl
