// SPDX-License-Identifier: BSD-2-Clause
// The parts of reading a block's mode info that depend on nothing but their
// arguments.
#ifndef PERDIX_CODEC_AV1_MODE_INFO_H_
#define PERDIX_CODEC_AV1_MODE_INFO_H_

namespace perdix::av1 {

// neg_deinterleave (5.11.9): the value of 0 .. max - 1 that <coded> stands for,
// where small ones stand for those near <predicted>. Of a <coded> of max or
// more the result may be any number from -8 to 15.
constexpr int NegDeinterleave(int coded, int predicted, int max) {
  if (predicted == 0) return coded;
  if (predicted >= max - 1) return max - coded - 1;
  const bool low = 2 * predicted < max;
  // as far as there are values on both sides they take turns
  const int both_sides = 2 * (low ? predicted : max - predicted - 1);
  if (coded <= both_sides) {
    return coded & 1 ? predicted + ((coded + 1) >> 1)
                     : predicted - (coded >> 1);
  }
  return low ? coded : max - (coded + 1);
}

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_MODE_INFO_H_
