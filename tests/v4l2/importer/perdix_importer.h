/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /dev/perdix-importer: what the test program and the test module share.
 */
#ifndef PERDIX_IMPORTER_H
#define PERDIX_IMPORTER_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define IMPORTER_DEVICES 2	/* that import; one more is perdix's own */

/*
 * @fd: a dma-buf, attached to @device. One each. Mapped both ways, or with
 * @only_writes as what the device never reads.
 */
struct importer_attach {
	__s32 fd;
	__u32 device;
	__u32 only_writes;
};

/* @device fills or reads @bytes from @offset on; @value is what, or the first. */
struct importer_access {
	__u32 device;
	__u32 write;
	__u32 offset;
	__u32 bytes;
	__u32 value;
	__u32 same;		/* out, reading: all bytes are @value */
};

/* @access happens after @delay_ms; until then a fence of the dma-buf says so. */
struct importer_draw {
	struct importer_access access;
	__u32 delay_ms;
};

/*
 * How often a whole buffer was written back from the CPU's caches to memory and
 * dropped from them, for @device (IMPORTER_DEVICES: perdix's own). Starts anew.
 */
struct importer_counts {
	__u32 device;
	__u32 cleaned;
	__u32 invalidated;
};

#define IMPORTER_ATTACH	_IOW('i', 0, struct importer_attach)
#define IMPORTER_DETACH	_IOW('i', 1, __u32)
#define IMPORTER_ACCESS	_IOWR('i', 2, struct importer_access)
#define IMPORTER_COUNTS	_IOWR('i', 3, struct importer_counts)
#define IMPORTER_DRAW	_IOW('i', 4, struct importer_draw)

#endif
