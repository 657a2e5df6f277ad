// SPDX-License-Identifier: BSD-2-Clause
// From the OBUs of a packet, which is a temporal unit, to its coded frames.
#ifndef PERDIX_TOOLS_CLIENT_AV1_PACKET_PARSER_H_
#define PERDIX_TOOLS_CLIENT_AV1_PACKET_PARSER_H_

#include <memory>

#include "tools/client/codec.h"

namespace perdix::client::av1 {

std::unique_ptr<PacketParser> OpenPacketParser();

}  // namespace perdix::client::av1

#endif  // PERDIX_TOOLS_CLIENT_AV1_PACKET_PARSER_H_
