// SPDX-License-Identifier: BSD-2-Clause
// What the kernel says about a job's buffers, checked against their real size.
#ifndef PERDIX_DAEMON_JOB_LAYOUT_H_
#define PERDIX_DAEMON_JOB_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "codec/picture.h"
#include "kernels/status.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {

// The largest side of a target, in luma samples: no codec's headers code a
// larger one (16 bits, minus one). What the node offers is less:
// PERDIX_MAX_SIDE.
inline constexpr uint32_t kMaxSide = 65536;

// Where the target's planes lie in a buffer of that many bytes.
Status TargetLayout(const perdix_job& job, size_t buffer_bytes,
                    PictureLayout* layout);

// Where frames of this depth, which the decoder checks, have their samples in
// the job's pixelformat. NV12 has 8 bit; P010 has more, in the upper bits of
// 16, so that a reader of 10 bit finds the upper 10 of 12.
Status SetShift(const perdix_job& job, uint32_t bit_depth,
                PictureLayout* layout);

// That the coded frame lies inside a buffer of that many bytes.
Status CheckBitstream(const perdix_job& job, size_t buffer_bytes);

}  // namespace perdix

#endif  // PERDIX_DAEMON_JOB_LAYOUT_H_
