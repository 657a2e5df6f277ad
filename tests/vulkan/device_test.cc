// SPDX-License-Identifier: BSD-2-Clause
// Which devices are taken, and which memory of theirs.
#include "kernels/vulkan/device.h"

#include <limits>

#include "kernels/vulkan/memory.h"
#include "tests/vulkan/vulkan_test.h"

namespace perdix::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags kCoherent =
    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

VkPhysicalDeviceLimits AmpleLimits() {
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  VkPhysicalDeviceLimits limits = {};
  limits.maxComputeWorkGroupInvocations = kMost;
  limits.maxComputeWorkGroupSize[0] = kMost;
  limits.maxComputeWorkGroupCount[0] = kMost;
  limits.maxComputeWorkGroupCount[1] = kMost;
  limits.maxComputeSharedMemorySize = kMost;
  limits.maxPerStageDescriptorStorageBuffers = kMost;
  limits.maxPerStageDescriptorUniformBuffers = kMost;
  limits.maxPushConstantsSize = kMost;
  limits.maxUniformBufferRange = kMost;
  limits.maxStorageBufferRange = kMost;
  return limits;
}

VkPhysicalDeviceMemoryProperties MemoryTypes(
    std::initializer_list<VkMemoryPropertyFlags> types) {
  VkPhysicalDeviceMemoryProperties memory = {};
  for (const VkMemoryPropertyFlags flags : types) {
    memory.memoryTypes[memory.memoryTypeCount++].propertyFlags = flags;
  }
  return memory;
}

TEST(DeviceLimitsTest, AmpleOnesAreEnough) {
  EXPECT_TRUE(CheckLimits(AmpleLimits()).ok());
}

TEST(DeviceLimitsTest, AMissedOneIsNamedWithBothNumbers) {
  VkPhysicalDeviceLimits limits = AmpleLimits();
  limits.maxComputeSharedMemorySize = 8192;
  const Status status = CheckLimits(limits);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(status.message(),
            "maxComputeSharedMemorySize: got 8192, needed 16384");
}

TEST(DeviceLimitsTest, TheLargestWorkgroupMustFit) {
  VkPhysicalDeviceLimits limits = AmpleLimits();
  limits.maxComputeWorkGroupInvocations = 128;  // the least of Vulkan
  EXPECT_EQ(CheckLimits(limits).message(),
            "maxComputeWorkGroupInvocations: got 128, needed 256");
}

TEST(MemoryTypeTest, DiscreteGpu) {
  const auto memory = MemoryTypes({0, kLocal, kVisible | kCoherent,
                                   kVisible | kCoherent | kCached,
                                   kLocal | kVisible | kCoherent});
  EXPECT_EQ(FindMemoryType(memory, ~0u, MemoryUse::kDevice), 1u);
  EXPECT_EQ(FindMemoryType(memory, ~0u, MemoryUse::kShared), 3u);
  EXPECT_EQ(FindMemoryType(memory, ~0u, MemoryUse::kStaging), 4u);
  EXPECT_EQ(FindMemoryType(memory, ~0u, MemoryUse::kReadback), 3u);
  EXPECT_EQ(FindMemoryType(memory, 0b101, MemoryUse::kDevice), 0u);
}

TEST(MemoryTypeTest, OneUncachedTypeAsOnTheRaspberryPi) {
  const auto memory = MemoryTypes({kLocal | kVisible | kCoherent});
  EXPECT_EQ(FindMemoryType(memory, ~0u, MemoryUse::kDevice), 0u);
  EXPECT_EQ(FindMemoryType(memory, ~0u, MemoryUse::kShared), std::nullopt);
  EXPECT_EQ(FindMemoryType(memory, ~0u, MemoryUse::kStaging), 0u);
  EXPECT_EQ(FindMemoryType(memory, ~0u, MemoryUse::kReadback), 0u);
}

TEST(MemoryTypeTest, CachedButNotCoherent) {
  const auto memory =
      MemoryTypes({kLocal | kVisible | kCoherent, kLocal | kVisible | kCached});
  EXPECT_EQ(FindMemoryType(memory, ~0u, MemoryUse::kShared), 1u);
  EXPECT_EQ(FindMemoryType(memory, ~0u, MemoryUse::kReadback), 1u);
  EXPECT_EQ(FindMemoryType(memory, ~0u, MemoryUse::kStaging), 0u);
}

TEST_F(VulkanTest, RefusesAnUnknownName) {
  GpuOptions options;
  options.device = "no such device";
  std::unique_ptr<Gpu> gpu;
  const Status status = Gpu::Open(options, &gpu);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_NE(status.message().find("no such device"), std::string::npos);
  EXPECT_EQ(gpu, nullptr);
}

TEST_F(VulkanTest, HasANameAndADriver) {
  EXPECT_FALSE(gpu_->name().empty());
  EXPECT_FALSE(gpu_->identity().driver.empty());
  EXPECT_FALSE(gpu_->compiling());
  EXPECT_TRUE(gpu_->Ready(kAllStages[0], Frame420(8, 8)));
  EXPECT_FALSE(gpu_->lost());
}

TEST_F(VulkanTest, IsFoundByAPartOfItsName) {
  GpuOptions options;
  options.device = gpu_->name().substr(1, 4);
  std::unique_ptr<Gpu> other;
  const Status status = Gpu::Open(options, &other);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(VulkanTest, SoftwareHasNoRenderNode) {
  const GpuIdentity& gpu = gpu_->identity();
  if (gpu.type != GpuType::kSoftware) GTEST_SKIP() << gpu.name;
  EXPECT_EQ(gpu.node.path + gpu.node.driver + gpu.node.place, "");
}

TEST_F(VulkanTest, IsFoundByItsRenderNode) {
  GpuOptions options;
  options.device = gpu_->identity().node.path;
  if (options.device.empty()) GTEST_SKIP() << NodeText(gpu_->identity());
  const std::vector<GpuDescription> list = Gpu::List(options);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].node.path, options.device);
}

TEST_F(VulkanTest, IsNotFoundByThePathOfAnotherFile) {
  GpuOptions options;
  for (const char* path : {"/dev/null", "/no/such/node", "/"}) {
    options.device = path;
    EXPECT_TRUE(Gpu::List(options).empty()) << path;
  }
}

TEST_F(VulkanTest, ReadsOnlyWhatIsThere) {
  gpu::MemoryPtr memory;
  ASSERT_TRUE(gpu_->Allocate(1000, Gpu::Placement::kShared, &memory).ok());
  Bytes bytes(1001);
  EXPECT_EQ(gpu_->Read(*memory, 0, bytes).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(gpu_->Read(*memory, SIZE_MAX, bytes).code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(gpu_->Read(*memory, 1000, {}).ok());
}

}  // namespace
}  // namespace perdix::vulkan
