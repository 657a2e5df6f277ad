// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/whole_frame.h"

#include <vector>

namespace perdix {
namespace {

uint32_t SuperblockRow(const FrameParams& params, const IntraBlock& block) {
  const uint32_t shift = IntraPlane(block.shape) ? params.subsampling_y : 0;
  return PositionY4(block.position) >> (4 - shift);
}

// Superblock rows in turn, in each the tile columns from left to right: a block
// looks at what lies above and to its left, and above to its right.
void RunIntraPred(KernelFunction function, KernelArgs args,
                  std::span<const WorkLists> tiles) {
  std::vector<uint32_t> next(tiles.size());
  for (uint32_t row = 0; row < args.params->sb_rows; ++row) {
    for (size_t i = 0; i < tiles.size(); ++i) {
      const std::span<const IntraBlock> blocks = tiles[i].intra_blocks;
      const uint32_t begin = next[i];
      while (next[i] < blocks.size() &&
             SuperblockRow(*args.params, blocks[next[i]]) == row) {
        ++next[i];
      }
      args.lists = tiles[i];
      if (begin != next[i]) function(args, {begin, next[i]});
    }
  }
}

}  // namespace

void RunWholeFrame(KernelId kernel, KernelFunction function, KernelArgs args,
                   std::span<const WorkLists> tiles) {
  const auto run_all = [&](auto WorkLists::*list) {
    for (const WorkLists& tile : tiles) {
      args.lists = tile;
      const auto count = static_cast<uint32_t>((tile.*list).size());
      if (count != 0) function(args, {0, count});
    }
  };
  switch (kernel) {
    case KernelId::kVp9InterPred:
      run_all(&WorkLists::inter_blocks);
      break;
    case KernelId::kVp9InverseTransform:
      run_all(&WorkLists::inter_transforms);
      break;
    case KernelId::kVp9IntraPred:
      RunIntraPred(function, args, tiles);
      break;
    case KernelId::kVp9LoopFilter:
      function(args, {0, args.params->sb_cols * args.params->sb_rows});
      break;
  }
}

}  // namespace perdix
