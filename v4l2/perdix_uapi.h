/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/perdix: the contract between perdix.ko and its decoding daemon.
 *
 * The daemon opens the device, compares versions with PERDIX_IOC_VERSION and
 * becomes the daemon with PERDIX_IOC_HELLO (one at a time: EBUSY from either), polls
 * for POLLIN, takes one event at a time with PERDIX_IOC_NEXT_EVENT and answers every
 * job with PERDIX_IOC_COMPLETE.
 * Pixels and bitstream never pass through here: they live in buffers that
 * the daemon maps once, through PERDIX_IOC_BUFFER_FD, and forgets when
 * PERDIX_EVENT_BUFFER_GONE arrives.
 *
 * Order. Events arrive in the order in which they happened. A session is
 * announced (SESSION_NEW) before its first job, a buffer is announced as gone
 * only after every job that names it, a session only after all its buffers. A
 * job whose target an older job refers to comes after that one is completed.
 *
 * Cache. A daemon brackets all access to a buffer, CPU's and GPU's alike, with
 * DMA_BUF_IOCTL_SYNC on its descriptor and ends it before COMPLETE. The client
 * may look at a picture with the CPU and not sync by itself. So where a GPU wrote
 * last the daemon begins once more, for reading, before it ends: that drops what
 * the CPU's caches held. The module walks no cache at DQBUF, COMPLETE or a picture's
 * QBUF. An importer may let go of a picture while the CPU decodes into it: the
 * module's own buffers keep what was written. Those of other drivers that the client
 * imported may not, on machines where devices do not see the CPU's caches.
 *
 * Death. When the channel is closed, whatever the reason, every job in flight
 * returns to its client with V4L2_BUF_FLAG_ERROR at once. The next daemon
 * starts from nothing: all ids it gets are announced to it again.
 */
#ifndef PERDIX_UAPI_H
#define PERDIX_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Changes whenever a struct or a meaning below does. There is no other promise. */
#define PERDIX_API_VERSION	4

/* Most references a job can name: VP9 uses 3 (last, golden, altref), AV1 7. */
#define PERDIX_MAX_REFERENCES	8

/* Luma samples: no frame that the node takes is wider or higher. */
#define PERDIX_MAX_SIDE		8192

/*
 * Buffers that a session can have at a time, of both queues together. A buffer
 * counts until the daemon has read BUFFER_GONE.
 */
#define PERDIX_MAX_BUFFERS	160

enum perdix_event_type {
	PERDIX_EVENT_SESSION_NEW = 1,	/* .session .pid .comm */
	PERDIX_EVENT_JOB = 2,		/* .session .job and the payload */
	PERDIX_EVENT_CANCEL = 3,	/* .session .job.id: do not start it */
	PERDIX_EVENT_BUFFER_GONE = 4,	/* .session .buffer: unmap, forget */
	PERDIX_EVENT_SESSION_GONE = 5,	/* .session: free its state */
};

enum perdix_codec {
	PERDIX_CODEC_VP9 = 1,	/* payload: V4L2_CID_STATELESS_VP9_FRAME */
	/*
	 * payload: V4L2_CID_STATELESS_AV1_SEQUENCE, _FRAME, _TILE_GROUP_ENTRY
	 * (a dynamic array) and _FILM_GRAIN
	 */
	PERDIX_CODEC_AV1 = 2,
};

/*
 * The payload of a job is the controls that its codec needs, one record after
 * the other in any order: this, then the value, then zeroes up to a multiple of
 * 8 bytes.
 *
 * @id:		V4L2_CID_STATELESS_...
 * @bytes:	of the value: of a dynamic array, all its elements
 */
struct perdix_control {
	__u32 id;
	__u32 bytes;
};

/* No payload is larger. */
#define PERDIX_MAX_PAYLOAD	16384

/*
 * One frame to decode.
 *
 * @id:			names the job in COMPLETE and CANCEL; never used twice. Those
 *			of a session follow each other one by one: a gap is a frame
 *			that its client took back before the daemon saw it
 * @timestamp:		ns, as the client gave it; names the decoded frame
 * @codec:		enum perdix_codec; says what the payload holds
 * @bitstream:		buffer id of the coded frame
 * @bitstream_bytes:	bytes used in it, from its start
 * @target:		buffer id of the picture to write
 * @pixelformat:	V4L2 fourcc of @target, one memory plane: NV12, or P010 for
 *			all of more than 8 bit; 4:2:0 whatever the payload codes
 * @width: @height:	luma samples @target has room for: the CAPTURE format's
 *			size, aligned up to 8. The coded size is in the payload
 *			and must be checked against it
 * @stride:		bytes per luma row, and per row of chroma pairs; chroma
 *			starts at @stride * @height
 * @references:		buffer ids in the order of the payload's timestamps, 0
 *			for one that is no intact picture of this session
 */
struct perdix_job {
	__u64 id;
	__u64 timestamp;
	__u32 codec;
	__u32 bitstream;
	__u32 bitstream_bytes;
	__u32 target;
	__u32 pixelformat;
	__u32 width;
	__u32 height;
	__u32 stride;
	__u32 references[PERDIX_MAX_REFERENCES];
};

/*
 * @payload:		in: user pointer that receives the controls (JOB)
 * @payload_bytes:	in: room there; out: bytes written (JOB), else 0
 * @type:		enum perdix_event_type
 * @session:		one open file handle of /dev/videoN; starts at 1
 * @buffer:		BUFFER_GONE: which; ids start at 1
 * @pid: @comm:		SESSION_NEW: the client that opened the node
 * @job:		JOB: all of it; CANCEL: only @id
 */
struct perdix_event {
	__u64 payload;
	__u32 payload_bytes;
	__u32 type;
	__u32 session;
	__u32 buffer;
	__u32 pid;
	__u8 comm[16];
	__u32 reserved;
	struct perdix_job job;
};

/*
 * @buffer:	in: id from a job
 * @fd:		out: its dma-buf, O_CLOEXEC; the caller owns it
 * @size:	out: bytes
 */
struct perdix_buffer_fd {
	__u32 buffer;
	__s32 fd;
	__u64 size;
};

/*
 * What became of a job's picture. All but PERDIX_DECODED are flagged
 * V4L2_BUF_FLAG_ERROR. Any other value counts as PERDIX_FAILED.
 */
enum perdix_result {
	PERDIX_DECODED = 0,
	PERDIX_FAILED = 1,	/* later jobs get 0 in its place among their references */
	PERDIX_DAMAGED = 2,	/* it has wrong pixels; later jobs refer to it all the same */
};

/*
 * @job:	id from the event
 * @result:	enum perdix_result
 */
struct perdix_complete {
	__u64 job;
	__u32 result;
	__u32 reserved;
};

/* Writes the module's PERDIX_API_VERSION. */
#define PERDIX_IOC_VERSION	_IOR('p', 0x80, __u32)

/*
 * Says the daemon's PERDIX_API_VERSION; until then the file is not the daemon's, and
 * all calls but this and PERDIX_IOC_VERSION fail with EPROTO. EPROTO here: the
 * module speaks another version; the kernel's log names both. EBUSY: another file is
 * the daemon's.
 */
#define PERDIX_IOC_HELLO	_IOW('p', 0x84, __u32)

/*
 * Takes the oldest event. EAGAIN: none, and O_NONBLOCK is set. EMSGSIZE: the
 * payload needs more room; @payload_bytes says how much, the event stays.
 * EFAULT: a bad pointer; the event stays.
 */
#define PERDIX_IOC_NEXT_EVENT	_IOWR('p', 0x81, struct perdix_event)

/* ENOENT: the buffer is gone; BUFFER_GONE or CANCEL is on its way. */
#define PERDIX_IOC_BUFFER_FD	_IOWR('p', 0x82, struct perdix_buffer_fd)

/*
 * In any order; the module restores decode order within a session. ENOENT:
 * the client took the job back (STREAMOFF, close) or the module timed it out.
 * The client may already have queued the same target again, so the daemon must
 * not start a job while an older one still writes to one of its buffers.
 */
#define PERDIX_IOC_COMPLETE	_IOW('p', 0x83, struct perdix_complete)

#endif
