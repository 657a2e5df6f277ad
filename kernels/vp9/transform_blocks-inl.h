// SPDX-License-Identifier: BSD-2-Clause
// Inverse transforms (VP9 8.7) and reconstruction (VP9 8.6.2) on vectors: what
// inverse_transform.cc does, to as many rows or columns at once as a vector has
// lanes. Compiled for samples of 8 bits in inverse_transform8_simd.cc, for
// those of 16 in inverse_transform16_simd.cc.
//
// What uses whole vectors is not inlined into what calls on: GCC 12 forgets
// vzeroupper there, and SSE code that comes next crawls (150 ns a block).
#if defined(PERDIX_KERNELS_VP9_TRANSFORM_BLOCKS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_VP9_TRANSFORM_BLOCKS_INL_H_
#undef PERDIX_KERNELS_VP9_TRANSFORM_BLOCKS_INL_H_
#else
#define PERDIX_KERNELS_VP9_TRANSFORM_BLOCKS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <utility>

#include "kernels/vp9/inverse_transform.h"
#include "kernels/vp9/kernels.h"
#include "kernels/vp9/transform_block.h"
#include "kernels/vp9/transform_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::vp9::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

template <typename Sample>
void AddOne(const KernelArgs& args, const TransformBlock& block) {
  AddResidual<Sample>(args, block);
}
template <typename Sample>
void AddAll(const KernelArgs& args, Range range) {
  InverseTransform<Sample>(args, range);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

// ---- lines of coefficients into lanes and back ----

// kRounds rounds of interleaving what is kN / 2 apart, within blocks of 16
// bytes. log2(kN) rounds turn kN lines of kN lanes into columns.
template <int kN, int kRounds, class D, class V>
HWY_INLINE HWY_ATTR void Interleave(D d, V* v) {
  Repeat<kRounds>([&](auto) HWY_ATTR {
    V next[kN];
    Repeat<kN / 2>([&](auto i) HWY_ATTR {
      next[2 * i] = hn::InterleaveLower(d, v[i], v[i + kN / 2]);
      next[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + kN / 2]);
    });
    Repeat<kN>([&](auto i) HWY_ATTR { v[i] = next[i]; });
  });
}

// Lines and columns of a block of 16 bytes a line.
template <class L>
constexpr int kBlock = static_cast<int>(16 / sizeof(typename L::T));
template <class L>
constexpr int kBlockLog2 = kBlock<L> == 8 ? 3 : 2;

// A line of the first block, and below it of the second if vectors are as wide.
template <class L, class From>
HWY_INLINE HWY_ATTR auto LoadLines(const From* from, int stride) {
  if constexpr (L::kCount > kBlock<L>) {
    return hn::Combine(typename L::D(),
                       L::Half::Load(from + kBlock<L> * stride),
                       L::Half::Load(from));
  } else {
    return L::Load(from);
  }
}
template <class L>
HWY_INLINE HWY_ATTR void StoreLines(typename L::V v, typename L::T* to,
                                    int stride) {
  if constexpr (L::kCount > kBlock<L>) {
    const typename L::Half::D half;
    L::Half::Store(hn::LowerHalf(half, v), to);
    L::Half::Store(hn::UpperHalf(half, v), to + kBlock<L> * stride);
  } else {
    hn::StoreU(v, typename L::D(), to);
  }
}

// T[j] = column j of L::kCount lines of kStored coefficients.
template <class L, int kStored, class Array, class From>
HWY_INLINE HWY_ATTR void LoadColumns(const From* from, Array& t) {
  const typename L::D d;
  if constexpr (L::kCount < kBlock<L>) {  // 4 x 4 in two vectors
    typename L::V v[2] = {hn::LoadU(d, from), hn::LoadU(d, from + 8)};
    Interleave<2, 2>(d, v);
    Repeat<2>([&](auto i) HWY_ATTR {
      t.Set(2 * i, v[i]);
      t.Set(2 * i + 1, hn::ShiftRightBytes<8>(d, v[i]));
    });
  } else {
    Repeat<kStored / kBlock<L> >([&](auto block) HWY_ATTR {
      typename L::V v[kBlock<L>];
      Repeat<kBlock<L> >([&](auto i) HWY_ATTR {
        v[i] = LoadLines<L>(from + i * kStored + block * kBlock<L>, kStored);
      });
      Interleave<kBlock<L>, kBlockLog2<L> >(d, v);
      Repeat<kBlock<L> >([&](auto i)
                             HWY_ATTR { t.Set(block * kBlock<L> + i, v[i]); });
    });
  }
}

// The reverse: L::kCount lines of kSize.
template <class L, class Array>
HWY_INLINE HWY_ATTR void StoreRows(const Array& t, typename L::T* to) {
  constexpr int kSize = Array::kSize;
  const typename L::D d;
  if constexpr (kSize < kBlock<L>) {  // 4 x 4 in two vectors
    typename L::V v[2] = {hn::ConcatLowerLower(d, t.Get(1), t.Get(0)),
                          hn::ConcatLowerLower(d, t.Get(3), t.Get(2))};
    Interleave<2, 2>(d, v);
    Repeat<2>([&](auto i) HWY_ATTR { hn::StoreU(v[i], d, to + 8 * i); });
  } else {
    constexpr int kLines = std::min(L::kCount, kBlock<L>);
    Repeat<kSize / kBlock<L> >([&](auto block) HWY_ATTR {
      const int first = block * kBlock<L>;
      typename L::V v[kBlock<L>];
      if constexpr (kLines < kBlock<L>) {  // the first round, without junk
        Repeat<kLines>([&](auto i) HWY_ATTR {
          v[i] = hn::InterleaveLower(d, t.Get(first + i),
                                     t.Get(first + i + kLines));
        });
      } else {
        Repeat<kLines>([&](auto i) HWY_ATTR { v[i] = t.Get(first + i); });
      }
      Interleave<kLines, kLines == 8 ? 3 : 2>(d, v);
      Repeat<kLines>([&](auto i) HWY_ATTR {
        StoreLines<L>(v[i], to + i * kSize + first, kSize);
      });
    });
  }
}

// ---- VP9 8.7.2: two dimensions ----

enum class Transform { kDct, kAdst, kWht };

// kStored rows of as many coefficients become rows of 1 << kLog2.
template <class L, int kLog2, int kStored, Transform kTransform, class From>
HWY_NOINLINE HWY_FLATTEN HWY_ATTR void InverseRows(const From* from,
                                                   typename L::T* rows) {
  for (int i = 0; i < kStored; i += L::kCount) {
    TransformArray<L, kLog2> t;
    LoadColumns<L, kStored>(from + i * kStored, t);
    if constexpr (kTransform == Transform::kDct)
      t.template InverseDct<kStored>();
    if constexpr (kTransform == Transform::kAdst) t.InverseAdst();
    if constexpr (kTransform == Transform::kWht) {
      t.template InverseWht<kWhtRowShift>();
    }
    StoreRows<L>(t, rows + (i << kLog2));
  }
}

// In place: kStored rows become 1 << kLog2 of the residual.
template <class L, int kLog2, int kStored, Transform kTransform>
HWY_NOINLINE HWY_FLATTEN HWY_ATTR void InverseColumns(typename L::T* rows) {
  constexpr int kSize = 1 << kLog2;
  constexpr int kShift = OutputShift(kLog2);
  for (int j = 0; j < kSize; j += L::kCount) {
    TransformArray<L, kLog2> t;
    Repeat<kStored>([&](auto i)
                        HWY_ATTR { t.Set(i, L::Load(rows + i * kSize + j)); });
    if constexpr (kTransform == Transform::kDct)
      t.template InverseDct<kStored>();
    if constexpr (kTransform == Transform::kAdst) t.InverseAdst();
    if constexpr (kTransform == Transform::kWht) t.template InverseWht<0>();
    Repeat<kSize>([&](auto i) HWY_ATTR {
      const auto value = t.Get(i);
      L::Store(kTransform == Transform::kWht
                   ? value
                   : L::template Round2<kShift>(value),
               rows + i * kSize + j);
    });
  }
}

// Residual of a block whose coefficients are stored as kStored or more rows.
template <template <int> class Lanes, int kLog2, int kStored, class From,
          typename T>
HWY_ATTR void InverseTransform2d(const From* from, int stored, uint32_t tx_type,
                                 T* rows) {
  constexpr int kSize = 1 << kLog2;
  if constexpr (kStored < kSize) {
    if (stored > kStored) {
      return InverseTransform2d<Lanes, kLog2, 2 * kStored>(from, stored,
                                                           tx_type, rows);
    }
  }
  using RowLanes = Lanes<std::min(kStored, Lanes<4>::kMost)>;
  using ColumnLanes = Lanes<std::min(kSize, Lanes<4>::kMost)>;
  if constexpr (kLog2 < 5) {
    if (tx_type & kAdstRows) {
      InverseRows<RowLanes, kLog2, kStored, Transform::kAdst>(from, rows);
    } else {
      InverseRows<RowLanes, kLog2, kStored, Transform::kDct>(from, rows);
    }
    if (tx_type & kAdstColumns) {
      InverseColumns<ColumnLanes, kLog2, kStored, Transform::kAdst>(rows);
    } else {
      InverseColumns<ColumnLanes, kLog2, kStored, Transform::kDct>(rows);
    }
  } else {
    InverseRows<RowLanes, kLog2, kStored, Transform::kDct>(from, rows);
    InverseColumns<ColumnLanes, kLog2, kStored, Transform::kDct>(rows);
  }
}

// ---- VP9 8.6.2: the addition ----

// Two samples in one number.
template <typename Sample>
using Pair = std::conditional_t<sizeof(Sample) == 1, uint16_t, uint32_t>;

// Lanes of samples, kComponents of them a pixel; the residual is of component
// kComponent.
template <int kComponentCount, int kComponent>
struct Pixels {
  static constexpr int kComponents = kComponentCount;

  // Adds kN lanes of residual to as many pixels.
  template <int kN, typename T, typename Sample>
  static HWY_INLINE HWY_ATTR void Add(const T* residual, int max_sample,
                                      Sample* pixels) {
    using Unsigned = std::make_unsigned_t<T>;
    const hn::FixedTag<T, kN> d;
    const auto max = hn::Set(d, static_cast<T>(max_sample));
    const auto clamp = [&](auto v) HWY_ATTR {
      return hn::Min(hn::Max(v, hn::Zero(d)), max);
    };
    const auto delta = hn::LoadU(d, residual);
    if constexpr (kComponents == 1) {
      const hn::FixedTag<Sample, kN> samples;
      const auto sum = hn::Add(Widen(d, hn::LoadU(samples, pixels)), delta);
      if constexpr (sizeof(Sample) == 1) {
        hn::StoreU(hn::DemoteTo(samples, sum), samples, pixels);
      } else {
        hn::StoreU(hn::DemoteTo(samples, clamp(sum)), samples, pixels);
      }
    } else {
      // a lane is a pair: the other component is kept as it is
      constexpr int kBits = 8 * sizeof(Sample);
      const hn::FixedTag<Pair<Sample>, kN> pair_tag;
      const hn::FixedTag<Unsigned, kN> du;
      auto* const at = reinterpret_cast<Pair<Sample>*>(pixels);
      const auto pairs = hn::BitCast(du, Widen(d, hn::LoadU(pair_tag, at)));
      const auto first = hn::Set(du, static_cast<Unsigned>((1u << kBits) - 1));
      if constexpr (kComponent == 0) {
        const auto sum =
            clamp(hn::Add(hn::BitCast(d, hn::And(pairs, first)), delta));
        Put(hn::Or(hn::AndNot(first, pairs), hn::BitCast(du, sum)), pair_tag,
            at);
      } else {
        const auto sum =
            clamp(hn::Add(hn::BitCast(d, hn::ShiftRight<kBits>(pairs)), delta));
        Put(hn::Or(hn::And(pairs, first),
                   hn::ShiftLeft<kBits>(hn::BitCast(du, sum))),
            pair_tag, at);
      }
    }
  }

 private:
  template <class D, class V>
  static HWY_INLINE HWY_ATTR auto Widen(D d, V samples) {
    if constexpr (sizeof(hn::TFromD<D>) == sizeof(hn::TFromV<V>)) {
      return hn::BitCast(d, samples);
    } else {
      return hn::PromoteTo(d, samples);
    }
  }
  template <class V, class D>
  static HWY_INLINE HWY_ATTR void Put(V pairs, D d, hn::TFromD<D>* to) {
    if constexpr (sizeof(hn::TFromV<V>) == sizeof(hn::TFromD<D>)) {
      hn::StoreU(hn::BitCast(d, pairs), d, to);
    } else {
      const hn::RebindToSigned<hn::DFromV<V> > signed_tag;
      hn::StoreU(hn::DemoteTo(d, hn::BitCast(signed_tag, pairs)), d, to);
    }
  }
};

// add(lanes, row, column) for vectors that cover width x height: as wide as can
// be if that is kWhole, else of 4.
template <int kWhole, int kMost, class Add>
HWY_INLINE HWY_ATTR void ForEachVector(int width, int height, const Add& add) {
  constexpr int kLanes = std::min(kWhole, kMost);
  if (width == kWhole) {
    for (int i = 0; i < height; ++i) {
      for (int j = 0; j < kWhole; j += kLanes) {
        add(std::integral_constant<int, kLanes>(), i, j);
      }
    }
  } else {
    for (int i = 0; i < height; ++i) {
      for (int j = 0; j < width; j += 4) {
        add(std::integral_constant<int, 4>(), i, j);
      }
    }
  }
}

template <class Kind, int kSize, typename T, typename Sample>
HWY_NOINLINE HWY_ATTR void AddRowsOf(const T* residual,
                                     const TargetBlock<Sample>& block,
                                     int max_sample) {
  const TargetBlock<Sample> target = block;  // in registers
  const auto add = [&](auto lanes, int i, int j) HWY_ATTR {
    Kind::template Add<lanes()>(
        residual + i * kSize + j, max_sample,
        target.pixels + i * target.stride + j * Kind::kComponents);
  };
  ForEachVector<kSize, static_cast<int>(kMostBytes / sizeof(T))>(
      target.width, target.height, add);
}

template <int kSize, typename T, typename Sample>
HWY_ATTR void AddRows(const T* residual, const TargetBlock<Sample>& target,
                      int max_sample) {
  if (target.components == 1) {
    AddRowsOf<Pixels<1, 0>, kSize>(residual, target, max_sample);
  } else if (target.component == 0) {
    AddRowsOf<Pixels<2, 0>, kSize>(residual, target, max_sample);
  } else {
    AddRowsOf<Pixels<2, 1>, kSize>(residual, target, max_sample);
  }
}

// Adds up to and subtracts down from pairs of samples, kSamples a row.
template <int kSamples, typename Sample>
HWY_NOINLINE HWY_ATTR void AddPairs(Pair<Sample> up, Pair<Sample> down,
                                    const TargetBlock<Sample>& block,
                                    int max_sample) {
  const TargetBlock<Sample> target = block;  // in registers
  const auto add = [&](auto lanes, int i, int j) HWY_ATTR {
    const hn::FixedTag<Sample, lanes()> d;
    const hn::FixedTag<Pair<Sample>, lanes() / 2> pairs;
    Sample* const at = target.pixels + i * target.stride + j;
    const auto sum =
        hn::SaturatedAdd(hn::LoadU(d, at), hn::BitCast(d, hn::Set(pairs, up)));
    const auto clamped =
        hn::Min(sum, hn::Set(d, static_cast<Sample>(max_sample)));
    const auto difference =
        hn::SaturatedSub(clamped, hn::BitCast(d, hn::Set(pairs, down)));
    hn::StoreU(difference, d, at);
  };
  ForEachVector<kSamples, static_cast<int>(kMostBytes / sizeof(Sample))>(
      target.width * target.components, target.height, add);
}

// Adds one value to the whole block.
template <int kSize, typename Sample>
HWY_ATTR void AddValue(int value, const TargetBlock<Sample>& target,
                       int max_sample) {
  constexpr int kBits = 8 * sizeof(Sample);
  const auto pair = [&](int delta) {
    const int sample = std::clamp(delta, 0, max_sample);
    return static_cast<Pair<Sample> >(target.components == 1
                                          ? sample | sample << kBits
                                          : sample << kBits * target.component);
  };
  if (target.components == 1) {
    AddPairs<kSize>(pair(value), pair(-value), target, max_sample);
  } else {
    AddPairs<2 * kSize>(pair(value), pair(-value), target, max_sample);
  }
}

// ---- one record ----

// True if no value on the way can need more bits than lanes have: see
// transform_lanes-inl.h. count: of coefficients, a multiple of 16.
template <std::same_as<int16_t> Coefficient>
HWY_NOINLINE HWY_ATTR bool FitsLanes(const Coefficient* from, int count) {
  constexpr uint32_t kMostSum16 = 22000;
  constexpr uint32_t kMostSquares = 1900 * 1900;
  constexpr int kLanes = kMostBytes / 2;
  const hn::FixedTag<int16_t, kLanes> d;
  const hn::FixedTag<uint16_t, kLanes> du;
  const hn::FixedTag<int32_t, kLanes / 2> wide;
  const hn::FixedTag<uint32_t, kLanes / 2> sums;
  auto sum = hn::Zero(du);  // saturates far above the limit
  for (int i = 0; i < count; i += kLanes) {
    const auto size = hn::Abs(hn::LoadU(d, from + i));
    sum = hn::SaturatedAdd(sum, hn::BitCast(du, size));
  }
  const auto pairs = hn::BitCast(sums, sum);
  const auto total =
      hn::SumOfLanes(sums, hn::Add(hn::ShiftRight<16>(pairs),
                                   hn::And(pairs, hn::Set(sums, 0xffffu))));
  if (hn::GetLane(total) <= kMostSum16) return true;

  auto squares = hn::Zero(wide);
  auto more = squares;
  for (int i = 0; i < count; i += kLanes) {
    // 1024 times 2047 * 2047 is less than 2^32, and one is above the limit
    const auto v = hn::Max(hn::Min(hn::LoadU(d, from + i), hn::Set(d, 2047)),
                           hn::Set(d, -2047));
    squares = hn::ReorderWidenMulAccumulate(wide, v, v, squares, more);
  }
  return hn::GetLane(hn::SumOfLanes(
             sums, hn::BitCast(sums, hn::Add(squares, more)))) <= kMostSquares;
}
template <std::same_as<int32_t> Coefficient>
HWY_NOINLINE HWY_ATTR bool FitsLanes(const Coefficient* from, int count) {
  constexpr int kLanes = kMostBytes / 4;
  const hn::FixedTag<int32_t, kLanes> d;
  const hn::FixedTag<uint32_t, kLanes> du;
  auto sum = hn::Zero(du);
  for (int i = 0; i < count; i += kLanes) {
    const auto size = hn::BitCast(du, hn::Abs(hn::LoadU(d, from + i)));
    sum = hn::Add(sum, hn::Min(size, hn::Set(du, kMostSum32 + 1)));
  }
  return hn::GetLane(hn::SumOfLanes(du, sum)) <= kMostSum32;
}

// DCT_DCT of nothing but the DC: every output is the same.
int InverseDc(int32_t dc, int size_log2) {
  int64_t value = dc;
  for (int direction = 0; direction < 2; ++direction) {
    value = static_cast<int32_t>((value * Cos64(16) + (1 << (kCosBits - 1))) >>
                                 kCosBits);
  }
  const int shift = OutputShift(size_log2);
  return static_cast<int>((value + (1 << (shift - 1))) >> shift);
}

template <typename Sample, int kLog2>
HWY_ATTR void AddResidualOfSize(const KernelArgs& args,
                                const TransformBlock& block) {
  using Coefficient = std::conditional_t<sizeof(Sample) == 1, int16_t, int32_t>;
  constexpr int kSize = 1 << kLog2;
  const auto* const from = reinterpret_cast<const Coefficient*>(
      &args.lists.coefficients[block.coefficients]);
  const int stored = std::min(4 << TransformStoredLog2(block.shape), kSize);
  const uint32_t tx_type = TransformType(block.shape);
  const int max_sample = (1 << args.params->bit_depth) - 1;
  const TargetBlock<Sample> target = LocateBlock<Sample>(args, block, kSize);
  if constexpr (kLog2 == 2) {
    if (ParamsOf(args).lossless) {
      HWY_ALIGN int32_t rows[kSize * kSize];
      InverseRows<Lanes32<4>, 2, 4, Transform::kWht>(from, rows);
      InverseColumns<Lanes32<4>, 2, 4, Transform::kWht>(rows);
      return AddRows<kSize>(rows, target, max_sample);
    }
  }
  if (block.eob == 1 && tx_type == 0) {
    return AddValue<kSize>(InverseDc(from[0], kLog2), target, max_sample);
  }
  if (!FitsLanes(from, stored * stored)) {
    return AddResidual<Sample>(args, block);
  }
  HWY_ALIGN Coefficient rows[kSize * kSize];
  if constexpr (sizeof(Sample) == 1) {
    InverseTransform2d<Lanes16, kLog2, 4>(from, stored, tx_type, rows);
  } else {
    InverseTransform2d<Lanes32, kLog2, 4>(from, stored, tx_type, rows);
  }
  AddRows<kSize>(rows, target, max_sample);
}

template <typename Sample>
HWY_ATTR void AddOne(const KernelArgs& args, const TransformBlock& block) {
  switch (TransformSize(block.shape)) {
    case 0:
      return AddResidualOfSize<Sample, 2>(args, block);
    case 1:
      return AddResidualOfSize<Sample, 3>(args, block);
    case 2:
      return AddResidualOfSize<Sample, 4>(args, block);
    default:
      return AddResidualOfSize<Sample, 5>(args, block);
  }
}

template <typename Sample>
HWY_ATTR void AddAll(const KernelArgs& args, Range range) {
  for (const TransformBlock& block :
       args.lists.Of(kInterTransforms)
           .subspan(range.begin, range.end - range.begin)) {
    AddOne<Sample>(args, block);
  }
}

#endif  // HWY_TARGET

}  // namespace
}  // namespace perdix::vp9::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_VP9_TRANSFORM_BLOCKS_INL_H_
