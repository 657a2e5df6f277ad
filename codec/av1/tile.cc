// SPDX-License-Identifier: BSD-2-Clause
// Tiles, superblocks, partitions and blocks (5.11.2 to 5.11.5), and what
// superblocks code for CDEF and loop restoration (5.11.55 to 5.11.58).
#include "codec/av1/tile.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "codec/av1/fill_rows.h"
#include "codec/av1/motion_field.h"
#include "codec/av1/tables.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {
namespace {

constexpr int kLog2Of64 = 6;
constexpr int kCdefSize4 = 16;  // 4x4 units of the 64x64 with one cdef_idx

// The probability of <value>, of 32768.
template <int N>
uint32_t Probability(const Cdf<N>& cdf, int value) {
  if (value >= N) return 0;
  const uint32_t at_least = value == 0 ? 32768u : cdf.values[value - 1];
  return at_least - (value == N - 1 ? 0u : cdf.values[value]);
}

// split_or_horz and split_or_vert (8.3.2): the probability of all partitions
// that split the side which sticks out of the frame. A CDF of its own, which is
// not kept.
template <int N>
Partition ReadForcedPartition(SymbolDecoder& symbol, const Cdf<N>& partitions,
                              bool has_cols) {
  constexpr Partition kSplitColumns[] = {PARTITION_VERT,   PARTITION_SPLIT,
                                         PARTITION_HORZ_A, PARTITION_VERT_A,
                                         PARTITION_VERT_B, PARTITION_VERT_4};
  constexpr Partition kSplitRows[] = {PARTITION_HORZ,   PARTITION_SPLIT,
                                      PARTITION_HORZ_A, PARTITION_HORZ_B,
                                      PARTITION_VERT_A, PARTITION_HORZ_4};
  uint32_t split = 0;
  for (const Partition partition : has_cols ? kSplitColumns : kSplitRows) {
    split += Probability(partitions, partition);
  }
  Cdf<2> cdf = {{uint16_t(split), 0}};
  if (symbol.ReadBool(cdf)) return PARTITION_SPLIT;
  return has_cols ? PARTITION_HORZ : PARTITION_VERT;
}

template <int N>
Partition ReadOnePartition(SymbolDecoder& symbol, Cdf<N>& partitions,
                           bool has_rows, bool has_cols) {
  if (has_rows && has_cols) return Partition(symbol.Read(partitions));
  if (!has_rows && !has_cols) return PARTITION_SPLIT;
  return ReadForcedPartition(symbol, partitions, has_cols);
}

int InverseRecenter(int r, int v) {  // 5.9.29
  if (v > 2 * r) return v;
  return v & 1 ? r - ((v + 1) >> 1) : r + (v >> 1);
}

// decode_subexp_bool (5.11.58).
int ReadSubexp(SymbolDecoder& symbol, int count, int k) {
  int first = 0;
  for (int i = 0;; ++i) {
    const int bits = i > 0 ? k + i - 1 : k;
    const int range = 1 << bits;
    if (count <= first + 3 * range) {
      return int(symbol.ReadNs(uint32_t(count - first))) + first;
    }
    if (symbol.ReadBit() == 0) return int(symbol.ReadLiteral(bits)) + first;
    first += range;
  }
}

uint32_t PackTaps(const int8_t* taps) {
  return uint32_t(uint8_t(taps[0])) | uint32_t(uint8_t(taps[1])) << 8 |
         uint32_t(uint8_t(taps[2])) << 16;
}

int DivideUp(int a, int b) { return (a + b - 1) / b; }

}  // namespace

std::unique_ptr<TileParser> NewTileDecoder() {
  return std::make_unique<TileDecoder>();
}

// ---- frames, tiles, rows ----

void TileDecoder::BeginFrame(FrameState* frame, ParsedFrame* parsed,
                             int tile_col) {
  frame_ = frame;
  parsed_ = parsed;
  tile_col_ = tile_col;
  lists_ = &parsed->tiles[size_t(tile_col)];
  mi_col_begin_ = frame->mi_col_starts[size_t(tile_col)];
  mi_col_end_ = frame->mi_col_starts[size_t(tile_col) + 1];
  failure_ = nullptr;
  used_references_ = 0;
  const FrameTables tables = parsed->tables.View();
  cdef_blocks_ = tables.Of(kCdefBlocks);
  restoration_units_ = tables.Of(kRestorationUnits);
  keeps_tx_sizes_ = frame->tx_mode == TX_MODE_SELECT &&
                    (!frame->frame_is_intra || frame->allow_intrabc);

  // a block has one 4x4 in the frame at least
  const int columns = mi_col_end_ - mi_col_begin_;
  mode_infos_.Reset(size_t(columns) * size_t(frame->mi_rows));
  const size_t padded =
      size_t(DivideUp(columns, frame->sb_size4) * frame->sb_size4);
  above_seg_pred_.resize(padded);
  above_tx_width_.resize(padded);
  if (frame->allow_screen_content_tools) {
    for (auto& palettes : above_palettes_) palettes.resize(padded);
  }
  BeginResidualFrame();
}

bool TileDecoder::BeginTile(int tile_row, std::span<const uint8_t> data) {
  mi_row_begin_ = frame_->mi_row_starts[size_t(tile_row)];
  mi_row_end_ = frame_->mi_row_starts[size_t(tile_row) + 1];
  failure_ = nullptr;
  cdfs_ = frame_->cdfs;
  current_qindex_ = frame_->header.quantization.base_q_idx;
  SetQuantizers();
  std::ranges::fill(delta_lf_, int8_t{0});
  for (int plane = 0; plane < kComponents; ++plane) {
    for (auto& taps : ref_lr_wiener_[plane]) {
      std::ranges::copy(kWienerTapsMid, taps);
    }
    std::ranges::copy(kSgrprojXqdMid, ref_sgr_xqd_[plane]);
  }
  ClearAboveContext();
  return symbol_.Init(data, frame_->disable_cdf_update);
}

void TileDecoder::ClearAboveContext() {
  std::ranges::fill(above_seg_pred_, uint8_t{0});
  std::ranges::fill(above_tx_width_, uint8_t{kLog2Of64});
  BeginResidualTile();
}

void TileDecoder::ClearLeftContext() {
  std::ranges::fill(left_seg_pred_, uint8_t{0});
  std::ranges::fill(left_tx_height_, uint8_t{kLog2Of64});
  BeginResidualRow();
}

Status TileDecoder::DecodeRow(uint32_t sb_row) {
  const int step = frame_->sb_size4;
  const int mi_row = int(sb_row) * step;
  ClearLeftContext();
  if (frame_->use_ref_frame_mvs) {
    const int mi_row_end = std::min(mi_row + step, mi_row_end_);
    EstimateMotionField(
        {uint32_t(mi_row) / 2, uint32_t(mi_row_end) / 2},
        {uint32_t(mi_col_begin_) / 2, uint32_t(mi_col_end_) / 2}, frame_);
  }
  for (int mi_col = mi_col_begin_; mi_col < mi_col_end_; mi_col += step) {
    DecodeSuperblock(mi_row, mi_col);
    if (symbol_.Overrun()) Fail("tile data ends too early");
    if (failure_ != nullptr) return Failure(mi_row, mi_col);
    lists_->EndSuperblock(sb_row, uint32_t(mi_col / step));
  }
  return Status::Ok();
}

void TileDecoder::DecodeSuperblock(int mi_row, int mi_col) {
  read_deltas_ = frame_->delta_q_present;
  ClearCdef(mi_row, mi_col);
  BeginResidualSuperblock(mi_row, mi_col);
  ReadRestoration(mi_row, mi_col);
  DecodePartition(mi_row, mi_col,
                  frame_->use_128x128_superblock ? BLOCK_128X128 : BLOCK_64X64);
}

Status TileDecoder::EndTile(CdfContext* cdfs) {
  if (cdfs != nullptr) {
    *cdfs = cdfs_;
    ClearCounters(cdfs);
  }
  if (symbol_.EndsWithPadding()) return Status::Ok();
  return {StatusCode::kInvalidBitstream,
          "damaged data: it does not end with a 1 and zeros behind the last "
          "symbol"};
}

void TileDecoder::Fail(const char* what) {
  if (failure_ == nullptr) failure_ = what;
}

Status TileDecoder::Failure(int mi_row, int mi_col) const {
  return {StatusCode::kInvalidBitstream,
          std::string(failure_) + " in the superblock at " +
              std::to_string(mi_col * 4) + "," + std::to_string(mi_row * 4)};
}

// ---- partitions (5.11.4) ----

inline Partition TileDecoder::ReadPartition(int mi_row, int mi_col,
                                            BlockSize size) {
  const int log2 = kMiWidthLog2[size];
  const int half = 1 << log2 >> 1;
  const bool has_rows = mi_row + half < frame_->mi_rows;
  const bool has_cols = mi_col + half < frame_->mi_cols;
  const bool above = mi_row > mi_row_begin_ &&
                     kMiWidthLog2[frame_->At(mi_row - 1, mi_col)->size] < log2;
  const bool left = mi_col > mi_col_begin_ &&
                    kMiHeightLog2[frame_->At(mi_row, mi_col - 1)->size] < log2;
  const int context = left * 2 + above;
  const auto read = [&](auto& cdfs) {
    return ReadOnePartition(symbol_, cdfs[context], has_rows, has_cols);
  };
  switch (size) {
    case BLOCK_8X8:
      return read(cdfs_.partition_w8);
    case BLOCK_16X16:
      return read(cdfs_.partition_w16);
    case BLOCK_32X32:
      return read(cdfs_.partition_w32);
    case BLOCK_64X64:
      return read(cdfs_.partition_w64);
    default:
      return read(cdfs_.partition_w128);
  }
}

void TileDecoder::DecodePartition(int mi_row, int mi_col, BlockSize size) {
  if (failure_ != nullptr) return;
  if (mi_row >= frame_->mi_rows || mi_col >= frame_->mi_cols) return;
  if (size == BLOCK_4X4) return DecodeBlock(mi_row, mi_col, size);
  const Partition partition = ReadPartition(mi_row, mi_col, size);
  const auto subsize = BlockSize(kPartitionSubsize[partition][size]);
  if (kSubsampledSize[subsize][frame_->subsampling_x][frame_->subsampling_y] ==
      BLOCK_INVALID) {
    return Fail("a partition without a block size of chroma");
  }
  const int half = kNum4x4BlocksWide[size] >> 1;
  switch (partition) {
    case PARTITION_NONE:
      DecodeBlock(mi_row, mi_col, subsize);
      break;
    case PARTITION_HORZ:
      DecodeBlock(mi_row, mi_col, subsize);
      if (mi_row + half < frame_->mi_rows) {
        DecodeBlock(mi_row + half, mi_col, subsize);
      }
      break;
    case PARTITION_VERT:
      DecodeBlock(mi_row, mi_col, subsize);
      if (mi_col + half < frame_->mi_cols) {
        DecodeBlock(mi_row, mi_col + half, subsize);
      }
      break;
    case PARTITION_SPLIT:
      DecodePartition(mi_row, mi_col, subsize);
      DecodePartition(mi_row, mi_col + half, subsize);
      DecodePartition(mi_row + half, mi_col, subsize);
      DecodePartition(mi_row + half, mi_col + half, subsize);
      break;
    case PARTITION_HORZ_4:
    case PARTITION_VERT_4:
      DecodeQuarters(partition, mi_row, mi_col, size);
      break;
    default:
      DecodeUnequal(partition, mi_row, mi_col, size);
  }
}

// One half as a block, the other as two squares.
void TileDecoder::DecodeUnequal(Partition partition, int mi_row, int mi_col,
                                BlockSize size) {
  const auto large = BlockSize(kPartitionSubsize[partition][size]);
  const auto small = BlockSize(kPartitionSubsize[PARTITION_SPLIT][size]);
  const int half = kNum4x4BlocksWide[size] >> 1;
  const int row1 = mi_row + half, col1 = mi_col + half;
  switch (partition) {
    case PARTITION_HORZ_A:
      DecodeBlock(mi_row, mi_col, small);
      DecodeBlock(mi_row, col1, small);
      DecodeBlock(row1, mi_col, large);
      break;
    case PARTITION_HORZ_B:
      DecodeBlock(mi_row, mi_col, large);
      DecodeBlock(row1, mi_col, small);
      DecodeBlock(row1, col1, small);
      break;
    case PARTITION_VERT_A:
      DecodeBlock(mi_row, mi_col, small);
      DecodeBlock(row1, mi_col, small);
      DecodeBlock(mi_row, col1, large);
      break;
    default:
      DecodeBlock(mi_row, mi_col, large);
      DecodeBlock(mi_row, col1, small);
      DecodeBlock(row1, col1, small);
  }
}

void TileDecoder::DecodeQuarters(Partition partition, int mi_row, int mi_col,
                                 BlockSize size) {
  const auto subsize = BlockSize(kPartitionSubsize[partition][size]);
  const int quarter = kNum4x4BlocksWide[size] >> 2;
  const int row_step = partition == PARTITION_HORZ_4 ? quarter : 0;
  const int col_step = quarter - row_step;
  for (int i = 0; i < 4; ++i) {  // the last may lie outside
    const int row = mi_row + i * row_step, col = mi_col + i * col_step;
    if (row >= frame_->mi_rows || col >= frame_->mi_cols) return;
    DecodeBlock(row, col, subsize);
  }
}

// ---- blocks (5.11.5) ----

void TileDecoder::DecodeBlock(int mi_row, int mi_col, BlockSize size) {
  if (failure_ != nullptr) return;
  ModeInfo& info = *mode_infos_.Extend(1);
  info = {};
  info.size = size;
  Block block = {};
  block.info = &info;
  block.size = size;
  PlaceBlock(mi_row, mi_col, &block);
  if (frame_->frame_is_intra) {
    ReadIntraFrameModeInfo(block);
  } else {
    ReadInterFrameModeInfo(block);
  }
  if (failure_ != nullptr) return;
  if (info.palette_size[0] != 0 || info.palette_size[1] != 0) {
    ReadPaletteTokens(block);
  }
  ReadBlockTxSize(block);
  FillGrid(block);
  if (info.skip) {
    ResetBlockContext(block);
  } else if (frame_->enable_cdef) {
    MarkFiltered(block);
  }
  if (info.is_inter) PredictInter(block);
  Residual(block);
  WriteEdges(block);
  if (!frame_->frame_is_intra) SaveMvs(block);
}

// Where it is, what chroma it has, and its neighbours.
inline void TileDecoder::PlaceBlock(int mi_row, int mi_col,
                                    Block* block) const {
  const int bw4 = kNum4x4BlocksWide[block->size];
  const int bh4 = kNum4x4BlocksHigh[block->size];
  // blocks narrower or lower than chroma's 4x4 leave it to the last of them
  const bool narrow = bw4 == 1 && frame_->subsampling_x;
  const bool low = bh4 == 1 && frame_->subsampling_y;
  block->mi_row = mi_row;
  block->mi_col = mi_col;
  block->bw4 = bw4;
  block->bh4 = bh4;
  block->has_chroma = frame_->num_planes > 1 && !(low && (mi_row & 1) == 0) &&
                      !(narrow && (mi_col & 1) == 0);
  block->avail_u = mi_row > mi_row_begin_;
  block->avail_l = mi_col > mi_col_begin_;
  if (block->has_chroma) {
    block->avail_u_chroma = mi_row - low > mi_row_begin_;
    block->avail_l_chroma = mi_col - narrow > mi_col_begin_;
  }
  if (block->avail_u) block->above = frame_->At(mi_row - 1, mi_col);
  if (block->avail_l) block->left = frame_->At(mi_row, mi_col - 1);
}

inline void TileDecoder::FillGrid(const Block& block) {
  FillRows<const ModeInfo*>(
      frame_->grid.Row(block.mi_row) + block.mi_col, frame_->grid.Stride(),
      block.info, std::min(block.bw4, frame_->mi_cols - block.mi_col),
      std::min(block.bh4, frame_->mi_rows - block.mi_row));
}

// ---- CDEF ----

CdefBlock* TileDecoder::CdefBlockAt(int mi_row, int mi_col) {
  const int stride = DivideUp(frame_->mi_cols, kCdefSize4);
  return &cdef_blocks_[size_t(mi_row / kCdefSize4) * size_t(stride) +
                       size_t(mi_col / kCdefSize4)];
}

void TileDecoder::ClearCdef(int mi_row, int mi_col) {  // 5.11.55
  const int row_end = std::min(mi_row + frame_->sb_size4, frame_->mi_rows);
  const int col_end = std::min(mi_col + frame_->sb_size4, frame_->mi_cols);
  for (int row = mi_row; row < row_end; row += kCdefSize4) {
    for (int col = mi_col; col < col_end; col += kCdefSize4) {
      *CdefBlockAt(row, col) = {.index = PERDIX_NO_CDEF,
                                .padding0 = 0,
                                .filtered0 = 0,
                                .filtered1 = 0};
    }
  }
}

void TileDecoder::ReadCdef(const Block& block) {
  if (block.info->skip || frame_->coded_lossless || !frame_->enable_cdef ||
      frame_->allow_intrabc) {
    return;
  }
  if (CdefBlockAt(block.mi_row, block.mi_col)->index != PERDIX_NO_CDEF) return;
  const uint32_t index = symbol_.ReadLiteral(int(frame_->header.cdef.bits));
  // a block of more than one 64x64 begins at the corner of one
  const int row_end = std::min(block.mi_row + block.bh4, frame_->mi_rows);
  const int col_end = std::min(block.mi_col + block.bw4, frame_->mi_cols);
  for (int row = block.mi_row; row < row_end; row += kCdefSize4) {
    for (int col = block.mi_col; col < col_end; col += kCdefSize4) {
      CdefBlockAt(row, col)->index = index;
    }
  }
}

inline void TileDecoder::MarkFiltered(const Block& block) {
  const int row_end = std::min(block.mi_row + block.bh4, frame_->mi_rows);
  const int col_end = std::min(block.mi_col + block.bw4, frame_->mi_cols);
  for (int row = block.mi_row; row < row_end; row += kCdefSize4) {
    for (int col = block.mi_col; col < col_end; col += kCdefSize4) {
      const int x = (col & 15) >> 1, y = (row & 15) >> 1;
      const int width = (std::min(col_end - col, kCdefSize4) + 1) >> 1;
      const int height = (std::min(row_end - row, kCdefSize4) + 1) >> 1;
      const uint64_t columns = (((uint64_t{1} << width) - 1) << x) & 0xff;
      const uint64_t rows = ~uint64_t{0} >> (64 - 8 * height) << (8 * y);
      const uint64_t cells = (columns * 0x0101010101010101u) & rows;
      CdefBlock& cdef = *CdefBlockAt(row, col);
      cdef.filtered0 |= uint32_t(cells);
      cdef.filtered1 |= uint32_t(cells >> 32);
    }
  }
}

// ---- loop restoration ----

void TileDecoder::ReadRestoration(int mi_row, int mi_col) {
  if (frame_->allow_intrabc) return;
  const Params& params = parsed_->codec_params.As<Params>();
  const int step = frame_->sb_size4;
  for (int plane = 0; plane < frame_->num_planes; ++plane) {
    const RestorationPlane& units = params.restoration[plane];
    if (frame_->restoration_type[plane] == V4L2_AV1_FRAME_RESTORE_NONE)
      continue;
    const int unit_size = int(units.unit_size);
    const int height4 = 4 >> (plane > 0 ? frame_->subsampling_y : 0);
    // columns are those of the upscaled frame
    const int width4 = (4 >> (plane > 0 ? frame_->subsampling_x : 0)) *
                       int(params.superres_denom);
    const int row_end = std::min(
        int(units.unit_rows), DivideUp((mi_row + step) * height4, unit_size));
    const int col_end =
        std::min(int(units.unit_cols),
                 DivideUp((mi_col + step) * width4, unit_size * 8));
    const int col_begin = DivideUp(mi_col * width4, unit_size * 8);
    for (int row = DivideUp(mi_row * height4, unit_size); row < row_end;
         ++row) {
      for (int col = col_begin; col < col_end; ++col) {
        ReadRestorationUnit(
            plane,
            &restoration_units_[units.first + size_t(row) * units.unit_cols +
                                size_t(col)]);
      }
    }
  }
}

void TileDecoder::ReadRestorationUnit(int plane, RestorationUnit* unit) {
  constexpr uint32_t kNone = 0, kWiener = 1, kSelfGuided = 2;
  *unit = {.type = kNone, .vertical = 0, .horizontal = 0, .weights = 0};
  switch (frame_->restoration_type[plane]) {
    case V4L2_AV1_FRAME_RESTORE_WIENER:
      if (symbol_.ReadBool(cdfs_.use_wiener)) unit->type = kWiener;
      break;
    case V4L2_AV1_FRAME_RESTORE_SGRPROJ:
      if (symbol_.ReadBool(cdfs_.use_sgrproj)) unit->type = kSelfGuided;
      break;
    default:
      unit->type = symbol_.Read(cdfs_.restoration_type);
  }
  if (unit->type == kWiener) ReadWiener(plane, unit);
  if (unit->type == kSelfGuided) ReadSelfGuided(plane, unit);
}

void TileDecoder::ReadWiener(int plane, RestorationUnit* unit) {
  const int first = plane > 0;  // chroma's filter is shorter
  uint32_t packed[2];
  for (int pass = 0; pass < 2; ++pass) {
    int8_t* reference = ref_lr_wiener_[plane][pass];
    int8_t taps[3] = {};
    for (int i = first; i < 3; ++i) {
      taps[i] =
          int8_t(ReadSignedSubexp(kWienerTapsMin[i], kWienerTapsMax[i] + 1,
                                  kWienerTapsK[i], reference[i]));
      reference[i] = taps[i];
    }
    packed[pass] = PackTaps(taps);
  }
  unit->vertical = packed[0];
  unit->horizontal = packed[1];
}

void TileDecoder::ReadSelfGuided(int plane, RestorationUnit* unit) {
  constexpr int kSubexpK = 4;  // SGRPROJ_PRJ_SUBEXP_K
  const uint32_t set = symbol_.ReadLiteral(4);
  int8_t* reference = ref_sgr_xqd_[plane];
  for (int i = 0; i < 2; ++i) {
    const int low = kSgrprojXqdMin[i], high = kSgrprojXqdMax[i];
    int weight = 0;
    if (kSgrParams[set][i * 2] != 0) {  // its radius
      weight = ReadSignedSubexp(low, high + 1, kSubexpK, reference[i]);
    } else if (i == 1) {
      weight = std::clamp(128 - reference[0], low, high);
    }
    reference[i] = int8_t(weight);
  }
  unit->vertical = set;
  unit->weights = (uint32_t(reference[0]) & 0xffff) | uint32_t(reference[1])
                                                          << 16;
}

// decode_signed_subexp_with_ref_bool: low <= result < high.
int TileDecoder::ReadSignedSubexp(int low, int high, int k, int reference) {
  const int count = high - low, r = reference - low;
  const int v = ReadSubexp(symbol_, count, k);
  if (r << 1 <= count) return InverseRecenter(r, v) + low;
  return count - 1 - InverseRecenter(count - 1 - r, v) + low;
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();
