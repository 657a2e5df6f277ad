// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test daemon: completes each job by filling its target with a value made
 * from the job's number within its session. Keeps up to DEPTH jobs open and
 * completes the newest first, to show that jobs overlap and that the module
 * restores the order. Says what happens on standard output.
 *
 *   patternd [depth [delay_us [die_after_jobs]]]
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/v4l2-controls.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../v4l2/perdix_uapi.h"

#define MAX_IDS 65536
#define MAX_HELD 64

struct buffer {
	void *at;
	size_t size;
	int fd;			/* kept for DMA_BUF_IOCTL_SYNC */
};

struct held {
	struct perdix_event event;
	unsigned int number;	/* of the job in its session */
};

static struct buffer buffers[MAX_IDS];			/* by id modulo */
static unsigned int jobs_of_session[MAX_IDS];		/* by id modulo */
static struct held held[MAX_HELD];
static unsigned int num_held, total;
static unsigned int depth = 2, delay_us = 3000, die_after;
static int channel;

static struct buffer *get_buffer(uint32_t id)
{
	struct perdix_buffer_fd request = { .buffer = id };
	struct buffer *b = &buffers[id % MAX_IDS];

	if (b->at)
		return b;
	if (ioctl(channel, PERDIX_IOC_BUFFER_FD, &request)) {
		printf("buffer %u: %s\n", id, strerror(errno));
		return NULL;
	}
	b->fd = request.fd;
	b->size = request.size;
	b->at = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
	if (b->at == MAP_FAILED) {
		printf("buffer %u: mmap: %s\n", id, strerror(errno));
		close(b->fd);
		b->at = NULL;
		return NULL;
	}
	return b;
}

static void forget_buffer(uint32_t id)
{
	struct buffer *b = &buffers[id % MAX_IDS];

	if (b->at) {
		munmap(b->at, b->size);
		close(b->fd);
	}
	b->at = NULL;
}

static void sync_buffer(struct buffer *b, uint64_t start_or_end)
{
	struct dma_buf_sync sync = { DMA_BUF_SYNC_WRITE | start_or_end };

	if (ioctl(b->fd, DMA_BUF_IOCTL_SYNC, &sync))
		printf("sync: %s\n", strerror(errno));
}

static int paint(const struct perdix_job *job, unsigned int number)
{
	size_t luma = (size_t)job->stride * job->height;
	struct buffer *target = get_buffer(job->target);
	struct buffer *bitstream = get_buffer(job->bitstream);
	uint8_t value = 16 + number % 200;

	if (!target || !bitstream || target->size < luma * 3 / 2 ||
	    bitstream->size < job->bitstream_bytes)
		return -1;
	sync_buffer(target, DMA_BUF_SYNC_START);
	memset(target->at, value, luma);
	memset((uint8_t *)target->at + luma, 255 - value, luma / 2);
	sync_buffer(target, DMA_BUF_SYNC_END);
	return 0;
}

static void finish_newest(void)
{
	struct held *h = &held[--num_held];
	const struct perdix_job *job = &h->event.job;
	struct perdix_complete done = { .job = job->id };

	done.result = paint(job, h->number) != 0;
	int ret = ioctl(channel, PERDIX_IOC_COMPLETE, &done);

	printf("session %u done n=%u job %llx%s%s\n", h->event.session,
	       h->number, (unsigned long long)job->id,
	       done.result ? " ERROR" : "", ret ? " (taken back)" : "");
}

static void cancel(uint64_t job)
{
	unsigned int i;

	for (i = 0; i < num_held; i++)
		if (held[i].event.job.id == job) {
			memmove(&held[i], &held[i + 1],
				(--num_held - i) * sizeof(held[0]));
			printf("job %llx cancelled\n", (unsigned long long)job);
		}
}

static void hold(const struct perdix_event *e,
		 const struct v4l2_ctrl_vp9_frame *frame)
{
	const struct perdix_job *job = &e->job;
	struct held *h = &held[num_held++];

	h->event = *e;
	h->number = jobs_of_session[e->session % MAX_IDS]++;
	printf("session %u start n=%u job %llx open=%u %ux%u bytes %u target %u refs %u %u %u show %d\n",
	       e->session, h->number, (unsigned long long)job->id, num_held,
	       job->width, job->height, job->bitstream_bytes, job->target,
	       job->references[0], job->references[1], job->references[2],
	       !!(frame->flags & V4L2_VP9_FRAME_FLAG_SHOW_FRAME));
	if (++total == die_after) {
		printf("dying with %u jobs open\n", num_held);
		kill(getpid(), SIGKILL);
	}
}

/* Returns 0 when there was no event. */
static int take_event(void)
{
	struct {
		struct perdix_control record;
		struct v4l2_ctrl_vp9_frame frame;
	} payload;
	struct perdix_event e = {
		.payload = (uintptr_t)&payload, .payload_bytes = sizeof(payload),
	};

	if (ioctl(channel, PERDIX_IOC_NEXT_EVENT, &e)) {
		if (errno != EAGAIN)
			perror("NEXT_EVENT");
		return 0;
	}
	switch (e.type) {
	case PERDIX_EVENT_SESSION_NEW:
		printf("session %u of %u (%.16s)\n", e.session, e.pid, e.comm);
		break;
	case PERDIX_EVENT_JOB:
		hold(&e, &payload.frame);
		break;
	case PERDIX_EVENT_CANCEL:
		cancel(e.job.id);
		break;
	case PERDIX_EVENT_BUFFER_GONE:
		forget_buffer(e.buffer);
		break;
	case PERDIX_EVENT_SESSION_GONE:
		printf("session %u gone\n", e.session);
		jobs_of_session[e.session % MAX_IDS] = 0;
		break;
	}
	return 1;
}

int main(int argc, char **argv)
{
	struct pollfd p = { .events = POLLIN };
	uint32_t version = PERDIX_API_VERSION;

	if (argc > 1)
		depth = atoi(argv[1]);
	if (argc > 2)
		delay_us = atoi(argv[2]);
	if (argc > 3)
		die_after = atoi(argv[3]);
	if (depth < 1 || depth > MAX_HELD)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	p.fd = channel = open("/dev/perdix", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (channel < 0 || ioctl(channel, PERDIX_IOC_HELLO, &version)) {
		perror("/dev/perdix");
		return 1;
	}
	for (;;) {
		/* wait a little for more jobs, so that several are open */
		if (poll(&p, 1, num_held ? (int)(delay_us / 1000) : -1) > 0 &&
		    num_held < depth && take_event() && num_held < depth)
			continue;
		if (num_held)
			usleep(delay_us);
		while (num_held)
			finish_newest();
	}
}
