// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/status.h"

#include <gtest/gtest.h>
#include <sysexits.h>

#include "tests/ctl/sample.h"
#include "tools/ctl/failure.h"

namespace perdix::ctl {
namespace {

using nlohmann::json;

constexpr Style kPlain = {};

Snapshot Sample() { return ParseSnapshot(SampleStatistics(600)); }

testing::AssertionResult Has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" in:\n" << text;
}

TEST(SnapshotTest, ReadsAllProperties) {
  const Snapshot snapshot = Sample();
  EXPECT_TRUE(snapshot.daemon.connected);
  EXPECT_EQ(snapshot.daemon.limits.at("MaxWidth"), 8192u);
  EXPECT_EQ(snapshot.daemon.recipe.at("vp9_loop_filter"), "vulkan");
  EXPECT_EQ(snapshot.daemon.stages.size(), 6u);
  ASSERT_EQ(snapshot.sessions.size(), 3u);
  EXPECT_EQ(snapshot.sessions[0].client_name, "gst-launch-1.0");
  EXPECT_EQ(snapshot.sessions[0].frames_decoded, 35'964u);
  EXPECT_GT(snapshot.sessions[0].latency_histogram.size(), 5u);
  EXPECT_FALSE(snapshot.sessions[0].film_grain);
  EXPECT_TRUE(snapshot.sessions[2].film_grain);
  EXPECT_EQ(snapshot.sessions[2].private_bytes, 8'294'400u);
  EXPECT_EQ(snapshot.daemon.private_bytes, 8'294'400u);
}

TEST(SnapshotTest, AnOlderDaemonHasFewerProperties) {
  const Snapshot snapshot = ParseSnapshot({{"daemon", {{"Version", "0.0.1"}}}});
  EXPECT_EQ(snapshot.daemon.version, "0.0.1");
  EXPECT_FALSE(snapshot.daemon.connected);
  EXPECT_TRUE(Has(StatusText(snapshot, kPlain), "not connected"));
}

TEST(SnapshotTest, SaysWhatIsOfAnotherType) {
  try {
    ParseSnapshot({{"daemon", {{"Threads", "many"}}}});
    FAIL() << "accepted";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit_code(), EX_PROTOCOL);
    EXPECT_TRUE(Has(failure.what(), "Threads is \"many\""));
  }
  EXPECT_THROW(ParseSnapshot({{"daemon", {{"StageUSec", {{"entropy"}}}}}}),
               Failure);
}

TEST(StatusTest, SaysWhyAGpuHasNoNode) {
  Daemon daemon = Sample().daemon;
  daemon.gpu = "llvmpipe";
  daemon.gpu_driver = daemon.gpu_node = daemon.gpu_drm_driver = "";
  EXPECT_EQ(GpuText(daemon), "llvmpipe, render node unknown (ready)");
  daemon.gpu_type = "software";
  EXPECT_EQ(GpuText(daemon), "llvmpipe, software, no render node (ready)");
  daemon.gpu_type = "integrated";
  daemon.gpu_state = "lost";
  EXPECT_EQ(GpuText(daemon), "llvmpipe, render node gone (lost)");
}

TEST(StatusTest, FitsOneScreen) {
  const std::string text = StatusText(Sample(), kPlain);
  EXPECT_TRUE(Has(text, "perdixd     0.1.0, 4 threads, log level info\n"));
  EXPECT_TRUE(Has(text, "module      connected, version 0.1.0\n"));
  EXPECT_TRUE(Has(text, "nodes       /dev/video0, /dev/media0\n"));
  EXPECT_TRUE(Has(text,
                  "GPU         V3D 7.1.7.0, V3DV Mesa 25.0.7, "
                  "/dev/dri/renderD128 by v3d 1.0.0 (ready)"));
  EXPECT_TRUE(Has(text, "stored by an earlier calibration"));
  EXPECT_TRUE(Has(text, "129,144 decoded, 2 failed, 5 dropped"));
  EXPECT_TRUE(Has(text, "beside them 7.9 MiB of our own"));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST(StatusTest, TroubleIsRed) {
  const std::string text = StatusText(Sample(), {true, true});
  EXPECT_TRUE(Has(text, "\033[31m2 failed\033[0m"));
  EXPECT_TRUE(Has(text, "\033[32mconnected\033[0m"));
}

TEST(StatusTest, SaysWhyThereAreNoNodes) {
  Snapshot snapshot = Sample();
  snapshot.daemon.connected = false;
  EXPECT_TRUE(Has(StatusText(snapshot, kPlain), "the module is not loaded"));
}

TEST(SessionsTest, OneRowEach) {
  const std::string text = SessionsText(Sample(), kPlain);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_TRUE(
      Has(text, " 3  gst-launch-1.0  4711  VP9 1920x1080              59.9"));
  EXPECT_TRUE(Has(text, "AV1 640x360 10 bit grain  125.3"));
  EXPECT_TRUE(Has(text, "7.9 MiB\n"));
  EXPECT_EQ(SessionsText({}, kPlain), "no sessions\n");
}

TEST(SessionsTest, SayWhatIsFrozenOrBlackWherePerdixdWatches) {
  Snapshot snapshot = Sample();
  const std::string text = SessionsText(snapshot, {true, true});
  EXPECT_TRUE(Has(text, "FROZEN  BLACK"));
  EXPECT_TRUE(Has(text, "\033[33m12 s\033[0m"));
  EXPECT_TRUE(Has(text, "\033[33m3.2 s\033[0m"));
  snapshot.daemon.watch = false;
  EXPECT_EQ(SessionsText(snapshot, kPlain).find("FROZEN"), std::string::npos);
}

TEST(WatchTest, OneRowEach) {
  const std::string text = WatchText(Sample(), kPlain);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_TRUE(Has(text, "LUMA    DARK  FROZEN  BLACK\n"));
  EXPECT_TRUE(Has(text, "101.2   8.0 %    12 s     no\n"));
  EXPECT_TRUE(Has(text, "16.5  99.5 %      no  3.2 s\n"));
}

TEST(SessionsTest, NamesOfClientsDoNothingToTheTerminal) {
  Snapshot snapshot = Sample();
  snapshot.sessions[0].client_name = "\033]0;x\a";
  EXPECT_EQ(SessionsText(snapshot, kPlain).find('\033'), std::string::npos);
}

TEST(SessionsTest, BeforeTheFirstFrame) {
  Snapshot snapshot;
  snapshot.sessions.emplace_back();
  EXPECT_TRUE(Has(SessionsText(snapshot, kPlain), "no frame yet"));
}

TEST(RecipeTest, SaysWhereItCameFrom) {
  Daemon daemon = Sample().daemon;
  EXPECT_TRUE(Has(RecipeText(daemon, kPlain), "vp9_loop_filter        vulkan"));
  EXPECT_EQ(RecipeSummary(daemon), "simd, vp9_loop_filter=vulkan");
  for (const char* source :
       {"configured", "stored", "default", "calibrated", "set"}) {
    daemon.recipe_source = source;
    EXPECT_NE(SourceText(daemon), source);
  }
  for (auto& [kernel, variant] : daemon.recipe) variant = "simd";
  EXPECT_EQ(RecipeSummary(daemon), "all simd");
}

}  // namespace
}  // namespace perdix::ctl
