// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/av1/intra_items.h"

#include <algorithm>
#include <cstring>

#include "kernels/av1/inter/masks.h"
#include "kernels/av1/intra/edge_strength.h"
#include "kernels/av1/intra/intra_tables.h"

namespace perdix::av1 {
namespace {

using gpu::CellArea;

// The mode of a PREDICT record's or an INTER record's prediction.
uint32_t ModeOf(const IntraBlock& block) {
  const uint32_t payload = IntraPayload(block.shape);
  if (IntraKind(block.shape) == PERDIX_INTRA_PREDICT) {
    return PredictMode(payload);
  }
  static constexpr uint32_t kInterIntraModes[] = {kDcPred, kVPred, kHPred,
                                                  kSmoothPred};
  return kInterIntraModes[InterIntraMode(payload)];
}

// pAngle, or 0 where the mode has none.
int AngleOf(const IntraBlock& block) {
  const uint32_t mode = ModeOf(block);
  if (mode < kVPred || mode > kD67Pred) return 0;
  const int angle = kModeAngle[mode - 1];
  if (IntraKind(block.shape) != PERDIX_INTRA_PREDICT) return angle;
  return angle + kAngleStep * PredictAngle(IntraPayload(block.shape));
}

uint32_t ProgramOf(const IntraBlock& block) {
  switch (IntraKind(block.shape)) {
    case PERDIX_INTRA_PREDICT:
      return AngleOf(block) % 90 == 0 ? PERDIX_INTRA_PROGRAM_PLAIN
                                      : PERDIX_INTRA_PROGRAM_DIRECTIONAL;
    case PERDIX_INTRA_FILTER:
      return PERDIX_INTRA_PROGRAM_FILTER;
    case PERDIX_INTRA_CFL:
      return PERDIX_INTRA_PROGRAM_CFL;
    case PERDIX_INTRA_RESIDUAL:
    case PERDIX_INTRA_PALETTE:
      return PERDIX_INTRA_PROGRAM_PAINT;
    default:
      return PERDIX_INTRA_PROGRAM_PLAIN;
  }
}

// ---- what a record reads ----

// PERDIX_INTRA_ITEM_ABOVE, LEFT and CORNER.
uint32_t SidesOf(const IntraBlock& block) {
  constexpr uint32_t kBoth = PERDIX_INTRA_ITEM_ABOVE | PERDIX_INTRA_ITEM_LEFT;
  const uint32_t kind = IntraKind(block.shape);
  if (kind == PERDIX_INTRA_RESIDUAL || kind == PERDIX_INTRA_PALETTE) return 0;
  if (kind == PERDIX_INTRA_CFL) return kBoth;
  if (kind == PERDIX_INTRA_FILTER) return kBoth | PERDIX_INTRA_ITEM_CORNER;
  const int angle = AngleOf(block);
  if (angle == 90) return PERDIX_INTRA_ITEM_ABOVE;
  if (angle == 180) return PERDIX_INTRA_ITEM_LEFT;
  if (angle == 0) {
    return kBoth | (ModeOf(block) == kPaethPred ? PERDIX_INTRA_ITEM_CORNER : 0);
  }
  return PERDIX_INTRA_ITEM_CORNER |
         (angle < 180 ? PERDIX_INTRA_ITEM_ABOVE : 0) |
         (angle > 90 ? PERDIX_INTRA_ITEM_LEFT : 0);
}

// Cells of a block, at least one in each direction.
CellArea OwnArea(const IntraBlock& block) {
  const auto cells = [](uint32_t log2) { return std::max(1 << log2 >> 2, 1); };
  return {IntraPlane(block.shape), static_cast<int>(PositionX4(block.position)),
          static_cast<int>(PositionY4(block.position)),
          cells(IntraWidthLog2(block.shape)),
          cells(IntraHeightLog2(block.shape))};
}

// The areas that a record reads.
class Reads {
 public:
  explicit Reads(const IntraBlock& block) : own_(OwnArea(block)) {
    // Records of the same cells stay in order.
    Add(own_.x, own_.y, own_.width, own_.height);
    AddSides(block);
    if (IntraKind(block.shape) == PERDIX_INTRA_CFL) AddLuma(block);
  }

  std::span<const CellArea> areas() const { return {areas_, count_}; }
  const CellArea& own() const { return own_; }

 private:
  void Add(int x, int y, int width, int height) {
    areas_[count_++] = {own_.plane, x, y, width, height};
  }

  // Where a side does not exist, the other's first pixel stands for it.
  void AddSides(const IntraBlock& block) {
    const uint32_t have = IntraHave(block.shape);
    const bool left = (have & PERDIX_INTRA_HAVE_LEFT) != 0;
    const bool above = (have & PERDIX_INTRA_HAVE_ABOVE) != 0;
    const uint32_t sides = SidesOf(block);
    const bool reads_above = (sides & PERDIX_INTRA_ITEM_ABOVE) != 0;
    const bool reads_left = (sides & PERDIX_INTRA_ITEM_LEFT) != 0;
    const bool reads_corner = (sides & PERDIX_INTRA_ITEM_CORNER) != 0;
    const bool turns = ProgramOf(block) == PERDIX_INTRA_PROGRAM_DIRECTIONAL;
    const uint32_t payload = turns ? IntraPayload(block.shape) : 0;
    if (above && reads_above) {
      Add(own_.x, own_.y - 1,
          own_.width + static_cast<int>(PredictAboveRight(payload)), 1);
    } else if (above && !left && (reads_left || reads_corner)) {
      Add(own_.x, own_.y - 1, 1, 1);
    }
    if (left && reads_left) {
      Add(own_.x - 1, own_.y, 1,
          own_.height + static_cast<int>(PredictBelowLeft(payload)));
    } else if (left && !above && (reads_above || reads_corner)) {
      Add(own_.x - 1, own_.y, 1, 1);
    }
    if (above && left && reads_corner) Add(own_.x - 1, own_.y - 1, 1, 1);
  }

  void AddLuma(const IntraBlock& block) {
    const uint32_t payload = IntraPayload(block.shape);
    areas_[count_++] = {kLuma, 2 * own_.x, 2 * own_.y,
                        static_cast<int>(CflLumaWidth4(payload)),
                        static_cast<int>(CflLumaHeight4(payload))};
  }

  const CellArea own_;
  CellArea areas_[5];
  size_t count_ = 0;
};

// ---- what an item has ----

// PackDirection of a block of the program DIRECTIONAL: what 7.11.2.4 finds out
// before it looks at samples.
uint32_t DirectionOf(const IntraBlock& block, bool filters) {
  const int angle = AngleOf(block);
  const bool from_above = angle < 90;
  const bool from_left = angle > 180;
  const bool from_both = !from_above && !from_left;
  const int dx = from_above  ? kDirectionStep[angle]
                 : from_both ? kDirectionStep[180 - angle]
                             : 0;
  const int dy = from_left   ? kDirectionStep[270 - angle]
                 : from_both ? kDirectionStep[angle - 90]
                             : 0;
  const int size =
      (1 << IntraWidthLog2(block.shape)) + (1 << IntraHeightLog2(block.shape));
  const bool smooth = PredictSmooth(IntraPayload(block.shape)) != 0;
  const uint32_t have = IntraHave(block.shape);
  const auto edge = [&](bool is_used, bool exists, int delta) -> uint32_t {
    if (!filters || !is_used) return 0;
    const int strength = exists ? EdgeFilterStrength(size, smooth, delta) : 0;
    return PackDirectionEdge(static_cast<uint32_t>(strength),
                             UpsamplesEdge(size, smooth, delta) ? 1 : 0);
  };
  return PackDirection(
      from_above  ? PERDIX_DIRECTION_ABOVE
      : from_both ? PERDIX_DIRECTION_BOTH
                  : PERDIX_DIRECTION_LEFT,
      static_cast<uint32_t>(dx), static_cast<uint32_t>(dy),
      edge(!from_left, (have & PERDIX_INTRA_HAVE_ABOVE) != 0, angle - 90),
      edge(!from_above, (have & PERDIX_INTRA_HAVE_LEFT) != 0, angle - 180),
      filters && from_both && size >= 24 ? 1 : 0);
}

uint32_t ResidualsOf(const IntraBlock& block) {
  const uint32_t kind = IntraKind(block.shape);
  if (kind > PERDIX_INTRA_RESIDUAL) return 0;
  return (block.residual0 != PERDIX_NO_RESIDUAL ? PERDIX_INTRA_ITEM_RESIDUAL0
                                                : 0) |
         (block.residual1 != PERDIX_NO_RESIDUAL ? PERDIX_INTRA_ITEM_RESIDUAL1
                                                : 0);
}

// What PERDIX_INTRA_TABLES_WORDS counts.
void WriteTables(std::vector<uint8_t>* tables) {
  tables->assign(PERDIX_INTRA_TABLES_WORDS * sizeof(uint32_t), 0);
  static_assert(sizeof(kSmoothWeights) <= 4 * PERDIX_INTRA_TAPS_WORD);
  static_assert(4 * PERDIX_INTRA_TAPS_WORD + sizeof(kFilterIntraTaps) <=
                4 * PERDIX_INTRA_TABLES_WORDS);
  std::memcpy(tables->data(), kSmoothWeights.data(), sizeof(kSmoothWeights));
  std::memcpy(tables->data() + sizeof(uint32_t) * PERDIX_INTRA_TAPS_WORD,
              kFilterIntraTaps, sizeof(kFilterIntraTaps));
}

}  // namespace

struct IntraItems::Frame {
  const FrameParams& params;
  const Params& av1;
};

Status IntraItems::Set(const FrameParams& params, const Params& av1,
                       std::span<const gpu::TileInput> tiles) {
  items_.clear();
  batches_.clear();
  masks_.fill(0);
  WriteTables(&tables_);
  paints_ = false;
  if (av1.allow_intrabc != 0) {
    return {StatusCode::kUnsupported,
            "allow_intrabc: got 1, needed 0: blocks that are copied from the "
            "frame itself stay on the CPU"};
  }

  grid_.Resize(params);
  list_of_.clear();
  next_.clear();
  for (const gpu::TileInput& tile : tiles) {
    for (const IntraBlock& block : tile.lists.Of(kIntraBlocks)) {
      const Reads reads(block);
      const uint32_t wave = grid_.Place(reads.areas(), reads.own());
      const bool chroma = IntraPlane(block.shape) != kLuma;
      const uint32_t list = wave * PERDIX_INTRA_PROGRAMS + ProgramOf(block) +
                            (chroma ? PERDIX_INTRA_CHROMA : 0);
      if (list >= next_.size()) {
        next_.resize((wave + 1) * size_t{PERDIX_INTRA_PROGRAMS});
      }
      ++next_[list];
      list_of_.push_back(list);
    }
  }
  AddBatches(static_cast<uint32_t>(next_.size() / PERDIX_INTRA_PROGRAMS));

  items_.resize(list_of_.size());
  const Frame frame = {params, av1};
  size_t index = 0;
  for (const gpu::TileInput& tile : tiles) {
    for (const IntraBlock& block : tile.lists.Of(kIntraBlocks)) {
      items_[next_[list_of_[index++]]++] = ItemOf(frame, tile, block);
      grid_.Clear(OwnArea(block));
    }
  }
  return Status::Ok();
}

// Lists become batches; next_ becomes each one's first item.
void IntraItems::AddBatches(uint32_t waves) {
  uint32_t first = 0;
  for (uint32_t wave = 0; wave < waves; ++wave) {
    bool begins = true;
    for (uint32_t program = 0; program < PERDIX_INTRA_PROGRAMS; ++program) {
      uint32_t& next = next_[wave * PERDIX_INTRA_PROGRAMS + program];
      const uint32_t count = next;
      next = first;
      if (count == 0) continue;
      batches_.push_back({program, first, count, begins});
      begins = false;
      first += count;
    }
  }
}

IntraItem IntraItems::ItemOf(const Frame& frame, const gpu::TileInput& tile,
                             const IntraBlock& block) {
  IntraItem item = {block.position, block.shape, 0,
                    ResidualsOf(block) | SidesOf(block)};
  switch (IntraKind(block.shape)) {
    case PERDIX_INTRA_PREDICT:
      item.detail = ProgramOf(block) == PERDIX_INTRA_PROGRAM_PLAIN
                        ? PackIntraPlain(ModeOf(block), 0)
                        : DirectionOf(block, frame.av1.filters_intra_edges);
      break;
    case PERDIX_INTRA_FILTER:
      item.detail = IntraPayload(block.shape);
      break;
    case PERDIX_INTRA_PALETTE:
      paints_ = true;
      item.detail = (tile.coefficient_base + block.residual0) / 2;
      break;
    case PERDIX_INTRA_INTER:
      item.detail = PackIntraPlain(ModeOf(block), MaskOf(block));
      break;
    default:
      break;
  }
  return item;
}

// ---- masks of inter-intra blocks ----

// Where the block's weights are in the tables, 32-bit words.
uint32_t IntraItems::MaskOf(const IntraBlock& block) {
  const uint32_t payload = IntraPayload(block.shape);
  const uint32_t wedge = InterIntraWedge(payload) & 31;
  const uint32_t which =
      wedge == 0 ? InterIntraMode(payload) : std::min(3 + wedge, 19u);
  const uint32_t sizes = ((IntraWidthLog2(block.shape) - 2) & 3) |
                         ((IntraHeightLog2(block.shape) - 2) & 3) << 2;
  uint32_t& at =
      masks_[(which * kPlaneCount + IntraPlane(block.shape)) * 16 + sizes];
  if (at == 0) at = AddMask(block);
  return at;
}

uint32_t IntraItems::AddMask(const IntraBlock& block) {
  const uint32_t payload = IntraPayload(block.shape);
  const uint32_t width_log2 = IntraWidthLog2(block.shape);
  const uint32_t height_log2 = IntraHeightLog2(block.shape);
  const int width = 1 << width_log2;
  const int height = 1 << height_log2;
  const bool chroma = IntraPlane(block.shape) != kLuma;
  const size_t at = tables_.size();
  const size_t pixels = size_t{1} << (width_log2 + height_log2);
  tables_.resize(at + pixels);
  uint8_t* const to = tables_.data() + at;
  if (InterIntraWedge(payload) == 0) {
    SmoothMask(InterIntraMode(payload), width, height, 1, to);
    return static_cast<uint32_t>(at / sizeof(uint32_t));
  }
  const uint32_t shift = chroma ? 1 : 0;
  const MaskRows luma = {WedgeMask(width_log2 + shift, height_log2 + shift, 0,
                                   InterIntraWedge(payload) - 1),
                         kWedgeStride};
  if (chroma) {
    // Each weight twice.
    uint8_t pairs[2 * 16 * 16];
    ChromaMask(luma, 1, 1, width, height, pairs);
    for (size_t i = 0; i < pixels; ++i) to[i] = pairs[2 * i];
  } else {
    for (int y = 0; y < height; ++y) {
      std::memcpy(to + y * width, luma.data + y * luma.stride,
                  static_cast<size_t>(width));
    }
  }
  return static_cast<uint32_t>(at / sizeof(uint32_t));
}

}  // namespace perdix::av1
