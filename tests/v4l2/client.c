// SPDX-License-Identifier: GPL-2.0-only
/*
 * Well-behaved client: sends FRAMES requests through the node, DEPTH of them
 * queued at a time, each referring to the picture before. Prints how many came
 * back decoded and flagged, and the longest wait for one in milliseconds.
 *
 *   client VIDEO_NODE MEDIA_NODE FRAMES [DEPTH [dmabuf|fence]]
 *
 * With "dmabuf", pictures live in udmabufs; with "fence" they do, and the first
 * is still being read by someone else when it is queued: its frame must not
 * come back before that one is done. Fails if a call does, if pictures come
 * back out of order, or if a wait takes longer than 5 s.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
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

#define OUT V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE
#define CAP V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE
#define MAX_DEPTH 8
#define NUM_PICTURES (MAX_DEPTH + 4)

static int video, media, requests[MAX_DEPTH], picture_fds[NUM_PICTURES];
static enum v4l2_memory memory = V4L2_MEMORY_MMAP;
static unsigned int depth = 2;

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

/* The kernel's own fences for tests; it has no header for them. */
struct sw_sync_create_fence_data {
	__u32 value;
	char name[32];
	__s32 fence;
};
#define SW_SYNC_IOC_CREATE_FENCE _IOWR('W', 0, struct sw_sync_create_fence_data)
#define SW_SYNC_IOC_INC _IOW('W', 1, __u32)

/* Returns what signal_reader() takes. */
static int add_reader(int dmabuf)
{
	struct sw_sync_create_fence_data fence = { .value = 1, .name = "reader" };
	struct dma_buf_import_sync_file import = { .flags = DMA_BUF_SYNC_READ };
	int timeline = open("/sys/kernel/debug/sync/sw_sync", O_RDWR);

	must("sw_sync", timeline);
	must("CREATE_FENCE", ioctl(timeline, SW_SYNC_IOC_CREATE_FENCE, &fence));
	import.fd = fence.fence;
	must("IMPORT_SYNC_FILE", ioctl(dmabuf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &import));
	close(fence.fence);
	return timeline;
}

static void signal_reader(int timeline)
{
	__u32 steps = 1;

	must("SW_SYNC_IOC_INC", ioctl(timeline, SW_SYNC_IOC_INC, &steps));
}

static void set_up(void)
{
	struct v4l2_format f = { .type = OUT };
	struct v4l2_requestbuffers rb = { .type = OUT, .count = depth,
					  .memory = V4L2_MEMORY_MMAP };
	unsigned int i;
	int type;

	f.fmt.pix_mp.pixelformat = V4L2_PIX_FMT_VP9_FRAME;
	f.fmt.pix_mp.width = 320;
	f.fmt.pix_mp.height = 240;
	must("S_FMT", ioctl(video, VIDIOC_S_FMT, &f));
	must("REQBUFS", ioctl(video, VIDIOC_REQBUFS, &rb));
	rb.type = CAP;
	rb.count = NUM_PICTURES;
	rb.memory = memory;
	must("REQBUFS", ioctl(video, VIDIOC_REQBUFS, &rb));
	f.type = CAP;
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

static void queue_frame(unsigned int n)
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
	struct v4l2_ext_controls controls = {
		.which = V4L2_CTRL_WHICH_REQUEST_VAL, .count = 1,
		.request_fd = requests[n % depth], .controls = &control,
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
	queue_picture(n % NUM_PICTURES);
	must("QUEUE", ioctl(requests[n % depth], MEDIA_REQUEST_IOC_QUEUE));
}

/* Returns whether the frame came back intact. */
static int collect_frame(unsigned int n, double *longest)
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

/* The first frame must wait for the reader of its picture, and only for it. */
static void check_first_waits(int reader)
{
	struct pollfd p = { requests[0], POLLPRI, 0 };

	errno = EBUSY;
	must("first frame came too early", poll(&p, 1, 300) ? -1 : 0);
	signal_reader(reader);
	must("first frame does not come", poll(&p, 1, 1000) == 1 ? 0 : -1);
}

int main(int argc, char **argv)
{
	unsigned int n, frames, intact = 0;
	int reader = -1;
	double longest = 0;

	if (argc < 4)
		return 2;
	frames = atoi(argv[3]);
	if (argc > 4)
		depth = atoi(argv[4]);
	if (depth < 1 || depth > MAX_DEPTH)
		return 2;
	if (argc > 5)
		memory = V4L2_MEMORY_DMABUF;
	video = open(argv[1], O_RDWR | O_NONBLOCK);
	must(argv[1], video);
	media = open(argv[2], O_RDWR);
	must(argv[2], media);
	set_up();
	if (argc > 5 && !strcmp(argv[5], "fence"))
		reader = add_reader(picture_fds[0]);
	for (n = 0; n < frames + depth; n++) {
		if (n >= depth)
			intact += collect_frame(n - depth, &longest);
		if (n < frames)
			queue_frame(n);
		if (n == 0 && reader >= 0)
			check_first_waits(reader);
	}
	printf("frames %u intact %u flagged %u longest %.0f ms\n", frames, intact,
	       frames - intact, longest);
	return 0;
}
