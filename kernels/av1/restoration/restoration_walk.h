// SPDX-License-Identifier: BSD-2-Clause
// Which samples loop restoration filters, by which unit's parameters, and from
// which samples (AV1 7.17, 7.17.1, 7.17.6); the filters are up to the variants
// of the kernel.
//
// A stripe is worked off in pieces, from left to right and in place. A filter
// reads copies of a piece's lines, and what it needs of the piece before is
// kept as it was.
#ifndef PERDIX_KERNELS_AV1_RESTORATION_RESTORATION_WALK_H_
#define PERDIX_KERNELS_AV1_RESTORATION_RESTORATION_WALK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/line_buffers.h"

namespace perdix::av1 {

inline constexpr int kRestorationPiece = 64;  // pixels, lines
inline constexpr int kRestorationBorder = 3;  // pixels read around a piece
// Samples of a piece without a self-guided filter.
inline constexpr int kWienerPiece = 512;
// A stripe's lines and those around; another one, as Wiener takes them in
// pairs.
inline constexpr int kSourceLines =
    kRestorationPiece + 2 * kRestorationBorder + 1;
// Samples from line to line of a component: room for vectors that stick out.
inline constexpr ptrdiff_t kRestorationPitch = kRestorationPiece + 32;

// RestorationUnit's type.
enum RestorationType : uint32_t { kNone, kWiener, kSelfGuided };

// A piece of a stripe.
struct RestorationExtent {
  int x;  // pixels
  int width;
  int height;
  int components;  // samples of a pixel
  int bit_depth;
};

// The lines of a stripe as they are before it is filtered.
template <typename Sample>
class RestorationSource {
 public:
  // From three lines above the stripe on: where a line of the plane begins.
  const Sample* lines[kSourceLines];
  RestorationExtent piece;

  // plane_width: pixels.
  explicit RestorationSource(int plane_width) : plane_width_(plane_width) {}

  // Goes on to a piece that is as it was. is_behind_filtered: what ends at its
  // x is not.
  void Begin(const RestorationExtent& next, bool is_behind_filtered) {
    piece = next;
    left_ = is_behind_filtered ? kept_[kept_index_] : nullptr;
    kept_index_ ^= 1;
    const int end = next.x + next.width;
    if (end == plane_width_) return;
    for (int line = 0; line <= next.height + 2 * kRestorationBorder; ++line) {
      std::copy_n(lines[line] + end * next.components - kBorderSamples,
                  kBorderSamples, kept_[kept_index_][line]);
    }
  }

  // The piece's first sample in a copy of a line, which stands until the same
  // copy is asked for again. kRestorationBorder pixels around the piece are
  // there, too, and room for vectors that stick out. copy: 0 or 1.
  const Sample* Line(int line, int copy) {
    Sample* const to = copies_[copy] + kMargin;
    const Sample* const from = lines[line] + piece.x * piece.components;
    const int inside =
        std::min(piece.width + kRestorationBorder, plane_width_ - piece.x);
    Sample* const end = std::copy_n(from, inside * piece.components, to);
    for (int i = inside; i < piece.width + kRestorationBorder; ++i) {
      CopyPixel(end - piece.components, to + i * piece.components);
    }
    if (left_ != nullptr) {
      std::copy_n(left_[line], kBorderSamples, to - kBorderSamples);
    } else if (piece.x != 0) {
      std::copy_n(from - kBorderSamples, kBorderSamples, to - kBorderSamples);
    } else {
      for (int i = 1; i <= kRestorationBorder; ++i) {
        CopyPixel(to, to - i * piece.components);
      }
    }
    return to;
  }

 private:
  static constexpr int kMargin = 32;  // samples left of a copy
  static constexpr int kVector = 64;  // that stick out
  // Samples kept of the piece before: what one instruction copies.
  static constexpr int kBorderSamples = 8;
  static_assert(kBorderSamples >= 2 * kRestorationBorder);

  // Without a call for one sample or two.
  void CopyPixel(const Sample* from, Sample* to) const {
    to[0] = from[0];
    to[piece.components - 1] = from[piece.components - 1];
  }

  const int plane_width_;
  // The last samples of the lines of this piece and of the one before.
  Sample kept_[2][kSourceLines][kBorderSamples];
  int kept_index_ = 0;  // this piece's
  const Sample (*left_)[kBorderSamples] = nullptr;
  alignas(64) Sample copies_[2][kMargin + kWienerPiece + kVector];
};

// One component of a piece.
struct RestorationPiece {
  // The first sample; kRestorationBorder around the piece are there, too.
  const int16_t* samples;
  int width;
  int height;
  int bit_depth;
};

// RestorationUnit's taps of one direction; without a Wiener filter those that
// change nothing.
inline uint32_t WienerTapsOf(const RestorationUnit* unit,
                             uint32_t RestorationUnit::*direction) {
  return unit != nullptr && unit->type == kWiener ? unit->*direction : 0;
}

// A variant's part:
//   static void Wiener(const RestorationUnit* const* units,
//                      RestorationSource<Sample>& source,
//                      const Plane& plane, int y);
//     units: of each component; without a Wiener filter it stays as it is. y:
//     the stripe's first line in the plane.
//   static void SelfGuided(const RestorationUnit& unit,
//                          const RestorationPiece& piece, uint16_t* to);
//     to: lines of kRestorationPiece samples.
//   Widen, Split, Narrow, Put: see RestorationLines.
// Lines of count samples or pairs, plainly.
struct RestorationLines {
  template <typename Sample>
  static void Widen(const Sample* from, int count, int16_t* to) {
    for (int i = 0; i < count; ++i) to[i] = static_cast<int16_t>(from[i]);
  }
  template <typename Sample>
  static void Split(const Sample* pairs, int count, int16_t* first,
                    int16_t* second) {
    for (int i = 0; i < count; ++i) {
      first[i] = static_cast<int16_t>(pairs[2 * i]);
      second[i] = static_cast<int16_t>(pairs[2 * i + 1]);
    }
  }
  template <typename Sample>
  static void Narrow(const uint16_t* from, int count, Sample* to) {
    for (int i = 0; i < count; ++i) to[i] = static_cast<Sample>(from[i]);
  }
  // component: 0 or 1, which is written.
  template <typename Sample>
  static void Put(const uint16_t* from, int count, int component,
                  Sample* pairs) {
    for (int i = 0; i < count; ++i) {
      pairs[2 * i + component] = static_cast<Sample>(from[i]);
    }
  }
};

template <typename Sample, typename Variant>
class RestorationWalk {
 public:
  RestorationWalk(const KernelArgs& args, uint32_t plane)
      : params_(*args.params),
        plane_index_(plane),
        components_(static_cast<int>(Components(plane))),
        width_(static_cast<int>(
            (ParamsOf(args).upscaled_width + SubsamplingX(params_, plane)) >>
            SubsamplingX(params_, plane))),
        plane_(args.target.planes[plane]),
        units_(args.tables.Of(kRestorationUnits).data()),
        lines_(UsesSuperRes(params_, ParamsOf(args))
                   ? UpscaledLines(params_, ParamsOf(args))
                   : DecodedLines(params_, ParamsOf(args))),
        table_(UsesSuperRes(params_, ParamsOf(args))
                   ? args.tables.Of(kRestorationLines)
                   : args.tables.Of(kCdefLines)),
        source_(width_) {
    const Params& av1 = ParamsOf(args);
    for (int i = 0; i < components_; ++i) {
      planes_[i] = &av1.restoration[plane + static_cast<uint32_t>(i)];
    }
    shift_y_ = SubsamplingY(params_, plane);
    height_ = static_cast<int>((params_.height + shift_y_) >> shift_y_);
  }

  bool IsNeeded() const {
    return planes_[0]->type != 0 || (components_ == 2 && planes_[1]->type != 0);
  }

  void FilterStripe(const Stripe& stripe) {
    index_ = stripe.index;
    y_ = static_cast<int>(stripe.begin >> shift_y_);
    lines_in_stripe_ =
        std::min(static_cast<int>(stripe.end >> shift_y_), height_) - y_;
    for (int line = 0; line <= lines_in_stripe_ + 2 * kRestorationBorder;
         ++line) {
      source_.lines[line] = LineOf(SourceOf(line - kRestorationBorder));
    }
    bool is_filtered = false;
    for (int x = 0; x < width_;) {
      const Units units = UnitsOf(x);
      const int end = PieceEnd(x, units.is_of[kSelfGuided]);
      const bool was_filtered = is_filtered;
      is_filtered = units.is_of[kWiener] || units.is_of[kSelfGuided];
      if (is_filtered) {
        source_.Begin({x, end - x, lines_in_stripe_, components_,
                       static_cast<int>(params_.bit_depth)},
                      was_filtered);
        FilterPiece(units);
      }
      x = end;
    }
  }

 private:
  // ---- units (7.17.1) ----

  static uint32_t UnitCol(const RestorationPlane& plane, int x) {
    return std::min(plane.unit_cols - 1,
                    static_cast<uint32_t>(x) / plane.unit_size);
  }

  // All of a stripe is in one row of units, as unit sizes are multiples of its
  // height.
  const RestorationUnit& UnitOf(const RestorationPlane& plane, int x) const {
    const uint32_t y = (index_ * 64) >> shift_y_;
    const uint32_t row = std::min(plane.unit_rows - 1, y / plane.unit_size);
    return units_[plane.first + row * plane.unit_cols + UnitCol(plane, x)];
  }

  // At a pixel, of each component that has some.
  struct Units {
    const RestorationUnit* of[2] = {};
    bool is_of[3] = {};  // by type
  };
  Units UnitsOf(int x) const {
    Units units;
    for (int i = 0; i < components_; ++i) {
      if (planes_[i]->type != 0) units.of[i] = &UnitOf(*planes_[i], x);
      units.is_of[units.of[i] == nullptr ? kNone : units.of[i]->type] = true;
    }
    return units;
  }

  // Where the piece from x on ends: at the next unit, in any component.
  int PieceEnd(int x, bool is_self_guided) const {
    int end = std::min(
        x + (is_self_guided ? kRestorationPiece : kWienerPiece / components_),
        width_);
    for (int i = 0; i < components_; ++i) {
      const RestorationPlane& plane = *planes_[i];
      if (plane.type == 0) continue;
      const uint32_t next = UnitCol(plane, x) + 1;
      if (next == plane.unit_cols) continue;
      end = std::min(end, static_cast<int>(next * plane.unit_size));
    }
    return end;
  }

  void FilterPiece(const Units& units) {
    if (units.is_of[kSelfGuided]) SplitSource();
    if (units.is_of[kWiener]) Variant::Wiener(units.of, source_, plane_, y_);
    if (units.is_of[kSelfGuided]) FilterSelfGuided(units);
  }

  void FilterSelfGuided(const Units& units) {
    for (int i = 0; i < components_; ++i) {
      if (units.of[i] == nullptr || units.of[i]->type != kSelfGuided) continue;
      const RestorationPiece piece = {
          samples_[i] + kRestorationBorder * kRestorationPitch + kMargin,
          source_.piece.width, source_.piece.height, source_.piece.bit_depth};
      Variant::SelfGuided(*units.of[i], piece, filtered_);
      for (int y = 0; y < piece.height; ++y) {
        const uint16_t* const from = filtered_ + y * kRestorationPiece;
        Sample* const to =
            plane_.template Row<Sample>(static_cast<uint32_t>(y_ + y)) +
            source_.piece.x * components_;
        if (components_ == 1) {
          Variant::Narrow(from, piece.width, to);
        } else {
          Variant::Put(from, piece.width, i, to);
        }
      }
    }
  }

  // ---- samples (7.17.6) ----

  // Where line <line> of the stripe, from -3 to 2 past its end, is read: the
  // same, but not outside the plane.
  int SourceOf(int line) const {
    return std::clamp(y_ + line, 0, height_ - 1) - y_;
  }
  bool IsInStripe(int source) const {
    return source >= 0 && source < lines_in_stripe_;
  }
  const Sample* LineOf(int source) const {
    if (source < 0) return Saved(index_ - 1, std::max(source + 2, 0));
    if (!IsInStripe(source))
      return Saved(index_, 2 + std::min(source - lines_in_stripe_, 1));
    return plane_.template Row<Sample>(static_cast<uint32_t>(y_ + source));
  }
  const Sample* Saved(uint32_t slot, int line) const {
    return lines_.template Line<Sample>(table_, plane_index_, slot,
                                        static_cast<uint32_t>(line));
  }

  // Makes samples_ of the piece.
  void SplitSource() {
    const int count = source_.piece.width + 2 * kRestorationBorder;
    for (int line = 0; line < source_.piece.height + 2 * kRestorationBorder;
         ++line) {
      const Sample* const from =
          source_.Line(line, 0) - kRestorationBorder * components_;
      const ptrdiff_t at =
          line * kRestorationPitch + kMargin - kRestorationBorder;
      if (components_ == 1) {
        Variant::Widen(from, count, samples_[0] + at);
      } else {
        Variant::Split(from, count, samples_[0] + at, samples_[1] + at);
      }
    }
  }

  static constexpr ptrdiff_t kMargin = 16;  // samples left of a piece's copy

  const FrameParams& params_;
  const uint32_t plane_index_;
  const int components_;
  const int width_;  // PlaneEndX + 1
  const Plane& plane_;
  const RestorationUnit* const units_;
  const LineBuffers lines_;
  const std::span<uint8_t> table_;
  const RestorationPlane* planes_[2] = {};
  uint32_t shift_y_;
  int height_;  // PlaneEndY + 1

  // Where the stripe is, and its samples.
  uint32_t index_ = 0;
  int y_ = 0;
  int lines_in_stripe_ = 0;
  RestorationSource<Sample> source_;

  // Samples and results of a piece with a self-guided filter.
  alignas(32) int16_t samples_[2][kSourceLines * kRestorationPitch];
  alignas(32) uint16_t filtered_[kRestorationPiece * kRestorationPiece];
};

template <typename Sample, typename Variant>
void LoopRestorationRows(const KernelArgs& args, Range range) {
  for (uint32_t plane = 0; plane < PlaneCount(ParamsOf(args)); ++plane) {
    RestorationWalk<Sample, Variant> walk(args, plane);
    if (!walk.IsNeeded()) continue;
    ForEachStripe(*args.params, range,
                  [&](const Stripe& stripe) { walk.FilterStripe(stripe); });
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_RESTORATION_RESTORATION_WALK_H_
