// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/completion_queue.h"

#include <gtest/gtest.h>
#include <poll.h>

namespace perdix {
namespace {

Completion Ended(uint64_t job, StatusCode code = StatusCode::kOk) {
  Completion completion;
  completion.job = job;
  if (code != StatusCode::kOk) completion.status = Status(code, "as asked");
  return completion;
}

bool Wakes(const CompletionQueue& queue) {
  pollfd wait = {queue.poll_fd(), POLLIN, 0};
  return poll(&wait, 1, 0) == 1;
}

TEST(CompletionQueueTest, WakesForEachAsToBeginWith) {
  CompletionQueue queue;
  EXPECT_FALSE(Wakes(queue));
  queue.Push(Ended(1));
  queue.Push(Ended(2));
  EXPECT_TRUE(Wakes(queue));
  const std::vector<Completion> all = queue.TakeAll();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].job, 1u);
  EXPECT_EQ(all[1].job, 2u);
  EXPECT_FALSE(Wakes(queue));
}

TEST(CompletionQueueTest, KeepsWhatNobodyAwaits) {
  CompletionQueue queue;
  queue.set_all_awaited(false);
  queue.Push(Ended(1));
  EXPECT_FALSE(Wakes(queue));
  EXPECT_EQ(queue.TakeAll().size(), 1u);
}

TEST(CompletionQueueTest, WakesForAFrameThatFailed) {
  CompletionQueue queue;
  queue.set_all_awaited(false);
  queue.Push(Ended(1));
  queue.Push(Ended(2, StatusCode::kInvalidArgument));
  EXPECT_TRUE(Wakes(queue));
  EXPECT_EQ(queue.TakeAll().size(), 2u);
}

TEST(CompletionQueueTest, WakesForAnAnswerThatTheKernelRefused) {
  CompletionQueue queue;
  queue.set_all_awaited(false);
  Completion refused = Ended(1);
  refused.answer_error = -ENODEV;
  queue.Push(std::move(refused));
  EXPECT_TRUE(Wakes(queue));
}

TEST(CompletionQueueTest, WakesForWhatIsAwaitedLater) {
  CompletionQueue queue;
  queue.set_all_awaited(false);
  queue.set_all_awaited(true);
  EXPECT_FALSE(Wakes(queue)) << "nothing has ended";
  queue.set_all_awaited(false);
  queue.Push(Ended(1));
  queue.set_all_awaited(true);
  EXPECT_TRUE(Wakes(queue));
  EXPECT_EQ(queue.TakeAll().size(), 1u);
  EXPECT_FALSE(Wakes(queue));
}

}  // namespace
}  // namespace perdix
