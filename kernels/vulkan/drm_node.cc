// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/drm_node.h"

#include <fcntl.h>
#include <unistd.h>
#include <xf86drm.h>

#include <cstdio>
#include <memory>
#include <string>

namespace perdix::vulkan {
namespace {

struct FreeDevice {
  void operator()(drmDevicePtr device) const { drmFreeDevice(&device); }
};
struct FreeVersion {
  void operator()(drmVersionPtr version) const { drmFreeVersion(version); }
};

std::string PlaceOf(const drmDevice& device) {
  switch (device.bustype) {
    case DRM_BUS_PCI: {
      const drmPciBusInfo& pci = *device.businfo.pci;
      char text[32];
      std::snprintf(text, sizeof(text), "pci-%04x:%02x:%02x.%x", pci.domain,
                    pci.bus, pci.dev, unsigned(pci.func));
      return text;
    }
    case DRM_BUS_PLATFORM:
      return std::string("platform-") + device.businfo.platform->fullname;
    case DRM_BUS_HOST1X:
      return std::string("host1x-") + device.businfo.host1x->fullname;
    default:
      return {};  // nothing that stays: USB's numbers count plugs
  }
}

// The kernel's driver of that node, and its version.
std::string DriverOf(const char* path) {
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return {};
  const std::unique_ptr<drmVersion, FreeVersion> version(drmGetVersion(fd));
  close(fd);
  if (!version) return {};
  return std::string(version->name, size_t(version->name_len)) + " " +
         std::to_string(version->version_major) + "." +
         std::to_string(version->version_minor) + "." +
         std::to_string(version->version_patchlevel);
}

}  // namespace

DrmNode FindDrmNode(dev_t render) {
  drmDevicePtr found = nullptr;
  if (drmGetDeviceFromDevId(render, 0, &found) != 0) return {};
  const std::unique_ptr<drmDevice, FreeDevice> device(found);
  if ((device->available_nodes & (1 << DRM_NODE_RENDER)) == 0) return {};
  const char* const path = device->nodes[DRM_NODE_RENDER];
  return {path, DriverOf(path), PlaceOf(*device)};
}

}  // namespace perdix::vulkan
