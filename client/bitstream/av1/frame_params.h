// SPDX-License-Identifier: BSD-2-Clause
// The parts of the uncompressed header that fill a V4L2 structure field by
// field (5.9.11 to 5.9.21). Any bits are valid here; whether there were enough
// is the caller's.
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_FRAME_PARAMS_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_FRAME_PARAMS_H_

#include "client/bitstream/av1/sequence_header.h"
#include "client/bitstream/bit_reader.h"
#include "codec/av1/v4l2_controls.h"

namespace perdix::client::av1 {

// What setup_past_independence() (6.8.2) sets of the filter's deltas.
void ResetLoopFilterDeltas(v4l2_av1_loop_filter& filter);

// quantization_params()
void ReadQuantization(BitReader& reader, const SequenceHeader& sequence,
                      v4l2_av1_quantization& quantization);

// segmentation_params(). In: the features of the primary reference, none if it
// has none.
void ReadSegmentation(BitReader& reader, bool has_primary_reference,
                      v4l2_av1_segmentation& segmentation);

// delta_q_params(), delta_lf_params()
void ReadDeltas(BitReader& reader, bool allow_intrabc,
                v4l2_av1_quantization& quantization,
                v4l2_av1_loop_filter& filter);

// CodedLossless of 5.9.2
bool IsCodedLossless(const v4l2_av1_quantization& quantization,
                     const v4l2_av1_segmentation& segmentation);

// loop_filter_params(). In: the deltas of the primary reference, or reset.
// lossless: or intra block copies, which leave no filter either.
void ReadLoopFilter(BitReader& reader, bool lossless, bool monochrome,
                    v4l2_av1_loop_filter& filter);

// cdef_params(), where there are any
void ReadCdef(BitReader& reader, bool monochrome, v4l2_av1_cdef& cdef);

// lr_params(), where there are any
void ReadLoopRestoration(BitReader& reader, const SequenceHeader& sequence,
                         v4l2_av1_loop_restoration& restoration);

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_FRAME_PARAMS_H_
