// SPDX-License-Identifier: BSD-2-Clause
// Buffers that a device still uses, or of which a client says so.
#include <chrono>

#include "tests/daemon/fake_engine.h"
#include "tests/daemon/node_fixture.h"

namespace perdix {
namespace {

using std::chrono::steady_clock;

class FenceTest : public NodeFixture {
 protected:
  FenceTest() { ResetFakeEngine(); }
  ~FenceTest() override {
    ReleaseHeld();
    node_.reset();
  }
  void SetUp() override {
    Send(PERDIX_EVENT_SESSION_NEW, 1);
    for (const uint32_t id : {1, 2}) AddBitstream(id);
    for (const uint32_t id : {11, 12}) AddPicture(id);
  }

  // The only frame that has ended.
  Completion TheCompletion() {
    channel_->WaitForAnswers(1);
    // The node need not ask to be woken for it.
    completions_->set_all_awaited(true);
    EXPECT_TRUE(EndIsAwaited(10000));
    const std::vector<Completion> all = completions_->TakeAll();
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
  }

  // Session <session> with its own buffers decodes that many frames.
  void Play(uint32_t session, int frames) {
    const uint32_t bitstream = 100 * session;
    const uint32_t picture = bitstream + 1;
    Send(PERDIX_EVENT_SESSION_NEW, session);
    AddBitstream(bitstream);
    AddPicture(picture);
    for (int i = 0; i < frames; ++i)
      SendJob(session,
              NewJob(uint64_t{session} * 1000 + uint64_t(i), bitstream, picture,
                     {}),
              {kDecodes});
  }
};

TEST_F(FenceTest, HoldsFramesInOrderUntilTheBitstreamIsWritten) {
  channel_->AddFence(1);
  SendJob(1, NewJob(1, 1, 11, {}), {kDecodes});
  SendJob(1, NewJob(2, 2, 12, {}), {kDecodes});
  Take();
  channel_->WaitForWaiters(1);
  EXPECT_TRUE(SubmittedFrames().empty());
  channel_->SignalFence(1);
  TakeUntilFrames(2);
  EXPECT_EQ(channel_->answers(), (std::vector<Answer>{{1, false}, {2, false}}));
}

TEST_F(FenceTest, NeverSignalledStopsNobodyElse) {
  channel_->AddFence(11);
  SendJob(1, NewJob(1, 1, 11, {}), {kDecodes});
  Take();
  channel_->WaitForWaiters(1);
  for (uint32_t session = 2; session <= 11; ++session) Play(session, 20);
  TakeUntilFrames(200);
  EXPECT_EQ(node_->Totals().failures, 0u);

  SendCancel(1, 1);
  TakeUntilFrames(201);
  EXPECT_EQ(channel_->answers().back(), (Answer{1, true}));
  SendJob(1, NewJob(2, 1, 11, {}), {kDecodes});
  Take();
  channel_->WaitForWaiters(2);
  Send(PERDIX_EVENT_SESSION_GONE, 1);
  TakeUntilFrames(202);
  EXPECT_EQ(node_->Totals().sessions, 10u);
}

TEST_F(FenceTest, SaysWhyACancelledFrameIsNotDecoded) {
  channel_->AddFence(11);
  SendJob(1, NewJob(1, 1, 11, {}), {kDecodes});
  Take();
  channel_->WaitForWaiters(1);
  SendCancel(1, 1);
  EXPECT_EQ(node_->TakeEvents(), 0);
  EXPECT_EQ(
      TheCompletion().status.message(),
      "target: taken back while a device still used it: a fence on it has "
      "not signalled");
}

TEST_F(FenceTest, EndsTheWaitWhenTheBufferIsGone) {
  channel_->AddFence(1);
  SendJob(1, NewJob(1, 1, 11, {}), {kDecodes});
  Take();
  channel_->WaitForWaiters(1);
  SendGone(1, 1);
  TakeUntilFrames(1);
  EXPECT_EQ(channel_->answers(), (std::vector<Answer>{{1, true}}));
}

TEST_F(FenceTest, EndsTheWaitWithTheChannel) {
  channel_->AddFence(11);
  SendJob(1, NewJob(1, 1, 11, {}), {kDecodes});
  SendJob(1, NewJob(2, 2, 12, {}), {kDecodes});
  Take();
  channel_->WaitForWaiters(1);
  const auto start = steady_clock::now();
  node_.reset();
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
  ASSERT_EQ(channel_->answers().size(), 2u);
  EXPECT_EQ(channel_->answers()[0], (Answer{1, true}));
}

TEST_F(FenceTest, EndsAWaitWheneverItIsCancelled) {
  channel_->AddFence(11);
  for (uint64_t job = 1; job <= 500; ++job) {
    SendJob(1, NewJob(job, 1, 11, {}), {kDecodes});
    Take();
    SendCancel(1, job);
    TakeUntilFrames(job);
  }
  EXPECT_EQ(node_->Totals().frames, 500u);
}

TEST_F(FenceTest, DoesNotBeginAnAccessToMemoryInUse) {
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  SendJob(1, NewJob(2, 2, 11, {}), {kDecodes});
  Take();
  WaitForSubmitted(1);
  EXPECT_EQ(
      channel_->syncs(),
      (std::vector<SyncCall>{{1, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ},
                             {11, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW}}));
  ReleaseHeld();
  TakeUntilFrames(2);
  EXPECT_EQ(channel_->syncs().size(), 8u);
}

TEST_F(FenceTest, EndsAWaitInTheMiddleOfAFrame) {
  channel_->HideFences();
  SendJob(1, NewJob(1, 1, 11, {}), {kAccesses});
  Take();
  WaitForSubmitted(1);
  channel_->AddFence(11);
  ReleaseHeld();
  channel_->WaitForWaiters(1);
  SendCancel(1, 1);
  TakeUntilFrames(1);
  EXPECT_EQ(channel_->answers(), (std::vector<Answer>{{1, true}}));
}

TEST_F(FenceTest, FailsAFrameWhoseBufferADeviceUsesInItsMiddle) {
  SendJob(1, NewJob(1, 1, 11, {}), {kAccesses});
  Take();
  WaitForSubmitted(1);
  channel_->AddFence(11);
  ReleaseHeld();
  EXPECT_EQ(TheCompletion().status.message(),
            "target: a device used it while it was decoded");
}

}  // namespace
}  // namespace perdix
