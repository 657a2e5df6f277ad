// SPDX-License-Identifier: BSD-2-Clause
#include "codec/vp9/codec_row.h"

#include <linux/v4l2-controls.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "codec/controls.h"
#include "codec/vp9/frame_state.h"
#include "kernels/vp9/block_interpolation.h"
#include "v4l2/perdix_uapi.h"

namespace perdix::vp9 {
namespace {

std::unique_ptr<CodecState> Open() { return std::make_unique<Vp9State>(); }

StreamFormat Format(std::span<const uint8_t> controls) {
  v4l2_ctrl_vp9_frame frame;
  if (!ReadControl(controls, V4L2_CID_STATELESS_VP9_FRAME, &frame).ok())
    return {};
  return {
      .profile = frame.profile,
      .width = frame.frame_width_minus_1 + 1u,
      .height = frame.frame_height_minus_1 + 1u,
      .bit_depth = frame.bit_depth,
      .subsampling_x = (frame.flags & V4L2_VP9_FRAME_FLAG_X_SUBSAMPLING) != 0,
      .subsampling_y = (frame.flags & V4L2_VP9_FRAME_FLAG_Y_SUBSAMPLING) != 0,
      .shown = (frame.flags & V4L2_VP9_FRAME_FLAG_SHOW_FRAME) != 0};
}

// ---- passes ----

enum PassIndex : uint32_t { kReconstruct, kFilter, kFinalShift };

// Inter blocks first: intra prediction looks at their reconstruction.
constexpr KernelId kReconstructKernels[] = {
    KernelId::kVp9InterPred,
    KernelId::kVp9InverseTransform,
    KernelId::kVp9IntraPred,
};
// Intra prediction looks left, above and above left (8.5.1).
constexpr After kAfterReconstruct[] = {{kReconstruct, -1, 0}};

constexpr KernelId kFilterKernels[] = {KernelId::kVp9LoopFilter};
// Intra prediction looks at unfiltered pixels. Superblocks are filtered in
// raster order (8.8.1).
constexpr After kAfterFilter[] = {{kReconstruct, 1, 1}, {kFilter, -1, 1}};

bool IsFiltered(const ParsedFrame& frame) {
  return frame.codec_params.As<Params>().loop_filter_level != 0;
}

constexpr KernelId kFinalShiftKernels[] = {KernelId::kFinalShift};
constexpr After kAfterFinalShift[] = {{kFilter, 0, 0}, {kFinalShift, -1, 0}};

constexpr Pass kPasses[] = {
    // Nothing is predicted across the edges of a tile column (6.4.4, 8.5.1.1).
    {.name = "reconstruct",
     .kernels = kReconstructKernels,
     .after = kAfterReconstruct,
     .within_tiles = true},
    {.name = "filter",
     .kernels = kFilterKernels,
     .after = kAfterFilter,
     .needed = &IsFiltered},
    {.name = "final_shift",
     .kernels = kFinalShiftKernels,
     .after = kAfterFinalShift,
     .whole_rows = true,
     .shifts = true},
};
static_assert(std::size(kPasses) <= kMaxPasses);
static_assert(StageCount(kPasses) <= kMaxStages);

// ---- references ----

// Lines below a block, in luma's, that interpolating its chroma may read: half
// of the taps (8.5.2.4) and one that vectors touch, each two of luma.
constexpr int kLinesBelow = 2 * (kTaps / 2 + 1);

LowestLines FindLowestLines(const ParsedFrame& frame, uint32_t sb_row) {
  // Where the vectors put the end of the lowest block, luma lines, by
  // reference; the last one is that of single predictions. Clamping a vector
  // (8.5.2.3) only moves it up, or to where it lies above the frame, which is
  // predicted from its first line.
  std::array<int, PERDIX_REF_NONE + 1> ends;
  ends.fill(kNotRead);
  for (uint32_t i = 0; i < frame.tile_cols; ++i) {
    const WorkLists tile = frame.tiles[i].View();
    const std::span<const InterBlock> blocks = tile.Of(kInterBlocks);
    const Range range =
        RowOf(KernelId::kVp9InterPred)
            .Items(tile, frame.params, sb_row, {0, frame.params.sb_cols});
    for (uint32_t item = range.begin; item < range.end; ++item) {
      const InterBlock& block = blocks[item];
      const int end =
          4 * int(PositionY4(block.position) + InterHeight4(block.shape));
      const auto read = [&](uint32_t ref, int end_read) {
        if (end_read > ends[ref]) [[unlikely]]
          ends[ref] = end_read;
      };
      read(InterRef0(block.shape), end + (MvRow(block.mv0) >> 3));
      read(InterRef1(block.shape), end + (MvRow(block.mv1) >> 3));
    }
  }

  LowestLines lowest;
  lowest.fill(kNotRead);
  for (uint32_t ref = 0; ref < PERDIX_VP9_REFS; ++ref) {
    if (ends[ref] == kNotRead) continue;
    const ReferenceScale& reference =
        frame.codec_params.As<Params>().references[ref];
    const bool scaled =
        reference.x_scale != kNotScaled || reference.y_scale != kNotScaled;
    lowest[ref] = scaled ? kAllRead : ends[ref] + kLinesBelow;
  }
  return lowest;
}

}  // namespace

constinit const CodecRow kCodecRow = {
    .name = "vp9",
    .id = PERDIX_CODEC_VP9,
    .pixelformat = V4L2_PIX_FMT_VP9_FRAME,
    .open = &Open,
    .format = &Format,
    .passes = kPasses,
    .lowest_lines = &FindLowestLines,
};

}  // namespace perdix::vp9
