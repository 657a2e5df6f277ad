// SPDX-License-Identifier: GPL-2.0-only
/* VP9: what the node offers, and what of its controls the module looks at. */
#include "perdix.h"

static u32 perdix_vp9_bit_depth(const void *value)
{
	return ((const struct v4l2_ctrl_vp9_frame *)value)->bit_depth;
}

static u32 perdix_vp9_references(const void *value, u64 *timestamps)
{
	const struct v4l2_ctrl_vp9_frame *frame = value;

	timestamps[0] = frame->last_frame_ts;
	timestamps[1] = frame->golden_frame_ts;
	timestamps[2] = frame->alt_frame_ts;
	return GENMASK(2, 0);
}

/*
 * What the profiles promise (2 has 12 bit as well, for which there is no format
 * here); the rest of the values is the daemon's to check.
 */
static int perdix_try_vp9_frame(struct v4l2_ctrl *ctrl)
{
	const struct v4l2_ctrl_vp9_frame *frame = ctrl->p_new.p_vp9_frame;

	if (frame->profile == 0 && frame->bit_depth == 8)
		return 0;
	return frame->profile == 2 && frame->bit_depth == 10 ? 0 : -EINVAL;
}

static const struct v4l2_ctrl_ops perdix_vp9_frame_ops = {
	.try_ctrl = perdix_try_vp9_frame,
};

static const struct v4l2_ctrl_config perdix_vp9_controls[] = {
	{ .id = V4L2_CID_STATELESS_VP9_FRAME, .ops = &perdix_vp9_frame_ops },
	/* accepted, not used: clients fill it differently, some wrongly */
	{ .id = V4L2_CID_STATELESS_VP9_COMPRESSED_HDR },
	{
		.id = V4L2_CID_MPEG_VIDEO_VP9_PROFILE,
		.min = V4L2_MPEG_VIDEO_VP9_PROFILE_0,
		.max = V4L2_MPEG_VIDEO_VP9_PROFILE_2,
		.menu_skip_mask = BIT(V4L2_MPEG_VIDEO_VP9_PROFILE_1),
		.def = V4L2_MPEG_VIDEO_VP9_PROFILE_0,
	},
};

static const u32 perdix_vp9_payload[] = { V4L2_CID_STATELESS_VP9_FRAME };

static const struct perdix_format perdix_vp9_formats[] = {
	{ V4L2_PIX_FMT_NV12, 8, 1 },
	{ V4L2_PIX_FMT_P010, 10, 2 },
};

const struct perdix_codec_row perdix_vp9 = {
	.codec		= PERDIX_CODEC_VP9,
	.coded_format	= V4L2_PIX_FMT_VP9_FRAME,
	.max_size	= PERDIX_MAX_SIDE,
	.formats	= perdix_vp9_formats,
	.num_formats	= ARRAY_SIZE(perdix_vp9_formats),
	.controls	= perdix_vp9_controls,
	.num_controls	= ARRAY_SIZE(perdix_vp9_controls),
	.payload	= perdix_vp9_payload,
	.num_payload	= ARRAY_SIZE(perdix_vp9_payload),
	.format_control	= V4L2_CID_STATELESS_VP9_FRAME,
	.bit_depth	= perdix_vp9_bit_depth,
	.references	= perdix_vp9_references,
};
