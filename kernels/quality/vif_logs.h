// SPDX-License-Identifier: BSD-2-Clause
// The table of logarithms of VIF, for the CPU and for the GPU's buffer.
#ifndef PERDIX_KERNELS_QUALITY_VIF_LOGS_H_
#define PERDIX_KERNELS_QUALITY_VIF_LOGS_H_

#include <bit>
#include <cstdint>

#include "kernels/shared/quality.h"

namespace perdix::quality {

// PERDIX_VIF_LOGS words: 2048 log2(x), rounded, of x from PERDIX_VIF_LOG_FIRST.
const uint16_t* VifLogs();

// 2048 log2(x) of x from 2^17, by its leading 16 bits.
inline uint32_t VifLog(const uint16_t* logs, uint64_t x) {
  const int shift = std::bit_width(x) - 16;
  return logs[(x >> shift) - PERDIX_VIF_LOG_FIRST] + 2048u * uint32_t(shift);
}

}  // namespace perdix::quality

#endif  // PERDIX_KERNELS_QUALITY_VIF_LOGS_H_
