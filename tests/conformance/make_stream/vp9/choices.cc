// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/vp9/choices.h"

#include <algorithm>
#include <bit>
#include <span>

#include "codec/vp9/frame_state.h"
#include "codec/vp9/tables.h"

namespace perdix::vp9 {
namespace {

// By how many bools the parser's Fill tells what it reads: the two that begin a
// token, or a larger one's, each with two that follow.
constexpr int kFillOfToken = 4, kFillOfLargeToken = 7;
constexpr int kLastMvClass = kMvClasses - 1;  // has so many integer bits
constexpr int kContexts8x8 = 4;               // for partitions of 8x8
constexpr uint32_t kWays = 16;

// The most that the levels of a block may add up to, so that no sum of the
// inverse transform leaves its 8 + bit depth bits (VP9 8.7.2): no input counts
// more than 1.5 times in any of them.
int MostLevels(const FrameState& frame) {
  int step = 1;
  for (const auto& segment : frame.dequant) {
    for (const auto& plane : segment) {
      step = std::max<int>({step, plane[0], plane[1]});
    }
  }
  return std::max(2, (2 << (7 + frame.bit_depth)) / 3 / step);
}

}  // namespace

Style DrawStyle(Random& random) {
  const auto ways = [&random]() -> Ways {
    switch (random.Below(4)) {
      case 0:
        return {.evenly = 0, .rare = 0};
      case 1:
        return {.evenly = 16, .rare = 0};
      case 2:
        return {.evenly = random.Below(9), .rare = random.Below(3)};
      default:
        return {.evenly = random.Below(5), .rare = random.Below(12)};
    }
  };
  Style style;
  style.header = ways();
  if (!random.OneIn(4)) style.header = {.evenly = 0, .rare = 0};
  style.modes = ways();
  style.coefficients = ways();
  style.loud = random.OneIn(8);
  style.whole = random.Below(9);
  style.split = random.Below(9);
  if (random.Flag()) style.more_coefs = random.Of<uint32_t>({16, 128, 230});
  return style;
}

Choices* Choices::current_ = nullptr;

void Choices::BeginFrame(const Style& style) {
  parts_.clear();
  planned_.clear();
  style_ = style;
  in_tiles_ = false;
  token_ = Token::kOutside;
}

void Choices::BeginTiles(const FrameState& frame) {
  in_tiles_ = true;
  frame_ = &frame;
  most_levels_ = MostLevels(frame);
  if (style_.loud) most_levels_ = most_levels_ * 3 / 2;
  all_references_ =
      frame.frame_is_intra ||
      std::ranges::all_of(std::span(frame.reference_valid).subspan(1),
                          [](bool valid) { return valid; });
  small_blocks_ = true;
  for (int i = 0; i < kSegments && !frame.frame_is_intra; ++i) {
    // VP9 7.4.6: such a segment has no blocks below 8x8
    if (frame.segmentation.Active(i, V4L2_VP9_SEG_LVL_SKIP))
      small_blocks_ = false;
  }
  // No predictor is larger: clamp_mv_ref.
  const int predictor = std::max(frame.mi_cols, frame.mi_rows) * 64 + 136;
  lowest_large_mv_bit_ = std::bit_width(uint32_t(predictor) >> 3);
}

bool Choices::Choose(uint32_t probability, const Ways& ways) {
  const uint32_t way = random_.Below(kWays);
  if (way < ways.evenly) return random_.Flag();
  const bool likely = random_.Below(256) >= probability;
  return likely != (way < ways.evenly + ways.rare);
}

bool Choices::TakePlanned() {
  const bool bit = planned_.front();
  planned_.pop_front();
  return bit;
}

void Choices::Plan(uint32_t bits, int count) {
  while (count-- > 0) planned_.push_back(bits >> count & 1);
}

bool Choices::Bool(uint32_t probability, const uint8_t* place) {
  block_begins_ = true;  // if a coefficient follows
  if (!planned_.empty()) return TakePlanned();
  if (!in_tiles_) return Choose(probability, style_.header);
  const bool bit = ChooseSplit(place, Choose(probability, style_.modes));
  return all_references_ ? bit : ChooseReference(place, bit);
}

bool Choices::CanCompound() const {
  const auto& valid = frame_->reference_valid;
  return valid[frame_->comp_fixed_ref] &&
         (valid[frame_->comp_var_ref[0]] || valid[frame_->comp_var_ref[1]]);
}

// <bit>, unless a reference follows from it that no block can be predicted from
// (VP9 8.5.2.3).
bool Choices::ChooseReference(const uint8_t* place, bool bit) const {
  const FrameContext& probs = frame_->probabilities;
  const auto& valid = frame_->reference_valid;
  const auto inside = [place](const auto& table) {
    const auto* begin = reinterpret_cast<const uint8_t*>(&table);
    return place >= begin && place < begin + sizeof(table);
  };
  const auto choose = [bit](bool valid0, bool valid1) {
    return bit ? valid1 : !valid0;
  };
  if (inside(probs.is_inter)) {
    const bool single =
        frame_->compressed.reference_mode != ReferenceMode::kCompound;
    return bit && (single || CanCompound());
  }
  if (inside(probs.comp_mode)) return bit && CanCompound();
  if (inside(probs.comp_ref)) {
    return choose(valid[frame_->comp_var_ref[0]],
                  valid[frame_->comp_var_ref[1]]);
  }
  if (!inside(probs.single_ref)) return bit;
  if ((place - probs.single_ref[0]) % 2 == 0) {
    return choose(valid[LAST_FRAME],
                  valid[GOLDEN_FRAME] || valid[ALTREF_FRAME]);
  }
  return choose(valid[GOLDEN_FRAME], valid[ALTREF_FRAME]);
}

// ---- trees ----

uint32_t Choices::ChooseLeaf(const int8_t* tree, const uint8_t* probabilities) {
  int next = 0;
  do {
    const bool bit = Choose(probabilities[next >> 1], style_.modes);
    next = tree[next + bit];
  } while (next > 0);
  return uint32_t(-next);
}

uint32_t Choices::Leaf(const int8_t* tree, const uint8_t* probabilities) {
  block_begins_ = false;
  uint32_t leaf = ChooseLeaf(tree, probabilities);
  if (tree == partition_tree) leaf = ChoosePartition(probabilities, leaf);
  if (tree == mv_class_tree) {
    if (random_.OneIn(32)) leaf = random_.Below(kMvClasses);  // a long one
    leaf = LimitMvClass(leaf);
  }
  Cover(tree, probabilities, leaf);
  return leaf;
}

const uint8_t (*Choices::PartitionProbs() const)[3] {
  return frame_->frame_is_intra ? kf_partition_probs
                                : frame_->probabilities.partition;
}

// No block's chroma is four times as long as wide (VP9 6.4.24,
// get_plane_block_size).
bool Choices::MayHalve(uint32_t partition) const {
  const int ss_x = frame_->subsampling_x, ss_y = frame_->subsampling_y;
  if (partition == PARTITION_HORZ) return ss_x || !ss_y;
  return partition != PARTITION_VERT || !ss_x || ss_y;
}

uint32_t Choices::ChoosePartition(const uint8_t* probabilities, uint32_t leaf) {
  const bool smallest = probabilities < PartitionProbs()[kContexts8x8];
  if (smallest && !small_blocks_) return PARTITION_NONE;
  if (!smallest && !MayHalve(leaf)) leaf = PARTITION_SPLIT;
  const uint32_t way = random_.Below(kWays);
  if (way < style_.whole) return PARTITION_NONE;
  return way < style_.whole + style_.split ? uint32_t(PARTITION_SPLIT) : leaf;
}

// At the frame's right or lower border a bool says whether a square splits or
// halves; any other is <bit>.
bool Choices::ChooseSplit(const uint8_t* place, bool bit) const {
  const uint8_t* begin = PartitionProbs()[0];
  if (place < begin || place >= begin + 3 * kPartitionContexts) return bit;
  const bool below = (place - begin) % 3 == 1;
  return bit || !MayHalve(below ? PARTITION_HORZ : PARTITION_VERT);
}

// Motion vectors stay below 2048 luma samples (VP9 6.4.20): those of the last
// class have a zero among their integer bits that the predictor makes up for.
uint32_t Choices::LimitMvClass(uint32_t mv_class) {
  if (mv_class < kLastMvClass) return mv_class;
  if (lowest_large_mv_bit_ >= kLastMvClass) return mv_class - 1;
  for (int i = 0; i < kLastMvClass; ++i) {
    planned_.push_back(i != lowest_large_mv_bit_ && random_.Flag());
  }
  return mv_class;
}

// Covers symbols that the codec does not count.
void Choices::Cover(const int8_t* tree, const uint8_t* probabilities,
                    uint32_t leaf) {
  const auto cover = [&](const char* name, const auto& table) {
    constexpr size_t kSet = kIntraModes - 1;
    const auto* begin = reinterpret_cast<const uint8_t*>(&table);
    if (probabilities < begin || probabilities >= begin + sizeof(table)) return;
    coverage_.Symbol(name, kIntraModes, leaf, 1);
    coverage_.Context(name, sizeof(table) / kSet,
                      (probabilities - begin) / int64_t(kSet));
  };
  if (tree == segment_tree) coverage_.Symbol("segment_id", kSegments, leaf, 1);
  cover("default_intra_mode", kf_y_mode_probs);
  cover("default_uv_mode", kf_uv_mode_probs);
}

// ---- coefficients ----

void Choices::Fill(int reads) {
  if (reads == kFillOfToken) {
    if (block_begins_) levels_left_ = most_levels_;
    token_ = Token::kZero;
  } else if (reads == kFillOfLargeToken && token_ == Token::kLarge) {
    PlanLargeToken();
    token_ = Token::kSign;
  }
  block_begins_ = false;
}

bool Choices::CoefficientBool(uint32_t probability) {
  if (!planned_.empty()) return TakePlanned();
  bool bit = Choose(probability, style_.coefficients);
  switch (token_) {
    case Token::kZero:
      token_ = bit ? Token::kOne : Token::kOutside;
      break;
    case Token::kOne:
      bit = bit && levels_left_ >= 2;
      if (!bit) --levels_left_;
      token_ = bit ? Token::kLarge : Token::kSign;
      break;
    default:  // kMore
      if (style_.more_coefs > 0) bit = random_.Below(256) < style_.more_coefs;
      bit = bit && levels_left_ >= 1;
      token_ = Token::kOutside;
  }
  return bit;
}

bool Choices::Sign() {
  token_ = Token::kMore;
  return random_.Flag();
}

// All bools of a token of 2 or more, between more_than_one and the sign.
void Choices::PlanLargeToken() {
  constexpr uint32_t kCategoryCodes[6] = {0b100,  0b101,  0b1100,
                                          0b1101, 0b1110, 0b1111};
  const int largest = cat_base[5] + (1 << Cat6Bits(frame_->bit_depth)) - 1;
  const int level = random_.Logarithmic(2, std::min(levels_left_, largest));
  levels_left_ -= level;
  if (level == 2) return Plan(0b00, 2);
  if (level < cat_base[0]) return Plan(0b010u | uint32_t(level == 4), 3);
  int category = 5;
  while (level < cat_base[category]) --category;
  const int bits = category == 5 ? Cat6Bits(frame_->bit_depth) : category + 1;
  coverage_.Symbol("token_category", 6, category, 1);
  if (category == 5) {
    coverage_.Symbol("cat6_bits", Cat6Bits(12) + 1,
                     std::bit_width(uint32_t(level - cat_base[5])), 1);
  }
  Plan(kCategoryCodes[category], category < 2 ? 3 : 4);
  Plan(uint32_t(level - cat_base[category]), bits);
}

}  // namespace perdix::vp9
