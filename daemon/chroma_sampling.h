// SPDX-License-Identifier: BSD-2-Clause
// How a stream's chroma is sampled, and whether a client's buffer can hold it.
#ifndef PERDIX_DAEMON_CHROMA_SAMPLING_H_
#define PERDIX_DAEMON_CHROMA_SAMPLING_H_

#include <cstdint>

#include "codec/controls.h"

namespace perdix {

// log2 of luma samples to a chroma sample, across and down.
struct ChromaSampling {
  uint32_t x = 1;
  uint32_t y = 1;

  // As clients' buffers are: NV12, P010.
  bool Is420() const { return x == 1 && y == 1; }
  bool operator==(const ChromaSampling&) const = default;
};

// What the controls say of a frame, unchecked. 4:2:0 where they say nothing,
// and where there is no chroma.
ChromaSampling ChromaSamplingOf(Controls controls);

}  // namespace perdix

#endif  // PERDIX_DAEMON_CHROMA_SAMPLING_H_
