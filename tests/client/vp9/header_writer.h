// SPDX-License-Identifier: BSD-2-Clause
// Uncompressed VP9 headers made by hand, field by field.
#ifndef PERDIX_TESTS_CLIENT_VP9_HEADER_WRITER_H_
#define PERDIX_TESTS_CLIENT_VP9_HEADER_WRITER_H_

#include <cstdint>
#include <functional>
#include <vector>

namespace perdix::client::vp9 {

class BitWriter {
 public:
  BitWriter& Bits(uint32_t value, int count) {
    for (int i = count - 1; i >= 0; --i) {
      if (position_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() |= uint8_t((value >> i & 1) << (7 - position_ % 8));
      ++position_;
    }
    return *this;
  }
  std::vector<uint8_t> bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
  size_t position_ = 0;
};

// The fields that tests vary; the rest is as plain as can be.
struct TestHeader {
  bool key_frame = true;
  bool shown = true;
  bool error_resilient = false;
  bool intra_only = false;
  uint32_t profile = 0;
  uint32_t color_space = 1;
  bool twelve_bit = false;     // of profiles 2 and 3
  uint32_t subsampling_x = 0;  // of profiles 1 and 3
  uint32_t subsampling_y = 0;
  uint32_t reset_frame_context = 0;
  uint32_t refresh = 1;
  uint32_t references[3] = {0, 0, 0};
  uint32_t sign_bias[3] = {0, 0, 0};
  int size_from = -1;  // index of the reference that gives the size
  uint32_t width = 64;
  uint32_t height = 48;
  uint32_t interpolation = 4;  // literal 0 to 3, 4: switchable
  uint32_t frame_context = 0;
  // Instead of a loop filter of level 0, of no segmentation.
  std::function<void(BitWriter&)> loop_filter;
  std::function<void(BitWriter&)> segmentation;
  std::function<void(BitWriter&)> tiles;  // default: no increment, one row
  uint32_t compressed_bytes = 4;
};

std::vector<uint8_t> WriteHeader(const TestHeader& header);

// The header with the compressed header and a byte of tile data behind it, all
// zero.
std::vector<uint8_t> WriteFrame(const TestHeader& header);

// show_existing_frame of <slot>
std::vector<uint8_t> WriteShowExisting(uint32_t slot);

}  // namespace perdix::client::vp9

#endif  // PERDIX_TESTS_CLIENT_VP9_HEADER_WRITER_H_
