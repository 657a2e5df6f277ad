// SPDX-License-Identifier: BSD-2-Clause
#include "client/node/media_device.h"

#include <fcntl.h>
#include <glob.h>
#include <linux/media.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace perdix::client {
namespace {

std::vector<std::string> MediaPaths() {
  glob_t found = {};
  std::vector<std::string> paths;
  if (glob("/dev/media*", 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return paths;
}

bool HasVideoNode(int media_fd, dev_t device) {
  media_v2_topology topology = {};
  if (ioctl(media_fd, MEDIA_IOC_G_TOPOLOGY, &topology) != 0) return false;
  std::vector<media_v2_interface> interfaces(topology.num_interfaces);
  media_v2_topology wanted = {};
  wanted.num_interfaces = topology.num_interfaces;
  wanted.ptr_interfaces = reinterpret_cast<uintptr_t>(interfaces.data());
  if (ioctl(media_fd, MEDIA_IOC_G_TOPOLOGY, &wanted) != 0) return false;
  for (const media_v2_interface& interface : interfaces) {
    if (interface.intf_type == MEDIA_INTF_T_V4L_VIDEO &&
        interface.devnode.major == major(device) &&
        interface.devnode.minor == minor(device)) {
      return true;
    }
  }
  return false;
}

}  // namespace

Status FindMediaDevice(dev_t device, std::string* path) {
  for (const std::string& candidate : MediaPaths()) {
    const int fd = open(candidate.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) continue;
    const bool found = HasVideoNode(fd, device);
    close(fd);
    if (!found) continue;
    *path = candidate;
    return Status::Ok();
  }
  return {StatusCode::kUnsupported,
          "no readable /dev/media* has the video node " +
              std::to_string(major(device)) + ":" +
              std::to_string(minor(device))};
}

}  // namespace perdix::client
