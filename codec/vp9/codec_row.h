// SPDX-License-Identifier: BSD-2-Clause
// VP9's row in the table of codecs.
#ifndef PERDIX_CODEC_VP9_CODEC_ROW_H_
#define PERDIX_CODEC_VP9_CODEC_ROW_H_

#include "codec/codec.h"

namespace perdix::vp9 {

extern const CodecRow kCodecRow;

}  // namespace perdix::vp9

#endif  // PERDIX_CODEC_VP9_CODEC_ROW_H_
