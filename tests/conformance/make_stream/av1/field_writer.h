// SPDX-License-Identifier: BSD-2-Clause
// Writes the fields of a header by the descriptors of 4.10, and keeps what was
// written for the table of what streams reach.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FIELD_WRITER_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FIELD_WRITER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/conformance/make_stream/coverage.h"

namespace perdix::make_stream::av1 {

// Each function returns the value.
class FieldWriter {
 public:
  // f(count); count: 0 to 32
  uint32_t Bits(const char* name, int count, uint32_t value) {
    Put(count, value);
    fields_.push_back({name, value});
    return value;
  }
  bool Flag(const char* name, bool value) { return Bits(name, 1, value) != 0; }
  // su(count)
  int Signed(const char* name, int count, int value) {
    Put(count, uint32_t(value) & uint32_t((uint64_t{1} << count) - 1));
    fields_.push_back({name, value});
    return value;
  }
  // ns(values)
  uint32_t NonSymmetric(const char* name, uint32_t values, uint32_t value) {
    const int width = int(std::bit_width(values));
    const uint32_t shorter = (1u << width) - values;
    if (value < shorter) {
      Put(width - 1, value);
    } else {
      Put(width, value + shorter);
    }
    fields_.push_back({name, value});
    return value;
  }
  // uvlc(); value: to 2^32 - 2
  uint32_t Uvlc(const char* name, uint32_t value) {
    const int zeros = int(std::bit_width(value + 1)) - 1;
    Put(zeros, 0);
    Put(zeros + 1, value + 1);
    fields_.push_back({name, value});
    return value;
  }

  size_t bits() const { return bits_.size(); }
  // With zeros to the next byte; trailing: with trailing_bits() (5.3.4).
  std::vector<uint8_t> Bytes(bool trailing) const {
    std::vector<bool> bits = bits_;
    if (trailing) bits.push_back(true);
    std::vector<uint8_t> bytes((bits.size() + 7) / 8);
    for (size_t i = 0; i < bits.size(); ++i)
      bytes[i / 8] |= uint8_t(bits[i] << (7 - i % 8));
    return bytes;
  }
  void Count(Coverage* coverage) const {
    for (const auto& [name, value] : fields_) coverage->Field(name, value);
  }

 private:
  void Put(int count, uint32_t value) {
    for (int i = count; i-- > 0;) bits_.push_back(value >> i & 1);
  }

  std::vector<bool> bits_;
  std::vector<std::pair<const char*, int64_t>> fields_;
};

// leb128(), of <bytes> bytes at least.
inline void AppendLeb128(uint64_t value, size_t bytes,
                         std::vector<uint8_t>* to) {
  for (size_t i = 1; value >= 0x80 || i < bytes; ++i, value >>= 7)
    to->push_back(uint8_t(value | 0x80));
  to->push_back(uint8_t(value));
}

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FIELD_WRITER_H_
