// SPDX-License-Identifier: GPL-2.0-only
/*
 * What one client and one user may take, and that nobody else notices.
 *
 *   bounds VIDEO_NODE SESSIONS MIB
 *
 * SESSIONS and MIB are the module's user_sessions and user_mib. Run as root;
 * the node must be open to all.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../v4l2/perdix_uapi.h"
#include "queue.h"

#define CHECK(condition) check(condition, #condition, __LINE__)
#define MAX_NUM_BUFFERS 0x80	/* V4L2_BUF_CAP_SUPPORTS_MAX_NUM_BUFFERS */
#define SOMEBODY 4711
#define MIB (1024 * 1024)

static void check(int holds, const char *condition, int line)
{
	if (holds)
		return;
	fprintf(stderr, "bounds.c:%d: does not hold: %s (errno %s)\n", line,
		condition, strerror(errno));
	exit(1);
}

static int open_file(const char *node)
{
	int fd = open(node, O_RDWR);

	CHECK(fd >= 0);
	return fd;
}

/* Returns how many it got, the first one's index in @index. */
static int create(int fd, int type, unsigned int count, __u32 bytes, __u32 *index)
{
	struct v4l2_create_buffers cb = { .count = count, .memory = V4L2_MEMORY_MMAP };

	cb.format.type = type;
	CHECK(ioctl(fd, VIDIOC_G_FMT, &cb.format) == 0);
	cb.format.fmt.pix_mp.plane_fmt[0].sizeimage = bytes;
	if (ioctl(fd, VIDIOC_CREATE_BUFS, &cb))
		return -errno;
	if (index)
		*index = cb.index;
	return cb.count;
}

static __u32 offset_of(int fd, int type, unsigned int index)
{
	struct v4l2_plane plane = {};
	struct v4l2_buffer b = { .type = type, .index = index, .length = 1,
				 .memory = V4L2_MEMORY_MMAP, .m.planes = &plane };

	CHECK(ioctl(fd, VIDIOC_QUERYBUF, &b) == 0);
	return plane.m.mem_offset;
}

static void check_sizes(const char *node)
{
	int fd = open_file(node);

	CHECK(create(fd, CAP, 1, 0xfffff000, NULL) == -EINVAL);
	CHECK(create(fd, OUT, 1, 0xfffff000, NULL) == -EINVAL);
	CHECK(create(fd, OUT, 1, 64 * MIB + 1, NULL) == -EINVAL);
	CHECK(create(fd, OUT, 1, 64 * MIB, NULL) == 1);
	close(fd);
}

static void set_picture(int fd, unsigned int width, unsigned int height, int bits)
{
	struct v4l2_ctrl_vp9_frame frame = {
		.profile = bits == 8 ? 0 : 2,
		.bit_depth = bits,
		.flags = V4L2_VP9_FRAME_FLAG_X_SUBSAMPLING |
			 V4L2_VP9_FRAME_FLAG_Y_SUBSAMPLING,
	};
	struct v4l2_ext_control control = {
		.id = V4L2_CID_STATELESS_VP9_FRAME,
		.size = sizeof(frame), .ptr = &frame,
	};
	struct v4l2_ext_controls controls = {
		.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = &control,
	};

	CHECK(set_coded_format(fd, V4L2_PIX_FMT_VP9_FRAME, width, height) == 0);
	CHECK(ioctl(fd, VIDIOC_S_EXT_CTRLS, &controls) == 0);
}

/* Bytes behind the picture in its dma-buf, for sizes that fill their pages. */
static void check_slack(const char *node)
{
	static const unsigned int pictures[][3] = {
		{ 2560, 1440, 8 }, { 1280, 720, 10 }, { 2560, 1440, 10 },
		{ 3840, 2160, 10 }, { 1920, 1080, 8 },
	};
	struct v4l2_exportbuffer eb = { .type = CAP, .flags = O_RDWR };
	struct v4l2_format f = { .type = CAP };
	struct v4l2_plane plane = {};
	struct v4l2_buffer b = { .type = CAP, .length = 1,
				 .memory = V4L2_MEMORY_MMAP, .m.planes = &plane };
	__u32 bytes;
	size_t i;
	int fd;

	for (i = 0; i < sizeof(pictures) / sizeof(*pictures); i++) {
		fd = open_file(node);
		set_picture(fd, pictures[i][0], pictures[i][1], pictures[i][2]);
		CHECK(ioctl(fd, VIDIOC_G_FMT, &f) == 0);
		bytes = f.fmt.pix_mp.plane_fmt[0].sizeimage;
		CHECK(bytes == pictures[i][0] * pictures[i][1] * 3 / 2 *
			       (pictures[i][2] > 8 ? 2 : 1));
		CHECK(create(fd, CAP, 1, bytes, NULL) == 1);
		CHECK(ioctl(fd, VIDIOC_QUERYBUF, &b) == 0 && plane.length == bytes);
		CHECK(ioctl(fd, VIDIOC_EXPBUF, &eb) == 0);
		CHECK(lseek(eb.fd, 0, SEEK_END) >= (off_t)bytes + 4096);
		close(eb.fd);
		close(fd);
	}
}

/* 8192x8192: 96 MiB each. */
static void check_at_once(const char *node)
{
	int fd = open_file(node);

	CHECK(set_coded_format(fd, V4L2_PIX_FMT_VP9_FRAME, 8192, 8192) == 0);
	CHECK(reqbufs(fd, CAP, V4L2_MEMORY_MMAP, 32) == 5);
	close(fd);
}

/* Whether the kernel is 6.8 or newer: its mmap offsets have room for all. */
static int has_many_buffers(int fd, int type)
{
	struct v4l2_create_buffers cb = { .memory = V4L2_MEMORY_MMAP };

	cb.format.type = type;
	CHECK(ioctl(fd, VIDIOC_G_FMT, &cb.format) == 0);
	CHECK(ioctl(fd, VIDIOC_CREATE_BUFS, &cb) == 0);
	return !!(cb.capabilities & MAX_NUM_BUFFERS);
}

/*
 * 1 GiB of OUTPUT, which is all that there can be before Linux 6.8, else more; and
 * every buffer of it and of CAPTURE can be mapped.
 */
static void check_offsets(const char *node)
{
	__u32 offset, index;
	int fd = open_file(node), i, got = 0, count;
	int *at;

	while (got < 16) {
		count = create(fd, OUT, 16 - got, 64 * MIB, NULL);
		CHECK(count > 0);
		got += count;
	}
	count = create(fd, OUT, 1, 64 * MIB, NULL);
	CHECK(count == (has_many_buffers(fd, OUT) ? 1 : -ENOMEM));
	got += count > 0;
	CHECK(create(fd, CAP, 1, 115200, &index) == 1);
	for (i = 0; i <= got; i++) {
		offset = offset_of(fd, i < got ? OUT : CAP, i < got ? i : (int)index);
		at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
		CHECK(at != MAP_FAILED && *at == 0);
		*at = i + 1;
	}
	close(fd);
}

/* Both queues together have the buffers that the contract tells the daemon. */
static void check_most(const char *node)
{
	int fd = open_file(node), got = 0, count;

	while ((count = create(fd, OUT, 32, MIB / 4, NULL)) > 0)
		got += count;
	CHECK(has_many_buffers(fd, OUT) ? got == 32 : got <= 32);
	while ((count = create(fd, CAP, 32, 115200, NULL)) > 0)
		got += count;
	CHECK(has_many_buffers(fd, CAP) ? got == PERDIX_MAX_BUFFERS :
					  got <= PERDIX_MAX_BUFFERS);
	close(fd);
}

/*
 * Pictures of four sizes at once, 14 each, as GStreamer has them where a stream
 * changes its size and the player is behind; kernels before 6.8 allow 32.
 */
static void check_number(const char *node)
{
	int fd = open_file(node), i;

	for (i = 0; i < 4 && has_many_buffers(fd, CAP); i++)
		CHECK(create(fd, CAP, 14, 115200 << i, NULL) == 14);
	close(fd);
}

static void check_sessions(const char *node, int allowed)
{
	int fds[allowed], i;

	CHECK(seteuid(SOMEBODY) == 0);
	for (i = 0; i < allowed; i++)
		fds[i] = open_file(node);
	CHECK(open(node, O_RDWR) < 0 && errno == EMFILE);
	CHECK(seteuid(0) == 0 && seteuid(SOMEBODY + 1) == 0);
	close(open_file(node));
	CHECK(seteuid(0) == 0);
	close(open_file(node));
	CHECK(seteuid(SOMEBODY) == 0);
	close(fds[0]);
	fds[0] = open_file(node);
	CHECK(open(node, O_RDWR) < 0 && errno == EMFILE);
	for (i = 0; i < allowed; i++)
		close(fds[i]);
	CHECK(seteuid(0) == 0);
}

/* In two sessions; an exported picture counts until it is closed, too. */
static void check_bytes(const char *node, int mib)
{
	struct v4l2_exportbuffer eb = { .type = OUT, .flags = O_RDWR };
	int first, second;

	CHECK(seteuid(SOMEBODY) == 0);
	first = open_file(node);
	second = open_file(node);
	CHECK(create(first, OUT, 1, (mib - 16) * MIB, NULL) == 1);
	CHECK(create(second, OUT, 1, 32 * MIB, NULL) == -ENOMEM);
	CHECK(create(second, OUT, 1, 16 * MIB, NULL) == 1);
	CHECK(create(second, OUT, 1, 1 * MIB, NULL) == -ENOMEM);
	CHECK(ioctl(first, VIDIOC_EXPBUF, &eb) == 0);
	close(first);
	CHECK(create(second, OUT, 1, 32 * MIB, NULL) == -ENOMEM);
	close(eb.fd);
	CHECK(create(second, OUT, 1, 32 * MIB, NULL) == 1);
	CHECK(seteuid(0) == 0 && seteuid(SOMEBODY + 1) == 0);
	first = open_file(node);
	CHECK(create(first, OUT, 1, mib * MIB, NULL) == 1);
	CHECK(seteuid(0) == 0);
	CHECK(create(first, OUT, 1, mib * MIB, NULL) == 1);
	close(first);
	close(second);
}

/*
 * A player changes the size of its pictures: the old ones count until whoever else
 * has them, the daemon as a rule, lets go. That takes it a moment.
 */
static void check_moment(const char *node, int mib)
{
	struct v4l2_exportbuffer eb = { .type = OUT, .flags = O_RDWR };
	pid_t other;
	int fd;

	CHECK(seteuid(SOMEBODY) == 0);
	fd = open_file(node);
	CHECK(create(fd, OUT, 1, (mib - 4) * MIB, NULL) == 1);
	CHECK(ioctl(fd, VIDIOC_EXPBUF, &eb) == 0);
	other = fork();
	if (!other) {
		close(fd);
		usleep(30000);
		_exit(0);	/* and has the buffer until then */
	}
	close(eb.fd);
	CHECK(reqbufs(fd, OUT, V4L2_MEMORY_MMAP, 0) == 0);
	CHECK(create(fd, OUT, 1, (mib - 4) * MIB, NULL) == 1);
	CHECK(waitpid(other, NULL, 0) == other);
	close(fd);
	CHECK(seteuid(0) == 0);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	check_sizes(argv[1]);
	check_slack(argv[1]);
	check_at_once(argv[1]);
	check_offsets(argv[1]);
	check_most(argv[1]);
	check_number(argv[1]);
	check_sessions(argv[1], atoi(argv[2]));
	check_bytes(argv[1], atoi(argv[3]));
	check_moment(argv[1], atoi(argv[3]));
	return 0;
}
