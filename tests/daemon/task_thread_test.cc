// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/task_thread.h"

#include <gtest/gtest.h>

#include <vector>

namespace perdix {
namespace {

TEST(TaskThreadTest, RunsTasksInOrderOnOneThread) {
  TaskThread thread;
  std::vector<int> order;
  std::vector<std::thread::id> ids;
  for (int i = 0; i < 100; ++i)
    thread.Post([&, i] {
      order.push_back(i);
      ids.push_back(std::this_thread::get_id());
    });
  thread.Drain();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[size_t(i)], i);
  EXPECT_EQ(ids, std::vector(100, ids[0]));
  EXPECT_NE(ids[0], std::this_thread::get_id());
}

TEST(TaskThreadTest, RunsWhatWaitsBeforeItEnds) {
  int runs = 0;
  {
    TaskThread thread;
    thread.Post([&] {
      thread.Post([&] { ++runs; });
      ++runs;
    });
  }
  EXPECT_EQ(runs, 2);
}

TEST(TaskThreadTest, DestroysATaskBeforeDrainReturns) {
  TaskThread thread;
  auto kept = std::make_shared<int>();
  const std::weak_ptr<int> seen = kept;
  thread.Post([kept = std::move(kept)] {});
  thread.Drain();
  EXPECT_TRUE(seen.expired());
}

TEST(TaskThreadTest, EndsWithNothingToDo) {
  TaskThread thread;
  thread.Drain();
}

}  // namespace
}  // namespace perdix
