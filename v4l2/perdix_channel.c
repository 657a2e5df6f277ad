// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/perdix, the daemon's end, and everything that the daemon is told or
 * asks for: sessions, buffers, events. Guarded by pdx->event_lock; no client
 * can stall it.
 */
#include <linux/dma-buf.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "perdix.h"

/* ---- events ---- */

static void perdix_notify(struct perdix_dev *pdx, struct perdix_note *note,
			  u32 type)
{
	lockdep_assert_held(&pdx->event_lock);
	note->type = type;
	note->serial = ++pdx->last_serial;
	list_add_tail(&note->node, &pdx->events);
	wake_up_interruptible(&pdx->wait);
}

/* Frees what only the note kept; the others live in their session or buffer. */
static void perdix_release_note(struct perdix_note *note)
{
	switch (note->type) {
	case PERDIX_EVENT_CANCEL:
		kfree(note);
		break;
	case PERDIX_EVENT_BUFFER_GONE:
		kfree(container_of(note, struct perdix_mem, gone));
		break;
	case PERDIX_EVENT_SESSION_GONE:
		perdix_put_session(container_of(note, struct perdix_ctx,
						farewell));
		break;
	}
}

/* The daemon hears of a session when it gets work from it, not at every open. */
void perdix_announce(struct perdix_ctx *ctx, struct perdix_work *work)
{
	struct perdix_dev *pdx = ctx->pdx;

	spin_lock(&pdx->event_lock);
	if (!ctx->greeted)
		perdix_notify(pdx, &ctx->hello, PERDIX_EVENT_SESSION_NEW);
	ctx->greeted = true;
	work->note.session = ctx->id;
	perdix_notify(pdx, &work->note, PERDIX_EVENT_JOB);
	spin_unlock(&pdx->event_lock);
}

/*
 * The job is over. Should the daemon still hold it, it is told to let go; if
 * there is no memory to say so, it learns from COMPLETE.
 */
void perdix_withdraw(struct perdix_ctx *ctx, struct perdix_work *work)
{
	struct perdix_dev *pdx = ctx->pdx;
	struct perdix_note *cancel;

	spin_lock(&pdx->event_lock);
	if (!work->taken) {
		list_del(&work->note.node);
	} else if (!work->done) {
		cancel = kzalloc(sizeof(*cancel), GFP_ATOMIC);
		if (cancel) {
			cancel->session = ctx->id;
			cancel->job = work->job.id;
			perdix_notify(pdx, cancel, PERDIX_EVENT_CANCEL);
		}
	}
	spin_unlock(&pdx->event_lock);
}

/* Jobs wait for the next daemon while it can be expected to start. */
bool perdix_daemon_is_lost(struct perdix_dev *pdx)
{
	unsigned long grace = msecs_to_jiffies(perdix_grace_ms);

	/* acquire: detached is at least as new as daemon */
	return !smp_load_acquire(&pdx->daemon) &&
	       time_after(jiffies, READ_ONCE(pdx->detached) + grace);
}

/* ---- sessions ---- */

static void perdix_free_session(struct kref *ref)
{
	struct perdix_ctx *ctx = container_of(ref, struct perdix_ctx, ref);

	perdix_leave_user(ctx->user);
	mutex_destroy(&ctx->lock);
	kfree(ctx);
}

void perdix_put_session(struct perdix_ctx *ctx)
{
	kref_put(&ctx->ref, perdix_free_session);
}

int perdix_register_session(struct perdix_ctx *ctx)
{
	struct perdix_dev *pdx = ctx->pdx;
	int ret = xa_alloc_cyclic(&pdx->sessions, &ctx->id, ctx, xa_limit_32b,
				  &pdx->last_session, GFP_KERNEL);

	ctx->hello.session = ctx->id;
	ctx->farewell.session = ctx->id;
	return ret < 0 ? ret : 0;	/* 1: the ids have wrapped */
}

/* After its queues are released: no job of it is left. */
void perdix_unregister_session(struct perdix_ctx *ctx)
{
	struct perdix_dev *pdx = ctx->pdx;

	spin_lock(&pdx->event_lock);
	xa_erase(&pdx->sessions, ctx->id);
	if (!list_empty(&ctx->hello.node)) {
		/* as if it had never been; the channel's end may come after us */
		list_del_init(&ctx->hello.node);
	} else if (ctx->greeted) {
		kref_get(&ctx->ref);
		perdix_notify(pdx, &ctx->farewell, PERDIX_EVENT_SESSION_GONE);
	}
	spin_unlock(&pdx->event_lock);
	perdix_put_session(ctx);
}

/* The session with the lowest id from @id on; the caller puts it. */
static struct perdix_ctx *perdix_get_session(struct perdix_dev *pdx,
					     unsigned long *id)
{
	struct perdix_ctx *ctx;

	spin_lock(&pdx->event_lock);
	ctx = xa_find(&pdx->sessions, id, ULONG_MAX, XA_PRESENT);
	if (ctx)
		kref_get(&ctx->ref);
	spin_unlock(&pdx->event_lock);
	return ctx;
}

/* ---- sleep ---- */

/*
 * The daemon is frozen before the module's clock stops, and thawed after it goes
 * on: time in between is nobody's fault.
 */
void perdix_suspend(struct perdix_dev *pdx)
{
	WRITE_ONCE(pdx->suspended, true);
}

void perdix_resume(struct perdix_dev *pdx)
{
	struct perdix_ctx *ctx;
	unsigned long id;

	WRITE_ONCE(pdx->detached, jiffies);
	WRITE_ONCE(pdx->suspended, false);
	for (id = 0; (ctx = perdix_get_session(pdx, &id)); id++) {
		perdix_restart_clock(ctx);
		perdix_put_session(ctx);
	}
}

/* ---- buffers ---- */

int perdix_register_mem(struct perdix_ctx *ctx, struct perdix_mem *mem)
{
	struct perdix_dev *pdx = ctx->pdx;
	int ret;

	mem->gone.session = ctx->id;
	ret = xa_alloc_cyclic(&pdx->mems, &mem->id, mem, xa_limit_32b,
			      &pdx->last_mem, GFP_KERNEL);
	mem->gone.buffer = mem->id;
	return ret < 0 ? ret : 0;
}

/* Owns @mem from here on. */
void perdix_unregister_mem(struct perdix_ctx *ctx, struct perdix_mem *mem)
{
	struct perdix_dev *pdx = ctx->pdx;

	/* under the lock: BUFFER_FD must not find it half gone */
	spin_lock(&pdx->event_lock);
	xa_erase(&pdx->mems, mem->id);
	if (mem->known)
		perdix_notify(pdx, &mem->gone, PERDIX_EVENT_BUFFER_GONE);
	else
		kfree(mem);
	spin_unlock(&pdx->event_lock);
}

static long perdix_buffer_fd(struct perdix_dev *pdx, void __user *arg)
{
	struct perdix_buffer_fd req;
	struct dma_buf *dmabuf = NULL;
	struct perdix_mem *mem;

	if (copy_from_user(&req, arg, sizeof(req)))
		return -EFAULT;

	spin_lock(&pdx->event_lock);
	mem = xa_load(&pdx->mems, req.buffer);
	if (mem) {
		mem->known = true;
		dmabuf = mem->dmabuf;
		get_dma_buf(dmabuf);
	}
	spin_unlock(&pdx->event_lock);
	if (!dmabuf)
		return -ENOENT;

	req.size = dmabuf->size;
	req.fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (req.fd < 0) {
		dma_buf_put(dmabuf);
		return req.fd;
	}
	/* on a fault the descriptor stays open in the caller: its own doing */
	return copy_to_user(arg, &req, sizeof(req)) ? -EFAULT : 0;
}

/* ---- reading events ---- */

/* Copies the oldest event, which stays where it is. */
static bool perdix_peek_event(struct perdix_dev *pdx, struct perdix_peek *peek)
{
	struct perdix_event *ev = &peek->event;
	struct perdix_note *note;
	struct perdix_work *work;
	struct perdix_ctx *ctx;

	memset(ev, 0, sizeof(*ev));
	spin_lock(&pdx->event_lock);
	note = list_first_entry_or_null(&pdx->events, struct perdix_note, node);
	if (!note)
		goto unlock;
	peek->serial = note->serial;
	ev->type = note->type;
	ev->session = note->session;
	ev->buffer = note->buffer;
	ev->job.id = note->job;
	if (note->type == PERDIX_EVENT_JOB) {
		work = container_of(note, struct perdix_work, note);
		ev->job = work->job;
		ev->payload_bytes = work->payload_bytes;
		memcpy(peek->payload, work->payload, work->payload_bytes);
	} else if (note->type == PERDIX_EVENT_SESSION_NEW) {
		ctx = container_of(note, struct perdix_ctx, hello);
		ev->pid = ctx->pid;
		memcpy(ev->comm, ctx->comm, sizeof(ev->comm));
	}
unlock:
	spin_unlock(&pdx->event_lock);
	return note;
}

/* False if the event went away while it was being copied to the daemon. */
static bool perdix_take_event(struct perdix_dev *pdx, u64 serial)
{
	struct perdix_note *note;
	bool taken;

	spin_lock(&pdx->event_lock);
	note = list_first_entry_or_null(&pdx->events, struct perdix_note, node);
	taken = note && note->serial == serial;
	if (taken) {
		list_del_init(&note->node);
		if (note->type == PERDIX_EVENT_JOB)
			container_of(note, struct perdix_work, note)->taken = true;
		perdix_release_note(note);
	}
	spin_unlock(&pdx->event_lock);
	return taken;
}

/* EAGAIN: try again. On every error the event stays. */
static long perdix_read_event(struct perdix_dev *pdx,
			      const struct perdix_event *request,
			      struct perdix_event __user *user)
{
	struct perdix_peek *peek = &pdx->peek;
	struct perdix_event *ev = &peek->event;

	lockdep_assert_held(&pdx->read_lock);
	if (!perdix_peek_event(pdx, peek))
		return -EAGAIN;
	if (ev->payload_bytes > request->payload_bytes)
		return put_user(ev->payload_bytes, &user->payload_bytes) ?
			-EFAULT : -EMSGSIZE;
	ev->payload = request->payload;
	if (copy_to_user(u64_to_user_ptr(ev->payload), peek->payload,
			 ev->payload_bytes) ||
	    copy_to_user(user, ev, sizeof(*ev)))
		return -EFAULT;
	return perdix_take_event(pdx, peek->serial) ? 0 : -EAGAIN;
}

static long perdix_next_event(struct perdix_dev *pdx, struct file *file,
			      void __user *user)
{
	struct perdix_event request;
	long ret;

	if (copy_from_user(&request, user, sizeof(request)))
		return -EFAULT;
	do {
		if (list_empty(&pdx->events) && file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(pdx->wait,
					     !list_empty(&pdx->events)) ||
		    mutex_lock_interruptible(&pdx->read_lock))
			return -ERESTARTSYS;
		ret = perdix_read_event(pdx, &request, user);
		mutex_unlock(&pdx->read_lock);
	} while (ret == -EAGAIN);
	return ret;
}

/* ---- file ---- */

static struct perdix_dev *to_perdix(struct file *file)
{
	return container_of(file->private_data, struct perdix_dev, misc);
}

/* Who only opens the channel takes nothing from a daemon, and is none. */
static bool perdix_is_daemon(struct perdix_dev *pdx, struct file *file)
{
	return READ_ONCE(pdx->daemon) == file;
}

static int perdix_become_daemon(struct perdix_dev *pdx, struct file *file)
{
	int ret = 0;

	spin_lock(&pdx->event_lock);
	if (!pdx->daemon)
		WRITE_ONCE(pdx->daemon, file);
	else if (pdx->daemon != file)
		ret = -EBUSY;
	spin_unlock(&pdx->event_lock);
	return ret;
}

static long perdix_hello(struct perdix_dev *pdx, struct file *file,
			 __u32 __user *user)
{
	u32 version;

	if (get_user(version, user))
		return -EFAULT;
	if (version != PERDIX_API_VERSION) {
		v4l2_err(&pdx->v4l2,
			 "the daemon speaks version %u, this module %u: install both of one version\n",
			 version, PERDIX_API_VERSION);
		return -EPROTO;
	}
	return perdix_become_daemon(pdx, file);
}

static long perdix_channel_complete(struct perdix_dev *pdx, void __user *arg)
{
	struct perdix_complete done;
	struct perdix_ctx *ctx;
	unsigned long id;
	int ret;

	if (copy_from_user(&done, arg, sizeof(done)))
		return -EFAULT;
	id = done.job >> 32;		/* see perdix_fill_job() */
	ctx = perdix_get_session(pdx, &id);
	if (!ctx)
		return -ENOENT;
	ret = perdix_complete(ctx, done.job, done.result);
	perdix_put_session(ctx);
	return ret;
}

static long perdix_channel_ioctl(struct file *file, unsigned int cmd,
				 unsigned long arg)
{
	struct perdix_dev *pdx = to_perdix(file);
	void __user *user = (void __user *)arg;

	if (cmd == PERDIX_IOC_VERSION)
		return put_user((__u32)PERDIX_API_VERSION, (__u32 __user *)user);
	if (cmd == PERDIX_IOC_HELLO)
		return perdix_hello(pdx, file, user);
	if (!perdix_is_daemon(pdx, file))
		return -EPROTO;
	switch (cmd) {
	case PERDIX_IOC_NEXT_EVENT:
		return perdix_next_event(pdx, file, user);
	case PERDIX_IOC_BUFFER_FD:
		return perdix_buffer_fd(pdx, user);
	case PERDIX_IOC_COMPLETE:
		return perdix_channel_complete(pdx, user);
	default:
		return -ENOTTY;
	}
}

static __poll_t perdix_channel_poll(struct file *file, poll_table *wait)
{
	struct perdix_dev *pdx = to_perdix(file);

	poll_wait(file, &pdx->wait, wait);
	return !perdix_is_daemon(pdx, file) ||
	       list_empty(&pdx->events) ? 0 : EPOLLIN | EPOLLRDNORM;
}

static int perdix_channel_open(struct inode *inode, struct file *file)
{
	struct perdix_dev *pdx = to_perdix(file);	/* set by misc_open() */

	return READ_ONCE(pdx->daemon) ? -EBUSY : 0;
}

/* Jobs queued after this are for the next daemon, and greet it first. */
static void perdix_abandon_session(struct perdix_ctx *ctx)
{
	struct perdix_dev *pdx = ctx->pdx;

	spin_lock(&ctx->job_lock);
	spin_lock(&pdx->event_lock);
	list_del_init(&ctx->hello.node);
	ctx->greeted = false;
	spin_unlock(&pdx->event_lock);
	perdix_fail_jobs(ctx);
	spin_unlock(&ctx->job_lock);
}

/* The daemon is gone, whatever the reason. The next one starts from nothing. */
static int perdix_channel_release(struct inode *inode, struct file *file)
{
	struct perdix_dev *pdx = to_perdix(file);
	struct perdix_note *note, *next;
	struct perdix_mem *mem;
	struct perdix_ctx *ctx;
	unsigned long id;

	if (!perdix_is_daemon(pdx, file))
		return 0;
	for (id = 0; (ctx = perdix_get_session(pdx, &id)); id++) {
		perdix_abandon_session(ctx);
		perdix_put_session(ctx);
	}

	spin_lock(&pdx->event_lock);
	list_for_each_entry_safe(note, next, &pdx->events, node) {
		if (note->type == PERDIX_EVENT_JOB ||
		    note->type == PERDIX_EVENT_SESSION_NEW)
			continue;	/* new since */
		list_del(&note->node);
		perdix_release_note(note);
	}
	xa_for_each(&pdx->mems, id, mem)
		mem->known = false;
	WRITE_ONCE(pdx->detached, jiffies);
	smp_store_release(&pdx->daemon, NULL);	/* perdix_daemon_is_lost() */
	spin_unlock(&pdx->event_lock);
	return 0;
}

const struct file_operations perdix_channel_fops = {
	.owner		= THIS_MODULE,
	.open		= perdix_channel_open,
	.release	= perdix_channel_release,
	.unlocked_ioctl	= perdix_channel_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.poll		= perdix_channel_poll,
};
