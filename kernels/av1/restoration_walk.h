// SPDX-License-Identifier: BSD-2-Clause
// Which samples loop restoration filters, by which unit's parameters, and from
// which samples (AV1 7.17, 7.17.1, 7.17.6); the filters are up to the variants
// of the kernel.
//
// A stripe is worked off in pieces of at most 64 columns of a plane, from left
// to right. Samples of a piece and three more around it are copied, one
// component after the other, before any of it is written.
#ifndef PERDIX_KERNELS_AV1_RESTORATION_WALK_H_
#define PERDIX_KERNELS_AV1_RESTORATION_WALK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/saved_lines.h"

namespace perdix::av1 {

inline constexpr int kRestorationPiece = 64;  // columns, lines
inline constexpr int kRestorationBorder = 3;  // samples read around a piece
// Samples from line to line of a piece: room for vectors that stick out.
inline constexpr ptrdiff_t kRestorationPitch = kRestorationPiece + 32;

// RestorationUnit's type.
enum RestorationType : uint32_t { kNone, kWiener, kSelfGuided };

// One component of a piece.
struct RestorationPiece {
  // The first sample; kRestorationBorder around the piece are there, too.
  const int16_t* samples;
  int width;
  int height;
  int bit_depth;
};

// A variant's filters, which write the piece to lines of kRestorationPiece
// samples, and how it takes lines from a picture and puts them back:
//   static void Wiener(const RestorationUnit& unit,
//                      const RestorationPiece& piece, uint16_t* to);
//   static void SelfGuided(likewise);
//   Widen, Split, Narrow, Join: see RestorationLines.
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
  template <typename Sample>
  static void Join(const uint16_t* first, const uint16_t* second, int count,
                   Sample* pairs) {
    for (int i = 0; i < count; ++i) {
      pairs[2 * i] = static_cast<Sample>(first[i]);
      pairs[2 * i + 1] = static_cast<Sample>(second[i]);
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
    left_is_kept_ = false;
    for (int x = 0; x < width_;) {
      const int end = PieceEnd(x);
      FilterPiece(x, end - x);
      x = end;
    }
  }

 private:
  static constexpr int kLines = kRestorationPiece + 2 * kRestorationBorder;

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
    bool filtered = false;
    for (int i = 0; i < components_; ++i) {
      if (planes_[i]->type == 0) continue;
      units[i] = &UnitOf(*planes_[i], x);
      if (units[i]->type == kNone) units[i] = nullptr;
      filtered = filtered || units[i] != nullptr;
    }
    if (!filtered) {
      left_is_kept_ = false;
      return;
    }
    Load(x, width);
    for (int i = 0; i < components_; ++i) FilterComponent(i, units[i], width);
    Store(x, width);
  }

  void FilterComponent(int i, const RestorationUnit* unit, int width) {
    const RestorationPiece piece = {
        samples_[i] + kRestorationBorder * kRestorationPitch + kMargin, width,
        lines_in_stripe_, static_cast<int>(params_.bit_depth)};
    if (unit == nullptr) {
      for (int y = 0; y < piece.height; ++y) {
        std::copy_n(piece.samples + y * kRestorationPitch, width,
                    result_[i] + y * kRestorationPiece);
      }
    } else if (unit->type == kWiener) {
      Variant::Wiener(*unit, piece, result_[i]);
    } else {
      Variant::SelfGuided(*unit, piece, result_[i]);
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

  // Of both components, as the stripe and its surroundings are before it is
  // filtered.
  void Load(int x, int width) {
    for (int line = 0; line < kRestorationBorder * 2 + lines_in_stripe_;
         ++line) {
      const int source = SourceOf(line - kRestorationBorder);
      LoadLine(LineOf(source), x, width, line * kRestorationPitch + kMargin);
      if (!left_is_kept_ || !IsInStripe(source)) continue;
      for (int i = 0; i < components_; ++i) {
        std::copy_n(left_[i][source], kRestorationBorder,
                    samples_[i] + line * kRestorationPitch + kMargin -
                        kRestorationBorder);
      }
    }
    KeepLeft(width);
  }

  // at: of samples_.
  void LoadLine(const Sample* from, int x, int width, ptrdiff_t at) {
    from += x * components_;
    // Of the next piece.
    __builtin_prefetch(from + (width + kRestorationBorder) * components_);
    const int begin = std::max(-kRestorationBorder, -x);
    const int end = std::min(width + kRestorationBorder, width_ - x);
    from += begin * components_;
    int16_t* const first = samples_[0] + at + begin;
    if (components_ == 1) {
      Variant::Widen(from, end - begin, first);
    } else {
      Variant::Split(from, end - begin, first, samples_[1] + at + begin);
    }
    for (int c = 0; c < components_; ++c) {
      int16_t* const to = samples_[c] + at;
      for (int i = -kRestorationBorder; i < begin; ++i) to[i] = to[begin];
      for (int i = end; i < width + kRestorationBorder; ++i)
        to[i] = to[end - 1];
    }
  }

  // For the next piece: the last columns of this one.
  void KeepLeft(int width) {
    left_is_kept_ = true;
    for (int i = 0; i < components_; ++i) {
      const int16_t* from = samples_[i] +
                            kRestorationBorder * kRestorationPitch + kMargin +
                            width - kRestorationBorder;
      for (int y = 0; y < lines_in_stripe_; ++y, from += kRestorationPitch) {
        std::copy_n(from, kRestorationBorder, left_[i][y]);
      }
    }
  }

  void Store(int x, int width) const {
    for (int y = 0; y < lines_in_stripe_; ++y) {
      Sample* to = plane_.template Row<Sample>(static_cast<uint32_t>(y_ + y)) +
                   x * components_;
      const uint16_t* first = result_[0] + y * kRestorationPiece;
      const uint16_t* second = result_[1] + y * kRestorationPiece;
      if (components_ == 1) {
        Variant::Narrow(first, width, to);
      } else {
        Variant::Join(first, second, width, to);
      }
    }
  }

  static constexpr ptrdiff_t kMargin = 16;  // samples left of a piece

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
  // Whether the piece to the left is written; left_ has its last columns then.
  bool left_is_kept_ = false;
  int16_t left_[2][kRestorationPiece][kRestorationBorder];

  alignas(32) int16_t samples_[2][kLines * kRestorationPitch];
  alignas(32) uint16_t result_[2][kRestorationPiece * kRestorationPiece];
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
