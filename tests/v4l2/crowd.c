// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens the node COUNT times, from several threads at once, sends a frame through
 * each file, waits for all frames, and closes all files, again from several threads
 * at once. The frames hold no bitstream; whether they come back intact is the
 * daemon's affair. Prints how many did, and how many milliseconds each part took.
 *
 *   crowd VIDEO_NODE MEDIA_NODE COUNT
 *
 * Fails if a call does, or if a frame does not come back within 60 s.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/media.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define OUT V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE
#define CAP V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE
#define THREADS 8
#define MOST 4096

static const char *video_node, *media_node;
static int videos[MOST], requests[MOST], count;
static unsigned int intact[THREADS];

static void must(const char *what, int ret)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "crowd: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void queue_buffer(int video, int type, int request)
{
	struct v4l2_plane plane = { .bytesused = type == OUT ? 100 : 0 };
	struct v4l2_buffer b = { .type = type, .length = 1, .memory = V4L2_MEMORY_MMAP,
				 .m.planes = &plane };

	if (type == OUT) {
		b.flags = V4L2_BUF_FLAG_REQUEST_FD;
		b.request_fd = request;
	}
	must("QBUF", ioctl(video, VIDIOC_QBUF, &b));
}

static void set_up(int video)
{
	struct v4l2_format f = { .type = OUT };
	int type;

	f.fmt.pix_mp.pixelformat = V4L2_PIX_FMT_VP9_FRAME;
	f.fmt.pix_mp.width = f.fmt.pix_mp.height = 16;
	must("S_FMT", ioctl(video, VIDIOC_S_FMT, &f));
	for (type = OUT; type; type = type == OUT ? CAP : 0) {
		struct v4l2_requestbuffers rb = { .type = type, .count = 1,
						  .memory = V4L2_MEMORY_MMAP };

		must("REQBUFS", ioctl(video, VIDIOC_REQBUFS, &rb));
		must("STREAMON", ioctl(video, VIDIOC_STREAMON, &type));
	}
}

static void set_frame(int video, int request)
{
	struct v4l2_ctrl_vp9_frame frame = {
		.bit_depth = 8,
		.frame_width_minus_1 = 15,
		.frame_height_minus_1 = 15,
		.flags = V4L2_VP9_FRAME_FLAG_KEY_FRAME |
			 V4L2_VP9_FRAME_FLAG_X_SUBSAMPLING |
			 V4L2_VP9_FRAME_FLAG_Y_SUBSAMPLING,
	};
	struct v4l2_ext_control control = {
		.id = V4L2_CID_STATELESS_VP9_FRAME, .size = sizeof(frame), .ptr = &frame,
	};
	struct v4l2_ext_controls controls = {
		.which = V4L2_CTRL_WHICH_REQUEST_VAL, .count = 1,
		.request_fd = request, .controls = &control,
	};

	must("S_EXT_CTRLS", ioctl(video, VIDIOC_S_EXT_CTRLS, &controls));
}

/* Thread t has the files t, t + THREADS, ... */
static void *send_frames(void *thread)
{
	int i, media = open(media_node, O_RDWR);

	must(media_node, media);
	for (i = (long)thread; i < count; i += THREADS) {
		videos[i] = open(video_node, O_RDWR | O_NONBLOCK);
		must(video_node, videos[i]);
		set_up(videos[i]);
		must("REQUEST_ALLOC", ioctl(media, MEDIA_IOC_REQUEST_ALLOC, &requests[i]));
		set_frame(videos[i], requests[i]);
		queue_buffer(videos[i], OUT, requests[i]);
		queue_buffer(videos[i], CAP, -1);
		must("QUEUE", ioctl(requests[i], MEDIA_REQUEST_IOC_QUEUE));
	}
	close(media);
	return NULL;
}

static void *collect_frames(void *thread)
{
	int i;

	for (i = (long)thread; i < count; i += THREADS) {
		struct pollfd p = { requests[i], POLLPRI, 0 };
		struct v4l2_plane plane = {};
		struct v4l2_buffer b = { .type = CAP, .length = 1,
					 .memory = V4L2_MEMORY_MMAP, .m.planes = &plane };

		errno = ETIMEDOUT;
		must("wait", poll(&p, 1, 60000) == 1 ? 0 : -1);
		must("DQBUF", ioctl(videos[i], VIDIOC_DQBUF, &b));
		intact[(long)thread] += !(b.flags & V4L2_BUF_FLAG_ERROR);
	}
	return NULL;
}

static void *close_files(void *thread)
{
	int i;

	for (i = (long)thread; i < count; i += THREADS) {
		close(videos[i]);
		close(requests[i]);
	}
	return NULL;
}

/* Returns how long it took. */
static double all(void *(*part)(void *))
{
	double start = now_ms();
	pthread_t threads[THREADS];
	long t;

	for (t = 0; t < THREADS; t++) {
		if (pthread_create(&threads[t], NULL, part, (void *)t))
			exit(1);
	}
	for (t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	return now_ms() - start;
}

int main(int argc, char **argv)
{
	struct rlimit files = { 2 * MOST + 64, 2 * MOST + 64 };
	double opened, collected, closed;
	unsigned int frames = 0;
	int t;

	if (argc != 4 || atoi(argv[3]) > MOST)
		return 2;
	video_node = argv[1];
	media_node = argv[2];
	count = atoi(argv[3]);
	must("RLIMIT_NOFILE", setrlimit(RLIMIT_NOFILE, &files));
	opened = all(send_frames);
	collected = all(collect_frames);
	closed = all(close_files);
	for (t = 0; t < THREADS; t++)
		frames += intact[t];
	printf("files %d intact %u opened in %.0f ms, all frames back %.0f ms later, closed in %.0f ms\n",
	       count, frames, opened, collected, closed);
	return 0;
}
