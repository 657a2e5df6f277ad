// SPDX-License-Identifier: BSD-2-Clause
// Which samples loop restoration filters, by which unit's parameters, and from
// which samples (AV1 7.17, 7.17.1, 7.17.6); the filters are up to the variants
// of the kernel.
//
// A stripe is worked off in pieces of at most 64 pixels' width, from left to
// right. A piece is written when the next one is filtered, which reads three
// pixels of it as they were.
#ifndef PERDIX_KERNELS_AV1_RESTORATION_WALK_H_
#define PERDIX_KERNELS_AV1_RESTORATION_WALK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/saved_lines.h"

namespace perdix::av1 {

inline constexpr int kRestorationPiece = 64;  // pixels, lines
inline constexpr int kRestorationBorder = 3;  // pixels read around a piece
inline constexpr int kSourceLines = kRestorationPiece + 2 * kRestorationBorder;
// Samples from line to line of a component: room for vectors that stick out.
inline constexpr ptrdiff_t kRestorationPitch = kRestorationPiece + 32;
// Samples from line to line of what is filtered, U and V beside each other.
inline constexpr ptrdiff_t kRestoredPitch = 2 * kRestorationPiece;

// RestorationUnit's type.
enum RestorationType : uint32_t { kNone, kWiener, kSelfGuided };

// A piece before it is filtered.
template <typename Sample>
struct RestorationSource {
  // From three lines above it on: the first sample. kRestorationBorder pixels
  // around the piece are there, too, and up to 15 samples behind those.
  const Sample* lines[kSourceLines];
  int width;  // pixels
  int height;
  int components;  // samples of a pixel
  int bit_depth;
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
//                      const RestorationSource<Sample>& source, Sample* to);
//     units: of each component; without a Wiener filter it is copied. to: lines
//     of kRestoredPitch samples; up to 15 behind the piece may be written.
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
        plane_(args.target.planes[plane]),
        units_(args.tables.Of(kRestorationUnits).data()),
        lines_(UsesSuperRes(params_, ParamsOf(args))
                   ? UpscaledLines(params_, ParamsOf(args))
                   : DecodedLines(params_, ParamsOf(args))),
        table_(UsesSuperRes(params_, ParamsOf(args))
                   ? args.tables.Of(kRestorationLines)
                   : args.tables.Of(kCdefLines)) {
    const Params& av1 = ParamsOf(args);
    for (int i = 0; i < components_; ++i) {
      planes_[i] = &av1.restoration[plane + static_cast<uint32_t>(i)];
    }
    const uint32_t shift_x = SubsamplingX(params_, plane);
    shift_y_ = SubsamplingY(params_, plane);
    width_ = static_cast<int>((av1.upscaled_width + shift_x) >> shift_x);
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
    for (int line = 0; line < lines_in_stripe_ + 2 * kRestorationBorder;
         ++line) {
      stripe_[line] = LineOf(SourceOf(line - kRestorationBorder));
    }
    for (int x = 0; x < width_;) {
      const int end = PieceEnd(x);
      FilterPiece(x, end - x);
      x = end;
    }
    StoreLast();
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

  // Where the piece from x on ends: at the next unit, in any component.
  int PieceEnd(int x) const {
    int end = std::min(x + kRestorationPiece, width_);
    for (int i = 0; i < components_; ++i) {
      const RestorationPlane& plane = *planes_[i];
      if (plane.type == 0) continue;
      const uint32_t next = UnitCol(plane, x) + 1;
      if (next == plane.unit_cols) continue;
      end = std::min(end, static_cast<int>(next * plane.unit_size));
    }
    return end;
  }

  void FilterPiece(int x, int width) {
    const RestorationUnit* units[2] = {};
    bool is_of[3] = {};  // by type
    for (int i = 0; i < components_; ++i) {
      if (planes_[i]->type != 0) units[i] = &UnitOf(*planes_[i], x);
      is_of[units[i] == nullptr ? kNone : units[i]->type] = true;
    }
    if (!is_of[kWiener] && !is_of[kSelfGuided]) return StoreLast();
    Load(x, width);
    Sample* const to = restored_[last_ == restored_[0] ? 1 : 0];
    if (is_of[kWiener]) {
      Variant::Wiener(units, source_, to);
    } else if (is_of[kNone]) {
      Copy(to);
    }
    if (is_of[kSelfGuided]) FilterSelfGuided(units, to);
    StoreLast();
    last_ = to;
    last_x_ = x;
    last_width_ = width;
  }

  void Copy(Sample* to) const {
    for (int y = 0; y < source_.height; ++y) {
      std::copy_n(source_.lines[y + kRestorationBorder],
                  source_.width * components_, to + y * kRestoredPitch);
    }
  }

  void FilterSelfGuided(const RestorationUnit* const* units, Sample* to) {
    SplitSource();
    for (int i = 0; i < components_; ++i) {
      if (units[i] == nullptr || units[i]->type != kSelfGuided) continue;
      const RestorationPiece piece = {
          samples_[i] + kRestorationBorder * kRestorationPitch + kMargin,
          source_.width, source_.height, source_.bit_depth};
      Variant::SelfGuided(*units[i], piece, filtered_);
      for (int y = 0; y < piece.height; ++y) {
        const uint16_t* const from = filtered_ + y * kRestorationPiece;
        Sample* const line = to + y * kRestoredPitch;
        if (components_ == 1) {
          Variant::Narrow(from, piece.width, line);
        } else {
          Variant::Put(from, piece.width, i, line);
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

  // Sets source_.
  void Load(int x, int width) {
    source_.width = width;
    source_.height = lines_in_stripe_;
    source_.components = components_;
    source_.bit_depth = static_cast<int>(params_.bit_depth);
    // Vectors may be 16 samples.
    const bool is_inside = x >= kRestorationBorder && width % 16 == 0 &&
                           x + width + kRestorationBorder <= width_;
    for (int line = 0; line < lines_in_stripe_ + 2 * kRestorationBorder;
         ++line) {
      const Sample* const from = stripe_[line] + x * components_;
      // Of the next piece.
      __builtin_prefetch(from + (width + kRestorationBorder) * components_);
      source_.lines[line] = from;
      if (is_inside) continue;
      Sample* const to = padded_[line] + kMargin;
      CopyWithBorder(from, x, width, to);
      source_.lines[line] = to;
    }
  }

  // Pixels outside of the plane are as the closest in it.
  void CopyWithBorder(const Sample* from, int x, int width, Sample* to) const {
    const int begin = std::max(-kRestorationBorder, -x);
    const int end = std::min(width + kRestorationBorder, width_ - x);
    std::copy(from + begin * components_, from + end * components_,
              to + begin * components_);
    const auto copy_pixel = [&](int pixel, int i) {
      std::copy_n(from + pixel * components_, components_,
                  to + i * components_);
    };
    for (int i = -kRestorationBorder; i < begin; ++i) copy_pixel(begin, i);
    for (int i = end; i < width + kRestorationBorder; ++i)
      copy_pixel(end - 1, i);
  }

  // Makes samples_ of source_.
  void SplitSource() {
    const int count = source_.width + 2 * kRestorationBorder;
    for (int line = 0; line < source_.height + 2 * kRestorationBorder; ++line) {
      const Sample* const from =
          source_.lines[line] - kRestorationBorder * components_;
      const ptrdiff_t at =
          line * kRestorationPitch + kMargin - kRestorationBorder;
      if (components_ == 1) {
        Variant::Widen(from, count, samples_[0] + at);
      } else {
        Variant::Split(from, count, samples_[0] + at, samples_[1] + at);
      }
    }
  }

  // Writes the piece that was filtered last.
  void StoreLast() {
    if (last_ == nullptr) return;
    for (int y = 0; y < lines_in_stripe_; ++y) {
      std::copy_n(last_ + y * kRestoredPitch, last_width_ * components_,
                  plane_.template Row<Sample>(static_cast<uint32_t>(y_ + y)) +
                      last_x_ * components_);
    }
    last_ = nullptr;
  }

  static constexpr ptrdiff_t kMargin = 16;  // samples left of a piece's copy

  const FrameParams& params_;
  const uint32_t plane_index_;
  const int components_;
  const Plane& plane_;
  const RestorationUnit* const units_;
  const SavedLines lines_;
  const std::span<uint8_t> table_;
  const RestorationPlane* planes_[2] = {};
  uint32_t shift_y_;
  int width_;   // PlaneEndX + 1
  int height_;  // PlaneEndY + 1

  // Of the stripe.
  uint32_t index_ = 0;
  int y_ = 0;
  int lines_in_stripe_ = 0;
  const Sample* stripe_[kSourceLines];  // lines, and those around

  // Of the piece at hand.
  RestorationSource<Sample> source_;
  alignas(32) Sample padded_[kSourceLines][kRestoredPitch + 2 * kMargin];
  alignas(32) int16_t samples_[2][kSourceLines * kRestorationPitch];
  alignas(32) uint16_t filtered_[kRestorationPiece * kRestorationPiece];

  // Of the piece before, as long as it is not written.
  const Sample* last_ = nullptr;
  int last_x_ = 0;
  int last_width_ = 0;
  alignas(32) Sample restored_[2][kRestorationPiece * kRestoredPitch];
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

#endif  // PERDIX_KERNELS_AV1_RESTORATION_WALK_H_
