// SPDX-License-Identifier: BSD-2-Clause
// Frames as files and checksums have them: planar. Everywhere else they are
// semi-planar.
#ifndef PERDIX_CLIENT_PLANAR_H_
#define PERDIX_CLIENT_PLANAR_H_

#include <cstdint>
#include <vector>

#include "client/base/coded_frame.h"
#include "client/base/image.h"

namespace perdix::client {

// Planes Y, U, V (of a monochrome frame Y alone) one after the other without
// padding; samples above 8 bit take two bytes, little endian.
struct PlanarFrame {
  FrameFormat format;
  std::vector<uint8_t> bytes;
};

FrameFormat FormatOf(const Image& image);

// Into *frame, whose memory is used again. May throw std::bad_alloc.
void ToPlanar(const Image& image, PlanarFrame* frame);

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_PLANAR_H_
