// SPDX-License-Identifier: BSD-2-Clause
// From the OBUs of a packet, which is a temporal unit, to its coded frames.
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_PACKET_PARSER_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_PACKET_PARSER_H_

#include <memory>

#include "client/bitstream/codec.h"

namespace perdix::client::av1 {

std::unique_ptr<PacketParser> OpenPacketParser();

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_PACKET_PARSER_H_
