// SPDX-License-Identifier: GPL-2.0-only
/*
 * Misbehaving client: random requests, STREAMOFF, S_FMT, REMOVE_BUFS, REINIT
 * and closes while jobs are in flight. Prints how often each call worked.
 *
 *   stress VIDEO_NODE MEDIA_NODE SECONDS SEED
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/media.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define OUT V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE
#define CAP V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE
#define NUM_REQUESTS 8
#ifndef VIDIOC_REMOVE_BUFS
struct v4l2_remove_buffers { __u32 index, count, type, reserved[13]; };
#define VIDIOC_REMOVE_BUFS _IOWR('V', 104, struct v4l2_remove_buffers)
#endif

enum op { S_FMT, CREATE, QBUF_OUT, QBUF_CAP, DQBUF, CONTROL, STREAMOFF, REMOVE,
	  EXPORT, REINIT, QUEUE, STREAMON, REQBUFS, NUM_OPS };
static const char *const names[NUM_OPS] = {
	"S_FMT", "CREATE_BUFS", "QBUF(OUTPUT)", "QBUF(CAPTURE)", "DQBUF",
	"S_EXT_CTRLS", "STREAMOFF", "REMOVE_BUFS", "EXPBUF", "REINIT", "QUEUE",
	"STREAMON", "REQBUFS",
};

static int video, media, requests[NUM_REQUESTS];
static unsigned long worked[NUM_OPS], refused[NUM_OPS];

/* A random number below n. */
static int pick(int n) { return rand() % n; }

static int count(enum op op, int ret)
{
	ret ? refused[op]++ : worked[op]++;
	return ret;
}

static void set_format(int width, int height)
{
	struct v4l2_format f = { .type = OUT };

	f.fmt.pix_mp.width = width;
	f.fmt.pix_mp.height = height;
	f.fmt.pix_mp.pixelformat = V4L2_PIX_FMT_VP9_FRAME;
	count(S_FMT, ioctl(video, VIDIOC_S_FMT, &f));
}

static void create(int type, int n)
{
	struct v4l2_create_buffers c = { .count = n, .memory = V4L2_MEMORY_MMAP };

	c.format.type = type;
	ioctl(video, VIDIOC_G_FMT, &c.format);
	count(CREATE, ioctl(video, VIDIOC_CREATE_BUFS, &c));
}

static void queue_buffer(int type, int index, int request)
{
	struct v4l2_plane plane = { .bytesused = 1000 };
	struct v4l2_buffer b = { .type = type, .index = index, .length = 1,
				 .memory = V4L2_MEMORY_MMAP, .m.planes = &plane };

	b.timestamp.tv_usec = pick(50);
	if (request >= 0) {
		b.flags = V4L2_BUF_FLAG_REQUEST_FD;
		b.request_fd = request;
	}
	count(type == OUT ? QBUF_OUT : QBUF_CAP, ioctl(video, VIDIOC_QBUF, &b));
}

static void dequeue_buffer(int type)
{
	struct v4l2_plane plane = {};
	struct v4l2_buffer b = { .type = type, .length = 1,
				 .memory = V4L2_MEMORY_MMAP, .m.planes = &plane };

	count(DQBUF, ioctl(video, VIDIOC_DQBUF, &b));
}

static void set_frame(int request)
{
	struct v4l2_ctrl_vp9_frame frame = {
		.bit_depth = 8,
		.frame_width_minus_1 = 319,
		.frame_height_minus_1 = 239,
		.profile = pick(20) == 0,
		.last_frame_ts = pick(50) * 1000ull,
		.golden_frame_ts = pick(50) * 1000ull,
		.flags = V4L2_VP9_FRAME_FLAG_X_SUBSAMPLING |
			 V4L2_VP9_FRAME_FLAG_Y_SUBSAMPLING,
	};
	struct v4l2_ext_control control = {
		.id = V4L2_CID_STATELESS_VP9_FRAME,
		.size = sizeof(frame), .ptr = &frame,
	};
	struct v4l2_ext_controls controls = {
		.which = V4L2_CTRL_WHICH_REQUEST_VAL, .count = 1,
		.request_fd = request, .controls = &control,
	};

	count(CONTROL, ioctl(video, VIDIOC_S_EXT_CTRLS, &controls));
}

static void send_request(int *request)
{
	if (*request < 0 && ioctl(media, MEDIA_IOC_REQUEST_ALLOC, request))
		return;
	if (pick(8))
		set_frame(*request);
	if (pick(8))
		queue_buffer(OUT, pick(8), *request);
	count(QUEUE, ioctl(*request, MEDIA_REQUEST_IOC_QUEUE));
	if (pick(2)) {
		struct pollfd p = { *request, POLLPRI, 0 };

		poll(&p, 1, pick(3));
	}
}

static void export(int type)
{
	struct v4l2_exportbuffer e = { .type = type, .index = pick(8) };

	if (!count(EXPORT, ioctl(video, VIDIOC_EXPBUF, &e)))
		close(e.fd);
}

static void remove_buffers(int type)
{
	struct v4l2_remove_buffers r = {
		.type = type, .index = pick(8), .count = 1 + pick(2),
	};

	count(REMOVE, ioctl(video, VIDIOC_REMOVE_BUFS, &r));
}

static void free_buffers(int type)
{
	struct v4l2_requestbuffers r = { .type = type, .memory = V4L2_MEMORY_MMAP };

	count(REQBUFS, ioctl(video, VIDIOC_REQBUFS, &r));
}

static void close_request(int *request)
{
	if (*request >= 0)
		close(*request);
	*request = -1;
}

static void step(void)
{
	int *request = &requests[pick(NUM_REQUESTS)];
	int type = pick(2) ? OUT : CAP;

	switch (pick(16)) {
	case 0: count(STREAMON, ioctl(video, VIDIOC_STREAMON, &type)); break;
	case 1: if (!pick(4)) count(STREAMOFF, ioctl(video, VIDIOC_STREAMOFF, &type)); break;
	case 2: set_format(16 + pick(400), 16 + pick(300)); break;
	case 3: remove_buffers(type); break;
	case 4: create(type, 1); break;
	case 5: dequeue_buffer(OUT); break;
	case 6: dequeue_buffer(CAP); break;
	case 7: export(type); break;
	case 8: close_request(request); break;
	case 9: if (*request >= 0) count(REINIT, ioctl(*request, MEDIA_REQUEST_IOC_REINIT)); break;
	case 10: if (!pick(16)) free_buffers(type); break;
	case 11: queue_buffer(CAP, pick(10), -1); queue_buffer(CAP, pick(10), -1); break;
	default: send_request(request);
	}
}

int main(int argc, char **argv)
{
	time_t end;
	int i;

	if (argc != 5)
		return 2;
	end = time(NULL) + atoi(argv[3]);
	srand(atoi(argv[4]));
	media = open(argv[2], O_RDWR);
	for (i = 0; i < NUM_REQUESTS; i++)
		requests[i] = -1;
	while (time(NULL) < end) {
		video = open(argv[1], O_RDWR | O_NONBLOCK);
		if (video < 0)
			return 1;
		set_format(320, 240);
		create(OUT, 6);
		create(CAP, 8);
		for (i = 0; i < 300; i++)
			step();
		close(video);
	}
	for (i = 0; i < NUM_OPS; i++)
		printf("%-14s worked %lu refused %lu\n", names[i], worked[i], refused[i]);
	return 0;
}
