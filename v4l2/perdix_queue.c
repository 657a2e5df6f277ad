// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two vb2 queues of a session: how many buffers there may be, what one needs
 * to be known to the daemon, and how it becomes ready for a job. Runs in the
 * client's ioctls, with ctx->lock held.
 */
#include <linux/slab.h>

#include "perdix.h"

/*
 * Where pictures change their size within a stream, those of earlier sizes stay
 * until the player has shown them and no frame refers to them, while the new
 * size gets buffers of its own: GStreamer has 14 of each size. 32, which is all
 * that kernels before 6.8 have, are too few for three sizes.
 */
#define PERDIX_MAX_PICTURES (PERDIX_MAX_BUFFERS - VB2_MAX_FRAME)

static unsigned int perdix_max_buffers(const struct vb2_queue *q)
{
#ifdef PERDIX_MAX_NUM_BUFFERS
	return q->max_num_buffers;
#else
	return VB2_MAX_FRAME;
#endif
}

#ifdef PERDIX_MAX_NUM_BUFFERS
/* A buffer's mmap offset is made of its number. */
static u64 perdix_left_offsets(struct vb2_queue *q)
{
	return U64_MAX;
}
#else
/*
 * Before Linux 6.8 the mmap offset of a buffer is the sum of the lengths of those
 * before it, in 32 bits: what a queue holds must fit between the offset that it
 * begins with and the next one.
 */
static u64 perdix_left_offsets(struct vb2_queue *q)
{
	u64 most = q->is_output ? PERDIX_CAPTURE_OFFSET :
				  BIT_ULL(32) - PERDIX_CAPTURE_OFFSET;
	struct vb2_buffer *vb;
	unsigned int i;
	u64 used = 0;

	for (i = 0; i < perdix_max_buffers(q); i++) {
		vb = vb2_get_buffer(q, i);
		used += vb ? vb->planes[0].length : 0;
	}
	return most > used ? most - used : 0;
}
#endif

static u32 perdix_fitting_buffers(struct vb2_queue *q, u32 size)
{
	u32 room;

	if (q->memory != VB2_MEMORY_MMAP)
		return perdix_max_buffers(q);
	room = min_t(u64, perdix_left_offsets(q), PERDIX_MAX_AT_ONCE);
	return room / size;	/* 32 bits: there is no other division on arm */
}

static int perdix_queue_setup(struct vb2_queue *q, unsigned int *nbuffers,
			      unsigned int *nplanes, unsigned int sizes[],
			      struct device *alloc_devs[])
{
	struct perdix_ctx *ctx = vb2_get_drv_priv(q);
	int index = perdix_queue_index(q);
	struct v4l2_pix_format_mplane fmt;
	u32 size;

	perdix_get_format(ctx, index, &fmt);
	size = fmt.plane_fmt[0].sizeimage;
	if (!*nplanes)
		sizes[0] = size;
	else if (*nplanes != 1 || sizes[0] < size ||	/* the client's wish */
		 sizes[0] > perdix_max_bytes(ctx, index))
		return -EINVAL;
	*nplanes = 1;
	*nbuffers = min(*nbuffers, perdix_fitting_buffers(q, sizes[0]));
	return *nbuffers ? 0 : -ENOMEM;
}

static struct perdix_mem *perdix_create_mem(struct vb2_buffer *vb)
{
	struct perdix_ctx *ctx = vb2_get_drv_priv(vb->vb2_queue);
	struct perdix_mem *mem = kzalloc(sizeof(*mem), GFP_KERNEL);

	if (!mem)
		return NULL;
	INIT_LIST_HEAD(&mem->node);
	mem->dmabuf = vb->planes[0].mem_priv;	/* see perdix_memory.c */
	if (perdix_register_mem(ctx, mem)) {
		kfree(mem);
		return NULL;
	}
	if (!vb->vb2_queue->is_output) {
		spin_lock(&ctx->job_lock);
		list_add(&mem->node, &ctx->pictures);
		spin_unlock(&ctx->job_lock);
	}
	return mem;
}

static int perdix_buf_init(struct vb2_buffer *vb)
{
	struct perdix_buffer *buf = to_perdix_buffer(vb);

	INIT_LIST_HEAD(&buf->ready);
	buf->mem = perdix_create_mem(vb);
	return buf->mem ? 0 : -ENOMEM;
}

/* vb2 may call this twice for an imported buffer that could not be prepared. */
static void perdix_buf_cleanup(struct vb2_buffer *vb)
{
	struct perdix_ctx *ctx = vb2_get_drv_priv(vb->vb2_queue);
	struct perdix_buffer *buf = to_perdix_buffer(vb);
	struct perdix_mem *mem = buf->mem;

	if (!mem)
		return;
	buf->mem = NULL;
	kvfree(buf->work.payload);
	buf->work.payload = NULL;
	buf->work.payload_room = 0;

	spin_lock(&ctx->job_lock);
	list_del(&mem->node);
	perdix_forget_picture(ctx, mem->id);
	spin_unlock(&ctx->job_lock);
	perdix_unregister_mem(ctx, mem);
}

/* A job's bitstream begins where its buffer does: perdix_uapi.h */
static int perdix_buf_out_validate(struct vb2_buffer *vb)
{
	struct vb2_v4l2_buffer *buf = to_vb2_v4l2_buffer(vb);

	buf->field = V4L2_FIELD_NONE;
	return buf->planes[0].data_offset ? -EINVAL : 0;
}

static int perdix_buf_prepare(struct vb2_buffer *vb)
{
	struct perdix_ctx *ctx = vb2_get_drv_priv(vb->vb2_queue);
	struct v4l2_pix_format_mplane fmt;

	/*
	 * The format may change while streaming. Old OUTPUT buffers stay
	 * usable, because only the payload matters there. A CAPTURE buffer
	 * keeps the format it was checked against here, so that a job can
	 * never describe a picture larger than its target.
	 */
	if (vb->vb2_queue->is_output)
		return 0;
	perdix_get_format(ctx, PERDIX_CAPTURE, &fmt);
	if (vb2_plane_size(vb, 0) < fmt.plane_fmt[0].sizeimage)
		return -EINVAL;
	to_perdix_buffer(vb)->fmt = fmt;
	vb2_set_plane_payload(vb, 0, fmt.plane_fmt[0].sizeimage);
	return 0;
}

static u32 perdix_record_bytes(const struct v4l2_ctrl *ctrl)
{
	return sizeof(struct perdix_control) +
	       ALIGN(ctrl->elems * ctrl->elem_size, 8);
}

static void *perdix_write_record(void *at, const struct v4l2_ctrl *ctrl)
{
	struct perdix_control *record = at;

	memset(at, 0, perdix_record_bytes(ctrl));
	record->id = ctrl->id;
	record->bytes = ctrl->elems * ctrl->elem_size;
	memcpy(record + 1, ctrl->p_cur.p_const, record->bytes);
	return at + perdix_record_bytes(ctrl);
}

static int perdix_make_room(struct perdix_work *work, u32 bytes)
{
	if (bytes > PERDIX_MAX_PAYLOAD)
		return -EMSGSIZE;
	if (bytes <= work->payload_room)
		return 0;
	kvfree(work->payload);
	work->payload_room = 0;
	work->payload = kvmalloc(bytes, GFP_KERNEL);
	if (!work->payload)
		return -ENOMEM;
	work->payload_room = bytes;
	return 0;
}

/* With the controls' lock held. */
static int perdix_gather_payload(struct perdix_ctx *ctx,
				 struct perdix_work *work)
{
	const struct perdix_codec_row *row = ctx->codec;
	u32 i, bytes = 0;
	void *at;
	int ret;

	work->payload_bytes = 0;
	for (i = 0; i < row->num_payload; i++)
		bytes += perdix_record_bytes(perdix_find_control(ctx,
								 row->payload[i]));
	ret = perdix_make_room(work, bytes);
	if (ret)
		return ret;
	at = work->payload;
	for (i = 0; i < row->num_payload; i++)
		at = perdix_write_record(at, perdix_find_control(ctx,
								 row->payload[i]));
	work->payload_bytes = bytes;
	return 0;
}

/*
 * The values are copied here and the control object completed at once, so that
 * a later request may change them and so that finishing a job needs no control
 * lock (which the client can hold for as long as it likes). In this order,
 * because vb2 keeps control objects before buffers in a request.
 */
static void perdix_take_controls(struct perdix_ctx *ctx, struct vb2_buffer *vb)
{
	struct perdix_work *work = &to_perdix_buffer(vb)->work;
	struct media_request *req = vb->req_obj.req;
	struct v4l2_ctrl *any;
	int ret;

	any = perdix_find_control(ctx, ctx->codec->payload[0]);
	ret = v4l2_ctrl_request_setup(req, &ctx->controls);
	v4l2_ctrl_lock(any);
	work->failed = perdix_gather_payload(ctx, work) || ret;
	v4l2_ctrl_unlock(any);
	v4l2_ctrl_request_complete(req, &ctx->controls);
}

static void perdix_buf_queue(struct vb2_buffer *vb)
{
	struct perdix_ctx *ctx = vb2_get_drv_priv(vb->vb2_queue);
	struct perdix_buffer *buf = to_perdix_buffer(vb);
	int index = perdix_queue_index(vb->vb2_queue);

	if (index == PERDIX_OUTPUT)
		perdix_take_controls(ctx, vb);
	else
		perdix_watch_fence(ctx, buf);

	spin_lock(&ctx->job_lock);
	list_add_tail(&buf->ready, &ctx->ready[index]);
	perdix_advance(ctx);
	spin_unlock(&ctx->job_lock);
}

/* Only for buffers in a queued request that never came to buf_queue(). */
static void perdix_buf_request_complete(struct vb2_buffer *vb)
{
	struct perdix_ctx *ctx = vb2_get_drv_priv(vb->vb2_queue);

	v4l2_ctrl_request_complete(vb->req_obj.req, &ctx->controls);
}

/* vb2 hands over what was queued before it calls this: all is running already. */
static int perdix_start_streaming(struct vb2_queue *q, unsigned int count)
{
	return 0;
}

/*
 * Does not wait for the daemon: the caller holds req_queue_mutex, which all
 * sessions share. The daemon is told that its jobs are void.
 */
static void perdix_stop_streaming(struct vb2_queue *q)
{
	struct perdix_ctx *ctx = vb2_get_drv_priv(q);
	struct list_head *ready = &ctx->ready[perdix_queue_index(q)];
	struct perdix_buffer *buf, *next;

	spin_lock(&ctx->job_lock);
	perdix_fail_jobs(ctx);
	list_for_each_entry_safe(buf, next, ready, ready) {
		list_del_init(&buf->ready);
		perdix_drop_fence(buf);
		vb2_buffer_done(&buf->vb.vb2_buf, VB2_BUF_STATE_ERROR);
	}
	ctx->sequence[perdix_queue_index(q)] = 0;
	if (!q->is_output)
		perdix_forget_timestamps(ctx);
	spin_unlock(&ctx->job_lock);
}

static const struct vb2_ops perdix_vb2_ops = {
	.queue_setup		= perdix_queue_setup,
	.buf_init		= perdix_buf_init,
	.buf_cleanup		= perdix_buf_cleanup,
	.buf_out_validate	= perdix_buf_out_validate,
	.buf_prepare		= perdix_buf_prepare,
	.buf_queue		= perdix_buf_queue,
	.buf_request_complete	= perdix_buf_request_complete,
	.start_streaming	= perdix_start_streaming,
	.stop_streaming		= perdix_stop_streaming,
#ifdef PERDIX_WAIT_PREPARE
	.wait_prepare		= vb2_ops_wait_prepare,
	.wait_finish		= vb2_ops_wait_finish,
#endif
};

int perdix_init_queue(struct perdix_ctx *ctx, int index)
{
	struct vb2_queue *q = &ctx->queue[index];

	q->type = index == PERDIX_OUTPUT ? V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE :
					   V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
	q->io_modes = VB2_MMAP | VB2_DMABUF;
	q->drv_priv = ctx;
	q->dev = &ctx->pdx->pdev->dev;
	q->buf_struct_size = sizeof(struct perdix_buffer);
	q->ops = &perdix_vb2_ops;
	q->mem_ops = &perdix_mem_ops;
	q->timestamp_flags = V4L2_BUF_FLAG_TIMESTAMP_COPY;
	q->lock = &ctx->lock;
	q->allow_cache_hints = true;
	if (index == PERDIX_OUTPUT) {
		q->supports_requests = true;
		q->requires_requests = perdix_requires;
	} else {
		q->bidirectional = true;	/* decoded from as well */
#ifdef PERDIX_MAX_NUM_BUFFERS
		q->max_num_buffers = PERDIX_MAX_PICTURES;
#endif
	}
	return vb2_queue_init(q);
}
