// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/columns.h"

#include <span>
#include <type_traits>

#include "daemon/unit.h"
#include "kernels/text.h"
#include "tools/ctl/status.h"

namespace perdix::ctl {
namespace {

struct ColumnSpec {
  const char* title = nullptr;  // null: the figure has no column
  bool wide = false;            // kAll alone has it
  Colour colour = Colour::kPlain;
  std::string (*text)(const Session&) = nullptr;  // null: by type and unit
};

constexpr ColumnSpec None;

constexpr ColumnSpec Column(const char* title, Colour colour = Colour::kPlain,
                            std::string (*text)(const Session&) = nullptr) {
  return {title, false, colour, text};
}

constexpr ColumnSpec WideColumn(const char* title,
                                Colour colour = Colour::kPlain) {
  return {title, true, colour};
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

  bool IsIn(Columns columns) const {
    return spec.title && (columns == Columns::kAll || !spec.wide);
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

std::vector<Table::Column> SessionTitles(Columns columns) {
  std::vector<Table::Column> titles;
  for (const FigureColumn& column : FigureColumns()) {
    if (column.IsIn(columns))
      titles.push_back({column.spec.title, column.number});
  }
  return titles;
}

std::vector<std::string> SessionCells(const Session& session, Columns columns,
                                      const Style& style) {
  std::vector<std::string> cells;
  for (const FigureColumn& column : FigureColumns()) {
    if (!column.IsIn(columns)) continue;
    const auto [text, zero] = column.cell(session);
    cells.push_back(
        column.spec.text
            ? column.spec.text(session)
            : Paint(style, zero ? Colour::kPlain : column.spec.colour, text));
  }
  return cells;
}

}  // namespace perdix::ctl
