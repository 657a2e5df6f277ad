// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/frame_setup.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "codec/av1/motion_field.h"
#include "codec/av1/private_controls.h"
#include "codec/av1/tables.h"
#include "codec/av1/warp.h"
#include "codec/controls.h"

namespace perdix::av1 {
namespace {

constexpr int kRefScaleShift = 14;  // REF_SCALE_SHIFT

Status Invalid(std::string what) {
  return {StatusCode::kInvalidArgument, std::move(what)};
}

bool Has(uint32_t flags, uint32_t flag) { return (flags & flag) != 0; }

void DeriveFlags(FrameState& frame) {
  const v4l2_ctrl_av1_sequence& sequence = frame.sequence;
  const v4l2_ctrl_av1_frame& header = frame.header;
  const auto seq = [&](uint32_t flag) { return Has(sequence.flags, flag); };
  const auto hdr = [&](uint32_t flag) { return Has(header.flags, flag); };
  frame.frame_is_intra = header.frame_type == V4L2_AV1_KEY_FRAME ||
                         header.frame_type == V4L2_AV1_INTRA_ONLY_FRAME;
  const bool inter = !frame.frame_is_intra;
  frame.error_resilient = hdr(V4L2_AV1_FRAME_FLAG_ERROR_RESILIENT_MODE);
  frame.allow_screen_content_tools =
      hdr(V4L2_AV1_FRAME_FLAG_ALLOW_SCREEN_CONTENT_TOOLS);
  frame.force_integer_mv = !inter || hdr(V4L2_AV1_FRAME_FLAG_FORCE_INTEGER_MV);
  frame.allow_high_precision_mv =
      inter && !frame.force_integer_mv &&
      hdr(V4L2_AV1_FRAME_FLAG_ALLOW_HIGH_PRECISION_MV);
  frame.allow_intrabc =
      !inter && frame.allow_screen_content_tools &&
      header.upscaled_width == header.frame_width_minus_1 + 1 &&
      hdr(V4L2_AV1_FRAME_FLAG_ALLOW_INTRABC);
  frame.disable_cdf_update = hdr(V4L2_AV1_FRAME_FLAG_DISABLE_CDF_UPDATE);
  frame.reduced_tx_set = hdr(V4L2_AV1_FRAME_FLAG_REDUCED_TX_SET);
  frame.reference_select = inter && hdr(V4L2_AV1_FRAME_FLAG_REFERENCE_SELECT);
  frame.use_128x128_superblock =
      seq(V4L2_AV1_SEQUENCE_FLAG_USE_128X128_SUPERBLOCK);
  frame.order_hint_bits = seq(V4L2_AV1_SEQUENCE_FLAG_ENABLE_ORDER_HINT)
                              ? sequence.order_hint_bits
                              : 0;
  frame.use_ref_frame_mvs = inter && !frame.error_resilient &&
                            frame.order_hint_bits != 0 &&
                            hdr(V4L2_AV1_FRAME_FLAG_USE_REF_FRAME_MVS);
  frame.is_motion_mode_switchable =
      inter && hdr(V4L2_AV1_FRAME_FLAG_IS_MOTION_MODE_SWITCHABLE);
  frame.allow_warped_motion = inter && !frame.error_resilient &&
                              hdr(V4L2_AV1_FRAME_FLAG_ALLOW_WARPED_MOTION);
  frame.enable_filter_intra = seq(V4L2_AV1_SEQUENCE_FLAG_ENABLE_FILTER_INTRA);
  frame.enable_interintra_compound =
      seq(V4L2_AV1_SEQUENCE_FLAG_ENABLE_INTERINTRA_COMPOUND);
  frame.enable_masked_compound =
      seq(V4L2_AV1_SEQUENCE_FLAG_ENABLE_MASKED_COMPOUND);
  frame.enable_jnt_comp = seq(V4L2_AV1_SEQUENCE_FLAG_ENABLE_JNT_COMP);
  frame.enable_dual_filter = seq(V4L2_AV1_SEQUENCE_FLAG_ENABLE_DUAL_FILTER);
  frame.interpolation_filter = uint8_t(header.interpolation_filter);
  frame.bit_depth = sequence.bit_depth;
  frame.subsampling_x = seq(V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X);
  frame.subsampling_y = seq(V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_Y);
  frame.num_planes = 3;
  if (seq(V4L2_AV1_SEQUENCE_FLAG_MONO_CHROME)) {
    frame.num_planes = 1;
    frame.subsampling_x = frame.subsampling_y = 1;
  }
  // 5.9.9
  frame.mi_cols = 2 * int((header.frame_width_minus_1 + 8) >> 3);
  frame.mi_rows = 2 * int((header.frame_height_minus_1 + 8) >> 3);
  frame.sb_size4 = frame.use_128x128_superblock ? 32 : 16;
}

// 5.9.14, and 7.12.2 without the deltas of blocks.
void DeriveSegments(FrameState& frame) {
  const v4l2_av1_segmentation& from = frame.header.segmentation;
  const v4l2_av1_quantization& quant = frame.header.quantization;
  frame.segmentation_enabled =
      Has(from.flags, V4L2_AV1_SEGMENTATION_FLAG_ENABLED);
  const bool primary_none = frame.header.primary_ref_frame == kPrimaryRefNone;
  frame.segmentation_update_map =
      frame.segmentation_enabled &&
      (primary_none || Has(from.flags, V4L2_AV1_SEGMENTATION_FLAG_UPDATE_MAP));
  frame.segmentation_temporal_update =
      frame.segmentation_update_map && !primary_none &&
      Has(from.flags, V4L2_AV1_SEGMENTATION_FLAG_TEMPORAL_UPDATE);
  frame.seg_id_pre_skip = false;
  frame.last_active_seg_id = 0;
  const bool no_deltas = quant.delta_q_y_dc == 0 && quant.delta_q_u_dc == 0 &&
                         quant.delta_q_u_ac == 0 && quant.delta_q_v_dc == 0 &&
                         quant.delta_q_v_ac == 0;
  const bool matrices =
      Has(quant.flags, V4L2_AV1_QUANTIZATION_FLAG_USING_QMATRIX);
  frame.coded_lossless = true;
  for (int i = 0; i < kSegments; ++i) {
    SegmentParams& segment = frame.segments[i];
    segment = {};
    if (frame.segmentation_enabled) {
      segment.feature_enabled = from.feature_enabled[i];
      std::copy_n(from.feature_data[i], kSegmentFeatures, segment.feature_data);
    }
    if (segment.feature_enabled != 0) frame.last_active_seg_id = i;
    if (segment.feature_enabled >> SEG_LVL_REF_FRAME != 0)
      frame.seg_id_pre_skip = true;
    segment.qindex = quant.base_q_idx;
    if (segment.Active(SEG_LVL_ALT_Q)) {
      segment.qindex = std::clamp(
          segment.qindex + segment.feature_data[SEG_LVL_ALT_Q], 0, 255);
    }
    segment.lossless = segment.qindex == 0 && no_deltas;
    if (!segment.lossless) frame.coded_lossless = false;
    const bool matrix = matrices && !segment.lossless;
    segment.qm_level[0] = matrix ? quant.qm_y : 15;
    segment.qm_level[1] = matrix ? quant.qm_u : 15;
    segment.qm_level[2] = matrix ? quant.qm_v : 15;
  }
  frame.all_lossless =
      frame.coded_lossless &&
      frame.header.upscaled_width == frame.header.frame_width_minus_1 + 1;
}

// What lossless frames and those with intrabc leave out.
void DeriveTools(FrameState& frame) {
  const v4l2_ctrl_av1_frame& header = frame.header;
  const uint8_t quant = header.quantization.flags;
  const uint8_t filter = header.loop_filter.flags;
  frame.delta_q_present =
      header.quantization.base_q_idx > 0 &&
      Has(quant, V4L2_AV1_QUANTIZATION_FLAG_DELTA_Q_PRESENT);
  frame.delta_q_res = header.quantization.delta_q_res;
  frame.delta_lf_present =
      frame.delta_q_present && !frame.allow_intrabc &&
      Has(filter, V4L2_AV1_LOOP_FILTER_FLAG_DELTA_LF_PRESENT);
  frame.delta_lf_multi = frame.delta_lf_present &&
                         Has(filter, V4L2_AV1_LOOP_FILTER_FLAG_DELTA_LF_MULTI);
  frame.delta_lf_res = header.loop_filter.delta_lf_res;
  frame.tx_mode =
      frame.coded_lossless ? ONLY_4X4 : TxMode(uint8_t(header.tx_mode));
  frame.enable_cdef =
      Has(frame.sequence.flags, V4L2_AV1_SEQUENCE_FLAG_ENABLE_CDEF) &&
      !frame.coded_lossless && !frame.allow_intrabc;
  const bool restores =
      Has(frame.sequence.flags, V4L2_AV1_SEQUENCE_FLAG_ENABLE_RESTORATION) &&
      !frame.all_lossless && !frame.allow_intrabc;
  for (int i = 0; i < kComponents; ++i) {
    const bool plane = restores && i < frame.num_planes;
    frame.restoration_type[i] =
        plane ? uint8_t(header.loop_restoration.frame_restoration_type[i])
              : uint8_t(V4L2_AV1_FRAME_RESTORE_NONE);
  }
}

void DeriveOrderHints(const std::array<std::shared_ptr<const PictureData>,
                                       kTotalRefs>& references,
                      FrameState& frame) {
  const uint32_t mask = (1u << frame.order_hint_bits) - 1;
  frame.order_hint = int(frame.header.order_hint & mask);
  frame.order_hints[INTRA_FRAME] = frame.order_hint;
  frame.ref_frame_sign_bias[INTRA_FRAME] = false;
  for (int ref = LAST_FRAME; ref <= ALTREF_FRAME; ++ref) {
    const PictureData* const data = references[size_t(ref)].get();
    const uint32_t hint =
        data != nullptr ? data->order_hint : frame.header.order_hints[ref];
    frame.order_hints[ref] = frame.frame_is_intra ? 0 : int(hint & mask);
    const int distance =
        RelativeDistance(frame, frame.order_hints[ref], frame.order_hint);
    frame.ref_frame_sign_bias[ref] = distance > 0;
    frame.stored_distance[ref] = StoredDistance(frame, frame.order_hints[ref]);
  }
}

// 5.9.22, but for the flag: the nearest reference on either side, or the two
// nearest before the frame.
void DeriveSkipMode(FrameState& frame) {
  frame.skip_mode_present = false;
  if (!Has(frame.header.flags, V4L2_AV1_FRAME_FLAG_SKIP_MODE_PRESENT) ||
      !frame.reference_select || frame.order_hint_bits == 0) {
    return;
  }
  const auto distance = [&](int a, int b) {
    return RelativeDistance(frame, a, b);
  };
  const int* const hints = frame.order_hints;
  int forward = 0, backward = 0, second = 0;  // reference names; 0: none
  for (int ref = LAST_FRAME; ref <= ALTREF_FRAME; ++ref) {
    const int to_frame = distance(hints[ref], frame.order_hint);
    if (to_frame < 0 &&
        (forward == 0 || distance(hints[ref], hints[forward]) > 0)) {
      forward = ref;
    }
    if (to_frame > 0 &&
        (backward == 0 || distance(hints[ref], hints[backward]) < 0)) {
      backward = ref;
    }
  }
  if (forward == 0) return;
  if (backward == 0) {
    for (int ref = LAST_FRAME; ref <= ALTREF_FRAME; ++ref) {
      if (distance(hints[ref], hints[forward]) < 0 &&
          (second == 0 || distance(hints[ref], hints[second]) > 0)) {
        second = ref;
      }
    }
    if (second == 0) return;
    backward = second;
  }
  frame.skip_mode_present = true;
  frame.skip_mode_frame[0] = int8_t(std::min(forward, backward));
  frame.skip_mode_frame[1] = int8_t(std::max(forward, backward));
}

void DeriveGlobalMotion(FrameState& frame) {
  for (int ref = LAST_FRAME; ref <= ALTREF_FRAME; ++ref) {
    const v4l2_av1_global_motion& from = frame.header.global_motion;
    frame.gm_type[ref] =
        frame.frame_is_intra ? IDENTITY : GmType(uint8_t(from.type[ref]));
    WarpMatrix& matrix = frame.gm_params[ref];
    matrix = {};
    matrix.params[2] = matrix.params[5] = 1 << kWarpedModelPrecBits;
    if (frame.gm_type[ref] != IDENTITY)
      std::copy_n(from.params[ref], 6, matrix.params);
    frame.gm_valid[ref] = SetUpShear(&matrix);
  }
}

// Where tiles begin, 4x4 units, from how many superblocks each has.
Status PlaceTiles(const char* what, std::span<const uint32_t> minus_1,
                  const FrameState& frame, int mi_end,
                  std::span<int> mi_starts) {
  int64_t mi = 0;
  for (size_t i = 0; i < minus_1.size(); ++i) {
    if (mi >= mi_end) break;
    mi_starts[i] = int(mi);
    mi += (int64_t{minus_1[i]} + 1) * frame.sb_size4;
    if (i + 1 < minus_1.size() && mi >= mi_end) mi = INT32_MAX;
  }
  if (mi < mi_end || mi - mi_end >= frame.sb_size4) {
    return Invalid(
        std::string(what) +
        ": the tiles' superblocks are not the "
        "frame's " +
        std::to_string((mi_end + frame.sb_size4 - 1) / frame.sb_size4));
  }
  mi_starts[minus_1.size()] = mi_end;
  return Status::Ok();
}

Status DeriveTiles(FrameState& frame) {
  const v4l2_av1_tile_info& info = frame.header.tile_info;
  frame.tile_cols = info.tile_cols;
  frame.tile_rows = info.tile_rows;
  const uint32_t tiles = uint32_t(frame.tile_cols) * uint32_t(frame.tile_rows);
  if (frame.context_update_tile_id >= tiles) {
    return Invalid("context_update_tile_id is " +
                   std::to_string(frame.context_update_tile_id) + " of " +
                   std::to_string(tiles) + " tiles");
  }
  Status status =
      PlaceTiles("width_in_sbs_minus_1",
                 {info.width_in_sbs_minus_1, size_t(frame.tile_cols)}, frame,
                 frame.mi_cols, frame.mi_col_starts);
  if (!status.ok()) return status;
  return PlaceTiles("height_in_sbs_minus_1",
                    {info.height_in_sbs_minus_1, size_t(frame.tile_rows)},
                    frame, frame.mi_rows, frame.mi_row_starts);
}

void SetUpCdef(const FrameState& frame, Params* av1) {
  const v4l2_av1_cdef& cdef = frame.header.cdef;
  av1->cdef_damping = frame.enable_cdef ? cdef.damping_minus_3 + 3u : 3;
  av1->cdef_bits = frame.enable_cdef ? cdef.bits : 0;
  if (!frame.enable_cdef) return;
  // A coded 3 stands for 4; some clients send it as it is coded.
  const auto strength = [](uint8_t primary, uint8_t secondary) {
    return PackCdefStrength(primary, secondary == 3 ? 4 : secondary);
  };
  for (int i = 0; i < 1 << cdef.bits; ++i) {
    av1->cdef_y_strength[i] =
        strength(cdef.y_pri_strength[i], cdef.y_sec_strength[i]);
    if (frame.num_planes > 1) {
      av1->cdef_uv_strength[i] =
          strength(cdef.uv_pri_strength[i], cdef.uv_sec_strength[i]);
    }
    if (av1->cdef_y_strength[i] != 0 || av1->cdef_uv_strength[i] != 0)
      av1->cdef_on = 1;
  }
}

// Units of a plane in one direction (7.17, unitRows and unitCols).
uint32_t UnitCount(uint32_t size, uint32_t unit_size) {
  return std::max((size + (unit_size >> 1)) / unit_size, 1u);
}

void SetUpRestoration(const FrameState& frame, Params* av1) {
  uint32_t first = 0;
  for (int i = 0; i < kComponents; ++i) {
    RestorationPlane& plane = av1->restoration[i];
    plane.type = frame.restoration_type[i] != V4L2_AV1_FRAME_RESTORE_NONE;
    if (plane.type == 0) continue;
    const uint32_t ss_x = i > 0 ? uint32_t(frame.subsampling_x) : 0;
    const uint32_t ss_y = i > 0 ? uint32_t(frame.subsampling_y) : 0;
    const uint32_t width = frame.header.upscaled_width;
    const uint32_t height = frame.header.frame_height_minus_1 + 1;
    plane.unit_size = frame.header.loop_restoration.loop_restoration_size[i];
    plane.unit_cols = UnitCount((width + ss_x) >> ss_x, plane.unit_size);
    plane.unit_rows = UnitCount((height + ss_y) >> ss_y, plane.unit_size);
    plane.first = first;
    first += plane.unit_cols * plane.unit_rows;
  }
}

}  // namespace

std::shared_ptr<const PictureData> DataOf(const PicturePtr& picture) {
  if (picture == nullptr) return nullptr;
  return std::static_pointer_cast<const PictureData>(picture->codec_data);
}

Status DeriveFrame(const std::array<std::shared_ptr<const PictureData>,
                                    kTotalRefs>& references,
                   FrameState* frame) {
  DeriveFlags(*frame);
  if (frame->frame_is_intra || frame->error_resilient)
    frame->header.primary_ref_frame = kPrimaryRefNone;
  DeriveSegments(*frame);
  DeriveTools(*frame);
  DeriveOrderHints(references, *frame);
  DeriveSkipMode(*frame);
  DeriveGlobalMotion(*frame);
  return DeriveTiles(*frame);
}

void SetUpParams(const FrameState& frame, FrameParams* params, Params* av1) {
  const v4l2_ctrl_av1_frame& header = frame.header;
  const uint32_t sb_log2 = frame.use_128x128_superblock ? 7 : 6;
  const auto superblocks = [&](uint32_t size) {
    return (size + (1u << sb_log2) - 1) >> sb_log2;
  };
  *params = {.width = header.frame_width_minus_1 + 1,
             .height = header.frame_height_minus_1 + 1,
             .sb_cols = superblocks(header.frame_width_minus_1 + 1),
             .sb_rows = superblocks(header.frame_height_minus_1 + 1),
             .sb_log2 = sb_log2,
             .bit_depth = uint32_t(frame.bit_depth),
             .subsampling_x = uint32_t(frame.subsampling_x),
             .subsampling_y = uint32_t(frame.subsampling_y),
             .references = {}};
  *av1 = {};
  av1->mi_cols = uint32_t(frame.mi_cols);
  av1->mi_rows = uint32_t(frame.mi_rows);
  av1->upscaled_width = header.upscaled_width;
  av1->superres_denom = header.superres_denom;
  av1->monochrome = frame.num_planes == 1;
  av1->filters_intra_edges = Has(
      frame.sequence.flags, V4L2_AV1_SEQUENCE_FLAG_ENABLE_INTRA_EDGE_FILTER);
  av1->order_hint_bits = uint32_t(frame.order_hint_bits);
  const bool filtered = !frame.coded_lossless && !frame.allow_intrabc;
  for (int i = 0; filtered && i < 2 + (frame.num_planes - 1); ++i)
    av1->loop_filter_level[i] = header.loop_filter.level[i];
  av1->loop_filter_sharpness = header.loop_filter.sharpness;
  av1->allow_intrabc = frame.allow_intrabc;
  SetUpCdef(frame, av1);
  SetUpRestoration(frame, av1);
  for (int i = 0; i < PERDIX_AV1_REFS; ++i) {
    const int ref = i + LAST_FRAME;
    ReferenceScale& reference = av1->references[i];
    const int distance =
        RelativeDistance(frame, frame.order_hints[ref], frame.order_hint);
    reference.distance =
        uint32_t(std::min(std::abs(distance), kMaxFrameDistance));
    reference.warps = frame.gm_type[ref] > TRANSLATION && frame.gm_valid[ref];
    reference.global = frame.gm_params[ref];
  }
}

void LeaveOutPasses(Controls controls, Params* av1) {
  LeaveOutControl left_out;
  if (!ReadControl(controls, kLeaveOutControl, &left_out).ok()) return;
  if (left_out.passes & kLeaveOutDeblock)
    av1->loop_filter_level[0] = av1->loop_filter_level[1] = 0;
  if (left_out.passes & kLeaveOutCdef) av1->cdef_on = 0;
  if (left_out.passes & kLeaveOutRestoration) {
    for (RestorationPlane& plane : av1->restoration) plane.type = 0;
  }
}

bool SetUpReference(const FrameParams& params, uint32_t width, uint32_t height,
                    ReferenceScale* scale) {
  if (width == 0 || height == 0 || 2 * params.width < width ||
      2 * params.height < height || params.width > 16 * width ||
      params.height > 16 * height) {
    return false;
  }
  const auto ratio = [](uint32_t reference, uint32_t size) {
    return ((reference << kRefScaleShift) + size / 2) / size;
  };
  const auto step = [](uint32_t scaled) { return (scaled + 8) >> 4; };
  scale->x_scale = ratio(width, params.width);
  scale->y_scale = ratio(height, params.height);
  scale->x_step = step(scale->x_scale);
  scale->y_step = step(scale->y_scale);
  return true;
}

Status FindTiles(const FrameRequest& request, const FrameState& frame,
                 std::vector<std::span<const uint8_t>>* tiles) {
  using Entry = v4l2_ctrl_av1_tile_group_entry;
  std::span<const uint8_t> entries;
  Status status = FindControl(
      request.controls, V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY, &entries);
  if (!status.ok()) return status;
  const size_t count = size_t(frame.tile_cols) * size_t(frame.tile_rows);
  tiles->assign(count, {});
  const std::span<const uint8_t> data = request.bitstream;
  for (size_t i = 0; i + sizeof(Entry) <= entries.size(); i += sizeof(Entry)) {
    Entry entry;
    std::memcpy(&entry, entries.data() + i, sizeof(entry));
    if (entry.tile_row >= uint32_t(frame.tile_rows) ||
        entry.tile_col >= uint32_t(frame.tile_cols)) {
      return Invalid("tile " + std::to_string(entry.tile_row) + "," +
                     std::to_string(entry.tile_col) + " of a frame of " +
                     std::to_string(frame.tile_rows) + "x" +
                     std::to_string(frame.tile_cols));
    }
    std::span<const uint8_t>& tile =
        (*tiles)[entry.tile_row * size_t(frame.tile_cols) + entry.tile_col];
    if (!tile.empty()) {
      return Invalid("tile " + std::to_string(entry.tile_row) + "," +
                     std::to_string(entry.tile_col) + " comes twice");
    }
    if (entry.tile_size == 0 || entry.tile_offset > data.size() ||
        entry.tile_size > data.size() - entry.tile_offset) {
      return Invalid("a tile of " + std::to_string(entry.tile_size) +
                     " bytes at " + std::to_string(entry.tile_offset) + " of " +
                     std::to_string(data.size()));
    }
    tile = data.subspan(entry.tile_offset, entry.tile_size);
  }
  for (size_t i = 0; i < count; ++i) {
    if ((*tiles)[i].empty()) {
      return Invalid("tile " + std::to_string(i / size_t(frame.tile_cols)) +
                     "," + std::to_string(i % size_t(frame.tile_cols)) +
                     " is missing");
    }
  }
  return status;
}

}  // namespace perdix::av1
