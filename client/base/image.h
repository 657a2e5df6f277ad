// SPDX-License-Identifier: BSD-2-Clause
// The pixels of a decoded frame, borrowed.
#ifndef PERDIX_CLIENT_BASE_IMAGE_H_
#define PERDIX_CLIENT_BASE_IMAGE_H_

#include <cstdint>

#include "kernels/plane.h"

namespace perdix::client {

struct Image {
  PictureView view;
  uint32_t shift = 0;       // bits below the value in a 16-bit sample (P010: 6)
  bool monochrome = false;  // chroma is not part of the video
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_BASE_IMAGE_H_
