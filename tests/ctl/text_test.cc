// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/text.h"

#include <gtest/gtest.h>

#include "tools/ctl/histogram.h"
#include "tools/ctl/screen.h"

namespace perdix::ctl {
namespace {

constexpr Style kPlain = {};
constexpr Style kFull = {true, true};

TEST(TextTest, NumbersHaveUnits) {
  EXPECT_EQ(Count(0), "0");
  EXPECT_EQ(Count(999), "999");
  EXPECT_EQ(Count(1'234'567), "1,234,567");
  EXPECT_EQ(Duration(850), "850 us");
  EXPECT_EQ(Duration(4'210), "4.2 ms");
  EXPECT_EQ(Duration(421'000), "421 ms");
  EXPECT_EQ(Duration(8'456'000), "8.5 s");
  EXPECT_EQ(Duration(12'000'000), "12 s");
  EXPECT_EQ(Duration(125'000'000), "2 min 05 s");
  EXPECT_EQ(Duration(11'100'000'000), "3 h 05 min");
  EXPECT_EQ(Duration(UINT64_MAX), "213,503,982 d 8 h");
  EXPECT_EQ(Bytes(1023), "1023 B");
  EXPECT_EQ(Bytes(3'600'000), "3.4 MiB");
}

TEST(TextTest, WidthCountsCharactersAndNoColours) {
  EXPECT_EQ(Width("a█ä"), 3u);
  EXPECT_EQ(Width(Paint(kFull, Colour::kRed, "ab")), 2u);
  EXPECT_EQ(PadLeft("ab", 4), "  ab");
  EXPECT_EQ(PadRight("äbcde", 3), "äbc");
  EXPECT_EQ(Cut("\033[31mabc\033[0m", 2), "\033[31mab\033[0m");
}

TEST(TextTest, ColoursOnlyWhereTheyAreWanted) {
  EXPECT_EQ(Paint(kPlain, Colour::kRed, "x"), "x");
  EXPECT_EQ(Paint(kFull, Colour::kRed, "x"), "\033[31mx\033[0m");
}

TEST(TextTest, BarsHaveTheirWidth) {
  EXPECT_EQ(Bar(kPlain, 0.5, 4), "##  ");
  EXPECT_EQ(Bar(kFull, 0.5, 3), "█▌ ");
  EXPECT_EQ(Bar(kFull, 7, 2), "██");
  EXPECT_EQ(Bar(kPlain, -1, 2), "  ");
  EXPECT_EQ(Bar(kPlain, 0. / 0., 2), "  ");
}

TEST(TextTest, TablesAlign) {
  Table table({{"A", true}, {"NAME"}});
  table.Add({"1", "x"});
  table.Add({"100", "yy"});
  EXPECT_EQ(Join(table.Lines(kPlain), "\n"), "  A  NAME\n  1  x\n100  yy");
}

TEST(HistogramTest, EveryFrameIsInABin) {
  const Bins bins = BinLatencies({{1000, 5}, {2000, 90}, {64'000, 1}}, 40);
  double frames = 0;
  for (const double count : bins.frames) frames += count;
  EXPECT_NEAR(frames, 96, 1e-6);
  EXPECT_EQ(bins.frames.size(), 40u);
}

TEST(HistogramTest, OneBucketAndNone) {
  EXPECT_EQ(BinLatencies({{0, 3}}, 10).frames.size(), 10u);
  const Bins none = BinLatencies({}, 10);
  EXPECT_TRUE(none.frames.empty());
  EXPECT_EQ(HistogramLines(none, 2, kPlain).size(), 3u);
  EXPECT_NE(HistogramSvg(none).find("<svg"), std::string::npos);
}

TEST(HistogramTest, FewFramesAreSeen) {
  const Bins bins = BinLatencies({{1000, 1}, {30'000, 1'000'000}}, 60);
  const auto lines = HistogramLines(bins, 3, kPlain);
  const size_t lowest = size_t(bins.Position(1000) * 60 - 1e-6);
  EXPECT_EQ(lines[2][lowest], '#') << lines[2];
  EXPECT_EQ(lines[0][lowest], ' ') << lines[0];
  EXPECT_NE(lines[3].find("|10 ms"), std::string::npos) << lines[3];
}

TEST(ScreenTest, KnowsItsKeys) {
  EXPECT_EQ(DecodeKey("q"), Key::kQuit);
  EXPECT_EQ(DecodeKey("\033[A"), Key::kUp);
  EXPECT_EQ(DecodeKey("\033OB"), Key::kDown);
  EXPECT_EQ(DecodeKey("r"), Key::kReset);
  EXPECT_EQ(DecodeKey("?"), Key::kOther);
  EXPECT_EQ(DecodeKey(""), Key::kQuit);
}

}  // namespace
}  // namespace perdix::ctl
