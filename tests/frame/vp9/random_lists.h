// SPDX-License-Identifier: BSD-2-Clause
// Random work lists of VP9 that cover a frame, at any bit depth and
// subsampling.
#ifndef PERDIX_TESTS_FRAME_VP9_RANDOM_LISTS_H_
#define PERDIX_TESTS_FRAME_VP9_RANDOM_LISTS_H_

#include <cstdint>
#include <span>

#include "kernels/vp9/lists.h"
#include "tests/frame/kernel_input.h"

namespace perdix::vp9 {

inline Params& ParamsOf(KernelInput& input) {
  return input.codec_params.As<Params>();
}
inline std::span<uint32_t> EdgesOf(KernelInput& input) {
  return input.tables.View().Of(kEdges);
}

// A frame without lists and references; no cell has an edge.
KernelInput NewInput(const FrameParams& params);
void SetReference(KernelInput& input, uint32_t index,
                  const GuardedPicture& picture);

struct InterChoice {
  uint32_t mv_range = 256;  // 1/8 sample
  bool scaled = false;      // all references but the first
  Content content = Content::kRandom;
  // Above 8 bits: references in upper bits (PictureView::shift), at random.
  bool mixed_shift = false;
};

void AddReferences(TestRandom& random, const InterChoice& choice,
                   KernelInput* input);
void AddInterBlocks(TestRandom& random, const FrameParams& params,
                    const InterChoice& choice, TestLists* to);

struct TransformChoice {
  uint32_t lossless = 0;
  uint32_t types = 4;           // tx_types, from 0 on
  uint32_t magnitude = 1 << 9;  // of coefficients
};

// Blocks all over the decoded area; some stick out of it.
void AddTransforms(TestRandom& random, const FrameParams& params,
                   const TransformChoice& choice, TestLists* to);

// In decoding order, edges as they are available.
void AddIntraBlocks(TestRandom& random, const FrameParams& params,
                    const TransformChoice& choice, TestLists* to);

// One coefficient as kernels read it at this bit depth.
void AddCoefficient(uint32_t bit_depth, int32_t value, TestLists* to);

// Any edges whose samples lie in the decoded area.
void SetRandomEdges(TestRandom& random, KernelInput* input);

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_FRAME_VP9_RANDOM_LISTS_H_
