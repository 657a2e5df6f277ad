// SPDX-License-Identifier: GPL-2.0-only
/*
 * The daemon's half of the test programs: the channel, one event at a time.
 * Included once, after client.h.
 */
#include <stdint.h>

#include "../../v4l2/perdix_uapi.h"

static int channel;
/* The controls as the module gathers them; for VP9 it is one. */
static union {
	struct {
		struct perdix_control record;
		struct v4l2_ctrl_vp9_frame frame;
	} vp9;
	char room[PERDIX_MAX_PAYLOAD];
} payload;

#define CHECK(condition) check(condition, #condition, __LINE__)

static void check(int holds, const char *condition, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: does not hold: %s (errno %s)\n",
		program_invocation_short_name, line, condition, strerror(errno));
	exit(1);
}

static int try_event(struct perdix_event *e, void *room, unsigned int bytes)
{
	*e = (struct perdix_event){ .payload = (uintptr_t)room,
				    .payload_bytes = bytes };
	return ioctl(channel, PERDIX_IOC_NEXT_EVENT, e) ? errno : 0;
}

static struct perdix_event expect(__u32 type)
{
	struct perdix_event e;

	CHECK(try_event(&e, &payload, sizeof(payload)) == 0);
	if (e.type != type)
		fprintf(stderr, "event %u, expected %u\n", e.type, type);
	CHECK(e.type == type);
	return e;
}

static inline void expect_nothing(void)
{
	struct perdix_event e;

	CHECK(try_event(&e, &payload, sizeof(payload)) == EAGAIN);
}

static int complete(__u64 job, __u32 result)
{
	struct perdix_complete c = { .job = job, .result = result };

	return ioctl(channel, PERDIX_IOC_COMPLETE, &c) ? errno : 0;
}

static void open_channel(void)
{
	struct perdix_event e;
	__u32 version = 0;

	channel = open("/dev/perdix", O_RDWR | O_NONBLOCK);
	CHECK(channel >= 0);
	CHECK(ioctl(channel, PERDIX_IOC_VERSION, &version) == 0);
	CHECK(version == PERDIX_API_VERSION);
	CHECK(try_event(&e, &payload, sizeof(payload)) == EPROTO);
	version++;
	CHECK(ioctl(channel, PERDIX_IOC_HELLO, &version) && errno == EPROTO);
	version--;
	CHECK(ioctl(channel, PERDIX_IOC_HELLO, &version) == 0);
	CHECK(open("/dev/perdix", O_RDWR) < 0 && errno == EBUSY);
}
