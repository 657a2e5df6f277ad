// SPDX-License-Identifier: BSD-2-Clause
/*
 * For LD_PRELOAD: GStreamer waits 60 s for a frame, instead of one. In User-Mode
 * Linux a fresh page costs 0.3 ms, so the first large frames of a stream take
 * longer than a second, whoever decodes them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SECOND 1000000000ULL

int gst_poll_wait(void *set, uint64_t timeout)
{
	int (*wait)(void *, uint64_t) = dlsym(RTLD_NEXT, "gst_poll_wait");

	return wait(set, timeout == SECOND ? 60 * SECOND : timeout);
}
