// SPDX-License-Identifier: BSD-2-Clause
// Entropy decoding of one tile column, a superblock row at a time (VP9 6.4).
// Writes the work lists and nothing else that reconstruction reads.
#ifndef PERDIX_CODEC_VP9_TILE_H_
#define PERDIX_CODEC_VP9_TILE_H_

#include <cstdint>
#include <cstring>
#include <span>

#include "codec/parsed_frame.h"
#include "codec/vp9/bool_decoder.h"
#include "codec/vp9/frame_state.h"
#include "codec/vp9/probability.h"

namespace perdix::vp9 {

// Sets 1, 2, 4, 8 or 16 flags of a context above or to the left, as memset
// would, but without a call.
inline void FillContext(uint8_t* flags, int value, int count) {
  switch (count) {
    case 1:
      flags[0] = uint8_t(value);
      break;
    case 2:
      std::memset(flags, value, 2);
      break;
    case 4:
      std::memset(flags, value, 4);
      break;
    case 8:
      std::memset(flags, value, 8);
      break;
    default:
      std::memset(flags, value, 16);
  }
}

class alignas(64) TileDecoder {  // cache lines of its own
 public:
  // Before the first row of a frame.
  void BeginFrame(FrameState* frame, ParsedFrame* parsed, uint32_t tile_col);
  // Before the first row of a tile. False: no data, or a bad marker bit.
  bool BeginTile(std::span<const uint8_t> data) { return bool_.Init(data); }
  Status DecodeRow(uint32_t sb_row);

  const SymbolCounts& counts() const { return counts_; }
  // ParsedFrame::used_references of this tile column. References that a segment
  // chooses, not a symbol, count as used.
  uint32_t UsedReferences() const;
  // After the last row of a tile: where it stopped reading.
  const BoolDecoder& reader() const { return bool_; }

 private:
  // A block being decoded; positions and sizes in 8x8 units.
  struct Block {
    int mi_row, mi_col;
    int width, height;                  // whole block
    int visible_width, visible_height;  // inside the frame
    ModeInfo* info;
    const ModeInfo* above;  // null: not available
    const ModeInfo* left;
  };
  struct Neighbours;
  // What the transform blocks of one component of a block share. 4x4 units of
  // the plane.
  struct BlockPlane {
    BlockPlane(TileDecoder& tile, const Block& block, int component);
    void TurnToV(TileDecoder& tile);  // from U
    int component;
    int tx_size;
    int x4, y4;  // in the frame
    int width4;
    int visible_width4, visible_height4;  // inside the frame
    uint8_t *above_nonzero, *left_nonzero;
    const int16_t* dequant;  // DC, AC
    // By probability set, four each: 4 * (band * kCoefContexts + context).
    const uint8_t* probs;
    uint32_t *counts, *counts_after_zero;
  };
  struct CodedCoefs {
    int eob;
    uint32_t positions;  // all that are not zero, or-ed
  };

  // Functions that are marked inline are called in their own file only, and
  // there mostly once.

  // tile.cc: partition and block structure
  void DecodePartition(int mi_row, int mi_col, int size);
  inline int ReadPartition(int mi_row, int mi_col, int mi_log2);
  void DecodeBlock(int mi_row, int mi_col, int size);
  inline void WriteEdges(const Block& block);
  void TrimEdges(const Block& block, uint32_t* cells);

  // mode_info.cc: modes (VP9 6.4.5 to 6.4.20)
  void ReadIntraFrameModeInfo(const Block& block);
  void ReadInterFrameModeInfo(const Block& block);
  inline void ReadIntraModes(const Block& block);
  inline void ReadInterModes(const Block& block);
  void ReadSubBlocks(const Block& block, int mode_context);
  inline int ReadIntraSegmentId(const Block& block);
  inline int ReadInterSegmentId(const Block& block);
  inline int PredictedSegmentId(const Block& block) const;
  void CopySegmentIds(const Block& block);
  void SetSegmentIds(const Block& block, int segment_id);
  inline int ReadSegmentTree();
  inline int ReadSkip(const Block& block);
  inline int ReadTxSize(const Block& block, bool allow_select);
  inline bool ReadIsInter(const Block& block);
  inline void ReadRefFrames(const Block& block);
  inline int ReadInterMode(int context);
  inline int ReadInterpFilter(const Block& block);
  inline int ReadDefaultIntraMode(const Block& block, int index);
  inline int ReadIntraMode(int size_group);

  // motion_vector.cc (VP9 6.4.21 to 6.4.24)
  int ModeContext(const Block& block) const;
  int FindMvRefs(const Block& block, int ref_frame, int wanted, int sub_block,
                 Mv list[2]) const;
  Mv AppendSub8x8Mv(const Block& block, int mode, int sub_block, int ref) const;
  Mv BestMv(const Block& block, int mode, int ref_frame) const;
  bool AssignMv(int mode, int references, const Mv best[2], Mv mv[2]);
  inline bool ReadMv(const Mv& best, Mv* mv);
  int ReadMvComponent(int component, bool use_hp);

  // residual.cc (VP9 6.4.24, 6.4.25) and the records of a block
  void WriteIntraBlocks(const Block& block);
  void WriteIntraPlane(const Block& block, const BlockPlane& plane,
                       size_t first_record);
  void WriteInterBlocks(const Block& block);
  bool WriteInterResidual(const Block& block);
  void WriteInterPlane(const BlockPlane& plane);
  void ClearNonzeroContexts(const Block& block);
  uint32_t DecodeTransformBlock(const BlockPlane& plane, int x, int y,
                                int tx_type, ListWriter<TransformBlock> list);
  template <typename Coefficient>
  uint32_t StoreCoefficients(Coefficient* from, int stored_log2, int stride);
  template <typename Coefficient>
  CodedCoefs ReadCoefs(const BlockPlane& plane, const ScanStep* scan,
                       size_t set, uint8_t* energy_sums,
                       Coefficient* coefficients);
  template <typename Coefficient>
  CodedCoefs ReadTokens(const BlockPlane& plane, const ScanStep* scan,
                        size_t set, BoolDecoder& reader, uint8_t* energy_sums,
                        Coefficient* coefficients);

  // By reference: the maker of streams in tests/conformance tells symbols by
  // where their probabilities are.
  bool Read(const uint8_t& probability) { return bool_.Read(probability); }
  const ModeInfo* InfoAt(int mi_row, int mi_col) const {
    return frame_
        ->grid[size_t(mi_row) * size_t(frame_->mi_cols) + size_t(mi_col)];
  }
  bool IsInside(int mi_row, int mi_col) const {
    return mi_row >= 0 && mi_row < frame_->mi_rows && mi_col >= mi_col_begin_ &&
           mi_col < mi_col_end_;
  }
  void Fail(StatusCode code, const char* reason) {
    if (failure_ == nullptr) {
      failure_ = reason;
      failure_code_ = code;
    }
  }

  BoolDecoder bool_;
  FrameState* frame_ = nullptr;
  uint32_t* edges_ = nullptr;  // of the frame
  TileLists* lists_ = nullptr;
  int mi_col_begin_ = 0, mi_col_end_ = 0;
  ModeInfo* next_info_ = nullptr;
  const char* failure_ = nullptr;  // sticky within a frame
  StatusCode failure_code_ = StatusCode::kOk;

  // From the tile's first column on: not in one array with other tiles', whose
  // worker would take the cache line away.
  uint8_t above_nonzero_[kComponents][kMaxTileSuperblocks * 16] = {};
  uint8_t above_partition_[kMaxTileSuperblocks * 8] = {};
  // From the superblock's first row on.
  uint8_t left_nonzero_[kComponents][16] = {};  // 4x4 units of the plane
  uint8_t left_partition_[8] = {};              // 8x8 units
  SymbolCounts counts_ = {};
  // All zero between transform blocks; by bit depth, 8 or above.
  int16_t coefficients16_[32 * 32] = {};
  int32_t coefficients32_[32 * 32] = {};
  // Sums of the tokens that a coefficient looks back at; zero like the above.
  uint8_t energy_sums_[33 * 32] = {};
};

}  // namespace perdix::vp9

#endif  // PERDIX_CODEC_VP9_TILE_H_
