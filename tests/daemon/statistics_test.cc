// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/daemon/fake_engine.h"
#include "tests/daemon/node_fixture.h"

namespace perdix {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// The nearest rank.
uint64_t Exact(std::vector<uint64_t> values, double fraction) {
  std::ranges::sort(values);
  const auto rank = size_t(std::ceil(fraction * double(values.size())));
  return values[std::max<size_t>(rank, 1) - 1];
}

void ExpectPercentiles(const std::vector<uint64_t>& usec) {
  LatencyHistogram histogram;
  for (const uint64_t value : usec) histogram.Add(microseconds(value));
  for (const double fraction : {0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0}) {
    const auto exact = double(Exact(usec, fraction));
    EXPECT_GE(double(histogram.Percentile(fraction)), exact);
    EXPECT_LE(double(histogram.Percentile(fraction)), exact * 1.03) << fraction;
  }
  EXPECT_EQ(histogram.max(), Exact(usec, 1));
  EXPECT_EQ(histogram.count(), usec.size());
  EXPECT_EQ(histogram.sum(),
            std::accumulate(usec.begin(), usec.end(), uint64_t{0}));
}

TEST(LatencyHistogramTest, HasPercentilesNearTheExactOnes) {
  std::mt19937 random(1);
  std::lognormal_distribution<> latency(9, 1.5);  // around 8 ms
  std::vector<uint64_t> usec;
  for (int i = 0; i < 10000; ++i) usec.push_back(uint64_t(latency(random)));
  ExpectPercentiles(usec);
}

TEST(LatencyHistogramTest, IsRightAtTheEdgesOfItsBuckets) {
  std::vector<uint64_t> usec;
  for (uint64_t power = 1; power < uint64_t{1} << 26; power *= 2)
    usec.insert(usec.end(), {power - 1, power, power + 1});
  ExpectPercentiles(usec);
  ExpectPercentiles({0});
  for (uint64_t value : usec) ExpectPercentiles({value});
}

TEST(LatencyHistogramTest, KeepsTheMaximumOfWhatIsBeyondIt) {
  LatencyHistogram histogram;
  histogram.Add(std::chrono::hours(1));
  EXPECT_EQ(histogram.max(), 3600000000u);
  EXPECT_EQ(histogram.Percentile(0.5), 3600000000u);
  EXPECT_EQ(histogram.Buckets().back().first, 3600000000u);
}

TEST(LatencyHistogramTest, IsEmptyAtFirst) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.Percentile(0.5), 0u);
  EXPECT_EQ(histogram.max(), 0u);
  EXPECT_TRUE(histogram.Buckets().empty());
}

TEST(LatencyHistogramTest, ListsBucketsWithTheirBounds) {
  LatencyHistogram histogram;
  for (const uint64_t usec : {5, 5, 1000, 1001, 70000})
    histogram.Add(microseconds(usec));
  const auto buckets = histogram.Buckets();
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_EQ(buckets[0], std::pair(uint64_t{5}, uint64_t{2}));
  EXPECT_EQ(buckets[1].second, 2u);
  EXPECT_GE(buckets[1].first, 1001u);
  EXPECT_GE(buckets[2].first, 70000u);
}

TEST(FrameRateTest, IsOfTheLastTwoSeconds) {
  FrameRate rate;
  SteadyTime now{std::chrono::hours(5)};
  EXPECT_EQ(rate.PerSecond(now), 0);
  for (int i = 0; i < 600; ++i, now += microseconds(16667)) rate.Add(now);
  EXPECT_NEAR(rate.PerSecond(now), 60, 1.6);
  EXPECT_NEAR(rate.PerSecond(now + milliseconds(1000)), 30, 1.6);
  EXPECT_EQ(rate.PerSecond(now + milliseconds(2050)), 0);
  now += std::chrono::hours(1);
  rate.Add(now);
  EXPECT_EQ(rate.PerSecond(now), 0.5);
}

// What a node counts, against what it was sent.
class CountingTest : public NodeFixture {
 protected:
  CountingTest() { ResetFakeEngine(); }
  ~CountingTest() override {
    ReleaseHeld();
    node_.reset();
  }

  void OpenSession(uint32_t id) {
    ChannelEvent event;
    event.event.type = PERDIX_EVENT_SESSION_NEW;
    event.event.session = id;
    event.event.pid = 4711;
    std::ranges::copy(std::string_view("player"), event.event.comm);
    channel_->Send(std::move(event));
    AddBitstream(10 * id);
    AddPicture(10 * id + 1);
    AddPicture(10 * id + 2);
  }
  void SendFrame(uint32_t session, uint64_t job, uint8_t fate) {
    perdix_job sent = NewJob(job, 10 * session, 10 * session + 1, {});
    sent.bitstream_bytes = 100 + uint32_t(job);
    SendJob(session, sent, {fate});
  }
  const SessionStatistics& Of(uint32_t session) const {
    return statistics_.sessions().at(session);
  }
};

TEST_F(CountingTest, CountsFramesByHowTheyEnd) {
  OpenSession(1);
  OpenSession(2);
  SendFrame(1, 1, kDecodes);
  SendFrame(1, 2, kFails);
  SendFrame(1, 3, kDecodes);
  SendFrame(2, 4, kFails);
  TakeUntilFrames(4);
  EXPECT_EQ(Of(1).frames.decoded, 2u);
  EXPECT_EQ(Of(1).frames.failed, 1u);
  EXPECT_EQ(Of(1).frames.dropped, 0u);
  EXPECT_EQ(Of(1).frames.bytes, 101u + 102 + 103);
  EXPECT_EQ(Of(1).latency.count(), 2u);
  EXPECT_EQ(Of(2).frames.failed, 1u);
  EXPECT_EQ(Of(2).latency.count(), 0u);
  EXPECT_EQ(Of(2).codec, nullptr) << "nothing was decoded";
  EXPECT_EQ(statistics_.frames().decoded, 2u);
  EXPECT_EQ(statistics_.frames().failed, 2u);
  EXPECT_EQ(statistics_.frames().bytes, 101u + 102 + 103 + 104);
}

// Which may be a while before the event loop learns of it.
TEST_F(CountingTest, CountsARateByWhenFramesEnded) {
  statistics_.OpenSession(1, 4711, "player");
  const SteadyTime now = std::chrono::steady_clock::now();
  EndedFrame frame;
  frame.ended = now - std::chrono::seconds(3);
  statistics_.CountFrame(1, frame);
  EXPECT_EQ(Of(1).rate.PerSecond(now), 0);
  frame.ended = now;
  statistics_.CountFrame(1, frame);
  EXPECT_EQ(Of(1).rate.PerSecond(now), 0.5);
}

TEST_F(CountingTest, KnowsTheClientAndTheStream) {
  const uint64_t before = WallClockUSec();
  OpenSession(1);
  SendFrame(1, 1, kDecodes);
  TakeUntilFrames(1);
  EXPECT_EQ(Of(1).client_pid, 4711u);
  EXPECT_EQ(Of(1).client_name, "player");
  EXPECT_GE(Of(1).opened_usec, before);
  EXPECT_LE(Of(1).opened_usec, WallClockUSec());
  EXPECT_STREQ(Of(1).codec->name, "vp9");
  EXPECT_EQ(Of(1).format.profile, 2u);
  EXPECT_EQ(Of(1).format.width, 320u);
  EXPECT_EQ(Of(1).format.height, 240u);
  EXPECT_EQ(Of(1).format.bit_depth, 8u);
  EXPECT_EQ(Of(1).rate.PerSecond(std::chrono::steady_clock::now()), 0.5);
}

TEST_F(CountingTest, CountsWhatTheClientTookBackAsDropped) {
  OpenSession(1);
  SendFrame(1, 1, kHeld);
  SendFrame(1, 2, kDecodes);  // waits for the first one's target
  SendCancel(1, 2);
  SendFrame(1, 6, kDecodes);  // 3 to 5 were taken back before we saw them
  Take();
  ReleaseHeld();
  TakeUntilFrames(4);
  EXPECT_EQ(Of(1).frames.decoded, 2u);
  EXPECT_EQ(Of(1).frames.failed, 0u);
  EXPECT_EQ(Of(1).frames.dropped, 1u + 3);
  EXPECT_EQ(Of(1).frames.bytes, 101u + 102 + 106);
}

TEST_F(CountingTest, CountsAnAnswerThatNobodyWaitedForAsDropped) {
  OpenSession(1);
  channel_->set_answer_error(-ENOENT);
  SendFrame(1, 1, kDecodes);
  SendFrame(1, 2, kFails);
  TakeUntilFrames(2);
  EXPECT_EQ(Of(1).frames.dropped, 2u);
  EXPECT_EQ(Of(1).frames.decoded, 0u);
  EXPECT_EQ(Of(1).frames.failed, 0u);
}

TEST_F(CountingTest, MeasuresFromArrivalToAnswer) {
  constexpr milliseconds kDelay{50};
  OpenSession(1);
  SendFrame(1, 1, kHeld);
  SendFrame(1, 2, kDecodes);  // waits for the first
  Take();
  std::this_thread::sleep_for(kDelay);
  ReleaseHeld();
  TakeUntilFrames(2);
  EXPECT_EQ(Of(1).latency.count(), 2u);
  EXPECT_GE(Of(1).latency.Percentile(0.01), 50000u);
  EXPECT_LT(Of(1).latency.max(), 10000000u);
}

TEST_F(CountingTest, KeepsTheTotalsOfSessionsThatAreGone) {
  for (uint32_t session = 1; session <= 3; ++session) {
    OpenSession(session);
    SendFrame(session, session, kDecodes);
    TakeUntilFrames(session);
    Send(PERDIX_EVENT_SESSION_GONE, session);
    Take();
  }
  EXPECT_TRUE(statistics_.sessions().empty());
  EXPECT_EQ(statistics_.sessions_opened(), 3u);
  EXPECT_EQ(statistics_.frames().decoded, 3u);
  EXPECT_EQ(statistics_.latency().count(), 3u);
}

TEST_F(CountingTest, CountsWhatEndsWithTheNode) {
  OpenSession(1);
  SendFrame(1, 1, kHeld);
  SendFrame(1, 2, kDecodes);
  Take();
  WaitForSubmitted(1);
  ReleaseHeld();
  node_.reset();
  EXPECT_EQ(statistics_.frames().decoded, 1u);
  EXPECT_EQ(statistics_.frames().dropped, 1u);
  EXPECT_TRUE(statistics_.sessions().empty());
  EXPECT_EQ(statistics_.past_imports(), 2u);
}

TEST_F(CountingTest, ResetsCountsAndKeepsSessions) {
  OpenSession(1);
  SendFrame(1, 1, kDecodes);
  SendFrame(1, 2, kFails);
  TakeUntilFrames(2);
  const uint64_t before = WallClockUSec();
  statistics_.Reset();
  EXPECT_GE(statistics_.since_usec(), before);
  EXPECT_EQ(statistics_.sessions_opened(), 0u);
  EXPECT_EQ(statistics_.frames().decoded + statistics_.frames().failed +
                statistics_.frames().bytes + statistics_.latency().count(),
            0u);
  EXPECT_EQ(Of(1).frames.decoded + Of(1).frames.bytes + Of(1).latency.max(),
            0u);
  EXPECT_EQ(Of(1).client_pid, 4711u);
  EXPECT_EQ(Of(1).format.width, 320u);
  SendFrame(1, 3, kDecodes);
  TakeUntilFrames(3);
  EXPECT_EQ(Of(1).frames.decoded, 1u);
}

}  // namespace
}  // namespace perdix
