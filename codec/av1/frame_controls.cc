// SPDX-License-Identifier: BSD-2-Clause
// The controls of a frame, and the values that they may have (5.5, 5.9).
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "codec/av1/frame_setup.h"
#include "codec/av1/private_controls.h"
#include "codec/controls.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kSuperresNum = 8;  // SUPERRES_NUM
constexpr uint32_t kMaxSuperresDenom = 16;
constexpr uint32_t kLeastSuperresWidth = 16;

Status Invalid(std::string what) {
  return {StatusCode::kInvalidArgument, std::move(what)};
}

Status OutOfRange(const char* what, int64_t value, int64_t least,
                  int64_t most) {
  return Invalid(std::string(what) + " is " + std::to_string(value) +
                 ", allowed: " + std::to_string(least) + " to " +
                 std::to_string(most));
}

// A field and the values that it may have.
struct Limit {
  const char* what;
  int64_t value, least, most;
};

Status CheckLimits(std::span<const Limit> limits) {
  for (const Limit& limit : limits) {
    if (limit.value < limit.least || limit.value > limit.most)
      return OutOfRange(limit.what, limit.value, limit.least, limit.most);
  }
  return Status::Ok();
}

bool Has(uint32_t flags, uint32_t flag) { return (flags & flag) != 0; }

// What a client wrote into an enum, which is not read as one before it is
// checked: C++ has no values of enums far from the enumerators.
template <typename Enum>
int64_t Unchecked(const Enum& field) {
  uint32_t value;
  static_assert(sizeof(field) == sizeof(value));
  std::memcpy(&value, &field, sizeof(value));
  return value;
}

Status CheckSequence(const v4l2_ctrl_av1_sequence& sequence) {
  const Limit limits[] = {
      {"seq_profile", sequence.seq_profile, 0, 2},
      {"order_hint_bits", sequence.order_hint_bits, 0, 8},
  };
  Status status = CheckLimits(limits);
  if (!status.ok()) return status;
  const uint8_t depth = sequence.bit_depth;
  if (depth != 8 && depth != 10 && depth != 12) {
    return Invalid("bit_depth is " + std::to_string(depth) +
                   ", allowed: 8, 10, 12");
  }
  if (!Has(sequence.flags, V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X) &&
      Has(sequence.flags, V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_Y)) {
    return Invalid("chroma is subsampled vertically alone: there is no 4:4:0");
  }
  return status;
}

// What superresolution makes of upscaled_width (5.9.8). Every decoder keeps the
// width of 16, which the specification lacks.
uint32_t FrameWidth(const v4l2_ctrl_av1_frame& header) {
  const uint32_t denominator = header.superres_denom;
  const uint32_t width =
      (header.upscaled_width * kSuperresNum + denominator / 2) / denominator;
  return std::max(width, std::min(header.upscaled_width, kLeastSuperresWidth));
}

// The frame's width and the denominator that is not coded follow from the rest.
// Clients that derive them differ in them, so theirs are not looked at.
Status DeriveSize(v4l2_ctrl_av1_frame* header) {
  if (!Has(header->flags, V4L2_AV1_FRAME_FLAG_USE_SUPERRES))
    header->superres_denom = kSuperresNum;
  const Limit limits[] = {
      {"frame_height_minus_1", header->frame_height_minus_1, 0, 65535},
      {"upscaled_width", header->upscaled_width, 1, 65536},
      {"superres_denom", header->superres_denom, kSuperresNum,
       kMaxSuperresDenom},
  };
  const Status status = CheckLimits(limits);
  if (status.ok()) header->frame_width_minus_1 = FrameWidth(*header) - 1;
  return status;
}

Status CheckSegmentation(const v4l2_av1_segmentation& segmentation) {
  for (const auto& data : segmentation.feature_data) {
    const Limit limits[] = {
        {"segment's quantizer", data[SEG_LVL_ALT_Q], -255, 255},
        {"segment's luma level", data[SEG_LVL_ALT_LF_Y_V], -63, 63},
        {"segment's luma level", data[SEG_LVL_ALT_LF_Y_H], -63, 63},
        {"segment's U level", data[SEG_LVL_ALT_LF_U], -63, 63},
        {"segment's V level", data[SEG_LVL_ALT_LF_V], -63, 63},
        {"segment's reference", data[SEG_LVL_REF_FRAME], 0, 7},
    };
    const Status status = CheckLimits(limits);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status CheckLoopFilter(const v4l2_av1_loop_filter& filter) {
  for (const uint8_t level : filter.level) {
    if (level > 63) return OutOfRange("loop filter level", level, 0, 63);
  }
  for (const int8_t delta : filter.ref_deltas) {
    if (delta < -64 || delta > 63)
      return OutOfRange("loop filter delta", delta, -64, 63);
  }
  for (const int8_t delta : filter.mode_deltas) {
    if (delta < -64 || delta > 63)
      return OutOfRange("loop filter delta", delta, -64, 63);
  }
  const Limit limits[] = {
      {"loop filter sharpness", filter.sharpness, 0, 7},
      {"delta_lf_res", filter.delta_lf_res, 0, 3},
  };
  return CheckLimits(limits);
}

Status CheckCdef(const v4l2_av1_cdef& cdef) {
  for (int i = 0; i < V4L2_AV1_CDEF_MAX; ++i) {
    const Limit limits[] = {
        {"cdef_y_pri_strength", cdef.y_pri_strength[i], 0, 15},
        {"cdef_y_sec_strength", cdef.y_sec_strength[i], 0, 4},
        {"cdef_uv_pri_strength", cdef.uv_pri_strength[i], 0, 15},
        {"cdef_uv_sec_strength", cdef.uv_sec_strength[i], 0, 4},
    };
    const Status status = CheckLimits(limits);
    if (!status.ok()) return status;
  }
  const Limit limits[] = {
      {"cdef_damping_minus_3", cdef.damping_minus_3, 0, 3},
      {"cdef_bits", cdef.bits, 0, 3},
  };
  return CheckLimits(limits);
}

Status CheckRestoration(const v4l2_av1_loop_restoration& restoration) {
  for (int i = 0; i < kComponents; ++i) {
    const int64_t type = Unchecked(restoration.frame_restoration_type[i]);
    if (type < 0 || type > V4L2_AV1_FRAME_RESTORE_SWITCHABLE)
      return OutOfRange("frame_restoration_type", type, 0, 3);
    const uint32_t size = restoration.loop_restoration_size[i];
    if (type != V4L2_AV1_FRAME_RESTORE_NONE && size != 32 && size != 64 &&
        size != 128 && size != 256) {
      return Invalid("loop_restoration_size is " + std::to_string(size) +
                     ", allowed: 32, 64, 128, 256");
    }
  }
  return Status::Ok();
}

Status CheckQuantization(const v4l2_av1_quantization& quantization) {
  const Limit limits[] = {
      {"qm_y", quantization.qm_y, 0, 15},
      {"qm_u", quantization.qm_u, 0, 15},
      {"qm_v", quantization.qm_v, 0, 15},
      {"delta_q_res", quantization.delta_q_res, 0, 3},
      {"delta_q_y_dc", quantization.delta_q_y_dc, -64, 63},
      {"delta_q_u_dc", quantization.delta_q_u_dc, -64, 63},
      {"delta_q_u_ac", quantization.delta_q_u_ac, -64, 63},
      {"delta_q_v_dc", quantization.delta_q_v_dc, -64, 63},
      {"delta_q_v_ac", quantization.delta_q_v_ac, -64, 63},
  };
  return CheckLimits(limits);
}

Status CheckHeader(const v4l2_ctrl_av1_frame& header) {
  const Limit limits[] = {
      {"frame_type", Unchecked(header.frame_type), 0, 3},
      {"interpolation_filter", Unchecked(header.interpolation_filter), 0, 4},
      {"tx_mode", Unchecked(header.tx_mode), 0, 2},
      {"primary_ref_frame", header.primary_ref_frame, 0, kPrimaryRefNone},
      {"tile_cols", header.tile_info.tile_cols, 1, kMaxTileCols},
      {"tile_rows", header.tile_info.tile_rows, 1, kMaxTileRows},
  };
  Status status = CheckLimits(limits);
  if (status.ok()) status = CheckSegmentation(header.segmentation);
  if (status.ok()) status = CheckLoopFilter(header.loop_filter);
  if (status.ok()) status = CheckCdef(header.cdef);
  if (status.ok()) status = CheckRestoration(header.loop_restoration);
  if (status.ok()) status = CheckQuantization(header.quantization);
  for (int i = 0; status.ok() && i < kTotalRefs; ++i) {
    const int64_t type = Unchecked(header.global_motion.type[i]);
    if (type < IDENTITY || type > AFFINE)
      status = OutOfRange("gm_type", type, IDENTITY, AFFINE);
  }
  if (!status.ok() || header.frame_type == V4L2_AV1_KEY_FRAME ||
      header.frame_type == V4L2_AV1_INTRA_ONLY_FRAME) {
    return status;
  }
  for (const int8_t index : header.ref_frame_idx) {
    if (status.ok() && (index < 0 || index >= kTotalRefs))
      status = OutOfRange("ref_frame_idx", index, 0, kTotalRefs - 1);
  }
  return status;
}

}  // namespace

Status ReadControls(const FrameRequest& request, FrameState* frame) {
  Status status = ReadControl(request.controls, V4L2_CID_STATELESS_AV1_SEQUENCE,
                              &frame->sequence);
  if (status.ok()) {
    status = ReadControl(request.controls, V4L2_CID_STATELESS_AV1_FRAME,
                         &frame->header);
  }
  frame->context_update_tile_id =
      frame->header.tile_info.context_update_tile_id;
  ContextTileControl context;
  if (ReadControl(request.controls, kContextTileControl, &context).ok())
    frame->context_update_tile_id = context.id;
  if (status.ok()) status = CheckSequence(frame->sequence);
  if (status.ok()) status = DeriveSize(&frame->header);
  if (status.ok()) status = CheckHeader(frame->header);
  return status;
}

}  // namespace perdix::av1
