// SPDX-License-Identifier: GPL-2.0-only
/*
 * The media controller side: topology and requests.
 *
 * source (IO_V4L) -> proc (PROC_VIDEO_DECODER) -> sink (IO_V4L), all links
 * immutable, both ends linked to the video node's interface. That is what
 * v4l2_m2m_register_media_controller() builds; clients look for exactly this.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <media/v4l2-ioctl.h>

#include "perdix.h"

#define FIXED (MEDIA_LNK_FL_IMMUTABLE | MEDIA_LNK_FL_ENABLED)

static int perdix_add_entity(struct perdix_dev *pdx, struct media_entity *ent,
			     const char *name, u32 function,
			     struct media_pad *pads, int num_pads)
{
	int ret;

	ent->obj_type = MEDIA_ENTITY_TYPE_BASE;
	ent->name = name;
	ent->function = function;
	if (function == MEDIA_ENT_F_IO_V4L) {
		ent->info.dev.major = VIDEO_MAJOR;
		ent->info.dev.minor = pdx->vdev.minor;
	}
	ret = media_entity_pads_init(ent, num_pads, pads);
	return ret ? ret : media_device_register_entity(&pdx->mdev, ent);
}

static int perdix_add_links(struct perdix_dev *pdx)
{
	struct media_entity *source = &pdx->vdev.entity;
	int ret;

	ret = media_create_pad_link(source, 0, &pdx->proc, 0, FIXED);
	if (ret)
		return ret;
	ret = media_create_pad_link(&pdx->proc, 1, &pdx->sink, 0, FIXED);
	if (ret)
		return ret;

	pdx->devnode = media_devnode_create(&pdx->mdev, MEDIA_INTF_T_V4L_VIDEO,
					    0, VIDEO_MAJOR, pdx->vdev.minor);
	if (!pdx->devnode ||
	    !media_create_intf_link(source, &pdx->devnode->intf, FIXED) ||
	    !media_create_intf_link(&pdx->sink, &pdx->devnode->intf, FIXED))
		return -ENOMEM;
	return 0;
}

/* Call after video_register_device(): the entities carry the node's minor. */
int perdix_media_register(struct perdix_dev *pdx)
{
	int ret;

	pdx->source_pad.flags = MEDIA_PAD_FL_SOURCE;
	pdx->sink_pad.flags = MEDIA_PAD_FL_SINK;
	pdx->proc_pads[0].flags = MEDIA_PAD_FL_SINK;
	pdx->proc_pads[1].flags = MEDIA_PAD_FL_SOURCE;

	ret = perdix_add_entity(pdx, &pdx->vdev.entity, PERDIX_NAME "-source",
				MEDIA_ENT_F_IO_V4L, &pdx->source_pad, 1);
	if (!ret)
		ret = perdix_add_entity(pdx, &pdx->proc, PERDIX_NAME "-proc",
					MEDIA_ENT_F_PROC_VIDEO_DECODER,
					pdx->proc_pads, 2);
	if (!ret)
		ret = perdix_add_entity(pdx, &pdx->sink, PERDIX_NAME "-sink",
					MEDIA_ENT_F_IO_V4L, &pdx->sink_pad, 1);
	if (!ret)
		ret = perdix_add_links(pdx);
	if (!ret)
		ret = media_device_register(&pdx->mdev);
	if (ret)
		perdix_media_unregister(pdx);
	return ret;
}

/*
 * media_device_unregister() takes the entities with it; after a failed
 * registration they go by hand (each call ignores what was never added). The
 * interface is freed by whoever created it.
 */
void perdix_media_unregister(struct perdix_dev *pdx)
{
	if (media_devnode_is_registered(pdx->mdev.devnode))
		media_device_unregister(&pdx->mdev);
	if (pdx->devnode)
		media_devnode_remove(pdx->devnode);
	media_device_unregister_entity(&pdx->sink);
	media_device_unregister_entity(&pdx->proc);
	media_device_unregister_entity(&pdx->vdev.entity);
}

/* The session whose buffer it holds. NULL: there is none, or more than one. */
static struct perdix_ctx *perdix_req_session(struct media_request *req)
{
	struct media_request_object *obj;
	struct vb2_buffer *vb;

	if (vb2_request_buffer_cnt(req) != 1)
		return NULL;
	list_for_each_entry(obj, &req->objects, list) {
		if (!vb2_request_object_is_buffer(obj))
			continue;
		vb = container_of(obj, struct vb2_buffer, req_obj);
		return vb2_get_drv_priv(vb->vb2_queue);
	}
	return NULL;
}

/* Whether it says how to decode its frame, and where: the first of the payload. */
static bool perdix_req_has_frame(struct media_request *req,
				 struct perdix_ctx *ctx)
{
	struct v4l2_ctrl_handler *values =
		v4l2_ctrl_request_hdl_find(req, &ctx->controls);
	struct v4l2_ctrl *ctrl;

	if (!values)
		return false;
	ctrl = v4l2_ctrl_request_hdl_ctrl_find(values, ctx->codec->payload[0]);
	v4l2_ctrl_request_hdl_put(values);
	return ctrl;
}

/*
 * One frame per request: exactly one OUTPUT buffer, and controls of the same
 * file only. Those of another would never be completed, nor would the request.
 * ENOENT is what V4L2 asks for where one of the two is missing.
 */
static int perdix_req_validate(struct media_request *req)
{
	struct perdix_ctx *ctx = perdix_req_session(req);
	struct media_request_object *obj;

	if (!ctx)
		return vb2_request_buffer_cnt(req) ? -EINVAL : -ENOENT;
	list_for_each_entry(obj, &req->objects, list)
		if (!vb2_request_object_is_buffer(obj) &&
		    obj->priv != &ctx->controls)
			return -EINVAL;
	if (!perdix_req_has_frame(req, ctx))
		return -ENOENT;
	return vb2_request_validate(req);
}

/*
 * A request outlives the file that made it, and even the media node: its
 * descriptor alone does not keep the module whose operations it uses.
 */
static struct media_request *perdix_req_alloc(struct media_device *mdev)
{
	struct media_request *req = kzalloc(sizeof(*req), GFP_KERNEL);

	if (req)
		__module_get(THIS_MODULE);
	return req;
}

static void perdix_req_free(struct media_request *req)
{
	kfree(req);
	module_put(THIS_MODULE);
}

const struct media_device_ops perdix_media_ops = {
	.req_alloc	= perdix_req_alloc,
	.req_free	= perdix_req_free,
	.req_validate	= perdix_req_validate,
	.req_queue	= vb2_request_queue,
};
