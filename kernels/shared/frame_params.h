// SPDX-License-Identifier: BSD-2-Clause
// What every codec's frame has: size, depth, planes and the sizes of its
// references. Written once by the header parser, read-only afterwards. What a
// codec's kernels need beyond it is in kernels/shared/<codec>/params.h.
#ifndef PERDIX_KERNELS_SHARED_FRAME_PARAMS_H_
#define PERDIX_KERNELS_SHARED_FRAME_PARAMS_H_

#include "kernels/shared/types.h"

#ifdef __cplusplus
namespace perdix {
#endif

// The most that a frame of any codec names.
#define PERDIX_MAX_REFERENCES 8

struct ReferenceSize {
  uint width;   // luma samples
  uint height;  // luma samples
  uint valid;   // 0: no block of the frame may refer to it
  uint padding0;
};

struct FrameParams {
  uint width;    // luma samples
  uint height;   // luma samples
  uint sb_cols;  // superblocks, rounded up
  uint sb_rows;
  uint sb_log2;    // of a superblock's luma samples in each direction: 6 or 7
  uint bit_depth;  // 8, 10 or 12
  uint subsampling_x;
  uint subsampling_y;
  ReferenceSize references[PERDIX_MAX_REFERENCES];
};

#ifdef __cplusplus
static_assert(sizeof(FrameParams) == 32 + 16 * PERDIX_MAX_REFERENCES);

// Calls visit(index) for each reference that a block may refer to.
template <typename Visit>
void ForEachReference(const FrameParams& params, const Visit& visit) {
  for (uint i = 0; i < PERDIX_MAX_REFERENCES; ++i) {
    if (params.references[i].valid) visit(i);
  }
}

constexpr uint SampleBytes(const FrameParams& params) {
  return params.bit_depth > 8 ? 2 : 1;
}

// What a decoder of any codec writes of a frame: multiples of 8 luma samples.
constexpr uint DecodedSize(uint luma_samples) {
  return (luma_samples + 7u) & ~7u;
}
}  // namespace perdix
#endif

#endif  // PERDIX_KERNELS_SHARED_FRAME_PARAMS_H_
