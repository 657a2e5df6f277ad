// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a queued request to a completed one. All of it under ctx->job_lock.
 *
 *   pair      first ready source + first ready target = a job, in ctx->jobs
 *   announce  the daemon is told of the oldest jobs, perdix_depth at most
 *   complete  by the daemon, in any order
 *   flush     finished in decode order: target first, then source, which
 *             completes the client's request
 *
 * Every change ends in perdix_advance(), which does whatever can be done now.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>

#include "perdix.h"

/* ---- the end of a job ---- */

/* Jobs the daemon has not heard of will name 0 instead of this picture. */
void perdix_forget_picture(struct perdix_ctx *ctx, u32 buffer)
{
	struct perdix_work *work;
	int i;

	lockdep_assert_held(&ctx->job_lock);
	list_for_each_entry(work, &ctx->jobs, node)
		for (i = 0; i < PERDIX_MAX_REFERENCES && !work->announced; i++)
			if (work->job.references[i] == buffer)
				work->job.references[i] = 0;
}

/* After STREAMOFF a client may count anew; vb2_find_buffer() forgets, too. */
void perdix_forget_timestamps(struct perdix_ctx *ctx)
{
	struct perdix_mem *mem;

	lockdep_assert_held(&ctx->job_lock);
	list_for_each_entry(mem, &ctx->pictures, node)
		mem->intact = false;
}

static void perdix_spoil_picture(struct perdix_ctx *ctx,
				 struct perdix_work *work)
{
	work->dst->mem->intact = false;
	perdix_forget_picture(ctx, work->dst->mem->id);
}

/*
 * The target goes first: clients wait on the request, which completes with the
 * source buffer, and then expect the target to be there.
 */
static void perdix_finish(struct perdix_ctx *ctx, struct perdix_work *work,
			  bool failed)
{
	enum vb2_buffer_state state =
		failed || work->damaged ? VB2_BUF_STATE_ERROR :
					  VB2_BUF_STATE_DONE;

	if (work->announced) {
		perdix_withdraw(ctx, work);
		perdix_end_target(work->dst->mem->dmabuf);
	}
	list_del(&work->node);
	if (failed)
		perdix_spoil_picture(ctx, work);
	ctx->deadline = jiffies + msecs_to_jiffies(perdix_timeout_ms);
	vb2_buffer_done(&work->dst->vb.vb2_buf, state);
	vb2_buffer_done(&work->src->vb.vb2_buf, state);	/* work is gone now */
}

/* Takes back what is in flight; what is done already keeps its result. */
void perdix_fail_jobs(struct perdix_ctx *ctx)
{
	struct perdix_work *work, *next;

	lockdep_assert_held(&ctx->job_lock);
	list_for_each_entry_safe(work, next, &ctx->jobs, node)
		perdix_finish(ctx, work, work->failed || !work->done);
}

static void perdix_flush(struct perdix_ctx *ctx)
{
	struct perdix_work *work, *next;

	list_for_each_entry_safe(work, next, &ctx->jobs, node) {
		if (!work->done)
			break;
		perdix_finish(ctx, work, work->failed);
	}
}

/* ---- pairing ---- */

/* A client may give a timestamp to two pictures: it means the one decoded last. */
static u32 perdix_find_picture(struct perdix_ctx *ctx, u64 timestamp)
{
	struct perdix_mem *mem;

	list_for_each_entry(mem, &ctx->pictures, node)
		if (mem->intact && mem->timestamp == timestamp)
			return mem->id;
	return 0;
}

static void perdix_find_references(struct perdix_ctx *ctx,
				   struct perdix_work *work)
{
	u64 timestamps[PERDIX_MAX_REFERENCES];
	u32 i, used;

	memset(work->job.references, 0, sizeof(work->job.references));
	if (!work->payload_bytes)
		return;
	/* of the first record */
	used = ctx->codec->references(work->payload +
				      sizeof(struct perdix_control), timestamps);
	for (i = 0; i < PERDIX_MAX_REFERENCES; i++)
		if (used & BIT(i))
			work->job.references[i] =
				perdix_find_picture(ctx, timestamps[i]);
}

/*
 * Decode order is pairing order: from here on a later job may name the target
 * as its reference, and what was in the target before is lost.
 */
static void perdix_fill_job(struct perdix_ctx *ctx, struct perdix_work *work)
{
	const struct v4l2_pix_format_mplane *fmt = &work->dst->fmt;
	struct vb2_buffer *src = &work->src->vb.vb2_buf;
	struct perdix_mem *target = work->dst->mem;
	struct perdix_job *job = &work->job;

	target->intact = false;
	perdix_find_references(ctx, work);
	target->timestamp = src->timestamp;
	target->intact = !work->failed;
	list_move(&target->node, &ctx->pictures);

	job->id = (u64)ctx->id << 32 | ++ctx->last_job;
	job->timestamp = src->timestamp;
	job->codec = ctx->codec->codec;
	job->bitstream = work->src->mem->id;
	job->bitstream_bytes = vb2_get_plane_payload(src, 0);
	job->target = target->id;
	job->pixelformat = fmt->pixelformat;
	job->width = fmt->width;
	job->height = fmt->height;
	job->stride = fmt->plane_fmt[0].bytesperline;
}

/* What TIMESTAMP_COPY promises, and v4l2-compliance -s checks. */
static void perdix_copy_metadata(const struct vb2_v4l2_buffer *src,
				 struct vb2_v4l2_buffer *dst)
{
	const u32 mask = V4L2_BUF_FLAG_TIMECODE | V4L2_BUF_FLAG_TSTAMP_SRC_MASK;

	dst->vb2_buf.timestamp = src->vb2_buf.timestamp;
	if (src->flags & V4L2_BUF_FLAG_TIMECODE)
		dst->timecode = src->timecode;
	dst->flags = (dst->flags & ~mask) | (src->flags & mask);
	dst->field = V4L2_FIELD_NONE;
}

static void perdix_start_job(struct perdix_ctx *ctx, struct perdix_buffer *src,
			     struct perdix_buffer *dst)
{
	struct perdix_work *work = &src->work;

	list_del_init(&src->ready);
	list_del_init(&dst->ready);
	work->src = src;
	work->dst = dst;
	work->announced = false;
	work->taken = false;
	work->done = false;
	perdix_fill_job(ctx, work);

	src->vb.sequence = ctx->sequence[PERDIX_OUTPUT]++;
	dst->vb.sequence = ctx->sequence[PERDIX_CAPTURE]++;
	perdix_copy_metadata(&src->vb, &dst->vb);

	if (list_empty(&ctx->jobs))
		ctx->deadline = jiffies + msecs_to_jiffies(perdix_timeout_ms);
	list_add_tail(&work->node, &ctx->jobs);
}

/* A ready list is filled only while its queue streams: no need to ask. */
static void perdix_pair(struct perdix_ctx *ctx)
{
	struct perdix_buffer *src, *dst;

	for (;;) {
		src = list_first_entry_or_null(&ctx->ready[PERDIX_OUTPUT],
					       struct perdix_buffer, ready);
		dst = list_first_entry_or_null(&ctx->ready[PERDIX_CAPTURE],
					       struct perdix_buffer, ready);
		if (!src || !dst)
			return;
		if (dst->fence && !dma_fence_is_signaled(dst->fence))
			return;		/* its callback brings us back */
		perdix_drop_fence(dst);
		perdix_start_job(ctx, src, dst);
	}
}

/* ---- announcing ---- */

/*
 * A client may queue a picture as the next target as soon as the last job that
 * refers to it is queued. Jobs of a session may run side by side, so the new
 * one has to wait here until the old ones have read the picture.
 */
static bool perdix_target_is_read(struct perdix_ctx *ctx,
				  const struct perdix_work *work)
{
	struct perdix_work *older;
	int i;

	list_for_each_entry(older, &ctx->jobs, node) {
		if (older == work)
			return false;
		for (i = 0; i < PERDIX_MAX_REFERENCES; i++)
			if (older->job.references[i] == work->job.target)
				return true;
	}
	return false;
}

static void perdix_announce_jobs(struct perdix_ctx *ctx)
{
	unsigned int depth = max(READ_ONCE(perdix_depth), 1U);
	struct perdix_work *work;

	list_for_each_entry(work, &ctx->jobs, node) {
		if (!depth--)
			break;
		if (work->announced)
			continue;
		if (perdix_target_is_read(ctx, work))
			break;
		work->announced = true;
		perdix_begin_target(work->dst->mem->dmabuf);
		perdix_announce(ctx, work);
	}
}

void perdix_advance(struct perdix_ctx *ctx)
{
	long left;

	lockdep_assert_held(&ctx->job_lock);
	perdix_flush(ctx);
	perdix_pair(ctx);
	if (perdix_daemon_is_lost(ctx->pdx))
		perdix_fail_jobs(ctx);
	perdix_announce_jobs(ctx);
	if (list_empty(&ctx->jobs))
		return;
	left = ctx->deadline - jiffies;
	mod_delayed_work(ctx->pdx->wq, &ctx->tend, max(left, 0L));
}

/* ---- called by the daemon, the timer, and fences ---- */

int perdix_complete(struct perdix_ctx *ctx, u64 job, u32 result)
{
	struct perdix_work *work;
	int ret = -ENOENT;

	spin_lock(&ctx->job_lock);
	list_for_each_entry(work, &ctx->jobs, node)
		if (work->job.id == job && work->announced && !work->done) {
			work->done = true;
			work->damaged = result == PERDIX_DAMAGED;
			work->failed |= result != PERDIX_DECODED && !work->damaged;
			if (work->failed)	/* its turn may be later */
				perdix_spoil_picture(ctx, work);
			perdix_advance(ctx);
			ret = 0;
			break;
		}
	spin_unlock(&ctx->job_lock);
	return ret;
}

/*
 * The deadline is the oldest job's, and moves with each job that finishes: a
 * slow daemon is fine, one that does nothing is not. So when it passes, the
 * jobs behind will fare no better and go too, or the last of a long queue would
 * wait for many timeouts.
 */
void perdix_tend(struct work_struct *work)
{
	struct perdix_ctx *ctx = container_of(to_delayed_work(work),
					      struct perdix_ctx, tend);

	if (READ_ONCE(ctx->pdx->suspended))
		return;		/* perdix_restart_clock() will come */
	spin_lock(&ctx->job_lock);
	if (!list_empty(&ctx->jobs) && time_after_eq(jiffies, ctx->deadline)) {
		perdix_timeouts++;
		perdix_fail_jobs(ctx);
	}
	perdix_advance(ctx);
	spin_unlock(&ctx->job_lock);
}

/* What was in flight when the machine went to sleep gets its time anew. */
void perdix_restart_clock(struct perdix_ctx *ctx)
{
	spin_lock(&ctx->job_lock);
	ctx->deadline = jiffies + msecs_to_jiffies(perdix_timeout_ms);
	perdix_advance(ctx);
	spin_unlock(&ctx->job_lock);
}

static void perdix_fence_signaled(struct dma_fence *fence,
				  struct dma_fence_cb *cb)
{
	struct perdix_buffer *buf =
		container_of(cb, struct perdix_buffer, fence_cb);
	struct perdix_ctx *ctx = vb2_get_drv_priv(buf->vb.vb2_buf.vb2_queue);

	mod_delayed_work(ctx->pdx->wq, &ctx->tend, 0);	/* maybe in an interrupt */
}

/*
 * A picture may still be on its way to a display or GPU when the client queues
 * it again: its fences say until when. Nobody blocks on them; the job just starts
 * later.
 * Call before the buffer becomes ready; may sleep.
 */
void perdix_watch_fence(struct perdix_ctx *ctx, struct perdix_buffer *buf)
{
	struct dma_buf *dmabuf = buf->mem->dmabuf;

	/* a writer waits for readers and writers; without memory the daemon waits */
	if (dma_resv_get_singleton(dmabuf->resv, DMA_RESV_USAGE_READ, &buf->fence))
		buf->fence = NULL;
	if (buf->fence && dma_fence_add_callback(buf->fence, &buf->fence_cb,
						 perdix_fence_signaled)) {
		dma_fence_put(buf->fence);	/* signalled already */
		buf->fence = NULL;
	}
}

void perdix_drop_fence(struct perdix_buffer *buf)
{
	if (!buf->fence)
		return;
	dma_fence_remove_callback(buf->fence, &buf->fence_cb);
	dma_fence_put(buf->fence);
	buf->fence = NULL;
}
