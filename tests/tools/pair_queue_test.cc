// SPDX-License-Identifier: BSD-2-Clause
#include "tools/decode/pair_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "tests/tools/numbered_pairs.h"

namespace perdix::client {
namespace {

// Sums that say which pair they are of.
Status MeasureNumbers(const QualityInput& input, QualitySums* sums) {
  sums->sse[0] = input.reference.width;
  sums->motion =
      input.previous == nullptr ? -1 : int64_t{input.previous->width};
  return Status::Ok();
}

TEST(PairQueueTest, GivesSumsInTheOrderOfPairs) {
  std::atomic<uint32_t> measured{0};
  PairQueue pairs(4, [&measured]() -> MeasurePair {
    return [&measured](const QualityInput& input, QualitySums* sums) {
      // the first of four takes longest
      std::this_thread::sleep_for(
          std::chrono::milliseconds(3 - input.reference.width % 4));
      ++measured;
      return MeasureNumbers(input, sums);
    };
  });
  int64_t taken = 0;
  const auto take = [&] {
    QualitySums sums;
    ASSERT_TRUE(pairs.Take(&sums).ok());
    EXPECT_EQ(sums.sse[0], taken);
    EXPECT_EQ(sums.motion, taken - 1);
    ++taken;
  };
  for (uint32_t i = 0; i < 50; ++i) {
    if (pairs.IsFull()) take();
    pairs.Add(PairOf(i));
  }
  while (pairs.size() > 0) take();
  EXPECT_EQ(measured, 50u);
}

TEST(PairQueueTest, EachThreadMeasuresItsOwn) {
  int made = 0;
  PairQueue pairs(3, [&made]() -> MeasurePair {
    ++made;
    return MeasureNumbers;
  });
  EXPECT_EQ(made, 3);
}

TEST(PairQueueTest, LetsGoOfAPairThatIsTaken) {
  PairQueue pairs(1, [] { return MeasurePair(MeasureNumbers); });
  Pair pair = PairOf(1);
  const std::weak_ptr<const void> owner = pair.decoded.owner;
  pairs.Add(std::move(pair));
  EXPECT_FALSE(owner.expired());
  QualitySums sums;
  EXPECT_TRUE(pairs.Take(&sums).ok());
  EXPECT_TRUE(owner.expired());
}

// P010 has them in the upper bits; a node says so in the image only.
TEST(PairQueueTest, ViewsSayWhereSamplesAre) {
  PairQueue pairs(1, []() -> MeasurePair {
    return [](const QualityInput& input, QualitySums*) {
      EXPECT_EQ(input.reference.shift, 0u);
      EXPECT_EQ(input.decoded.shift, 6u);
      EXPECT_EQ(input.previous, nullptr);
      return Status::Ok();
    };
  });
  Pair pair = PairOf(0);
  pair.decoded.image.shift = 6;
  pairs.Add(std::move(pair));
  QualitySums sums;
  EXPECT_TRUE(pairs.Take(&sums).ok());
}

TEST(PairQueueTest, SaysWhatFailed) {
  PairQueue pairs(2, []() -> MeasurePair {
    return [](const QualityInput& input, QualitySums*) -> Status {
      if (input.reference.width == 1) throw std::bad_alloc();
      return {StatusCode::kDeviceLost, "gone"};
    };
  });
  pairs.Add(PairOf(0));
  pairs.Add(PairOf(1));
  QualitySums sums;
  EXPECT_EQ(pairs.Take(&sums).message(), "gone");
  EXPECT_EQ(pairs.Take(&sums).code(), StatusCode::kOutOfMemory);
}

TEST(PairQueueTest, EndsWithPairsThatNobodyTook) {
  std::atomic<int> measured{0};
  {
    PairQueue pairs(1, [&measured]() -> MeasurePair {
      return [&measured](const QualityInput&, QualitySums*) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ++measured;
        return Status::Ok();
      };
    });
    for (uint32_t i = 0; i < 50; ++i) pairs.Add(PairOf(i));
  }
  EXPECT_LE(measured, 2);
}

}  // namespace
}  // namespace perdix::client
