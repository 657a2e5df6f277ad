// SPDX-License-Identifier: BSD-2-Clause
// The file of compiled pipelines, and what may have become of it.
#include "kernels/vulkan/pipeline_cache.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/vulkan/vulkan_test.h"

namespace perdix::vulkan {
namespace {

VkPhysicalDeviceProperties SomeDevice() {
  VkPhysicalDeviceProperties device = {};
  device.vendorID = 0x10de;
  device.deviceID = 0x2335;
  std::memset(device.pipelineCacheUUID, 7, VK_UUID_SIZE);
  return device;
}

// What a driver of that device gives.
Bytes ContentFor(const VkPhysicalDeviceProperties& device) {
  VkPipelineCacheHeaderVersionOne header = {};
  header.headerSize = sizeof(header);
  header.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
  header.vendorID = device.vendorID;
  header.deviceID = device.deviceID;
  std::memcpy(header.pipelineCacheUUID, device.pipelineCacheUUID, VK_UUID_SIZE);
  Bytes content(sizeof(header) + 1000, 0x5a);
  std::memcpy(content.data(), &header, sizeof(header));
  return content;
}

class PipelineCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/perdix-cache-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    file_ = (folder_ / "pipelines").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Bytes File() const {
    std::ifstream in(file_, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(in), {});
  }
  void SetFile(const Bytes& bytes) const {
    std::ofstream(file_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  // Whether it is taken.
  bool Load(const VkPhysicalDeviceProperties& device, Bytes* content) const {
    return LoadPipelineCache(file_, device, content).ok();
  }
  void ExpectRefused(const VkPhysicalDeviceProperties& device,
                     size_t what) const {
    Bytes content = {1};
    EXPECT_FALSE(Load(device, &content)) << what;
    EXPECT_TRUE(content.empty()) << what;
  }
  size_t FilesInFolder() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
  std::string file_;
};

TEST_F(PipelineCacheTest, GivesBackWhatWasStored) {
  const Bytes content = ContentFor(SomeDevice());
  ASSERT_TRUE(StorePipelineCache(file_, content).ok());
  Bytes loaded;
  ASSERT_TRUE(Load(SomeDevice(), &loaded));
  EXPECT_EQ(loaded, content);
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(PipelineCacheTest, IsEmptyWithoutAFile) {
  Bytes content = {1};
  EXPECT_TRUE(Load(SomeDevice(), &content));
  EXPECT_TRUE(content.empty());
  EXPECT_TRUE(LoadPipelineCache("", SomeDevice(), &content).ok());
}

TEST_F(PipelineCacheTest, RefusesEveryTruncation) {
  ASSERT_TRUE(StorePipelineCache(file_, ContentFor(SomeDevice())).ok());
  const Bytes whole = File();
  for (size_t size = 0; size < whole.size(); size += 13) {
    SetFile(Bytes(whole.begin(), whole.begin() + static_cast<long>(size)));
    ExpectRefused(SomeDevice(), size);
  }
}

TEST_F(PipelineCacheTest, RefusesEveryChangedByte) {
  ASSERT_TRUE(StorePipelineCache(file_, ContentFor(SomeDevice())).ok());
  const Bytes whole = File();
  for (size_t i = 0; i < whole.size(); i += 7) {
    Bytes changed = whole;
    changed[i] ^= 0x10;
    SetFile(changed);
    ExpectRefused(SomeDevice(), i);
  }
}

TEST_F(PipelineCacheTest, RefusesAnotherDriver) {
  ASSERT_TRUE(StorePipelineCache(file_, ContentFor(SomeDevice())).ok());
  VkPhysicalDeviceProperties other = SomeDevice();
  other.pipelineCacheUUID[3] ^= 1;
  ExpectRefused(other, 0);
  other = SomeDevice();
  other.deviceID ^= 1;
  ExpectRefused(other, 0);
}

TEST_F(PipelineCacheTest, LeavesNothingWhereItCannotWrite) {
  const Status status = StorePipelineCache((folder_ / "none" / "file").string(),
                                           ContentFor(SomeDevice()));
  EXPECT_NE(status.message().find("cannot be written: No such file"),
            std::string::npos)
      << status.message();
  EXPECT_EQ(FilesInFolder(), 0u);
}

// With a device: opens with the file, and leaves a good one.
class PipelineCacheGpuTest : public PipelineCacheTest {
 protected:
  void OpenAndClose() {
    notices_.clear();
    compiled_.clear();
    GpuOptions options = TestOptions();
    options.cache_file = file_;
    options.notice = [this](const std::string& text) {
      notices_.push_back(text);
    };
    options.compiled = [this](const std::string& frames) {
      compiled_ += frames + ";";
    };
    std::unique_ptr<Gpu> gpu;
    const Status status = Gpu::Open(options, &gpu);
    if (!status.ok()) GTEST_SKIP() << status.message();
    WaitReady(*gpu, kOneStage);
    TestRandom random(1);
    RandomFrame frame(random, Frame420(80, 80), {});
    GpuRandomFrame gpu_frame(*gpu, frame);
    const std::unique_ptr<GpuFrame> runner = gpu->NewFrame();
    EXPECT_TRUE(gpu_frame.Submit(*runner, kOneStage).ok());
    EXPECT_TRUE(gpu_frame.result.get().status.ok());
  }

  std::vector<std::string> notices_;  // until it was closed
  std::string compiled_;
};

TEST_F(PipelineCacheGpuTest, IsWrittenOnceAndReplacedWhenDamaged) {
  OpenAndClose();
  if (IsSkipped()) return;
  EXPECT_EQ(compiled_, "VP9 of 8 bit;");
  EXPECT_TRUE(notices_.empty());
  const Bytes good = File();
  EXPECT_GT(good.size(), 24u);
  const auto written = std::filesystem::last_write_time(file_);
  OpenAndClose();
  EXPECT_EQ(std::filesystem::last_write_time(file_), written);
  EXPECT_TRUE(notices_.empty());
  Bytes damaged = good;
  damaged[30] ^= 1;
  SetFile(damaged);
  OpenAndClose();
  EXPECT_EQ(compiled_, "VP9 of 8 bit;");
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_NE(notices_[0].find("its checksum is wrong"), std::string::npos);
  EXPECT_EQ(File(), good);
}

TEST_F(PipelineCacheGpuTest, SaysThatItCannotBeWritten) {
  file_ = (folder_ / "none" / "file").string();
  OpenAndClose();
  if (IsSkipped()) return;
  EXPECT_EQ(compiled_, "VP9 of 8 bit;");
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_NE(notices_[0].find("cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace perdix::vulkan
