// SPDX-License-Identifier: BSD-2-Clause
// AV1's row of the engine's codecs.
#ifndef PERDIX_CODEC_AV1_CODEC_ROW_H_
#define PERDIX_CODEC_AV1_CODEC_ROW_H_

#include "codec/codec.h"

namespace perdix::av1 {

extern const CodecRow kCodecRow;

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_CODEC_ROW_H_
