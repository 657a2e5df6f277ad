// SPDX-License-Identifier: BSD-2-Clause
// All that the daemon says about itself at one moment, as its method
// GetStatistics returns it: a field for each row of daemon/figures.def.
// Meanings and units are those of systemd/org.perdix.Decoder1.xml and
// systemd/org.perdix.Decoder1.Session.xml.
#ifndef PERDIX_TOOLS_CTL_SNAPSHOT_H_
#define PERDIX_TOOLS_CTL_SNAPSHOT_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace perdix::ctl {

struct StageTime {
  std::string stage;
  std::string variant;
  uint64_t usec = 0;

  bool on_gpu() const { return variant == "vulkan"; }
};

struct Bucket {
  uint64_t upper_usec = 0;
  uint64_t frames = 0;
};

// The types of daemon/figures.def, as perdixctl has them.
namespace figure {

using Text = std::string;
using Flag = bool;
using Number = uint32_t;
using Count = uint64_t;
using Real = double;
using Numbers = std::map<std::string, uint32_t>;
using Texts = std::map<std::string, std::string>;
using Stages = std::vector<StageTime>;
using Buckets = std::vector<Bucket>;

}  // namespace figure

struct Session {
#define PERDIX_SESSION_FIGURE(Name, field, type, ...) figure::type field{};
#include "daemon/figures.def"
};

struct Daemon {
#define PERDIX_DAEMON_FIGURE(Name, field, type, ...) figure::type field{};
#include "daemon/figures.def"
};

struct Snapshot {
  Daemon daemon;
  std::vector<Session> sessions;  // by id
  uint64_t taken_usec = 0;        // CLOCK_REALTIME, by us
};

// From {"daemon": {property: value}, "sessions": [{property: value}]}, which is
// also what --json prints. A property that is not there (an older daemon) keeps
// its default above; throws Failure (EX_PROTOCOL) when one has another type.
Snapshot ParseSnapshot(const nlohmann::json& statistics);

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_SNAPSHOT_H_
