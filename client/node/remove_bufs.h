// SPDX-License-Identifier: BSD-2-Clause
// VIDIOC_REMOVE_BUFS, which is younger than Debian 12's headers.
#ifndef PERDIX_CLIENT_NODE_REMOVE_BUFS_H_
#define PERDIX_CLIENT_NODE_REMOVE_BUFS_H_

#include <linux/videodev2.h>

#ifndef V4L2_BUF_CAP_SUPPORTS_REMOVE_BUFS
#define V4L2_BUF_CAP_SUPPORTS_REMOVE_BUFS (1 << 8)
#endif
#ifndef VIDIOC_REMOVE_BUFS
struct v4l2_remove_buffers {
  __u32 index;
  __u32 count;
  __u32 type;
  __u32 reserved[13];
};
#define VIDIOC_REMOVE_BUFS _IOWR('V', 104, struct v4l2_remove_buffers)
#endif

#endif  // PERDIX_CLIENT_NODE_REMOVE_BUFS_H_
