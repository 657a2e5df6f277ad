// SPDX-License-Identifier: GPL-2.0-only
/*
 * The client's half of the test programs: one file handle of the node, DEPTH
 * requests, small frames that hold no bitstream, of VP9 unless coded_format says
 * something else.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/media.h>
#include <linux/udmabuf.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "queue.h"

#define MAX_DEPTH 8
#define NUM_PICTURES (MAX_DEPTH + 4)

static int video, media, requests[MAX_DEPTH], picture_fds[NUM_PICTURES];
static enum v4l2_memory memory = V4L2_MEMORY_MMAP;
static unsigned int depth = 2;
static __u32 coded_format = V4L2_PIX_FMT_VP9_FRAME;

static void must(const char *what, int ret)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "client: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int make_udmabuf(size_t size)
{
	struct udmabuf_create create = { .memfd = memfd_create("p", MFD_ALLOW_SEALING) };
	int device = open("/dev/udmabuf", O_RDWR), fd;

	create.size = (size + 4095) & ~4095ul;
	must("/dev/udmabuf", device);
	must("memfd", ftruncate(create.memfd, create.size));
	must("seal", fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK));
	fd = ioctl(device, UDMABUF_CREATE, &create);
	must("UDMABUF_CREATE", fd);
	close(device);
	close(create.memfd);
	return fd;
}

static inline void open_node(const char *video_node, const char *media_node)
{
	struct v4l2_format f = { .type = CAP };
	unsigned int i;
	int type;

	video = open(video_node, O_RDWR | O_NONBLOCK);
	must(video_node, video);
	media = open(media_node, O_RDWR);
	must(media_node, media);
	must("S_FMT", set_coded_format(video, coded_format, 320, 240));
	must("REQBUFS", reqbufs(video, OUT, V4L2_MEMORY_MMAP, depth));
	must("REQBUFS", reqbufs(video, CAP, memory, NUM_PICTURES));
	must("G_FMT", ioctl(video, VIDIOC_G_FMT, &f));
	for (i = 0; i < NUM_PICTURES && memory == V4L2_MEMORY_DMABUF; i++)
		picture_fds[i] = make_udmabuf(f.fmt.pix_mp.plane_fmt[0].sizeimage);
	for (i = 0; i < depth; i++)
		must("REQUEST_ALLOC", ioctl(media, MEDIA_IOC_REQUEST_ALLOC, &requests[i]));
	for (type = OUT; type; type = type == OUT ? CAP : 0)
		must("STREAMON", ioctl(video, VIDIOC_STREAMON, &type));
}

static void queue_picture(unsigned int index)
{
	struct v4l2_plane plane = {};
	struct v4l2_buffer b = { .type = CAP, .index = index, .length = 1,
				 .memory = memory, .m.planes = &plane };

	if (memory == V4L2_MEMORY_DMABUF)
		plane.m.fd = picture_fds[index];
	must("QBUF(CAPTURE)", ioctl(video, VIDIOC_QBUF, &b));
}

/* Frame n, of 1000 bytes, with these controls, as one request. */
static void queue_request(unsigned int n, unsigned int picture,
			  struct v4l2_ext_control *values, unsigned int count)
{
	struct v4l2_ext_controls controls = {
		.which = V4L2_CTRL_WHICH_REQUEST_VAL, .count = count,
		.request_fd = requests[n % depth], .controls = values,
	};
	struct v4l2_plane plane = { .bytesused = 1000 };
	struct v4l2_buffer b = { .type = OUT, .index = n % depth, .length = 1,
				 .memory = V4L2_MEMORY_MMAP, .m.planes = &plane,
				 .flags = V4L2_BUF_FLAG_REQUEST_FD,
				 .request_fd = requests[n % depth] };

	b.timestamp.tv_sec = n / 1000000;
	b.timestamp.tv_usec = n % 1000000;
	must("S_EXT_CTRLS", ioctl(video, VIDIOC_S_EXT_CTRLS, &controls));
	must("QBUF(OUTPUT)", ioctl(video, VIDIOC_QBUF, &b));
	queue_picture(picture);
	must("QUEUE", ioctl(requests[n % depth], MEDIA_REQUEST_IOC_QUEUE));
}

static inline void queue_frame_to(unsigned int n, unsigned int picture)
{
	struct v4l2_ctrl_vp9_frame frame = {
		.bit_depth = 8,
		.frame_width_minus_1 = 319,
		.frame_height_minus_1 = 239,
		.last_frame_ts = n ? (n - 1) * 1000ull : ~0ull,
		.golden_frame_ts = ~0ull,
		.alt_frame_ts = ~0ull,
		.flags = V4L2_VP9_FRAME_FLAG_X_SUBSAMPLING |
			 V4L2_VP9_FRAME_FLAG_Y_SUBSAMPLING |
			 V4L2_VP9_FRAME_FLAG_SHOW_FRAME,
	};
	struct v4l2_ext_control control = {
		.id = V4L2_CID_STATELESS_VP9_FRAME,
		.size = sizeof(frame), .ptr = &frame,
	};

	queue_request(n, picture, &control, 1);
}

static inline void queue_frame(unsigned int n)
{
	queue_frame_to(n, n % NUM_PICTURES);
}

/* Returns whether the frame came back intact. */
static inline int collect_frame(unsigned int n, double *longest)
{
	struct pollfd p = { requests[n % depth], POLLPRI, 0 };
	struct v4l2_plane plane = {};
	struct v4l2_buffer b = { .type = CAP, .length = 1, .memory = memory,
				 .m.planes = &plane };
	double start = now_ms();

	errno = ETIMEDOUT;
	must("wait", poll(&p, 1, 5000) == 1 ? 0 : -1);
	if (now_ms() - start > *longest)
		*longest = now_ms() - start;
	must("DQBUF(CAPTURE)", ioctl(video, VIDIOC_DQBUF, &b));
	errno = EILSEQ;
	must("order", b.timestamp.tv_usec == n % 1000000 ? 0 : -1);
	int intact = !(b.flags & V4L2_BUF_FLAG_ERROR);

	b.type = OUT;
	b.memory = V4L2_MEMORY_MMAP;
	must("DQBUF(OUTPUT)", ioctl(video, VIDIOC_DQBUF, &b));
	must("REINIT", ioctl(requests[n % depth], MEDIA_REQUEST_IOC_REINIT));
	return intact;
}
