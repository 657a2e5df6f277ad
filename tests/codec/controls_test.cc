// SPDX-License-Identifier: BSD-2-Clause
#include "codec/controls.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace perdix {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes TwoControls() {
  Bytes controls;
  AppendBytes(7, Bytes{1, 2, 3}, &controls);
  AppendControl(9, uint32_t{0x01020304}, &controls);
  return controls;
}

TEST(ControlsTest, RecordsArePaddedToEightBytes) {
  const Bytes controls = TwoControls();
  EXPECT_EQ(controls.size(), 32u);
  EXPECT_EQ((Bytes{controls.begin() + 8, controls.begin() + 16}),
            (Bytes{1, 2, 3, 0, 0, 0, 0, 0}));
}

TEST(ControlsTest, EachIsFoundWithItsSize) {
  const Bytes controls = TwoControls();
  std::span<const uint8_t> value;
  ASSERT_TRUE(FindControl(controls, 7, &value).ok());
  EXPECT_EQ((Bytes{value.begin(), value.end()}), (Bytes{1, 2, 3}));
  uint32_t number = 0;
  ASSERT_TRUE(ReadControl(controls, 9, &number).ok());
  EXPECT_EQ(number, 0x01020304u);
}

TEST(ControlsTest, SaysWhatIsMissing) {
  std::span<const uint8_t> value;
  EXPECT_EQ(FindControl(TwoControls(), 0x1234, &value).message(),
            "no control 0x1234");
  EXPECT_EQ(FindControl({}, 7, &value).message(), "no control 0x7");
}

TEST(ControlsTest, SaysWhichSizeItGotAndWanted) {
  uint64_t number = 0;
  EXPECT_EQ(ReadControl(TwoControls(), 9, &number).message(),
            "control 0x9 has 4 bytes, expected 8");
}

TEST(ControlsTest, NoValueLiesOutside) {
  Bytes controls = TwoControls();
  std::span<const uint8_t> value;
  controls[4] = 25;  // of the first value; 24 bytes follow its record
  EXPECT_EQ(FindControl(controls, 9, &value).message(),
            "control 0x7 has 25 bytes, 24 are left");
  std::fill(controls.begin() + 4, controls.begin() + 8, 0xFF);
  EXPECT_FALSE(FindControl(controls, 7, &value).ok());
}

// Cut anywhere, what is found is whole.
TEST(ControlsTest, CutAnywhere) {
  const Bytes controls = TwoControls();
  for (size_t bytes = 0; bytes < controls.size(); ++bytes) {
    uint32_t number = 0;
    const Controls cut = Controls(controls).first(bytes);
    EXPECT_EQ(ReadControl(cut, 9, &number).ok(), bytes >= 28) << bytes;
  }
}

}  // namespace
}  // namespace perdix
