// SPDX-License-Identifier: BSD-2-Clause
// Modes of intra blocks, and what all blocks code before their modes: segment,
// skip, deltas (5.11.7 to 5.11.13, 5.11.18 to 5.11.24, 5.11.42 to 5.11.45).
#include "codec/av1/mode_info.h"

#include <algorithm>
#include <cstring>

#include "codec/av1/fill_context.h"
#include "codec/av1/tables.h"
#include "codec/av1/tile.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {
namespace {

constexpr int kMaxAngleDelta = 3;
constexpr int kDeltaSmall = 3;  // DELTA_Q_SMALL, DELTA_LF_SMALL
constexpr int kMaxLoopFilter = 63;

bool IsDirectional(int mode) { return mode >= V_PRED && mode <= D67_PRED; }

bool IsIntra(const ModeInfo& info) { return info.ref_frame[0] <= INTRA_FRAME; }

}  // namespace

// ---- frames of intra blocks only (5.11.7) ----

void TileDecoder::ReadIntraFrameModeInfo(Block& block) {
  ModeInfo& info = *block.info;
  info.ref_frame[0] = INTRA_FRAME;
  info.ref_frame[1] = NONE;
  if (frame_->seg_id_pre_skip) ReadIntraSegmentId(block);
  ReadSkip(block);
  if (!frame_->seg_id_pre_skip) ReadIntraSegmentId(block);
  ReadBlockParameters(block);
  if (frame_->allow_intrabc && symbol_.ReadBool(cdfs_.intrabc)) {
    return ReadIntraBlockCopy(block);
  }
  const auto context = [](const ModeInfo* neighbour) {
    return kIntraModeContext[neighbour != nullptr ? int(neighbour->y_mode)
                                                  : int(DC_PRED)];
  };
  ReadIntraModes(
      block,
      cdfs_.intra_frame_y_mode[context(block.above)][context(block.left)]);
}

void TileDecoder::ReadIntraBlockCopy(Block& block) {
  ModeInfo& info = *block.info;
  info.use_intrabc = 1;
  info.is_inter = 1;
  info.y_mode = DC_PRED;
  info.uv_mode = DC_PRED;
  info.motion_mode = SIMPLE;
  info.interp_filter[0] = info.interp_filter[1] = BILINEAR;
  block.compound_type = COMPOUND_AVERAGE;
  FindMvStack(block, false);
  AssignMv(block, false);
}

// ---- other frames (5.11.18) ----

void TileDecoder::ReadInterFrameModeInfo(Block& block) {
  ModeInfo& info = *block.info;
  ReadInterSegmentId(block, true);
  ReadSkipMode(block);
  if (info.skip_mode) {
    info.skip = 1;
  } else {
    ReadSkip(block);
  }
  if (!frame_->seg_id_pre_skip) ReadInterSegmentId(block, false);
  if (frame_->segmentation_enabled && frame_->segmentation_update_map) {
    StoreSegmentId(block);
  }
  ReadBlockParameters(block);
  ReadIsInter(block);
  if (info.is_inter) {
    ReadInterBlockModeInfo(block);
  } else {
    ReadIntraBlockModeInfo(block);
  }
}

void TileDecoder::ReadIntraBlockModeInfo(Block& block) {
  block.info->ref_frame[0] = INTRA_FRAME;
  block.info->ref_frame[1] = NONE;
  ReadIntraModes(block, cdfs_.y_mode[kSizeGroup[block.size]]);
}

inline void TileDecoder::ReadIsInter(Block& block) {
  ModeInfo& info = *block.info;
  if (info.skip_mode) {
    info.is_inter = 1;
  } else if (SegFeatureActive(block, SEG_LVL_REF_FRAME)) {
    info.is_inter =
        frame_->segments[info.segment_id].feature_data[SEG_LVL_REF_FRAME] !=
        INTRA_FRAME;
  } else if (SegFeatureActive(block, SEG_LVL_GLOBALMV)) {
    info.is_inter = 1;
  } else {
    int context = 0;
    if (block.avail_u && block.avail_l) {
      const int intra = IsIntra(*block.left) + IsIntra(*block.above);
      context = intra == 2 ? 3 : intra;
    } else if (block.avail_u || block.avail_l) {
      context = 2 * IsIntra(block.avail_u ? *block.above : *block.left);
    }
    info.is_inter = symbol_.ReadBool(cdfs_.is_inter[context]);
  }
}

// ---- modes of an intra block ----

void TileDecoder::ReadIntraModes(Block& block, Cdf<13>& y_mode_cdf) {
  ModeInfo& info = *block.info;
  info.y_mode = uint8_t(symbol_.Read(y_mode_cdf));
  block.angle_delta_y = int8_t(ReadAngleDelta(block, info.y_mode));
  if (block.has_chroma) {
    ReadUvMode(block);
    if (info.uv_mode == UV_CFL_PRED) ReadCflAlphas(block);
    block.angle_delta_uv = int8_t(ReadAngleDelta(block, info.uv_mode));
  }
  if (frame_->allow_screen_content_tools && block.size >= BLOCK_8X8 &&
      block.bw4 <= 16 && block.bh4 <= 16) {
    ReadPaletteModeInfo(block);
  }
  ReadFilterIntra(block);
}

int TileDecoder::ReadAngleDelta(const Block& block, int mode) {
  if (block.size < BLOCK_8X8 || !IsDirectional(mode)) return 0;
  return int(symbol_.Read(cdfs_.angle_delta[mode - V_PRED])) - kMaxAngleDelta;
}

void TileDecoder::ReadUvMode(Block& block) {
  ModeInfo& info = *block.info;
  const bool cfl_allowed =
      block.lossless ? kSubsampledSize[block.size][frame_->subsampling_x]
                                      [frame_->subsampling_y] == BLOCK_4X4
                     : std::max(block.bw4, block.bh4) <= 8;
  info.uv_mode = uint8_t(
      cfl_allowed ? symbol_.Read(cdfs_.uv_mode_cfl_allowed[info.y_mode])
                  : symbol_.Read(cdfs_.uv_mode_cfl_not_allowed[info.y_mode]));
}

void TileDecoder::ReadCflAlphas(Block& block) {
  constexpr int kZero = 0, kNegative = 1;  // CFL_SIGN_*
  const int signs = int(symbol_.Read(cdfs_.cfl_sign)) + 1;
  const int sign_u = signs / 3, sign_v = signs % 3;
  const auto read = [&](int sign, int other) {
    if (sign == kZero) return 0;
    const int alpha =
        1 + int(symbol_.Read(cdfs_.cfl_alpha[(sign - 1) * 3 + other]));
    return sign == kNegative ? -alpha : alpha;
  };
  block.cfl_alpha_u = read(sign_u, sign_v);
  block.cfl_alpha_v = read(sign_v, sign_u);
}

void TileDecoder::ReadFilterIntra(Block& block) {
  const ModeInfo& info = *block.info;
  if (!frame_->enable_filter_intra || info.y_mode != DC_PRED ||
      info.palette_size[0] != 0 || std::max(block.bw4, block.bh4) > 8) {
    return;
  }
  block.use_filter_intra = symbol_.ReadBool(cdfs_.filter_intra[block.size]);
  if (block.use_filter_intra) {
    block.filter_intra_mode = uint8_t(symbol_.Read(cdfs_.filter_intra_mode));
  }
}

// ---- segments ----

void TileDecoder::ReadIntraSegmentId(Block& block) {
  if (!frame_->segmentation_enabled) return;
  ReadSegmentId(block);
  StoreSegmentId(block);
}

void TileDecoder::ReadInterSegmentId(Block& block, bool pre_skip) {
  if (!frame_->segmentation_enabled) return;
  ModeInfo& info = *block.info;
  if (!frame_->segmentation_update_map) {
    info.segment_id = uint8_t(PredictedSegmentId(block));
    return;
  }
  if (pre_skip && !frame_->seg_id_pre_skip) return;
  const bool temporal = frame_->segmentation_temporal_update;
  if (temporal && (pre_skip || !info.skip)) {
    const int context = left_seg_pred_[block.mi_row & (kMaxSb4 - 1)] +
                        above_seg_pred_[size_t(block.mi_col - mi_col_begin_)];
    const bool predicted =
        symbol_.ReadBool(cdfs_.segment_id_predicted[context]);
    SetSegIdPredicted(block, predicted);
    if (predicted) {
      info.segment_id = uint8_t(PredictedSegmentId(block));
      return;
    }
  } else if (temporal) {
    SetSegIdPredicted(block, false);
  }
  ReadSegmentId(block);
}

// Before skip is read it is 0.
void TileDecoder::ReadSegmentId(Block& block) {
  const int up = block.avail_u ? block.above->segment_id : -1;
  const int left = block.avail_l ? block.left->segment_id : -1;
  const int up_left =
      block.avail_u && block.avail_l
          ? frame_->At(block.mi_row - 1, block.mi_col - 1)->segment_id
          : -1;
  int predicted = 0;
  if (up == -1) {
    predicted = std::max(left, 0);
  } else if (left == -1) {
    predicted = up;
  } else {
    predicted = up_left == up ? up : left;
  }
  ModeInfo& info = *block.info;
  if (info.skip) {
    info.segment_id = uint8_t(predicted);
    return;
  }
  int context = 0;
  if (up_left >= 0) {
    const int equal = (up_left == up) + (up_left == left) + (up == left);
    context = std::min(equal, 2);
  }
  const int coded = int(symbol_.Read(cdfs_.segment_id[context]));
  const int last = frame_->last_active_seg_id;
  const int id = NegDeinterleave(coded, predicted, last + 1);
  if (id < 0 || id > last) Fail("a segment id beyond the last with a feature");
  info.segment_id = uint8_t(std::clamp(id, 0, last));
}

// get_segment_id.
int TileDecoder::PredictedSegmentId(const Block& block) const {
  if (frame_->prev_segment_ids == nullptr) return 0;
  const size_t stride = size_t(frame_->mi_cols);
  const int width = std::min(block.bw4, frame_->mi_cols - block.mi_col);
  const int height = std::min(block.bh4, frame_->mi_rows - block.mi_row);
  const uint8_t* at = frame_->prev_segment_ids->data() +
                      size_t(block.mi_row) * stride + size_t(block.mi_col);
  uint8_t least = kSegments - 1;
  for (int row = 0; row < height; ++row, at += stride) {
    for (int col = 0; col < width; ++col) least = std::min(least, at[col]);
  }
  return least;
}

void TileDecoder::SetSegIdPredicted(const Block& block, bool predicted) {
  FillContext(&above_seg_pred_[size_t(block.mi_col - mi_col_begin_)], predicted,
              block.bw4);
  FillContext(&left_seg_pred_[block.mi_row & (kMaxSb4 - 1)], predicted,
              block.bh4);
}

void TileDecoder::StoreSegmentId(const Block& block) {
  const size_t stride = size_t(frame_->mi_cols);
  const int width = std::min(block.bw4, frame_->mi_cols - block.mi_col);
  const int height = std::min(block.bh4, frame_->mi_rows - block.mi_row);
  uint8_t* at = frame_->segment_ids.data() + size_t(block.mi_row) * stride +
                size_t(block.mi_col);
  for (int row = 0; row < height; ++row, at += stride) {
    std::memset(at, block.info->segment_id, size_t(width));
  }
}

// ---- skip ----

inline void TileDecoder::ReadSkipMode(Block& block) {
  if (!frame_->skip_mode_present || block.bw4 < 2 || block.bh4 < 2 ||
      SegFeatureActive(block, SEG_LVL_SKIP) ||
      SegFeatureActive(block, SEG_LVL_REF_FRAME) ||
      SegFeatureActive(block, SEG_LVL_GLOBALMV)) {
    return;
  }
  const int context = (block.avail_u ? block.above->skip_mode : 0) +
                      (block.avail_l ? block.left->skip_mode : 0);
  block.info->skip_mode = symbol_.ReadBool(cdfs_.skip_mode[context]);
}

inline void TileDecoder::ReadSkip(Block& block) {
  if (frame_->seg_id_pre_skip && SegFeatureActive(block, SEG_LVL_SKIP)) {
    block.info->skip = 1;
    return;
  }
  const int context = (block.avail_u ? block.above->skip : 0) +
                      (block.avail_l ? block.left->skip : 0);
  block.info->skip = symbol_.ReadBool(cdfs_.skip[context]);
}

// ---- CDEF's index, deltas ----

inline void TileDecoder::ReadBlockParameters(Block& block) {
  ModeInfo& info = *block.info;
  ReadCdef(block);
  if (read_deltas_) {
    const BlockSize superblock =
        frame_->use_128x128_superblock ? BLOCK_128X128 : BLOCK_64X64;
    if (block.size != superblock || !info.skip) {
      ReadDeltaQIndex();
      if (frame_->delta_lf_present) ReadDeltaLf();
    }
    read_deltas_ = false;
  }
  std::memcpy(info.delta_lf, delta_lf_, sizeof(delta_lf_));
  block.lossless = frame_->segments[info.segment_id].lossless;
}

// An absolute value of up to 512, then its sign.
int TileDecoder::ReadDelta(Cdf<4>& cdf) {
  int value = int(symbol_.Read(cdf));
  if (value == kDeltaSmall) {
    const int bits = int(symbol_.ReadLiteral(3)) + 1;
    value = int(symbol_.ReadLiteral(bits)) + (1 << bits) + 1;
  }
  return value != 0 && symbol_.ReadBit() != 0 ? -value : value;
}

void TileDecoder::ReadDeltaQIndex() {
  const int delta = ReadDelta(cdfs_.delta_q);
  if (delta == 0) return;
  current_qindex_ =
      std::clamp(current_qindex_ + delta * (1 << frame_->delta_q_res), 1, 255);
  SetQuantizers();
}

void TileDecoder::ReadDeltaLf() {
  int count = 1;
  if (frame_->delta_lf_multi) {
    count = frame_->num_planes > 1 ? kFrameLfCount : kFrameLfCount - 2;
  }
  for (int i = 0; i < count; ++i) {
    const int delta = ReadDelta(frame_->delta_lf_multi ? cdfs_.delta_lf_multi[i]
                                                       : cdfs_.delta_lf);
    delta_lf_[i] =
        int8_t(std::clamp(delta_lf_[i] + delta * (1 << frame_->delta_lf_res),
                          -kMaxLoopFilter, kMaxLoopFilter));
  }
}

int TileDecoder::QIndexOf(int segment_id) const {
  const SegmentParams& segment = frame_->segments[segment_id];
  const int qindex = frame_->delta_q_present
                         ? current_qindex_
                         : int(frame_->header.quantization.base_q_idx);
  if (!frame_->segmentation_enabled || !segment.Active(SEG_LVL_ALT_Q)) {
    return qindex;
  }
  return std::clamp(qindex + segment.feature_data[SEG_LVL_ALT_Q], 0, 255);
}

void TileDecoder::SetQuantizers() {
  const auto& header = frame_->header.quantization;
  const int dc_deltas[] = {header.delta_q_y_dc, header.delta_q_u_dc,
                           header.delta_q_v_dc};
  const int ac_deltas[] = {0, header.delta_q_u_ac, header.delta_q_v_ac};
  const int depth = (frame_->bit_depth - 8) >> 1;
  const int segments = frame_->segmentation_enabled ? kSegments : 1;
  for (int segment = 0; segment < segments; ++segment) {
    const int qindex = QIndexOf(segment);
    Quantizers& quantizers = quantizers_[segment];
    for (int i = 0; i < kComponents; ++i) {
      quantizers.dc[i] =
          kDcQlookup[depth][std::clamp(qindex + dc_deltas[i], 0, 255)];
      quantizers.ac[i] =
          kAcQlookup[depth][std::clamp(qindex + ac_deltas[i], 0, 255)];
    }
  }
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();
