// SPDX-License-Identifier: BSD-2-Clause
// perdixctl report: one page that says all about this machine's decoder, to
// keep or to attach to a bug report. It refers to nothing outside itself.
#ifndef PERDIX_TOOLS_CTL_REPORT_H_
#define PERDIX_TOOLS_CTL_REPORT_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/ctl/doctor.h"
#include "tools/ctl/snapshot.h"
#include "tools/ctl/system.h"

namespace perdix::ctl {

struct ReportInput {
  std::string version;  // ours
  uint64_t made_usec = 0;
  // Label and text: processor, kernel, distribution.
  std::vector<std::pair<std::string, std::string>> machine;
  std::optional<Snapshot> daemon;
  std::vector<Finding> findings;
  nlohmann::json bench;   // as perdix-bench --json has it; null: not measured
  std::string bench_svg;  // as perdix-bench --svg has it; empty: none
};

std::vector<std::pair<std::string, std::string>> DescribeMachine(
    const System& system);

// Well-formed XML, which HTML may be. Throws Failure (EX_DATAERR) when <bench>
// is not what perdix-bench writes.
std::string ReportHtml(const ReportInput& input);

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_REPORT_H_
