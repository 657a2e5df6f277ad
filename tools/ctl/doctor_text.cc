// SPDX-License-Identifier: BSD-2-Clause
// What doctor has found, for people and programs.
#include <algorithm>
#include <sstream>

#include "kernels/text.h"
#include "tools/ctl/doctor.h"

namespace perdix::ctl {
namespace {

constexpr size_t kTextColumn = 25;

}  // namespace

bool AnyFailed(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [](const Finding& finding) {
    return finding.verdict == Verdict::kFailed;
  });
}

const char* VerdictName(Verdict verdict) {
  constexpr const char* kNames[] = {"ok", "warning", "failed", "skipped"};
  return kNames[size_t(verdict)];
}

std::string DoctorText(const std::vector<Finding>& findings,
                       const Style& style) {
  constexpr Colour kColours[] = {Colour::kGreen, Colour::kYellow, Colour::kRed,
                                 Colour::kDim};
  std::string text;
  size_t counts[4] = {};
  for (const Finding& finding : findings) {
    const size_t verdict = size_t(finding.verdict);
    ++counts[verdict];
    text += Paint(style, kColours[verdict],
                  PadRight(VerdictName(finding.verdict), 9)) +
            PadRight(finding.name, kTextColumn - 9) + Printable(finding.text) +
            "\n";
    std::istringstream commands(finding.fix);
    std::string command;
    while (std::getline(commands, command)) {
      text += std::string(kTextColumn, ' ') +
              Paint(style, Colour::kBold, "$ " + Printable(command)) + "\n";
    }
  }
  return text + "\n" + Count(counts[0]) + " ok, " + Count(counts[1]) +
         " warnings, " + Count(counts[2]) + " failed, " + Count(counts[3]) +
         " skipped\n";
}

nlohmann::json DoctorJson(const std::vector<Finding>& findings) {
  nlohmann::json all = nlohmann::json::array();
  for (const Finding& finding : findings) {
    all.push_back({{"name", finding.name},
                   {"verdict", VerdictName(finding.verdict)},
                   {"text", finding.text},
                   {"fix", finding.fix}});
  }
  return all;
}

}  // namespace perdix::ctl
