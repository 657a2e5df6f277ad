// SPDX-License-Identifier: GPL-2.0-only
/*
 * The video node: the table of codecs, formats, and the ioctls of a file handle
 * with two vb2 queues.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <media/v4l2-event.h>
#include <media/v4l2-ioctl.h>

#include "perdix.h"

#define PERDIX_MIN_BITSTREAM	SZ_256K
#define PERDIX_MAX_BITSTREAM	SZ_64M

/* ---- codecs ---- */
static const struct perdix_codec_row *const perdix_codecs[] = {
	&perdix_vp9,
#ifdef PERDIX_AV1
	&perdix_av1,
#endif
};

static const struct perdix_codec_row *perdix_find_codec(u32 coded_format)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(perdix_codecs); i++)
		if (perdix_codecs[i]->coded_format == coded_format)
			return perdix_codecs[i];
	return NULL;
}

/* Without the controls' lock: after open() there are no others. */
struct v4l2_ctrl *perdix_find_control(struct perdix_ctx *ctx, u32 id)
{
	struct v4l2_ctrl *ctrl;

	list_for_each_entry(ctrl, &ctx->controls.ctrls, node)
		if (ctrl->id == id)
			return ctrl;
	return NULL;
}

static int perdix_init_controls(struct perdix_ctx *ctx)
{
	const struct perdix_codec_row *row;
	int i, j;

	v4l2_ctrl_handler_init(&ctx->controls, 16);
	for (i = 0; i < ARRAY_SIZE(perdix_codecs); i++) {
		row = perdix_codecs[i];
		for (j = 0; j < row->num_controls; j++)
			v4l2_ctrl_new_custom(&ctx->controls, &row->controls[j],
					     NULL);
	}
	ctx->fh.ctrl_handler = &ctx->controls;
	return ctx->controls.error ?: v4l2_ctrl_handler_setup(&ctx->controls);
}

/* ---- formats ---- */

static struct perdix_ctx *to_perdix_ctx(struct file *file)
{
	return container_of((struct v4l2_fh *)file->private_data,
			    struct perdix_ctx, fh);
}

static void perdix_try_output(struct v4l2_pix_format_mplane *pix)
{
	const struct perdix_codec_row *row = perdix_find_codec(pix->pixelformat);
	u32 size;

	row = row ?: perdix_codecs[0];
	pix->pixelformat = row->coded_format;
	pix->width = clamp(pix->width, 1U, row->max_size);
	pix->height = clamp(pix->height, 1U, row->max_size);
	pix->field = V4L2_FIELD_NONE;
	pix->num_planes = 1;
	if (!pix->colorspace)
		pix->colorspace = V4L2_COLORSPACE_REC709;
	/* honour the client's wish: it knows its bitstream */
	size = max_t(u32, PERDIX_MIN_BITSTREAM, pix->width * pix->height / 2);
	pix->plane_fmt[0].sizeimage =
		clamp_t(u32, pix->plane_fmt[0].sizeimage, size,
			PERDIX_MAX_BITSTREAM);
	pix->plane_fmt[0].bytesperline = 0;
}

static u32 perdix_stride(const struct perdix_format *format, u32 width)
{
	return ALIGN(width * format->bytes_per_sample, 64);
}

static u32 perdix_picture_bytes(const struct perdix_format *format, u32 width,
				u32 height)
{
	return perdix_stride(format, width) * ALIGN(height, 8) * 3 / 2;
}

/* The most that a buffer of the queue can need, whatever the size of its stream. */
u32 perdix_max_bytes(const struct perdix_ctx *ctx, int index)
{
	const struct perdix_codec_row *row = ctx->codec;
	u32 i, bytes = 0;

	if (index == PERDIX_OUTPUT)
		return PERDIX_MAX_BITSTREAM;
	for (i = 0; i < row->num_formats; i++)
		bytes = max(bytes, perdix_picture_bytes(&row->formats[i],
							row->max_size,
							row->max_size));
	return bytes;
}

/*
 * Whether the stream that the client has announced, by the codec's format
 * control, is decoded to this format. Clients set that control, outside of any
 * request, before they ask which formats there are. Read without the lock of the
 * controls: it is one number, and a client may change it just after, too.
 */
static bool perdix_format_fits(struct perdix_ctx *ctx,
			       const struct perdix_format *format)
{
	const struct perdix_codec_row *row = ctx->codec;
	struct v4l2_ctrl *ctrl = perdix_find_control(ctx, row->format_control);

	return format->bytes_per_sample ==
	       (row->bit_depth(ctrl->p_cur.p_const) > 8 ? 2 : 1);
}

/* If none fits, the first: the frames will be refused, not the format. */
static const struct perdix_format *perdix_find_format(struct perdix_ctx *ctx)
{
	const struct perdix_format *format = ctx->codec->formats;
	u32 i;

	for (i = 0; i < ctx->codec->num_formats; i++)
		if (perdix_format_fits(ctx, &format[i]))
			return &format[i];
	return format;
}

/*
 * CAPTURE follows OUTPUT in everything but what the client has no say in.
 * Clients take the chroma plane to start at stride * height of what they get
 * here: so the height is the aligned one.
 */
static void perdix_derive_capture(struct perdix_ctx *ctx,
				  struct v4l2_pix_format_mplane *pix)
{
	const struct v4l2_pix_format_mplane *out = &ctx->coded_fmt;
	const struct perdix_format *format = perdix_find_format(ctx);

	memset(pix, 0, sizeof(*pix));
	pix->pixelformat = format->fourcc;
	pix->width = ALIGN(out->width, 8);
	pix->height = ALIGN(out->height, 8);
	pix->field = V4L2_FIELD_NONE;
	pix->num_planes = 1;
	pix->plane_fmt[0].bytesperline = perdix_stride(format, out->width);
	pix->plane_fmt[0].sizeimage =
		perdix_picture_bytes(format, out->width, out->height);
	pix->colorspace = out->colorspace;
	pix->xfer_func = out->xfer_func;
	pix->ycbcr_enc = out->ycbcr_enc;
	pix->quantization = out->quantization;
}

/* The format of a queue; ctx->lock is held. */
void perdix_get_format(struct perdix_ctx *ctx, int index,
		       struct v4l2_pix_format_mplane *pix)
{
	if (index == PERDIX_OUTPUT)
		*pix = ctx->coded_fmt;
	else
		perdix_derive_capture(ctx, pix);
}

static void perdix_set_output(struct perdix_ctx *ctx,
			      const struct v4l2_pix_format_mplane *pix)
{
	ctx->codec = perdix_find_codec(pix->pixelformat);
	ctx->coded_fmt = *pix;
}

static int perdix_querycap(struct file *file, void *priv,
			   struct v4l2_capability *cap)
{
	strscpy(cap->driver, PERDIX_NAME, sizeof(cap->driver));
	strscpy(cap->card, PERDIX_NAME, sizeof(cap->card));
	strscpy(cap->bus_info, "platform:" PERDIX_NAME, sizeof(cap->bus_info));
	return 0;
}

static int perdix_enum_fmt_out(struct file *file, void *priv,
			       struct v4l2_fmtdesc *f)
{
	if (f->index >= ARRAY_SIZE(perdix_codecs))
		return -EINVAL;
	f->pixelformat = perdix_codecs[f->index]->coded_format;
	return 0;
}

/* All of the codec's, if the client asks for that, else those that fit. */
static int perdix_enum_fmt_cap(struct file *file, void *priv,
			       struct v4l2_fmtdesc *f)
{
	struct perdix_ctx *ctx = to_perdix_ctx(file);
	const struct perdix_format *format;
	bool all = false;
	u32 i, left;

#ifdef V4L2_FMTDESC_FLAG_ENUM_ALL
	all = f->index & V4L2_FMTDESC_FLAG_ENUM_ALL;
	f->index &= ~V4L2_FMTDESC_FLAG_ENUM_ALL;
#endif
	left = f->index;
	for (i = 0; i < ctx->codec->num_formats; i++) {
		format = &ctx->codec->formats[i];
		if ((all || perdix_format_fits(ctx, format)) && !left--) {
			f->pixelformat = format->fourcc;
			return 0;
		}
	}
	return -EINVAL;
}

static int perdix_enum_framesizes(struct file *file, void *priv,
				  struct v4l2_frmsizeenum *f)
{
	const struct perdix_codec_row *row = perdix_find_codec(f->pixel_format);

	if (f->index || !row)
		return -EINVAL;
	f->type = V4L2_FRMSIZE_TYPE_STEPWISE;
	f->stepwise.min_width = 1;
	f->stepwise.min_height = 1;
	f->stepwise.max_width = row->max_size;
	f->stepwise.max_height = row->max_size;
	f->stepwise.step_width = 1;
	f->stepwise.step_height = 1;
	return 0;
}

static int perdix_g_fmt(struct file *file, void *priv, struct v4l2_format *f)
{
	struct perdix_ctx *ctx = to_perdix_ctx(file);
	int i = V4L2_TYPE_IS_OUTPUT(f->type) ? PERDIX_OUTPUT : PERDIX_CAPTURE;

	mutex_lock(&ctx->lock);
	perdix_get_format(ctx, i, &f->fmt.pix_mp);
	mutex_unlock(&ctx->lock);
	return 0;
}

static int perdix_try_fmt_out(struct file *file, void *priv,
			      struct v4l2_format *f)
{
	perdix_try_output(&f->fmt.pix_mp);
	return 0;
}

/*
 * S_FMT(OUTPUT) is allowed while streaming: VP9 can change size at an inter
 * frame, and then the old CAPTURE buffers are still references. They keep
 * their size, and the client replaces them one by one (REMOVE_BUFS). Only the
 * codec itself must not change under queued buffers.
 */
static int perdix_s_fmt_out(struct file *file, void *priv,
			    struct v4l2_format *f)
{
	struct perdix_ctx *ctx = to_perdix_ctx(file);
	int ret = 0;

	perdix_try_output(&f->fmt.pix_mp);
	mutex_lock(&ctx->lock);
	if (f->fmt.pix_mp.pixelformat != ctx->codec->coded_format &&
	    vb2_is_busy(&ctx->queue[PERDIX_OUTPUT]))
		ret = -EBUSY;
	else
		perdix_set_output(ctx, &f->fmt.pix_mp);
	mutex_unlock(&ctx->lock);
	return ret;
}

/* The stream decides, there is nothing to choose: TRY and S return the derived. */
static int perdix_fmt_cap(struct file *file, void *priv, struct v4l2_format *f)
{
	return perdix_g_fmt(file, priv, f);
}

/* ---- buffers: each ioctl finds its queue and takes its lock ---- */

static struct vb2_queue *perdix_lock_queue(struct file *file, u32 type)
{
	struct perdix_ctx *ctx = to_perdix_ctx(file);
	struct vb2_queue *q;

	for (q = ctx->queue; q < ctx->queue + PERDIX_QUEUES; q++)
		if (q->type == type)
			return mutex_lock_interruptible(q->lock) ?
				ERR_PTR(-ERESTARTSYS) : q;
	return ERR_PTR(-EINVAL);
}

static int perdix_unlock_queue(struct vb2_queue *q, int ret)
{
	mutex_unlock(q->lock);
	return ret;
}

/* Both queues count mmap offsets from 0: tell them apart. */
static int perdix_unlock_buffer(struct vb2_queue *q, struct v4l2_buffer *b,
				int ret)
{
	if (!ret && !q->is_output && b->memory == V4L2_MEMORY_MMAP && b->length)
		b->m.planes[0].m.mem_offset += PERDIX_CAPTURE_OFFSET;
	return perdix_unlock_queue(q, ret);
}

/*
 * Frees what there is, which takes buffers out of requests: so no request may be
 * queued or made anew meanwhile.
 */
static int perdix_free_buffers(struct file *file, struct v4l2_requestbuffers *rb)
{
	struct perdix_dev *pdx = video_drvdata(file);
	u32 count = rb->count;
	struct vb2_queue *q;
	int ret;

	if (mutex_lock_interruptible(&pdx->mdev.req_queue_mutex))
		return -ERESTARTSYS;
	q = perdix_lock_queue(file, rb->type);
	if (IS_ERR(q)) {
		ret = PTR_ERR(q);
	} else {
		rb->count = 0;
		ret = perdix_unlock_queue(q, count && q->waiting_in_dqbuf ?
					  -EBUSY : vb2_reqbufs(q, rb));
		rb->count = count;
	}
	mutex_unlock(&pdx->mdev.req_queue_mutex);
	return ret;
}

/* For what the client is about to allocate; @size is its wish, for one buffer. */
static int perdix_await_memory(struct file *file, u32 type, u32 memory,
			       u32 count, u32 size)
{
	struct perdix_ctx *ctx = to_perdix_ctx(file);
	struct vb2_queue *q = perdix_lock_queue(file, type);
	struct v4l2_pix_format_mplane fmt;

	if (IS_ERR(q))
		return PTR_ERR(q);
	perdix_get_format(ctx, perdix_queue_index(q), &fmt);
	perdix_unlock_queue(q, 0);
	size = max(size, fmt.plane_fmt[0].sizeimage);
	if (memory == V4L2_MEMORY_MMAP)
		perdix_await_room(ctx->user, min_t(u64, (u64)count * size,
						   PERDIX_MAX_AT_ONCE));
	return 0;
}

/* Buffers that another thread has made since may be in requests already. */
static int perdix_allocate_buffers(struct file *file,
				   struct v4l2_requestbuffers *rb)
{
	struct vb2_queue *q = perdix_lock_queue(file, rb->type);

	if (IS_ERR(q))
		return PTR_ERR(q);
	return perdix_unlock_queue(q, vb2_is_busy(q) ? -EBUSY :
				   vb2_reqbufs(q, rb));
}

/*
 * Not by way of video_ioctl2(): some kernels hold req_queue_mutex there for all of
 * it, while hundreds of MiB are allocated and zeroed and all other clients wait.
 * Others do not hold it at all, and free buffers of a request that is just being
 * queued ("media: mc, v4l2: serialize REINIT and REQBUFS with req_queue_mutex").
 */
static int perdix_reqbufs(struct file *file, struct v4l2_requestbuffers *rb)
{
	struct perdix_ctx *ctx = to_perdix_ctx(file);
	int ret = v4l2_prio_check(ctx->fh.vdev->prio, ctx->fh.prio);

	memset(rb->reserved, 0, sizeof(rb->reserved));
	rb->capabilities = 0;
	ret = ret ?: perdix_free_buffers(file, rb);
	if (ret || !rb->count)
		return ret;
	ret = perdix_await_memory(file, rb->type, rb->memory, rb->count, 0);
	return ret ?: perdix_allocate_buffers(file, rb);
}

static long perdix_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct v4l2_requestbuffers __user *user = (void __user *)arg;
	struct v4l2_requestbuffers rb;
	int ret;

	if (cmd != VIDIOC_REQBUFS)
		return video_ioctl2(file, cmd, arg);
	if (copy_from_user(&rb, user, sizeof(rb)))
		return -EFAULT;
	ret = perdix_reqbufs(file, &rb);
	return ret ?: copy_to_user(user, &rb, sizeof(rb)) ? -EFAULT : 0;
}

static int perdix_create_bufs(struct file *file, void *priv,
			      struct v4l2_create_buffers *cb)
{
	struct vb2_queue *q;
	int ret;

	ret = perdix_await_memory(file, cb->format.type, cb->memory, cb->count,
				  cb->format.fmt.pix_mp.plane_fmt[0].sizeimage);
	if (ret)
		return ret;
	q = perdix_lock_queue(file, cb->format.type);
	return IS_ERR(q) ? PTR_ERR(q) :
		perdix_unlock_queue(q, vb2_create_bufs(q, cb));
}

#ifdef PERDIX_REMOVE_BUFS
/* Having this op is what sets V4L2_BUF_CAP_SUPPORTS_REMOVE_BUFS. */
static int perdix_remove_bufs(struct file *file, void *priv,
			      struct v4l2_remove_buffers *rb)
{
	struct vb2_queue *q = perdix_lock_queue(file, rb->type);

	return IS_ERR(q) ? PTR_ERR(q) :
		perdix_unlock_queue(q, vb2_core_remove_bufs(q, rb->index,
							    rb->count));
}
#endif

static int perdix_expbuf(struct file *file, void *priv,
			 struct v4l2_exportbuffer *eb)
{
	struct vb2_queue *q = perdix_lock_queue(file, eb->type);

	return IS_ERR(q) ? PTR_ERR(q) :
		perdix_unlock_queue(q, vb2_expbuf(q, eb));
}

static int perdix_querybuf(struct file *file, void *priv, struct v4l2_buffer *b)
{
	struct vb2_queue *q = perdix_lock_queue(file, b->type);

	return IS_ERR(q) ? PTR_ERR(q) :
		perdix_unlock_buffer(q, b, vb2_querybuf(q, b));
}

static int perdix_prepare_buf(struct file *file, void *priv,
			      struct v4l2_buffer *b)
{
	struct perdix_dev *pdx = video_drvdata(file);
	struct vb2_queue *q = perdix_lock_queue(file, b->type);

	return IS_ERR(q) ? PTR_ERR(q) :
		perdix_unlock_buffer(q, b, vb2_prepare_buf(q, &pdx->mdev, b));
}

static int perdix_qbuf(struct file *file, void *priv, struct v4l2_buffer *b)
{
	struct perdix_dev *pdx = video_drvdata(file);
	struct vb2_queue *q = perdix_lock_queue(file, b->type);

	return IS_ERR(q) ? PTR_ERR(q) :
		perdix_unlock_buffer(q, b, vb2_qbuf(q, &pdx->mdev, b));
}

/* vb2 drops the lock while it waits */
static int perdix_dqbuf(struct file *file, void *priv, struct v4l2_buffer *b)
{
	struct vb2_queue *q = perdix_lock_queue(file, b->type);
	bool nonblocking = file->f_flags & O_NONBLOCK;

	return IS_ERR(q) ? PTR_ERR(q) :
		perdix_unlock_buffer(q, b, vb2_dqbuf(q, b, nonblocking));
}

static int perdix_streamon(struct file *file, void *priv, enum v4l2_buf_type t)
{
	struct vb2_queue *q = perdix_lock_queue(file, t);

	return IS_ERR(q) ? PTR_ERR(q) :
		perdix_unlock_queue(q, vb2_streamon(q, t));
}

static int perdix_streamoff(struct file *file, void *priv, enum v4l2_buf_type t)
{
	struct vb2_queue *q = perdix_lock_queue(file, t);

	return IS_ERR(q) ? PTR_ERR(q) :
		perdix_unlock_queue(q, vb2_streamoff(q, t));
}

/* FLUSH only matters to drivers that hold CAPTURE buffers; accept it. */
static int perdix_decoder_cmd(struct file *file, void *priv,
			      struct v4l2_decoder_cmd *cmd)
{
	if (cmd->cmd != V4L2_DEC_CMD_FLUSH)
		return -EINVAL;
	cmd->flags = 0;
	return 0;
}

const struct v4l2_ioctl_ops perdix_ioctl_ops = {
	.vidioc_querycap		= perdix_querycap,
	.vidioc_enum_fmt_vid_out	= perdix_enum_fmt_out,
	.vidioc_enum_fmt_vid_cap	= perdix_enum_fmt_cap,
	.vidioc_enum_framesizes		= perdix_enum_framesizes,
	.vidioc_g_fmt_vid_out_mplane	= perdix_g_fmt,
	.vidioc_g_fmt_vid_cap_mplane	= perdix_g_fmt,
	.vidioc_try_fmt_vid_out_mplane	= perdix_try_fmt_out,
	.vidioc_try_fmt_vid_cap_mplane	= perdix_fmt_cap,
	.vidioc_s_fmt_vid_out_mplane	= perdix_s_fmt_out,
	.vidioc_s_fmt_vid_cap_mplane	= perdix_fmt_cap,
	.vidioc_create_bufs		= perdix_create_bufs,
	.vidioc_querybuf		= perdix_querybuf,
	.vidioc_prepare_buf		= perdix_prepare_buf,
	.vidioc_qbuf			= perdix_qbuf,
	.vidioc_dqbuf			= perdix_dqbuf,
	.vidioc_expbuf			= perdix_expbuf,
#ifdef PERDIX_REMOVE_BUFS
	.vidioc_remove_bufs		= perdix_remove_bufs,
#endif
	.vidioc_streamon		= perdix_streamon,
	.vidioc_streamoff		= perdix_streamoff,
	.vidioc_decoder_cmd		= perdix_decoder_cmd,
	.vidioc_try_decoder_cmd		= perdix_decoder_cmd,
	.vidioc_subscribe_event		= v4l2_ctrl_subscribe_event,
	.vidioc_unsubscribe_event	= v4l2_event_unsubscribe,
};

/* ---- file ---- */

static void perdix_fh_add(struct perdix_ctx *ctx, struct file *file)
{
#ifdef PERDIX_FH_TAKES_FILE
	v4l2_fh_add(&ctx->fh, file);
#else
	file->private_data = &ctx->fh;
	v4l2_fh_add(&ctx->fh);
#endif
}

static void perdix_fh_del(struct perdix_ctx *ctx, struct file *file)
{
#ifdef PERDIX_FH_TAKES_FILE
	v4l2_fh_del(&ctx->fh, file);
#else
	v4l2_fh_del(&ctx->fh);
#endif
}

static struct perdix_ctx *perdix_create_ctx(struct perdix_dev *pdx)
{
	struct v4l2_pix_format_mplane pix = { .width = 320, .height = 240 };
	struct perdix_user *user = perdix_enter_user();
	struct perdix_ctx *ctx;

	if (IS_ERR(user))
		return ERR_CAST(user);
	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);
	if (!ctx) {
		perdix_leave_user(user);
		return ERR_PTR(-ENOMEM);
	}
	ctx->pdx = pdx;
	ctx->user = user;
	kref_init(&ctx->ref);
	ctx->pid = task_tgid_nr(current);
	get_task_comm(ctx->comm, current->group_leader);
	mutex_init(&ctx->lock);
	spin_lock_init(&ctx->job_lock);
	INIT_LIST_HEAD(&ctx->ready[PERDIX_OUTPUT]);
	INIT_LIST_HEAD(&ctx->ready[PERDIX_CAPTURE]);
	INIT_LIST_HEAD(&ctx->jobs);
	INIT_LIST_HEAD(&ctx->pictures);
	INIT_LIST_HEAD(&ctx->hello.node);
	INIT_DELAYED_WORK(&ctx->tend, perdix_tend);
	perdix_try_output(&pix);
	perdix_set_output(ctx, &pix);
	return ctx;
}

static int perdix_open(struct file *file)
{
	struct perdix_ctx *ctx = perdix_create_ctx(video_drvdata(file));
	int ret;

	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	v4l2_fh_init(&ctx->fh, video_devdata(file));
	ret = perdix_init_controls(ctx);
	if (!ret)
		ret = perdix_init_queue(ctx, PERDIX_OUTPUT);
	if (!ret)
		ret = perdix_init_queue(ctx, PERDIX_CAPTURE);
	if (!ret)
		ret = perdix_register_session(ctx);
	if (ret) {
		v4l2_ctrl_handler_free(&ctx->controls);
		v4l2_fh_exit(&ctx->fh);
		perdix_put_session(ctx);
		return ret;
	}
	perdix_fh_add(ctx, file);
	return 0;
}

/*
 * The core holds req_queue_mutex around this. Queues first: they use the
 * controls, and return the jobs.
 */
static int perdix_release(struct file *file)
{
	struct perdix_ctx *ctx = to_perdix_ctx(file);

	mutex_lock(&ctx->lock);
	vb2_queue_release(&ctx->queue[PERDIX_OUTPUT]);
	vb2_queue_release(&ctx->queue[PERDIX_CAPTURE]);
	mutex_unlock(&ctx->lock);
	cancel_delayed_work_sync(&ctx->tend);
	perdix_fh_del(ctx, file);
	v4l2_ctrl_handler_free(&ctx->controls);
	v4l2_fh_exit(&ctx->fh);
	perdix_unregister_session(ctx);
	return 0;
}

/*
 * An error only when neither queue has anything queued, as in v4l2_m2m_poll().
 * vb2_poll() knows one queue per file and would report either one as broken.
 */
static __poll_t perdix_poll(struct file *file, poll_table *wait)
{
	const __poll_t in = EPOLLIN | EPOLLRDNORM;
	const __poll_t out = EPOLLOUT | EPOLLWRNORM;
	struct perdix_ctx *ctx = to_perdix_ctx(file);
	__poll_t events = 0;
	struct vb2_queue *q;
	bool idle = true;
	unsigned long flags;

	poll_wait(file, &ctx->fh.wait, wait);
	for (q = ctx->queue; q < ctx->queue + PERDIX_QUEUES; q++) {
		poll_wait(file, &q->done_wq, wait);
		if (vb2_is_streaming(q) && !q->error && !list_empty(&q->queued_list))
			idle = false;
		spin_lock_irqsave(&q->done_lock, flags);
		if (!list_empty(&q->done_list))
			events |= q->is_output ? out : in;
		spin_unlock_irqrestore(&q->done_lock, flags);
	}
	if (idle && (poll_requested_events(wait) & (in | out)))
		events = EPOLLERR;
	if (v4l2_event_pending(&ctx->fh))
		events |= EPOLLPRI;
	return events;
}

static int perdix_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct perdix_ctx *ctx = to_perdix_ctx(file);
	unsigned long base = PERDIX_CAPTURE_OFFSET >> PAGE_SHIFT;

	if (vma->vm_pgoff < base)
		return vb2_mmap(&ctx->queue[PERDIX_OUTPUT], vma);
	vma->vm_pgoff -= base;
	return vb2_mmap(&ctx->queue[PERDIX_CAPTURE], vma);
}

const struct v4l2_file_operations perdix_video_fops = {
	.owner		= THIS_MODULE,
	.open		= perdix_open,
	.release	= perdix_release,
	.poll		= perdix_poll,
	.unlocked_ioctl	= perdix_ioctl,
	.mmap		= perdix_mmap,
};
