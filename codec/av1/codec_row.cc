// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/codec_row.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "codec/av1/film_grain_control.h"
#include "codec/av1/frame_state.h"
#include "codec/av1/reference_scale.h"
#include "codec/av1/v4l2_controls.h"
#include "codec/controls.h"
#include "kernels/av1/line_buffers.h"
#include "v4l2/perdix_uapi.h"

namespace perdix::av1 {
namespace {

std::unique_ptr<CodecState> Open() { return std::make_unique<Av1State>(); }

StreamFormat Format(std::span<const uint8_t> controls) {
  v4l2_ctrl_av1_sequence sequence;
  v4l2_ctrl_av1_frame frame;
  v4l2_ctrl_av1_film_grain grain;
  if (!ReadControl(controls, V4L2_CID_STATELESS_AV1_SEQUENCE, &sequence).ok() ||
      !ReadControl(controls, V4L2_CID_STATELESS_AV1_FRAME, &frame).ok()) {
    return {};
  }
  const auto has = [&sequence](uint64_t flag) {
    return (sequence.flags & flag) != 0;
  };
  return {.profile = sequence.seq_profile,
          .width = frame.upscaled_width,
          .height = frame.frame_height_minus_1 + 1u,
          .bit_depth = sequence.bit_depth,
          .monochrome = has(V4L2_AV1_SEQUENCE_FLAG_MONO_CHROME),
          .film_grain =
              ReadControl(controls, V4L2_CID_STATELESS_AV1_FILM_GRAIN, &grain)
                  .ok() &&
              (HasGrain(grain) || IsByReference(grain)),
          .subsampling_x = has(V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X),
          .subsampling_y = has(V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_Y),
          .shown = (frame.flags & V4L2_AV1_FRAME_FLAG_SHOW_FRAME) != 0};
}

// ---- passes ----

enum PassIndex : uint32_t {
  kInter,
  kIntra,
  kIntrabc,
  kDeblock,
  kCdef,
  kSuperRes,
  kLoopRestoration,
  kFinalShift,
  kFilmGrain
};

const Params& ParamsOf(const ParsedFrame& frame) {
  return frame.codec_params.As<Params>();
}

bool Copies(const ParsedFrame& frame) {
  return ParamsOf(frame).allow_intrabc != 0;
}
bool CopiesNot(const ParsedFrame& frame) { return !Copies(frame); }

bool IsInter(const ParsedFrame& frame) {
  bool any = false;
  ForEachReference(frame.params, [&any](uint32_t) { any = true; });
  return any;
}

bool IsRestored(const ParsedFrame& frame) {
  return UsesRestoration(ParamsOf(frame));
}

bool HasCdef(const ParsedFrame& frame) { return ParamsOf(frame).cdef_on != 0; }

// Without levels it still saves the lines that the next two read.
bool IsDeblocked(const ParsedFrame& frame) {
  const Params& params = ParamsOf(frame);
  return params.loop_filter_level[0] != 0 || params.loop_filter_level[1] != 0 ||
         NeedsLineBuffers(params);
}

bool IsUpscaled(const ParsedFrame& frame) {
  return UsesSuperRes(frame.params, ParamsOf(frame));
}

bool HasDisplay(const ParsedFrame& frame) {
  return frame.request.display != nullptr;
}

constexpr KernelId kInterKernels[] = {KernelId::kAv1InterPred,
                                      KernelId::kAv1InverseTransform};
constexpr KernelId kIntraKernels[] = {KernelId::kAv1IntraPred};
// Such frames have no inter blocks.
constexpr KernelId kIntrabcKernels[] = {
    KernelId::kAv1InverseTransform,
    KernelId::kAv1IntraPred,
};
constexpr KernelId kDeblockKernels[] = {KernelId::kAv1Deblock};
constexpr KernelId kCdefKernels[] = {KernelId::kAv1Cdef};
constexpr KernelId kSuperResKernels[] = {KernelId::kAv1SuperRes};
constexpr KernelId kLoopRestorationKernels[] = {KernelId::kAv1LoopRestoration};
constexpr KernelId kFinalShiftKernels[] = {KernelId::kFinalShift};
constexpr KernelId kFilmGrainKernels[] = {KernelId::kAv1FilmGrain};

// Inter blocks read other pictures only: their rows go in any order.
// Intra prediction looks left, above and above right (7.11.2), at inter blocks,
// too.
constexpr After kAfterIntra[] = {{kInter, 0, 0}, {kIntra, -1, 1}};
// Five columns of 64 (of 128: three) further right for each row up: what
// is_mv_valid (6.10.25) allows to be copied from.
constexpr After kAfterIntrabc[] = {{kIntra, 0, 0}, {kIntrabc, -1, 5}};
// Intra prediction looks at unfiltered pixels.
constexpr After kAfterDeblock[] = {{kIntrabc, 1, 0}, {kDeblock, -1, 0}};
constexpr After kAfterCdef[] = {{kDeblock, 0, 0}};
constexpr After kAfterSuperRes[] = {{kCdef, 0, 0}};
// The lines above a row are upscaled with the row above.
constexpr After kAfterLoopRestoration[] = {{kSuperRes, 0, 0},
                                           {kSuperRes, -1, 0}};
constexpr After kAfterFinalShift[] = {{kLoopRestoration, 0, 0}};
constexpr After kAfterFilmGrain[] = {{kFinalShift, 0, 0}};

constexpr Pass kPasses[] = {
    // Nothing is predicted across the edges of a tile (5.11.3, 7.11.2).
    {.name = "inter",
     .kernels = kInterKernels,
     .after = {},
     .needed = &IsInter,
     .within_tiles = true},
    {.name = "intra",
     .kernels = kIntraKernels,
     .after = kAfterIntra,
     .needed = &CopiesNot,
     .within_tiles = true},
    {.name = "intrabc",
     .kernels = kIntrabcKernels,
     .after = kAfterIntrabc,
     .needed = &Copies,
     .within_tiles = true,
     .on_cpu = true},
    {.name = "deblock",
     .kernels = kDeblockKernels,
     .after = kAfterDeblock,
     .needed = &IsDeblocked,
     .whole_rows = true},
    {.name = "cdef",
     .kernels = kCdefKernels,
     .after = kAfterCdef,
     .needed = &HasCdef,
     .whole_rows = true},
    {.name = "super_res",
     .kernels = kSuperResKernels,
     .after = kAfterSuperRes,
     .needed = &IsUpscaled,
     .whole_rows = true},
    {.name = "loop_restoration",
     .kernels = kLoopRestorationKernels,
     .after = kAfterLoopRestoration,
     .needed = &IsRestored,
     .whole_rows = true},
    {.name = "final_shift",
     .kernels = kFinalShiftKernels,
     .after = kAfterFinalShift,
     .whole_rows = true,
     .shifts = true},
    {.name = "film_grain",
     .kernels = kFilmGrainKernels,
     .after = kAfterFilmGrain,
     .needed = &HasDisplay,
     .whole_rows = true,
     .output = true},
};
static_assert(std::size(kPasses) <= kMaxPasses);
static_assert(StageCount(kPasses) <= kMaxStages);

// ---- references ----

// Lines below a block, in luma's, that interpolating its chroma may read: half
// of the eight taps (7.11.3.4) and one that vectors touch, each two of luma.
constexpr int kLinesBelow = 2 * (8 / 2 + 1);

bool IsWarped(uint32_t shape) {
  const uint32_t kind = InterKind(shape);
  return kind == PERDIX_INTER_WARP_LOCAL || kind == PERDIX_INTER_WARP_GLOBAL;
}

LowestLines FindLowestLines(const ParsedFrame& frame, uint32_t sb_row) {
  LowestLines lowest;
  lowest.fill(kNotRead);
  const auto read = [&lowest](uint32_t ref, int end) {
    lowest[ref] = std::max(lowest[ref], end);
  };
  for (uint32_t i = 0; i < frame.tile_cols; ++i) {
    const WorkLists tile = frame.tiles[i].View();
    const std::span<const InterBlock> blocks = tile.Of(kInterBlocks);
    const Range range =
        RowOf(KernelId::kAv1InterPred)
            .Items(tile, frame.params, sb_row, {0, frame.params.sb_cols});
    for (uint32_t item = range.begin; item < range.end; ++item) {
      const InterBlock& block = blocks[item];
      const uint32_t shape = block.shape;
      const int end = 4 * int(PositionY4(block.position)) +
                      (1 << InterHeightLog2(shape)) + kLinesBelow;
      const bool compound = InterIsCompound(shape);
      const bool warp0 = IsWarped(shape) || (shape & PERDIX_INTER_GLOBAL0) != 0;
      const bool warp1 = (shape & PERDIX_INTER_GLOBAL1) != 0;
      read(InterRef0(shape), warp0 ? kAllRead : end + (MvRow(block.mv0) >> 3));
      if (compound) {
        read(InterRef1(shape),
             warp1 ? kAllRead : end + (MvRow(block.mv1) >> 3));
      }
    }
  }
  for (uint32_t ref = 0; ref < PERDIX_AV1_REFS; ++ref) {
    const ReferenceScale& scale = ParamsOf(frame).references[ref];
    if (lowest[ref] != kNotRead && HasOtherSize(scale)) lowest[ref] = kAllRead;
  }
  return lowest;
}

}  // namespace

constinit const CodecRow kCodecRow = {
    .name = "av1",
    .id = PERDIX_CODEC_AV1,
    .pixelformat = V4L2_PIX_FMT_AV1_FRAME,
    .open = &Open,
    .frame_parallel_parsing = true,
    .format = &Format,
    .passes = kPasses,
    .lowest_lines = &FindLowestLines,
};

}  // namespace perdix::av1
