// SPDX-License-Identifier: BSD-2-Clause
#include "tests/fuzz/damage.h"

#include <algorithm>
#include <utility>

namespace perdix {
namespace {

constexpr size_t kHeaderBytes = 24;  // about an uncompressed header

void DamageByte(Random& random, uint8_t* byte) {
  switch (Below(random, 4)) {
    case 0:
      *byte = uint8_t(*byte ^ (1u << Below(random, 8)));
      return;
    case 1:
      *byte = 0;
      return;
    case 2:
      *byte = 0xff;
      return;
    default:
      *byte = uint8_t(random());
  }
}

void DamagePacket(Random& random, Packets* packets) {
  const size_t i = Below(random, packets->size());
  Bytes& packet = (*packets)[i];
  switch (Below(random, 16)) {
    case 0:
      packet.resize(Below(random, packet.size() + 1));
      return;
    case 1:
      packet.resize(packet.size() + Below(random, 64), uint8_t(random()));
      return;
    case 2:
      packets->insert(packets->begin() + ptrdiff_t(i), Bytes(packet));
      return;
    case 3:
      if (packets->size() > 1) packets->erase(packets->begin() + ptrdiff_t(i));
      return;
    case 4:
      std::swap(packet, (*packets)[Below(random, packets->size())]);
      return;
    default:
      const size_t size = Below(random, 2) == 0
                              ? std::min(packet.size(), kHeaderBytes)
                              : packet.size();
      DamageBytes(random, std::span(packet).first(size));
  }
}

}  // namespace

size_t Below(Random& random, size_t bound) { return random() % bound; }

void DamageBytes(Random& random, std::span<uint8_t> bytes) {
  if (bytes.empty()) return;
  for (size_t n = 1 + Below(random, 8); n > 0; --n) {
    DamageByte(random, &bytes[Below(random, bytes.size())]);
  }
}

void DamagePackets(Random& random, Packets* packets) {
  for (size_t n = 1 + Below(random, 3); n > 0; --n) {
    DamagePacket(random, packets);
  }
}

}  // namespace perdix
