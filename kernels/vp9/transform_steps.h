// SPDX-License-Identifier: BSD-2-Clause
// The rotations of the inverse DCTs (VP9 8.7.1.3) as a list for SIMD.
#ifndef PERDIX_KERNELS_VP9_TRANSFORM_STEPS_H_
#define PERDIX_KERNELS_VP9_TRANSFORM_STEPS_H_

#include "kernels/simd/rotations.h"
#include "kernels/vp9/dct_rotations.h"

namespace perdix::vp9 {

class DctSteps : public Rotations<97> {  // of a DCT of 32
 public:
  // The steps for 1 << n elements after the permutation of 8.7.1.2. stored:
  // elements of the input, from the first on, that may be other than zero.
  constexpr DctSteps(int n, int stored) {
    for (int i = 0; i < stored; ++i) SetInput(Brev(n, i));
    RotateDct(
        n,
        [this](int a, int b, int angle, int flip) {
          AddButterfly(a, b, Cos64(angle), Sin64(angle), flip);
        },
        [this](int a, int b, int flip) { AddHadamard(a, b, flip); });
  }
};

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_TRANSFORM_STEPS_H_
