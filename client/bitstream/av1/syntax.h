// SPDX-License-Identifier: BSD-2-Clause
// The descriptors of AV1's headers (4.10) that BitReader does not have, and how
// failures are worded.
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_SYNTAX_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_SYNTAX_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "client/bitstream/bit_reader.h"
#include "kernels/status.h"

namespace perdix::client::av1 {

// f(count), count <= 32
uint32_t ReadLong(BitReader& reader, int count);
// su(count): two's complement
int32_t ReadSigned(BitReader& reader, int count);
// ns(values): 0 to values - 1; values: 1 to 2^16
uint32_t ReadNonSymmetric(BitReader& reader, uint32_t values);
// uvlc(); 2^32 - 1 where the code is longer than that
uint32_t ReadUvlc(BitReader& reader);

// leb128() at the beginning of <bytes>; *size: the bytes that it takes. False:
// it does not end within them or within 8, or is above 2^32 - 1.
bool ReadLeb128(std::span<const uint8_t> bytes, uint32_t* value, size_t* size);

Status Invalid(std::string message);
// "field is 3, allowed: 0 to 2"
Status Invalid(const std::string& field, uint32_t got,
               const std::string& allowed);
// After a header: that its bits, and the bit of trailing_bits() (5.3.4) if it
// has any, were all there.
Status CheckEnd(BitReader& reader, const std::string& header, size_t bytes,
                bool trailing_bit);

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_SYNTAX_H_
