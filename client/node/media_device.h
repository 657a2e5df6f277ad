// SPDX-License-Identifier: BSD-2-Clause
// Which media device a video node belongs to.
#ifndef PERDIX_CLIENT_NODE_MEDIA_DEVICE_H_
#define PERDIX_CLIENT_NODE_MEDIA_DEVICE_H_

#include <sys/types.h>

#include <string>

#include "kernels/status.h"

namespace perdix::client {

// The /dev/mediaN whose topology names the video node <device> (its
// major:minor).
Status FindMediaDevice(dev_t device, std::string* path);

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_NODE_MEDIA_DEVICE_H_
