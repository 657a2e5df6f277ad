// SPDX-License-Identifier: BSD-2-Clause
// Setting what a block leaves in arrays of contexts, by its 4x4 units.
#ifndef PERDIX_CODEC_AV1_FILL_CONTEXT_H_
#define PERDIX_CODEC_AV1_FILL_CONTEXT_H_

#include <cstdint>
#include <cstring>

namespace perdix::av1 {

// count: 1, 2, 4, 8, 16 or 32. Each is one or two stores.
inline void FillContext(uint8_t* at, int value, int count) {
  // no switch: its jump through a table takes longer
  if (count <= 2) {
    if (count == 1) {
      *at = uint8_t(value);
    } else {
      std::memset(at, value, 2);
    }
  } else if (count <= 8) {
    if (count == 4) {
      std::memset(at, value, 4);
    } else {
      std::memset(at, value, 8);
    }
  } else if (count == 16) {
    std::memset(at, value, 16);
  } else {
    std::memset(at, value, 32);
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_FILL_CONTEXT_H_
