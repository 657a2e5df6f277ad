// SPDX-License-Identifier: BSD-2-Clause
// The parts of the uncompressed header that stand for themselves (5.9.11 to
// 5.9.30): each function draws one and writes it.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FRAME_PARAMS_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FRAME_PARAMS_H_

#include <cstdint>

#include "client/bitstream/av1/global_motion.h"
#include "client/bitstream/av1/references.h"
#include "client/bitstream/av1/sequence_header.h"
#include "client/bitstream/av1/tile_info.h"
#include "codec/av1/v4l2_controls.h"
#include "tests/conformance/make_stream/av1/field_writer.h"
#include "tests/conformance/make_stream/random.h"

namespace perdix::make_stream::av1 {

// tile_info(). many: how many of 100 frames have more tiles than one.
void WriteTileInfo(Random& random, FieldWriter& to, uint32_t many,
                   const client::av1::TileInfoInput& input, bool superres);

struct QuantizationHabits {
  uint32_t lossless, matrices;  // how many of 100 frames are such
};
// quantization_params()
void WriteQuantization(Random& random, FieldWriter& to,
                       const client::av1::SequenceHeader& sequence,
                       const QuantizationHabits& habits,
                       v4l2_av1_quantization& quantization);

// segmentation_params(). In: the features of the primary reference.
void WriteSegmentation(Random& random, FieldWriter& to,
                       bool has_primary_reference, uint32_t enabled,
                       int base_q_idx, v4l2_av1_segmentation& segmentation);

// delta_q_params(), delta_lf_params()
void WriteDeltas(Random& random, FieldWriter& to, bool allow_intrabc,
                 uint32_t present, const v4l2_av1_quantization& quantization);

// loop_filter_params(), cdef_params(), lr_params(), where there are any
void WriteLoopFilter(Random& random, FieldWriter& to, bool monochrome);
void WriteCdef(Random& random, FieldWriter& to, bool monochrome);
void WriteLoopRestoration(Random& random, FieldWriter& to,
                          const client::av1::SequenceHeader& sequence);

// global_motion_params()
void WriteGlobalMotion(Random& random, FieldWriter& to,
                       bool allow_high_precision_mv, uint32_t any,
                       const client::av1::GmParams& previous);

// film_grain_params(), where there are any. may_refer: of an inter frame
void WriteFilmGrain(Random& random, FieldWriter& to,
                    const client::FrameFormat& samples, uint32_t apply,
                    bool may_refer, const client::av1::SlotOfReference& refs);

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FRAME_PARAMS_H_
