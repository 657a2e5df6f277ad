// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (VP9 8.5.2): motion vector clamping and scaling, block
// interpolation, averaging of compound predictions. Residual is not added here.
//
// Reads: inter_blocks, the references' planes. Writes: the target's planes.
// Work item: one InterBlock. Order: any.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/vp9/block_interpolation.h"
#include "kernels/vp9/kernels.h"

namespace perdix::vp9 {
namespace {

// ref[][] of VP9 8.5.2.4 from x.FirstPixel(), y.FirstPixel() on: coordinates
// are clamped to the frame.
template <typename Sample, int kPixelStep>
class ClampedSource {
 public:
  // shift: PictureView::shift.
  ClampedSource(const Plane& plane, uint32_t shift, const Axis& x,
                const Axis& y) {
    const int last_x = static_cast<int>(plane.width) - 1;
    const int last_y = static_cast<int>(plane.height) - 1;
    for (int r = 0; r < y.SourceSize(); ++r) {
      const int row = std::clamp(y.FirstPixel() + r, 0, last_y);
      const Sample* line = plane.Row<Sample>(static_cast<uint32_t>(row));
      for (int c = 0; c < x.SourceSize(); ++c) {
        const int column = std::clamp(x.FirstPixel() + c, 0, last_x);
        for (int i = 0; i < kPixelStep; ++i) {
          ref_[r][c * kPixelStep + i] =
              static_cast<Sample>(line[column * kPixelStep + i] >> shift);
        }
      }
    }
  }

  Pixels<const Sample> pixels() const {
    return {ref_[0], kMaxSource * kPixelStep};
  }

 private:
  Sample ref_[kMaxSource][kMaxSource * kPixelStep];
};

// The filter at a position on count samples side by side, whose taps are
// tap_stride samples apart.
template <typename Sample>
void Filter(const Interpolation<Sample>& block, int position,
            const Sample* first, ptrdiff_t tap_stride, int count, Sample* out) {
  const auto& filter = kSubpelFilters[block.filter][position & kSubpelMask];
  if ((position & kSubpelMask) == 0) {  // the identity
    std::copy_n(first + kTapsBefore * tap_stride, count, out);
    return;
  }
  for (int i = 0; i < count; ++i) {
    int sum = 1 << (kFilterBits - 1);
    for (int t = 0; t < kTaps; ++t)
      sum += filter[t] * first[t * tap_stride + i];
    out[i] = static_cast<Sample>(
        std::clamp(sum >> kFilterBits, 0, block.max_sample));
  }
}

struct Scalar {
  template <typename Sample, int kPixelStep>
  using Source = ClampedSource<Sample, kPixelStep>;

  // VP9 8.5.2.4: first each row of the reference, then each column.
  template <int kPixelStep, typename Sample>
  static void Interpolate(const Interpolation<Sample>& block) {
    const auto& [source, x, y, kind, max_sample, average, target] = block;
    constexpr int kStride = kMaxBlock * kPixelStep;
    Sample intermediate[kMaxSource * kStride];
    // Pixels side by side that have the same filter.
    const int run = x.IsScaled() ? 1 : x.size;
    for (int r = 0; r < y.SourceSize(); ++r) {
      const Sample* line = source.data + r * source.stride;
      for (int c = 0; c < x.size; c += run) {
        const int position = x.Fraction() + x.step * c;
        Filter(block, position, line + (position >> kSubpelBits) * kPixelStep,
               kPixelStep, run * kPixelStep,
               intermediate + r * kStride + c * kPixelStep);
      }
    }
    Sample pred[kStride];
    for (int r = 0; r < y.size; ++r) {
      const int position = y.Fraction() + y.step * r;
      Filter(block, position,
             intermediate + (position >> kSubpelBits) * kStride, kStride,
             x.size * kPixelStep, pred);
      Sample* line = target.data + r * target.stride;
      for (int i = 0; i < x.size * kPixelStep; ++i) {
        line[i] = average ? static_cast<Sample>((line[i] + pred[i] + 1) >> 1)
                          : pred[i];
      }
    }
  }
};

}  // namespace

template <typename Sample>
void InterPred(const KernelArgs& args, Range range) {
  PredictInterBlocks<Scalar, Sample>(args, range);
}

template void InterPred<uint8_t>(const KernelArgs&, Range);
template void InterPred<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::vp9
