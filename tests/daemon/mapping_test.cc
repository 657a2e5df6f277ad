// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/mapping.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "daemon/unique_fd.h"

namespace perdix {
namespace {

constexpr size_t kBytes = 1 << 16;

// A file stands in for a device: what is cut off faults.
class MappingTest : public ::testing::Test {
 protected:
  MappingTest() {
    Resize(kBytes);
    EXPECT_TRUE(Mapping::Map(fd_.get(), kBytes, &mapping_).ok());
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
  ASSERT_TRUE(Mapping::Map(fd.get(), kBytes, &other).ok());
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
  ASSERT_TRUE(Mapping::Map(fd_.get(), kBytes, &mapping_).ok());
  EXPECT_FALSE(mapping_->faulted());
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

}  // namespace
}  // namespace perdix
