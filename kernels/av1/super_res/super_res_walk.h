// SPDX-License-Identifier: BSD-2-Clause
// Superresolution's positions and the order of its work (AV1 7.16); the filter
// is up to the variants of the kernel.
//
// A line is upscaled in place, from right to left in pieces: a sample moves to
// the right, so a piece overwrites only samples that no piece to the left of it
// needs, but for a few beside its left edge, which are kept.
#ifndef PERDIX_KERNELS_AV1_SUPER_RES_SUPER_RES_WALK_H_
#define PERDIX_KERNELS_AV1_SUPER_RES_SUPER_RES_WALK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/line_buffers.h"

namespace perdix::av1 {

inline constexpr int kUpscalePiece = 64;  // pixels
inline constexpr int kUpscaleTaps = 8;

// What each pixel of a piece is made of.
struct UpscalePositions {
  int count;
  int first_source;  // pixel of the first tap of the first pixel, not clamped
  int sources;       // pixels from there to the last tap of the last one
  uint16_t source[kUpscalePiece];  // pixel of the first tap, from first_source
  uint8_t phase[kUpscalePiece];    // of kUpscaleFilter
};

// 7.16's variables of a plane, whose widths are not equal to zero.
class UpscaleScale {
 public:
  UpscaleScale(const FrameParams& params, const Params& av1, uint32_t plane) {
    const int shift = static_cast<int>(SubsamplingX(params, plane));
    const int from = (static_cast<int>(params.width) + shift) >> shift;
    width_ = (static_cast<int>(av1.upscaled_width) + shift) >> shift;
    last_source_ = (static_cast<int>(av1.mi_cols * 4) >> shift) - 1;
    step_ = ((from << kScaleBits) + width_ / 2) / width_;
    const int error = width_ * step_ - (from << kScaleBits);
    initial_ = (-((width_ - from) << (kScaleBits - 1)) + width_ / 2) / width_ +
               (1 << (kExtraBits - 1)) - error / 2;
    initial_ &= kScaleMask;
  }

  int width() const { return width_; }  // upscaled
  int last_source() const { return last_source_; }

  // srcX.
  int PositionOf(int x) const {
    return -(1 << kScaleBits) + initial_ + x * step_;
  }

  // What pixels [begin, begin + count) are made of.
  void Positions(int begin, int count, UpscalePositions& positions) const {
    positions.count = count;
    positions.first_source = FirstTap(PositionOf(begin));
    for (int i = 0; i < count; ++i) {
      const int position = PositionOf(begin + i);
      positions.source[i] =
          static_cast<uint16_t>(FirstTap(position) - positions.first_source);
      positions.phase[i] =
          static_cast<uint8_t>((position & kScaleMask) >> kExtraBits);
    }
    positions.sources = positions.source[count - 1] + kUpscaleTaps;
  }

 private:
  static constexpr int kScaleBits = 14;  // SUPERRES_SCALE_BITS
  static constexpr int kScaleMask = (1 << kScaleBits) - 1;
  static constexpr int kExtraBits = 8;     // SUPERRES_EXTRA_BITS
  static constexpr int kFilterOffset = 3;  // SUPERRES_FILTER_OFFSET

  static int FirstTap(int position) {
    return (position >> kScaleBits) - kFilterOffset;
  }

  int width_;
  int last_source_;
  int step_;
  int initial_;
};

// Lines of a plane to be upscaled: those of the target in place, or saved ones.
template <typename Sample>
struct UpscaleLines {
  const Sample* from;
  Sample* to;
  ptrdiff_t from_stride;  // samples
  ptrdiff_t to_stride;
  int count;       // at most kMaxUpscaleLines
  int components;  // samples of a pixel
};

inline constexpr int kMaxUpscaleLines = 64;

// A variant's filter:
//   void operator()(const UpscalePositions& positions,
//                   const uint16_t* sources, Sample* to, int step);
//     sources: one component, from first_source. to: the first sample, the
//     next step samples on.
template <typename Sample, typename Filter>
class SuperResWalk {
 public:
  SuperResWalk(const UpscaleScale& scale, const Filter& filter)
      : scale_(scale), filter_(filter) {}

  void Upscale(const UpscaleLines<Sample>& lines) {
    kept_count_ = 0;
    const int pieces = (scale_.width() + kUpscalePiece - 1) / kUpscalePiece;
    for (int piece = pieces - 1; piece >= 0; --piece) {
      const int begin = piece * kUpscalePiece;
      scale_.Positions(begin, std::min(kUpscalePiece, scale_.width() - begin),
                       positions_);
      for (int line = 0; line < lines.count; ++line) {
        UpscalePiece(lines, begin, line);
      }
      kept_begin_ = begin;
      kept_count_ = std::min(kKept, scale_.last_source() + 1 - begin);
    }
  }

 private:
  // Pixels that a piece needs beyond its right edge: its last one's taps reach
  // 4 pixels from one at or to the left of it.
  static constexpr int kKept = 4;
  // A piece's sources: as many as pixels, and taps around.
  static constexpr int kSources = kUpscalePiece + kUpscaleTaps;

  void UpscalePiece(const UpscaleLines<Sample>& lines, int begin, int line) {
    const Sample* from = lines.from + line * lines.from_stride;
    Sample* to = lines.to + line * lines.to_stride + begin * lines.components;
    uint16_t sources[2][kSources];
    for (int i = 0; i < lines.components; ++i) {
      Load(from + i, lines.components, kept_[line][i], sources[i]);
    }
    for (int k = 0; k < kKept && begin + k <= scale_.last_source(); ++k) {
      for (int i = 0; i < lines.components; ++i) {
        kept_[line][i][k] = from[(begin + k) * lines.components + i];
      }
    }
    for (int i = 0; i < lines.components; ++i) {
      filter_(positions_, sources[i], to + i, lines.components);
    }
  }

  // The piece's sources of one component, of a line whose pixels from
  // kept_begin_ on are overwritten.
  void Load(const Sample* from, int step, const Sample* kept,
            uint16_t* to) const {
    const int first = positions_.first_source;
    const int last = scale_.last_source();
    const int end = first + positions_.sources;
    const int end_from =
        std::min(kept_count_ > 0 ? kept_begin_ : end, last + 1);
    int x = first;
    for (; x < std::min(0, end); ++x) *to++ = from[0];
    if (const int count = std::min(end, end_from) - x; count > 0) {
      CopyComponent(from + x * step, step, count, to);
      to += count;
      x += count;
    }
    for (; x < end; ++x) *to++ = ValueAt(std::min(x, last), from, step, kept);
  }

  // step: 1 or 2.
  static void CopyComponent(const Sample* __restrict from, int step, int count,
                            uint16_t* __restrict to) {
    if (step == 1) {
      for (int i = 0; i < count; ++i) to[i] = from[i];
    } else {
      for (int i = 0; i < count; ++i) to[i] = from[2 * i];
    }
  }

  uint16_t ValueAt(int x, const Sample* from, int step,
                   const Sample* kept) const {
    if (kept_count_ == 0 || x < kept_begin_) return from[x * step];
    return kept[x - kept_begin_];
  }

  const UpscaleScale& scale_;
  const Filter& filter_;
  UpscalePositions positions_;
  int kept_begin_ = 0;
  int kept_count_ = 0;  // 0 before the first piece
  Sample kept_[kMaxUpscaleLines][2][kKept];
};

// Upscales the row's stripes and, where loop restoration needs them, the lines
// that Deblock saved in the row.
template <typename Sample, typename Filter>
void SuperResPlane(const KernelArgs& args, Range range, uint32_t plane,
                   const Filter& filter) {
  const FrameParams& params = *args.params;
  const Params& av1 = ParamsOf(args);
  const UpscaleScale scale(params, av1, plane);
  SuperResWalk<Sample, Filter> walk(scale, filter);
  const Plane& target = args.target.planes[plane];
  const ptrdiff_t stride =
      static_cast<ptrdiff_t>(target.stride_bytes / sizeof(Sample));
  const int components = static_cast<int>(Components(plane));
  const uint32_t shift = SubsamplingY(params, plane);
  const LineBuffers from = DecodedLines(params, av1);
  const LineBuffers to = UpscaledLines(params, av1);
  ForEachStripe(params, range, [&](const Stripe& stripe) {
    Sample* first = target.template Row<Sample>(stripe.begin >> shift);
    walk.Upscale({first, first, stride, stride,
                  static_cast<int>((stripe.end - stripe.begin) >> shift),
                  components});
    if (!UsesRestoration(av1)) return;
    const uint32_t end = DecodedSize(params.height) >> shift;
    const uint32_t saved = LineBuffers::FirstLine(stripe.index, shift);
    for (uint32_t i = 0; i < kBufferedLines && saved + i < end; ++i) {
      walk.Upscale({from.Line<Sample>(args.tables.Of(kCdefLines), plane,
                                      stripe.index, i),
                    to.Line<Sample>(args.tables.Of(kRestorationLines), plane,
                                    stripe.index, i),
                    0, 0, 1, components});
    }
  });
}

template <typename Sample, typename Filter>
void SuperResRows(const KernelArgs& args, Range range, const Filter& filter) {
  const Params& av1 = ParamsOf(args);
  if (!UsesSuperRes(*args.params, av1)) return;
  for (uint32_t plane = 0; plane < PlaneCount(av1); ++plane) {
    SuperResPlane<Sample>(args, range, plane, filter);
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_SUPER_RES_SUPER_RES_WALK_H_
