// SPDX-License-Identifier: BSD-2-Clause
#include "codec/vp9/probability.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/codec/vp9/bool_encoder.h"

namespace perdix::vp9 {
namespace {

constexpr uint32_t kSeed = 20260102;
constexpr int kUpdateProbability = 252;

constexpr AdaptationInput kAdaptEverything = {
    .frame_is_intra = false,
    .last_frame_was_key = false,
    .switchable_interp_filter = true,
    .tx_mode_select = true,
    .compound_select = true,
    .single_reference_used = true,
    .compound_reference_used = true,
    .allow_high_precision_mv = true,
};

bool Equal(const FrameContext& a, const FrameContext& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

// Contexts 3 to 5 of band 0 do not exist and stay 0.
void ClearUnusedContexts(FrameContext* context) {
  for (auto& tx_size : context->coef) {
    for (auto& block_type : tx_size) {
      for (auto& ref_type : block_type) {
        std::memset(ref_type[0][3], 0, 3 * sizeof(ref_type[0][3]));
      }
    }
  }
}

FrameContext RandomContext(std::mt19937* random) {
  FrameContext context;
  auto* bytes = reinterpret_cast<uint8_t*>(&context);
  for (size_t i = 0; i < sizeof(context); ++i) {
    bytes[i] = uint8_t(1 + (*random)() % 255);
  }
  ClearUnusedContexts(&context);
  return context;
}

std::unique_ptr<SymbolCounts> RandomCounts(std::mt19937* random) {
  auto counts = std::make_unique<SymbolCounts>();
  auto* words = reinterpret_cast<uint32_t*>(counts.get());
  const int shift = int((*random)() % 30);
  for (size_t i = 0; i < sizeof(*counts) / 4; ++i) {
    words[i] = (*random)() % 3 == 0 ? 0 : ((*random)() & 0x3fffffff) >> shift;
  }
  return counts;
}

TEST(Vp9AdaptationTest, ZeroCountsGiveBackThePreviousProbabilities) {
  std::mt19937 random(kSeed);
  const auto counts = std::make_unique<SymbolCounts>();
  const FrameContext previous = RandomContext(&random);
  FrameContext context = RandomContext(&random);
  AdaptProbabilities(*counts, previous, kAdaptEverything, &context);
  EXPECT_TRUE(Equal(context, previous));
}

TEST(Vp9AdaptationTest, ProbabilitiesStayWithin1To255) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 300; ++i) {
    const auto counts = RandomCounts(&random);
    FrameContext context = RandomContext(&random);
    AdaptProbabilities(*counts, RandomContext(&random), kAdaptEverything,
                       &context);
    for (auto& tx_size : context.coef) {
      for (auto& block_type : tx_size) {
        for (auto& ref_type : block_type) {
          std::memset(ref_type[0][3], 1, 3 * sizeof(ref_type[0][3]));
        }
      }
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(&context);
    for (size_t k = 0; k < sizeof(context); ++k) {
      ASSERT_NE(bytes[k], 0) << "byte " << k << ", seed " << kSeed;
    }
  }
}

TEST(Vp9AdaptationTest, MergesBitsAsComputedByHand) {
  const auto counts = std::make_unique<SymbolCounts>();
  FrameContext previous = DefaultFrameContext();
  FrameContext context = previous;
  previous.skip[0] = previous.skip[1] = previous.skip[2] = 128;
  // 5 of 20: 64, at the full rate of 128 / 256.
  counts->skip[0][0] = 5;
  counts->skip[0][1] = 15;
  // 1 of 1: 255, at 128 * 1 / 20 = 6: (128 * 250 + 255 * 6 + 128) >> 8.
  counts->skip[1][0] = 1;
  // 0 of a million: 1, and no faster than after 20.
  counts->skip[2][1] = 1000000;
  AdaptProbabilities(*counts, previous, kAdaptEverything, &context);
  EXPECT_EQ(context.skip[0], 96);
  EXPECT_EQ(context.skip[1], 131);
  EXPECT_EQ(context.skip[2], 65);
}

TEST(Vp9AdaptationTest, MergesTreesAsComputedByHand) {
  const auto counts = std::make_unique<SymbolCounts>();
  FrameContext previous = DefaultFrameContext();
  FrameContext context = previous;
  for (uint8_t& probability : previous.partition[7]) probability = 128;
  for (uint8_t& probability : previous.tx_32x32[1]) probability = 100;
  const uint32_t partition[] = {10, 5, 3, 2}, tx_32x32[] = {4, 3, 2, 1};
  std::memcpy(counts->partition[7], partition, sizeof(partition));
  std::memcpy(counts->tx_32x32[1], tx_32x32, sizeof(tx_32x32));
  AdaptProbabilities(*counts, previous, kAdaptEverything, &context);
  EXPECT_EQ(context.partition[7][0], 128);  // 10 to 10
  EXPECT_EQ(context.partition[7][1], 128);  // 5 to 5
  EXPECT_EQ(context.partition[7][2], 131);  // 3 to 2: 154 at 32
  EXPECT_EQ(context.tx_32x32[1][0], 101);   // 4 to 6: 102 at 64
  EXPECT_EQ(context.tx_32x32[1][1], 104);   // 3 to 3: 128 at 38
  EXPECT_EQ(context.tx_32x32[1][2], 105);   // 2 to 1: 171 at 19
}

TEST(Vp9AdaptationTest, CoefficientsFollowFasterAfterAKeyFrame) {
  const auto counts = std::make_unique<SymbolCounts>();
  const uint32_t first[] = {6, 6, 6, 6}, after_zero[] = {0, 4, 2, 0};
  std::memcpy(counts->token[2][1][0][0][3][4], first, sizeof(first));
  std::memcpy(counts->token[2][1][0][1][3][4], after_zero, sizeof(after_zero));
  FrameContext previous = DefaultFrameContext();
  for (uint8_t& p : previous.coef[2][1][0][3][4]) p = 100;

  const auto adapt = [&](bool intra, bool after_key) {
    AdaptationInput input = kAdaptEverything;
    input.frame_is_intra = intra;
    input.last_frame_was_key = after_key;
    FrameContext context = previous;
    AdaptProbabilities(*counts, previous, input, &context);
    const uint8_t* p = context.coef[2][1][0][3][4];
    return std::vector<int>(p, p + 3);
  };
  // 6 to 18: 64; 6 to 18: 64; 10 to 8: 142 (18 of 24 symbols: factor 84, 96).
  const std::vector<int> slow = {84, 84, 114}, fast = {82, 82, 116};
  EXPECT_EQ(adapt(false, false), slow);
  EXPECT_EQ(adapt(false, true), fast);
  EXPECT_EQ(adapt(true, false), slow);
  EXPECT_EQ(adapt(true, true), slow);
}

TEST(Vp9AdaptationTest, IntraFramesAdaptCoefficientsOnly) {
  std::mt19937 random(kSeed);
  const auto counts = RandomCounts(&random);
  const FrameContext previous = RandomContext(&random);
  const FrameContext before = RandomContext(&random);
  AdaptationInput input = kAdaptEverything;
  input.frame_is_intra = true;
  FrameContext context = before;
  AdaptProbabilities(*counts, previous, input, &context);
  EXPECT_FALSE(Equal(context, before));
  std::memcpy(context.coef, before.coef, sizeof(context.coef));
  EXPECT_TRUE(Equal(context, before));
}

// Whatever <disable> switches off keeps the probabilities of the frame.
void ExpectKept(
    const std::function<void(AdaptationInput*)>& disable,
    const std::function<void(FrameContext*, const FrameContext&)>& copy) {
  std::mt19937 random(kSeed);
  const auto counts = RandomCounts(&random);
  const FrameContext previous = RandomContext(&random);
  const FrameContext before = RandomContext(&random);
  FrameContext expected = before;
  AdaptProbabilities(*counts, previous, kAdaptEverything, &expected);
  copy(&expected, before);
  AdaptationInput input = kAdaptEverything;
  disable(&input);
  FrameContext context = before;
  AdaptProbabilities(*counts, previous, input, &context);
  EXPECT_TRUE(Equal(context, expected));
}

#define PERDIX_COPY(field) \
  std::memcpy(&to->field, &from.field, sizeof(to->field))

TEST(Vp9AdaptationTest, LeavesOutWhatTheFrameDidNotCode) {
  ExpectKept([](auto* input) { input->switchable_interp_filter = false; },
             [](FrameContext* to, const FrameContext& from) {
               PERDIX_COPY(interp_filter);
             });
  ExpectKept([](auto* input) { input->tx_mode_select = false; },
             [](FrameContext* to, const FrameContext& from) {
               PERDIX_COPY(tx_8x8);
               PERDIX_COPY(tx_16x16);
               PERDIX_COPY(tx_32x32);
             });
  ExpectKept([](auto* input) { input->compound_select = false; },
             [](FrameContext* to, const FrameContext& from) {
               PERDIX_COPY(comp_mode);
             });
  ExpectKept([](auto* input) { input->single_reference_used = false; },
             [](FrameContext* to, const FrameContext& from) {
               PERDIX_COPY(single_ref);
             });
  ExpectKept([](auto* input) { input->compound_reference_used = false; },
             [](FrameContext* to, const FrameContext& from) {
               PERDIX_COPY(comp_ref);
             });
  ExpectKept([](auto* input) { input->allow_high_precision_mv = false; },
             [](FrameContext* to, const FrameContext& from) {
               PERDIX_COPY(mv_class0_hp);
               PERDIX_COPY(mv_hp);
             });
}

TEST(Vp9SymbolCountsTest, AddsEveryCounter) {
  std::mt19937 random(kSeed);
  const auto a = RandomCounts(&random), b = RandomCounts(&random);
  const auto sum = std::make_unique<SymbolCounts>(*a);
  sum->Add(*b);
  const auto* words_a = reinterpret_cast<const uint32_t*>(a.get());
  const auto* words_b = reinterpret_cast<const uint32_t*>(b.get());
  const auto* words = reinterpret_cast<const uint32_t*>(sum.get());
  for (size_t i = 0; i < sizeof(*sum) / 4; ++i) {
    ASSERT_EQ(words[i], words_a[i] + words_b[i]) << "counter " << i;
  }
}

// encode_term_subexp of <delta> 0..254.
void WriteDelta(int delta, BoolEncoder* encoder) {
  const int classes = delta < 16 ? 0 : delta < 32 ? 1 : delta < 64 ? 2 : 3;
  for (int i = 0; i < classes; ++i) encoder->WriteBit(true);
  if (classes < 3) encoder->WriteBit(false);
  if (classes == 0) return encoder->WriteLiteral(uint32_t(delta), 4);
  if (classes == 1) return encoder->WriteLiteral(uint32_t(delta - 16), 4);
  if (classes == 2) return encoder->WriteLiteral(uint32_t(delta - 32), 5);
  const int v = delta - 64;
  if (v < 65) return encoder->WriteLiteral(uint32_t(v), 7);
  encoder->WriteLiteral(uint32_t((v + 65) / 2), 7);
  encoder->WriteBit((v + 65) % 2);
}

void WriteNoUpdates(int count, BoolEncoder* encoder) {
  while (count-- > 0) encoder->Write(false, kUpdateProbability);
}

constexpr CompressedHeaderInput kLosslessKeyFrame = {
    .lossless = true,
    .frame_is_intra = true,
    .switchable_interp_filter = false,
    .compound_reference_allowed = false,
    .allow_high_precision_mv = false,
};

// The probability that an update by <delta> makes of <probability>, or 0.
int UpdatedProbability(int probability, int delta) {
  BoolEncoder encoder;
  encoder.WriteBit(false);  // no update of coefficients
  encoder.Write(true, kUpdateProbability);
  WriteDelta(delta, &encoder);
  WriteNoUpdates(2, &encoder);
  const std::vector<uint8_t> data = encoder.Finish();
  FrameContext expected = DefaultFrameContext();
  expected.skip[0] = uint8_t(probability);
  FrameContext context = expected;
  CompressedHeader header;
  const Status status =
      ReadCompressedHeader(data, kLosslessKeyFrame, &context, &header);
  expected.skip[0] = context.skip[0];
  return status.ok() && Equal(context, expected) ? context.skip[0] : 0;
}

TEST(Vp9CompressedHeaderTest, DeltasReachEveryOtherProbabilityOnce) {
  for (int probability = 1; probability < 256; ++probability) {
    std::set<int> reached;
    for (int delta = 0; delta < 254; ++delta) {
      const int updated = UpdatedProbability(probability, delta);
      ASSERT_GE(updated, 1) << probability << ", delta " << delta;
      reached.insert(updated);
    }
    EXPECT_EQ(reached.size(), 254u) << probability;
    EXPECT_FALSE(reached.contains(probability));
    EXPECT_EQ(UpdatedProbability(probability, 254),
              UpdatedProbability(probability, 253));
  }
}

TEST(Vp9CompressedHeaderTest, FirstDeltasAreCoarseThenTheNearest) {
  EXPECT_EQ(UpdatedProbability(1, 0), 8);
  EXPECT_EQ(UpdatedProbability(1, 19), 255);
  EXPECT_EQ(UpdatedProbability(1, 20), 2);
  EXPECT_EQ(UpdatedProbability(128, 20), 127);
  EXPECT_EQ(UpdatedProbability(128, 21), 129);
  EXPECT_EQ(UpdatedProbability(255, 20), 254);
}

TEST(Vp9CompressedHeaderTest, LosslessFramesUse4x4TransformsUntold) {
  BoolEncoder encoder;
  encoder.WriteBit(false);
  WriteNoUpdates(3, &encoder);
  const std::vector<uint8_t> data = encoder.Finish();
  FrameContext context = DefaultFrameContext();
  CompressedHeader header = {TxMode::kSelect, ReferenceMode::kSelect};
  ASSERT_TRUE(
      ReadCompressedHeader(data, kLosslessKeyFrame, &context, &header).ok());
  EXPECT_EQ(header.tx_mode, TxMode::kOnly4x4);
  EXPECT_EQ(header.reference_mode, ReferenceMode::kSingle);
  EXPECT_TRUE(Equal(context, DefaultFrameContext()));
}

TEST(Vp9CompressedHeaderTest, ReadsAnInterFrame) {
  BoolEncoder encoder;
  encoder.WriteLiteral(7, 3);           // tx_mode: ALLOW_32X32 + 1
  WriteNoUpdates(2 + 4 + 6, &encoder);  // tx_mode_probs
  encoder.WriteLiteral(0, 4);           // no coefficients
  WriteNoUpdates(3 + 21, &encoder);     // skip, inter_mode
  WriteNoUpdates(8 + 4, &encoder);      // interp_filter, is_inter
  encoder.WriteLiteral(3, 2);           // REFERENCE_MODE_SELECT
  WriteNoUpdates(5 + 10 + 4, &encoder);
  encoder.Write(true, kUpdateProbability);  // comp_ref[4]
  WriteDelta(0, &encoder);
  WriteNoUpdates(36 + 48, &encoder);        // y_mode, partition
  WriteNoUpdates(3 + 2 * 22, &encoder);     // mv joints to bits
  WriteNoUpdates(2 * 9 + 3, &encoder);      // fractions, hp but the last
  encoder.Write(true, kUpdateProbability);  // mv_hp[1]
  encoder.WriteLiteral(77, 7);
  const std::vector<uint8_t> data = encoder.Finish();
  const CompressedHeaderInput input = {
      .lossless = false,
      .frame_is_intra = false,
      .switchable_interp_filter = true,
      .compound_reference_allowed = true,
      .allow_high_precision_mv = true,
  };
  FrameContext context = DefaultFrameContext();
  CompressedHeader header;
  const Status status = ReadCompressedHeader(data, input, &context, &header);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(header.tx_mode, TxMode::kSelect);
  EXPECT_EQ(header.reference_mode, ReferenceMode::kSelect);
  EXPECT_EQ(context.mv_hp[1], 155);
  FrameContext expected = DefaultFrameContext();
  EXPECT_NE(context.comp_ref[4], expected.comp_ref[4]);
  expected.comp_ref[4] = context.comp_ref[4];
  expected.mv_hp[1] = 155;
  EXPECT_TRUE(Equal(context, expected));
}

TEST(Vp9CompressedHeaderTest, NamesTheFieldThatRunsPastTheEnd) {
  CompressedHeaderInput input = kLosslessKeyFrame;
  input.lossless = false;
  FrameContext context = DefaultFrameContext();
  CompressedHeader header;
  const std::vector<uint8_t> data = {0x7f};
  const Status status = ReadCompressedHeader(data, input, &context, &header);
  EXPECT_EQ(status.code(), StatusCode::kInvalidBitstream);
  EXPECT_EQ(status.message(),
            "compressed header: 1 bytes end before tx_mode_probs does");
}

TEST(Vp9CompressedHeaderTest, RefusesNoDataAndASetMarker) {
  FrameContext context = DefaultFrameContext();
  CompressedHeader header;
  EXPECT_EQ(
      ReadCompressedHeader({}, kLosslessKeyFrame, &context, &header).code(),
      StatusCode::kInvalidBitstream);
  const std::vector<uint8_t> marked = {0xff, 0xff};
  EXPECT_EQ(
      ReadCompressedHeader(marked, kLosslessKeyFrame, &context, &header).code(),
      StatusCode::kInvalidBitstream);
}

}  // namespace
}  // namespace perdix::vp9
