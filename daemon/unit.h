// SPDX-License-Identifier: BSD-2-Clause
// What the daemon's figures are measured in (figures.def).
#ifndef PERDIX_DAEMON_UNIT_H_
#define PERDIX_DAEMON_UNIT_H_

namespace perdix {

enum class Unit {
  kNone,
  kFrames,
  kBytes,
  kUSec,
  kPerSecond,
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_UNIT_H_
