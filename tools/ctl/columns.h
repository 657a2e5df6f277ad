// SPDX-License-Identifier: BSD-2-Clause
// The columns of the table of sessions, by daemon/figures.def.
#ifndef PERDIX_TOOLS_CTL_COLUMNS_H_
#define PERDIX_TOOLS_CTL_COLUMNS_H_

#include <string>
#include <vector>

#include "tools/ctl/snapshot.h"
#include "tools/ctl/text.h"

namespace perdix::ctl {

// The tables.
enum class Columns {
  kFew,  // of top and the report
  kAll,  // of status and sessions
  kWatch,
};

std::vector<Table::Column> SessionTitles(const Daemon& daemon, Columns columns);
// The cells of a session, in the order of the titles.
std::vector<std::string> SessionCells(const Daemon& daemon,
                                      const Session& session, Columns columns,
                                      const Style& style);

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_COLUMNS_H_
