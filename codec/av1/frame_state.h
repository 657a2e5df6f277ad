// SPDX-License-Identifier: BSD-2-Clause
// What the parsing of an AV1 frame shares between its tiles, and what a picture
// keeps for the frames that refer to it. Touches no pixel.
#ifndef PERDIX_CODEC_AV1_FRAME_STATE_H_
#define PERDIX_CODEC_AV1_FRAME_STATE_H_

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "codec/av1/cdf.h"
#include "codec/av1/constants.h"
#include "codec/av1/edge_levels.h"
#include "codec/av1/v4l2_controls.h"
#include "codec/codec.h"
#include "kernels/av1/lists.h"

namespace perdix::av1 {

struct ModeInfo;

// MotionFieldMvs of 7.9 in a form that projects on use: for an 8x8, a vector
// and the distance (in frames) over which it goes; distance 0: none. What is
// stored of a picture (7.19) is the same, for the odd row and column of each
// 8x8: SavedMvs, and instead of SavedRefFrames the distance to that. In one
// number, because pictures have many: the column above the row above the
// distance.
class MotionFieldMv {
 public:
  static constexpr int kDistanceBits = 6, kRowBits = 13, kColBits = 13;

  constexpr MotionFieldMv() = default;
  // Components: at most kRefMvsLimit in size; distance: to kMaxFrameDistance.
  constexpr MotionFieldMv(Mv mv, int distance)
      : bits_(int32_t(uint32_t(mv.col) << (kRowBits + kDistanceBits) |
                      (uint32_t(mv.row) << kDistanceBits & kRowMask) |
                      uint32_t(distance))) {}

  constexpr int distance() const { return bits_ & ((1 << kDistanceBits) - 1); }
  constexpr Mv mv() const {
    return {int16_t(int32_t(uint32_t(bits_) << kColBits) >>
                    (kColBits + kDistanceBits)),
            int16_t(bits_ >> (kRowBits + kDistanceBits))};
  }
  constexpr bool operator==(const MotionFieldMv&) const = default;

 private:
  static constexpr uint32_t kRowMask = ((1u << kRowBits) - 1) << kDistanceBits;
  int32_t bits_ = 0;
};
// For comparing vectors and what goes with them at once.
template <typename T>
uint64_t BitsOf(const T& vector) {
  return std::bit_cast<uint64_t>(vector);
}

// What a picture carries (Picture::codec_data): 7.20. What the frame's header
// says is there once the frame has begun, vectors are as its rows are parsed,
// the rest when it is parsed (ParsedFrame::parse_sources).
struct PictureData {
  uint32_t frame_type = 0;  // V4L2_AV1_*_FRAME
  int mi_cols = 0, mi_rows = 0;
  uint32_t order_hint = 0;
  // SavedOrderHints, by reference name; [0] is not used.
  std::array<uint32_t, kTotalRefs> order_hints = {};
  v4l2_ctrl_av1_film_grain film_grain = {};
  CdfContext cdfs;  // counters are 0
  // mi_rows / 2 x mi_cols / 2, raster order. Empty: an intra frame.
  std::vector<MotionFieldMv> mvs;
  // mi_rows x mi_cols; null: all 0. Shared while they do not change.
  std::shared_ptr<const std::vector<uint8_t>> segment_ids;
};

// What pictures carried that are gone, for pictures to come: their memory is
// large, and the kernel would clear it anew each time. Any thread.
class PictureDataPool : public std::enable_shared_from_this<PictureDataPool> {
 public:
  PictureDataPool() { spare_.reserve(kMostSpare); }
  // With whatever it held, but for segment_ids. Throws std::bad_alloc.
  std::shared_ptr<PictureData> Take();

 private:
  static constexpr size_t kMostSpare = 2;
  void Return(std::unique_ptr<PictureData> data);

  std::mutex mutex_;
  std::vector<std::unique_ptr<PictureData>> spare_;
};

// The block at each 4x4 of the superblock row at hand, as far as it is decoded,
// and of the one above it. Nobody looks further up, and this much stays in the
// cache. Tiles write their own columns only.
class ModeInfoGrid {
 public:
  void Resize(int mi_cols, int sb_size4) {
    cols_ = size_t(mi_cols);
    row_mask_ = 2 * sb_size4 - 1;
    cells_.resize(cols_ * size_t(row_mask_ + 1));
  }
  const ModeInfo** Row(int mi_row) {
    return cells_.data() + size_t(mi_row & row_mask_) * cols_;
  }
  const ModeInfo* const* Row(int mi_row) const {
    return cells_.data() + size_t(mi_row & row_mask_) * cols_;
  }
  // From a row to the next of the same superblock row.
  size_t Stride() const { return cols_; }

 private:
  size_t cols_ = 0;
  int row_mask_ = 0;
  std::vector<const ModeInfo*> cells_;
};

// One reference frame of which vectors are projected (7.9.2).
struct MotionSource {
  RefFrame name;
  std::shared_ptr<const PictureData> picture;
  int to_current;  // frames from this one to it
};

// MotionFieldVectors of the superblock row at hand (7.9). Tiles fill and read
// their own columns only. 8x8 units.
class MotionField {
 public:
  void Resize(int mi_cols, int sb_size4) {
    cols_ = size_t(mi_cols >> 1);
    row_mask_ = (sb_size4 >> 1) - 1;
    cells_.resize(cols_ * size_t(row_mask_ + 2));
  }
  // One more, for vectors that lead nowhere.
  MotionFieldMv* SpareRow() {
    return cells_.data() + size_t(row_mask_ + 1) * cols_;
  }
  MotionFieldMv* Row(int y8) {
    return cells_.data() + size_t(y8 & row_mask_) * cols_;
  }
  const MotionFieldMv* Row(int y8) const {
    return cells_.data() + size_t(y8 & row_mask_) * cols_;
  }

 private:
  size_t cols_ = 0;
  int row_mask_ = 0;
  std::vector<MotionFieldMv> cells_;
};

// The parameters of one segment, without delta q.
struct SegmentParams {
  uint8_t feature_enabled = 0;  // bit: SegmentationFeature
  int16_t feature_data[kSegmentFeatures] = {};
  int qindex = 0;  // get_qidx(1, segment) of 7.12.2
  bool lossless = false;
  int qm_level[kComponents] = {};  // 15: no matrix (7.12.2)
  bool Active(int feature) const { return feature_enabled >> feature & 1; }
};

// Read by all tiles of a frame; the arrays are written by each tile in its own
// columns and rows only.
struct FrameState {
  v4l2_ctrl_av1_sequence sequence;
  v4l2_ctrl_av1_frame header;

  // ---- derived from the two (5.9) ----
  bool frame_is_intra;
  bool error_resilient;
  bool coded_lossless;  // CodedLossless
  bool all_lossless;    // AllLossless
  bool allow_screen_content_tools;
  bool force_integer_mv;  // 1 if FrameIsIntra
  bool allow_high_precision_mv;
  bool allow_intrabc;
  bool disable_cdf_update;
  bool reduced_tx_set;
  bool reference_select;
  bool skip_mode_present;
  int8_t skip_mode_frame[2];  // recomputed: 5.9.22
  bool use_128x128_superblock;
  bool use_ref_frame_mvs;
  bool is_motion_mode_switchable;
  bool allow_warped_motion;
  bool delta_q_present;
  bool delta_lf_present;
  bool delta_lf_multi;
  int delta_q_res;  // shifts
  int delta_lf_res;
  bool enable_filter_intra;
  bool enable_cdef;  // and this frame may have any: 5.9.19, read_cdef reads
  bool enable_interintra_compound;
  bool enable_masked_compound;
  bool enable_jnt_comp;
  bool enable_dual_filter;
  TxMode tx_mode;
  uint8_t interpolation_filter;  // InterpFilter
  int bit_depth;
  int subsampling_x, subsampling_y;
  int num_planes;  // 1 or 3
  int mi_cols, mi_rows;
  int sb_size4;  // 4x4 units of a superblock: 16 or 32
  int order_hint_bits;
  int order_hint;
  int order_hints[kTotalRefs];  // OrderHints, by reference name
  bool ref_frame_sign_bias[kTotalRefs];
  // StoredDistance of vectors to it.
  int stored_distance[kTotalRefs];
  bool reference_valid[kTotalRefs];  // intact and of a usable size

  bool segmentation_enabled, segmentation_update_map,
      segmentation_temporal_update, seg_id_pre_skip;
  int last_active_seg_id;
  SegmentParams segments[kSegments];

  GmType gm_type[kTotalRefs];
  WarpMatrix gm_params[kTotalRefs];  // [INTRA_FRAME] is not used
  bool gm_valid[kTotalRefs];         // warpValid of 7.11.3.6

  // Loop restoration of a plane: FrameRestorationType in the bitstream's sense
  // after lr_type's remapping (V4L2_AV1_FRAME_RESTORE_*), and Params'.
  uint8_t restoration_type[kComponents];

  v4l2_ctrl_av1_film_grain film_grain;  // film_grain_params; no flags: none

  // ---- tiles ----
  int tile_cols, tile_rows;
  uint32_t context_update_tile_id;
  std::array<int, kMaxTileCols + 1> mi_col_starts;  // 4x4 units
  std::array<int, kMaxTileRows + 1> mi_row_starts;

  // ---- from other frames ----
  CdfContext cdfs;  // with which each tile begins
  // PrevSegmentIds, mi_rows x mi_cols; null: all 0.
  std::shared_ptr<const std::vector<uint8_t>> prev_segment_ids;
  // In the order in which they are projected: later ones replace earlier ones.
  std::vector<MotionSource> motion_sources;

  // ---- written by tiles ----
  MotionField motion_field;  // where use_ref_frame_mvs is 1
  ModeInfoGrid grid;
  // SegmentIds: mi_rows x mi_cols.
  std::vector<uint8_t> segment_ids;
  MotionFieldMv* saved_mvs;  // PictureData::mvs; null: none

  // By tile column: what its neighbours need for their common edges.
  std::array<TileBorder, kMaxTileCols> borders;

  const ModeInfo* At(int mi_row, int mi_col) const {
    return grid.Row(mi_row)[mi_col];
  }
};

// get_relative_dist (5.9.3).
inline int RelativeDistance(const FrameState& frame, int a, int b) {
  if (frame.order_hint_bits == 0) return 0;
  const int sign = 1 << (frame.order_hint_bits - 1);
  const int difference = a - b;
  return (difference & (sign - 1)) - (difference & sign);
}

class TileParser;

class Av1State final : public CodecState {
 public:
  using NewParser = std::unique_ptr<TileParser> (*)();

  // new_parser: of a tile column; null: NewTileParser
  explicit Av1State(NewParser new_parser = nullptr);
  ~Av1State() override;
  Status Begin(ParsedFrame& parsed) override;
  Status Continue(ParsedFrame& parsed) override;
  Status ParseRow(ParsedFrame& parsed, uint32_t tile_col,
                  uint32_t sb_row) override;
  void EndRow(ParsedFrame& parsed, uint32_t sb_row) override;
  void End(ParsedFrame& parsed) override;

 private:
  // By reference name; null: not there, or it had not even a header.
  using References = std::array<std::shared_ptr<const PictureData>, kTotalRefs>;

  References FindReferences(const FrameRequest& request) const;
  Status SetUpReferences(ParsedFrame& parsed);
  Status SetUpPictures(ParsedFrame& parsed);
  void SetUpTables(ParsedFrame& parsed);
  void SetUpTileColumns(ParsedFrame& parsed);
  Status FindParseSources(const References& references, ParsedFrame& parsed);
  void NewPictureData();
  void CompletePictureData();

  const NewParser new_parser_;
  FrameState frame_ = {};
  std::vector<std::span<const uint8_t>> tile_data_;  // [tile row][tile column]
  std::vector<std::unique_ptr<TileParser>> tiles_;   // by tile column
  std::shared_ptr<PictureDataPool> pool_ = std::make_shared<PictureDataPool>();
  std::shared_ptr<PictureData> data_;  // of the target
};

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_FRAME_STATE_H_
