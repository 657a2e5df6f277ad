// SPDX-License-Identifier: BSD-2-Clause
// One checksum of all pictures that a stream shows: proof that two machines
// show the same. Users note its values, so what it covers never changes:
//
// - Every sample that is seen: width x height of luma, and its chroma unless
//   the video is monochrome. Neither padding nor stride counts.
// - A sample counts as its value. Whether that is in the low or in the high
//   bits of 16 (PictureView::shift) does not matter.
// - The size of each picture, and the order of pictures.
//
// The sum of a picture is made so that a GPU can make it too, in any order; the
// sums are put together one after the other.
#ifndef PERDIX_KERNELS_METRICS_SHOWN_CHECKSUM_H_
#define PERDIX_KERNELS_METRICS_SHOWN_CHECKSUM_H_

#include <cstdint>

#include "kernels/plane.h"

namespace perdix {

// The two sums of kernels/shared/metrics.h, the low one in the low bits, over
// the words of what is seen: luma row after row, then chroma. A row begins with
// a word of its own, and its last word ends in zeroes.
uint64_t VisibleSum(const PictureView& picture, bool monochrome);

class ShownChecksum {
 public:
  // Adds the next picture. sum: VisibleSum of it.
  void Add(uint32_t width, uint32_t height, uint64_t sum);

  uint64_t pictures() const { return pictures_; }
  uint64_t value() const { return value_; }

 private:
  void Mix(uint64_t word);

  uint64_t pictures_ = 0;
  uint64_t value_ = 1;
};

}  // namespace perdix

#endif  // PERDIX_KERNELS_METRICS_SHOWN_CHECKSUM_H_
