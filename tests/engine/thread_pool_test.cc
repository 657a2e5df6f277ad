// SPDX-License-Identifier: BSD-2-Clause
#include "engine/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <latch>
#include <string>
#include <vector>

namespace perdix {
namespace {

// A task that calls <work>, which must live until it ran.
Task Calling(std::function<void()>& work) {
  return [&work] { work(); };
}

TEST(ThreadPoolTest, RunsEveryTaskOnceWhereverItIsAtHome) {
  constexpr int kTasks = 10'000;
  std::vector<std::atomic<int>> runs(kTasks);
  {
    ThreadPool pool(3);
    for (int i = 0; i < kTasks; ++i) {
      pool.Post(Priority(i % 2), {.home = i % 4 - 1},
                [&count = runs[size_t(i)]] { ++count; });
    }
  }
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

TEST(ThreadPoolTest, ShufflesTasksOfAllPriorities) {
  constexpr int kTasks = 64;
  const auto order_of = [](uint32_t seed) {
    std::latch posted{1};
    std::vector<int> order;  // only the one worker writes it
    {
      ThreadPool pool(1, seed);
      EXPECT_EQ(pool.shuffles(), seed != 0);
      pool.Post(Priority::kAwaited, {}, [&posted] { posted.wait(); });
      for (int i = 0; i < kTasks; ++i) {
        pool.Post(Priority(i % 3), {}, [&order, i] { order.push_back(i); });
      }
      posted.count_down();
    }
    return order;
  };
  std::vector<int> first = order_of(1), second = order_of(2);
  EXPECT_NE(first, second);
  std::ranges::sort(first);
  std::ranges::sort(second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.size(), size_t{kTasks});
}

// However tasks are posted, all workers are at work if there is enough of it.
TEST(ThreadPoolTest, CallsAllWorkersThatHaveWork) {
  constexpr int kThreads = 8;
  for (int round = 0; round < 200; ++round) {
    std::latch all_run(kThreads);  // each task waits for all others
    std::function<void()> work = [&] { all_run.arrive_and_wait(); };
    ThreadPool pool(kThreads);
    std::function<void()> post = [&] {
      for (int i = 0; i < kThreads; ++i) {
        const int home = round % 2 == 0 ? i : 0;
        pool.Post(Priority(i % 3), {.home = home}, Calling(work));
      }
    };
    if (round % 4 < 2) {
      post();
    } else {
      pool.Post(Priority::kParse, {}, Calling(post));
    }
    all_run.wait();
  }
}

// Two workers, each kept busy until it is let go.
class BusyPoolTest : public testing::Test {
 protected:
  BusyPoolTest() {
    for (int home : {0, 1}) {
      pool_.Post(Priority::kParse, {.home = home}, Calling(keep_busy_));
    }
    both_busy_.wait();
  }
  ~BusyPoolTest() override {
    for (int worker : {0, 1}) LetGo(worker);
  }

  void Post(Priority priority, std::function<void()>& work, int home,
            void* job = nullptr) {
    pool_.Post(priority, {.job = job, .home = home}, Calling(work));
  }
  void Post(Priority priority, const TaskPlace& place, const Task& task) {
    pool_.Post(priority, place, task);
  }
  void LetGo(int worker) {
    go_[worker] = true;
    go_[worker].notify_one();
  }

 private:
  std::latch both_busy_{2};
  std::atomic<bool> go_[2] = {};
  std::function<void()> keep_busy_ = [this] {
    const int worker = ThreadPool::CurrentWorker();
    both_busy_.count_down();
    go_[worker].wait(false);
  };
  ThreadPool pool_{2};
};

TEST_F(BusyPoolTest, AWorkerTakesWhatIsAtHomeWithItFirst) {
  std::vector<int> order;  // only worker 0 writes it
  std::latch all_ran(4);
  std::function<void()> work[4];
  for (int i = 0; i < 4; ++i) {
    work[i] = [&, i] {
      order.push_back(i);
      EXPECT_EQ(ThreadPool::CurrentWorker(), 0);
      all_ran.count_down();
    };
  }
  Post(Priority::kReconstruct, work[0], 1);
  Post(Priority::kParse, work[1], 0);
  Post(Priority::kReconstruct, work[2], 0);
  Post(Priority::kReconstruct, work[3], TaskPlace::kAnywhere);
  LetGo(0);
  all_ran.wait();
  EXPECT_EQ(order, (std::vector<int>{2, 3, 1, 0}));
}

TEST_F(BusyPoolTest, AWorkerGoesOnWithTheJobItWasAt) {
  std::vector<int> order;  // only worker 0 writes it
  std::latch all_ran(6);
  std::function<void()> work[6];
  int jobs[2];
  for (int i = 0; i < 6; ++i) {
    work[i] = [&, i] {
      order.push_back(i);
      all_ran.count_down();
    };
  }
  for (int i = 0; i < 4; ++i) Post(Priority::kParse, work[i], 0, &jobs[i % 2]);
  Post(Priority::kReconstruct, work[4], 0, &jobs[0]);
  Post(Priority::kReconstruct, work[5], 0, &jobs[1]);
  LetGo(0);
  all_ran.wait();
  EXPECT_EQ(order, (std::vector<int>{4, 5, 1, 3, 0, 2}));
}

TEST_F(BusyPoolTest, AWorkerTakesParsingFromOthersFirst) {
  std::vector<int> order;  // only worker 0 writes it
  std::latch all_ran(3);
  std::function<void()> work[3];
  for (int i = 0; i < 3; ++i) {
    work[i] = [&, i] {
      order.push_back(i);
      all_ran.count_down();
    };
  }
  Post(Priority::kReconstruct, work[0], 1);
  Post(Priority::kAwaited, work[1], 1);
  Post(Priority::kParse, work[2], 1);
  LetGo(0);
  all_ran.wait();
  EXPECT_EQ(order, (std::vector<int>{2, 1, 0}));
}

// The memory of a job that is over may be the next one's.
TEST_F(BusyPoolTest, AJobThatBeginsTakesItsTurn) {
  std::vector<int> order;  // only worker 0 writes it
  std::latch all_ran(3);
  std::function<void()> work[3];
  int jobs[2];
  for (int i = 0; i < 3; ++i) {
    work[i] = [&, i] {
      order.push_back(i);
      all_ran.count_down();
    };
  }
  Post(Priority::kParse, work[0], 0, &jobs[0]);
  Post(Priority::kParse, work[1], 0, &jobs[1]);
  const int stream = 0;
  Post(Priority::kParse, {.job = &jobs[0], .home = 0, .begins = &stream},
       Calling(work[2]));
  LetGo(0);
  all_ran.wait();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

// Jobs of two streams, one of each after the other.
TEST_F(BusyPoolTest, AStreamHasAWorkerForATurn) {
  struct Stream {
    std::string* order;  // only worker 0 writes it
    char name;
    std::latch* all_ran;
  };
  std::string order;
  std::latch all_ran(12);
  Stream streams[] = {{&order, 'a', &all_ran}, {&order, 'b', &all_ran}};
  for (int i = 0; i < 12; ++i) {
    const Stream& stream = streams[i % 2];
    Post(Priority::kParse, {.home = 0, .begins = &stream}, [&stream] {
      *stream.order += stream.name;
      stream.all_ran->count_down();
    });
  }
  LetGo(0);
  all_ran.wait();
  EXPECT_EQ(order, "aaaabbbbaabb");
}

TEST_F(BusyPoolTest, AnIdleWorkerIsCalledForWhatIsAtHomeWithABusyOne) {
  LetGo(1);
  std::latch ran(1);
  std::function<void()> work = [&] {
    EXPECT_EQ(ThreadPool::CurrentWorker(), 1);
    ran.count_down();
  };
  Post(Priority::kParse, work, 0);
  ran.wait();
}

}  // namespace
}  // namespace perdix
