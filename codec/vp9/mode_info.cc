// SPDX-License-Identifier: BSD-2-Clause
// A block's modes: segment, skip, transform size, intra modes, references,
// interpolation filter (VP9 6.4.5 to 6.4.20), with the contexts of VP9 9.3.
#include <algorithm>
#include <cstring>

#include "codec/vp9/tile.h"

namespace perdix::vp9 {

void TileDecoder::ReadIntraFrameModeInfo(const Block& block) {
  ModeInfo& info = *block.info;
  info.segment_id = uint8_t(ReadIntraSegmentId(block));
  info.skip = uint8_t(ReadSkip(block));
  info.tx_size = uint8_t(ReadTxSize(block, true));
  info.ref_frame[0] = INTRA_FRAME;
  info.ref_frame[1] = NONE;
  info.interp_filter = kSwitchableFilters;
  const int step_x = num_4x4_blocks_wide_lookup[info.size] == 1 ? 1 : 2;
  const int step_y = num_4x4_blocks_high_lookup[info.size] == 1 ? 1 : 2;
  for (int y = 0; y < 2; y += step_y) {
    for (int x = 0; x < 2; x += step_x) {
      const uint8_t mode = uint8_t(ReadDefaultIntraMode(block, y * 2 + x));
      for (int i = 0; i < step_y; ++i) {
        std::fill_n(&info.sub_modes[(y + i) * 2 + x], step_x, mode);
      }
    }
  }
  info.y_mode = info.sub_modes[3];
  info.uv_mode =
      uint8_t(bool_.ReadTree<intra_mode_tree>(kf_uv_mode_probs[info.y_mode]));
}

// default_intra_mode: by the modes of the 4x4 above and to the left.
int TileDecoder::ReadDefaultIntraMode(const Block& block, int index) {
  const uint8_t* modes = block.info->sub_modes;
  const auto outside = [](const ModeInfo* info, int i) {
    return info && !info->is_inter() ? int(info->sub_modes[i]) : int(DC_PRED);
  };
  const int above =
      index < 2 ? outside(block.above, index + 2) : modes[index - 2];
  const int left =
      index % 2 == 0 ? outside(block.left, index + 1) : modes[index - 1];
  return int(bool_.ReadTree<intra_mode_tree>(kf_y_mode_probs[above][left]));
}

void TileDecoder::ReadInterFrameModeInfo(const Block& block) {
  ModeInfo& info = *block.info;
  info.segment_id = uint8_t(ReadInterSegmentId(block));
  info.skip = uint8_t(ReadSkip(block));
  const bool is_inter = ReadIsInter(block);
  info.tx_size = uint8_t(ReadTxSize(block, !info.skip || !is_inter));
  if (is_inter) {
    ReadInterModes(block);
  } else {
    ReadIntraModes(block);
  }
}

int TileDecoder::ReadIntraMode(int size_group) {
  const int mode = int(bool_.ReadTree<intra_mode_tree>(
      frame_->probabilities.y_mode[size_group]));
  ++counts_.y_mode[size_group][mode];
  return mode;
}

void TileDecoder::ReadIntraModes(const Block& block) {
  ModeInfo& info = *block.info;
  info.ref_frame[0] = INTRA_FRAME;
  info.ref_frame[1] = NONE;
  info.interp_filter = kSwitchableFilters;
  const int group = size_group_lookup[info.size];
  const int step_x = num_4x4_blocks_wide_lookup[info.size] == 1 ? 1 : 2;
  const int step_y = num_4x4_blocks_high_lookup[info.size] == 1 ? 1 : 2;
  for (int y = 0; y < 2; y += step_y) {
    for (int x = 0; x < 2; x += step_x) {
      const uint8_t mode = uint8_t(ReadIntraMode(group));
      for (int i = 0; i < step_y; ++i) {
        std::fill_n(&info.sub_modes[(y + i) * 2 + x], step_x, mode);
      }
    }
  }
  info.y_mode = info.sub_modes[3];
  info.uv_mode = uint8_t(bool_.ReadTree<intra_mode_tree>(
      frame_->probabilities.uv_mode[info.y_mode]));
  ++counts_.uv_mode[info.y_mode][info.uv_mode];
}

// ---- segments ----

int TileDecoder::ReadSegmentTree() {
  return int(bool_.ReadTree<segment_tree>(frame_->segmentation.tree_probs));
}

void TileDecoder::SetSegmentIds(const Block& block, int segment_id) {
  for (int row = 0; row < block.visible_height; ++row) {
    const size_t first = size_t(block.mi_row + row) * size_t(frame_->mi_cols) +
                         size_t(block.mi_col);
    std::memset(&frame_->segment_ids[first], segment_id,
                size_t(block.visible_width));
  }
}

void TileDecoder::CopySegmentIds(const Block& block) {
  for (int row = 0; row < block.visible_height; ++row) {
    const size_t first = size_t(block.mi_row + row) * size_t(frame_->mi_cols) +
                         size_t(block.mi_col);
    std::memcpy(&frame_->segment_ids[first], &frame_->prev_segment_ids[first],
                size_t(block.visible_width));
  }
}

// get_segment_id: the smallest in the block's area of the previous map.
int TileDecoder::PredictedSegmentId(const Block& block) const {
  uint8_t smallest = kSegments - 1;
  for (int row = 0; row < block.visible_height; ++row) {
    const uint8_t* ids = &frame_->prev_segment_ids[size_t(block.mi_row + row) *
                                                       size_t(frame_->mi_cols) +
                                                   size_t(block.mi_col)];
    smallest =
        std::min(smallest, *std::min_element(ids, ids + block.visible_width));
  }
  return smallest;
}

int TileDecoder::ReadIntraSegmentId(const Block& block) {
  if (!frame_->segmentation.enabled) return 0;
  if (!frame_->segmentation.update_map) {
    CopySegmentIds(block);
    return 0;
  }
  const int segment_id = ReadSegmentTree();
  SetSegmentIds(block, segment_id);
  return segment_id;
}

int TileDecoder::ReadInterSegmentId(const Block& block) {
  const Segmentation& segmentation = frame_->segmentation;
  if (!segmentation.enabled) return 0;
  const int predicted = PredictedSegmentId(block);
  if (!segmentation.update_map) {
    CopySegmentIds(block);
    return predicted;
  }
  int segment_id = predicted;
  if (segmentation.temporal_update) {
    const int context = (block.above ? block.above->seg_id_predicted : 0) +
                        (block.left ? block.left->seg_id_predicted : 0);
    block.info->seg_id_predicted = Read(segmentation.pred_probs[context]);
  }
  if (!block.info->seg_id_predicted) segment_id = ReadSegmentTree();
  SetSegmentIds(block, segment_id);
  return segment_id;
}

// ---- skip, transform size, intra or inter ----

int TileDecoder::ReadSkip(const Block& block) {
  if (frame_->segmentation.Active(block.info->segment_id,
                                  V4L2_VP9_SEG_LVL_SKIP)) {
    return 1;
  }
  const int context = (block.above ? block.above->skip : 0) +
                      (block.left ? block.left->skip : 0);
  const int skip = Read(frame_->probabilities.skip[context]);
  ++counts_.skip[context][skip];
  return skip;
}

int TileDecoder::ReadTxSize(const Block& block, bool allow_select) {
  const int size = block.info->size;
  const int largest = max_txsize_lookup[size];
  const TxMode tx_mode = frame_->compressed.tx_mode;
  if (!allow_select || tx_mode != TxMode::kSelect || size < BLOCK_8X8) {
    return std::min<int>(largest, tx_mode_to_biggest_tx_size[size_t(tx_mode)]);
  }
  const auto neighbour = [largest](const ModeInfo* info) {
    return info != nullptr && !info->skip ? int(info->tx_size) : largest;
  };
  int above = neighbour(block.above);
  int left = neighbour(block.left);
  if (block.left == nullptr) left = above;
  if (block.above == nullptr) above = left;
  const int context = above + left > largest;
  const FrameContext& probs = frame_->probabilities;
  int tx_size = 0;
  if (largest == TX_32X32) {
    tx_size = int(bool_.ReadTree<tx_size_32_tree>(probs.tx_32x32[context]));
    ++counts_.tx_32x32[context][tx_size];
  } else if (largest == TX_16X16) {
    tx_size = int(bool_.ReadTree<tx_size_16_tree>(probs.tx_16x16[context]));
    ++counts_.tx_16x16[context][tx_size];
  } else {
    tx_size = int(bool_.ReadTree<tx_size_8_tree>(probs.tx_8x8[context]));
    ++counts_.tx_8x8[context][tx_size];
  }
  return tx_size;
}

bool TileDecoder::ReadIsInter(const Block& block) {
  const Segmentation& segmentation = frame_->segmentation;
  const int segment_id = block.info->segment_id;
  if (segmentation.Active(segment_id, V4L2_VP9_SEG_LVL_REF_FRAME)) {
    return segmentation.feature_data[segment_id][V4L2_VP9_SEG_LVL_REF_FRAME] !=
           INTRA_FRAME;
  }
  const bool above_intra = block.above && !block.above->is_inter();
  const bool left_intra = block.left && !block.left->is_inter();
  int context = above_intra || left_intra;
  if (block.above && block.left) {
    context = above_intra && left_intra ? 3 : context;
  } else {
    context *= 2;
  }
  const bool is_inter = Read(frame_->probabilities.is_inter[context]);
  ++counts_.is_inter[context][is_inter];
  return is_inter;
}

// ---- references ----

// What the contexts of comp_mode, comp_ref and single_ref look at.
struct TileDecoder::Neighbours {
  explicit Neighbours(const Block& block) {
    if (block.above) list[count++] = block.above;
    if (block.left) list[count++] = block.left;
    for (int i = 0; i < count; ++i) {
      intra += !list[i]->is_inter();
      compound += list[i]->is_compound();
    }
  }
  // The inter one of two, when one is intra; else the only one.
  const ModeInfo& Edge() const {
    return *list[count == 2 && !list[0]->is_inter() ? 1 : 0];
  }

  const ModeInfo* list[2] = {};
  int count = 0;
  int intra = 0;
  int compound = 0;
};

namespace {

bool Uses(const ModeInfo& info, int ref_frame) {
  return info.ref_frame[0] == ref_frame || info.ref_frame[1] == ref_frame;
}

template <typename Neighbours>
int CompModeContext(const Neighbours& n, int fixed_ref) {
  if (n.count == 0) return 1;
  const auto fixed = [fixed_ref](const ModeInfo* info) {
    return info->ref_frame[0] == fixed_ref;
  };
  if (n.count == 1) return n.compound ? 3 : fixed(n.list[0]);
  if (n.compound == 2) return 4;
  if (n.compound == 0) return fixed(n.list[0]) != fixed(n.list[1]);
  const ModeInfo* single = n.list[n.list[0]->is_compound() ? 1 : 0];
  return 2 + (fixed(single) || !single->is_inter());
}

template <typename Neighbours>
int CompRefContext(const Neighbours& n, const FrameState& frame) {
  const int variable = !frame.sign_bias[frame.comp_fixed_ref];
  const int var0 = frame.comp_var_ref[0], var1 = frame.comp_var_ref[1];
  const auto var_ref = [variable](const ModeInfo& info) -> int {
    return info.ref_frame[info.is_compound() ? variable : 0];
  };
  if (n.count == n.intra) return 2;
  if (n.count == 1) {
    const ModeInfo& edge = n.Edge();
    return (edge.is_compound() ? 4 : 3) * (var_ref(edge) != var1);
  }
  if (n.intra == 1) return 1 + 2 * (var_ref(n.Edge()) != var1);
  const int above = var_ref(*n.list[0]), left = var_ref(*n.list[1]);
  if (above == left && above == var1) return 0;
  if (n.compound == 2) return above == left ? 4 : 2;
  if (n.compound == 0) {
    const int fixed = frame.comp_fixed_ref;
    if ((above == fixed && left == var0) || (left == fixed && above == var0)) {
      return 4;
    }
    return above == left ? 3 : 1;
  }
  const bool above_compound = n.list[0]->is_compound();
  const int compound = above_compound ? above : left;
  const int single = above_compound ? left : above;
  if (compound == var1 && single != var1) return 1;
  if (single == var1 && compound != var1) return 2;
  return 4;
}

template <typename Neighbours>
int SingleRefP1Context(const Neighbours& n) {
  if (n.count == n.intra) return 2;
  if (n.count == 1 || n.intra == 1) {
    const ModeInfo& edge = n.Edge();
    return edge.is_compound() ? 1 + Uses(edge, LAST_FRAME)
                              : 4 * (edge.ref_frame[0] == LAST_FRAME);
  }
  const ModeInfo &above = *n.list[0], &left = *n.list[1];
  if (n.compound == 2) {
    return 1 + (Uses(above, LAST_FRAME) || Uses(left, LAST_FRAME));
  }
  if (n.compound == 0) {
    return 2 * (above.ref_frame[0] == LAST_FRAME) +
           2 * (left.ref_frame[0] == LAST_FRAME);
  }
  const ModeInfo& compound = above.is_compound() ? above : left;
  const ModeInfo& single = above.is_compound() ? left : above;
  return (single.ref_frame[0] == LAST_FRAME ? 3 : 0) +
         Uses(compound, LAST_FRAME);
}

template <typename Neighbours>
int SingleRefP2Context(const Neighbours& n) {
  if (n.count == n.intra) return 2;
  const auto single_edge = [](const ModeInfo& edge) {
    return 4 * (edge.ref_frame[0] == GOLDEN_FRAME);
  };
  if (n.count == 1 || n.intra == 1) {
    const ModeInfo& edge = n.Edge();
    if (edge.is_compound()) {
      const int used = Uses(edge, GOLDEN_FRAME);
      return n.count == 1 ? 3 * used : 1 + 2 * used;
    }
    if (edge.ref_frame[0] == LAST_FRAME) return n.count == 1 ? 2 : 3;
    return single_edge(edge);
  }
  const ModeInfo &above = *n.list[0], &left = *n.list[1];
  if (n.compound == 2) {
    const bool same = above.ref_frame[0] == left.ref_frame[0] &&
                      above.ref_frame[1] == left.ref_frame[1];
    return same ? 3 * Uses(above, GOLDEN_FRAME) : 2;
  }
  if (n.compound == 0) {
    const bool above_last = above.ref_frame[0] == LAST_FRAME;
    const bool left_last = left.ref_frame[0] == LAST_FRAME;
    if (above_last && left_last) return 3;
    if (above_last || left_last) return single_edge(above_last ? left : above);
    return 2 * (above.ref_frame[0] == GOLDEN_FRAME) +
           2 * (left.ref_frame[0] == GOLDEN_FRAME);
  }
  const ModeInfo& compound = above.is_compound() ? above : left;
  const ModeInfo& single = above.is_compound() ? left : above;
  const int used = Uses(compound, GOLDEN_FRAME);
  if (single.ref_frame[0] == GOLDEN_FRAME) return 3 + used;
  if (single.ref_frame[0] == ALTREF_FRAME) return used;
  return 1 + 2 * used;
}

}  // namespace

void TileDecoder::ReadRefFrames(const Block& block) {
  ModeInfo& info = *block.info;
  const FrameContext& probs = frame_->probabilities;
  const Segmentation& segmentation = frame_->segmentation;
  info.ref_frame[1] = NONE;
  if (segmentation.Active(info.segment_id, V4L2_VP9_SEG_LVL_REF_FRAME)) {
    info.ref_frame[0] = int8_t(
        segmentation.feature_data[info.segment_id][V4L2_VP9_SEG_LVL_REF_FRAME] &
        3);
    return;
  }
  const Neighbours neighbours(block);
  bool compound = frame_->compressed.reference_mode == ReferenceMode::kCompound;
  if (frame_->compressed.reference_mode == ReferenceMode::kSelect) {
    const int context = CompModeContext(neighbours, frame_->comp_fixed_ref);
    compound = Read(probs.comp_mode[context]);
    ++counts_.comp_mode[context][compound];
  }
  if (compound) {
    const int fixed = frame_->sign_bias[frame_->comp_fixed_ref];
    const int context = CompRefContext(neighbours, *frame_);
    const bool bit = Read(probs.comp_ref[context]);
    ++counts_.comp_ref[context][bit];
    info.ref_frame[fixed] = frame_->comp_fixed_ref;
    info.ref_frame[!fixed] = frame_->comp_var_ref[bit];
    return;
  }
  const int context1 = SingleRefP1Context(neighbours);
  const bool bit1 = Read(probs.single_ref[context1][0]);
  ++counts_.single_ref[context1][0][bit1];
  info.ref_frame[0] = LAST_FRAME;
  if (!bit1) return;
  const int context2 = SingleRefP2Context(neighbours);
  const bool bit2 = Read(probs.single_ref[context2][1]);
  ++counts_.single_ref[context2][1][bit2];
  info.ref_frame[0] = bit2 ? ALTREF_FRAME : GOLDEN_FRAME;
}

// ---- inter modes ----

int TileDecoder::ReadInterMode(int context) {
  const int leaf = int(bool_.ReadTree<inter_mode_tree>(
      frame_->probabilities.inter_mode[context]));
  ++counts_.inter_mode[context][leaf];
  return ZEROMV + leaf;
}

int TileDecoder::ReadInterpFilter(const Block& block) {
  if (frame_->interp_filter != V4L2_VP9_INTERP_FILTER_SWITCHABLE) {
    return frame_->interp_filter;
  }
  const int left = block.left ? block.left->interp_filter : kSwitchableFilters;
  const int above =
      block.above ? block.above->interp_filter : kSwitchableFilters;
  int context = kSwitchableFilters;
  if (left == above || above == kSwitchableFilters) {
    context = left;
  } else if (left == kSwitchableFilters) {
    context = above;
  }
  const int filter = int(bool_.ReadTree<interp_filter_tree>(
      frame_->probabilities.interp_filter[context]));
  ++counts_.interp_filter[context][filter];
  return filter;
}

void TileDecoder::ReadInterModes(const Block& block) {
  ModeInfo& info = *block.info;
  ReadRefFrames(block);
  for (int i = 0; i < 1 + info.is_compound(); ++i) {
    if (!frame_->reference_valid[info.ref_frame[i]]) {
      Fail(StatusCode::kMissingReference,
           "block predicts from a reference frame that is not intact, or whose "
           "size or format cannot be used,");
      return;
    }
  }
  const int mode_context = ModeContext(block);
  if (frame_->segmentation.Active(info.segment_id, V4L2_VP9_SEG_LVL_SKIP)) {
    info.y_mode = ZEROMV;
    if (info.size < BLOCK_8X8) {
      Fail(StatusCode::kInvalidBitstream,
           "segment with the skip feature on a block below 8x8");
      return;
    }
  } else if (info.size >= BLOCK_8X8) {
    info.y_mode = uint8_t(ReadInterMode(mode_context));
  }
  info.interp_filter = uint8_t(ReadInterpFilter(block));
  if (info.size < BLOCK_8X8) {
    ReadSubBlocks(block, mode_context);
    return;
  }
  const int references = 1 + info.is_compound();
  Mv best[2];
  for (int i = 0; i < references && info.y_mode != ZEROMV; ++i) {
    best[i] = BestMv(block, info.y_mode, info.ref_frame[i]);
  }
  if (!AssignMv(info.y_mode, references, best, info.mv[0])) return;
  for (int i = 1; i < 4; ++i) {
    std::copy_n(info.mv[0], 2, info.mv[i]);
  }
}

void TileDecoder::ReadSubBlocks(const Block& block, int mode_context) {
  ModeInfo& info = *block.info;
  const int references = 1 + info.is_compound();
  const int step_x = num_4x4_blocks_wide_lookup[info.size];
  const int step_y = num_4x4_blocks_high_lookup[info.size];
  bool have_new_best = false;
  Mv new_best[2];
  for (int y = 0; y < 2; y += step_y) {
    for (int x = 0; x < 2; x += step_x) {
      const int index = y * 2 + x;
      const int mode = ReadInterMode(mode_context);
      Mv best[2];
      for (int i = 0; i < references; ++i) {
        if (mode == NEARESTMV || mode == NEARMV) {
          best[i] = AppendSub8x8Mv(block, mode, index, i);
        } else if (mode == NEWMV && !have_new_best) {
          new_best[i] = BestMv(block, NEWMV, info.ref_frame[i]);
        }
      }
      have_new_best |= mode == NEWMV;
      if (!AssignMv(mode, references, mode == NEWMV ? new_best : best,
                    info.mv[index])) {
        return;
      }
      if (step_x == 2) std::copy_n(info.mv[index], 2, info.mv[index + 1]);
      if (step_y == 2) std::copy_n(info.mv[index], 2, info.mv[index + 2]);
      info.y_mode = uint8_t(mode);
    }
  }
}

}  // namespace perdix::vp9
