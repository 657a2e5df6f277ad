// SPDX-License-Identifier: BSD-2-Clause
// The order of coefficients with what their contexts depend on (5.11.41,
// 8.3.2): tables made of the scans' rules.
#ifndef PERDIX_CODEC_AV1_SCAN_STEPS_H_
#define PERDIX_CODEC_AV1_SCAN_STEPS_H_

#include <cstdint>

#include "codec/av1/constants.h"

namespace perdix::av1 {

// The levels of a transform block lie in rows of this many bytes, whatever its
// size: contexts look at most 4 to the right and 4 below.
inline constexpr int kLevelStrideLog2 = 6;
inline constexpr int kLevelStride = 1 << kLevelStrideLog2;
inline constexpr int kLevelRows = 32 + 4;

struct ScanStep {
  uint16_t position;     // kLevelStride * row + column
  uint8_t base_context;  // of coeff_base where no neighbour counts
  uint8_t br_context;    // of coeff_br where no neighbour counts
};

// By TxSize and transform class; as many steps as kScans (tables.h) has
// positions. Null where no type of the class has the size.
extern const ScanStep* const kScanSteps[kTxSizesAll][3];

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_SCAN_STEPS_H_
