// SPDX-License-Identifier: BSD-2-Clause
// Squared errors on vectors: what sse.cc does.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quality/sse_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "kernels/quality/sse.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/quality/lanes-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::quality::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void Sse(const PictureView& reference, const PictureView& decoded,
         QualityWord* sums) {
  MeasureSse(reference, decoded, sums);
}

#else

namespace {

HWY_INLINE HWY_ATTR V16 LoadSamples(const uint8_t* from, int /*shift*/) {
  const hn::Rebind<uint8_t, D16> d;
  return hn::PromoteTo(D16(), hn::LoadU(d, from));
}
HWY_INLINE HWY_ATTR V16 LoadSamples(const uint16_t* from, int shift) {
  return hn::BitCast(D16(), hn::ShiftRightSame(hn::LoadU(DU16(), from), shift));
}

// Sums of the squared errors of the even and of the odd samples.
struct ErrorSums {
  uint64_t even = 0;
  uint64_t odd = 0;
};

// Bits below the value in the samples of each picture.
struct Shifts {
  int reference;
  int decoded;
};

template <typename Sample>
HWY_NOINLINE HWY_ATTR void AddRow(const Sample* a, const Sample* b, int samples,
                                  Shifts shifts, ErrorSums& sums) {
  // With 12 bits so many squares of a lane fit 32 bits.
  constexpr int kPiece = 256 * kLanes16;
  const int whole = samples / kLanes16 * kLanes16;
  const D32 d32;
  int x = 0;
  while (x < whole) {
    const int end = std::min(whole, x + kPiece);
    V32 even = hn::Zero(d32);
    V32 odd = hn::Zero(d32);
    for (; x < end; x += kLanes16) {
      const V32 error =
          hn::BitCast(d32, hn::Sub(LoadSamples(a + x, shifts.reference),
                                   LoadSamples(b + x, shifts.decoded)));
      const V16 even_error = hn::BitCast(D16(), hn::And(error, Set32(0xffff)));
      const V16 odd_error = hn::BitCast(
          D16(),
          hn::BitCast(d32, hn::ShiftRight<16>(hn::BitCast(DU32(), error))));
      even = AddPairProducts(even_error, even_error, even);
      odd = AddPairProducts(odd_error, odd_error, odd);
    }
    const DU32 du32;
    const VU64 zero = hn::Zero(DU64());
    sums.even += uint64_t(SumLanes(AddWords(hn::BitCast(du32, even), zero)));
    sums.odd += uint64_t(SumLanes(AddWords(hn::BitCast(du32, odd), zero)));
  }
  for (; x < samples; ++x) {
    const int error = (a[x] >> shifts.reference) - (b[x] >> shifts.decoded);
    (x % 2 == 0 ? sums.even : sums.odd) += uint64_t(error * error);
  }
}

template <typename Sample>
ErrorSums PlaneErrors(const Plane& a, const Plane& b, int samples,
                      Shifts shifts) {
  ErrorSums sums;
  for (uint32_t y = 0; y < a.height; ++y) {
    AddRow(a.Row<const Sample>(y), b.Row<const Sample>(y), samples, shifts,
           sums);
  }
  return sums;
}

template <typename Sample>
void PictureErrors(const PictureView& reference, const PictureView& decoded,
                   QualityWord* sums) {
  const auto errors = [&](uint32_t plane, uint32_t components) {
    const Plane& a = reference.planes[plane];
    return PlaneErrors<Sample>(a, decoded.planes[plane],
                               int(a.width * components),
                               {int(reference.shift), int(decoded.shift)});
  };
  const ErrorSums luma = errors(kLuma, 1);
  const ErrorSums chroma = errors(kChroma, 2);
  sums[0] = QualityWord(luma.even + luma.odd);
  sums[1] = QualityWord(chroma.even);
  sums[2] = QualityWord(chroma.odd);
}

}  // namespace

void Sse(const PictureView& reference, const PictureView& decoded,
         QualityWord* sums) {
  if (reference.bit_depth > 8) {
    PictureErrors<uint16_t>(reference, decoded, sums);
  } else {
    PictureErrors<uint8_t>(reference, decoded, sums);
  }
}

#endif  // HWY_TARGET

}  // namespace perdix::quality::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::quality {

HWY_EXPORT(Sse);

void MeasureSseSimd(const PictureView& reference, const PictureView& decoded,
                    QualityWord sums[3]) {
  HWY_DYNAMIC_DISPATCH(Sse)(reference, decoded, sums);
}

}  // namespace perdix::quality
#endif
