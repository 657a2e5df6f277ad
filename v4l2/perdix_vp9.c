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

static const struct v4l2_ctrl_config perdix_vp9_controls[] = {
	{ .id = V4L2_CID_STATELESS_VP9_FRAME },
	/* accepted, not used: clients fill it differently, some wrongly */
	{ .id = V4L2_CID_STATELESS_VP9_COMPRESSED_HDR },
	/*
	 * Profiles 1 and 3 do not come out as they were coded. They are decoded,
	 * too, for clients that do not look here:
	 * docs/decisions/0014-chroma-as-420.md
	 */
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
	{ V4L2_PIX_FMT_NV12, 1 },
	{ V4L2_PIX_FMT_P010, 2 },
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
