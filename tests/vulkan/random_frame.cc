// SPDX-License-Identifier: BSD-2-Clause
#include "tests/vulkan/random_frame.h"

#include "kernels/vp9/kernels.h"

namespace perdix {

RandomFrame::RandomFrame(Random& random, uint32_t width, uint32_t height,
                         const InterChoice& choice)
    : target(width, height, choice.subsampling), params(ParamsOf(target)) {
  Fill(random, Content::kNoise, &target);
  params.loop_filter_level = 1 + Below(random, 63);
  params.loop_filter_sharpness = Below(random, 8);
  for (uint32_t i = 0; i < PERDIX_VP9_REFS; ++i) {
    references.push_back(RandomReference(random, target, choice, i));
    params.references[i] = ReferenceParamsOf(target, references[i]);
  }
  AddInterBlocks(random, params, choice, &inter_blocks);
  AddTransforms(random, params, {}, &inter_transforms, &inter_coefficients);
  AddIntraBlocks(random, params, {}, &intra_blocks, &intra_transforms,
                 &intra_coefficients);
  // Not everything is intra.
  std::erase_if(intra_blocks,
                [&](const IntraBlock&) { return Below(random, 4) != 0; });
  edges = RandomEdges(random, params);
}

void RandomFrame::SetReference(uint32_t index, const TestPicture& picture) {
  references[index] = picture;
  params.references[index] = ReferenceParamsOf(target, picture);
}

std::array<WorkLists, 2> RandomFrame::Tiles() const {
  std::array<WorkLists, 2> tiles;
  tiles[0].inter_blocks = inter_blocks;
  tiles[0].inter_transforms = inter_transforms;
  tiles[0].coefficients = inter_coefficients;
  tiles[1].intra_blocks = intra_blocks;
  tiles[1].intra_transforms = intra_transforms;
  tiles[1].coefficients = intra_coefficients;
  return tiles;
}

void RandomFrame::RunScalar(std::span<const KernelId> stages) {
  KernelArgs args;
  args.params = &params;
  args.edges = edges;
  args.target = target.View();
  for (uint32_t i = 0; i < PERDIX_VP9_REFS; ++i) {
    args.references[i] = references[i].View();
  }
  const auto count = [](size_t size) { return static_cast<uint32_t>(size); };
  const std::array<WorkLists, 2> tiles = Tiles();
  for (const KernelId stage : stages) {
    args.lists = tiles[stage == KernelId::kVp9IntraPred ? 1 : 0];
    const Range range = {0, stage == KernelId::kVp9InterPred
                                ? count(inter_blocks.size())
                            : stage == KernelId::kVp9InverseTransform
                                ? count(inter_transforms.size())
                            : stage == KernelId::kVp9IntraPred
                                ? count(intra_blocks.size())
                                : params.sb_cols * params.sb_rows};
    KernelTable()[static_cast<size_t>(stage)].cpu[0][0](args, range);
  }
}

}  // namespace perdix
