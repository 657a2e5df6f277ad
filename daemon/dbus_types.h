// SPDX-License-Identifier: BSD-2-Clause
// The D-Bus types of the daemon's figures.
#ifndef PERDIX_DAEMON_DBUS_TYPES_H_
#define PERDIX_DAEMON_DBUS_TYPES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/sdbus.h"

// Types by the names of figures.def.
namespace perdix::figure {

using Text = std::string;
using Flag = bool;
using Number = uint32_t;
using Count = uint64_t;
using Real = double;
using Numbers = std::map<std::string, uint32_t>;   // by name
using Texts = std::map<std::string, std::string>;  // by name
// Stage, variant, microseconds.
using Stages = std::vector<sdbus::Struct<std::string, std::string, uint64_t>>;
// Upper bound, frames.
using Buckets = std::vector<sdbus::Struct<uint64_t, uint64_t>>;

}  // namespace perdix::figure

namespace perdix {

using StageTimesValue = figure::Stages;
using BucketsValue = figure::Buckets;
using LimitsValue = figure::Numbers;
using VariantsValue = figure::Texts;  // by kernel

}  // namespace perdix

#endif  // PERDIX_DAEMON_DBUS_TYPES_H_
