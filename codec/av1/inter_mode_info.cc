// SPDX-License-Identifier: BSD-2-Clause
// The modes of an inter block (5.11.23): references, prediction mode, motion
// mode, compound and inter-intra, interpolation filters; with the contexts of
// 8.3.2.
#include <algorithm>
#include <cstdlib>

#include "codec/av1/reference_scale.h"
#include "codec/av1/tables.h"
#include "codec/av1/tile.h"
#include "kernels/av1/lists.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {
namespace {

constexpr int kNoFilter = 3;  // of interp_filter's contexts

// What the contexts of a block's references look at: AboveRefFrame,
// LeftRefFrame and what follows from them. A side that is not available counts
// as intra.
struct Side {
  bool available;
  int ref0, ref1;
  bool intra, single;

  explicit Side(const ModeInfo* info)
      : available(info != nullptr),
        ref0(info != nullptr ? int{info->ref_frame[0]} : int{INTRA_FRAME}),
        ref1(info != nullptr ? int{info->ref_frame[1]} : int{NONE}),
        intra(ref0 <= INTRA_FRAME),
        single(ref1 <= INTRA_FRAME) {}

  bool compound_inter() const { return !intra && !single; }
};

bool IsBackward(int ref) { return ref >= BWDREF_FRAME; }  // check_backward

// ref_count_ctx.
int CompareCounts(int count0, int count1) {
  return count0 < count1 ? 0 : count0 == count1 ? 1 : 2;
}

// count_refs, and the contexts that compare such counts, named by the first
// syntax element that has them.
class ReferenceCounts {
 public:
  ReferenceCounts(const Side& above, const Side& left) {
    counts_ =
        One(above.ref0) + One(above.ref1) + One(left.ref0) + One(left.ref1);
  }

  int SingleRefP1() const {
    return CompareCounts(
        Of(LAST_FRAME) + Of(LAST2_FRAME) + Of(LAST3_FRAME) + Of(GOLDEN_FRAME),
        Of(BWDREF_FRAME) + Of(ALTREF2_FRAME) + Of(ALTREF_FRAME));
  }
  int CompRef() const {
    return CompareCounts(Of(LAST_FRAME) + Of(LAST2_FRAME),
                         Of(LAST3_FRAME) + Of(GOLDEN_FRAME));
  }
  int CompRefP1() const {
    return CompareCounts(Of(LAST_FRAME), Of(LAST2_FRAME));
  }
  int CompRefP2() const {
    return CompareCounts(Of(LAST3_FRAME), Of(GOLDEN_FRAME));
  }
  int CompBwdRef() const {
    return CompareCounts(Of(BWDREF_FRAME) + Of(ALTREF2_FRAME),
                         Of(ALTREF_FRAME));
  }
  int CompBwdRefP1() const {
    return CompareCounts(Of(BWDREF_FRAME), Of(ALTREF2_FRAME));
  }
  int UniCompRefP1() const {
    return CompareCounts(Of(LAST2_FRAME), Of(LAST3_FRAME) + Of(GOLDEN_FRAME));
  }

 private:
  static constexpr int kBits = 6;  // of each count, from NONE on
  static uint64_t One(int ref) { return uint64_t{1} << (kBits * (1 + ref)); }
  int Of(RefFrame ref) const {
    return int(counts_ >> (kBits * (1 + ref)) & ((1 << kBits) - 1));
  }

  uint64_t counts_;
};

int CompModeContext(const Side& above, const Side& left) {
  if (above.available && left.available) {
    if (above.single && left.single)
      return IsBackward(above.ref0) ^ IsBackward(left.ref0);
    if (above.single) return 2 + (IsBackward(above.ref0) || above.intra);
    if (left.single) return 2 + (IsBackward(left.ref0) || left.intra);
    return 4;
  }
  if (!above.available && !left.available) return 1;
  const Side& side = above.available ? above : left;
  return side.single ? IsBackward(side.ref0) : 3;
}

bool IsSamedirRefPair(int ref0, int ref1) {
  return IsBackward(ref0) == IsBackward(ref1);
}

int CompRefTypeContext(const Side& above, const Side& left) {
  const bool above_comp = above.compound_inter();
  const bool left_comp = left.compound_inter();
  const bool above_uni = above_comp && IsSamedirRefPair(above.ref0, above.ref1);
  const bool left_uni = left_comp && IsSamedirRefPair(left.ref0, left.ref1);
  if (!above.intra && !left.intra) {
    const bool samedir = IsSamedirRefPair(above.ref0, left.ref0);
    if (!above_comp && !left_comp) return 1 + 2 * samedir;
    if (!above_comp) return left_uni ? 3 + samedir : 1;
    if (!left_comp) return above_uni ? 3 + samedir : 1;
    if (!above_uni && !left_uni) return 0;
    if (!above_uni || !left_uni) return 2;
    return 3 + ((above.ref0 == BWDREF_FRAME) == (left.ref0 == BWDREF_FRAME));
  }
  if (above.available && left.available) {
    if (above_comp) return 1 + 2 * above_uni;
    if (left_comp) return 1 + 2 * left_uni;
    return 2;
  }
  if (above_comp) return 4 * above_uni;
  if (left_comp) return 4 * left_uni;
  return 2;
}

// What comp_group_idx and compound_idx count of a neighbour: its own value, or,
// with one reference, <altref> if that is ALTREF_FRAME.
int CompoundNeighbour(const ModeInfo* info, uint8_t ModeInfo::*value,
                      int altref) {
  if (info == nullptr) return 0;
  if (info->is_compound()) return info->*value;
  return info->ref_frame[0] == ALTREF_FRAME ? altref : 0;
}

// One reference of each direction.
void ReadBidirectionalRefs(SymbolDecoder& symbol, CdfContext& cdfs,
                           const ReferenceCounts& counts, int8_t* refs) {
  auto& comp_ref = cdfs.comp_ref;
  if (symbol.ReadBool(comp_ref[counts.CompRef()][0])) {
    refs[0] = symbol.ReadBool(comp_ref[counts.CompRefP2()][2]) ? GOLDEN_FRAME
                                                               : LAST3_FRAME;
  } else {
    refs[0] = symbol.ReadBool(comp_ref[counts.CompRefP1()][1]) ? LAST2_FRAME
                                                               : LAST_FRAME;
  }
  auto& comp_bwd_ref = cdfs.comp_bwd_ref;
  if (symbol.ReadBool(comp_bwd_ref[counts.CompBwdRef()][0])) {
    refs[1] = ALTREF_FRAME;
  } else {
    refs[1] = symbol.ReadBool(comp_bwd_ref[counts.CompBwdRefP1()][1])
                  ? ALTREF2_FRAME
                  : BWDREF_FRAME;
  }
}

void ReadUnidirectionalRefs(SymbolDecoder& symbol, CdfContext& cdfs,
                            const ReferenceCounts& counts, int8_t* refs) {
  auto& uni_comp_ref = cdfs.uni_comp_ref;
  if (symbol.ReadBool(uni_comp_ref[counts.SingleRefP1()][0])) {
    refs[0] = BWDREF_FRAME;
    refs[1] = ALTREF_FRAME;
    return;
  }
  refs[0] = LAST_FRAME;
  if (!symbol.ReadBool(uni_comp_ref[counts.UniCompRefP1()][1])) {
    refs[1] = LAST2_FRAME;
  } else {
    refs[1] = symbol.ReadBool(uni_comp_ref[counts.CompRefP2()][2])
                  ? GOLDEN_FRAME
                  : LAST3_FRAME;
  }
}

RefFrame ReadSingleRef(SymbolDecoder& symbol, CdfContext& cdfs,
                       const ReferenceCounts& counts) {
  auto& single_ref = cdfs.single_ref;
  if (symbol.ReadBool(single_ref[counts.SingleRefP1()][0])) {
    if (symbol.ReadBool(single_ref[counts.CompBwdRef()][1]))
      return ALTREF_FRAME;
    return symbol.ReadBool(single_ref[counts.CompBwdRefP1()][5]) ? ALTREF2_FRAME
                                                                 : BWDREF_FRAME;
  }
  if (symbol.ReadBool(single_ref[counts.CompRef()][2])) {
    return symbol.ReadBool(single_ref[counts.CompRefP2()][4]) ? GOLDEN_FRAME
                                                              : LAST3_FRAME;
  }
  return symbol.ReadBool(single_ref[counts.CompRefP1()][3]) ? LAST2_FRAME
                                                            : LAST_FRAME;
}

int InterpFilterOf(const ModeInfo* info, int ref, int dir) {
  if (info == nullptr ||
      (info->ref_frame[0] != ref && info->ref_frame[1] != ref)) {
    return kNoFilter;
  }
  return info->interp_filter[dir];
}

bool HasNearMv(int mode) {
  return mode == NEARMV || mode == NEAR_NEARMV || mode == NEAR_NEWMV ||
         mode == NEW_NEARMV;
}

}  // namespace

void TileDecoder::ReadInterBlockModeInfo(Block& block) {
  ModeInfo& info = *block.info;
  info.interp_filter[0] = info.interp_filter[1] = EIGHTTAP;
  info.motion_mode = SIMPLE;
  info.comp_group_idx = 0;
  info.compound_idx = 1;
  block.compound_type = COMPOUND_AVERAGE;
  ReadRefFrames(block);
  const bool compound = info.is_compound();
  for (int i = 0; i < 1 + compound; ++i) {
    if (!frame_->reference_valid[info.ref_frame[i]]) {
      return Fail(
          "prediction from a reference frame that is not intact, or whose size "
          "or format cannot be used,");
    }
  }
  FindMvStack(block, compound);
  ReadInterMode(block, compound);
  ReadDrlModes(block);
  AssignMv(block, compound);
  if (failure_ != nullptr) return;
  if (compound) {
    ReadCompoundType(block);
  } else {
    ReadInterIntraMode(block);
    ReadMotionMode(block);
  }
  ReadInterpFilters(block);
}

// ---- references (5.11.25) ----

inline void TileDecoder::ReadRefFrames(Block& block) {
  ModeInfo& info = *block.info;
  info.ref_frame[1] = NONE;
  if (info.skip_mode) {
    info.ref_frame[0] = frame_->skip_mode_frame[0];
    info.ref_frame[1] = frame_->skip_mode_frame[1];
    return;
  }
  if (frame_->segmentation_enabled) {
    const SegmentParams& segment = frame_->segments[info.segment_id];
    if (segment.Active(SEG_LVL_REF_FRAME)) {
      const int ref = segment.feature_data[SEG_LVL_REF_FRAME];
      info.ref_frame[0] =
          int8_t(std::clamp<int>(ref, LAST_FRAME, ALTREF_FRAME));
      return;
    }
    if (segment.Active(SEG_LVL_SKIP) || segment.Active(SEG_LVL_GLOBALMV)) {
      info.ref_frame[0] = LAST_FRAME;
      return;
    }
  }
  const Side above(block.above), left(block.left);
  const ReferenceCounts counts(above, left);
  if (!frame_->reference_select || std::min(block.bw4, block.bh4) < 2 ||
      !symbol_.ReadBool(cdfs_.comp_mode[CompModeContext(above, left)])) {
    info.ref_frame[0] = ReadSingleRef(symbol_, cdfs_, counts);
  } else if (symbol_.ReadBool(
                 cdfs_.comp_ref_type[CompRefTypeContext(above, left)])) {
    ReadBidirectionalRefs(symbol_, cdfs_, counts, info.ref_frame);
  } else {
    ReadUnidirectionalRefs(symbol_, cdfs_, counts, info.ref_frame);
  }
}

// ---- prediction mode ----

inline void TileDecoder::ReadInterMode(Block& block, bool compound) {
  ModeInfo& info = *block.info;
  if (info.skip_mode) {
    info.y_mode = NEAREST_NEARESTMV;
  } else if (SegFeatureActive(block, SEG_LVL_SKIP) ||
             SegFeatureActive(block, SEG_LVL_GLOBALMV)) {
    info.y_mode = GLOBALMV;
  } else if (compound) {
    const int context =
        kCompoundModeCtxMap[mv_stack_.ref_mv_context >> 1]
                           [std::min<int>(mv_stack_.new_mv_context, 4)];
    info.y_mode =
        uint8_t(NEAREST_NEARESTMV + symbol_.Read(cdfs_.compound_mode[context]));
  } else if (!symbol_.ReadBool(cdfs_.new_mv[mv_stack_.new_mv_context])) {
    info.y_mode = NEWMV;
  } else if (!symbol_.ReadBool(cdfs_.zero_mv[mv_stack_.zero_mv_context])) {
    info.y_mode = GLOBALMV;
  } else {
    info.y_mode = symbol_.ReadBool(cdfs_.ref_mv[mv_stack_.ref_mv_context])
                      ? NEARMV
                      : NEARESTMV;
  }
}

// Sets RefMvIdx.
inline void TileDecoder::ReadDrlModes(Block& block) {
  const int mode = block.info->y_mode;
  int index;  // of the first candidate that may be chosen
  if (mode == NEWMV || mode == NEW_NEWMV) {
    index = 0;
  } else if (HasNearMv(mode)) {
    index = 1;
  } else {
    block.ref_mv_idx = 0;
    return;
  }
  const int last = std::min(index + 2, mv_stack_.count - 1);
  while (index < last &&
         symbol_.ReadBool(cdfs_.drl_mode[mv_stack_.DrlContext(index)])) {
    ++index;
  }
  block.ref_mv_idx = uint8_t(index);
}

// ---- motion mode (5.11.27) ----

// is_scaled.
bool TileDecoder::IsScaled(int ref) const {
  return HasOtherSize(
      parsed_->codec_params.As<Params>().references[ref - LAST_FRAME]);
}

// has_overlappable_candidates (7.10.3).
inline bool TileDecoder::HasOverlappableCandidates(const Block& block) const {
  if (block.avail_u) {
    const int end = std::min(block.mi_col + block.bw4, frame_->mi_cols);
    for (int x4 = block.mi_col; x4 < end; x4 += 2) {
      if (frame_->At(block.mi_row - 1, x4 | 1)->ref_frame[0] > INTRA_FRAME)
        return true;
    }
  }
  if (block.avail_l) {
    const int end = std::min(block.mi_row + block.bh4, frame_->mi_rows);
    for (int y4 = block.mi_row; y4 < end; y4 += 2) {
      if (frame_->At(y4 | 1, block.mi_col - 1)->ref_frame[0] > INTRA_FRAME)
        return true;
    }
  }
  return false;
}

// Only for a block with one reference.
inline void TileDecoder::ReadMotionMode(Block& block) {
  ModeInfo& info = *block.info;
  if (!frame_->is_motion_mode_switchable || info.is_inter_intra ||
      std::min(block.bw4, block.bh4) < 2) {
    return;
  }
  const int ref = info.ref_frame[0];
  if (!frame_->force_integer_mv && info.y_mode == GLOBALMV &&
      frame_->gm_type[ref] > TRANSLATION) {
    return;
  }
  block.overlappable = HasOverlappableCandidates(block);
  if (!block.overlappable) return;
  const bool may_warp = !frame_->force_integer_mv &&
                        frame_->allow_warped_motion && !IsScaled(ref);
  if (may_warp) FindWarpSamples(block);
  if (!may_warp || block.num_samples == 0) {
    if (symbol_.ReadBool(cdfs_.use_obmc[info.size])) info.motion_mode = OBMC;
    return;
  }
  info.motion_mode = uint8_t(symbol_.Read(cdfs_.motion_mode[info.size]));
  if (info.motion_mode == LOCALWARP) EstimateLocalWarp(block);
}

// ---- inter-intra and compound types (5.11.28, 5.11.29) ----

// Only for a block with one reference.
inline void TileDecoder::ReadInterIntraMode(Block& block) {
  ModeInfo& info = *block.info;
  if (!frame_->enable_interintra_compound || info.size < BLOCK_8X8 ||
      info.size > BLOCK_32X32) {
    return;
  }
  const int context = kSizeGroup[info.size] - 1;
  if (!symbol_.ReadBool(cdfs_.inter_intra[context])) return;
  block.interintra = true;
  info.is_inter_intra = 1;
  info.ref_frame[1] = INTRA_FRAME;
  block.interintra_mode =
      uint8_t(symbol_.Read(cdfs_.inter_intra_mode[context]));
  block.wedge_interintra = symbol_.ReadBool(cdfs_.wedge_inter_intra[info.size]);
  block.compound_type = COMPOUND_INTRA;
  if (block.wedge_interintra) {
    block.wedge_index = uint8_t(symbol_.Read(cdfs_.wedge_index[info.size]));
    block.wedge_sign = 0;
    block.compound_type = COMPOUND_WEDGE;
  }
}

int TileDecoder::CompoundIdxContext(const Block& block) const {
  const auto distance = [&](int list) {
    return std::abs(RelativeDistance(
        *frame_, frame_->order_hints[block.info->ref_frame[list]],
        frame_->order_hint));
  };
  return (distance(0) == distance(1) ? 3 : 0) +
         CompoundNeighbour(block.above, &ModeInfo::compound_idx, 1) +
         CompoundNeighbour(block.left, &ModeInfo::compound_idx, 1);
}

// Only for a block with two references.
inline void TileDecoder::ReadCompoundType(Block& block) {
  ModeInfo& info = *block.info;
  if (info.skip_mode) return;
  if (frame_->enable_masked_compound) {
    const int context = std::min(
        CompoundNeighbour(block.above, &ModeInfo::comp_group_idx, 3) +
            CompoundNeighbour(block.left, &ModeInfo::comp_group_idx, 3),
        5);
    info.comp_group_idx = symbol_.ReadBool(cdfs_.comp_group_idx[context]);
  }
  if (!info.comp_group_idx) {
    if (!frame_->enable_jnt_comp) return;
    info.compound_idx =
        symbol_.ReadBool(cdfs_.compound_idx[CompoundIdxContext(block)]);
    if (!info.compound_idx) block.compound_type = COMPOUND_DISTANCE;
    return;
  }
  block.compound_type = kWedgeBits[info.size] == 0 ||
                                symbol_.ReadBool(cdfs_.compound_type[info.size])
                            ? COMPOUND_DIFFWTD
                            : COMPOUND_WEDGE;
  if (block.compound_type == COMPOUND_WEDGE) {
    block.wedge_index = uint8_t(symbol_.Read(cdfs_.wedge_index[info.size]));
    block.wedge_sign = uint8_t(symbol_.ReadBit());
  } else {
    block.mask_type = uint8_t(symbol_.ReadBit());
  }
}

// ---- interpolation filters ----

// needs_interp_filter.
inline bool TileDecoder::NeedsInterpFilter(const Block& block) const {
  const ModeInfo& info = *block.info;
  if (info.skip_mode || info.motion_mode == LOCALWARP) return false;
  if (std::min(block.bw4, block.bh4) < 2) return true;
  const auto translates = [&](int list) {
    return frame_->gm_type[info.ref_frame[list]] == TRANSLATION;
  };
  if (info.y_mode == GLOBALMV) return translates(0);
  if (info.y_mode == GLOBAL_GLOBALMV) return translates(0) || translates(1);
  return true;
}

inline uint8_t TileDecoder::ReadInterpFilter(const Block& block, int dir) {
  const ModeInfo& info = *block.info;
  const int ref = info.ref_frame[0];
  const int left = InterpFilterOf(block.left, ref, dir);
  const int above = InterpFilterOf(block.above, ref, dir);
  int context = (dir * 2 + info.is_compound()) * 4;
  if (left == above || above == kNoFilter) {
    context += left;
  } else if (left == kNoFilter) {
    context += above;
  } else {
    context += kNoFilter;
  }
  return uint8_t(symbol_.Read(cdfs_.interp_filter[context]));
}

inline void TileDecoder::ReadInterpFilters(Block& block) {
  uint8_t* filters = block.info->interp_filter;
  if (frame_->interpolation_filter != SWITCHABLE) {
    filters[0] = filters[1] = frame_->interpolation_filter;
  } else if (NeedsInterpFilter(block)) {
    filters[0] = ReadInterpFilter(block, 0);
    filters[1] =
        frame_->enable_dual_filter ? ReadInterpFilter(block, 1) : filters[0];
  } else {
    filters[0] = filters[1] = EIGHTTAP;
  }
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();
