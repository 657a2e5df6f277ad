// SPDX-License-Identifier: BSD-2-Clause
// A frame of random work lists for every stage, and what the scalar kernels
// make of it.
#ifndef PERDIX_TESTS_VULKAN_RANDOM_FRAME_H_
#define PERDIX_TESTS_VULKAN_RANDOM_FRAME_H_

#include <array>
#include <span>
#include <vector>

#include "kernels/kernel.h"
#include "tests/shaders/picture.h"
#include "tests/shaders/random_lists.h"

namespace perdix::vp9 {

inline constexpr KernelId kAllStages[] = {
    KernelId::kVp9InterPred, KernelId::kVp9InverseTransform,
    KernelId::kVp9IntraPred, KernelId::kVp9LoopFilter};

struct RandomFrame {
  // Inter blocks cover the frame, everything else lies on top.
  RandomFrame(Random& random, uint32_t width, uint32_t height,
              const InterChoice& choice);

  // Predicts from this picture too; call before RunScalar.
  void SetReference(uint32_t index, const TestPicture& picture);
  // One tile has what is inter, one what is intra: each has its coefficients.
  std::array<WorkLists, 2> Tiles() const;
  // On the target.
  void RunScalar(std::span<const KernelId> stages);

  TestPicture target;
  TestParams params;
  std::vector<TestPicture> references;
  std::vector<InterBlock> inter_blocks;
  std::vector<TransformBlock> inter_transforms;
  std::vector<int16_t> inter_coefficients;
  std::vector<IntraBlock> intra_blocks;
  std::vector<TransformBlock> intra_transforms;
  std::vector<int16_t> intra_coefficients;
  std::vector<uint32_t> edges;
};

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_VULKAN_RANDOM_FRAME_H_
