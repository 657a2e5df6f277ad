// SPDX-License-Identifier: BSD-2-Clause
// The ordered list's records in waves: what a wave may be worked off in.
#include "kernels/gpu/av1/intra_items.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "kernels/av1/intra/intra_tables.h"
#include "tests/frame/av1/random_intra.h"

namespace perdix::av1 {
namespace {

void SetItems(const KernelInput& input, IntraItems* items) {
  const WorkLists tile = input.View();
  std::vector<gpu::TileInput> tiles;
  gpu::PlaceTiles({&tile, 1}, &tiles);
  const Status status =
      items->Set(input.params, input.codec_params.As<Params>(), tiles);
  ASSERT_TRUE(status.ok()) << status.message();
}

Bytes Decoded(KernelInput input) {
  const KernelArgs args = input.Args();
  RowOf(KernelId::kAv1IntraPred)
      .cpu[0][input.params.bit_depth > 8](
          args, {0, ItemCount(args, KernelId::kAv1IntraPred)});
  return input.target.bytes();
}

// ---- the order within a wave ----

// The input with its records in the items' order, those of a wave mixed.
KernelInput Mixed(TestRandom& random, const KernelInput& input,
                  const IntraItems& items) {
  KernelInput mixed = input;
  const TestList<IntraBlock> from = mixed.Of(kIntraBlocks);
  // No two records have all of this in common.
  std::map<std::tuple<uint32_t, uint32_t>, IntraBlock> records;
  for (size_t i = 0; i < from.size(); ++i) {
    const bool is_new =
        records.insert({{from[i].position, from[i].shape}, from[i]}).second;
    EXPECT_TRUE(is_new);
  }
  std::vector<IntraBlock> order;
  std::vector<IntraBlock> wave;
  const auto end_wave = [&] {
    for (size_t i = wave.size(); i > 1; --i) {
      std::swap(wave[i - 1], wave[random.Below(static_cast<uint32_t>(i))]);
    }
    order.insert(order.end(), wave.begin(), wave.end());
    wave.clear();
  };
  for (const IntraBatch& batch : items.batches()) {
    if (batch.begins_wave) end_wave();
    for (uint32_t i = 0; i < batch.count; ++i) {
      const IntraItem& item = items.items()[batch.first + i];
      wave.push_back(records.at({item.position, item.shape}));
    }
  }
  end_wave();
  EXPECT_EQ(order.size(), from.size());
  for (size_t i = 0; i < order.size(); ++i) from[i] = order[i];
  return mixed;
}

// The frames are of whole superblocks, because the scalar kernel has one place
// for all luma beyond the frame.
TEST(Av1IntraItemsTest, RecordsOfAWaveMayComeInAnyOrder) {
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    TestRandom random(seed);
    KernelInput input = RandomIntraInput(random, 64 * (1 + seed % 4), 128,
                                         seed % 2 == 0 ? 8 : 10, {});
    input.target.Fill(Content::kRandom, random);
    IntraItems items;
    SetItems(input, &items);
    const Bytes expected = Decoded(input);
    for (int round = 0; round < 3; ++round) {
      ASSERT_EQ(Decoded(Mixed(random, input, items)), expected);
    }
  }
}

TEST(Av1IntraItemsTest, KeepsNothingOfTheFrameBefore) {
  TestRandom random(5);
  IntraItems again;
  for (int frame = 0; frame < 3; ++frame) {
    const KernelInput input =
        RandomIntraInput(random, 200 - 60 * uint32_t(frame), 100, 8, {});
    IntraItems once;
    SetItems(input, &once);
    SetItems(input, &again);
    ASSERT_EQ(again.batches().size(), once.batches().size());
    ASSERT_EQ(again.items().size(), once.items().size());
    EXPECT_TRUE(std::ranges::equal(again.tables(), once.tables()));
    for (size_t i = 0; i < once.items().size(); ++i) {
      EXPECT_EQ(again.items()[i].position, once.items()[i].position);
      EXPECT_EQ(again.items()[i].detail, once.items()[i].detail);
    }
  }
}

// ---- single records ----

class Av1IntraWavesTest : public testing::Test {
 protected:
  Av1IntraWavesTest() { input_.params = TestFrameParams(64, 64, 8, 1, 1); }

  // A record of 8x8.
  void Add(uint32_t kind, uint32_t plane, uint32_t x4, uint32_t y4,
           uint32_t have, uint32_t payload) {
    input_.Of(kIntraBlocks)
        .push_back({PackPosition(x4, y4),
                    PackIntraShape(kind, plane, 3, 3, have, payload), 0,
                    PERDIX_NO_RESIDUAL});
  }
  void Predict(uint32_t x4, uint32_t y4, uint32_t mode,
               uint32_t above_right = 0, uint32_t below_left = 0) {
    uint32_t have = 0;
    if (x4 > 0) have |= PERDIX_INTRA_HAVE_LEFT;
    if (y4 > 0) have |= PERDIX_INTRA_HAVE_ABOVE;
    Add(PERDIX_INTRA_PREDICT, kLuma, x4, y4, have,
        PackPredict(mode, 0, 0, above_right, below_left));
  }

  // Items of each wave.
  std::vector<uint32_t> Waves() {
    SetItems(input_, &items_);
    std::vector<uint32_t> waves;
    for (const IntraBatch& batch : items_.batches()) {
      if (batch.begins_wave) waves.push_back(0);
      waves.back() += batch.count;
    }
    return waves;
  }

  KernelInput input_;
  IntraItems items_;
};

using Counts = std::vector<uint32_t>;

TEST_F(Av1IntraWavesTest, WaitForTheSidesThatTheModeReads) {
  Predict(0, 0, kDcPred);
  Predict(2, 0, kVPred);  // nothing above: the left stands for it
  Predict(0, 2, kVPred);
  Predict(2, 2, kHPred);
  EXPECT_EQ(Waves(), (Counts{1, 2, 1}));
}

TEST_F(Av1IntraWavesTest, WaitForWhatIsAboveRightAndBelowLeft) {
  Predict(4, 0, kDcPred);
  Predict(2, 2, kD45Pred);
  EXPECT_EQ(Waves(), (Counts{2}));
  Predict(2, 4, kD45Pred, 2);
  Predict(0, 8, kDcPred);
  Predict(2, 6, kD203Pred, 0, 2);
  Predict(4, 2, kD67Pred, 2);
  EXPECT_EQ(Waves(), (Counts{3, 3}));
}

TEST_F(Av1IntraWavesTest, HaveChromaAfterTheLumaThatItReads) {
  Predict(0, 0, kDcPred);
  Predict(2, 0, kDcPred);
  Add(PERDIX_INTRA_CFL, kChroma, 0, 0, 0, PackCfl(1, 1, 4, 4));
  EXPECT_EQ(Waves(), (Counts{1, 1, 1}));
  Add(PERDIX_INTRA_CFL, kChroma, 4, 4, 0, PackCfl(1, 1, 4, 4));
  EXPECT_EQ(Waves(), (Counts{2, 1, 1}));
}

TEST_F(Av1IntraWavesTest, KeepRecordsOfOneBlockInOrder) {
  Add(PERDIX_INTRA_PALETTE, kLuma, 0, 0, 0, 0);
  Add(PERDIX_INTRA_RESIDUAL, kLuma, 0, 0, 0, 0);
  Add(PERDIX_INTRA_INTER, kLuma, 4, 4, 0, PackInterIntra(0, 1));
  Add(PERDIX_INTRA_RESIDUAL, kLuma, 4, 4, 0, 0);
  EXPECT_EQ(Waves(), (Counts{2, 2}));
}

TEST_F(Av1IntraWavesTest, ShareTheMasksOfInterIntraBlocks) {
  Add(PERDIX_INTRA_INTER, kLuma, 0, 0, 0, PackInterIntra(0, 1));
  Waves();
  const size_t one = items_.tables().size();
  EXPECT_EQ(one, 4u * PERDIX_INTRA_TABLES_WORDS + 64);
  Add(PERDIX_INTRA_INTER, kLuma, 4, 0, 0, PackInterIntra(1, 1));
  Waves();
  EXPECT_EQ(items_.tables().size(), one);
  Add(PERDIX_INTRA_INTER, kChroma, 4, 0, 0, PackInterIntra(1, 1));
  Add(PERDIX_INTRA_INTER, kLuma, 0, 4, 0, PackInterIntra(1, 0));
  Waves();
  EXPECT_EQ(items_.tables().size(), one + 128);
}

TEST_F(Av1IntraWavesTest, RefuseFramesThatCopyFromThemselves) {
  input_.codec_params.As<Params>().allow_intrabc = 1;
  EXPECT_EQ(
      items_.Set(input_.params, input_.codec_params.As<Params>(), {}).code(),
      StatusCode::kUnsupported);
}

}  // namespace
}  // namespace perdix::av1
