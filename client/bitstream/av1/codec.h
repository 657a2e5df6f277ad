// SPDX-License-Identifier: BSD-2-Clause
// AV1's row of the client's codecs.
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_CODEC_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_CODEC_H_

#include "client/bitstream/codec.h"

namespace perdix::client::av1 {

extern const ClientCodec kCodec;

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_CODEC_H_
