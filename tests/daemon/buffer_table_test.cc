// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/buffer_table.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/daemon/fake_channel.h"

namespace perdix {
namespace {

constexpr BufferAccess kAccess = BufferAccess::kReadWrite;

class BufferTableTest : public ::testing::Test {
 protected:
  const std::shared_ptr<FakeChannel> channel_ = std::make_shared<FakeChannel>();
  BufferResources Resources(uint32_t client_buffers, uint32_t all_buffers) {
    return {channel_, memory_, std::make_shared<Quota>(client_buffers),
            std::make_shared<Quota>(all_buffers)};
  }

  const std::shared_ptr<Quota> memory_ = std::make_shared<Quota>(1 << 20);
  const BufferResources resources_ = Resources(1000, 1000);
  BufferTable table_{resources_};
  JobStop stop_;
};

TEST_F(BufferTableTest, ImportsABufferOnce) {
  channel_->AddBuffer(7, 100);
  std::shared_ptr<Buffer> first;
  std::shared_ptr<Buffer> second;
  ASSERT_TRUE(table_.Find(7, kAccess, &first).ok());
  ASSERT_TRUE(table_.Find(7, kAccess, &second).ok());
  EXPECT_EQ(first, second);
  EXPECT_EQ(first->bytes().size(), 100u);
  EXPECT_EQ(table_.imports(), 1u);
  EXPECT_EQ(channel_->buffer_fd_calls(), 1);
}

TEST_F(BufferTableTest, SharesTheMemoryOfTheDescriptor) {
  channel_->AddBuffer(7, 100);
  std::shared_ptr<Buffer> buffer;
  ASSERT_TRUE(table_.Find(7, kAccess, &buffer).ok());
  buffer->bytes()[99] = 42;
  uint8_t byte = 0;
  ASSERT_EQ(pread(channel_->buffer_fd(7), &byte, 1, 99), 1);
  EXPECT_EQ(byte, 42);
}

TEST_F(BufferTableTest, KeepsAForgottenBufferMappedForItsOwner) {
  channel_->AddBuffer(7, 100);
  std::shared_ptr<Buffer> buffer;
  ASSERT_TRUE(table_.Find(7, kAccess, &buffer).ok());
  table_.Forget(7);
  EXPECT_EQ(table_.size(), 0u);
  EXPECT_EQ(buffer.use_count(), 1);
  buffer->bytes()[0] = 1;
  EXPECT_TRUE(buffer->EndAccess(BufferAccess::kReadWrite).ok());
}

TEST_F(BufferTableTest, ToleratesMemoryThatNeedsNoSync) {
  channel_->AddBuffer(7, 100);
  std::shared_ptr<Buffer> buffer;
  ASSERT_TRUE(table_.Find(7, kAccess, &buffer).ok());
  EXPECT_TRUE(buffer->BeginAccess(BufferAccess::kReadWrite, stop_).ok());
  EXPECT_TRUE(buffer->EndAccess(BufferAccess::kReadWrite).ok());
}

TEST_F(BufferTableTest, BoundsTheBuffersOfASession) {
  std::shared_ptr<Buffer> buffer;
  for (uint32_t id = 1; id <= PERDIX_MAX_BUFFERS + 1; ++id)
    channel_->AddBuffer(id, 100);
  for (uint32_t id = 1; id <= PERDIX_MAX_BUFFERS; ++id)
    ASSERT_TRUE(table_.Find(id, kAccess, &buffer).ok());
  const Status status = table_.Find(PERDIX_MAX_BUFFERS + 1, kAccess, &buffer);
  EXPECT_EQ(status.message(),
            "buffer 161: the session has 160 buffers, allowed 160: free some "
            "(VIDIOC_REQBUFS)");
  table_.Forget(1);
  EXPECT_TRUE(table_.Find(PERDIX_MAX_BUFFERS + 1, kAccess, &buffer).ok());
}

TEST_F(BufferTableTest, BoundsTheMemoryOfAClient) {
  BufferTable other(resources_);
  for (const uint32_t id : {1, 2, 3}) channel_->AddBuffer(id, 500'000);
  std::shared_ptr<Buffer> kept;
  std::shared_ptr<Buffer> buffer;
  ASSERT_TRUE(table_.Find(1, kAccess, &kept).ok());
  ASSERT_TRUE(other.Find(2, kAccess, &buffer).ok());
  const Status status = table_.Find(3, kAccess, &buffer);
  EXPECT_EQ(
      status.message(),
      "buffer 3: its 500000 bytes and the 1000000 that this process has "
      "mapped are more than the 1048576 allowed: close a stream, or raise "
      "client-memory in perdixd.conf");
  table_.Forget(1);
  EXPECT_FALSE(table_.Find(3, kAccess, &buffer).ok())
      << "still mapped for its owner";
  kept = nullptr;
  EXPECT_TRUE(table_.Find(3, kAccess, &buffer).ok());
}

// Each is a descriptor and a mapping of the daemon's, of which it has so many.
TEST_F(BufferTableTest, BoundsTheBuffersOfAClient) {
  const BufferResources resources = Resources(2, 1000);
  BufferTable table(resources);
  BufferTable other(resources);
  for (const uint32_t id : {1, 2, 3}) channel_->AddBuffer(id, 100);
  std::shared_ptr<Buffer> buffer;
  ASSERT_TRUE(table.Find(1, kAccess, &buffer).ok());
  ASSERT_TRUE(other.Find(2, kAccess, &buffer).ok());
  EXPECT_EQ(other.Find(3, kAccess, &buffer).message(),
            "buffer 3: this process has 2 buffers, allowed 2: close a stream, "
            "or raise client-buffers in perdixd.conf");
  table.Forget(1);
  EXPECT_TRUE(other.Find(3, kAccess, &buffer).ok());
}

TEST_F(BufferTableTest, BoundsTheBuffersOfAllClients) {
  const BufferResources resources = Resources(1, 1);
  BufferResources another = resources;
  another.client_buffers = std::make_shared<Quota>(1);
  BufferTable table(resources);
  BufferTable other(another);
  for (const uint32_t id : {1, 2}) channel_->AddBuffer(id, 100);
  std::shared_ptr<Buffer> buffer;
  ASSERT_TRUE(table.Find(1, kAccess, &buffer).ok());
  buffer = nullptr;
  EXPECT_EQ(other.Find(2, kAccess, &buffer).message(),
            "buffer 2: all processes have 1 buffers, allowed 1: close a "
            "stream, or raise buffers in perdixd.conf");
  table.Forget(1);
  EXPECT_TRUE(other.Find(2, kAccess, &buffer).ok());
}

TEST_F(BufferTableTest, CountsNothingThatCannotBeMapped) {
  channel_->AddBuffer(2, UniqueFd(open("/dev/null", O_RDWR | O_CLOEXEC)), 100);
  std::shared_ptr<Buffer> buffer;
  EXPECT_FALSE(table_.Find(2, kAccess, &buffer).ok());
  EXPECT_EQ(memory_->taken(), 0u);
  EXPECT_EQ(resources_.client_buffers->taken(), 0u);
  EXPECT_EQ(resources_.all_buffers->taken(), 0u);
}

TEST_F(BufferTableTest, NamesABufferThatIsGone) {
  std::shared_ptr<Buffer> buffer;
  const Status status = table_.Find(9, kAccess, &buffer);
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_EQ(status.message(), "buffer 9 is gone");
  EXPECT_EQ(buffer, nullptr);
}

// udmabuf and others give descriptors that are only for reading.
TEST_F(BufferTableTest, ReadsABitstreamThatNobodyCanWriteTo) {
  const UniqueFd file(memfd_create("bitstream", MFD_CLOEXEC));
  ASSERT_EQ(pwrite(file.get(), "!", 1, 99), 1);
  const std::string name = "/proc/self/fd/" + std::to_string(file.get());
  const auto open_it = [&] {
    return UniqueFd(open(name.c_str(), O_RDONLY | O_CLOEXEC));
  };
  channel_->AddBuffer(1, open_it(), 100);
  channel_->AddBuffer(2, open_it(), 100);
  std::shared_ptr<Buffer> buffer;
  EXPECT_FALSE(table_.Find(1, BufferAccess::kReadWrite, &buffer).ok());
  ASSERT_TRUE(table_.Find(2, BufferAccess::kRead, &buffer).ok());
  EXPECT_EQ(buffer->bytes()[99], '!');
}

TEST_F(BufferTableTest, WritesToNoBufferThatWasABitstream) {
  channel_->AddBuffer(1, 100);
  std::shared_ptr<Buffer> buffer;
  ASSERT_TRUE(table_.Find(1, BufferAccess::kRead, &buffer).ok());
  EXPECT_EQ(table_.Find(1, BufferAccess::kReadWrite, &buffer).message(),
            "buffer 1 was a bitstream, and is mapped only for reading");
  EXPECT_TRUE(table_.Find(1, BufferAccess::kRead, &buffer).ok());
}

TEST_F(BufferTableTest, RefusesWhatCannotBeMapped) {
  channel_->AddBuffer(1, 0);
  channel_->AddBuffer(2, UniqueFd(open("/dev/null", O_RDWR | O_CLOEXEC)), 100);
  std::shared_ptr<Buffer> buffer;
  EXPECT_FALSE(table_.Find(1, kAccess, &buffer).ok());
  EXPECT_FALSE(table_.Find(2, kAccess, &buffer).ok());
  EXPECT_EQ(table_.size(), 0u);
}

}  // namespace
}  // namespace perdix
