// SPDX-License-Identifier: BSD-2-Clause
// Backward adaptation (VP9 8.4): the probabilities that a frame's symbol counts
// suggest, mixed with those the frame started from.
#include "codec/vp9/probability.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "codec/vp9/tables.h"

namespace perdix::vp9 {
namespace {

// How fast probabilities follow the counts (VP9 8.4.2): fully, that is by
// max_update_factor / 256, from count_sat symbols on.
struct Rate {
  uint32_t count_sat;
  uint32_t max_update_factor;
};
constexpr Rate kModeRate = {20, 128};          // COUNT_SAT, MAX_UPDATE_FACTOR
constexpr Rate kCoefRate = {24, 112};          // COEF_..., also _KEY
constexpr Rate kCoefRateAfterKey = {24, 128};  // COEF_..._AFTER_KEY

// merge_prob: zero counts give <previous>.
uint8_t MergeProb(uint8_t previous, uint32_t count0, uint32_t count1,
                  Rate rate) {
  const uint32_t total = count0 + count1;
  if (total == 0) return previous;
  const uint32_t measured =
      uint32_t((uint64_t{count0} * 256 + (total >> 1)) / total);
  const uint32_t probability = std::clamp(measured, 1u, 255u);
  const uint32_t count = std::min(total, rate.count_sat);
  const uint32_t factor = rate.max_update_factor * count / rate.count_sat;
  return uint8_t((previous * (256 - factor) + probability * factor + 128) >> 8);
}

// merge_probs below <node>; returns how often it was reached.
uint32_t MergeTree(const int8_t* tree, int node, const uint32_t* counts,
                   const uint8_t* previous, uint8_t* adapted) {
  uint32_t branch[2];
  for (int bit = 0; bit < 2; ++bit) {
    const int next = tree[node + bit];
    branch[bit] = next <= 0 ? counts[-next]
                            : MergeTree(tree, next, counts, previous, adapted);
  }
  adapted[node >> 1] =
      MergeProb(previous[node >> 1], branch[0], branch[1], kModeRate);
  return branch[0] + branch[1];
}

// One bit with a probability of its own, and arrays of such bits.
void AdaptBit(const uint32_t (&counts)[2], const uint8_t& previous,
              uint8_t& adapted) {
  adapted = MergeProb(previous, counts[0], counts[1], kModeRate);
}
template <typename Counts, typename Probability, size_t kCount>
void AdaptBit(const Counts (&counts)[kCount],
              const Probability (&previous)[kCount],
              Probability (&adapted)[kCount]) {
  for (size_t i = 0; i < kCount; ++i) {
    AdaptBit(counts[i], previous[i], adapted[i]);
  }
}

// A symbol coded with <tree>, and arrays of such symbols.
template <size_t kNodes>
void AdaptTree(const int8_t (&tree)[2 * kNodes],
               const uint32_t (&counts)[kNodes + 1],
               const uint8_t (&previous)[kNodes], uint8_t (&adapted)[kNodes]) {
  MergeTree(tree, 0, counts, previous, adapted);
}
template <size_t kTree, typename Counts, typename Probabilities, size_t kCount>
void AdaptTree(const int8_t (&tree)[kTree], const Counts (&counts)[kCount],
               const Probabilities (&previous)[kCount],
               Probabilities (&adapted)[kCount]) {
  for (size_t i = 0; i < kCount; ++i) {
    AdaptTree(tree, counts[i], previous[i], adapted[i]);
  }
}

// One set of coefficient probabilities. <first>: tokens with a more_coefs bit
// before them, [3] counts those where it was 0 (libvpx EOB_MODEL_TOKEN; its
// eob_branch is the sum). <after_zero>: tokens without.
void AdaptCoefficient(const uint32_t (&first)[4],
                      const uint32_t (&after_zero)[4], Rate rate,
                      const uint8_t (&previous)[3], uint8_t (&adapted)[3]) {
  const uint32_t zero = first[0] + after_zero[0];
  const uint32_t one = first[1] + after_zero[1];
  const uint32_t large = first[2] + after_zero[2];
  const uint32_t more_coefs = first[0] + first[1] + first[2];
  adapted[0] = MergeProb(previous[0], first[3], more_coefs, rate);
  adapted[1] = MergeProb(previous[1], zero, one + large, rate);
  adapted[2] = MergeProb(previous[2], one, large, rate);
}

// VP9 8.4.3.
void AdaptCoefficients(const SymbolCounts& counts, const FrameContext& previous,
                       Rate rate, FrameContext* context) {
  for (int tx = 0; tx < kTxSizes; ++tx) {
    for (int type = 0; type < kBlockTypes; ++type) {
      for (int ref = 0; ref < kRefTypes; ++ref) {
        for (int band = 0; band < kCoefBands; ++band) {
          for (int i = 0; i < CoefContexts(band); ++i) {
            AdaptCoefficient(counts.token[tx][type][ref][0][band][i],
                             counts.token[tx][type][ref][1][band][i], rate,
                             previous.coef[tx][type][ref][band][i],
                             context->coef[tx][type][ref][band][i]);
          }
        }
      }
    }
  }
}

// VP9 8.4.4, all but motion vectors. What a condition leaves out had no forward
// update either and so equals <previous> already.
void AdaptModes(const SymbolCounts& counts, const FrameContext& previous,
                const AdaptationInput& input, FrameContext* context) {
  FrameContext& c = *context;
  AdaptBit(counts.is_inter, previous.is_inter, c.is_inter);
  if (input.compound_select) {
    AdaptBit(counts.comp_mode, previous.comp_mode, c.comp_mode);
  }
  if (input.compound_reference_used) {
    AdaptBit(counts.comp_ref, previous.comp_ref, c.comp_ref);
  }
  if (input.single_reference_used) {
    AdaptBit(counts.single_ref, previous.single_ref, c.single_ref);
  }
  AdaptTree(inter_mode_tree, counts.inter_mode, previous.inter_mode,
            c.inter_mode);
  AdaptTree(intra_mode_tree, counts.y_mode, previous.y_mode, c.y_mode);
  AdaptTree(intra_mode_tree, counts.uv_mode, previous.uv_mode, c.uv_mode);
  AdaptTree(partition_tree, counts.partition, previous.partition, c.partition);
  AdaptBit(counts.skip, previous.skip, c.skip);
  if (input.switchable_interp_filter) {
    AdaptTree(interp_filter_tree, counts.interp_filter, previous.interp_filter,
              c.interp_filter);
  }
  if (input.tx_mode_select) {
    AdaptTree(tx_size_8_tree, counts.tx_8x8, previous.tx_8x8, c.tx_8x8);
    AdaptTree(tx_size_16_tree, counts.tx_16x16, previous.tx_16x16, c.tx_16x16);
    AdaptTree(tx_size_32_tree, counts.tx_32x32, previous.tx_32x32, c.tx_32x32);
  }
}

// VP9 8.4.4, motion vectors.
void AdaptMotionVectors(const SymbolCounts& counts,
                        const FrameContext& previous, bool high_precision,
                        FrameContext* context) {
  FrameContext& c = *context;
  AdaptTree(mv_joint_tree, counts.mv_joint, previous.mv_joint, c.mv_joint);
  AdaptBit(counts.mv_sign, previous.mv_sign, c.mv_sign);
  AdaptTree(mv_class_tree, counts.mv_class, previous.mv_class, c.mv_class);
  AdaptBit(counts.mv_class0_bit, previous.mv_class0_bit, c.mv_class0_bit);
  AdaptBit(counts.mv_bits, previous.mv_bits, c.mv_bits);
  AdaptTree(mv_fr_tree, counts.mv_class0_fr, previous.mv_class0_fr,
            c.mv_class0_fr);
  AdaptTree(mv_fr_tree, counts.mv_fr, previous.mv_fr, c.mv_fr);
  if (!high_precision) return;
  AdaptBit(counts.mv_class0_hp, previous.mv_class0_hp, c.mv_class0_hp);
  AdaptBit(counts.mv_hp, previous.mv_hp, c.mv_hp);
}

}  // namespace

void SymbolCounts::Add(const SymbolCounts& other) {
  static_assert(std::is_trivially_copyable_v<SymbolCounts> &&
                sizeof(SymbolCounts) % sizeof(uint32_t) == 0);
  auto* to = reinterpret_cast<uint32_t*>(this);
  const auto* from = reinterpret_cast<const uint32_t*>(&other);
  constexpr size_t kCounters = sizeof(SymbolCounts) / sizeof(uint32_t);
  for (size_t i = 0; i < kCounters; ++i) to[i] += from[i];
}

const FrameContext& DefaultFrameContext() { return default_frame_context; }

void AdaptProbabilities(const SymbolCounts& counts,
                        const FrameContext& previous,
                        const AdaptationInput& input, FrameContext* context) {
  const bool after_key = !input.frame_is_intra && input.last_frame_was_key;
  AdaptCoefficients(counts, previous, after_key ? kCoefRateAfterKey : kCoefRate,
                    context);
  if (input.frame_is_intra) return;  // tx and skip stay as forward updated, too
  AdaptModes(counts, previous, input, context);
  AdaptMotionVectors(counts, previous, input.allow_high_precision_mv, context);
}

}  // namespace perdix::vp9
