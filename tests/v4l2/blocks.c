// SPDX-License-Identifier: GPL-2.0-only
/*
 * Says how large the largest block is, in KiB, that the memory of a picture of
 * 1920x1080 is made of: pages that were allocated as one.
 *
 *   blocks VIDEO_NODE
 */
#include <fcntl.h>
#include <linux/kernel-page-flags.h>
#include <linux/videodev2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static void must(const char *what, int holds)
{
	if (holds)
		return;
	perror(what);
	exit(1);
}

static uint64_t read_word(const char *file, uint64_t number)
{
	static const uint64_t mask = (1ull << 55) - 1;	/* of a frame's number */
	int fd = open(file, O_RDONLY);
	uint64_t word = 0;

	must(file, pread(fd, &word, 8, (off_t)((number & mask) * 8)) == 8);
	close(fd);
	return word;
}

static uint64_t flags_of(const char *page)
{
	uint64_t frame = read_word("/proc/self/pagemap",
				   (uintptr_t)page / sysconf(_SC_PAGESIZE));

	return read_word("/proc/kpageflags", frame);
}

static const char *map_picture(const char *node, size_t *bytes)
{
	struct v4l2_requestbuffers rb = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE,
		.memory = V4L2_MEMORY_MMAP, .count = 1,
	};
	struct v4l2_exportbuffer eb = { .type = rb.type, .flags = O_RDWR };
	struct v4l2_format f = { .type = V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE };
	int video = open(node, O_RDWR);
	const char *at;

	f.fmt.pix_mp.pixelformat = V4L2_PIX_FMT_VP9_FRAME;
	f.fmt.pix_mp.width = 1920;
	f.fmt.pix_mp.height = 1080;
	must("S_FMT", !ioctl(video, VIDIOC_S_FMT, &f));
	must("REQBUFS", !ioctl(video, VIDIOC_REQBUFS, &rb));
	must("EXPBUF", !ioctl(video, VIDIOC_EXPBUF, &eb));
	*bytes = lseek(eb.fd, 0, SEEK_END);
	at = mmap(NULL, *bytes, PROT_READ, MAP_SHARED, eb.fd, 0);
	must("mmap", at != MAP_FAILED);
	return at;
}

int main(int argc, char **argv)
{
	long page = sysconf(_SC_PAGESIZE), run = 0, longest = 0;
	size_t bytes, at;
	const char *picture;

	if (argc != 2)
		return 2;
	picture = map_picture(argv[1], &bytes);
	for (at = 0; at < bytes; at += page) {
		run = flags_of(picture + at) & (1 << KPF_COMPOUND_TAIL) ? run + 1 : 1;
		longest = run > longest ? run : longest;
	}
	printf("%ld\n", longest * page / 1024);
	return 0;
}
