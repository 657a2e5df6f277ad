// SPDX-License-Identifier: BSD-2-Clause
// Directional intra prediction (7.11.2.4) on vectors, for each Highway target:
// what intra_block.h does. Included by intra_pred_simd.cc only.
//
// An edge that is upsampled (7.11.2.11) stays in two arrays, of the pixels and
// of those halfway between them: whatever row of a block begins between two
// entries of the whole, it is made of one from each array.
#if defined(PERDIX_KERNELS_AV1_INTRA_DIRECTIONAL_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_INTRA_DIRECTIONAL_INL_H_
#undef PERDIX_KERNELS_AV1_INTRA_DIRECTIONAL_INL_H_
#else
#define PERDIX_KERNELS_AV1_INTRA_DIRECTIONAL_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/av1/intra/edge_predictor.h"
#include "kernels/av1/intra/intra_modes-inl.h"
#include "kernels/simd/edge_samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A row of pixels between two arrays, 32768ths on the way to the second.
template <typename Sample>
struct Between {
  const Sample* from;
  const Sample* to;
  int16_t factor;
};

// from + Round2( (to - from) * shift, 5 ) of kLanes samples.
template <int kLanes, typename Sample>
HWY_INLINE auto Interpolated(const Between<Sample>& row, int i) {
  const hn::FixedTag<int16_t, kLanes> d;
  const hn::FixedTag<Sample, kLanes> samples;
  const auto from = Load16<kLanes>(row.from + i);
  const auto to = Load16<kLanes>(row.to + i);
  const auto sum = hn::Add(
      from, hn::MulFixedPoint15(hn::Sub(to, from), hn::Set(d, row.factor)));
  if constexpr (sizeof(Sample) == 1) {
    return hn::DemoteTo(samples, sum);
  } else {
    return hn::BitCast(samples, sum);
  }
}

// An edge, upsampled where halves is not null: pixel i of it, -0.5 for halves.
template <typename Sample, int kStep>
struct EdgeLine {
  const Sample* pixels;
  const Sample* halves;

  // The pixels from index on, 64ths of a pixel.
  HWY_INLINE Between<Sample> At(int index) const {
    if (halves == nullptr) {
      const Sample* from = pixels + kStep * (index >> 6);
      return {from, from + kStep, Factor(index >> 1)};
    }
    const int pixel = index >> 6;
    const Sample* half = halves + kStep * (pixel + 1);
    if ((index & 32) == 0) {
      return {pixels + kStep * pixel, half, Factor(index)};
    }
    return {half, pixels + kStep * (pixel + 1), Factor(index)};
  }

 private:
  static HWY_INLINE int16_t Factor(int shift) {
    return static_cast<int16_t>((shift & 31) << 10);
  }
};

template <typename Sample, int kStep>
class EdgesOnVectors : public Edges<Sample, kStep> {
 public:
  using Base = Edges<Sample, kStep>;
  using Base::Base;

  // 7.11.2.12.
  void FilterAbove(int size, int strength) {
    if (strength != 0) Filter(this->above_ + kOrigin, size, strength);
  }
  void FilterLeft(int size, int strength) {
    if (strength != 0) Filter(this->left_ + kOrigin, size, strength);
  }

  // 7.11.2.11. Another layout than the scalar one: see EdgeLine.
  void UpsampleAbove(int count) {
    Upsample(this->above_ + kOrigin, count, this->depth_.MaxSample(),
             above_halves_ + kOrigin);
  }
  void UpsampleLeft(int count) {
    Upsample(this->left_ + kOrigin, count, this->depth_.MaxSample(),
             left_halves_ + kOrigin);
  }

  EdgeLine<Sample, kStep> AboveLine(const Direction& d) const {
    return {this->Above(),
            d.upsample_above ? above_halves_ + kOrigin : nullptr};
  }
  EdgeLine<Sample, kStep> LeftLine(const Direction& d) const {
    return {this->Left(), d.upsample_left ? left_halves_ + kOrigin : nullptr};
  }

 private:
  static constexpr int kOrigin = Base::kOrigin;
  // Blocks of up to 8x8 have as many pixels of an edge at most.
  static constexpr int kHalves = 24;
  static constexpr int kLanes = kWideLanes;

  static HWY_NOINLINE void Filter(Sample* edge, int size, int strength) {
    const hn::FixedTag<uint16_t, kLanes> d;
    const uint8_t* taps = kEdgeFilter[strength - 1];
    // edge[-1..size - 2] with two more pixels at each end.
    Sample copy[kStep * (129 + 4) + kLanes];
    const int count = kStep * (size - 1);
    std::memcpy(copy, edge - kStep, Base::PixelBytes(1));
    std::memcpy(copy + kStep, edge - kStep, Base::PixelBytes(1));
    CopyAll(edge - kStep, kStep * size, copy + 2 * kStep);
    Base::Repeat(copy, size + 2, size + 4);
    // Vectors overwrite what follows.
    Sample after[kLanes];
    std::memcpy(after, edge + count, sizeof(after));
    const auto load = [&](int i) HWY_ATTR {
      return hn::BitCast(d, Load16<kLanes>(copy + 3 * kStep + i));
    };
    for (int i = 0; i < count; i += kLanes) {
      const auto near = hn::Add(load(i - kStep), load(i + kStep));
      const auto far = hn::Add(load(i - 2 * kStep), load(i + 2 * kStep));
      const auto sum =
          hn::Add(hn::Add(hn::Mul(load(i), hn::Set(d, taps[0])),
                          hn::Mul(near, hn::Set(d, taps[1]))),
                  hn::Add(hn::Mul(far, hn::Set(d, taps[2])), hn::Set(d, 8)));
      Store(hn::ShiftRight<4>(sum), edge + i);
    }
    std::memcpy(edge + count, after, sizeof(after));
  }

  // halves[i] lies between edge[i - 1] and edge[i]. Both go on with the last
  // pixel.
  static HWY_NOINLINE void Upsample(Sample* edge, int count, int max,
                                    Sample* halves) {
    const hn::FixedTag<int16_t, kLanes> d;
    std::memcpy(edge - 2 * kStep, edge - kStep, Base::PixelBytes(1));
    Base::Repeat(edge, count, kHalves);
    for (int i = 0; i < kStep * count; i += kLanes) {
      const auto near =
          hn::Add(Load16<kLanes>(edge + i - kStep), Load16<kLanes>(edge + i));
      const auto far = hn::Add(Load16<kLanes>(edge + i - 2 * kStep),
                               Load16<kLanes>(edge + i + kStep));
      // Round2( 9 * near - far, 4 ), which may need more than 16 bits.
      const auto eighths = hn::ShiftRight<3>(hn::Sub(near, far));
      const auto sum =
          hn::ShiftRight<1>(hn::Add(hn::Add(near, eighths), hn::Set(d, 1)));
      StoreWide<1, kLanes>(sum, 1, max, Pixels<Sample>{halves + i, 0});
    }
    for (int i = count; i < kHalves; ++i) {
      std::memcpy(halves + kStep * i, edge + kStep * (count - 1),
                  Base::PixelBytes(1));
    }
  }

  static HWY_INLINE void CopyAll(const Sample* from, int count, Sample* to) {
    const hn::FixedTag<Sample, kLanes> d;
    for (int i = 0; i < count; i += kLanes) {
      hn::StoreU(hn::LoadU(d, from + i), d, to + i);
    }
  }

  template <class V>
  static HWY_INLINE void Store(V v, Sample* to) {
    const hn::FixedTag<Sample, kLanes> d;
    if constexpr (sizeof(Sample) == 1) {
      hn::StoreU(Narrow(d, v), d, to);
    } else {
      hn::StoreU(v, d, to);
    }
  }

  alignas(64) Sample above_halves_[kStep * (16 + kHalves + 16)];
  alignas(64) Sample left_halves_[kStep * (16 + kHalves + 16)];
};

// Row i of <rows> begins at (i + 1) * step along the edge.
template <typename Sample, int kStep>
HWY_INLINE void PredictRows(const EdgeLine<Sample, kStep>& line, int step,
                            BlockExtent extent, Output<Sample> out) {
  ForStrips<kWideLanes>(kStep * extent.width, [&](auto lanes, int k) HWY_ATTR {
    constexpr int kLanes = decltype(lanes)::value;
    Sample* to = out.data + k;
    for (int i = 1; i <= extent.height; ++i, to += out.stride) {
      hn::StoreU(Interpolated<kLanes>(line.At(i * step), k),
                 hn::FixedTag<Sample, kLanes>(), to);
    }
  });
}

// Columns of a block, each stored as a row; vectors may be written beyond.
template <typename Sample, int kStep>
class TurnedRows {
 public:
  explicit TurnedRows(int height) : stride_(kStep * height) {}

  Output<Sample> output() { return {samples_, stride_}; }

  // The first <columns> of them, of at least 4, to the block; more where that
  // is no multiple of a tile's columns. width: of the block.
  HWY_INLINE void WriteTo(Output<Sample> out, int columns, int width,
                          int height) const {
    if (kMaxTile == 8 && width >= 8 && height >= 8) {
      WriteTiles<kMaxTile>(out, columns, height);
    } else {
      WriteTiles<4>(out, columns, height);
    }
  }

 private:
  using Pixel = PixelWord<Sample, kStep>;
  static constexpr int kMaxTile = sizeof(Pixel) == 4 ? 4 : 8;

  template <int kTile>
  HWY_INLINE void WriteTiles(Output<Sample> out, int columns,
                             int height) const {
    const hn::FixedTag<Pixel, kTile> d;
    for (int x = 0; x < columns; x += kTile) {
      for (int y = 0; y < height; y += kTile) {
        hn::VFromD<decltype(d)> rows[kTile];
        for (int i = 0; i < kTile; ++i) {
          rows[i] = hn::LoadU(d, reinterpret_cast<const Pixel*>(
                                     samples_ + (x + i) * stride_ + kStep * y));
        }
        simd::HWY_NAMESPACE::Interleave<kTile>(d, rows);
        for (int i = 0; i < kTile; ++i) {
          hn::StoreU(rows[i], d,
                     reinterpret_cast<Pixel*>(out.Row(y + i) + kStep * x));
        }
      }
    }
  }

  const ptrdiff_t stride_;
  alignas(64) Sample samples_[64 * 64 * kStep + kWideLanes];
};

struct DirectionsOnVectors {
  // The edges must be prepared.
  template <typename Sample, int kStep>
  static HWY_NOINLINE void Directional(const Direction& d,
                                       EdgesOnVectors<Sample, kStep>& edges,
                                       Output<Sample> out) {
    if (d.angle < 90) {
      FromAbove(d, edges, out);
    } else if (d.angle < 180) {
      FromBoth(d, edges, out);
    } else {
      FromLeft(d, edges, out);
    }
  }

 private:
  template <typename Sample, int kStep>
  static HWY_INLINE void FromAbove(const Direction& d,
                                   EdgesOnVectors<Sample, kStep>& edges,
                                   Output<Sample> out) {
    const int step = kDirectionStep[d.angle];
    if (!d.upsample_above) {
      edges.ExtendAbove(d.Size(), ((d.height * step) >> 6) + d.width + 1);
    }
    PredictRows(edges.AboveLine(d), step, {d.width, d.height}, out);
  }

  template <typename Sample, int kStep>
  static HWY_INLINE void FromLeft(const Direction& d,
                                  const EdgesOnVectors<Sample, kStep>& edges,
                                  Output<Sample> out) {
    TurnedRows<Sample, kStep> turned(d.height);
    PredictRows(edges.LeftLine(d), kDirectionStep[270 - d.angle],
                {d.height, d.width}, turned.output());
    turned.WriteTo(out, d.width, d.width, d.height);
  }

  // First what comes from the left, then the rest of each row.
  template <typename Sample, int kStep>
  static HWY_INLINE void FromBoth(const Direction& d,
                                  const EdgesOnVectors<Sample, kStep>& edges,
                                  Output<Sample> out) {
    const int dx = kDirectionStep[180 - d.angle];
    TurnedRows<Sample, kStep> turned(d.height);
    const int columns = PredictLeftColumns(d, dx, kDirectionStep[d.angle - 90],
                                           edges.LeftLine(d), turned.output());
    turned.WriteTo(out, columns, d.width, d.height);
    PredictAboveParts(d, dx, edges.AboveLine(d), out);
  }

  // Column j from the row on in which (row + 1) * dx > 64 * (j + 1), as far as
  // there are such rows. Returns how many columns have some. What a vector
  // writes beyond a column is where the next ones are written.
  template <typename Sample, int kStep>
  static HWY_INLINE int PredictLeftColumns(const Direction& d, int dx, int dy,
                                           const EdgeLine<Sample, kStep>& left,
                                           Output<Sample> turned) {
    const hn::FixedTag<Sample, kWideLanes> tag;
    int first = 0;
    for (int j = 0; j < d.width; ++j) {
      while (first < d.height && (first + 1) * dx <= 64 * (j + 1)) ++first;
      if (first == d.height) return j;
      const Between<Sample> row = left.At((first << 6) - (j + 1) * dy);
      Sample* const to = turned.Row(j) + kStep * first;
      const int count = kStep * (d.height - first);
      for (int k = 0; k < count; k += kWideLanes) {
        hn::StoreU(Interpolated<kWideLanes>(row, k), tag, to + k);
      }
    }
    return d.width;
  }

  template <typename Sample, int kStep>
  static HWY_INLINE void PredictAboveParts(const Direction& d, int dx,
                                           const EdgeLine<Sample, kStep>& above,
                                           Output<Sample> out) {
    ForStrips<kWideLanes>(kStep * d.width, [&](auto lanes, int k) HWY_ATTR {
      constexpr int kLanes = decltype(lanes)::value;
      const hn::FixedTag<Sample, kLanes> tag;
      const int x = k / kStep;
      for (int i = 1; i <= d.height; ++i) {
        // Samples of this strip whose index is below -64.
        const int from_left = kStep * ((i * dx - 1) >> 6) - k;
        if (from_left >= kLanes) return;
        const auto v = Interpolated<kLanes>(above.At((x << 6) - i * dx), 0);
        Sample* const to = out.Row(i - 1) + k;
        if (from_left <= 0) {
          hn::StoreU(v, tag, to);
        } else {
          const auto mask = hn::FirstN(tag, static_cast<size_t>(from_left));
          hn::StoreU(hn::IfThenElse(mask, hn::LoadU(tag, to), v), tag, to);
        }
      }
    });
  }
};

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_INTRA_DIRECTIONAL_INL_H_
