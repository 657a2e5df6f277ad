// SPDX-License-Identifier: BSD-2-Clause
/*
 * For LD_PRELOAD: makes another client of perdix-decode, by changing its calls.
 * $ODD:
 *   zero       timestamps from 0 on (perdix-decode's begin with 1 us)
 *   again N    timestamps begin anew after each N frames
 *   grain      film grain by reference: where a frame that this one refers to has
 *              the same parameters, the control only names that
 * Prints at the end how many frames were changed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS V4L2_AV1_TOTAL_REFS_PER_FRAME
#define NO_FRAME UINT64_MAX
#define NS_PER_US 1000

static unsigned int changed;

static const char *odd(void)
{
	const char *value = getenv("ODD");

	return value ? value : "";
}

__attribute__((destructor)) static void report(void)
{
	fprintf(stderr, "odd_client: %u changed\n", changed);
}

/* How another client names frames, in us; perdix-decode's names begin with 1. */
static uint64_t other_us(uint64_t us)
{
	const uint64_t n = us - 1;

	if (!strcmp(odd(), "zero"))
		return n;
	if (!strncmp(odd(), "again ", 6))
		return n % strtoull(odd() + 6, NULL, 10);
	return us;
}

/* The timestamp of a reference; perdix-decode has 0 for none. */
static void change_reference(__u64 *ns)
{
	*ns = *ns ? other_us(*ns / NS_PER_US) * NS_PER_US : NO_FRAME;
}

static void change_vp9(struct v4l2_ctrl_vp9_frame *frame)
{
	change_reference(&frame->last_frame_ts);
	change_reference(&frame->golden_frame_ts);
	change_reference(&frame->alt_frame_ts);
}

static void change_av1(struct v4l2_ctrl_av1_frame *frame)
{
	for (int i = 0; i < SLOTS; i++)
		change_reference(&frame->reference_frame_ts[i]);
}

static void change_timestamp(struct v4l2_buffer *b)
{
	const uint64_t us = other_us(b->timestamp.tv_sec * 1000000ull + b->timestamp.tv_usec);

	b->timestamp.tv_sec = us / 1000000;
	b->timestamp.tv_usec = us % 1000000;
	changed++;
}

/* Whether they differ in nothing but the seed and where they come from. */
static int alike(struct v4l2_ctrl_av1_film_grain a, struct v4l2_ctrl_av1_film_grain b)
{
	a.grain_seed = b.grain_seed;
	a.film_grain_params_ref_idx = b.film_grain_params_ref_idx;
	a.flags |= V4L2_AV1_FILM_GRAIN_FLAG_UPDATE_GRAIN;
	b.flags |= V4L2_AV1_FILM_GRAIN_FLAG_UPDATE_GRAIN;
	return !memcmp(&a, &b, sizeof(a));
}

static void name_reference(const struct v4l2_ctrl_av1_frame *frame,
			   struct v4l2_ctrl_av1_film_grain *grain)
{
	static struct v4l2_ctrl_av1_film_grain slots[SLOTS];
	const struct v4l2_ctrl_av1_film_grain whole = *grain;
	int i, inter = frame->frame_type == V4L2_AV1_INTER_FRAME;

	for (i = 0; i < V4L2_AV1_REFS_PER_FRAME && inter && whole.flags; i++) {
		const int slot = frame->ref_frame_idx[i];

		if (!alike(slots[slot], whole))
			continue;
		memset(grain, 0, sizeof(*grain));
		grain->flags = V4L2_AV1_FILM_GRAIN_FLAG_APPLY_GRAIN;
		grain->grain_seed = whole.grain_seed;
		grain->film_grain_params_ref_idx = slot;
		changed++;
		break;
	}
	for (i = 0; i < SLOTS; i++) {
		if (frame->refresh_frame_flags >> i & 1)
			slots[i] = whole;
	}
}

static void change_controls(struct v4l2_ext_controls *controls)
{
	struct v4l2_ctrl_av1_frame *av1 = NULL;
	struct v4l2_ctrl_av1_film_grain *grain = NULL;

	for (unsigned int i = 0; i < controls->count; i++) {
		void *value = controls->controls[i].ptr;

		switch (controls->controls[i].id) {
		case V4L2_CID_STATELESS_VP9_FRAME: change_vp9(value); break;
		case V4L2_CID_STATELESS_AV1_FRAME: av1 = value; break;
		case V4L2_CID_STATELESS_AV1_FILM_GRAIN: grain = value; break;
		}
	}
	if (av1)
		change_av1(av1);
	if (av1 && grain && !strcmp(odd(), "grain"))
		name_reference(av1, grain);
}

int v4l2_ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, ...) = dlsym(RTLD_NEXT, "v4l2_ioctl");
	struct v4l2_buffer *b;
	va_list list;
	void *arg;

	va_start(list, request);
	arg = va_arg(list, void *);
	va_end(list);
	b = arg;
	if (request == VIDIOC_S_EXT_CTRLS)
		change_controls(arg);
	if (request == VIDIOC_QBUF && V4L2_TYPE_IS_OUTPUT(b->type) && strcmp(odd(), "grain"))
		change_timestamp(b);
	return next(fd, request, arg);
}
