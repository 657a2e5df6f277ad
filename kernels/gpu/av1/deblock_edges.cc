// SPDX-License-Identifier: BSD-2-Clause
// Which edges are deblocked: the conditions of 7.14.1 and 7.14.2, as in
// kernels/av1/deblock/deblock_walk.h.
#include "kernels/gpu/av1/deblock_edges.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

#include "kernels/av1/deblock/deblock_walk.h"

namespace perdix::av1 {
namespace {

constexpr size_t kNone = kEdgeKindCount;

constexpr size_t IndexOf(const EdgeKind& kind) {
  return static_cast<size_t>(std::ranges::find(kEdgeKinds, kind) -
                             std::begin(kEdgeKinds));
}

// Makes the lists of a frame.
class EdgeScan {
 public:
  using Lists = std::array<std::vector<DeblockEdge>, kEdgeKindCount>;

  EdgeScan(const FrameParams& params, const Params& av1, Lists* lists)
      : params_(params), av1_(av1), lists_(*lists) {
    for (uint32_t level = 0; level < 64; ++level) {
      const EdgeLimits limits =
          LimitsOf(static_cast<int>(level),
                   static_cast<int>(av1.loop_filter_sharpness), 8);
      strengths_[level] =
          PackEdgeStrength(level, static_cast<uint32_t>(limits.limit));
    }
  }

  void ScanLuma(std::span<const uint16_t> words) {
    const bool odd = params_.bit_depth == 8;
    ForEachWord(
        words, kLuma, [=, this](uint32_t word, uint32_t x4, uint32_t y4) {
          const uint32_t position = PackEdgePosition(x4, y4);
          AddLuma(kLeft[LeftEdge(word)][odd && (x4 & 1) != 0], position,
                  LumaLeftLevel(word));
          AddLuma(kAbove[AboveEdge(word)], position, LumaAboveLevel(word));
        });
  }

  void ScanChroma(std::span<const uint32_t> words) {
    const uint32_t u = av1_.loop_filter_level[2] != 0 ? 63 : 0;
    const uint32_t v = av1_.loop_filter_level[3] != 0 ? 63 : 0;
    ForEachWord(words, kChroma, [&](uint32_t word, uint32_t x4, uint32_t y4) {
      const uint32_t position = PackEdgePosition(x4, y4);
      AddChroma(kChromaLeft[std::min(LeftEdge(word), 2u)], position,
                ChromaLeftLevel(word, 0) & u, ChromaLeftLevel(word, 1) & v);
      AddChroma(kChromaAbove[std::min(AboveEdge(word), 2u)], position,
                ChromaAboveLevel(word, 0) & u, ChromaAboveLevel(word, 1) & v);
    });
  }

 private:
  // Indices of kEdgeKinds, by size; kNone for size 0.
  static constexpr size_t kLeft[4][2] = {
      {kNone, kNone},
      {IndexOf({kLuma, false, 1, false}), IndexOf({kLuma, false, 1, true})},
      {IndexOf({kLuma, false, 2, false}), IndexOf({kLuma, false, 2, false})},
      {IndexOf({kLuma, false, 3, false}), IndexOf({kLuma, false, 3, false})}};
  static constexpr size_t kAbove[4] = {kNone, IndexOf({kLuma, true, 1, false}),
                                       IndexOf({kLuma, true, 2, false}),
                                       IndexOf({kLuma, true, 3, false})};
  static constexpr size_t kChromaLeft[3] = {
      kNone, IndexOf({kChroma, false, 1, false}),
      IndexOf({kChroma, false, 2, false})};
  static constexpr size_t kChromaAbove[3] = {
      kNone, IndexOf({kChroma, true, 1, false}),
      IndexOf({kChroma, true, 2, false})};

  // visit(word, x4, y4) for each word of a plane that has a size.
  template <typename Word, typename Visit>
  void ForEachWord(std::span<const Word> words, uint32_t plane,
                   const Visit& visit) const {
    const uint32_t log2_x = 2 + SubsamplingX(params_, plane);
    const uint32_t log2_y = 2 + SubsamplingY(params_, plane);
    const uint32_t words_per_row = av1_.mi_cols >> (log2_x - 2);
    // 7.14.2: onScreen.
    const uint32_t cols = (params_.width + (1u << log2_x) - 1) >> log2_x;
    const uint32_t rows = (params_.height + (1u << log2_y) - 1) >> log2_y;
    for (uint32_t y4 = 0; y4 < rows; ++y4) {
      const Word* const line = words.data() + size_t{y4} * words_per_row;
      for (uint32_t x4 = 0; x4 < cols;) {
        if (cols - x4 >= kGroup<Word> && HasNoEdge(line + x4)) {
          x4 += kGroup<Word>;
          continue;
        }
        const uint32_t word = line[x4];
        if ((word & kSizes) != 0) visit(word, x4, y4);
        ++x4;
      }
    }
  }

  static constexpr uint32_t kSizes = 15;  // the bits of a word's two sizes
  // Most words have no edge, so several are looked at at once.
  template <typename Word>
  static constexpr uint32_t kGroup = sizeof(uint64_t) / sizeof(Word);
  template <typename Word>
  static bool HasNoEdge(const Word* group) {
    uint64_t bits;
    std::memcpy(&bits, group, sizeof(bits));
    constexpr uint64_t kEach = UINT64_MAX / std::numeric_limits<Word>::max();
    return (bits & kEach * kSizes) == 0;
  }

  void AddLuma(size_t kind, uint32_t position, uint32_t level) {
    if (kind == kNone) return;
    const uint32_t strength = strengths_[level];
    lists_[kind].push_back({position, PackEdgeStrengths(strength, strength)});
  }

  void AddChroma(size_t kind, uint32_t position, uint32_t u, uint32_t v) {
    if (kind == kNone || (u | v) == 0) return;
    lists_[kind].push_back(
        {position, PackEdgeStrengths(u == 0 ? 0 : strengths_[u],
                                     v == 0 ? 0 : strengths_[v])});
  }

  const FrameParams& params_;
  const Params& av1_;
  Lists& lists_;
  uint32_t strengths_[64];  // by level
};

}  // namespace

void DeblockEdges::Set(const FrameParams& params, const Params& av1,
                       std::span<const uint16_t> luma,
                       std::span<const uint32_t> chroma) {
  for (auto& list : edges_) list.clear();
  const uint32_t* const level = av1.loop_filter_level;
  if (level[0] == 0 && level[1] == 0) return;
  EdgeScan scan(params, av1, &edges_);
  scan.ScanLuma(luma);
  if (!av1.monochrome) scan.ScanChroma(chroma);
}

}  // namespace perdix::av1
