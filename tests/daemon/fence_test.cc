// SPDX-License-Identifier: BSD-2-Clause
// Buffers that a device still uses. A dma-buf with a fence is not to be had
// here; an io_uring can be mapped and polled, and is readable when we say so.
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstring>

#include "tests/daemon/fake_engine.h"
#include "tests/daemon/node_fixture.h"

namespace perdix {
namespace {

class PollableMemory {
 public:
  static constexpr size_t kBytes = 4096;

  PollableMemory()
      : fd_(static_cast<int>(syscall(SYS_io_uring_setup, 1, &params_))) {}

  int fd() const { return fd_.get(); }
  UniqueFd Dup() const { return UniqueFd(fcntl(fd(), F_DUPFD_CLOEXEC, 0)); }

  // Ends a request that does nothing: the result waits to be read.
  void MakeReadable() {
    auto* ring = static_cast<uint8_t*>(Map(IORING_OFF_SQ_RING));
    auto* request = static_cast<io_uring_sqe*>(Map(IORING_OFF_SQES));
    *request = {};
    request->opcode = IORING_OP_NOP;
    *reinterpret_cast<uint32_t*>(ring + params_.sq_off.array) = 0;
    *reinterpret_cast<uint32_t*>(ring + params_.sq_off.tail) = 1;
    EXPECT_EQ(syscall(SYS_io_uring_enter, fd(), 1, 1, IORING_ENTER_GETEVENTS,
                      nullptr, 0),
              1);
    munmap(ring, kBytes);
    munmap(request, kBytes);
  }

 private:
  void* Map(off_t offset) const {
    return mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd(),
                offset);
  }

  io_uring_params params_ = {};
  UniqueFd fd_;
};

class FenceTest : public NodeFixture {
 protected:
  FenceTest() { ResetFakeEngine(); }
  void SetUp() override {
    if (memory_.fd() < 0) GTEST_SKIP() << "no io_uring: " << strerror(errno);
    Send(PERDIX_EVENT_SESSION_NEW, 1);
    channel_->AddBuffer(1, memory_.Dup(), PollableMemory::kBytes);
    AddBitstream(2);
    AddPicture(11);
    AddPicture(12);
  }

  PollableMemory memory_;
};

TEST_F(FenceTest, HoldsAFrameUntilItsBitstreamIsWritten) {
  SendJob(1, NewJob(1, 1, 11, {}), {kDecodes});
  SendJob(1, NewJob(2, 2, 12, {}), {kDecodes});
  Take();
  EXPECT_TRUE(SubmittedFrames().empty()) << "in order, so neither has started";
  ASSERT_EQ(fences_.size(), 1u);
  EXPECT_EQ(fences_[0].session, 1u);
  EXPECT_EQ(fences_[0].events, POLLIN);

  node_->FenceSignalled(1);  // another's: this one is watched again
  EXPECT_EQ(fences_.size(), 2u);
  memory_.MakeReadable();
  node_->FenceSignalled(1);
  TakeUntilFrames(2);
  EXPECT_EQ(fences_.size(), 2u);
  EXPECT_EQ(channel_->answers(), (std::vector<Answer>{{1, false}, {2, false}}));
}

TEST_F(FenceTest, LetsOtherSessionsWork) {
  SendJob(1, NewJob(1, 1, 11, {}), {kDecodes});
  Send(PERDIX_EVENT_SESSION_NEW, 2);
  SendJob(2, NewJob(2, 2, 12, {}), {kDecodes});
  TakeUntilFrames(1);
  EXPECT_EQ(channel_->answers(), (std::vector<Answer>{{2, false}}));
}

TEST_F(FenceTest, DoesNotHoldAFrameThatIsCancelled) {
  SendJob(1, NewJob(1, 1, 11, {}), {kDecodes});
  SendCancel(1, 1);
  TakeUntilFrames(1);
  EXPECT_EQ(channel_->answers(), (std::vector<Answer>{{1, true}}));
}

}  // namespace
}  // namespace perdix
