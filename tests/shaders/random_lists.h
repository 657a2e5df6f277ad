// SPDX-License-Identifier: BSD-2-Clause
// Random work lists that cover a frame.
#ifndef PERDIX_TESTS_SHADERS_RANDOM_LISTS_H_
#define PERDIX_TESTS_SHADERS_RANDOM_LISTS_H_

#include <cstdint>
#include <vector>

#include "kernels/vp9/lists.h"
#include "tests/shaders/picture.h"

namespace perdix::vp9 {

// The parameters of a frame, at first without references.
struct TestParams {
  explicit TestParams(const TestPicture& target);
  void SetReference(uint32_t index, const TestPicture& reference);
  Params& vp9() { return codec.As<Params>(); }

  FrameParams frame;
  CodecParams codec;
};

// What one kind of frame is made of.
struct InterChoice {
  uint32_t subsampling = 1;
  uint32_t mv_range = 256;  // 1/8 sample
  bool scaled = false;
  Content content = Content::kNoise;
};

// index: of the reference; the first is never scaled.
TestPicture RandomReference(Random& random, const TestPicture& target,
                            const InterChoice& choice, uint32_t index);
void AddInterBlocks(Random& random, const FrameParams& params,
                    const InterChoice& choice, std::vector<InterBlock>* blocks);

struct TransformChoice {
  uint32_t lossless = 0;
  uint32_t types = 4;           // tx_types, from 0 on
  uint32_t magnitude = 1 << 9;  // of coefficients
};

// Blocks all over the decoded area; some stick out of it.
void AddTransforms(Random& random, const FrameParams& params,
                   const TransformChoice& choice,
                   std::vector<TransformBlock>* blocks,
                   std::vector<int16_t>* coefficients);

// In decoding order, edges as they are available.
void AddIntraBlocks(Random& random, const FrameParams& params,
                    const TransformChoice& choice,
                    std::vector<IntraBlock>* blocks,
                    std::vector<TransformBlock>* transforms,
                    std::vector<int16_t>* coefficients);

// Any edges whose samples lie in the decoded area.
std::vector<uint32_t> RandomEdges(Random& random, const FrameParams& params);

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_SHADERS_RANDOM_LISTS_H_
