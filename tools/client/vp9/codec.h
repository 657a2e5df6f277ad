// SPDX-License-Identifier: BSD-2-Clause
// VP9's row of the client's codecs.
#ifndef PERDIX_TOOLS_CLIENT_VP9_CODEC_H_
#define PERDIX_TOOLS_CLIENT_VP9_CODEC_H_

#include "tools/client/codec.h"

namespace perdix::client::vp9 {

extern const ClientCodec kCodec;

}  // namespace perdix::client::vp9

#endif  // PERDIX_TOOLS_CLIENT_VP9_CODEC_H_
