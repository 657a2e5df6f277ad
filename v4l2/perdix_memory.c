// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of buffers: cached pages, exported as one dma-buf from the start.
 * Mappings, exports and the daemon all hold that dma-buf, so the pages live as
 * long as anybody uses them, and all importers see each other's fences.
 *
 * Who keeps caches right, on machines where devices do not see them:
 *   - fresh pages are zeroed and written back once, here, so that no device and
 *     no invalidate can bring back what was in them before;
 *   - dma_buf_map_attachment() writes back what the CPU wrote until then;
 *   - after that whoever uses the CPU brackets it with DMA_BUF_IOCTL_SYNC, which
 *     comes here and looks after every device that has the buffer mapped.
 * QBUF and DQBUF of a picture sync nothing: vb2 cannot know whether CPU or GPU
 * wrote. The daemon knows. Bitstream is the client's, whose CPU writes it and need
 * not sync: QBUF writes it back. Without importers no cache is ever walked.
 *
 * Nothing here attaches to imported buffers: the daemon's GPU does, and the
 * daemon's CPU goes through their exporter. Such an exporter drops the caches when
 * another importer lets go of a picture, whoever writes to it then; perdix_unmap()
 * says why ours does not. Neither the module nor the daemon can mend that.
 *
 * The private pointer that vb2 keeps is the struct dma_buf, for both kinds.
 */
#include <linux/dma-buf.h>
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/iosys-map.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/scatterlist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "perdix.h"

struct perdix_memory {
	struct dma_buf *dmabuf;		/* the writable one; owns all this */
	struct perdix_user *user;	/* who is charged, and how much */
	u64 charged;
	struct page **pages;
	unsigned long num_pages;
	bool bitstream;			/* it is an OUTPUT buffer's */
	bool shared;			/* the client has exported or mapped it */
	struct device *contiguous;	/* whose dma_alloc_pages() it is, or NULL */
	dma_addr_t address;		/* if contiguous */
	atomic_t targets;		/* jobs that decode into it */
	struct mutex lock;		/* attachments */
	struct list_head attachments;	/* perdix_attachment */
};

struct perdix_attachment {
	struct list_head node;
	struct device *dev;
	struct sg_table table;
	enum dma_data_direction direction;
	bool mapped;
};

/* ---- pages ---- */

/*
 * Large pages save TLB entries of the CPU and of IOMMUs: 2 MiB and 64 KiB are
 * what arm64 and x86 can map at once, 1 MiB and 64 KiB what V3D can. None is
 * worth waiting for. Where not even a single page is to be had the client gets
 * ENOMEM and nobody is killed for it.
 */
static const unsigned int perdix_page_sizes[] = {
	SZ_2M, SZ_1M, SZ_64K
};

/*
 * A Raspberry Pi 5 says that its memory has several nodes and takes blocks from each
 * in turn, so that they lie in different banks of the SDRAM. That is lost in large
 * ones.
 */
static unsigned int perdix_largest_block(void)
{
	unsigned int kib = READ_ONCE(perdix_block_kib);

	if (!kib)
		return nr_online_nodes > 1 ? SZ_64K : SZ_2M;
	return min_t(unsigned int, kib, SZ_2M / SZ_1K) * SZ_1K;
}

static struct page *perdix_alloc_block(size_t bytes, unsigned int *max_size)
{
	const gfp_t common = GFP_HIGHUSER | __GFP_ZERO | __GFP_NOWARN |
			     __GFP_ACCOUNT;
	const gfp_t large = (common | __GFP_NORETRY | __GFP_COMP) &
			    ~__GFP_RECLAIM;
	struct page *page;
	unsigned int size;
	int i;

	for (i = 0; i < ARRAY_SIZE(perdix_page_sizes); i++) {
		size = perdix_page_sizes[i];
		if (size <= PAGE_SIZE || size > bytes || size > *max_size)
			continue;
		page = alloc_pages(large, get_order(size));
		if (page)
			return page;
		*max_size = size - 1;	/* do not ask again for this buffer */
	}
	return alloc_page(common | __GFP_RETRY_MAYFAIL);
}

static void perdix_free_pages(struct perdix_memory *mem)
{
	size_t size = mem->num_pages << PAGE_SHIFT;
	unsigned long i = 0;
	unsigned int order;

	if (mem->contiguous && mem->num_pages)
		dma_free_pages(mem->contiguous, size, mem->pages[0],
			       mem->address, DMA_BIDIRECTIONAL);
	while (!mem->contiguous && i < mem->num_pages) {
		order = compound_order(mem->pages[i]);
		__free_pages(mem->pages[i], order);
		i += 1UL << order;
	}
	kvfree(mem->pages);
}

static void perdix_add_pages(struct perdix_memory *mem, struct page *page,
			     unsigned long count)
{
	unsigned long i;

	for (i = 0; i < count; i++)
		mem->pages[mem->num_pages++] =
			pfn_to_page(page_to_pfn(page) + i);
}

static int perdix_alloc_contiguous(struct perdix_memory *mem,
				   struct device *dev, size_t size)
{
	struct page *page = dma_alloc_pages(dev, size, &mem->address,
					    DMA_BIDIRECTIONAL,
					    GFP_KERNEL | __GFP_NOWARN |
					    __GFP_RETRY_MAYFAIL);

	if (!page)
		return -ENOMEM;
	mem->contiguous = dev;
	perdix_add_pages(mem, page, size >> PAGE_SHIFT);
	return 0;
}

static int perdix_alloc_pages(struct perdix_memory *mem, struct device *dev,
			      size_t size)
{
	unsigned long wanted = size >> PAGE_SHIFT;
	unsigned int max_size = perdix_largest_block();
	struct page *page;

	mem->pages = kvmalloc_array(wanted, sizeof(*mem->pages),
				    GFP_KERNEL_ACCOUNT);
	if (!mem->pages)
		return -ENOMEM;
	if (perdix_contiguous)
		return perdix_alloc_contiguous(mem, dev, size);
	while (mem->num_pages < wanted) {
		if (fatal_signal_pending(current))
			return -EINTR;
		page = perdix_alloc_block((wanted - mem->num_pages) << PAGE_SHIFT,
					  &max_size);
		if (!page)
			return -ENOMEM;
		perdix_add_pages(mem, page, 1UL << compound_order(page));
		cond_resched();
	}
	return 0;
}

/* Where all DMA is bounced no mapping may be larger than what bounces at a time. */
static int perdix_fill_table(const struct perdix_memory *mem,
			     struct device *dev, struct sg_table *table)
{
	size_t most = min_t(size_t, dma_get_max_seg_size(dev),
			    dma_max_mapping_size(dev));

	return sg_alloc_table_from_pages_segment(table, mem->pages,
						 mem->num_pages, 0,
						 mem->num_pages << PAGE_SHIFT,
						 most, GFP_KERNEL);
}

/*
 * Mapping towards a device is what the DMA API has for "write back". Where devices
 * see the CPU's caches there is nothing to write, and mapping all of a buffer may be
 * more than can be bounced.
 */
static int perdix_write_back(const struct perdix_memory *mem,
			     struct device *dev)
{
	struct sg_table table;
	int ret;

	if (dev_is_dma_coherent(dev) && !get_dma_ops(dev))
		return 0;
	ret = perdix_fill_table(mem, dev, &table);
	if (ret)
		return ret;
	ret = dma_map_sgtable(dev, &table, DMA_TO_DEVICE, 0);
	if (!ret)
		dma_unmap_sgtable(dev, &table, DMA_TO_DEVICE, 0);
	sg_free_table(&table);
	return ret;
}

/* ---- dma-buf ---- */

static int perdix_attach(struct dma_buf *dmabuf,
			 struct dma_buf_attachment *attachment)
{
	struct perdix_memory *mem = dmabuf->priv;
	struct perdix_attachment *a = kzalloc(sizeof(*a), GFP_KERNEL);
	int ret;

	if (!a)
		return -ENOMEM;
	a->dev = attachment->dev;
	ret = perdix_fill_table(mem, a->dev, &a->table);
	if (ret) {
		kfree(a);
		return ret;
	}
	attachment->priv = a;
	mutex_lock(&mem->lock);
	list_add(&a->node, &mem->attachments);
	mutex_unlock(&mem->lock);
	return 0;
}

static void perdix_detach(struct dma_buf *dmabuf,
			  struct dma_buf_attachment *attachment)
{
	struct perdix_memory *mem = dmabuf->priv;
	struct perdix_attachment *a = attachment->priv;

	mutex_lock(&mem->lock);
	list_del(&a->node);
	mutex_unlock(&mem->lock);
	sg_free_table(&a->table);
	kfree(a);
}

/*
 * For what a device only writes, "write back" means "drop" on some machines (arm32),
 * also in DMA_BUF_IOCTL_SYNC after the CPU wrote. The CPU writes here: so the
 * mapping is for both ways then.
 */
static enum dma_data_direction
perdix_mapped_direction(enum dma_data_direction wanted)
{
	return wanted == DMA_FROM_DEVICE ? DMA_BIDIRECTIONAL : wanted;
}

static struct sg_table *perdix_map(struct dma_buf_attachment *attachment,
				   enum dma_data_direction direction)
{
	struct perdix_memory *mem = attachment->dmabuf->priv;
	struct perdix_attachment *a = attachment->priv;
	int ret;

	mutex_lock(&mem->lock);
	a->direction = perdix_mapped_direction(direction);
	ret = dma_map_sgtable(a->dev, &a->table, a->direction, 0);
	a->mapped = !ret;
	mutex_unlock(&mem->lock);
	return ret ? ERR_PTR(ret) : &a->table;
}

/*
 * Unmapping drops what the CPU's caches hold, so that the CPU sees what the device
 * wrote. No device writes to the target of a job, but the CPU does, at any moment,
 * and what it wrote would be lost. An importer lets go just then: DRM does so after
 * it has signalled the fence that the job waited for.
 *
 * The daemon's first write comes after its DMA_BUF_IOCTL_SYNC, which takes the lock:
 * an unmapping that found no job has ended by then.
 */
static void perdix_unmap(struct dma_buf_attachment *attachment,
			 struct sg_table *table,
			 enum dma_data_direction direction)
{
	struct perdix_memory *mem = attachment->dmabuf->priv;
	struct perdix_attachment *a = attachment->priv;
	unsigned long attrs;

	mutex_lock(&mem->lock);
	attrs = atomic_read(&mem->targets) ? DMA_ATTR_SKIP_CPU_SYNC : 0;
	a->mapped = false;
	dma_unmap_sgtable(a->dev, table, a->direction, attrs);
	mutex_unlock(&mem->lock);
}

/*
 * The framework waits for the fences after this. That is too late: the caches
 * must be dropped when the devices have done their work, or the CPU may fetch a
 * line between. No lock is held; a signal ends it.
 */
static int perdix_await_devices(struct dma_buf *dmabuf,
				enum dma_data_direction direction)
{
	bool writes = direction != DMA_FROM_DEVICE;
	long left = dma_resv_wait_timeout(dmabuf->resv,
					  dma_resv_usage_rw(writes), true,
					  MAX_SCHEDULE_TIMEOUT);

	return left < 0 ? left : 0;
}

/*
 * Even before it only writes: a line that it fills in part would carry the rest
 * of it, stale, back to memory.
 */
static int perdix_begin_cpu_access(struct dma_buf *dmabuf,
				   enum dma_data_direction direction)
{
	struct perdix_memory *mem = dmabuf->priv;
	struct perdix_attachment *a;
	int ret = perdix_await_devices(dmabuf, direction);

	if (ret)
		return ret;
	mutex_lock(&mem->lock);
	list_for_each_entry(a, &mem->attachments, node)
		if (a->mapped)
			dma_sync_sgtable_for_cpu(a->dev, &a->table,
						 a->direction);
	mutex_unlock(&mem->lock);
	return 0;
}

/* What was only read has nothing to write back. */
static int perdix_end_cpu_access(struct dma_buf *dmabuf,
				 enum dma_data_direction direction)
{
	struct perdix_memory *mem = dmabuf->priv;
	struct perdix_attachment *a;

	if (direction == DMA_FROM_DEVICE)
		return 0;
	mutex_lock(&mem->lock);
	list_for_each_entry(a, &mem->attachments, node)
		if (a->mapped)
			dma_sync_sgtable_for_device(a->dev, &a->table,
						    a->direction);
	mutex_unlock(&mem->lock);
	return 0;
}

/* The pages one by one, so that they can be pinned (O_DIRECT) like any others. */
static int perdix_mmap_pages(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct perdix_memory *mem = dmabuf->priv;

	if (mem->contiguous)
		return dma_mmap_pages(mem->contiguous, vma,
				      mem->num_pages << PAGE_SHIFT,
				      mem->pages[0]);
	return vm_map_pages(vma, mem->pages, mem->num_pages);
}

static int perdix_vmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct perdix_memory *mem = dmabuf->priv;
	void *vaddr = vmap(mem->pages, mem->num_pages, VM_MAP, PAGE_KERNEL);

	if (!vaddr)
		return -ENOMEM;
	iosys_map_set_vaddr(map, vaddr);
	return 0;
}

static void perdix_vunmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	vunmap(map->vaddr);
}

static void perdix_free_memory(struct perdix_memory *mem)
{
	perdix_free_pages(mem);
	perdix_uncharge(mem->user, mem->charged);
	perdix_put_user(mem->user);
	mutex_destroy(&mem->lock);
	kfree(mem);
}

static void perdix_release_dmabuf(struct dma_buf *dmabuf)
{
	struct perdix_memory *mem = dmabuf->priv;

	if (dmabuf == mem->dmabuf)
		perdix_free_memory(mem);
	else
		dma_buf_put(mem->dmabuf);
}

static const struct dma_buf_ops perdix_dmabuf_ops = {
	.attach			= perdix_attach,
	.detach			= perdix_detach,
	.map_dma_buf		= perdix_map,
	.unmap_dma_buf		= perdix_unmap,
	.begin_cpu_access	= perdix_begin_cpu_access,
	.end_cpu_access		= perdix_end_cpu_access,
	.mmap			= perdix_mmap_pages,
	.vmap			= perdix_vmap,
	.vunmap			= perdix_vunmap,
	.release		= perdix_release_dmabuf,
};

/* @resv: NULL for one of its own */
static struct dma_buf *perdix_export(struct perdix_memory *mem,
				     unsigned int access, struct dma_resv *resv)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);

	info.ops = &perdix_dmabuf_ops;
	info.size = mem->num_pages << PAGE_SHIFT;
	info.flags = access;
	info.resv = resv;
	info.priv = mem;
	return dma_buf_export(&info);
}

/* NULL: another driver's. A dma-buf of ours may be imported into another session. */
static struct perdix_memory *perdix_own_memory(struct dma_buf *dmabuf)
{
	return dmabuf->ops == &perdix_dmabuf_ops ? dmabuf->priv : NULL;
}

/* A job that decodes into it begins: before the daemon is told of it. */
void perdix_begin_target(struct dma_buf *dmabuf)
{
	struct perdix_memory *mem = perdix_own_memory(dmabuf);

	if (mem)
		atomic_inc(&mem->targets);
}

void perdix_end_target(struct dma_buf *dmabuf)
{
	struct perdix_memory *mem = perdix_own_memory(dmabuf);

	if (mem)
		atomic_dec(&mem->targets);
}

/* ---- vb2 ---- */

static int perdix_fill_memory(struct perdix_memory *mem, struct device *dev,
			      size_t size)
{
	int ret = perdix_charge(mem->user, size);

	if (ret)
		return ret;
	mem->charged = size;
	ret = perdix_alloc_pages(mem, dev, size);
	if (!ret)
		ret = perdix_write_back(mem, dev);
	if (ret)
		return ret;
	mem->dmabuf = perdix_export(mem, O_RDWR, NULL);
	return PTR_ERR_OR_ZERO(mem->dmabuf);
}

/*
 * Spare bytes behind a picture: a GPU's texture unit reads ahead. Drivers that know
 * refuse a dma-buf which ends where the picture does (Mesa's v3dv asks lseek() for
 * the size), and 2560x1440 NV12, say, fills its pages. sizeimage and the length of
 * the plane are the picture's alone: they are also what a buffer that the client
 * imports must have.
 */
#define PERDIX_SLACK PAGE_SIZE

static void *perdix_alloc(struct vb2_buffer *vb, struct device *dev,
			  unsigned long size)
{
	struct perdix_ctx *ctx = vb2_get_drv_priv(vb->vb2_queue);
	struct perdix_memory *mem = kzalloc(sizeof(*mem), GFP_KERNEL);
	int ret;

	if (!mem)
		return ERR_PTR(-ENOMEM);
	mem->user = perdix_get_user(ctx->user);
	mem->bitstream = vb->vb2_queue->is_output;
	mutex_init(&mem->lock);
	INIT_LIST_HEAD(&mem->attachments);
	ret = perdix_fill_memory(mem, dev,
				 mem->bitstream ? size : size + PERDIX_SLACK);
	if (!ret)
		return mem->dmabuf;
	perdix_free_memory(mem);
	return ERR_PTR(ret);
}

/* At QBUF: what the client wrote through the mapping of the node. */
static void perdix_prepare(void *buf_priv)
{
	struct perdix_memory *mem = perdix_own_memory(buf_priv);

	if (mem && mem->bitstream)
		perdix_end_cpu_access(buf_priv, DMA_TO_DEVICE);
}

static void perdix_put(void *buf_priv)
{
	dma_buf_put(buf_priv);
}

/* Whoever asks for less than reading and writing gets a dma-buf that grants it. */
static struct dma_buf *perdix_get_dmabuf(struct vb2_buffer *vb, void *buf_priv,
					 unsigned long flags)
{
	struct dma_buf *dmabuf = buf_priv, *restricted;
	struct perdix_memory *mem = dmabuf->priv;

	mem->shared = true;
	get_dma_buf(dmabuf);
	if (flags == O_RDWR)
		return dmabuf;
	restricted = perdix_export(mem, flags, dmabuf->resv);
	if (IS_ERR(restricted))
		dma_buf_put(dmabuf);
	return restricted;
}

static void *perdix_import(struct vb2_buffer *vb, struct device *dev,
			   struct dma_buf *dmabuf, unsigned long size)
{
	return dmabuf->size < size ? ERR_PTR(-EFAULT) : dmabuf;
}

/* vb2 holds the imported dma-buf itself. */
static void perdix_forget_import(void *buf_priv)
{
}

static int perdix_use_import(void *buf_priv)
{
	return 0;
}

/*
 * Mappings and descriptors, and vb2 itself. The client is told whether it has any:
 * the daemon's count only if the client has had its own, too.
 */
static unsigned int perdix_num_users(void *buf_priv)
{
	struct perdix_memory *mem = perdix_own_memory(buf_priv);

	return mem && mem->shared ? file_count(mem->dmabuf->file) : 1;
}

/* Maps an MMAP buffer, whose memory is our own. */
static int perdix_mmap_buffer(void *buf_priv, struct vm_area_struct *vma)
{
	struct dma_buf *dmabuf = buf_priv;
	struct perdix_memory *mem = dmabuf->priv;

	mem->shared = true;
	return dma_buf_mmap(dmabuf, vma, 0);
}

const struct vb2_mem_ops perdix_mem_ops = {
	.alloc		= perdix_alloc,
	.put		= perdix_put,
	.prepare	= perdix_prepare,
	.get_dmabuf	= perdix_get_dmabuf,
	.attach_dmabuf	= perdix_import,
	.detach_dmabuf	= perdix_forget_import,
	.map_dmabuf	= perdix_use_import,
	.unmap_dmabuf	= perdix_forget_import,
	.num_users	= perdix_num_users,
	.mmap		= perdix_mmap_buffer,
};
