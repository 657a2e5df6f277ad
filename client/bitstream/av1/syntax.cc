// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/syntax.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace perdix::client::av1 {

uint32_t ReadLong(BitReader& reader, int count) {
  const int high = std::max(count - 16, 0);
  const uint32_t upper = reader.Bits(high);
  const int low = count - high;
  return (low < 32 ? upper << low : 0) | reader.Bits(low);
}

int32_t ReadSigned(BitReader& reader, int count) {
  const int32_t value = int32_t(ReadLong(reader, count));
  const int32_t sign = 1 << (count - 1);
  return (value & sign) != 0 ? value - 2 * sign : value;
}

uint32_t ReadNonSymmetric(BitReader& reader, uint32_t values) {
  const int bits = std::bit_width(values);
  const uint32_t short_codes = (1u << bits) - values;
  const uint32_t value = ReadLong(reader, bits - 1);
  if (value < short_codes) return value;
  return (value << 1) - short_codes + reader.Bits(1);
}

uint32_t ReadUvlc(BitReader& reader) {
  int zeros = 0;
  while (zeros < 32 && !reader.Flag()) ++zeros;
  if (zeros == 32) return UINT32_MAX;
  return ReadLong(reader, zeros) + ((1u << zeros) - 1);
}

bool ReadLeb128(std::span<const uint8_t> bytes, uint32_t* value, size_t* size) {
  constexpr size_t kMaxBytes = 8;
  uint64_t result = 0;
  for (size_t i = 0; i < std::min(bytes.size(), kMaxBytes); ++i) {
    result |= uint64_t{bytes[i] & 0x7fu} << (7 * i);
    if ((bytes[i] & 0x80) != 0) continue;
    if (result > UINT32_MAX) return false;
    *value = uint32_t(result);
    *size = i + 1;
    return true;
  }
  return false;
}

Status Invalid(std::string message) {
  return {StatusCode::kInvalidBitstream, std::move(message)};
}

Status Invalid(const std::string& field, uint32_t got,
               const std::string& allowed) {
  return Invalid(field + " is " + std::to_string(got) +
                 ", allowed: " + allowed);
}

Status CheckEnd(BitReader& reader, const std::string& header, size_t bytes,
                bool trailing_bit) {
  if (trailing_bit) reader.Flag();
  if (!reader.Overrun()) return Status::Ok();
  return Invalid(header + " needs more than its " + std::to_string(bytes) +
                 " bytes");
}

}  // namespace perdix::client::av1
