// SPDX-License-Identifier: BSD-2-Clause
// From a VP9 packet, which may be a superframe, to its coded frames.
#ifndef PERDIX_CLIENT_BITSTREAM_VP9_PACKET_PARSER_H_
#define PERDIX_CLIENT_BITSTREAM_VP9_PACKET_PARSER_H_

#include <memory>

#include "client/bitstream/codec.h"

namespace perdix::client::vp9 {

std::unique_ptr<PacketParser> OpenPacketParser();

}  // namespace perdix::client::vp9

#endif  // PERDIX_CLIENT_BITSTREAM_VP9_PACKET_PARSER_H_
