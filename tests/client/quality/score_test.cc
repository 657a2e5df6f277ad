// SPDX-License-Identifier: BSD-2-Clause
// Tables of scores, and the files that are made of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "client/quality/score_log.h"
#include "client/quality/score_svg.h"
#include "client/quality/score_table.h"

namespace perdix::client {
namespace {

// The second frame has the first score only.
const ScoreTable kTable = {{"psnr_y", "vmaf"},
                           {{40.5, 90}, {41, std::nullopt}, {42, 60.25}}};

TEST(PoolTest, TakesTheFramesThatHaveTheScore) {
  const auto pooled = Pool(kTable, 1);
  ASSERT_TRUE(pooled);
  EXPECT_EQ(pooled->min, 60.25);
  EXPECT_EQ(pooled->max, 90);
  EXPECT_EQ(pooled->mean, 75.125);
  EXPECT_NEAR(pooled->harmonic_mean, 2 / (1 / 91. + 1 / 61.25) - 1, 1e-12);
  EXPECT_EQ(pooled->min_frame, 2u);
}

TEST(PoolTest, NamesTheFirstOfTheWorstFrames) {
  EXPECT_EQ(Pool({{"vmaf"}, {{3}, {1}, {2}, {1}}}, 0)->min_frame, 1u);
}

TEST(PoolTest, HasNothingWithoutScores) {
  EXPECT_FALSE(Pool({{"vmaf"}, {{std::nullopt}}}, 0));
  EXPECT_FALSE(Pool({{"vmaf"}, {}}, 0));
}

TEST(ScoreLogTest, WritesCsv) {
  EXPECT_EQ(ToCsv(kTable),
            "Frame,psnr_y,vmaf\n"
            "0,40.500000,90.000000\n"
            "1,41.000000,\n"
            "2,42.000000,60.250000\n");
}

TEST(ScoreLogTest, WritesJsonAsLibvmafDoes) {
  EXPECT_EQ(ToJson({{"psnr_y", "vmaf"}, {{40, 90}, {42, std::nullopt}}},
                   "3.2.0", 169),
            R"({
  "version": "3.2.0",
  "fps": 169.00,
  "frames": [
    {
      "frameNum": 0,
      "metrics": {
        "psnr_y": 40.000000,
        "vmaf": 90.000000
      }
    },
    {
      "frameNum": 1,
      "metrics": {
        "psnr_y": 42.000000
      }
    }
  ],
  "pooled_metrics": {
    "psnr_y": {
      "min": 40.000000,
      "max": 42.000000,
      "mean": 41.000000,
      "harmonic_mean": 40.976190
    },
    "vmaf": {
      "min": 90.000000,
      "max": 90.000000,
      "mean": 90.000000,
      "harmonic_mean": 90.000000
    }
  },
  "aggregate_metrics": {
  }
}
)");
}

// What libvmaf wrote, read and written again.
TEST(ScoreLogTest, WritesALogOfLibvmafAgain) {
  std::ifstream file(PERDIX_GOLDEN_LOGS "/pair1.json");
  if (!file) GTEST_SKIP() << "no shared/metrics";
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto log = nlohmann::ordered_json::parse(text);
  ScoreTable table;
  for (const auto& [name, score] : log["frames"][0]["metrics"].items()) {
    table.names.push_back(name);
  }
  for (const auto& frame : log["frames"]) {
    auto& row = table.rows.emplace_back();
    for (const std::string& name : table.names) {
      row.push_back(frame["metrics"][name].get<double>());
    }
  }
  const std::string again = ToJson(table, log["version"], log["fps"]);
  // all but the last digit of what is pooled of rounded scores
  EXPECT_EQ(again.substr(0, again.find("pooled_metrics")),
            text.substr(0, text.find("pooled_metrics")));
  const auto read = nlohmann::ordered_json::parse(again);
  ASSERT_EQ(read["pooled_metrics"].size(), log["pooled_metrics"].size());
  for (const auto& [name, scores] : log["pooled_metrics"].items()) {
    for (const auto& [pooling, score] : scores.items()) {
      EXPECT_NEAR(read["pooled_metrics"][name][pooling].get<double>(),
                  score.get<double>(), 2e-6)
          << name << " " << pooling;
    }
  }
}

TEST(ScoreSvgTest, NamesMeanAndWorstFrame) {
  const std::string svg = ToSvg(kTable, 1, "a<b>.webm");
  EXPECT_NE(svg.find("a&lt;b&gt;.webm"), std::string::npos);
  EXPECT_NE(svg.find(">mean 75.12<"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">frame 2: 60.25<"), std::string::npos) << svg;
  EXPECT_NE(svg.find("vmaf of 3 frames: mean 75.12, harmonic mean 72.22, min "
                     "60.25, max 90"),
            std::string::npos)
      << svg;
  // two points, at the first and the last frame
  EXPECT_NE(svg.find("points=\"56,94.4 872,161 \""), std::string::npos) << svg;
}

TEST(ScoreSvgTest, KeepsTheDipsOfALongFilm) {
  ScoreTable table = {{"vmaf"}, {}};
  for (int i = 0; i < 100000; ++i) table.rows.push_back({90});
  table.rows[54321] = {10};
  const std::string svg = ToSvg(table, 0, "long");
  EXPECT_LT(svg.size(), 30000u);
  EXPECT_NE(svg.find(",273.6 "), std::string::npos);
  EXPECT_NE(svg.find(">frame 54321: 10<"), std::string::npos);
}

TEST(ScoreSvgTest, DrawsWhatThereIs) {
  for (const ScoreTable& table :
       {ScoreTable{{"psnr_y"}, {}}, ScoreTable{{"psnr_y"}, {{60}}},
        ScoreTable{{"psnr_y"}, {{60}, {60}}}, ScoreTable{{"vmaf"}, {{0}}}}) {
    const std::string svg = ToSvg(table, 0, "");
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
    EXPECT_LT(std::count(svg.begin(), svg.end(), '\n'), 60);
  }
}

}  // namespace
}  // namespace perdix::client
