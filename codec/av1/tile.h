// SPDX-License-Identifier: BSD-2-Clause
// Entropy decoding of one tile column, a superblock row at a time (5.11).
// Writes the work lists and tables and nothing else that reconstruction reads.
//
// The class is one because its parts share the symbol decoder, the CDFs and the
// block at hand. Each part has its file; what is inline there is called once:
//   tile.cc          rows, superblocks, partitions, blocks; what a block leaves
//   mode_info.cc     modes of intra and of all blocks; segments, skip, deltas
//   palette.cc       palettes and their colour maps
//   transform_size.cc  transform sizes and trees
//   inter_mode_info.cc references, modes, filters, compound, motion mode
//   motion_vector.cc the stack of candidates (7.10.2), differences, intrabc
//   warp.cc          samples and estimation of local warp (7.10.4, 7.11.3.8)
//   residual.cc      transform blocks and their types; records of intra blocks
//   coefficients.cc  one transform block's coefficients
//   prediction.cc    records of inter blocks (5.11.33)
//   edges.cc         the loop filter's edges (7.14.2 to 7.14.4)
#ifndef PERDIX_CODEC_AV1_TILE_H_
#define PERDIX_CODEC_AV1_TILE_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/arena.h"
#include "codec/av1/cdf.h"
#include "codec/av1/coefficient_contexts.h"
#include "codec/av1/constants.h"
#include "codec/av1/edge_levels.h"
#include "codec/av1/frame_state.h"
#include "codec/av1/mv_stack.h"
#include "codec/av1/parser_target.h"
#include "codec/av1/scan_steps.h"
#include "codec/av1/symbol_decoder.h"
#include "codec/av1/tile_parser.h"
#include "codec/parsed_frame.h"

namespace perdix::av1 {

// One decoded block, as later blocks look back at it.
struct ModeInfo {
  uint8_t size;     // MiSize: BlockSize
  uint8_t y_mode;   // YMode: PredictionMode
  uint8_t uv_mode;  // UVMode; of intra blocks with chroma
  uint8_t skip;     // the coded flag
  uint8_t skip_mode;
  uint8_t is_inter;  // 1 of intrabc blocks, too
  uint8_t use_intrabc;
  uint8_t segment_id;
  uint8_t tx_size;  // TxSizes: TxSize, as the last one that was read
  uint8_t comp_group_idx, compound_idx;
  uint8_t motion_mode;  // MotionMode
  uint8_t is_inter_intra;
  uint8_t palette_size[2];   // PaletteSizeY, PaletteSizeUV: 0, 2..8
  uint8_t interp_filter[2];  // [0] vertical, [1] horizontal
  int8_t ref_frame[2];
  int8_t delta_lf[kFrameLfCount];
  Mv mv[2];

  bool is_compound() const { return ref_frame[1] > INTRA_FRAME; }
};

}  // namespace perdix::av1

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {

class alignas(64) TileDecoder final  // cache lines of its own
    : public TileParser {
 public:
  void BeginFrame(FrameState* frame, ParsedFrame* parsed,
                  int tile_col) override;
  bool BeginTile(int tile_row, std::span<const uint8_t> data) override;
  Status DecodeRow(uint32_t sb_row) override;
  Status EndTile(CdfContext* cdfs) override;
  void JoinTileBefore(uint32_t sb_row) override;  // edges.cc
  uint32_t used_references() const override { return used_references_; }

 private:
  // ---- the block at hand ----

  // Positions and sizes in 4x4 luma units unless a name says otherwise.
  struct Block {
    int mi_row, mi_col;
    BlockSize size;
    int bw4, bh4;
    bool has_chroma;        // HasChroma
    bool avail_u, avail_l;  // AvailU, AvailL
    bool avail_u_chroma, avail_l_chroma;
    ModeInfo* info;
    const ModeInfo* above;  // null: not available
    const ModeInfo* left;

    // All blocks have
    bool lossless;  // Lossless
    // Intra blocks have
    int8_t angle_delta_y, angle_delta_uv;  // -3..3
    bool use_filter_intra;
    uint8_t filter_intra_mode;
    int cfl_alpha_u, cfl_alpha_v;  // -16..16
    // Inter blocks have
    uint8_t compound_type;  // CompoundType
    bool interintra;
    uint8_t interintra_mode;  // 0..3
    bool wedge_interintra;
    uint8_t wedge_index, wedge_sign, mask_type;
    uint8_t ref_mv_idx;     // RefMvIdx
    bool local_valid;       // LocalValid, and its shear is valid
    WarpMatrix local_warp;  // LocalWarpParams and shear
    int num_samples;        // NumSamples
    int num_samples_scanned;
    // Chroma of 4xN inter blocks of which several share a 4x4: 5.11.33.
    int overlappable;  // OverlappableCandidates: found_above | found_left
  };

  // What the transform blocks of one component of a block share. In 4x4 units
  // of its plane.
  struct BlockPlane {
    int component;
    int x4, y4;                           // of the block, in the frame
    int width4, height4;                  // whole block
    int visible_width4, visible_height4;  // inside the frame
    TxSize tx_size;                       // unless it has a transform tree
    uint8_t *above, *left;                // contexts: coefficient_contexts.h
  };

  // ---- tile.cc ----
  void ClearAboveContext();
  void ClearLeftContext();
  void DecodeSuperblock(int mi_row, int mi_col);
  Status Failure(int mi_row, int mi_col) const;
  Partition ReadPartition(int mi_row, int mi_col, BlockSize size);
  void DecodePartition(int mi_row, int mi_col, BlockSize size);
  // The partitions into blocks of two sizes, and into four equal blocks.
  void DecodeUnequal(Partition partition, int mi_row, int mi_col,
                     BlockSize size);
  void DecodeQuarters(Partition partition, int mi_row, int mi_col,
                      BlockSize size);
  void DecodeBlock(int mi_row, int mi_col, BlockSize size);
  void PlaceBlock(int mi_row, int mi_col, Block* block) const;
  void FillGrid(const Block& block);
  // CDEF's table: of a superblock at its begin; what a block says.
  CdefBlock* CdefBlockAt(int mi_row, int mi_col);
  void ClearCdef(int mi_row, int mi_col);
  void ReadCdef(const Block& block);             // 5.11.56
  void MarkFiltered(const Block& block);         // of one that is not skipped
  void ReadRestoration(int mi_row, int mi_col);  // 5.11.57
  void ReadRestorationUnit(int plane, RestorationUnit* unit);  // 5.11.58
  void ReadWiener(int plane, RestorationUnit* unit);
  void ReadSelfGuided(int plane, RestorationUnit* unit);
  int ReadSignedSubexp(int low, int high, int k, int reference);
  bool IsInside(int mi_row, int mi_col) const {
    return mi_col >= mi_col_begin_ && mi_col < mi_col_end_ &&
           mi_row >= mi_row_begin_ && mi_row < mi_row_end_;
  }
  void Fail(const char* what);  // sticky until BeginTile; ends the row

  // ---- mode_info.cc ----
  void ReadIntraFrameModeInfo(Block& block);  // 5.11.7
  void ReadInterFrameModeInfo(Block& block);  // 5.11.18
  void ReadIntraBlockModeInfo(Block& block);  // 5.11.22
  void ReadIntraBlockCopy(Block& block);      // use_intrabc is 1
  void ReadIntraModes(Block& block, Cdf<13>& y_mode_cdf);
  void ReadUvMode(Block& block);
  void ReadCflAlphas(Block& block);  // 5.11.45
  int ReadAngleDelta(const Block& block, int mode);
  void ReadFilterIntra(Block& block);                    // 5.11.24
  void ReadIntraSegmentId(Block& block);                 // 5.11.8
  void ReadInterSegmentId(Block& block, bool pre_skip);  // 5.11.19
  void ReadSegmentId(Block& block);                      // 5.11.9
  int PredictedSegmentId(const Block& block) const;      // 5.11.21
  void SetSegIdPredicted(const Block& block, bool predicted);
  void StoreSegmentId(const Block& block);
  void ReadSkipMode(Block& block);  // 5.11.10
  void ReadSkip(Block& block);      // 5.11.11
  // read_cdef and the deltas; then what follows from segment and deltas.
  void ReadBlockParameters(Block& block);
  void ReadDeltaQIndex();  // 5.11.12
  void ReadDeltaLf();      // 5.11.13
  int ReadDelta(Cdf<4>& cdf);
  void ReadIsInter(Block& block);      // 5.11.20
  int QIndexOf(int segment_id) const;  // get_qidx(0, segment_id) of 7.12.2
  void SetQuantizers();                // wherever current_qindex_ changes
  bool SegFeatureActive(const Block& block, int feature) const {
    return frame_->segmentation_enabled &&
           frame_->segments[block.info->segment_id].Active(feature);
  }

  // ---- palette.cc ----
  void ReadPaletteModeInfo(Block& block);  // 5.11.46
  void ReadPaletteTokens(Block& block);    // 5.11.49: writes the arena
  // Colours of Y or U (plane 0 or 1), in ascending order, and of V.
  void ReadPaletteColours(const Block& block, int plane);
  int ReadCachedColours(const Block& block, int plane);
  void ReadPaletteColoursV(int size);
  void KeepPalette(const Block& block, int plane);
  uint32_t StorePalette(const Block& block, int plane);

  // ---- transform_size.cc ----
  void ReadBlockTxSize(Block& block);                // 5.11.15
  void ReadTxSize(Block& block, bool allow_select);  // 5.11.14
  int ReadTxDepth(const Block& block);
  // 5.11.16; row, col: in the block.
  void ReadVarTxSize(Block& block, int row, int col, TxSize size, int depth);
  void KeepTxSize(const Block& block);

  // ---- inter_mode_info.cc ----
  void ReadInterBlockModeInfo(Block& block);  // 5.11.23
  void ReadRefFrames(Block& block);           // 5.11.25
  void ReadInterMode(Block& block, bool compound);
  void ReadDrlModes(Block& block);
  bool IsScaled(int ref) const;
  bool HasOverlappableCandidates(const Block& block) const;  // 7.10.3
  void ReadMotionMode(Block& block);                         // 5.11.27
  void ReadInterIntraMode(Block& block);                     // 5.11.28
  int CompoundIdxContext(const Block& block) const;
  void ReadCompoundType(Block& block);  // 5.11.29
  bool NeedsInterpFilter(const Block& block) const;
  uint8_t ReadInterpFilter(const Block& block, int dir);
  void ReadInterpFilters(Block& block);

  // ---- motion_vector.cc ----
  void FindMvStack(Block& block, bool compound);  // 7.10.2
  void AssignMv(Block& block, bool compound);     // 5.11.26
  void AssignIntrabcMv(Block& block);
  bool IsIntrabcMvValid(const Block& block) const;
  bool ReadMv(Mv prediction, bool intrabc, Mv* mv);  // 5.11.31
  // 7.19, of the block's odd rows and columns.
  void SaveMvs(const Block& block);

  // ---- warp.cc ----
  void FindWarpSamples(Block& block);  // 7.10.4
  void AddWarpSample(Block& block, int mi_row, int mi_col,
                     const ModeInfo* candidate);
  void EstimateLocalWarp(Block& block);  // 7.11.3.8 and 7.11.3.6

  // ---- residual.cc ----
  // Called by BeginFrame, ClearAboveContext, ClearLeftContext, and before each
  // superblock (clear_block_decoded_flags, 5.11.3). They call edges.cc's, too.
  void BeginResidualFrame();
  void BeginResidualTile();
  void BeginResidualRow();
  void BeginResidualSuperblock(int mi_row, int mi_col);
  void ResetBlockContext(const Block& block);
  // 5.11.34: coefficients, transform records, intra records.
  void Residual(Block& block);
  void ReadPlanes(const Block& block);
  TxSize ChromaTxSize(const Block& block) const;
  BlockPlane PlaneOf(const Block& block, bool chroma);
  BlockPlane PlaneOfV(const BlockPlane& u);
  struct Surroundings;
  Surroundings SurroundingsOf(const Block& block, const BlockPlane& plane,
                              int x, int y) const;
  void SetDecoded(const BlockPlane& plane, int x, int y, int width4,
                  int height4);
  void MarkDecoded(bool chroma, int column, int row, int width4, int height4);
  void MarkDecoded(const Block& block);
  bool TopRightIsDecoded(const Block& block) const;
  template <typename Visit>
  void ForEachTransform(const BlockPlane& plane, int chunk_row, int chunk_col,
                        const Visit& visit);
  // A 64x64, or less, of the block: from a 4x4 of it on.
  void ResidualChunk(const Block& block, const BlockPlane planes[],
                     int chunk_row, int chunk_col);
  bool IntraFilterType(const Block& block, bool chroma) const;  // 7.11.2.8
  uint32_t PredictPayload(const Block& block, bool chroma) const;
  uint32_t CflPayload(const Block& block) const;
  void AppendIntra(const BlockPlane& plane, int x, int y, TxSize size,
                   uint32_t kind, uint32_t have, uint32_t payload,
                   uint32_t residual0, uint32_t residual1);
  void AppendPalette(const Block& block, const BlockPlane& plane);
  void AppendPrediction(const Block& block, const BlockPlane& plane, int x,
                        int y, uint32_t kind, uint32_t payload,
                        uint32_t residual0, uint32_t residual1);
  void IntraLuma(const Block& block, const BlockPlane& plane, int chunk_row,
                 int chunk_col);
  void IntraChroma(const Block& block, const BlockPlane& u, const BlockPlane& v,
                   int chunk_row, int chunk_col);
  void ReadChroma(const Block& block, const BlockPlane& u, const BlockPlane& v,
                  int chunk_row, int chunk_col, uint32_t kind,
                  uint32_t payload);
  void InterLuma(const Block& block, const BlockPlane& plane, int chunk_row,
                 int chunk_col);
  void InterChroma(const Block& block, const BlockPlane& u, const BlockPlane& v,
                   int chunk_row, int chunk_col);
  void InterTransform(const Block& block, const BlockPlane& plane, TxSize size,
                      int x, int y);
  void TransformTree(const Block& block, const BlockPlane& plane, int x, int y,
                     int width_log2, int height_log2);

  // ---- coefficients.cc ----
  // 5.11.39 and 7.12.3 of the transform block at (x, y) of the block, 4x4 units
  // of the plane: its index in the list, or PERDIX_NO_RESIDUAL.
  uint32_t ReadTransformBlock(const Block& block, const BlockPlane& plane,
                              TxSize size, int x, int y,
                              ListWriter<TransformBlock> list);
  AllZeroContext AllZeroContextOf(const BlockPlane& plane, TxSize size, int x,
                                  int y) const;
  template <typename Coefficient>
  void ReadCoefficients(const Block& block, const BlockPlane& plane,
                        TxSize size, int x, int y, int type,
                        TransformBlock* record);
  int ReadTxType(const Block& block, TxSize size);  // 5.11.47
  int ChromaTxType(const Block& block, const BlockPlane& plane, TxSize size,
                   int x, int y) const;
  void KeepTxType(const Block& block, TxSize size, int x, int y, int type);
  void SetCoefficientContexts(const BlockPlane& plane, TxSize size, int x,
                              int y, uint8_t context);

  // ---- prediction.cc ----
  void PredictInter(Block& block);  // 5.11.33: inter records, intrabc's too
  bool WarpsGlobally(const ModeInfo& info, int list) const;
  void AppendInter(int mi_row, int mi_col, uint32_t shape, uint32_t mv0,
                   uint32_t mv1);
  void AppendSingle(const Block& block, uint32_t planes);
  void AppendCompound(const Block& block, uint32_t planes);
  void AppendSharedChroma(const Block& block);
  void AppendOverlap(const ModeInfo& neighbour, int mi_row, int mi_col,
                     int width, int height, uint32_t planes, uint32_t kind);
  void AppendOverlapAbove(const Block& block, uint32_t planes);
  void AppendOverlapLeft(const Block& block, uint32_t planes);
  void AppendOverlaps(const Block& block, uint32_t planes);
  void AppendOrdered(const Block& block, bool chroma, uint32_t kind,
                     uint32_t have, uint32_t payload, uint32_t residual0);
  void PredictIntraBlockCopy(const Block& block);
  void AppendInterIntra(const Block& block);

  // ---- edges.cc ----
  void BeginEdgesFrame();
  void BeginEdgesRow();
  void WriteEdges(const Block& block);
  EdgeLevels EdgeLevelsOf(const ModeInfo& info) const;
  void WriteLumaRegion(const Block& block, const EdgeLevels& levels,
                       TxSize size, int x, int y, int width4, int height4,
                       bool inner_edges);
  void WriteLumaEdges(const Block& block, const EdgeLevels& levels);
  void WriteChromaEdges(const Block& block, const EdgeLevels& levels);

  FrameState* frame_ = nullptr;
  ParsedFrame* parsed_ = nullptr;
  TileLists* lists_ = nullptr;
  int tile_col_ = 0;
  SymbolDecoder symbol_;
  CdfContext cdfs_;
  int mi_row_begin_ = 0, mi_row_end_ = 0;  // of the tile
  int mi_col_begin_ = 0, mi_col_end_ = 0;
  const char* failure_ = nullptr;
  uint32_t used_references_ = 0;
  Arena<ModeInfo> mode_infos_;  // of the tile column, in decoding order

  // InterTxSizes of the block at hand, by its 4x4 units: of inter blocks with a
  // residual.
  uint8_t inter_tx_sizes_[kMaxSb4][kMaxSb4];
  // TxTypes of the block at hand, by its 4x4 units: what chroma looks up
  // (5.11.40).
  uint8_t tx_types_[kMaxSb4][kMaxSb4];

  // Offsets in the arena of this block's palettes (Y, UV), 16-bit units.
  uint32_t palette_offset_[2];

  // ---- residual.cc, coefficients.cc ----
  // By component, in 4x4 units of its plane: coefficient_contexts.h.
  std::vector<uint8_t> above_coefficients_[kComponents];
  uint8_t left_coefficients_[kComponents][kMaxSb4 + kContextPadding];
  // BlockDecoded of luma and chroma: rows from that above the superblock on, of
  // which bit 0 is the column to its left.
  uint64_t decoded_[kPlaneCount][kMaxSb4 + 2];
  // The blocks of a transform tree in decoding order: at most two splits of
  // each 64x64. x, y: 4x4 units of the block.
  struct TreeLeaf {
    uint8_t x, y, size;  // TxSize
  };
  static constexpr int kMaxTreeLeaves = 4 * 16;
  TreeLeaf tree_leaves_[kMaxTreeLeaves];
  int tree_leaf_count_;
  bool tree_is_uniform_;  // all have one size
  // Residuals of U's transform blocks in a 64x64, until V's are read.
  uint32_t residuals_u_[256];
  // Levels of the coefficients of a transform block, with a border for
  // contexts. All 0 between transform blocks.
  alignas(64) uint8_t levels_[kLevelRows * kLevelStride] = {};

  // ---- edges.cc ----
  bool has_edges_, has_chroma_edges_;  // the planes are deblocked
  TxSize uv_tx_size_;                  // of the block at hand
  std::span<uint16_t> luma_edges_;     // of the frame
  std::span<uint32_t> chroma_edges_;
  // Levels of 7.14.5 by segment, reference and modeType, where they do not
  // depend on the block.
  EdgeLevels edge_levels_[kSegments][kTotalRefs][2];
  // What the edges of the blocks below and to the right depend on.
  std::vector<uint16_t> above_luma_edges_;
  std::vector<uint16_t> above_chroma_edges_;
  uint16_t left_luma_edges_[kMaxSb4 + 7];  // read by 8
  uint16_t left_chroma_edges_[kMaxSb4 + 7];
  TileBorder* border_;  // of the tile column

  // ---- motion_vector.cc ----
  MvStack mv_stack_;  // of the block at hand

  // ---- warp.cc ----
  int cand_list_[8][4];  // CandList of the block at hand

  // ---- tile.cc ----
  std::span<CdefBlock> cdef_blocks_;  // of the frame
  std::span<RestorationUnit> restoration_units_;
  // RefLrWiener [plane][pass], RefSgrXqd.
  int8_t ref_lr_wiener_[kComponents][2][3];
  int8_t ref_sgr_xqd_[kComponents][2];

  // ---- mode_info.cc ----
  bool read_deltas_;  // ReadDeltas
  int current_qindex_;
  struct Quantizers {  // by component: get_dc_quant, get_ac_quant of 7.12.2
    uint16_t dc[kComponents], ac[kComponents];
  };
  Quantizers quantizers_[kSegments];
  int8_t delta_lf_[kFrameLfCount];
  // AboveSegPredContext from the tile's first column on, LeftSegPredContext
  // from the superblock's first row on: as all arrays of contexts here.
  std::vector<uint8_t> above_seg_pred_;
  uint8_t left_seg_pred_[kMaxSb4];

  // ---- palette.cc ----
  using PaletteColours = std::array<uint16_t, PERDIX_PALETTE_COLOURS>;
  PaletteColours palette_colours_[kComponents] = {};  // of the block at hand
  // PaletteColors [plane] of neighbours, which have palette_size of them.
  std::vector<PaletteColours> above_palettes_[2];
  PaletteColours left_palettes_[2][kMaxSb4];

  // ---- transform_size.cc ----
  // Whether txfm_split may come: what its contexts need is kept only then.
  bool keeps_tx_sizes_;
  // get_above_tx_width and get_left_tx_height of 8.3.2, log2 of samples.
  std::vector<uint8_t> above_tx_width_;
  uint8_t left_tx_height_[kMaxSb4];
};

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();

#endif  // PERDIX_CODEC_AV1_TILE_H_
