// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/node.h"

#include <filesystem>
#include <iterator>

#include "tests/daemon/fake_engine.h"
#include "tests/daemon/node_fixture.h"

namespace perdix {
namespace {

using std::filesystem::directory_iterator;

long EntriesOf(const char* folder) {
  return std::distance(directory_iterator(folder), {});
}

class NodeTest : public NodeFixture {
 protected:
  NodeTest() { ResetFakeEngine(); }
  ~NodeTest() override {
    ReleaseHeld();
    node_.reset();
  }

  // Session 1 with bitstream buffers 1, 2 and pictures 11 to 13.
  void OpenSession() {
    Send(PERDIX_EVENT_SESSION_NEW, 1);
    for (const uint32_t id : {1, 2}) AddBitstream(id);
    for (const uint32_t id : {11, 12, 13}) AddPicture(id);
  }
};

TEST_F(NodeTest, DecodesIntoTheClientsBuffer) {
  OpenSession();
  ASSERT_EQ(pwrite(channel_->buffer_fd(1), "Z", 1, 0), 1);
  SendJob(1, NewJob(5, 1, 11, {}), {kDecodes, 1, 2, 3});
  TakeUntilFrames(1);
  EXPECT_EQ(channel_->answers(), (std::vector<Answer>{{5, false}}));
  uint8_t last = 0;
  ASSERT_EQ(pread(channel_->buffer_fd(11), &last, 1, kPictureBytes - 1), 1);
  EXPECT_EQ(last, 'Z');
  const auto frames = SubmittedFrames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].controls, (std::vector<uint8_t>{kDecodes, 1, 2, 3}));
  EXPECT_EQ(frames[0].bitstream_bytes, 100u);
}

TEST_F(NodeTest, ImportsEachBufferOnce) {
  OpenSession();
  for (uint64_t job = 1; job <= 50; ++job)
    SendJob(1, NewJob(job, 1 + job % 2, 11 + job % 3, {}), {kDecodes});
  TakeUntilFrames(50);
  EXPECT_EQ(node_->Totals().imports, 5u);
  EXPECT_EQ(channel_->buffer_fd_calls(), 5);
  EXPECT_EQ(node_->Totals().failures, 0u);
}

TEST_F(NodeTest, GivesTheDecoderItsReferences) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  SendJob(1, NewJob(2, 2, 12, {11, 0, 77}), {kDecodes});
  Take();
  WaitForSubmitted(2);
  auto frames = SubmittedFrames();
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_NE(frames[0].target.lock(), nullptr);
  EXPECT_EQ(frames[1].references[0].lock(), frames[0].target.lock())
      << "a picture in flight is a reference too";
  EXPECT_EQ(frames[1].references[1].lock(), nullptr);
  EXPECT_EQ(frames[1].references[2].lock(), nullptr) << "never decoded here";
  ReleaseHeld();
  TakeUntilFrames(2);
}

TEST_F(NodeTest, GivesNoReferenceThatIsBrokenOrOverwritten) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kFails});
  SendJob(1, NewJob(2, 2, 12, {}), {kDecodes});
  TakeUntilFrames(2);
  SendJob(1, NewJob(3, 1, 12, {11, 12}), {kDecodes});
  TakeUntilFrames(3);
  const auto frames = SubmittedFrames();
  EXPECT_EQ(frames[2].references[0].lock(), nullptr) << "broken";
  EXPECT_EQ(frames[2].references[1].lock(), nullptr) << "its own target";
  EXPECT_EQ(channel_->answers()[0], (Answer{1, true}));
}

TEST_F(NodeTest, KeepsABufferThatIsGoneDuringAJob) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  Take();
  WaitForSubmitted(1);
  SendGone(1, 1);
  SendGone(1, 11);
  Take();
  EXPECT_EQ(node_->Totals().buffers, 0u);
  ReleaseHeld();
  TakeUntilFrames(1);
  EXPECT_EQ(channel_->answers(), (std::vector<Answer>{{1, false}}));
}

TEST_F(NodeTest, CancelHasNoEffectOnAJobThatRuns) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  Take();
  WaitForSubmitted(1);
  SendCancel(1, 1);
  Take();
  EXPECT_TRUE(channel_->answers().empty());
  ReleaseHeld();
  TakeUntilFrames(1);
  EXPECT_EQ(node_->Totals().failures, 0u);
}

// Whose bitstream may be overwritten by then.
TEST_F(NodeTest, LogsNoFailureOfAFrameThatTheClientTookBack) {
  log_.SetPriority(LOG_WARNING);
  OpenSession();
  uint64_t job = 0;
  for (const int answer : {0, -ENOENT}) {
    channel_->set_answer_error(answer);
    testing::internal::CaptureStderr();
    SendJob(1, NewJob(++job, 1, 11, {}), {kFails});
    TakeUntilFrames(job);
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_EQ(log.find("not decoded: fake failure") == std::string::npos,
              answer == -ENOENT)
        << log;
  }
}

TEST_F(NodeTest, DoesNotWriteWhereAnOlderJobStillWorks) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {12}), {kHeld});
  Take();
  WaitForSubmitted(1);
  SendCancel(1, 1);
  SendJob(1, NewJob(2, 2, 11, {}), {kDecodes});
  SendJob(1, NewJob(3, 2, 13, {}), {kDecodes});
  Take();
  EXPECT_EQ(SubmittedFrames().size(), 1u) << "2 waits for 1, 3 for its turn";
  ReleaseHeld();
  TakeUntilFrames(3);
  EXPECT_EQ(channel_->answers(),
            (std::vector<Answer>{{1, false}, {2, false}, {3, false}}));
}

TEST_F(NodeTest, DoesNotWriteToAReferenceInUse) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {12}), {kHeld});
  SendJob(1, NewJob(2, 2, 12, {}), {kDecodes});
  Take();
  WaitForSubmitted(1);
  EXPECT_EQ(SubmittedFrames().size(), 1u);
  ReleaseHeld();
  TakeUntilFrames(2);
}

TEST_F(NodeTest, TellsTheDecoderOfAFrameCancelledBeforeItsStart) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  SendJob(1, NewJob(2, 2, 11, {}), {kDecodes});
  SendCancel(1, 2);
  SendJob(1, NewJob(3, 2, 12, {}), {kDecodes});
  Take();
  ReleaseHeld();
  TakeUntilFrames(3);
  const auto frames = SubmittedFrames();
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_FALSE(frames[1].has_memory);
  EXPECT_EQ(channel_->answers(),
            (std::vector<Answer>{{1, false}, {2, true}, {3, false}}));
  EXPECT_EQ(node_->Totals().failures, 0u) << "it was taken back";
}

TEST_F(NodeTest, TellsTheDecoderOfAFrameItNeverSaw) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kDecodes});
  SendJob(1, NewJob(4, 2, 12, {11}), {kDecodes});
  TakeUntilFrames(3);
  const auto frames = SubmittedFrames();
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_TRUE(frames[1].controls.empty());
}

TEST_F(NodeTest, DropsAWaitingJobWhoseBufferIsGone) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  SendJob(1, NewJob(2, 2, 11, {}), {kDecodes});
  Take();
  SendGone(1, 11);
  Take();
  ReleaseHeld();
  TakeUntilFrames(2);
  EXPECT_EQ(channel_->answers()[1], (Answer{2, true}));
}

TEST_F(NodeTest, SessionsDoNotWaitForEachOther) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  Send(PERDIX_EVENT_SESSION_NEW, 2);
  AddBitstream(3);
  AddPicture(21);
  SendJob(2, NewJob(2, 3, 21, {11}), {kDecodes});
  TakeUntilFrames(1);
  EXPECT_EQ(channel_->answers(), (std::vector<Answer>{{2, false}}));
  WaitForSubmitted(2);
  for (const SubmittedFrame& frame : SubmittedFrames())
    EXPECT_EQ(frame.references[0].lock(), nullptr)
        << "the other session's picture";
}

TEST_F(NodeTest, ClosingASessionDoesNotWaitForItsFrames) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  SendJob(1, NewJob(2, 2, 11, {}), {kDecodes});
  Take();
  WaitForSubmitted(1);
  for (const uint32_t id : {1, 2, 11}) SendGone(1, id);
  Send(PERDIX_EVENT_SESSION_GONE, 1);
  Take();  // would hang here
  EXPECT_EQ(node_->Totals().sessions, 0u);
  ReleaseHeld();
  TakeUntilFrames(2);
  EXPECT_EQ(channel_->answers(), (std::vector<Answer>{{1, false}, {2, true}}));
}

TEST_F(NodeTest, EndsWithWorkInFlight) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  SendJob(1, NewJob(2, 2, 11, {}), {kDecodes});
  Take();
  WaitForSubmitted(1);
  ReleaseHeld();
  node_.reset();
  EXPECT_EQ(channel_->answers(), (std::vector<Answer>{{1, false}, {2, true}}));
  EXPECT_TRUE(completions_->TakeAll().empty());
}

TEST_F(NodeTest, WakesForNoFrameThatNothingWaitsFor) {
  OpenSession();
  EXPECT_FALSE(node_->busy());
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  Take();
  EXPECT_TRUE(node_->busy());
  ReleaseHeld();
  channel_->WaitForAnswers(1);
  EXPECT_FALSE(EndIsAwaited(20));
  TakeUntilFrames(1);
  EXPECT_FALSE(node_->busy());
}

TEST_F(NodeTest, WakesForAFrameWhoseTargetAnotherWants) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  SendJob(1, NewJob(2, 2, 11, {}), {kDecodes});
  Take();
  EXPECT_FALSE(EndIsAwaited(0));
  ReleaseHeld();
  EXPECT_TRUE(EndIsAwaited(10000));
  TakeUntilFrames(2);
}

TEST_F(NodeTest, WakesForAFrameOfAClosedSession) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  Take();
  WaitForSubmitted(1);  // else it fails, which wakes, too
  Send(PERDIX_EVENT_SESSION_GONE, 1);
  Take();
  ReleaseHeld();
  EXPECT_TRUE(EndIsAwaited(10000));
  TakeUntilFrames(1);
}

// Else the buffer would stay mapped until something else wakes the node.
TEST_F(NodeTest, WakesForAFrameWhoseBufferIsGone) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  Take();
  WaitForSubmitted(1);
  SendGone(1, 11);
  Take();
  ReleaseHeld();
  EXPECT_TRUE(EndIsAwaited(10000));
  TakeUntilFrames(1);
}

TEST_F(NodeTest, AnswersAJobThatTheClientTookBack) {
  OpenSession();
  channel_->set_answer_error(-ENOENT);
  SendJob(1, NewJob(1, 1, 11, {}), {kDecodes});
  TakeUntilFrames(1);
  EXPECT_EQ(channel_->answers(), (std::vector<Answer>{{1, false}}));
}

TEST_F(NodeTest, ReportsALostChannel) {
  channel_->set_idle_error(-ENODEV);
  EXPECT_EQ(node_->TakeEvents(), -ENODEV);
}

TEST_F(NodeTest, ReportsAChannelLostToAnAnswer) {
  OpenSession();
  channel_->set_answer_error(-ENODEV);
  SendJob(1, NewJob(1, 1, 11, {}), {kDecodes});
  Take();
  channel_->WaitForAnswers(1);
  ASSERT_TRUE(EndIsAwaited(10000));
  EXPECT_EQ(node_->TakeCompletions(), -ENODEV);
}

TEST_F(NodeTest, StartsFromNothingAfterARestart) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kDecodes});
  TakeUntilFrames(1);
  node_.reset();
  OpenNode();
  Send(PERDIX_EVENT_SESSION_NEW, 1);
  SendJob(1, NewJob(2, 1, 12, {11}), {kDecodes});
  TakeUntilFrames(1);
  EXPECT_EQ(SubmittedFrames()[1].references[0].lock(), nullptr);
  EXPECT_EQ(node_->Totals().imports, 2u);
}

TEST_F(NodeTest, SurvivesEventsThatMakeNoSense) {
  Send(99, 1);
  Send(PERDIX_EVENT_SESSION_GONE, 8);
  SendGone(8, 8);
  SendCancel(8, 8);
  SendJob(8, NewJob(1, 1, 11, {}), {kDecodes});
  Send(PERDIX_EVENT_SESSION_NEW, 1);
  Send(PERDIX_EVENT_SESSION_NEW, 1);
  Take();
  EXPECT_EQ(channel_->answers(), (std::vector<Answer>{{1, true}}));
  EXPECT_EQ(node_->Totals().sessions, 1u);
}

TEST_F(NodeTest, LeaksNoDescriptorOverManySessions) {
  const long before = EntriesOf("/proc/self/fd");
  for (uint32_t session = 1; session <= 200; ++session) {
    const uint32_t bitstream = 2 * session;
    const uint32_t picture = bitstream + 1;
    Send(PERDIX_EVENT_SESSION_NEW, session);
    AddBitstream(bitstream);
    AddPicture(picture);
    SendJob(session, NewJob(session, bitstream, picture, {}), {kDecodes});
    if (session % 2)
      TakeUntilFrames(session);
    else
      Take();
    SendGone(session, bitstream);
    SendGone(session, picture);
    Send(PERDIX_EVENT_SESSION_GONE, session);
  }
  TakeUntilFrames(200);
  EXPECT_EQ(node_->Totals().buffers, 0u);
  EXPECT_EQ(node_->Totals().imports, 400u);
  EXPECT_EQ(EntriesOf("/proc/self/fd"), before);
}

TEST_F(NodeTest, LeavesEventsForTheNextTurn) {
  for (int i = 0; i < 100; ++i) Send(PERDIX_EVENT_SESSION_GONE, 8);
  EXPECT_EQ(node_->TakeEvents(), 0);
  EXPECT_FALSE(channel_->empty());
  EXPECT_EQ(node_->TakeEvents(), 0);
  EXPECT_TRUE(channel_->empty());
}

TEST_F(NodeTest, ServesAThousandSessionsAtOnce) {
  constexpr uint32_t kSessions = 1000;
  const long descriptors = EntriesOf("/proc/self/fd");
  const long threads = EntriesOf("/proc/self/task");
  for (uint32_t session = 1; session <= kSessions; ++session) {
    Send(PERDIX_EVENT_SESSION_NEW, session, session / 50);
    AddBitstream(2 * session);
    AddPicture(2 * session + 1);
    SendJob(session, NewJob(session, 2 * session, 2 * session + 1, {}),
            {kDecodes});
  }
  TakeUntilFrames(kSessions);
  EXPECT_EQ(node_->Totals().sessions, kSessions);
  EXPECT_EQ(node_->Totals().failures, 0u);
  for (uint32_t session = 1; session <= kSessions; ++session) {
    SendGone(session, 2 * session);
    SendGone(session, 2 * session + 1);
    Send(PERDIX_EVENT_SESSION_GONE, session);
  }
  Take();
  EXPECT_EQ(EntriesOf("/proc/self/fd"), descriptors);
  EXPECT_EQ(EntriesOf("/proc/self/task"), threads);
}

TEST_F(NodeTest, FlagsAFrameWhoseMemoryGoesAway) {
  OpenSession();
  Send(PERDIX_EVENT_SESSION_NEW, 2);
  AddBitstream(3);
  AddPicture(21);
  SendJob(1, NewJob(1, 1, 11, {}), {kHeld});
  SendJob(2, NewJob(101, 3, 21, {}), {kHeld});
  Take();
  WaitForSubmitted(2);
  ASSERT_EQ(ftruncate(channel_->buffer_fd(11), 0), 0);
  ReleaseHeld();
  TakeUntilFrames(2);
  EXPECT_EQ(channel_->AnswerTo(1), (Answer{1, true}));
  EXPECT_EQ(channel_->AnswerTo(101), (Answer{101, false}));

  SendJob(1, NewJob(2, 2, 12, {11}), {kDecodes});  // not a reference,
  SendJob(1, NewJob(3, 2, 11, {}), {kDecodes});    // nor a target any more
  SendJob(1, NewJob(4, 2, 13, {}), {kDecodes});
  TakeUntilFrames(5);
  const auto frames = SubmittedFrames();
  EXPECT_EQ(frames[2].references[0].lock(), nullptr);
  EXPECT_EQ(channel_->AnswerTo(2), (Answer{2, false}));
  EXPECT_EQ(channel_->AnswerTo(3), (Answer{3, true}));
  EXPECT_EQ(channel_->AnswerTo(4), (Answer{4, false}));
}

TEST_F(NodeTest, FlagsAFrameWhoseReferenceGoesAway) {
  OpenSession();
  SendJob(1, NewJob(1, 1, 11, {}), {kDecodes});
  TakeUntilFrames(1);
  SendJob(1, NewJob(2, 2, 12, {11}), {kReadsReference});
  Take();
  WaitForSubmitted(2);
  ASSERT_EQ(ftruncate(channel_->buffer_fd(11), 0), 0);
  ReleaseHeld();
  TakeUntilFrames(2);
  EXPECT_EQ(channel_->AnswerTo(2), (Answer{2, true}));
}

TEST_F(NodeTest, RefusesMoreSessionsThanAllowed) {
  limits_ = {.sessions = 5, .client_sessions = 2};
  OpenNode();
  // Processes 1 and 2 open three each, then process 3 two.
  for (uint32_t session = 1; session <= 8; ++session) {
    Send(PERDIX_EVENT_SESSION_NEW, session, (session + 2) / 3);
    AddBitstream(2 * session);
    AddPicture(2 * session + 1);
    SendJob(session, NewJob(session, 2 * session, 2 * session + 1, {}),
            {kDecodes});
  }
  TakeUntilFrames(8);
  for (uint64_t job = 1; job <= 8; ++job)
    EXPECT_EQ(channel_->AnswerTo(job), (Answer{job, job % 3 == 0 || job == 8}));
  EXPECT_EQ(node_->Totals().buffers, 10u);

  Send(PERDIX_EVENT_SESSION_GONE, 1);
  Send(PERDIX_EVENT_SESSION_NEW, 9, 1);
  SendJob(9, NewJob(9, 2, 3, {}), {kDecodes});
  TakeUntilFrames(9);
  EXPECT_EQ(channel_->AnswerTo(9), (Answer{9, false}));
}

TEST_F(NodeTest, RefusesMoreMemoryThanAProcessMayHave) {
  limits_.client_memory = 1;
  OpenNode();
  Send(PERDIX_EVENT_SESSION_NEW, 1, 1);
  Send(PERDIX_EVENT_SESSION_NEW, 2, 1);
  Send(PERDIX_EVENT_SESSION_NEW, 3, 2);
  for (const uint32_t id : {1, 2, 3}) channel_->AddBuffer(id, 600'000);
  for (const uint32_t id : {11, 12, 13}) AddPicture(id);
  for (const uint32_t id : {1, 2, 3})
    SendJob(id, NewJob(id, id, 10 + id, {}), {kDecodes});
  TakeUntilFrames(3);
  EXPECT_EQ(channel_->AnswerTo(1), (Answer{1, false}));
  EXPECT_EQ(channel_->AnswerTo(2), (Answer{2, true}));
  EXPECT_EQ(channel_->AnswerTo(3), (Answer{3, false}));
}

struct BadJob {
  const char* name;
  void (*spoil)(perdix_job& job);
  uint64_t failures = 1;  // 0: as if the client had freed the buffer
};

class NodeBadJobTest : public NodeTest,
                       public ::testing::WithParamInterface<BadJob> {};

TEST_P(NodeBadJobTest, IsAnsweredWithAnErrorAndTheSessionLives) {
  OpenSession();
  perdix_job bad = NewJob(1, 1, 11, {});
  GetParam().spoil(bad);
  SendJob(1, bad, {kDecodes});
  SendJob(1, NewJob(2, 2, 12, {}), {kDecodes});
  TakeUntilFrames(2);
  // In any order: the module restores it.
  auto answers = channel_->answers();
  std::ranges::sort(answers, {}, &Answer::job);
  EXPECT_EQ(answers, (std::vector<Answer>{{1, true}, {2, false}}));
  EXPECT_EQ(node_->Totals().failures, GetParam().failures);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, NodeBadJobTest,
    ::testing::Values(
        BadJob{"Codec", [](auto& job) { job.codec = 99; }},
        BadJob{"Pixelformat", [](auto& job) { job.pixelformat = 0; }},
        BadJob{"ZeroWidth", [](auto& job) { job.width = 0; }},
        BadJob{"ZeroHeight", [](auto& job) { job.height = 0; }},
        BadJob{"ZeroStride", [](auto& job) { job.stride = 0; }},
        BadJob{"StrideBelowWidth", [](auto& job) { job.stride = 56; }},
        BadJob{"HugeStride", [](auto& job) { job.stride = 0xffffffff; }},
        BadJob{"HugeSides",
               [](auto& job) {
                 job.width = job.height = job.stride = 0xfffffff8;
               }},
        BadJob{"TargetTooSmall", [](auto& job) { job.height += 8; }},
        BadJob{"BitstreamBeyondItsBuffer",
               [](auto& job) { job.bitstream_bytes = kBitstreamBytes + 1; }},
        BadJob{"UnknownBitstream", [](auto& job) { job.bitstream = 99; }, 0},
        BadJob{"UnknownTarget", [](auto& job) { job.target = 99; }, 0},
        BadJob{"NoTarget", [](auto& job) { job.target = 0; }, 0},
        BadJob{"TargetIsTheBitstream",
               [](auto& job) { job.bitstream = job.target; }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace perdix
