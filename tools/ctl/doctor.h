// SPDX-License-Identifier: BSD-2-Clause
// What has to be true for clients to decode, looked at one by one, from the
// kernel up to GStreamer.
#ifndef PERDIX_TOOLS_CTL_DOCTOR_H_
#define PERDIX_TOOLS_CTL_DOCTOR_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/ctl/snapshot.h"
#include "tools/ctl/system.h"
#include "tools/ctl/text.h"

namespace perdix::ctl {

// kWarning: decoding works, something else does not. kSkipped: cannot be
// looked at here.
enum class Verdict { kOk, kWarning, kFailed, kSkipped };

struct Finding {
  std::string name;
  Verdict verdict = Verdict::kOk;
  std::string text;
  std::string fix;  // commands, one a line, for kWarning and kFailed
};

struct DoctorInput {
  System system;
  std::optional<Snapshot> daemon;  // none: it did not answer
  std::string daemon_error;        // why not
  std::string version;             // ours
};

std::vector<Finding> Examine(const DoctorInput& input);
bool AnyFailed(const std::vector<Finding>& findings);

std::string DoctorText(const std::vector<Finding>& findings,
                       const Style& style);
nlohmann::json DoctorJson(const std::vector<Finding>& findings);
const char* VerdictName(Verdict verdict);

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_DOCTOR_H_
