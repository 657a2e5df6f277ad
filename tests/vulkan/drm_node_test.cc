// SPDX-License-Identifier: BSD-2-Clause
// What is made of libdrm's answers. They are given here: its functions are
// defined in this file, in place of the library's.
#include "kernels/vulkan/drm_node.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <sys/sysmacros.h>
#include <xf86drm.h>

#include <cstring>
#include <string>

namespace {

const dev_t kRender = makedev(226, 129);

// The device that libdrm finds, or an error.
struct FakeDrm {
  drmDevice device = {};
  drmPciBusInfo pci = {1, 2, 3, 4};
  drmPlatformBusInfo platform = {"/axi/v3d@1002000000"};
  char render[32] = "/dev/null";  // can be opened
  char* nodes[DRM_NODE_MAX] = {nullptr, nullptr, render};
  std::string driver = "v3d";
  bool no_version = false;
  int freed = 0;
};
FakeDrm* drm = nullptr;

}  // namespace

extern "C" {

int drmGetDeviceFromDevId(dev_t number, uint32_t, drmDevicePtr* device) {
  if (number != kRender) return -ENODEV;
  *device = &drm->device;
  return 0;
}
void drmFreeDevice(drmDevicePtr*) { ++drm->freed; }
drmVersionPtr drmGetVersion(int fd) {
  EXPECT_GE(fd, 0);
  if (drm->no_version) return nullptr;
  const int length = int(drm->driver.size());
  // Not ended by a zero: the length counts.
  return new drmVersion{1, 2, 3, length, drm->driver.data(), 0, {}, 0, {}};
}
void drmFreeVersion(drmVersionPtr version) { delete version; }
}

namespace perdix::vulkan {
namespace {

class DrmNodeTest : public testing::Test {
 protected:
  DrmNodeTest() {
    drm = &fake_;
    fake_.device.nodes = fake_.nodes;
    fake_.device.available_nodes = 1 << DRM_NODE_RENDER;
    fake_.device.bustype = DRM_BUS_PCI;
    fake_.device.businfo.pci = &fake_.pci;
  }
  ~DrmNodeTest() override { drm = nullptr; }

  FakeDrm fake_;
};

TEST_F(DrmNodeTest, NamesNodeDriverAndPlace) {
  const DrmNode node = FindDrmNode(kRender);
  EXPECT_EQ(node.path, "/dev/null");
  EXPECT_EQ(node.driver, "v3d 1.2.3");
  EXPECT_EQ(node.place, "pci-0001:02:03.4");
  EXPECT_EQ(fake_.freed, 1);
}

TEST_F(DrmNodeTest, APlatformDeviceIsNamedByTheDeviceTree) {
  fake_.device.bustype = DRM_BUS_PLATFORM;
  fake_.device.businfo.platform = &fake_.platform;
  EXPECT_EQ(FindDrmNode(kRender).place, "platform-/axi/v3d@1002000000");
}

TEST_F(DrmNodeTest, AUsbDeviceHasNoPlaceThatStays) {
  fake_.device.bustype = DRM_BUS_USB;
  EXPECT_EQ(FindDrmNode(kRender).place, "");
}

TEST_F(DrmNodeTest, AnotherNumberIsNoNode) {
  const DrmNode node = FindDrmNode(makedev(226, 130));
  EXPECT_EQ(node.path + node.driver + node.place, "");
}

TEST_F(DrmNodeTest, ADeviceThatOnlyShowsHasNoRenderNode) {
  fake_.device.available_nodes = 1 << DRM_NODE_PRIMARY;
  EXPECT_EQ(FindDrmNode(kRender).path, "");
  EXPECT_EQ(fake_.freed, 1);
}

TEST_F(DrmNodeTest, WithoutPermissionOnlyTheDriverIsUnknown) {
  std::strcpy(fake_.render, "/no/such/node");
  const DrmNode node = FindDrmNode(kRender);
  EXPECT_EQ(node.path, "/no/such/node");
  EXPECT_EQ(node.driver, "");
  EXPECT_EQ(node.place, "pci-0001:02:03.4");
}

TEST_F(DrmNodeTest, ANodeThatIsNoDrmDeviceHasNoDriver) {
  fake_.no_version = true;
  EXPECT_EQ(FindDrmNode(kRender).driver, "");
}

TEST(GpuIdentityTest, IsOneLineThatNamesTheNode) {
  GpuIdentity gpu{.name = "V3D 7.1.7.0",
                  .driver = "V3DV Mesa 25.0.7",
                  .type = GpuType::kIntegrated,
                  .node = {"/dev/dri/renderD128", "v3d 1.0.0", ""}};
  EXPECT_EQ(ToString(gpu),
            "V3D 7.1.7.0, V3DV Mesa 25.0.7, /dev/dri/renderD128 by v3d 1.0.0");
  gpu.node.driver.clear();
  EXPECT_EQ(NodeText(gpu), "/dev/dri/renderD128");
  gpu.node.path.clear();
  EXPECT_EQ(NodeText(gpu), "render node unknown");
}

TEST(GpuIdentityTest, SoftwareSaysThatItHasNoNode) {
  const GpuIdentity gpu{
      .name = "llvmpipe", .driver = "", .type = GpuType::kSoftware, .node = {}};
  EXPECT_EQ(ToString(gpu), "llvmpipe, software, no render node");
  EXPECT_STREQ(TypeName(gpu.type), "software");
}

}  // namespace
}  // namespace perdix::vulkan
