// SPDX-License-Identifier: GPL-2.0-only
/*
 * What clients, the daemon and devices see of each other's bytes where devices
 * do not see the CPU's caches, and how often caches are walked for it. Client
 * and daemon in one; the devices are perdix_importer's.
 *
 *   coherence VIDEO_NODE MEDIA_NODE
 */
#include "client.h"
#include "importer/perdix_importer.h"
#include "kernel_daemon.h"

#include <linux/dma-buf.h>

enum { GPU, DISPLAY, PERDIX };	/* devices */

static int importer;

static void sync_cpu(int dmabuf, __u64 flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	CHECK(ioctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync) == 0);
}

static void attach_as(int device, int dmabuf, int only_writes)
{
	struct importer_attach a = { .fd = dmabuf, .device = device,
				     .only_writes = only_writes };

	CHECK(ioctl(importer, IMPORTER_ATTACH, &a) == 0);
}

static void attach(int device, int dmabuf)
{
	attach_as(device, dmabuf, 0);
}

static void detach(__u32 device)
{
	CHECK(ioctl(importer, IMPORTER_DETACH, &device) == 0);
}

static void device_writes(int device, unsigned int bytes, int value)
{
	struct importer_access a = { .device = device, .write = 1,
				     .bytes = bytes, .value = value };

	CHECK(ioctl(importer, IMPORTER_ACCESS, &a) == 0);
}

static int device_sees(int device, unsigned int bytes, __u32 value)
{
	struct importer_access a = { .device = device, .bytes = bytes };

	CHECK(ioctl(importer, IMPORTER_ACCESS, &a) == 0);
	return a.same && a.value == value;
}

static int cpu_sees(const unsigned char *at, size_t bytes, int value)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (at[i] != value)
			return 0;
	return 1;
}

/* Since it was last asked, of every device. */
static void expect_walks(int device, __u32 cleaned, __u32 invalidated)
{
	struct importer_counts c = { .device = device };

	CHECK(ioctl(importer, IMPORTER_COUNTS, &c) == 0);
	if (c.cleaned != cleaned || c.invalidated != invalidated)
		fprintf(stderr, "device %d: cleaned %u, invalidated %u; want %u, %u\n",
			device, c.cleaned, c.invalidated, cleaned, invalidated);
	CHECK(c.cleaned == cleaned && c.invalidated == invalidated);
}

static int export_buffer(int node, int type, unsigned int index, int flags)
{
	struct v4l2_exportbuffer eb = { .type = type, .index = index,
					.flags = flags | O_CLOEXEC };

	CHECK(ioctl(node, VIDIOC_EXPBUF, &eb) == 0);
	return eb.fd;
}

static int export_picture(int node, unsigned int index, int flags)
{
	return export_buffer(node, CAP, index, flags);
}

static void *map(int dmabuf, size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);

	CHECK(at != MAP_FAILED);
	return at;
}

/* A client that never decodes looks at what it was given. */
static void check_fresh_buffers(const char *node)
{
	struct v4l2_create_buffers cb = { .count = 1, .memory = V4L2_MEMORY_MMAP };
	int fd = open(node, O_RDWR), dmabuf;
	size_t bytes;

	cb.format.type = CAP;
	CHECK(ioctl(fd, VIDIOC_G_FMT, &cb.format) == 0);
	expect_walks(PERDIX, 0, 0);
	CHECK(ioctl(fd, VIDIOC_CREATE_BUFS, &cb) == 0);
	expect_walks(PERDIX, 1, 0);
	dmabuf = export_picture(fd, cb.index, O_RDWR);
	bytes = lseek(dmabuf, 0, SEEK_END);
	sync_cpu(dmabuf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
	CHECK(cpu_sees(map(dmabuf, bytes), bytes, 0));
	sync_cpu(dmabuf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
	expect_walks(PERDIX, 0, 0);

	attach(GPU, dmabuf);
	CHECK(device_sees(GPU, bytes, 0));
	expect_walks(GPU, 1, 0);	/* attaching writes back */
	detach(GPU);
	expect_walks(GPU, 0, 1);
	close(dmabuf);
	close(fd);
}

struct frame {
	struct perdix_event job;
	int daemon_fd;
	unsigned char *client, *daemon;
	size_t bytes;
};

/* The job, with the target mapped by client and daemon. */
static struct frame take_frame(unsigned int n, int client_fd)
{
	struct frame f = {};
	struct perdix_buffer_fd target = {};

	queue_frame_to(n, 0);
	if (!n)
		expect(PERDIX_EVENT_SESSION_NEW);
	f.job = expect(PERDIX_EVENT_JOB);
	target.buffer = f.job.job.target;
	CHECK(ioctl(channel, PERDIX_IOC_BUFFER_FD, &target) == 0);
	f.daemon_fd = target.fd;
	f.bytes = target.size;
	f.daemon = map(f.daemon_fd, f.bytes);
	f.client = map(client_fd, f.bytes);
	return f;
}

static void end_frame(unsigned int n, struct frame *f, int error)
{
	double longest = 0;

	CHECK(complete(f->job.job.id, error) == 0);
	CHECK(collect_frame(n, &longest) == !error);
	munmap(f->daemon, f->bytes);
	munmap(f->client, f->bytes);
	close(f->daemon_fd);
}

/* The CPU decodes; a display, and a GPU that composes, look at the picture. */
static void check_cpu_frame(int picture)
{
	struct frame f;

	attach(GPU, picture);
	attach(DISPLAY, picture);
	expect_walks(GPU, 1, 0);
	expect_walks(DISPLAY, 1, 0);
	f = take_frame(0, picture);
	expect_walks(GPU, 0, 0);	/* QBUF walks no cache */
	sync_cpu(f.daemon_fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
	memset(f.daemon, 17, f.bytes);
	sync_cpu(f.daemon_fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
	expect_walks(GPU, 1, 1);
	expect_walks(DISPLAY, 1, 1);
	CHECK(device_sees(GPU, f.bytes, 17) && device_sees(DISPLAY, f.bytes, 17));
	CHECK(cpu_sees(f.client, f.bytes, 17));
	end_frame(0, &f, 0);
	expect_walks(GPU, 0, 0);	/* nor does DQBUF */
	expect_walks(PERDIX, 0, 0);
	detach(DISPLAY);
	expect_walks(DISPLAY, 0, 1);
}

/* The GPU decodes; the client looks with the CPU and does not sync. */
static void check_gpu_frame(int picture, unsigned int n, int value, int error)
{
	struct frame f = take_frame(n, picture);

	sync_cpu(f.daemon_fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
	device_writes(GPU, f.bytes, value);
	sync_cpu(f.daemon_fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
	sync_cpu(f.daemon_fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
	expect_walks(GPU, 0, 2);
	CHECK(cpu_sees(f.client, f.bytes, value));
	end_frame(n, &f, error);
	expect_walks(GPU, 0, 0);
}

/*
 * An importer lets go of the picture while the CPU decodes into it: DRM does so
 * just after the fence that the job had waited for.
 */
static void check_importer_leaves(int picture, unsigned int n)
{
	struct frame f;

	attach(DISPLAY, picture);
	f = take_frame(n, picture);
	sync_cpu(f.daemon_fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
	expect_walks(DISPLAY, 1, 1);
	memset(f.daemon, 136, f.bytes);
	detach(DISPLAY);
	expect_walks(DISPLAY, 0, 0);
	CHECK(cpu_sees(f.client, f.bytes, 136));
	sync_cpu(f.daemon_fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
	CHECK(device_sees(GPU, f.bytes, 136));
	end_frame(n, &f, 0);
	attach(DISPLAY, picture);
	detach(DISPLAY);
	expect_walks(DISPLAY, 1, 1);	/* as ever when nobody decodes into it */
	expect_walks(GPU, 1, 1);
}

/* A device that is said to only write: what the CPU writes counts all the same. */
static void check_writing_device(int picture)
{
	size_t bytes = lseek(picture, 0, SEEK_END);
	unsigned char *at = map(picture, bytes);

	attach_as(DISPLAY, picture, 1);
	sync_cpu(picture, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
	memset(at, 153, bytes);
	sync_cpu(picture, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
	CHECK(cpu_sees(at, bytes, 153));
	CHECK(device_sees(DISPLAY, bytes, 153) && device_sees(GPU, bytes, 153));
	device_writes(DISPLAY, bytes, 170);
	detach(DISPLAY);
	CHECK(cpu_sees(at, bytes, 170));
	munmap(at, bytes);
	expect_walks(DISPLAY, 2, 2);
	expect_walks(GPU, 1, 1);
}

/* What a device draws until its fence signals is seen by who syncs meanwhile. */
static void check_fence_first(int picture)
{
	size_t bytes = lseek(picture, 0, SEEK_END);
	unsigned char *at = map(picture, bytes);
	struct importer_draw d = {
		.access = { .device = GPU, .write = 1, .bytes = bytes, .value = 187 },
		.delay_ms = 300,
	};

	CHECK(ioctl(importer, IMPORTER_DRAW, &d) == 0);
	sync_cpu(picture, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
	CHECK(cpu_sees(at, bytes, 187));
	sync_cpu(picture, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
	munmap(at, bytes);
	expect_walks(GPU, 0, 1);
}

/*
 * A bitstream whose buffer a device has, too. The client writes it through the
 * node's mapping and does not sync: QBUF is what V4L2 has for that.
 */
static void check_bitstream(int picture, unsigned int n)
{
	struct v4l2_plane plane = {};
	struct v4l2_buffer b = { .type = OUT, .index = n % depth, .length = 1,
				 .memory = V4L2_MEMORY_MMAP, .m.planes = &plane };
	int dmabuf = export_buffer(video, OUT, n % depth, O_RDWR);
	struct perdix_buffer_fd bitstream = {};
	unsigned char *client, *daemon;
	struct frame f;

	CHECK(ioctl(video, VIDIOC_QUERYBUF, &b) == 0);
	client = mmap(NULL, plane.length, PROT_READ | PROT_WRITE, MAP_SHARED, video,
		      plane.m.mem_offset);
	CHECK(client != MAP_FAILED);
	attach(DISPLAY, dmabuf);
	memset(client, 204, 1000);
	f = take_frame(n, picture);
	bitstream.buffer = f.job.job.bitstream;
	CHECK(ioctl(channel, PERDIX_IOC_BUFFER_FD, &bitstream) == 0);
	daemon = mmap(NULL, bitstream.size, PROT_READ, MAP_SHARED, bitstream.fd, 0);
	CHECK(daemon != MAP_FAILED);
	sync_cpu(bitstream.fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
	CHECK(cpu_sees(daemon, 1000, 204));
	sync_cpu(bitstream.fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
	end_frame(n, &f, 0);
	expect_walks(DISPLAY, 2, 1);
	expect_walks(GPU, 0, 0);	/* a picture's QBUF walks nothing */
	detach(DISPLAY);
	expect_walks(DISPLAY, 0, 1);
	munmap(client, plane.length);
	munmap(daemon, bitstream.size);
	close(bitstream.fd);
	close(dmabuf);
}

/* A client that syncs by itself, through a dma-buf of its own. */
static void check_clients_sync(int picture)
{
	int own = export_picture(video, 0, O_RDONLY);
	size_t bytes = lseek(own, 0, SEEK_END);
	unsigned char *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, own, 0);

	CHECK(at != MAP_FAILED);
	CHECK(mmap(NULL, bytes, PROT_WRITE, MAP_SHARED, own, 0) == MAP_FAILED);
	device_writes(GPU, bytes, 51);
	sync_cpu(own, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
	CHECK(cpu_sees(at, bytes, 51));
	sync_cpu(own, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
	expect_walks(GPU, 0, 1);
	detach(GPU);
	expect_walks(GPU, 0, 1);
	sync_cpu(picture, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
	sync_cpu(picture, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
	expect_walks(GPU, 0, 0);	/* nobody is attached */
	expect_walks(PERDIX, 0, 0);
	close(own);
}

int main(int argc, char **argv)
{
	int picture;

	if (argc != 3)
		return 2;
	importer = open("/dev/perdix-importer", O_RDWR);
	CHECK(importer >= 0);
	check_fresh_buffers(argv[1]);
	open_channel();
	open_node(argv[1], argv[2]);
	expect_walks(PERDIX, depth + NUM_PICTURES, 0);
	picture = export_picture(video, 0, O_RDWR);
	check_cpu_frame(picture);
	check_gpu_frame(picture, 1, 34, 0);
	check_gpu_frame(picture, 2, 85, 1);
	check_gpu_frame(picture, 3, 119, 0);
	check_importer_leaves(picture, 4);
	check_writing_device(picture);
	check_fence_first(picture);
	check_bitstream(picture, 5);
	check_clients_sync(picture);
	puts("passed: fresh buffers, CPU to GPU, GPU to CPU, failed frames, importers that come and go, writing devices, fences, bitstream, client's own SYNC");
	return 0;
}
