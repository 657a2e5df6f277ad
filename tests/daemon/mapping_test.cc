// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/mapping.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "daemon/guarded_range.h"
#include "daemon/unique_fd.h"

namespace perdix {
namespace {

constexpr size_t kBytes = 1 << 16;

Status Map(int fd, size_t bytes, std::unique_ptr<Mapping>* mapping) {
  return Mapping::Map(fd, bytes, BufferAccess::kReadWrite, mapping);
}

// A file stands in for a device: what is cut off faults.
class MappingTest : public ::testing::Test {
 protected:
  MappingTest() {
    Resize(kBytes);
    EXPECT_TRUE(Map(fd_.get(), kBytes, &mapping_).ok());
  }
  void Resize(size_t bytes) const {
    EXPECT_EQ(ftruncate(fd_.get(), off_t(bytes)), 0);
  }

  const UniqueFd fd_{memfd_create("device", MFD_CLOEXEC)};
  std::unique_ptr<Mapping> mapping_;
};

TEST_F(MappingTest, SurvivesReadingAndWritingWhatIsGone) {
  mapping_->bytes()[0] = 1;
  EXPECT_FALSE(mapping_->faulted());
  Resize(0);
  EXPECT_EQ(mapping_->bytes()[kBytes - 1], 0);
  EXPECT_TRUE(mapping_->faulted());
  EXPECT_EQ(mapping_->bytes()[0], 0);
  mapping_->bytes()[0] = 2;
  EXPECT_EQ(mapping_->bytes()[0], 2);
}

TEST_F(MappingTest, SurvivesThreadsThatFaultAtOnce) {
  Resize(0);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 4; ++i)
    threads.emplace_back([this, i] {
      volatile uint8_t* const bytes = mapping_->bytes().data();
      for (size_t at = i; at < kBytes; at += 512) bytes[at] = 1;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(mapping_->faulted());
}

TEST_F(MappingTest, LeavesOtherMappingsAlone) {
  std::unique_ptr<Mapping> other;
  const UniqueFd fd(memfd_create("other", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(fd.get(), kBytes), 0);
  ASSERT_TRUE(Map(fd.get(), kBytes, &other).ok());
  other->bytes()[0] = 7;
  Resize(0);
  EXPECT_EQ(mapping_->bytes()[0], 0);
  EXPECT_FALSE(other->faulted());
  EXPECT_EQ(other->bytes()[0], 7);
}

TEST_F(MappingTest, StartsAnewWhereOneFaulted) {
  Resize(0);
  EXPECT_EQ(mapping_->bytes()[0], 0);
  mapping_.reset();
  Resize(kBytes);
  ASSERT_TRUE(Map(fd_.get(), kBytes, &mapping_).ok());
  EXPECT_FALSE(mapping_->faulted());
}

// Whether the kernel may write there for us.
bool CanBeWritten(const Mapping& mapping) {
  const UniqueFd zeros(open("/dev/zero", O_RDONLY | O_CLOEXEC));
  return read(zeros.get(), mapping.bytes().data(), 1) == 1;
}

TEST_F(MappingTest, WhatIsOnlyReadCannotBeWritten) {
  std::unique_ptr<Mapping> mapping;
  ASSERT_TRUE(
      Mapping::Map(fd_.get(), kBytes, BufferAccess::kRead, &mapping).ok());
  EXPECT_TRUE(CanBeWritten(*mapping_));
  EXPECT_FALSE(CanBeWritten(*mapping));
  Resize(0);
  EXPECT_EQ(mapping->bytes()[0], 0);
  EXPECT_TRUE(mapping->faulted());
  EXPECT_FALSE(CanBeWritten(*mapping)) << "nor the zeroes in its place";
}

using MappingDeathTest = MappingTest;

TEST_F(MappingDeathTest, AnyOtherSigbusEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(raise(SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(
      {
        auto* const bytes = static_cast<volatile uint8_t*>(
            mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fd_.get(), 0));
        Resize(0);
        (void)bytes[0];
      },
      ::testing::KilledBySignal(SIGBUS), "");
}

// One range is used for one mapping after the other, of any size.
TEST(GuardedRangeTest, GivesNoValuesOfTwoMoments) {
  uint8_t memory[2] = {};
  const GuardedRange::Values small = {memory, 1 << 12, PROT_READ};
  const GuardedRange::Values large = {memory + 1, 1 << 26, PROT_WRITE};
  GuardedRange range;
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (bool odd = false; !stop; odd = !odd) range.Set(odd ? large : small);
  });
  int mixed = 0;
  for (int reads[2] = {}; reads[0] < 500'000 || reads[1] < 500'000;) {
    const GuardedRange::Values got = range.Get();
    if (got.begin == nullptr) continue;
    ++reads[got.begin == large.begin];
    mixed += got != small && got != large;
  }
  stop = true;
  writer.join();
  EXPECT_EQ(mixed, 0);
}

}  // namespace
}  // namespace perdix
