// SPDX-License-Identifier: GPL-2.0-only
/*
 * Well-behaved client: sends FRAMES requests through the node, DEPTH of them
 * queued at a time, each referring to the picture before. Prints how many came
 * back decoded and flagged, and the longest wait for one in milliseconds.
 *
 *   client VIDEO_NODE MEDIA_NODE FRAMES [DEPTH [dmabuf] [fence]]
 *
 * With "dmabuf", pictures live in udmabufs, else in the node's own memory. With
 * "fence" the first is still being read by someone else when it is queued: its
 * frame must not come back before that one is done. Fails if a call does, if pictures come
 * back out of order, or if a wait takes longer than 5 s.
 */
#include "client.h"

#include <linux/dma-buf.h>

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

/* The first frame must wait for the reader of its picture, and only for it. */
static void check_first_waits(int reader)
{
	struct pollfd p = { requests[0], POLLPRI, 0 };

	errno = EBUSY;
	must("first frame came too early", poll(&p, 1, 300) ? -1 : 0);
	signal_reader(reader);
	must("first frame does not come", poll(&p, 1, 1000) == 1 ? 0 : -1);
}

static int has_word(char **words, const char *word)
{
	while (*words && strcmp(*words, word))
		words++;
	return *words != NULL;
}

static int first_picture(void)
{
	struct v4l2_exportbuffer eb = { .type = CAP, .flags = O_RDWR };

	if (memory == V4L2_MEMORY_DMABUF)
		return picture_fds[0];
	must("EXPBUF", ioctl(video, VIDIOC_EXPBUF, &eb));
	return eb.fd;
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
	if (has_word(argv + 4, "dmabuf"))
		memory = V4L2_MEMORY_DMABUF;
	open_node(argv[1], argv[2]);
	if (has_word(argv + 4, "fence"))
		reader = add_reader(first_picture());
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
