// SPDX-License-Identifier: BSD-2-Clause
// What the parsing of a VP9 frame shares between its tiles, and what a stream
// keeps for the next frame. Touches no pixel.
#ifndef PERDIX_CODEC_VP9_FRAME_STATE_H_
#define PERDIX_CODEC_VP9_FRAME_STATE_H_

#include <linux/v4l2-controls.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codec/arena.h"
#include "codec/codec.h"
#include "codec/vp9/probability.h"
#include "codec/vp9/tables.h"
#include "kernels/vp9/lists.h"

namespace perdix::vp9 {

// ref_frame as in VP9 6.4: a second reference above INTRA_FRAME means compound.
enum RefFrame : int8_t {
  NONE = -1,
  INTRA_FRAME,
  LAST_FRAME,
  GOLDEN_FRAME,
  ALTREF_FRAME
};
inline constexpr int kRefFrames = 4;
inline constexpr int kMaxTileCols = 64;
inline constexpr int kMaxTileRows = 4;
inline constexpr int kMaxTileSuperblocks = 64;  // side by side
inline constexpr int kComponents = 3;           // Y, U, V

struct Mv {
  int16_t row = 0;  // 1/8 sample
  int16_t col = 0;
  bool operator==(const Mv&) const = default;
};

// One decoded block, as later blocks look back at it.
struct ModeInfo {
  uint8_t size;          // BlockSize
  uint8_t y_mode;        // BlockMode; of the last block when below 8x8
  uint8_t sub_modes[4];  // intra: mode of each 4x4 of an 8x8
  uint8_t uv_mode;
  uint8_t skip;  // also set when no coefficient was coded
  uint8_t tx_size;
  uint8_t uv_tx_size;
  uint8_t segment_id;
  uint8_t seg_id_predicted;
  uint8_t interp_filter;  // kSwitchableFilters for an intra block
  int8_t ref_frame[2];
  Mv mv[4][2];  // [4x4 of an 8x8, all alike from 8x8 up][reference]

  bool is_inter() const { return ref_frame[0] > INTRA_FRAME; }
  bool is_compound() const { return ref_frame[1] > INTRA_FRAME; }
};

struct Segmentation {
  bool enabled, update_map, temporal_update, absolute;
  uint8_t tree_probs[kSegments - 1];
  uint8_t pred_probs[3];
  uint8_t feature_enabled[kSegments];  // V4L2_VP9_SEGMENT_FEATURE_ENABLED bits
  int16_t feature_data[kSegments][4];

  bool Active(int segment, int feature) const {
    return enabled && (feature_enabled[segment] >> feature & 1);
  }
};

// Read by all tiles of a frame; the per-block arrays are written by each tile
// in its own columns only.
struct FrameState {
  v4l2_ctrl_vp9_frame header;
  CompressedHeader compressed;
  FrameContext probabilities;
  // probabilities.coef, padded to four a set, and more_coefs last: the next
  // token's first comes right at the set's address.
  uint8_t coef_probs[kTxSizes][kBlockTypes][kRefTypes][kCoefBands]
                    [kCoefContexts][4];
  Segmentation segmentation;
  bool frame_is_intra;
  bool lossless;
  bool allow_high_precision_mv;
  bool use_prev_frame_mvs;
  bool count_symbols;
  uint8_t interp_filter;  // V4L2_VP9_INTERP_FILTER_*
  uint8_t sign_bias[kRefFrames];
  int8_t comp_fixed_ref;
  int8_t comp_var_ref[2];
  bool reference_valid[kRefFrames];
  int bit_depth;
  int subsampling_x, subsampling_y;
  int mi_cols, mi_rows;
  int16_t dequant[kSegments][2][2];                // [segment][chroma][ac]
  uint8_t filter_level[kSegments][kRefFrames][2];  // [..][..][not ZEROMV]

  // Each tile column's blocks one after the other, from where its first 8x8
  // would be if the columns lay side by side: room for mi_rows x mi_cols, most
  // of which blocks above 8x8 leave untouched.
  Arena<ModeInfo> mode_infos, prev_mode_infos;
  // mi_rows x mi_cols; the block there. The previous frame's has the PrevMvs
  // and PrevRefFrames of VP9 6.4.22.
  std::vector<ModeInfo*> grid, prev_grid;
  std::vector<uint8_t> segment_ids, prev_segment_ids;
};

class TileDecoder;

class Vp9State : public CodecState {
 public:
  Vp9State();
  ~Vp9State() override;
  Status Begin(ParsedFrame& parsed) override;
  Status ParseRow(ParsedFrame& parsed, uint32_t tile_col,
                  uint32_t sb_row) override;
  void End(ParsedFrame& parsed) override;

  // The frame that was begun last, and the counts of its symbols once it is
  // parsed.
  const FrameState& frame() const { return frame_; }
  SymbolCounts CountSymbols(const ParsedFrame& parsed) const;

 private:
  // What a frame's parsing leaves for later ones, as bits.
  enum Kept : uint32_t {
    kContext = 1,  // that of index 0; 1 << i: that of index i
    kAllContexts = 0xf,
    kSegmentIds = 1 << 4,
    kVectors = 1 << 5,
    kAllKept = 0x3f,
  };

  Status ReadControls(const FrameRequest& request);
  // Bits of Kept that the frame reads, and that it writes.
  uint32_t Reads() const;
  uint32_t Writes() const;
  void Renew(uint32_t kept);
  Status CheckKept(ParsedFrame& parsed) const;
  void EndTile(ParsedFrame& parsed, uint32_t tile_row, uint32_t tile_col);
  void KeepForNext(ParsedFrame& parsed);
  Status SetUpReferences(ParsedFrame& parsed);
  void SetUpFrameSize(ParsedFrame& parsed);
  void SetUpPastIndependence();
  void SetUpSegmentation();
  void SetUpDequant();
  void SetUpFilterLevels();
  void SetUpCompoundReferences();
  Status ReadProbabilities(std::span<const uint8_t> data);
  Status SetUpTiles(ParsedFrame& parsed, std::span<const uint8_t> data);

  FrameState frame_ = {};
  FrameContext contexts_[4];
  bool contexts_set_ = false;
  // Bits of Kept that frames which failed should have written, and those that
  // damaged frames have written.
  uint32_t lost_ = kAllKept, damaged_ = 0;
  bool begun_ = false;  // the frame's controls are known, and have taken effect
  uint32_t last_width_ = 0, last_height_ = 0;
  bool last_show_frame_ = false;
  bool last_frame_was_intra_ = false;
  bool last_frame_was_key_ = false;

  std::span<const uint8_t> tile_data_[kMaxTileRows][kMaxTileCols];
  int tile_cols_log2_ = 0, tile_rows_log2_ = 0;
  std::vector<std::unique_ptr<TileDecoder>> tiles_;
};

// First superblock of tile <index> (VP9 7.3.1 get_tile_offset).
inline uint32_t TileOffset(uint32_t index, uint32_t superblocks, int log2) {
  return (index * superblocks) >> log2;
}

}  // namespace perdix::vp9

#endif  // PERDIX_CODEC_VP9_FRAME_STATE_H_
