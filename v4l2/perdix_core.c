// SPDX-License-Identifier: GPL-2.0-only
/*
 * perdix: a V4L2 stateless decoder whose engine is a user space daemon.
 * Module, device and node registration.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <media/v4l2-ioctl.h>

#include "perdix.h"

unsigned int perdix_timeout_ms = 800;
module_param_named(timeout_ms, perdix_timeout_ms, uint, 0644);
MODULE_PARM_DESC(timeout_ms,
		 "fail a session's jobs when none finishes for this long (800)");

unsigned int perdix_grace_ms = 5000;
module_param_named(grace_ms, perdix_grace_ms, uint, 0644);
MODULE_PARM_DESC(grace_ms,
		 "without a daemon for this long, fail jobs at once (5000)");

unsigned int perdix_depth = 4;
module_param_named(depth, perdix_depth, uint, 0644);
MODULE_PARM_DESC(depth, "jobs of a session that the daemon gets at a time (4)");

unsigned long perdix_timeouts;
module_param_named(timeouts, perdix_timeouts, ulong, 0444);
MODULE_PARM_DESC(timeouts, "how often timeout_ms has passed");

bool perdix_requires = true;
module_param_named(requires_requests, perdix_requires, bool, 0644);
MODULE_PARM_DESC(requires_requests, "refuse OUTPUT buffers outside a request (Y)");

unsigned int perdix_block_kib;
module_param_named(block_kib, perdix_block_kib, uint, 0644);
MODULE_PARM_DESC(block_kib,
		 "largest block of a buffer's memory; 0: 2048, or 64 if memory has several nodes (0)");

static char *memory = "system";
module_param(memory, charp, 0444);
MODULE_PARM_DESC(memory,
		 "system, or dma-contig for displays without an IOMMU (system)");

bool perdix_contiguous;

static int perdix_read_memory(void)
{
	perdix_contiguous = !strcmp(memory, "dma-contig");
	if (perdix_contiguous || !strcmp(memory, "system"))
		return 0;
	pr_err("perdix: memory=%s, want system or dma-contig\n", memory);
	return -EINVAL;
}

/* ---- the device ---- */

static struct perdix_dev *perdix;

/* Last reference to the video node: nobody can reach the device any more. */
static void perdix_device_release(struct video_device *vdev)
{
	struct perdix_dev *pdx = container_of(vdev, struct perdix_dev, vdev);

	v4l2_device_unregister(&pdx->v4l2);
	media_device_cleanup(&pdx->mdev);
	destroy_workqueue(pdx->wq);
	mutex_destroy(&pdx->read_lock);
	platform_device_unregister(pdx->pdev);
	kfree(pdx);
}

static int perdix_pm_event(struct notifier_block *pm, unsigned long event,
			   void *data)
{
	struct perdix_dev *pdx = container_of(pm, struct perdix_dev, pm);

	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
		perdix_suspend(pdx);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
		perdix_resume(pdx);
		break;
	}
	return NOTIFY_DONE;
}

static int perdix_video_register(struct perdix_dev *pdx)
{
	struct video_device *vdev = &pdx->vdev;

	strscpy(vdev->name, PERDIX_NAME, sizeof(vdev->name));
	vdev->vfl_dir = VFL_DIR_M2M;
	vdev->fops = &perdix_video_fops;
	vdev->ioctl_ops = &perdix_ioctl_ops;
	vdev->release = perdix_device_release;
	vdev->device_caps = V4L2_CAP_VIDEO_M2M_MPLANE | V4L2_CAP_STREAMING;
	vdev->v4l2_dev = &pdx->v4l2;
	/*
	 * Neither vdev->lock nor vdev->queue: both are per device, and queues
	 * here belong to a file handle. The ioctls take ctx->lock themselves.
	 */
	video_set_drvdata(vdev, pdx);
	return video_register_device(vdev, VFL_TYPE_VIDEO, -1);
}

static void perdix_init_media(struct perdix_dev *pdx)
{
	struct media_device *mdev = &pdx->mdev;

	mdev->dev = &pdx->pdev->dev;
	strscpy(mdev->model, PERDIX_NAME, sizeof(mdev->model));
	strscpy(mdev->driver_name, PERDIX_NAME, sizeof(mdev->driver_name));
	strscpy(mdev->bus_info, "platform:" PERDIX_NAME, sizeof(mdev->bus_info));
	media_device_init(mdev);
	mdev->ops = &perdix_media_ops;
	pdx->v4l2.mdev = mdev;
}

static struct perdix_dev *perdix_create(void)
{
	struct perdix_dev *pdx = kzalloc(sizeof(*pdx), GFP_KERNEL);

	if (!pdx)
		return NULL;
	/* our own: the names of the system queues change between kernels */
	pdx->wq = alloc_workqueue(PERDIX_NAME, WQ_UNBOUND | WQ_FREEZABLE, 0);
	if (!pdx->wq) {
		kfree(pdx);
		return NULL;
	}
	mutex_init(&pdx->read_lock);
	spin_lock_init(&pdx->event_lock);
	INIT_LIST_HEAD(&pdx->events);
	init_waitqueue_head(&pdx->wait);
	xa_init_flags(&pdx->sessions, XA_FLAGS_ALLOC1);
	xa_init_flags(&pdx->mems, XA_FLAGS_ALLOC1);
	pdx->detached = jiffies;
	pdx->misc.minor = MISC_DYNAMIC_MINOR;
	pdx->misc.name = PERDIX_NAME;
	pdx->misc.mode = 0600;
	pdx->misc.fops = &perdix_channel_fops;
	return pdx;
}

static int perdix_register(struct perdix_dev *pdx)
{
	int ret;

	pdx->pdev = platform_device_register_simple(PERDIX_NAME, -1, NULL, 0);
	if (IS_ERR(pdx->pdev)) {
		ret = PTR_ERR(pdx->pdev);
		goto free;
	}
	ret = dma_coerce_mask_and_coherent(&pdx->pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		goto unregister_pdev;
	dma_set_max_seg_size(&pdx->pdev->dev, UINT_MAX);

	/* there is no driver bound, so the default name would dereference NULL */
	strscpy(pdx->v4l2.name, PERDIX_NAME, sizeof(pdx->v4l2.name));
	ret = v4l2_device_register(&pdx->pdev->dev, &pdx->v4l2);
	if (ret)
		goto unregister_pdev;
	perdix_init_media(pdx);

	ret = perdix_video_register(pdx);
	if (ret)
		goto unregister_v4l2;
	ret = perdix_media_register(pdx);
	if (ret)
		goto unregister_video;
	/* Last: a daemon may come at once, and finds all of it. */
	ret = misc_register(&pdx->misc);
	if (ret)
		goto unregister_media;
	pdx->pm.notifier_call = perdix_pm_event;
	register_pm_notifier(&pdx->pm);
	return 0;

unregister_media:
	perdix_media_unregister(pdx);
unregister_video:
	video_unregister_device(&pdx->vdev);	/* frees pdx */
	return ret;

unregister_v4l2:
	media_device_cleanup(&pdx->mdev);
	v4l2_device_unregister(&pdx->v4l2);
unregister_pdev:
	platform_device_unregister(pdx->pdev);
free:
	destroy_workqueue(pdx->wq);
	kfree(pdx);
	return ret;
}

static int __init perdix_init(void)
{
	int ret = perdix_read_memory();

	if (ret)
		return ret;
	perdix = perdix_create();
	ret = perdix ? perdix_register(perdix) : -ENOMEM;
	if (ret)
		return ret;
	v4l2_info(&perdix->v4l2, "%s, %s memory\n",
		  video_device_node_name(&perdix->vdev), memory);
#ifndef PERDIX_AV1
	v4l2_info(&perdix->v4l2, "no AV1: built for a kernel without its controls (before 6.5)\n");
#endif
	return 0;
}

/*
 * Open files, requests and pictures hold the module: nobody is left but who has just
 * given up the last of them, and may be on the way out of perdix_req_free(), to the
 * framework that counts the request in our media device.
 */
static void __exit perdix_exit(void)
{
	synchronize_rcu_tasks();
	unregister_pm_notifier(&perdix->pm);
	misc_deregister(&perdix->misc);
	perdix_media_unregister(perdix);
	video_unregister_device(&perdix->vdev);		/* frees it */
}

module_init(perdix_init);
module_exit(perdix_exit);

MODULE_DESCRIPTION("V4L2 stateless decoder with a user space engine");
MODULE_VERSION("0.1.0");
MODULE_LICENSE("GPL");
#ifdef PERDIX_DMA_BUF_NS_STRING
MODULE_IMPORT_NS("DMA_BUF");
#else
MODULE_IMPORT_NS(DMA_BUF);
#endif
