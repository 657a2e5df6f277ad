// SPDX-License-Identifier: BSD-2-Clause
#include "tools/bench/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

namespace perdix::bench {
namespace {

using nlohmann::json;

KernelReport Row(Variant variant, GateResult gate, uint64_t time) {
  KernelReport row;
  row.kernel = KernelId::kVp9IntraPred;
  row.variant = variant;
  row.gate = gate;
  if (gate == GateResult::kExact) row.nanoseconds = row.wall = time;
  if (gate != GateResult::kExact) row.reason = "frame <3> & \"more\"";
  return row;
}

Report Example() {
  Report report;
  report.machine = {"A GPU <1>", "driver & 2", "CPU \"3\""};
  report.threads = 4;
  report.overheads = {1000, 20, 300};
  ClipReport clip;
  clip.file = "dir/a<b>&c.webm";
  clip.width = 640;
  clip.height = 360;
  clip.frames = {0, 7};
  clip.kernels = {Row(Variant::kScalar, GateResult::kExact, 2000),
                  Row(Variant::kVulkan, GateResult::kExact, 500),
                  Row(Variant::kVulkan, GateResult::kWrong, 0)};
  clip.kernels[2].shared_memory = true;
  clip.overlaps = {{KernelId::kVp9IntraPred, KernelId::kVp9LoopFilter,
                    Variant::kScalar, 3, 10, 9, 20, 18}};
  clip.recipes = {{"all scalar", Recipe(), true, "", 50, 2, 0.01},
                  {"other", Recipe(), false, "why <not>", 0, 0, 0}};
  report.clips = {clip};
  report.calibrated = Recipe().ToString();
  return report;
}

TEST(ReportTest, RatioIsVulkanToTheFastestOnTheCpu) {
  const ClipReport clip = Example().clips[0];
  EXPECT_EQ(Ratio(clip, clip.kernels[0]), std::nullopt);
  EXPECT_EQ(Ratio(clip, clip.kernels[1]), 0.25);
  EXPECT_EQ(Ratio(clip, clip.kernels[2]), std::nullopt);
}

TEST(ReportTest, JsonHasEveryFigureAndNoneThatWasNotMeasured) {
  const json all = json::parse(ToJson(Example()));
  EXPECT_EQ(all["format"], 1);
  EXPECT_EQ(all["machine"]["gpu"], "A GPU <1>");
  EXPECT_EQ(all["machine"]["driver"], "driver & 2");
  EXPECT_EQ(all["machine"]["cpu"], "CPU \"3\"");
  EXPECT_EQ(all["machine"]["threads"], 4);
  EXPECT_EQ(all["overheads"], json({{"empty_submit_ns", 1000},
                                    {"dispatch_ns", 20},
                                    {"barrier_ns", 300}}));
  EXPECT_EQ(all["calibrated"], Recipe().ToString());
  const json clip = all["clips"].at(0);
  EXPECT_EQ(clip["width"], 640);
  EXPECT_EQ(clip["frames"], json({0, 7}));
  EXPECT_EQ(clip["kernels"].at(0), json({{"kernel", "vp9_intra_pred"},
                                         {"variant", "scalar"},
                                         {"gate", "exact"},
                                         {"ns_per_frame", 2000},
                                         {"spread_ns_per_frame", 0},
                                         {"wall_ns_per_frame", 2000}}));
  EXPECT_EQ(clip["kernels"].at(1)["memory"], "device");
  EXPECT_EQ(clip["kernels"].at(1)["ratio_to_cpu"], 0.25);
  EXPECT_EQ(clip["kernels"].at(2)["gate"], "wrong");
  EXPECT_FALSE(clip["kernels"].at(2).contains("ns_per_frame"));
  EXPECT_EQ(clip["overlaps"].at(0)["threads"], 3);
  EXPECT_EQ(clip["overlaps"].at(0)["cpu_per_second_beside_gpu"], 9);
  EXPECT_EQ(clip["overlaps"].at(0)["gpu_kernel"], "vp9_loop_filter");
  EXPECT_EQ(clip["recipes"].at(0)["fps"], 50);
  EXPECT_EQ(clip["recipes"].at(0)["fps_spread"], 2);
  EXPECT_EQ(clip["recipes"].at(0)["recipe"], Recipe().ToString());
  EXPECT_FALSE(clip["recipes"].at(1).contains("fps"));
}

TEST(ReportTest, JsonOfAnyBytesIsJson) {
  Report report = Example();
  report.clips[0].file = "\xff\xfe.webm";
  report.overheads.reset();
  const json all = json::parse(ToJson(report));
  EXPECT_FALSE(all.contains("overheads"));
}

TEST(ReportTest, SvgIsWellFormed) {
  const std::string svg = ToSvg(Example());
  const std::regex tag("<(/?)([a-z]+)((?: [a-z-]+=\"[^\"<&]*\")*)(/?)>");
  std::vector<std::string> open;
  std::string rest = svg;
  for (std::smatch match; std::regex_search(rest, match, tag);
       rest = match.suffix()) {
    const std::string text = match.prefix();
    EXPECT_EQ(text.find_first_of("<>"), std::string::npos) << text;
    EXPECT_FALSE(std::regex_search(text, std::regex("&(?!(amp|lt|gt|quot);)")))
        << text;
    if (match[1].length() != 0) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), match[2]);
      open.pop_back();
    } else if (match[4].length() == 0) {
      open.push_back(match[2]);
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(rest, "\n");
  EXPECT_EQ(svg.substr(0, 5), "<svg ");
  EXPECT_NE(svg.find("50.0 fps"), std::string::npos);
}

TEST(ReportTest, TheTableNamesWhatWasNotTimed) {
  const std::string table = ToTable(Example());
  for (const char* text : {"A GPU <1>", "exact", "wrong", "0.25", "all scalar",
                           "not timed: why <not>", "empty submit 1.0 us"}) {
    EXPECT_NE(table.find(text), std::string::npos) << text << '\n' << table;
  }
}

}  // namespace
}  // namespace perdix::bench
