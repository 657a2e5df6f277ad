// SPDX-License-Identifier: BSD-2-Clause
// A frame of random work lists for every stage, and what the scalar kernels
// make of it.
#ifndef PERDIX_TESTS_FRAME_VP9_RANDOM_FRAME_H_
#define PERDIX_TESTS_FRAME_VP9_RANDOM_FRAME_H_

#include <array>
#include <span>

#include "tests/frame/vp9/random_lists.h"

namespace perdix::vp9 {

inline constexpr KernelId kAllStages[] = {
    KernelId::kVp9InterPred, KernelId::kVp9InverseTransform,
    KernelId::kVp9IntraPred, KernelId::kVp9LoopFilter};

// One tile has what is inter, the other what is intra: each its coefficients.
struct RandomFrame : KernelInput {
  // Inter blocks cover the frame, everything else lies on top.
  RandomFrame(TestRandom& random, const FrameParams& params,
              const InterChoice& choice);

  std::array<WorkLists, 2> Tiles() const { return {View(), intra.View()}; }
  // On the target.
  void RunScalar(std::span<const KernelId> stages);

  TestLists intra;
};

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_FRAME_VP9_RANDOM_FRAME_H_
