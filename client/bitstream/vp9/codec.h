// SPDX-License-Identifier: BSD-2-Clause
// VP9's row of the client's codecs.
#ifndef PERDIX_CLIENT_BITSTREAM_VP9_CODEC_H_
#define PERDIX_CLIENT_BITSTREAM_VP9_CODEC_H_

#include "client/bitstream/codec.h"

namespace perdix::client::vp9 {

extern const ClientCodec kCodec;

}  // namespace perdix::client::vp9

#endif  // PERDIX_CLIENT_BITSTREAM_VP9_CODEC_H_
