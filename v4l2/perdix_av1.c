// SPDX-License-Identifier: GPL-2.0-only
/* AV1: what the node offers, and what of its controls the module looks at. */
#include "perdix.h"

static u32 perdix_av1_bit_depth(const void *value)
{
	return ((const struct v4l2_ctrl_av1_sequence *)value)->bit_depth;
}

/*
 * The timestamps are those of the client's eight slots, of which ref_frame_idx
 * picks seven, and intra frames none: what is in the others means nothing (an
 * empty slot has 0, a valid timestamp). All of it is the client's word.
 */
static u32 perdix_av1_references(const void *value, u64 *timestamps)
{
	const struct v4l2_ctrl_av1_frame *frame = value;
	u32 i, used = 0;

	BUILD_BUG_ON(V4L2_AV1_TOTAL_REFS_PER_FRAME > PERDIX_MAX_REFERENCES);
	if (frame->frame_type == V4L2_AV1_KEY_FRAME ||
	    frame->frame_type == V4L2_AV1_INTRA_ONLY_FRAME)
		return 0;
	for (i = 0; i < V4L2_AV1_REFS_PER_FRAME; i++)
		if ((u8)frame->ref_frame_idx[i] < V4L2_AV1_TOTAL_REFS_PER_FRAME)
			used |= BIT(frame->ref_frame_idx[i]);
	for (i = 0; i < V4L2_AV1_TOTAL_REFS_PER_FRAME; i++)
		timestamps[i] = frame->reference_frame_ts[i];
	return used;
}

/* The format depends on it; the rest of the values is the daemon's to check. */
static int perdix_try_av1_sequence(struct v4l2_ctrl *ctrl)
{
	switch (ctrl->p_new.p_av1_sequence->bit_depth) {
	case 8:
	case 10:
	case 12:
		return 0;
	}
	return -EINVAL;
}

static const struct v4l2_ctrl_ops perdix_av1_sequence_ops = {
	.try_ctrl = perdix_try_av1_sequence,
};

static const struct v4l2_ctrl_config perdix_av1_controls[] = {
	{
		.id = V4L2_CID_STATELESS_AV1_SEQUENCE,
		.ops = &perdix_av1_sequence_ops,
	},
	{ .id = V4L2_CID_STATELESS_AV1_FRAME },
	{
		.id = V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY,
		.dims = { V4L2_AV1_MAX_TILE_COUNT },
	},
	{ .id = V4L2_CID_STATELESS_AV1_FILM_GRAIN },
	/*
	 * Main alone comes out as it was coded. The others are decoded, too, for
	 * clients that do not look here: docs/decisions/0014-chroma-as-420.md
	 */
	{
		.id = V4L2_CID_MPEG_VIDEO_AV1_PROFILE,
		.min = V4L2_MPEG_VIDEO_AV1_PROFILE_MAIN,
		.max = V4L2_MPEG_VIDEO_AV1_PROFILE_MAIN,
		.def = V4L2_MPEG_VIDEO_AV1_PROFILE_MAIN,
	},
	{
		.id = V4L2_CID_MPEG_VIDEO_AV1_LEVEL,
		.min = V4L2_MPEG_VIDEO_AV1_LEVEL_2_0,
		.max = V4L2_MPEG_VIDEO_AV1_LEVEL_6_3,
		.def = V4L2_MPEG_VIDEO_AV1_LEVEL_6_3,
	},
};

static const u32 perdix_av1_payload[] = {
	V4L2_CID_STATELESS_AV1_FRAME,
	V4L2_CID_STATELESS_AV1_SEQUENCE,
	V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY,
	V4L2_CID_STATELESS_AV1_FILM_GRAIN,
};

static const struct perdix_format perdix_av1_formats[] = {
	{ V4L2_PIX_FMT_NV12, 1 },
	{ V4L2_PIX_FMT_P010, 2 },
};

const struct perdix_codec_row perdix_av1 = {
	.codec		= PERDIX_CODEC_AV1,
	.coded_format	= V4L2_PIX_FMT_AV1_FRAME,
	.max_size	= PERDIX_MAX_SIDE,
	.formats	= perdix_av1_formats,
	.num_formats	= ARRAY_SIZE(perdix_av1_formats),
	.controls	= perdix_av1_controls,
	.num_controls	= ARRAY_SIZE(perdix_av1_controls),
	.payload	= perdix_av1_payload,
	.num_payload	= ARRAY_SIZE(perdix_av1_payload),
	.format_control	= V4L2_CID_STATELESS_AV1_SEQUENCE,
	.bit_depth	= perdix_av1_bit_depth,
	.references	= perdix_av1_references,
};
