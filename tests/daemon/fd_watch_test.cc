// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/fd_watch.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "daemon/unique_fd.h"

namespace perdix {
namespace {

class FdWatchTest : public ::testing::Test {
 protected:
  FdWatchTest() { sd_event_new(&loop_); }
  ~FdWatchTest() override { sd_event_unref(loop_); }

  void Watch(int fd) {
    ASSERT_EQ(WatchOnce(loop_, fd, POLLIN, [this] { ++fired_; }), 0);
  }
  void RunLoop() {
    while (sd_event_run(loop_, 0) > 0) continue;
  }

  sd_event* loop_ = nullptr;
  UniqueFd event_{eventfd(0, EFD_CLOEXEC)};
  int fired_ = 0;
};

TEST_F(FdWatchTest, FiresOnceWhenReady) {
  Watch(event_.get());
  RunLoop();
  EXPECT_EQ(fired_, 0);
  eventfd_write(event_.get(), 1);
  RunLoop();
  EXPECT_EQ(fired_, 1);
}

TEST_F(FdWatchTest, OutlivesTheDescriptorItWasGiven) {
  const UniqueFd other(dup(event_.get()));
  Watch(event_.get());
  event_ = UniqueFd();
  eventfd_write(other.get(), 1);
  RunLoop();
  EXPECT_EQ(fired_, 1);
}

TEST_F(FdWatchTest, MayBeAskedAgainFromItsCall) {
  int calls = 0;
  std::function<void()> again = [&] {
    if (++calls < 3) WatchOnce(loop_, event_.get(), POLLIN, again);
  };
  WatchOnce(loop_, event_.get(), POLLIN, again);
  eventfd_write(event_.get(), 1);
  RunLoop();
  EXPECT_EQ(calls, 3);
}

TEST_F(FdWatchTest, EndsWithTheLoop) {
  Watch(event_.get());  // the sanitizer sees what is not freed
}

TEST_F(FdWatchTest, FailsOnABadDescriptor) {
  EXPECT_EQ(WatchOnce(loop_, -1, POLLIN, [] {}), -EBADF);
}

}  // namespace
}  // namespace perdix
