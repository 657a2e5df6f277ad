// SPDX-License-Identifier: BSD-2-Clause
// Quantiser matrices (9.5).
#ifndef PERDIX_CODEC_AV1_QUANTIZER_MATRICES_TABLES_H_
#define PERDIX_CODEC_AV1_QUANTIZER_MATRICES_TABLES_H_

#include <cstdint>

#include "codec/av1/constants.h"

namespace perdix::av1 {

// The matrix of a transform block in raster order: min(width, 32) values a row
// and min(height, 32) rows. A value of 32 leaves the quantiser as it is
// (7.12.3). level: 0..14. plane_type: 0 luma, 1 chroma.
const uint8_t* QuantizerMatrix(int level, int plane_type, TxSize size);

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_QUANTIZER_MATRICES_TABLES_H_
