// SPDX-License-Identifier: GPL-2.0-only
/*
 * REQBUFS beside the queueing of requests, by two processes that share one file.
 *
 *   reqbufs VIDEO_NODE MEDIA_NODE race SECONDS   buffers freed under requests
 *   reqbufs VIDEO_NODE MEDIA_NODE wait           what others wait for
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>

#include "client.h"

static void free_and_allocate(void)
{
	for (;;) {
		reqbufs(video, OUT, V4L2_MEMORY_MMAP, 4);
		reqbufs(video, OUT, V4L2_MEMORY_MMAP, 0);
	}
}

/* Most of it is refused: the kernel's log says what must not happen. */
static int race(time_t end)
{
	struct v4l2_ctrl_vp9_frame frame = {
		.bit_depth = 8,
		.flags = V4L2_VP9_FRAME_FLAG_X_SUBSAMPLING |
			 V4L2_VP9_FRAME_FLAG_Y_SUBSAMPLING,
	};
	struct v4l2_ext_control control = {
		.id = V4L2_CID_STATELESS_VP9_FRAME,
		.size = sizeof(frame), .ptr = &frame,
	};
	struct v4l2_plane plane = { .bytesused = 1000 };
	struct v4l2_buffer b = { .type = OUT, .length = 1, .memory = V4L2_MEMORY_MMAP,
				 .m.planes = &plane,
				 .flags = V4L2_BUF_FLAG_REQUEST_FD };
	struct v4l2_ext_controls controls = {
		.which = V4L2_CTRL_WHICH_REQUEST_VAL, .count = 1,
		.controls = &control,
	};
	unsigned long queued = 0;
	int request;

	must("REQUEST_ALLOC", ioctl(media, MEDIA_IOC_REQUEST_ALLOC, &request));
	controls.request_fd = b.request_fd = request;
	while (time(NULL) < end) {
		ioctl(video, VIDIOC_S_EXT_CTRLS, &controls);
		ioctl(video, VIDIOC_QBUF, &b);
		if (!ioctl(request, MEDIA_REQUEST_IOC_QUEUE))
			queued++;
		ioctl(request, MEDIA_REQUEST_IOC_REINIT);
	}
	printf("race: %lu requests queued\n", queued);
	return queued == 0;
}

static double min(double a, double b) { return a < b ? a : b; }

static double time_of_reqbufs(unsigned int count)
{
	double start = now_ms();

	must("REQBUFS", reqbufs(video, CAP, V4L2_MEMORY_MMAP, count));
	return now_ms() - start;
}

/* The longest of those, within @duration ms, of a request without a frame. */
static double longest_queue(int request, double duration)
{
	double end = now_ms() + duration, start, longest = 0;

	while (now_ms() < end) {
		start = now_ms();
		ioctl(request, MEDIA_REQUEST_IOC_QUEUE);
		if (now_ms() - start > longest)
			longest = now_ms() - start;
		usleep(1000);
	}
	return longest;
}

/*
 * Buffers are allocated, and zeroed, while nobody else has to wait. Other
 * processes of the machine may make a call long, but not in every one of the
 * periods, and in each of them another file is in REQBUFS most of the time.
 */
static int wait_for_queue(void)
{
	double reqbufs_ms = 1e9, queue_ms = 1e9;
	int i, request;
	pid_t other;

	must("S_FMT", set_coded_format(video, V4L2_PIX_FMT_VP9_FRAME, 8192, 8192));
	must("REQUEST_ALLOC", ioctl(media, MEDIA_IOC_REQUEST_ALLOC, &request));
	for (i = 0; i < 3; i++) {
		reqbufs_ms = min(reqbufs_ms, time_of_reqbufs(3));
		time_of_reqbufs(0);
	}
	other = fork();
	while (!other) {
		time_of_reqbufs(3);
		time_of_reqbufs(0);
	}
	for (i = 0; i < 10 && queue_ms > reqbufs_ms / 2; i++)
		queue_ms = min(queue_ms, longest_queue(request, 4 * reqbufs_ms));
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	printf("REQBUFS takes %.1f ms, QUEUE of others %.2f ms beside it\n",
	       reqbufs_ms, queue_ms);
	return queue_ms > reqbufs_ms / 2;
}

int main(int argc, char **argv)
{
	pid_t other;
	int failed;

	if (argc < 4)
		return 2;
	video = open(argv[1], O_RDWR | O_NONBLOCK);
	must(argv[1], video);
	media = open(argv[2], O_RDWR);
	must(argv[2], media);
	if (argc == 4)
		return wait_for_queue();
	other = fork();
	if (!other)
		free_and_allocate();
	failed = race(time(NULL) + atoi(argv[4]));
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	return failed;
}
