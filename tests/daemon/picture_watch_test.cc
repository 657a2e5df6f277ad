// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/picture_watch.h"

#include <gtest/gtest.h>

#include <vector>

namespace perdix {
namespace {

using std::chrono::milliseconds;

// Pictures of one stream, 100 ms apart.
class Screen {
 public:
  explicit Screen(const PictureWatchOptions& options = {}) : watch_(options) {}

  PictureWatch::Changes Show(std::optional<double> difference,
                             double dark_ratio = 0, uint32_t width = 64) {
    now_ += milliseconds(100);
    const auto changes = watch_.Add({.mean = 100,
                                     .dark_ratio = dark_ratio,
                                     .difference = difference,
                                     .width = width,
                                     .height = 64},
                                    now_);
    freezes_ += changes.freeze;
    blacks_ += changes.black;
    return changes;
  }
  void ShowMany(int pictures, std::optional<double> difference,
                double dark_ratio = 0) {
    while (pictures-- > 0) Show(difference, dark_ratio);
  }

  const PictureWatch& watch() const { return watch_; }
  uint64_t frozen() const { return watch_.frozen().usec(); }
  uint64_t black() const { return watch_.black().usec(); }
  int freezes() const { return freezes_; }  // changes
  int blacks() const { return blacks_; }

 private:
  PictureWatch watch_;
  PictureWatch::Time now_{};
  int freezes_ = 0;
  int blacks_ = 0;
};

TEST(PictureWatchTest, SaysOnceThatItStandsStillAndOnceThatItMoves) {
  Screen screen;
  screen.ShowMany(5, 3.);
  screen.ShowMany(19, 0.25);
  EXPECT_EQ(screen.frozen(), 0u) << "1.9 s";
  EXPECT_TRUE(screen.Show(0.).freeze);
  EXPECT_EQ(screen.frozen(), 2'000'000u) << "since the last one that moved";
  screen.ShowMany(10, 0.1);
  EXPECT_EQ(screen.frozen(), 3'000'000u);
  EXPECT_EQ(screen.freezes(), 1);
  EXPECT_TRUE(screen.Show(0.26).freeze);
  EXPECT_EQ(screen.frozen(), 0u);
  screen.ShowMany(10, 3.);
  EXPECT_EQ(screen.freezes(), 2);
  EXPECT_EQ(screen.blacks(), 0);
}

TEST(PictureWatchTest, SaysOnceThatItIsBlackAndOnceThatItIsNot) {
  Screen screen({.black_seconds = 1, .black_ratio = 0.9});
  screen.ShowMany(5, 3., 0.89);
  screen.ShowMany(10, 3., 0.9);
  EXPECT_EQ(screen.black(), 0u) << "0.9 s";
  EXPECT_TRUE(screen.Show(3., 1.).black);
  EXPECT_EQ(screen.black(), 1'000'000u);
  screen.ShowMany(5, 3., 1.);
  EXPECT_TRUE(screen.Show(3., 0.5).black);
  EXPECT_EQ(screen.black(), 0u);
  EXPECT_EQ(screen.blacks(), 2);
  EXPECT_EQ(screen.freezes(), 0);
}

TEST(PictureWatchTest, AShortStopIsNone) {
  Screen screen;
  for (int i = 0; i < 5; ++i) {
    screen.ShowMany(15, 0.);
    screen.Show(1.);
  }
  EXPECT_EQ(screen.freezes(), 0);
}

TEST(PictureWatchTest, APictureThatIsNotComparedSaysNothing) {
  Screen screen;
  screen.ShowMany(30, 0.);
  EXPECT_EQ(screen.freezes(), 1);
  screen.ShowMany(5, std::nullopt);
  EXPECT_GT(screen.frozen(), 0u);
  screen.ShowMany(5, 0.);
  EXPECT_EQ(screen.freezes(), 1);
}

TEST(PictureWatchTest, AnotherSizeIsAnotherPicture) {
  Screen screen;
  screen.ShowMany(30, 0.);
  EXPECT_TRUE(screen.Show(std::nullopt, 0, 32).freeze);
  EXPECT_EQ(screen.frozen(), 0u);
}

TEST(PictureWatchTest, LooksAtEightBits) {
  PictureView picture;
  picture.width = 100;
  picture.height = 10;
  picture.bit_depth = 10;
  const SeenLuma seen = {
      .sums = {.total = 4 * 50 * 1000, .dark = 250, .difference = 4 * 1000},
      .compared = true};
  const ShownLuma luma = ToShownLuma(seen, picture);
  EXPECT_EQ(luma.mean, 50);
  EXPECT_EQ(luma.dark_ratio, 0.25);
  EXPECT_EQ(luma.difference, 1);
  EXPECT_EQ(
      ToShownLuma({.sums = seen.sums, .compared = false}, picture).difference,
      std::nullopt);
}

}  // namespace
}  // namespace perdix
