// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/top_frame.h"

#include <gtest/gtest.h>

#include "tests/ctl/sample.h"

namespace perdix::ctl {
namespace {

Snapshot SampleAt(uint64_t seconds) {
  Snapshot snapshot = ParseSnapshot(SampleStatistics(double(seconds)));
  snapshot.taken_usec = snapshot.daemon.statistics_since + seconds * 1'000'000;
  return snapshot;
}

bool Has(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines) {
    if (line.find(part) != std::string::npos) return true;
  }
  ADD_FAILURE() << "no \"" << part << "\" in:\n" << Join(lines, "\n");
  return false;
}

TEST(TopFrameTest, ShowsSessionsStagesAndLatencies) {
  TopView view;
  view.width = 110;
  view.height = 0;
  const auto lines = TopFrame(SampleAt(600), {}, view);
  Has(lines, "215.2 fps");
  Has(lines, "gst-launch-1.0");
  Has(lines, "Stages, all sessions, 10 min 00 s");
  Has(lines, "entropy                cpu      ####");
  Has(lines, "GPU: busy");
  Has(lines, "Latency, all sessions");
}

TEST(TopFrameTest, CountsFromTheResetOfTheView) {
  TopView view;
  view.height = 0;
  const auto all = TopFrame(SampleAt(600), {}, view);
  const auto last = TopFrame(SampleAt(600), SampleAt(590), view);
  Has(last, "Stages, all sessions, 10 s");
  // The same load, whenever one looks.
  const auto busy = [](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      if (line.starts_with("CPU: busy")) return line;
    }
    return std::string();
  };
  EXPECT_EQ(busy(all), busy(last));
  EXPECT_NE(busy(all), "");
}

TEST(TopFrameTest, CountersThatWereResetAreNotNegative) {
  TopView view;
  view.height = 0;
  for (const auto& line : TopFrame(SampleAt(5), SampleAt(600), view))
    EXPECT_LT(line.size(), 400u) << line;
}

TEST(TopFrameTest, ASelectedSessionAlone) {
  TopView view;
  view.height = 0;
  view.selected = 4;
  Has(TopFrame(SampleAt(600), {}, view), ">4");
  Has(TopFrame(SampleAt(600), {}, view), "Latency, session 4");
  view.selected = 99;  // it has gone
  Has(TopFrame(SampleAt(600), {}, view), "no frame yet");
}

TEST(TopFrameTest, FillsTheTerminalAndNoMore) {
  for (const size_t width : {1, 20, 80, 250}) {
    for (const size_t height : {1, 2, 10, 24, 100}) {
      TopView view{{true, true}, width, height, {}, "q quit"};
      const auto lines = TopFrame(SampleAt(600), {}, view);
      EXPECT_EQ(lines.size(), height);
      for (const auto& line : lines) EXPECT_LE(Width(line), width);
    }
  }
}

TEST(TopFrameTest, WithoutSessions) {
  TopView view;
  view.height = 0;
  Has(TopFrame({}, {}, view), "no sessions");
}

}  // namespace
}  // namespace perdix::ctl
