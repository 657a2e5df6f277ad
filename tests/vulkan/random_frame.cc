// SPDX-License-Identifier: BSD-2-Clause
#include "tests/vulkan/random_frame.h"

#include "kernels/vp9/kernels.h"

namespace perdix::vp9 {

RandomFrame::RandomFrame(Random& random, uint32_t width, uint32_t height,
                         const InterChoice& choice)
    : target(width, height, choice.subsampling), params(target) {
  Fill(random, Content::kNoise, &target);
  params.vp9().loop_filter_level = 1 + Below(random, 63);
  params.vp9().loop_filter_sharpness = Below(random, 8);
  for (uint32_t i = 0; i < PERDIX_VP9_REFS; ++i) {
    references.push_back(RandomReference(random, target, choice, i));
    params.SetReference(i, references[i]);
  }
  AddInterBlocks(random, params.frame, choice, &inter_blocks);
  AddTransforms(random, params.frame, {}, &inter_transforms,
                &inter_coefficients);
  AddIntraBlocks(random, params.frame, {}, &intra_blocks, &intra_transforms,
                 &intra_coefficients);
  // Not everything is intra.
  std::erase_if(intra_blocks,
                [&](const IntraBlock&) { return Below(random, 4) != 0; });
  edges = RandomEdges(random, params.frame);
}

void RandomFrame::SetReference(uint32_t index, const TestPicture& picture) {
  references[index] = picture;
  params.SetReference(index, picture);
}

std::array<WorkLists, 2> RandomFrame::Tiles() const {
  std::array<WorkLists, 2> tiles;
  tiles[0].Set(kInterBlocks, inter_blocks);
  tiles[0].Set(kInterTransforms, inter_transforms);
  tiles[0].coefficients = inter_coefficients;
  tiles[1].Set(kIntraBlocks, intra_blocks);
  tiles[1].Set(kIntraTransforms, intra_transforms);
  tiles[1].coefficients = intra_coefficients;
  return tiles;
}

void RandomFrame::RunScalar(std::span<const KernelId> stages) {
  KernelArgs args;
  args.params = &params.frame;
  args.codec = &params.codec;
  args.tables.Set(kEdges, edges);
  args.target = target.View();
  for (uint32_t i = 0; i < PERDIX_VP9_REFS; ++i) {
    args.references[i] = references[i].View();
  }
  const std::array<WorkLists, 2> tiles = Tiles();
  for (const KernelId stage : stages) {
    args.lists = tiles[stage == KernelId::kVp9IntraPred ? 1 : 0];
    const KernelRow& row = RowOf(stage);
    const uint32_t superblocks = params.frame.sb_cols * params.frame.sb_rows;
    const Range range = {
        0, row.ReadsList()
               ? static_cast<uint32_t>(args.lists.lists[row.list].size)
               : superblocks};
    row.cpu[0][0](args, range);
  }
}

}  // namespace perdix::vp9
