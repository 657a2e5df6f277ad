// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/quality/vif_logs.h"

#include <array>
#include <cmath>

namespace perdix::quality {
namespace {

// Vectors load 32 bits from the place of an entry: one more lies behind them.
using Logs = std::array<uint16_t, PERDIX_VIF_LOGS + 1>;

// libvmaf's logarithm is a float, which is rounded once more: 38 entries are
// not what the exact logarithm would give.
Logs MakeLogs() {
  Logs logs = {};
  for (uint32_t i = 0; i < PERDIX_VIF_LOGS; ++i) {
    const float log =
        static_cast<float>(std::log2(double{PERDIX_VIF_LOG_FIRST} + i));
    logs[i] = static_cast<uint16_t>(std::lround(log * 2048));
  }
  return logs;
}

}  // namespace

const uint16_t* VifLogs() {
  static const Logs logs = MakeLogs();
  return logs.data();
}

}  // namespace perdix::quality
