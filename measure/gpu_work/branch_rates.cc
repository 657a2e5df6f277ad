// SPDX-License-Identifier: BSD-2-Clause
#include "measure/gpu_work/branch_rates.h"

#include <algorithm>
#include <numeric>

#include "kernels/shared/vp9/dispatch.h"
#include "kernels/vp9/lists.h"

namespace perdix::measure {
namespace {

constexpr uint32_t kSuperblockCells = 8;  // of 8x8 luma samples, a side

// One plane and direction, as shaders/vp9/loop_filter.comp goes over it.
struct Pass {
  bool horizontal;  // edges
  uint32_t shift;   // PERDIX_EDGE_*_SHIFT
  uint32_t step_x;  // luma cells of a cell of the plane
  uint32_t step_y;
  uint32_t side_by_side;  // cells of a round
};

class Counter {
 public:
  Counter(const vp9::Params& params, std::span<const uint32_t> edges)
      : params_(params), edges_(edges) {}

  EdgeRounds Count(const Pass& pass) const {
    EdgeRounds counted;
    for (uint32_t y = 0; y < params_.mi_rows; y += kSuperblockCells) {
      for (uint32_t x = 0; x < params_.mi_cols; x += kSuperblockCells) {
        AddSuperblock(pass, x, y, &counted);
      }
    }
    return counted;
  }

 private:
  // x, y: its first luma cell. along: from round to round; across: within one.
  void AddSuperblock(const Pass& pass, uint32_t x, uint32_t y,
                     EdgeRounds* counted) const {
    const uint32_t end_x = std::min(x + kSuperblockCells, params_.mi_cols);
    const uint32_t end_y = std::min(y + kSuperblockCells, params_.mi_rows);
    const uint32_t along_step = pass.horizontal ? pass.step_y : pass.step_x;
    const uint32_t across_step =
        (pass.horizontal ? pass.step_x : pass.step_y) * pass.side_by_side;
    const uint32_t across_begin = pass.horizontal ? x : y;
    const uint32_t across_end = pass.horizontal ? end_x : end_y;
    const uint32_t along_begin = pass.horizontal ? y : x;
    const uint32_t along_end = pass.horizontal ? end_y : end_x;
    for (uint32_t across = across_begin; across < across_end;
         across += across_step) {
      const uint32_t last = std::min(across + across_step, across_end);
      for (uint32_t along = along_begin; along < along_end;
           along += along_step) {
        AddRound(pass, along, across, last, counted);
      }
    }
  }

  void AddRound(const Pass& pass, uint32_t along, uint32_t across,
                uint32_t across_end, EdgeRounds* counted) const {
    uint32_t widest = 0;
    bool inner = false;
    const uint32_t step = pass.horizontal ? pass.step_x : pass.step_y;
    for (; across < across_end; across += step) {
      const uint32_t cell = pass.horizontal
                                ? edges_[along * params_.mi_cols + across]
                                : edges_[across * params_.mi_cols + along];
      widest =
          std::max(widest, pass.horizontal ? vp9::EdgeAbove(cell, pass.shift)
                                           : vp9::EdgeLeft(cell, pass.shift));
      inner |= (pass.horizontal ? vp9::EdgeInnerAbove(cell, pass.shift)
                                : vp9::EdgeInnerLeft(cell, pass.shift)) != 0;
    }
    ++counted->rounds;
    counted->edge += widest >= 1;
    counted->edge_8 += widest >= 2;
    counted->edge_16 += widest >= 3;
    counted->inner += inner;
  }

  const vp9::Params& params_;
  const std::span<const uint32_t> edges_;
};

}  // namespace

LoopFilterRounds CountLoopFilterRounds(const gpu::FrameInput& input) {
  const auto& params = input.codec->As<vp9::Params>();
  if (params.loop_filter_level == 0) return {};
  const Counter counter(params, input.tables.Of(vp9::kEdges));
  const uint32_t step_x = 1 << input.params->subsampling_x;
  const uint32_t step_y = 1 << input.params->subsampling_y;
  constexpr uint32_t kLuma = PERDIX_EDGE_LUMA_SHIFT;
  constexpr uint32_t kChroma = PERDIX_EDGE_CHROMA_SHIFT;
  return {counter.Count({false, kLuma, 1, 1, 4}),
          counter.Count({true, kLuma, 1, 1, 4}),
          counter.Count({false, kChroma, step_x, step_y, 2}),
          counter.Count({true, kChroma, step_x, step_y, 2})};
}

uint64_t IntraCounts::total() const {
  return std::accumulate(modes.begin(), modes.end(), uint64_t{0});
}

IntraCounts CountIntra(const gpu::FrameInput& input) {
  IntraCounts counts;
  for (const WorkLists& tile : input.tiles) {
    for (const vp9::IntraBlock& block : tile.Of(vp9::kIntraBlocks)) {
      ++counts
            .blocks[vp9::IntraPlane(block.shape)][vp9::IntraSize(block.shape)];
      ++counts.modes[std::min(vp9::IntraMode(block.shape),
                              IntraCounts::kModes - 1)];
      counts.with_residual +=
          block.residual0 != PERDIX_NONE || block.residual1 != PERDIX_NONE;
    }
  }
  return counts;
}

bool IsIntraOnly(const gpu::FrameInput& input) {
  // AV1's list of inter blocks has the same number.
  return std::ranges::all_of(input.tiles, [](const WorkLists& tile) {
    return tile.Of(vp9::kInterBlocks).empty();
  });
}

}  // namespace perdix::measure
