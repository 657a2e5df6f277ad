// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps one thing of the node open after closing the node itself, until a
 * signal: SIGUSR1 makes "dmabuf" map and check its picture.
 *
 *   outlive VIDEO_NODE MEDIA_NODE request|dmabuf
 */
#include <fcntl.h>
#include <linux/media.h>
#include <linux/videodev2.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static int keep_request(const char *node)
{
	int media = open(node, O_RDWR), request;

	if (media < 0 || ioctl(media, MEDIA_IOC_REQUEST_ALLOC, &request))
		return -1;
	close(media);
	return request;
}

static int keep_picture(const char *node)
{
	struct v4l2_requestbuffers rb = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE,
		.memory = V4L2_MEMORY_MMAP, .count = 1,
	};
	struct v4l2_exportbuffer eb = { .type = rb.type, .flags = O_RDWR };
	int video = open(node, O_RDWR);

	if (video < 0 || ioctl(video, VIDIOC_REQBUFS, &rb) ||
	    ioctl(video, VIDIOC_EXPBUF, &eb))
		return -1;
	close(video);
	return eb.fd;
}

int main(int argc, char **argv)
{
	int is_request = argc == 4 && !strcmp(argv[3], "request");
	sigset_t signals;
	int fd, signal;
	char *at;

	if (argc != 4)
		return 2;
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	fd = is_request ? keep_request(argv[2]) : keep_picture(argv[1]);
	if (fd < 0 || sigwait(&signals, &signal))
		return 1;
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return 1;
	at[0] = 1;
	return at[0] != 1;
}
