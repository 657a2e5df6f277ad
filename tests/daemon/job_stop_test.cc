// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/job_stop.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include "daemon/unique_fd.h"

namespace perdix {
namespace {

class JobStopTest : public ::testing::Test {
 protected:
  int WaitForEver() const {
    eventfd_t ignored;
    return eventfd_read(never_.get(), &ignored) == 0 ? 0 : -errno;
  }

  const UniqueFd never_{eventfd(0, EFD_CLOEXEC)};
  const std::shared_ptr<JobStop> job_ = std::make_shared<JobStop>();
  Interrupter interrupter_;
};

TEST_F(JobStopTest, ReturnsWhatTheCallDoes) {
  EXPECT_EQ(job_->Run([] { return 0; }), 0);
  EXPECT_EQ(job_->Run([] { return -ENOTTY; }), -ENOTTY);
}

TEST_F(JobStopTest, CallsAgainAfterAnyOtherSignal) {
  int calls = 0;
  EXPECT_EQ(job_->Run([&] { return ++calls < 3 ? -EINTR : 0; }), 0);
  EXPECT_EQ(calls, 3);
}

TEST_F(JobStopTest, CallsNothingOnceStopped) {
  interrupter_.Stop(job_);
  EXPECT_TRUE(job_->stopped());
  EXPECT_EQ(job_->Run([] { return 0; }), -ECANCELED);
}

TEST_F(JobStopTest, EndsACallThatMissedTheFirstSignal) {
  std::atomic<bool> inside{false};
  int result = 0;
  std::thread caller([&] {
    result = job_->Run([&] {
      inside = true;
      while (!job_->stopped()) std::this_thread::yield();
      // The first signal comes about here, before the system call.
      const auto end =
          std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
      while (std::chrono::steady_clock::now() < end) continue;
      return WaitForEver();
    });
  });
  while (!inside) std::this_thread::yield();
  interrupter_.Stop(job_);
  caller.join();
  EXPECT_EQ(result, -ECANCELED);
}

TEST_F(JobStopTest, EndsEveryCallOfTheJobAndNoOther) {
  const auto other = std::make_shared<JobStop>();
  const UniqueFd event(eventfd(0, EFD_CLOEXEC));
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i)
    callers.emplace_back([&] {
      EXPECT_EQ(job_->Run([&] { return WaitForEver(); }), -ECANCELED);
    });
  std::thread bystander([&] {
    EXPECT_EQ(other->Run([&] {
      eventfd_t ignored;
      return eventfd_read(event.get(), &ignored) == 0 ? 0 : -errno;
    }),
              0);
  });
  interrupter_.Stop(job_);
  for (std::thread& caller : callers) caller.join();
  eventfd_write(event.get(), 1);
  bystander.join();
}

}  // namespace
}  // namespace perdix
