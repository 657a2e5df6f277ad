// SPDX-License-Identifier: BSD-2-Clause
#include "tests/fuzz/damage_obus.h"

#include <algorithm>
#include <utility>

#include "client/bitstream/av1/obu.h"

namespace perdix {
namespace {

using client::av1::Obu;
using client::av1::ObuType;

constexpr size_t kHeaderBytes = 24;  // about a frame header

struct OwnedObu {
  uint8_t header[2] = {};
  size_t header_bytes = 1;  // without obu_size
  Bytes payload;
};

using Obus = std::vector<OwnedObu>;

Obus Split(std::span<const uint8_t> packet) {
  Obus obus;
  while (!packet.empty()) {
    const uint8_t* const begin = packet.data();
    Obu obu;
    if (!client::av1::TakeObu(&packet, &obu).ok()) break;
    OwnedObu owned;
    owned.header_bytes = obu.has_extension ? 2 : 1;
    std::copy_n(begin, owned.header_bytes, owned.header);
    owned.payload.assign(obu.payload.begin(), obu.payload.end());
    obus.push_back(std::move(owned));
  }
  return obus;
}

Bytes Join(const Obus& obus) {
  constexpr uint8_t kSizeBit = 2;
  Bytes packet;
  for (const OwnedObu& obu : obus) {
    packet.push_back(obu.header[0] | kSizeBit);
    if (obu.header_bytes == 2) packet.push_back(obu.header[1]);
    size_t size = obu.payload.size();
    for (; size >= 0x80; size >>= 7) packet.push_back(uint8_t(size | 0x80));
    packet.push_back(uint8_t(size));
    packet.insert(packet.end(), obu.payload.begin(), obu.payload.end());
  }
  return packet;
}

void ChangeType(Random& random, OwnedObu* obu) {
  constexpr ObuType kTypes[] = {ObuType::kSequenceHeader,
                                ObuType::kTemporalDelimiter,
                                ObuType::kFrameHeader,
                                ObuType::kTileGroup,
                                ObuType::kMetadata,
                                ObuType::kFrame,
                                ObuType::kRedundantFrameHeader,
                                ObuType::kTileList,
                                ObuType::kPadding};
  const uint8_t type = uint8_t(kTypes[Below(random, std::size(kTypes))]);
  obu->header[0] = uint8_t((obu->header[0] & 0x87) | type << 3);
}

void ChangeLayer(Random& random, OwnedObu* obu) {
  obu->header[0] |= 4;  // obu_extension_flag
  obu->header[1] = uint8_t(random());
  obu->header_bytes = 2;
}

void DamagePayload(Random& random, Bytes* payload) {
  std::span<uint8_t> bytes(*payload);
  const size_t header = std::min(bytes.size(), kHeaderBytes);
  if (Below(random, 2) == 0) {
    DamageBytes(random, bytes.first(header));
  } else {
    DamageBytes(random, bytes.subspan(header));
  }
}

void DamageOne(Random& random, const Obus& other, Obus* obus) {
  if (obus->empty()) return;
  const size_t i = Below(random, obus->size());
  OwnedObu& obu = (*obus)[i];
  switch (Below(random, 16)) {
    case 0:
      obu.payload.resize(Below(random, obu.payload.size() + 1));
      return;
    case 1:
      obu.payload.resize(obu.payload.size() + Below(random, 32),
                         uint8_t(random()));
      return;
    case 2:
      return ChangeType(random, &obu);
    case 3:
      return ChangeLayer(random, &obu);
    case 4:
      obus->erase(obus->begin() + ptrdiff_t(i));
      return;
    case 5:
      obus->insert(obus->begin() + ptrdiff_t(i), OwnedObu(obu));
      return;
    case 6:
      std::swap(obu, (*obus)[Below(random, obus->size())]);
      return;
    case 7:
      if (other.empty()) return;
      obu.payload = other[Below(random, other.size())].payload;
      return;
    case 8:
      if (other.empty()) return;
      obus->insert(obus->begin() + ptrdiff_t(i),
                   other[Below(random, other.size())]);
      return;
    default:
      DamagePayload(random, &obu.payload);
  }
}

}  // namespace

void DamageObus(Random& random, const Packets& other, Packets* packets) {
  for (size_t n = 1 + Below(random, 3); n > 0 && !packets->empty(); --n) {
    Bytes& packet = (*packets)[Below(random, packets->size())];
    Obus obus = Split(packet);
    Obus others;
    if (!other.empty()) others = Split(other[Below(random, other.size())]);
    DamageOne(random, others, &obus);
    packet = Join(obus);
  }
}

}  // namespace perdix
