// SPDX-License-Identifier: BSD-2-Clause
// Memory of others as pictures.
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "tests/vulkan/vulkan_test.h"

namespace perdix::vulkan {
namespace {

// A dma-buf where this machine makes them, else its memfd: a mapping of either
// is the same to a driver that imports mappings.
class PageMemory {
 public:
  explicit PageMemory(size_t size)
      : size_((size + 4095) / 4096 * 4096),
        memfd_(memfd_create("perdix-test", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    EXPECT_EQ(ftruncate(memfd_, static_cast<off_t>(size_)), 0);
    EXPECT_EQ(fcntl(memfd_, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    data_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, memfd_, 0);
    EXPECT_NE(data_, MAP_FAILED);
    const int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
    if (device < 0) return;
    udmabuf_create create = {};
    create.memfd = static_cast<uint32_t>(memfd_);
    create.flags = UDMABUF_FLAGS_CLOEXEC;
    create.size = size_;
    dma_buf_ = ioctl(device, UDMABUF_CREATE, &create);
    close(device);
  }
  ~PageMemory() {
    munmap(data_, size_);
    close(memfd_);
    if (dma_buf_ >= 0) close(dma_buf_);
  }

  int fd() const { return dma_buf_ >= 0 ? dma_buf_ : memfd_; }
  bool is_dma_buf() const { return dma_buf_ >= 0; }
  uint8_t* data() const { return static_cast<uint8_t*>(data_); }
  size_t size() const { return size_; }

 private:
  const size_t size_;
  const int memfd_;
  int dma_buf_ = -1;
  void* data_ = MAP_FAILED;
};

using DmaBufTest = VulkanTest;

TEST_F(DmaBufTest, IsDecodedIntoWithoutACopy) {
  TestRandom random(1);
  RandomFrame frame(random, Frame420(150, 90), {});
  PageMemory pages(frame.target.bytes().size());
  std::memcpy(pages.data(), frame.target.bytes().data(),
              frame.target.bytes().size());
  GpuRandomFrame gpu_frame(*gpu_, frame);
  gpu::MemoryPtr memory;
  const Status status = gpu_->ImportDmaBuf(pages.fd(), pages.size(), &memory);
  if (!status.ok()) GTEST_SKIP() << status.message();
  EXPECT_EQ(memory->data(), nullptr);
  EXPECT_EQ(memory->size(), pages.size());
  gpu_frame.input.target.memory = std::move(memory);
  const std::unique_ptr<GpuFrame> runner = gpu_->NewFrame();
  ASSERT_TRUE(gpu_frame.Submit(*runner, kAllStages).ok());
  ASSERT_TRUE(gpu_frame.result.get().status.ok());
  frame.RunScalar(kAllStages);
  EXPECT_EQ(std::memcmp(pages.data(), frame.target.bytes().data(),
                        frame.target.bytes().size()),
            0);
  // And is read as any other memory.
  Bytes bytes(frame.target.bytes().size());
  ASSERT_TRUE(gpu_->Read(*gpu_frame.input.target.memory, 0, bytes).ok());
  EXPECT_EQ(bytes, frame.target.bytes());
  if (!pages.is_dma_buf()) GTEST_SKIP() << "no /dev/udmabuf: with a memfd";
}

TEST_F(DmaBufTest, IsRefusedWhenItIsTooSmall) {
  const PageMemory pages(4096);
  gpu::MemoryPtr memory;
  const Status status =
      gpu_->ImportDmaBuf(pages.fd(), 2 * pages.size(), &memory);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("got 4096, needed 8192"), std::string::npos)
      << status.message();
  EXPECT_EQ(memory, nullptr);
}

TEST_F(DmaBufTest, IsRefusedWhenItIsNone) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  gpu::MemoryPtr memory;
  EXPECT_EQ(gpu_->ImportDmaBuf(ends[0], 4096, &memory).code(),
            StatusCode::kInvalidArgument);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_FALSE(gpu_->ImportDmaBuf(null, 4096, &memory).ok());
  EXPECT_FALSE(gpu_->ImportDmaBuf(-1, 4096, &memory).ok());
  EXPECT_EQ(memory, nullptr);
  for (const int fd : {ends[0], ends[1], null}) close(fd);
}

TEST_F(DmaBufTest, IsRefusedWhenItMayNotBeWritten) {
  const PageMemory pages(4096);
  if (pages.is_dma_buf()) GTEST_SKIP() << "only a memfd can be sealed";
  ASSERT_EQ(fcntl(pages.fd(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
  gpu::MemoryPtr memory;
  const Status status = gpu_->ImportDmaBuf(pages.fd(), pages.size(), &memory);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_NE(status.message().find(gpu_->name() + " refused a dma-buf"),
            std::string::npos)
      << status.message();
}

}  // namespace
}  // namespace perdix::vulkan
