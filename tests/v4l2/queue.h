// SPDX-License-Identifier: GPL-2.0-only
/* How a node's queues are set up: both return -1 and errno when they may not be. */
#include <linux/videodev2.h>
#include <sys/ioctl.h>

#define OUT V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE
#define CAP V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE

static inline int set_coded_format(int fd, __u32 pixelformat, unsigned int width,
				   unsigned int height)
{
	struct v4l2_format f = { .type = OUT };

	f.fmt.pix_mp.pixelformat = pixelformat;
	f.fmt.pix_mp.width = width;
	f.fmt.pix_mp.height = height;
	return ioctl(fd, VIDIOC_S_FMT, &f);
}

/* Returns how many buffers there are then. */
static inline int reqbufs(int fd, int type, enum v4l2_memory memory, unsigned int count)
{
	struct v4l2_requestbuffers rb = { .type = type, .count = count,
					  .memory = memory };

	return ioctl(fd, VIDIOC_REQBUFS, &rb) ? -1 : (int)rb.count;
}
