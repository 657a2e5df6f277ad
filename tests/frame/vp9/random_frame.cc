// SPDX-License-Identifier: BSD-2-Clause
#include "tests/frame/vp9/random_frame.h"

namespace perdix::vp9 {

RandomFrame::RandomFrame(TestRandom& random, const FrameParams& params_in,
                         const InterChoice& choice)
    : KernelInput(NewInput(params_in)) {
  target.Fill(Content::kRandom, random);
  ParamsOf(*this).loop_filter_level = 1 + random.Below(63);
  ParamsOf(*this).loop_filter_sharpness = random.Below(8);
  AddReferences(random, choice, this);
  AddInterBlocks(random, params, choice, this);
  AddTransforms(random, params, {}, this);
  AddIntraBlocks(random, params, {}, &intra);
  // Not everything is intra.
  std::erase_if(intra.lists[kIntraBlocks.index],
                [&](const RecordBytes&) { return !random.OneIn(4); });
  SetRandomEdges(random, this);
}

void RandomFrame::RunScalar(std::span<const KernelId> stages) {
  KernelArgs args = Args();
  for (const KernelId stage : stages) {
    args.lists = Tiles()[stage == KernelId::kVp9IntraPred ? 1 : 0];
    RowOf(stage).cpu[0][0](args, {0, ItemCount(args, stage)});
  }
}

}  // namespace perdix::vp9
