// SPDX-License-Identifier: GPL-2.0-only
/*
 * A test module: two devices that do not see the CPU's caches, as on a Raspberry
 * Pi, on a machine where all devices do. The CPU's view of a page is the page;
 * the devices' view is a shadow of it, "memory", which holds GARBAGE until
 * something is written back. The devices' DMA operations copy from one to the
 * other just when an arm64 cleans or invalidates its caches, and count. perdix's
 * own device gets the same operations, so what the exporter forgets is seen.
 */
#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/dma-map-ops.h>
#include <linux/dma-resv.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "perdix_importer.h"

#define GARBAGE 0xa5

struct importer_device {
	struct platform_device *pdev;
	struct dma_buf_attachment *attachment;
	struct sg_table *table;
	enum dma_data_direction direction;
	struct importer_counts counts;
};

static struct importer_device devices[IMPORTER_DEVICES + 1];
static DEFINE_XARRAY(memory);	/* page frame -> its shadow */

static struct importer_device *find_device(struct device *dev)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(devices); i++)
		if (devices[i].pdev && &devices[i].pdev->dev == dev)
			return &devices[i];
	return NULL;
}

static u8 *shadow_of(phys_addr_t at)
{
	unsigned long pfn = PHYS_PFN(at);
	u8 *shadow = xa_load(&memory, pfn);

	if (!shadow) {
		shadow = kmalloc(PAGE_SIZE, GFP_KERNEL);
		memset(shadow, GARBAGE, PAGE_SIZE);
		xa_store(&memory, pfn, shadow, GFP_KERNEL);
	}
	return shadow;
}

/* Both take page-aligned addresses: so are all buffers. */
static void clean_page(phys_addr_t at)
{
	memcpy_from_page(shadow_of(at), pfn_to_page(PHYS_PFN(at)), 0, PAGE_SIZE);
}

static void invalidate_page(phys_addr_t at)
{
	memcpy_to_page(pfn_to_page(PHYS_PFN(at)), 0, shadow_of(at), PAGE_SIZE);
}

static void for_each_page(struct scatterlist *sgl, int nents,
			  void (*visit)(phys_addr_t at))
{
	struct scatterlist *sg;
	unsigned int offset;
	int i;

	for_each_sg(sgl, sg, nents, i)
		for (offset = 0; offset < sg_dma_len(sg); offset += PAGE_SIZE)
			visit(sg_dma_address(sg) + offset);
}

/* What a device only writes has nothing to write back: so says an arm32. */
static void sync_for_device(struct device *dev, struct scatterlist *sgl,
			    int nents, enum dma_data_direction direction)
{
	if (direction == DMA_FROM_DEVICE) {
		find_device(dev)->counts.invalidated++;
		for_each_page(sgl, nents, invalidate_page);
		return;
	}
	find_device(dev)->counts.cleaned++;
	for_each_page(sgl, nents, clean_page);
}

static void sync_for_cpu(struct device *dev, struct scatterlist *sgl, int nents,
			 enum dma_data_direction direction)
{
	if (direction == DMA_TO_DEVICE)
		return;
	find_device(dev)->counts.invalidated++;
	for_each_page(sgl, nents, invalidate_page);
}

static int map_sg(struct device *dev, struct scatterlist *sgl, int nents,
		  enum dma_data_direction direction, unsigned long attrs)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i) {
		sg_dma_address(sg) = sg_phys(sg);
		sg_dma_len(sg) = sg->length;
	}
	if (!(attrs & DMA_ATTR_SKIP_CPU_SYNC))
		sync_for_device(dev, sgl, nents, direction);
	return nents;
}

static void unmap_sg(struct device *dev, struct scatterlist *sgl, int nents,
		     enum dma_data_direction direction, unsigned long attrs)
{
	if (!(attrs & DMA_ATTR_SKIP_CPU_SYNC))
		sync_for_cpu(dev, sgl, nents, direction);
}

static struct page *alloc_contiguous(struct device *dev, size_t size,
				     dma_addr_t *address,
				     enum dma_data_direction direction, gfp_t gfp)
{
	struct page *page = alloc_pages(gfp | __GFP_ZERO, get_order(size));

	if (page)
		*address = page_to_phys(page);
	return page;
}

static void free_contiguous(struct device *dev, size_t size, struct page *page,
			    dma_addr_t address, enum dma_data_direction direction)
{
	__free_pages(page, get_order(size));
}

static const struct dma_map_ops importer_ops = {
	.alloc_pages_op		= alloc_contiguous,
	.free_pages		= free_contiguous,
	.map_sg			= map_sg,
	.unmap_sg		= unmap_sg,
	.sync_sg_for_cpu	= sync_for_cpu,
	.sync_sg_for_device	= sync_for_device,
};

static int detach(struct importer_device *d)
{
	struct dma_buf *dmabuf;

	if (!d->attachment)
		return -ENOENT;
	dmabuf = d->attachment->dmabuf;
	dma_buf_unmap_attachment_unlocked(d->attachment, d->table, d->direction);
	dma_buf_detach(dmabuf, d->attachment);
	dma_buf_put(dmabuf);
	d->attachment = NULL;
	return 0;
}

static int attach(struct importer_device *d, int fd,
		  enum dma_data_direction direction)
{
	struct dma_buf *dmabuf;

	if (d->attachment)
		return -EBUSY;
	dmabuf = dma_buf_get(fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	d->attachment = dma_buf_attach(dmabuf, &d->pdev->dev);
	d->direction = direction;
	d->table = dma_buf_map_attachment_unlocked(d->attachment, direction);
	return PTR_ERR_OR_ZERO(d->table);
}

/* The address that the device has for a byte of the buffer. */
static u8 *device_byte(struct importer_device *d, u32 offset)
{
	struct scatterlist *sg;
	phys_addr_t at;
	int i;

	for_each_sgtable_dma_sg(d->table, sg, i) {
		if (offset < sg_dma_len(sg)) {
			at = sg_dma_address(sg) + offset;
			return shadow_of(at) + offset_in_page(at);
		}
		offset -= sg_dma_len(sg);
	}
	return NULL;
}

static int access_memory(struct importer_device *d, struct importer_access *a)
{
	u32 i;
	u8 *at;

	if (!d->attachment)
		return -ENOENT;
	a->same = 1;
	for (i = 0; i < a->bytes; i++) {
		at = device_byte(d, a->offset + i);
		if (!at)
			return -EINVAL;
		if (a->write)
			*at = a->value;
		else if (!i)
			a->value = *at;
		else if (*at != a->value)
			a->same = 0;
	}
	return 0;
}

/* ---- what a device does later ---- */

struct importer_job {
	struct dma_fence fence;		/* first: dma_fence_free() frees us */
	spinlock_t lock;
	struct delayed_work work;
	struct importer_device *device;
	struct importer_access access;
};

static const char *name_of_fence(struct dma_fence *fence)
{
	return "perdix-importer";
}

static const struct dma_fence_ops fence_ops = {
	.get_driver_name	= name_of_fence,
	.get_timeline_name	= name_of_fence,
};

static void do_job(struct work_struct *work)
{
	struct importer_job *job =
		container_of(to_delayed_work(work), struct importer_job, work);

	access_memory(job->device, &job->access);
	dma_fence_signal(&job->fence);
	dma_fence_put(&job->fence);
}

static int add_fence(struct dma_resv *resv, struct dma_fence *fence)
{
	int ret;

	dma_resv_lock(resv, NULL);
	ret = dma_resv_reserve_fences(resv, 1);
	if (!ret)
		dma_resv_add_fence(resv, fence, DMA_RESV_USAGE_WRITE);
	dma_resv_unlock(resv);
	return ret;
}

static int draw(struct importer_device *d, const struct importer_draw *request)
{
	struct importer_job *job;
	int ret;

	if (!d->attachment)
		return -ENOENT;
	job = kzalloc(sizeof(*job), GFP_KERNEL);
	if (!job)
		return -ENOMEM;
	spin_lock_init(&job->lock);
	dma_fence_init(&job->fence, &fence_ops, &job->lock,
		       dma_fence_context_alloc(1), 1);
	INIT_DELAYED_WORK(&job->work, do_job);
	job->device = d;
	job->access = request->access;
	ret = add_fence(d->attachment->dmabuf->resv, &job->fence);
	schedule_delayed_work(&job->work, msecs_to_jiffies(request->delay_ms));
	return ret;
}

static long importer_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	union {
		struct importer_attach attach;
		struct importer_access access;
		struct importer_draw draw;
		struct importer_counts counts;
		u32 device;
	} u;
	struct importer_device *d;
	u32 index;
	long ret = 0;

	if (_IOC_SIZE(cmd) > sizeof(u) ||
	    copy_from_user(&u, (void __user *)arg, _IOC_SIZE(cmd)))
		return -EFAULT;
	index = cmd == IMPORTER_ATTACH ? u.attach.device : u.device;	/* first, else */
	if (index >= ARRAY_SIZE(devices))
		return -EINVAL;
	d = &devices[index];
	switch (cmd) {
	case IMPORTER_ATTACH:
		return attach(d, u.attach.fd, u.attach.only_writes ?
			      DMA_FROM_DEVICE : DMA_BIDIRECTIONAL);
	case IMPORTER_DETACH:
		return detach(d);
	case IMPORTER_ACCESS:
		ret = access_memory(d, &u.access);
		break;
	case IMPORTER_DRAW:
		return draw(d, &u.draw);
	case IMPORTER_COUNTS:
		u.counts = d->counts;
		u.counts.device = index;
		memset(&d->counts, 0, sizeof(d->counts));
		break;
	default:
		return -ENOTTY;
	}
	if (copy_to_user((void __user *)arg, &u, _IOC_SIZE(cmd)))
		return -EFAULT;
	return ret;
}

static int importer_release(struct inode *inode, struct file *file)
{
	int i;

	for (i = 0; i < IMPORTER_DEVICES; i++)
		detach(&devices[i]);
	return 0;
}

static const struct file_operations importer_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= importer_ioctl,
	.release	= importer_release,
};

static struct miscdevice importer_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "perdix-importer",
	.fops	= &importer_fops,
};

static void use_importer_ops(struct device *dev)
{
	set_dma_ops(dev, &importer_ops);
	/* looks at the operations again: do they sync? */
	WARN_ON(dma_coerce_mask_and_coherent(dev, DMA_BIT_MASK(64)));
}

static int __init importer_init(void)
{
	struct device *perdix =
		bus_find_device_by_name(&platform_bus_type, NULL, "perdix");
	int i;

	if (!perdix)
		return -ENODEV;
	devices[IMPORTER_DEVICES].pdev = to_platform_device(perdix);
	for (i = 0; i < IMPORTER_DEVICES; i++)
		devices[i].pdev = platform_device_register_simple("perdix-importer",
								  i, NULL, 0);
	for (i = 0; i < ARRAY_SIZE(devices); i++)
		use_importer_ops(&devices[i].pdev->dev);
	return misc_register(&importer_misc);
}

static void __exit importer_exit(void)
{
	unsigned long pfn;
	u8 *shadow;
	int i;

	misc_deregister(&importer_misc);
	for (i = 0; i < IMPORTER_DEVICES; i++)
		platform_device_unregister(devices[i].pdev);
	set_dma_ops(&devices[IMPORTER_DEVICES].pdev->dev, NULL);
	put_device(&devices[IMPORTER_DEVICES].pdev->dev);
	xa_for_each(&memory, pfn, shadow)
		kfree(shadow);
	xa_destroy(&memory);
}

module_init(importer_init);
module_exit(importer_exit);

MODULE_DESCRIPTION("Devices that do not see the CPU's caches, for tests of perdix");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(DMA_BUF);
