/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types of perdix.ko.
 *
 * Locks, outermost first:
 *   mdev->req_queue_mutex   the framework's: REQUEST_QUEUE, STREAMON/OFF, close;
 *                           ours while REQBUFS frees buffers
 *   ctx->lock               both vb2 queues of a file handle, and its formats
 *   ctx->controls lock      control values
 *   ctx->job_lock (spin)    jobs, ready buffers and pictures of one session
 *   pdx->event_lock (spin)  what the daemon is told, and what it knows
 *
 *   mem->lock               who has a buffer mapped (perdix_memory.c); inside
 *                           the buffer's dma_resv, never with a spinlock
 *
 * The daemon's side takes only the two spinlocks (and read_lock among its own
 * threads). So a client that stalls inside an ioctl (userfaultfd, say) cannot
 * stall the daemon; and two sessions share nothing of ours but event_lock, held
 * for a list operation at a time.
 *
 * What a client can do to others, by way of the framework: S_EXT_CTRLS copies
 * the client's memory under the lock of its control handler, for as long as a
 * page of it (FUSE, userfaultfd) takes to come. REQUEST_QUEUE needs that lock
 * while it holds req_queue_mutex, of which the media device has one. So other
 * clients' REQUEST_QUEUE, STREAMON, STREAMOFF and close wait, uninterruptibly,
 * until the page comes or its server dies. Every driver with requests has this.
 * A second way is ours: buffers are allocated under ctx->lock, and another thread
 * of the same client may wait for that with req_queue_mutex, in REQUEST_QUEUE or
 * STREAMOFF. It is bounded: PERDIX_MAX_AT_ONCE at a time, and SIGKILL ends it.
 */
#ifndef PERDIX_H
#define PERDIX_H

#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/platform_device.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <media/media-device.h>
#include <media/v4l2-ctrls.h>
#include <media/v4l2-device.h>
#include <media/v4l2-fh.h>
#include <media/videobuf2-v4l2.h>

#include "perdix_uapi.h"

#define PERDIX_NAME "perdix"

/* Bytes that one REQBUFS or CREATE_BUFS allocates, under ctx->lock. */
#define PERDIX_MAX_AT_ONCE	SZ_512M

/* mmap offsets of CAPTURE buffers start here, as with v4l2-mem2mem */
#define PERDIX_CAPTURE_OFFSET	BIT(30)

struct perdix_ctx;
struct perdix_user;

/* Two planes in one: luma, then rows of U, V pairs, half as many. */
struct perdix_format {
	u32 fourcc;			/* V4L2, on CAPTURE */
	u32 bytes_per_sample;
};

/* One row per codec, in a file of its own; the table is in perdix_video.c. */
struct perdix_codec_row {
	u32 codec;			/* enum perdix_codec */
	u32 coded_format;		/* V4L2 fourcc on OUTPUT */
	u32 max_size;			/* samples, each way */
	const struct perdix_format *formats;
	u32 num_formats;
	const struct v4l2_ctrl_config *controls;
	u32 num_controls;
	/* whose values go to the daemon; the first one names the references */
	const u32 *payload;
	u32 num_payload;
	/* writes their timestamps, returns which of them are used, as bits */
	u32 (*references)(const void *value, u64 *timestamps);
	u32 format_control;		/* whose value says the bit depth */
	u32 (*bit_depth)(const void *value);
};

/* Something the daemon has to be told; embedded in what it tells about. */
struct perdix_note {
	struct list_head node;		/* pdx->events */
	u64 serial;			/* names one queueing of the note */
	u64 job;
	u32 type;			/* enum perdix_event_type */
	u32 session;
	u32 buffer;
};

/* A buffer as the daemon knows it: lives until the daemon has read BUFFER_GONE. */
struct perdix_mem {
	struct perdix_note gone;
	struct list_head node;		/* ctx->pictures, CAPTURE only */
	struct dma_buf *dmabuf;		/* vb2 holds it */
	u64 timestamp;			/* of the picture in it */
	u32 id;
	bool intact;			/* a decoded picture, or soon to be one */
	bool known;			/* the daemon has its fd; event_lock */
};

/*
 * One frame to decode: a source paired with a target. Embedded in the source
 * buffer, so that it cannot be missing.
 */
struct perdix_work {
	struct perdix_note note;
	struct list_head node;		/* ctx->jobs, decode order */
	struct perdix_buffer *src, *dst;
	bool announced;			/* the daemon was told, or soon is */
	bool taken;			/* it has read so; event_lock */
	bool done, failed, damaged;
	struct perdix_job job;
	u32 payload_bytes, payload_room;
	void *payload;			/* records, see struct perdix_control */
};

struct perdix_buffer {
	struct vb2_v4l2_buffer vb;	/* first: vb2 allocates us */
	struct list_head ready;		/* ctx->ready[] */
	struct perdix_mem *mem;
	/* CAPTURE: */
	struct v4l2_pix_format_mplane fmt;	/* when it was prepared */
	struct dma_fence *fence;	/* others still use the memory */
	struct dma_fence_cb fence_cb;
	/* OUTPUT: */
	struct perdix_work work;
};

enum { PERDIX_OUTPUT, PERDIX_CAPTURE, PERDIX_QUEUES };

/* A session: one open file handle. */
struct perdix_ctx {
	struct v4l2_fh fh;
	struct perdix_dev *pdx;
	struct kref ref;
	struct perdix_user *user;
	u32 id;
	pid_t pid;
	char comm[TASK_COMM_LEN];

	struct mutex lock;		/* vb2 queues and formats */
	struct vb2_queue queue[PERDIX_QUEUES];
	struct v4l2_pix_format_mplane coded_fmt;	/* decides CAPTURE's, too */
	const struct perdix_codec_row *codec;
	struct v4l2_ctrl_handler controls;

	spinlock_t job_lock;		/* down to tend */
	struct list_head ready[PERDIX_QUEUES];
	struct list_head jobs;		/* perdix_work */
	struct list_head pictures;	/* perdix_mem, last target first */
	u32 sequence[PERDIX_QUEUES];
	u32 last_job;
	unsigned long deadline;		/* jiffies: for the oldest job */
	struct delayed_work tend;

	/* event_lock */
	struct perdix_note hello, farewell;
	bool greeted;			/* hello was queued for this daemon */
};

/* A copy of the oldest event, on its way to the daemon. */
struct perdix_peek {
	u64 serial;
	struct perdix_event event;
	u8 payload[PERDIX_MAX_PAYLOAD];
};

struct perdix_dev {
	struct platform_device *pdev;
	struct v4l2_device v4l2;
	struct video_device vdev;
	struct media_device mdev;
	struct media_entity proc, sink;
	struct media_pad source_pad, sink_pad, proc_pads[2];
	struct media_intf_devnode *devnode;
	struct miscdevice misc;
	struct workqueue_struct *wq;
	struct notifier_block pm;
	bool suspended;			/* no job is late */
	struct mutex read_lock;		/* one NEXT_EVENT at a time */
	struct perdix_peek peek;	/* read_lock */

	spinlock_t event_lock;		/* down to mems */
	struct list_head events;	/* perdix_note, oldest first */
	u64 last_serial;
	wait_queue_head_t wait;		/* the daemon polls here */
	struct file *daemon;		/* that said HELLO; NULL: none */
	unsigned long detached;		/* jiffies, when there is none */
	struct xarray sessions;		/* id -> perdix_ctx */
	struct xarray mems;		/* id -> perdix_mem */
	u32 last_session, last_mem;	/* xa_alloc_cyclic() */
};

static inline struct perdix_buffer *to_perdix_buffer(struct vb2_buffer *vb)
{
	return container_of(to_vb2_v4l2_buffer(vb), struct perdix_buffer, vb);
}

static inline int perdix_queue_index(const struct vb2_queue *q)
{
	return q->is_output ? PERDIX_OUTPUT : PERDIX_CAPTURE;
}

/* perdix_core.c */
extern unsigned int perdix_timeout_ms;
extern unsigned int perdix_grace_ms;
extern unsigned int perdix_depth;
extern unsigned long perdix_timeouts;
extern bool perdix_requires;
extern bool perdix_contiguous;
extern unsigned int perdix_block_kib;

/* perdix_media.c */
int perdix_media_register(struct perdix_dev *pdx);
void perdix_media_unregister(struct perdix_dev *pdx);
extern const struct media_device_ops perdix_media_ops;

/* perdix_vp9.c */
extern const struct perdix_codec_row perdix_vp9;

/* perdix_av1.c, where the kernel has the controls: PERDIX_AV1 */
extern const struct perdix_codec_row perdix_av1;

/* perdix_video.c */
extern const struct v4l2_file_operations perdix_video_fops;
extern const struct v4l2_ioctl_ops perdix_ioctl_ops;
struct v4l2_ctrl *perdix_find_control(struct perdix_ctx *ctx, u32 id);
void perdix_get_format(struct perdix_ctx *ctx, int index,
		       struct v4l2_pix_format_mplane *pix);
u32 perdix_max_bytes(const struct perdix_ctx *ctx, int index);

/* perdix_queue.c */
int perdix_init_queue(struct perdix_ctx *ctx, int index);

/* perdix_memory.c */
extern const struct vb2_mem_ops perdix_mem_ops;
void perdix_begin_target(struct dma_buf *dmabuf);
void perdix_end_target(struct dma_buf *dmabuf);

/* perdix_user.c */
struct perdix_user *perdix_enter_user(void);
void perdix_leave_user(struct perdix_user *user);
struct perdix_user *perdix_get_user(struct perdix_user *user);
void perdix_put_user(struct perdix_user *user);
void perdix_await_room(struct perdix_user *user, u64 bytes);
int perdix_charge(struct perdix_user *user, u64 bytes);
void perdix_uncharge(struct perdix_user *user, u64 bytes);

/* perdix_run.c; the first five with job_lock held */
void perdix_advance(struct perdix_ctx *ctx);
void perdix_fail_jobs(struct perdix_ctx *ctx);
void perdix_forget_picture(struct perdix_ctx *ctx, u32 buffer);
void perdix_forget_timestamps(struct perdix_ctx *ctx);
void perdix_drop_fence(struct perdix_buffer *buf);
void perdix_watch_fence(struct perdix_ctx *ctx, struct perdix_buffer *buf);
int perdix_complete(struct perdix_ctx *ctx, u64 job, u32 result);
void perdix_tend(struct work_struct *work);
void perdix_restart_clock(struct perdix_ctx *ctx);

/* perdix_channel.c */
extern const struct file_operations perdix_channel_fops;
int perdix_register_session(struct perdix_ctx *ctx);
void perdix_unregister_session(struct perdix_ctx *ctx);
void perdix_put_session(struct perdix_ctx *ctx);
int perdix_register_mem(struct perdix_ctx *ctx, struct perdix_mem *mem);
void perdix_unregister_mem(struct perdix_ctx *ctx, struct perdix_mem *mem);
void perdix_announce(struct perdix_ctx *ctx, struct perdix_work *work);
void perdix_withdraw(struct perdix_ctx *ctx, struct perdix_work *work);
bool perdix_daemon_is_lost(struct perdix_dev *pdx);
void perdix_suspend(struct perdix_dev *pdx);
void perdix_resume(struct perdix_dev *pdx);

#endif
