// SPDX-License-Identifier: BSD-2-Clause
// The metrics are well formed, and say what was counted.
#include "daemon/metrics.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/daemon/dbus_fixture.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {
namespace {

// Prometheus' text format 0.0.4, as far as it goes: every sample belongs to the
// family announced last, none comes twice, and histograms add up.
class Exposition {
 public:
  explicit Exposition(const std::string& text) {
    EXPECT_TRUE(text.ends_with('\n'));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) Take(line);
    EXPECT_TRUE(help_.empty()) << help_ << " has no TYPE";
  }

  double at(const std::string& sample) const {
    const auto found = samples_.find(sample);
    if (found != samples_.end()) return found->second;
    ADD_FAILURE() << "no " << sample;
    return -1;
  }
  const std::map<std::string, double>& samples() const { return samples_; }

 private:
  void Take(const std::string& line) {
    static const std::regex help("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
    static const std::regex type(
        "# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)");
    static const std::regex sample(
        "([a-zA-Z_:][a-zA-Z0-9_:]*)"
        R"((\{[a-z_]+="([^"\\\n]|\\.)*"(,[a-z_]+="([^"\\\n]|\\.)*")*\})?)"
        R"( (-?[0-9.]+(e[-+]?[0-9]+)?|\+Inf|NaN))");
    std::smatch match;
    if (std::regex_match(line, match, help)) {
      help_ = match[1];
      EXPECT_TRUE(families_.insert(help_).second) << help_ << " twice";
    } else if (std::regex_match(line, match, type)) {
      family_ = match[1];
      type_ = match[2];
      EXPECT_EQ(std::exchange(help_, ""), family_);
      EXPECT_EQ(family_.ends_with("_total"), type_ == "counter") << family_;
    } else if (std::regex_match(line, match, sample)) {
      TakeSample(match[1], match[1].str() + match[2].str(),
                 std::stod(match[6]));
    } else {
      ADD_FAILURE() << "not in the format: " << line;
    }
  }
  void TakeSample(const std::string& name, const std::string& whole,
                  double value) {
    std::set<std::string> allowed = {family_};
    if (type_ == "histogram")
      allowed = {family_ + "_bucket", family_ + "_sum", family_ + "_count"};
    EXPECT_TRUE(allowed.contains(name)) << name << " in " << family_;
    EXPECT_TRUE(samples_.emplace(whole, value).second) << whole << " twice";
    if (!name.ends_with("_bucket")) return;
    EXPECT_GE(value, last_bucket_) << "buckets are cumulative";
    last_bucket_ = value;
  }

  std::string help_;
  std::string family_;
  std::string type_;
  std::set<std::string> families_;
  std::map<std::string, double> samples_;
  double last_bucket_ = 0;
};

TEST(MetricsTest, AreWellFormedAndSayWhatWasCounted) {
  Snapshot snapshot;
  snapshot.frames = {.decoded = 10, .failed = 2, .dropped = 1, .bytes = 12345};
  for (const int msec : {1, 3, 3, 20, 700, 5000})
    snapshot.latency.Add(std::chrono::milliseconds(msec));
  snapshot.stages = {{"entropy", "cpu", 1500000000}};
  snapshot.sessions_opened = 3;
  Snapshot::Session session;
  session.id = 7;
  session.counted.client_name = "a \"quoted\\\" name";
  session.fps = 29.5;
  session.private_bytes = 4096;
  session.counted.codec = FindCodec(PERDIX_CODEC_AV1);
  session.counted.watch = PictureWatch({.on = true, .black_seconds = 1.5});
  for (const int seconds : {0, 2}) {
    session.counted.watch.Add(
        {.mean = 16.5, .dark_ratio = 0.99, .difference = {}},
        SteadyTime(std::chrono::seconds(seconds)));
  }
  session.counted.format = {.bit_depth = 10, .film_grain = true};
  snapshot.sessions.push_back(session);
  const Exposition metrics(ToPrometheus(snapshot));
  EXPECT_EQ(metrics.at("perdix_frames_total{result=\"decoded\"}"), 10);
  EXPECT_EQ(metrics.at("perdix_frames_total{result=\"failed\"}"), 2);
  EXPECT_EQ(metrics.at("perdix_frames_total{result=\"dropped\"}"), 1);
  EXPECT_EQ(metrics.at("perdix_coded_bytes_total"), 12345);
  EXPECT_EQ(metrics.at("perdix_latency_seconds_bucket{le=\"0.004\"}"), 3);
  EXPECT_EQ(metrics.at("perdix_latency_seconds_bucket{le=\"0.033\"}"), 4);
  EXPECT_EQ(metrics.at("perdix_latency_seconds_bucket{le=\"1\"}"), 5);
  EXPECT_EQ(metrics.at("perdix_latency_seconds_bucket{le=\"+Inf\"}"), 6);
  EXPECT_EQ(metrics.at("perdix_latency_seconds_count"), 6);
  EXPECT_NEAR(metrics.at("perdix_latency_seconds_sum"), 5.727, 1e-6);
  EXPECT_EQ(metrics.at("perdix_stage_seconds_total"
                       "{stage=\"entropy\",variant=\"cpu\"}"),
            1.5);
  EXPECT_EQ(metrics.at("perdix_sessions_total"), 3);
  EXPECT_EQ(metrics.at("perdix_sessions_open"), 1);
  EXPECT_EQ(metrics.at("perdix_session_frames_per_second{session=\"7\","
                       "client=\"a \\\"quoted\\\\\\\" name\"}"),
            29.5);
  EXPECT_EQ(metrics.at("perdix_session_info{session=\"7\",codec=\"av1\","
                       "bit_depth=\"10\",film_grain=\"yes\"}"),
            1);
  const std::string labels =
      "{session=\"7\",client=\"a \\\"quoted\\\\\\\" name\"}";
  EXPECT_EQ(metrics.at("perdix_session_luma_mean" + labels), 16.5);
  EXPECT_EQ(metrics.at("perdix_session_dark_ratio" + labels), 0.99);
  EXPECT_EQ(metrics.at("perdix_session_black_seconds" + labels), 2);
  EXPECT_EQ(metrics.at("perdix_session_frozen_seconds" + labels), 0);
  EXPECT_EQ(metrics.at("perdix_session_private_picture_bytes{session=\"7\","
                       "client=\"a \\\"quoted\\\\\\\" name\"}"),
            4096);
}

TEST(MetricsTest, NameNoMoreThan64Sessions) {
  Snapshot snapshot;
  for (uint32_t id = 1; id <= 1000; ++id) {
    snapshot.sessions.emplace_back();
    snapshot.sessions.back().id = id;
  }
  const Exposition metrics(ToPrometheus(snapshot));
  EXPECT_LT(metrics.samples().size(), 64u * 8);
  EXPECT_EQ(metrics.at("perdix_sessions_open"), 1000);
}

class MetricsFileTest : public DbusFixture {};

TEST_F(MetricsFileTest, IsWrittenForAllToReadAndRemovedAtTheEnd) {
  const std::string path =
      testing::TempDir() + "perdix_" + std::to_string(getpid()) + ".prom";
  Player player(*this, "small_2x2.ivf");
  player.Finish();
  {
    const MetricsFile file(path, *control_, calls_, log_);
    ASSERT_TRUE(WaitFor([&] { return access(path.c_str(), R_OK) == 0; }));
    struct stat info;
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0644u);
    std::ifstream stream(path);
    const Exposition metrics({std::istreambuf_iterator<char>(stream), {}});
    EXPECT_EQ(metrics.at("perdix_frames_total{result=\"decoded\"}"),
              double(player.backend().frames()));
  }
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

}  // namespace
}  // namespace perdix
