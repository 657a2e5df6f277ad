// SPDX-License-Identifier: BSD-2-Clause
// The shown frames of a file, kept: what tests of quality compare.
#ifndef PERDIX_TESTS_CLIENT_QUALITY_KEPT_FRAMES_H_
#define PERDIX_TESTS_CLIENT_QUALITY_KEPT_FRAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/plane.h"

namespace perdix::client {

struct KeptFrame {
  explicit KeptFrame(const PictureView& picture);

  std::vector<uint8_t> bytes[kPlaneCount];
  PictureView view;  // of bytes
};

// At most <limit> frames of the file, decoded in this process without a GPU.
// Fails the test where a frame is damaged or the file is not there.
std::vector<KeptFrame> KeepFrames(const std::string& path, size_t limit);

}  // namespace perdix::client

#endif  // PERDIX_TESTS_CLIENT_QUALITY_KEPT_FRAMES_H_
