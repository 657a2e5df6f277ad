// SPDX-License-Identifier: BSD-2-Clause
// The parts of a VP9 uncompressed header that fill a V4L2 structure field by
// field. Any bits are valid here; whether there were enough is the caller's.
#ifndef PERDIX_CLIENT_BITSTREAM_VP9_PARAMS_H_
#define PERDIX_CLIENT_BITSTREAM_VP9_PARAMS_H_

#include <linux/v4l2-controls.h>

#include <cstdint>

#include "client/bitstream/bit_reader.h"

namespace perdix::client::vp9 {

// What setup_past_independence() (VP9 7.2) restores of the two.
void ResetLoopFilterDeltas(v4l2_vp9_loop_filter& filter);
void ResetSegmentFeatures(v4l2_vp9_segmentation& segmentation);

// VP9 6.2.8, 6.2.11: in and out, what the header leaves out keeps its value.
void ReadLoopFilter(BitReader& reader, v4l2_vp9_loop_filter& filter);
void ReadSegmentation(BitReader& reader, v4l2_vp9_segmentation& segmentation);

// VP9 6.2.9, 6.2.13; width in luma samples
void ReadQuantization(BitReader& reader, v4l2_vp9_quantization& quantization);
void ReadTileInfo(BitReader& reader, uint32_t width,
                  v4l2_ctrl_vp9_frame& control);

}  // namespace perdix::client::vp9

#endif  // PERDIX_CLIENT_BITSTREAM_VP9_PARAMS_H_
