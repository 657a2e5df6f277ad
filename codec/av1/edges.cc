// SPDX-License-Identifier: BSD-2-Clause
// The loop filter's edges (7.14.2, 7.14.3) and their levels (7.14.4, 7.14.5),
// fully resolved: words for each 4x4 of luma and of chroma.
//
// A "side" is what an edge depends on at one of its two sides: the transform
// block's size across the edge and the block's level (edge_levels.h).
#include <algorithm>
#include <cstring>

#include "codec/av1/edge_levels.h"
#include "codec/av1/tables.h"
#include "codec/av1/tile.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {
namespace {

constexpr int kNoStep = 64;  // no edges inside of a block

// The sides of 8 4x4s in a row or a column; each fits into 16 bits.
typedef uint16_t SideLanes __attribute__((vector_size(16)));

constexpr uint32_t Mask(bool set) { return 0u - uint32_t(set); }

// What luma and chroma do not have in common. Parts of words are made of one
// side, or of lanes of sides.
struct Luma {
  using Word = uint16_t;
  typedef Word WordLanes __attribute__((vector_size(16)));
  static constexpr Word kWholeSide = PackLumaSide(3, 63);

  // PackLumaEdges' part of a left (upper) edge, in lanes too.
  template <typename T>
  static constexpr T LeftPart(T side) {
    return T((side & Word{3}) | (side & Word{63 << 2}) << 2);
  }
  template <typename T>
  static constexpr T AbovePart(T side) {
    return T((side & Word{3}) << 2 | (side & Word{63 << 2}) << 8);
  }
  // The levels that come from before an edge: those that are 0 behind it.
  static uint32_t BorrowedLevels(uint32_t behind) {
    return Mask((behind & 63 << 2) == 0) & 63 << 2;
  }
  static WordLanes FirstLanes(SideLanes sides) { return sides; }
};

struct Chroma {
  using Word = uint32_t;
  typedef Word WordLanes __attribute__((vector_size(16)));
  static constexpr Word kWholeSide = PackChromaSide(3, 63, 63);

  template <typename T>
  static constexpr T LeftPart(T side) {
    return (side & Word{3}) | (side & Word{63 << 2}) << 2 |
           (side & Word{63 << 8}) << 8;
  }
  template <typename T>
  static constexpr T AbovePart(T side) {
    return (side & Word{3}) << 2 | (side & Word{63 << 2}) << 8 |
           (side & Word{63 << 8}) << 14;
  }
  static uint32_t BorrowedLevels(uint32_t behind) {
    return (Mask((behind & 63 << 2) == 0) & 63 << 2) |
           (Mask((behind & 63 << 8) == 0) & 63 << 8);
  }
  static WordLanes FirstLanes(SideLanes sides) {
    return WordLanes(
        __builtin_shufflevector(sides, SideLanes{}, 0, 8, 1, 9, 2, 10, 3, 11));
  }
};

static_assert(Luma::LeftPart(PackLumaSide(2, 41)) ==
              PackLumaEdges(2, 0, 41, 0));
static_assert(Luma::AbovePart(PackLumaSide(2, 41)) ==
              PackLumaEdges(0, 2, 0, 41));
static_assert(Chroma::LeftPart(PackChromaSide(2, 41, 25)) ==
              PackChromaEdges(2, 0, 41, 0, 25, 0));
static_assert(Chroma::AbovePart(PackChromaSide(2, 41, 25)) ==
              PackChromaEdges(0, 2, 0, 41, 0, 25));

// What sides before the edges of one region become: the smaller size, and the
// level of what lies before an edge only where that behind it is 0. All is 0
// where that is.
template <typename Plane>
class Joint {
 public:
  explicit Joint(uint32_t behind)
      : size_(behind & 3),
        levels_(uint16_t(behind & ~3u)),
        borrowed_(uint16_t(Plane::BorrowedLevels(behind))) {}

  uint32_t Join(uint32_t before) const {
    const uint32_t levels = levels_ | (before & borrowed_);
    return levels != 0 ? levels | std::min(size_, before & 3) : 0;
  }
  SideLanes Join(SideLanes before) const {
    typedef int16_t Signed __attribute__((vector_size(16)));  // have a minimum
    const Signed own = int16_t(size_) - Signed{};
    const Signed others = Signed(before) & int16_t{3};
    const SideLanes sizes = SideLanes(others < own ? others : own);
    if (borrowed_ == 0) [[likely]]
      return sizes | levels_;
    const SideLanes levels = levels_ | (before & borrowed_);
    return (levels | sizes) & SideLanes(levels != 0);
  }

 private:
  uint32_t size_;
  uint16_t levels_, borrowed_;
};

SideLanes LoadSides(const uint16_t* sides) {
  SideLanes lanes;
  std::memcpy(&lanes, sides, sizeof(lanes));
  return lanes;
}

// A block's, or one of its transform blocks': 4x4 units of the plane.
template <typename Plane>
struct Region {
  typename Plane::Word* words;  // of its upper left corner
  size_t stride;
  int width, height;   // inside the frame
  int step_x, step_y;  // of the transform blocks whose edges are filtered
  uint32_t left_side, above_side;  // its own at vertical, horizontal edges
  uint16_t *left, *above;          // contexts from its corner on, read by 8
};

// Writes the words, leaves the region's sides in the contexts. kWidth: the
// region's; 0: any.
template <typename Plane, int kWidth>
void WriteRegionOf(const Region<Plane>& region) {
  using Word = typename Plane::Word;
  using Lanes = typename Plane::WordLanes;
  constexpr int kStep = sizeof(Lanes) / sizeof(Word);
  const int width = kWidth != 0 ? kWidth : region.width;
  const uint32_t left_side = region.left_side, above_side = region.above_side;

  alignas(16) Word left_words[kMaxSb4];
  const Joint<Plane> at_left(left_side);
  for (int y = 0; y < region.height; y += kStep) {
    const Lanes words = Plane::LeftPart(
        Plane::FirstLanes(at_left.Join(LoadSides(region.left + y))));
    std::memcpy(left_words + y, &words, sizeof(words));
  }

  // The first row, and those with and without an edge above them.
  alignas(16) Word first[kMaxSb4], inner[kMaxSb4], other[kMaxSb4];
  const Joint<Plane> at_above(above_side);
  const Word inner_left = Plane::LeftPart(Word(at_left.Join(left_side)));
  const Word none_left = Plane::LeftPart(Word(left_side & ~3u));
  const Word inner_above = Plane::AbovePart(Word(at_above.Join(above_side)));
  const Word none_above = Plane::AbovePart(Word(above_side & ~3u));
  const SideLanes above_sides = uint16_t(above_side) - SideLanes{};
  Lanes index;
  for (int i = 0; i < kStep; ++i) index[i] = Word(i);
  for (int x = 0; x < width; x += kStep, index += Word(kStep)) {
    const Lanes is_inner = Lanes((index & Word(region.step_x - 1)) == 0);
    const Lanes columns = none_left ^ (is_inner & Word(inner_left ^ none_left));
    const Lanes above = Plane::AbovePart(
        Plane::FirstLanes(at_above.Join(LoadSides(region.above + x))));
    const Lanes rows[] = {columns | above, columns | inner_above,
                          columns | none_above};
    std::memcpy(first + x, &rows[0], sizeof(Lanes));
    std::memcpy(inner + x, &rows[1], sizeof(Lanes));
    std::memcpy(other + x, &rows[2], sizeof(Lanes));
    std::memcpy(region.above + x, &above_sides,
                sizeof(uint16_t) * size_t(std::min(width - x, kStep)));
  }

  Word* line = region.words;
  const Word above_mask = Plane::AbovePart(Plane::kWholeSide);
  const Word* row = first;
  for (int y = 0;;) {
    std::memcpy(line, row, sizeof(Word) * size_t(width));
    line[0] = Word((row[0] & above_mask) | left_words[y]);
    region.left[y] = uint16_t(left_side);
    if (++y == region.height) break;
    line += region.stride;
    row = (y & (region.step_y - 1)) == 0 ? inner : other;
  }
}

template <typename Plane>
void WriteRegion(const Region<Plane>& region) {
  switch (region.width) {
    case 1:
      return WriteRegionOf<Plane, 1>(region);
    case 2:
      return WriteRegionOf<Plane, 2>(region);
    case 4:
      return WriteRegionOf<Plane, 4>(region);
    case 8:
      return WriteRegionOf<Plane, 8>(region);
    case 16:
      return WriteRegionOf<Plane, 16>(region);
    default:  // whole superblocks, and what the frame cuts off
      return WriteRegionOf<Plane, 0>(region);
  }
}

// Clears the words of 4x4s that begin at or beyond the frame's size: of <rows>
// and <columns>, those from <visible_*> on.
template <typename Word>
void ClearBeyond(Word* words, size_t stride, int width, int height,
                 int visible_width, int visible_height) {
  for (int y = 0; y < height; ++y) {
    for (int x = y < visible_height ? std::max(visible_width, 0) : 0; x < width;
         ++x) {
      words[size_t(y) * stride + size_t(x)] = 0;
    }
  }
}

// Luma sizes of PackLumaEdges, chroma's of PackChromaEdges.
uint32_t LumaSize(int log2) { return uint32_t(std::min(log2, 4) - 1); }
uint32_t ChromaSize(int log2) { return uint32_t(std::min(log2, 3) - 1); }

int ModeType(const ModeInfo& info) {
  return info.y_mode >= NEARESTMV && info.y_mode != GLOBALMV &&
         info.y_mode != GLOBAL_GLOBALMV;
}

// The words of a column of sides: their left edges.
template <typename Plane>
void JoinColumn(const uint16_t* behind, const uint16_t* before,
                typename Plane::Word* words, size_t stride, int begin,
                int end) {
  using Word = typename Plane::Word;
  const Word mask = Plane::LeftPart(Plane::kWholeSide);
  for (int y = begin; y < end; ++y) {
    Word& word = words[size_t(y) * stride];
    const Word joined = Word(Joint<Plane>(behind[y]).Join(before[y]));
    word = Word((word & ~mask) | Plane::LeftPart(joined));
  }
}

// 4x4s of luma that begin inside the frame.
int Visible4(uint32_t samples) { return int((samples + 3) >> 2); }

}  // namespace

// ---- contexts ----

void TileDecoder::BeginEdgesFrame() {
  const uint32_t* level = parsed_->codec_params.As<Params>().loop_filter_level;
  has_edges_ = level[0] != 0 || level[1] != 0;
  has_chroma_edges_ =
      has_edges_ && frame_->num_planes > 1 && (level[2] != 0 || level[3] != 0);
  if (!has_edges_) return;
  const FrameTables tables = parsed_->tables.View();
  luma_edges_ = tables.Of(kLumaEdges);
  chroma_edges_ = tables.Of(kChromaEdges);
  const size_t padded = size_t(mi_col_end_ - mi_col_begin_) + kMaxSb4;
  above_luma_edges_.assign(padded, 0);
  above_chroma_edges_.assign(padded, 0);
  border_ = &frame_->borders[size_t(tile_col_)];
  const size_t rows = size_t(frame_->mi_rows) + kMaxSb4;
  border_->left_luma.resize(rows);
  border_->right_luma.resize(rows);
  border_->left_chroma.resize(rows);
  border_->right_chroma.resize(rows);

  if (frame_->delta_lf_present) return;
  constexpr int8_t kNoDeltas[kFrameLfCount] = {};
  for (int segment = 0; segment < kSegments; ++segment) {
    for (int ref = 0; ref < kTotalRefs; ++ref) {
      for (int type = 0; type < 2; ++type) {
        edge_levels_[segment][ref][type] =
            SelectEdgeLevels(*frame_, segment, ref, type, kNoDeltas);
      }
    }
  }
}

// Left of the tile column is nothing yet: JoinTileBefore.
void TileDecoder::BeginEdgesRow() {
  std::ranges::fill(left_luma_edges_, uint16_t{0});
  std::ranges::fill(left_chroma_edges_, uint16_t{0});
}

// ---- blocks ----

EdgeLevels TileDecoder::EdgeLevelsOf(const ModeInfo& info) const {
  const int ref = std::max<int>(info.ref_frame[0], INTRA_FRAME);
  const int type = ModeType(info);
  if (!frame_->delta_lf_present)
    return edge_levels_[info.segment_id][ref][type];
  return SelectEdgeLevels(*frame_, info.segment_id, ref, type, info.delta_lf);
}

// Writes the edges of luma's transform blocks, all of one size, in the region
// that begins at x, y of the block.
void TileDecoder::WriteLumaRegion(const Block& block, const EdgeLevels& levels,
                                  TxSize size, int x, int y, int width4,
                                  int height4, bool inner_edges) {
  const int row = block.mi_row + y, col = block.mi_col + x;
  const size_t stride = size_t(frame_->mi_cols);
  const int width_log2 = kTxWidthLog2[size], height_log2 = kTxHeightLog2[size];
  const Region<Luma> region = {
      .words = &luma_edges_[size_t(row) * stride + size_t(col)],
      .stride = stride,
      .width = std::min(width4, frame_->mi_cols - col),
      .height = std::min(height4, frame_->mi_rows - row),
      .step_x = inner_edges ? 1 << (width_log2 - 2) : kNoStep,
      .step_y = inner_edges ? 1 << (height_log2 - 2) : kNoStep,
      .left_side = PackLumaSide(LumaSize(width_log2), levels.of[0]),
      .above_side = PackLumaSide(LumaSize(height_log2), levels.of[1]),
      .left = left_luma_edges_ + (row & (frame_->sb_size4 - 1)),
      .above = above_luma_edges_.data() + (col - mi_col_begin_)};
  WriteRegion(region);
  if (col == mi_col_begin_) {
    std::fill_n(&border_->left_luma[size_t(row)], region.height,
                uint16_t(region.left_side));
  }
}

inline void TileDecoder::WriteLumaEdges(const Block& block,
                                        const EdgeLevels& levels) {
  const ModeInfo& info = *block.info;
  const int width = std::min(block.bw4, frame_->mi_cols - block.mi_col);
  const int height = std::min(block.bh4, frame_->mi_rows - block.mi_row);
  if (info.is_inter && !info.skip && !tree_is_uniform_) {
    for (int i = 0; i < tree_leaf_count_; ++i) {
      const TreeLeaf leaf = tree_leaves_[i];
      WriteLumaRegion(block, levels, TxSize(leaf.size), leaf.x, leaf.y,
                      kTxWidth[leaf.size] >> 2, kTxHeight[leaf.size] >> 2,
                      false);
    }
  } else {
    const int size = block.lossless                ? int(TX_4X4)
                     : info.is_inter && !info.skip ? int(tree_leaves_[0].size)
                                                   : int(info.tx_size);
    WriteLumaRegion(block, levels, TxSize(size), 0, 0, block.bw4, block.bh4,
                    !info.is_inter || !info.skip);
  }
  const size_t stride = size_t(frame_->mi_cols);
  const int visible_width = Visible4(parsed_->params.width) - block.mi_col;
  const int visible_height = Visible4(parsed_->params.height) - block.mi_row;
  if (width > visible_width || height > visible_height) {
    ClearBeyond(
        &luma_edges_[size_t(block.mi_row) * stride + size_t(block.mi_col)],
        stride, width, height, visible_width, visible_height);
  }
  if (block.mi_col + block.bw4 >= mi_col_end_) {
    std::copy_n(left_luma_edges_ + (block.mi_row & (frame_->sb_size4 - 1)),
                height, &border_->right_luma[size_t(block.mi_row)]);
  }
}

inline void TileDecoder::WriteChromaEdges(const Block& block,
                                          const EdgeLevels& levels) {
  const ModeInfo& info = *block.info;
  const int ss_x = frame_->subsampling_x, ss_y = frame_->subsampling_y;
  const int row = block.mi_row >> ss_y, col = block.mi_col >> ss_x;
  const int size = kSubsampledSize[block.size][ss_x][ss_y];
  const int width_log2 = kTxWidthLog2[uv_tx_size_];
  const int height_log2 = kTxHeightLog2[uv_tx_size_];
  const bool inner_edges = !info.is_inter || !info.skip;
  const size_t stride = size_t(frame_->mi_cols >> ss_x);
  const int left_row = (block.mi_row & (frame_->sb_size4 - 1)) >> ss_y;
  const Region<Chroma> region = {
      .words = &chroma_edges_[size_t(row) * stride + size_t(col)],
      .stride = stride,
      .width = std::min<int>(kNum4x4BlocksWide[size],
                             (frame_->mi_cols >> ss_x) - col),
      .height = std::min<int>(kNum4x4BlocksHigh[size],
                              (frame_->mi_rows >> ss_y) - row),
      .step_x = inner_edges ? 1 << (width_log2 - 2) : kNoStep,
      .step_y = inner_edges ? 1 << (height_log2 - 2) : kNoStep,
      .left_side =
          PackChromaSide(ChromaSize(width_log2), levels.of[2], levels.of[3]),
      .above_side =
          PackChromaSide(ChromaSize(height_log2), levels.of[2], levels.of[3]),
      .left = left_chroma_edges_ + left_row,
      .above = above_chroma_edges_.data() + (col - (mi_col_begin_ >> ss_x))};
  WriteRegion(region);
  // with subsampling, each 4x4 begins inside the frame
  const int visible_width =
      ss_x ? region.width : Visible4(parsed_->params.width) - col;
  const int visible_height =
      ss_y ? region.height : Visible4(parsed_->params.height) - row;
  if (region.width > visible_width || region.height > visible_height) {
    ClearBeyond(region.words, stride, region.width, region.height,
                visible_width, visible_height);
  }
  const size_t height = size_t(region.height);
  if (col == mi_col_begin_ >> ss_x) {
    std::fill_n(&border_->left_chroma[size_t(row)], height,
                uint16_t(region.left_side));
  }
  if (block.mi_col + block.bw4 >= mi_col_end_) {
    std::copy_n(left_chroma_edges_ + left_row, height,
                &border_->right_chroma[size_t(row)]);
  }
}

void TileDecoder::WriteEdges(const Block& block) {
  if (!has_edges_) return;
  const EdgeLevels levels = EdgeLevelsOf(*block.info);
  WriteLumaEdges(block, levels);
  if (has_chroma_edges_ && block.has_chroma) WriteChromaEdges(block, levels);
}

// ---- between tile columns ----

void TileDecoder::JoinTileBefore(uint32_t sb_row) {
  if (!has_edges_) return;
  const TileBorder& before = frame_->borders[size_t(tile_col_ - 1)];
  const TileBorder& behind = *border_;
  const int begin = int(sb_row) * frame_->sb_size4;
  const int end = std::min(begin + frame_->sb_size4, frame_->mi_rows);
  const int visible = Visible4(parsed_->params.height);
  JoinColumn<Luma>(behind.left_luma.data(), before.right_luma.data(),
                   &luma_edges_[size_t(mi_col_begin_)], size_t(frame_->mi_cols),
                   begin, std::min(end, visible));
  if (!has_chroma_edges_) return;
  const int ss_x = frame_->subsampling_x, ss_y = frame_->subsampling_y;
  JoinColumn<Chroma>(behind.left_chroma.data(), before.right_chroma.data(),
                     &chroma_edges_[size_t(mi_col_begin_ >> ss_x)],
                     size_t(frame_->mi_cols >> ss_x), begin >> ss_y,
                     ss_y ? end >> ss_y : std::min(end, visible));
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();
