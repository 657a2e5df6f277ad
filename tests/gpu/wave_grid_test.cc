// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/wave_grid.h"

#include <gtest/gtest.h>

#include "tests/frame/kernel_input.h"

namespace perdix::gpu {
namespace {

class WaveGridTest : public testing::Test {
 protected:
  WaveGridTest() { grid_.Resize(TestFrameParams(64, 32, 8, 1, 1)); }

  uint32_t Place(std::initializer_list<CellArea> read,
                 const CellArea& written) {
    return grid_.Place({read.begin(), read.size()}, written);
  }

  WaveGrid grid_;
};

TEST_F(WaveGridTest, PlacesWhatReadsNothingAtOnce) {
  EXPECT_EQ(Place({}, {kLuma, 0, 0, 4, 4}), 0u);
  EXPECT_EQ(Place({}, {kLuma, 4, 0, 4, 4}), 0u);
}

TEST_F(WaveGridTest, PlacesAReaderAfterTheLastWriter) {
  EXPECT_EQ(Place({}, {kLuma, 0, 0, 1, 1}), 0u);
  EXPECT_EQ(Place({{kLuma, 0, 0, 1, 1}}, {kLuma, 1, 0, 1, 1}), 1u);
  EXPECT_EQ(Place({{kLuma, 0, 0, 2, 1}}, {kLuma, 0, 1, 2, 1}), 2u);
  EXPECT_EQ(Place({{kLuma, 2, 0, 4, 4}}, {kLuma, 2, 0, 4, 4}), 0u);
  EXPECT_EQ(
      Place({{kLuma, 4, 0, 1, 1}, {kLuma, 1, 1, 1, 1}}, {kLuma, 9, 0, 1, 1}),
      3u);
}

TEST_F(WaveGridTest, KeepsRecordsOfTheSameCellsInOrder) {
  const CellArea area = {kLuma, 3, 3, 2, 2};
  EXPECT_EQ(Place({area}, area), 0u);
  EXPECT_EQ(Place({area}, area), 1u);
  EXPECT_EQ(Place({area}, {kLuma, 4, 4, 1, 1}), 2u);
}

TEST_F(WaveGridTest, HasChromaWaitForLuma) {
  Place({}, {kLuma, 0, 0, 2, 2});
  EXPECT_EQ(Place({{kChroma, 0, 0, 1, 1}}, {kChroma, 1, 0, 1, 1}), 0u);
  EXPECT_EQ(Place({{kLuma, 0, 0, 2, 2}}, {kChroma, 0, 0, 1, 1}), 1u);
}

TEST_F(WaveGridTest, LeavesOutWhatLiesOutsideThePlane) {
  EXPECT_EQ(Place({{kLuma, -1, -1, 2, 2}}, {kLuma, 15, 7, 16, 16}), 0u);
  EXPECT_EQ(Place({{kLuma, 15, 7, 9, 9}}, {kLuma, -1, -1, 2, 2}), 1u);
  EXPECT_EQ(Place({{kChroma, 7, 3, 9, 9}}, {kChroma, 7, 3, 1, 1}), 0u);
}

TEST_F(WaveGridTest, ForgetsWhatIsCleared) {
  const CellArea area = {kLuma, 3, 3, 2, 2};
  Place({area}, area);
  grid_.Clear(area);
  EXPECT_EQ(Place({area}, area), 0u);
}

}  // namespace
}  // namespace perdix::gpu
