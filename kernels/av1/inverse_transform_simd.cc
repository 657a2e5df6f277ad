// SPDX-License-Identifier: BSD-2-Clause
// Inverse transform (7.13.3) and reconstruction (7.12.3) on vectors: what
// inverse_transform.cc does, to as many rows or columns at once as a vector has
// lanes.
//
// What uses whole vectors is not inlined into what calls on: GCC 12 forgets
// vzeroupper there, and SSE code that comes next crawls. That the passes are
// functions in memory, shared by rows and columns of all sizes, keeps them few.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/inverse_transform_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/av1/inverse_transform.h"
#include "kernels/av1/kernels.h"
#include "kernels/av1/residual_add-inl.h"
#include "kernels/av1/transform_block.h"
#include "kernels/av1/transform_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

template <typename Sample>
void AddOne(const KernelArgs& args, const TransformBlock& block,
            const ResidualTarget<Sample>& target) {
  AddResidualTo<Sample>(args, block, target);
}

#else

namespace {

namespace hn = hwy::HWY_NAMESPACE;

// ---- lines of coefficients into lanes and back ----

// Lines and columns of a block of 16 bytes a line.
template <class L>
constexpr int kBlock = static_cast<int>(16 / sizeof(typename L::T));

// Rounds of interleaving what is half a block apart, within blocks of 16 bytes:
// lines become columns.
template <class L>
HWY_INLINE HWY_ATTR void Transpose(typename L::V (&v)[kBlock<L>]) {
  constexpr int kHalf = kBlock<L> / 2;
  const typename L::D d;
  Repeat<(kHalf == 4 ? 3 : 2)>([&](auto) HWY_ATTR {
    typename L::V next[kBlock<L>];
    Repeat<kHalf>([&](auto i) HWY_ATTR {
      next[2 * i] = hn::InterleaveLower(d, v[i], v[i + kHalf]);
      next[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + kHalf]);
    });
    Repeat<kBlock<L> >([&](auto i) HWY_ATTR { v[i] = next[i]; });
  });
}

// kCount coefficients, then zeros up to 16 bytes.
template <class L, int kCount>
HWY_INLINE HWY_ATTR auto LoadLine(const typename L::T* from) {
  const hn::FixedTag<typename L::T, kBlock<L> > block;
  if constexpr (kCount < kBlock<L>) {
    return hn::ZeroExtendVector(
        block, hn::LoadU(hn::FixedTag<typename L::T, kCount>(), from));
  } else {
    return hn::LoadU(block, from);
  }
}

// T[j] = column j of kLines lines of coefficients, kColumns or a multiple of
// them; the other lanes are zero. rectangle: scaled by 1 / sqrt(2).
template <class L, int kLines, int kColumns>
HWY_NOINLINE HWY_ATTR void LoadColumns(const typename L::T* from, int columns,
                                       bool rectangle, typename L::T* t) {
  const typename L::D d;
  for (int x = 0; x < columns; x += kColumns) {
    typename L::V v[kBlock<L>];
    Repeat<kBlock<L> >([&](auto i) HWY_ATTR {
      const auto* const line = from + i * columns + x;
      if constexpr (i >= kLines) {
        v[i] = hn::Zero(d);
      } else if constexpr (L::kCount > kBlock<L>) {
        v[i] = hn::Combine(d, LoadLine<L, kColumns>(line + kBlock<L> * columns),
                           LoadLine<L, kColumns>(line));
      } else {
        v[i] = LoadLine<L, kColumns>(line);
      }
    });
    Transpose<L>(v);
    if (rectangle) {
      Repeat<kColumns>(
          [&](auto i) HWY_ATTR { v[i] = L::MulRound(v[i], kRectangleScale); });
    }
    Repeat<kColumns>(
        [&](auto i) HWY_ATTR { hn::StoreU(v[i], d, t + (x + i) * L::kCount); });
  }
}

// Round2( x, shift ), clamped to what columns may be.
template <class L>
HWY_INLINE HWY_ATTR typename L::V RoundRow(const L& limits, typename L::V x,
                                           int shift) {
  if constexpr (sizeof(typename L::T) == 2) {
    return shift == 0 ? x : L::Round2(x, shift);
  } else {
    return limits.Clamp(L::Round2(x, shift));
  }
}

// The reverse, rounded: L::kCount lines. rows: groups of kGroup columns side by
// side, each of group_size values, a line of it after the other. flip: width -
// 1, or 0.
template <class L, int kGroup>
HWY_NOINLINE HWY_ATTR void StoreRows(const typename L::T* t, int width,
                                     int flip, int shift, Limits clamp,
                                     int group_size, typename L::T* rows) {
  const typename L::D d;
  const L limits(clamp);
  for (int x = 0; x < width; x += kBlock<L>) {
    typename L::V v[kBlock<L>];
    // Of a block narrower than kBlock the vectors after it are zero.
    Repeat<kBlock<L> >([&](auto i) HWY_ATTR {
      const auto* const from = t + ((x + i) ^ flip) * L::kCount;
      v[i] = RoundRow(limits, hn::LoadU(d, from), shift);
    });
    Transpose<L>(v);
    auto* const to = rows + x / kGroup * group_size + x % kGroup;
    Repeat<kBlock<L> >([&](auto i) HWY_ATTR {
      if constexpr (L::kCount > kBlock<L>) {
        const hn::Half<typename L::D> half;
        hn::StoreU(hn::LowerHalf(half, v[i]), half, to + i * kGroup);
        hn::StoreU(hn::UpperHalf(half, v[i]), half,
                   to + (i + kBlock<L>)*kGroup);
      } else {
        hn::StoreU(v[i], d, to + i * kGroup);
      }
    });
  }
}

// ---- one dimension, in place ----

template <class L, int kLog2, int kStored>
HWY_NOINLINE HWY_FLATTEN HWY_ATTR void RunDct(typename L::T* t, Limits limits) {
  TransformArray<L, kLog2>(L(limits))
      .template RunStored<TransformKind::kDct, kStored>(t);
}
template <class L, int kLog2>
HWY_NOINLINE HWY_FLATTEN HWY_ATTR void RunAdst(typename L::T* t,
                                               Limits limits) {
  TransformArray<L, kLog2>(L(limits))
      .template RunStored<TransformKind::kAdst, 1 << kLog2>(t);
}

// Vectors stored .. count - 1 become zero.
template <class L>
void Clear(typename L::T* t, int stored, int count) {
  if (stored >= count) return;
  std::memset(t + stored * L::kCount, 0,
              static_cast<size_t>((count - stored) * L::kCount) *
                  sizeof(typename L::T));
}

template <class L>
void Dct(typename L::T* t, int n, int stored, Limits limits) {
  if (n == 2) return RunDct<L, 2, 4>(t, limits);
  if (stored <= 8) {
    Clear<L>(t, stored, 8);
    if (n == 3) return RunDct<L, 3, 8>(t, limits);
    if (n == 4) return RunDct<L, 4, 8>(t, limits);
    if (n == 5) return RunDct<L, 5, 8>(t, limits);
    return RunDct<L, 6, 8>(t, limits);
  }
  if (stored <= 16) {
    Clear<L>(t, stored, 16);
    if (n == 4) return RunDct<L, 4, 16>(t, limits);
    if (n == 5) return RunDct<L, 5, 16>(t, limits);
    return RunDct<L, 6, 16>(t, limits);
  }
  if (n == 5) return RunDct<L, 5, 32>(t, limits);
  RunDct<L, 6, 32>(t, limits);
}

template <class L>
void Adst(typename L::T* t, int n, int stored, Limits limits) {
  Clear<L>(t, stored, 1 << n);
  if (n == 2) return RunAdst<L, 2>(t, limits);
  if (n == 3) return RunAdst<L, 3>(t, limits);
  RunAdst<L, 4>(t, limits);
}

// 7.13.2.15, of <count> vectors. Gives by how much is to be shifted yet.
template <class L>
HWY_NOINLINE HWY_ATTR int Identity(int16_t* t, int n, int count, int shift) {
  const typename L::D d;
  if (n & 1) {  // 2, 4
    const int left = shift - (n == 3 ? 1 : 2);
    if (left >= 0) return left;
    for (int i = 0; i < count; ++i) {
      const auto v = hn::LoadU(d, t + i * L::kCount);
      hn::StoreU(hn::SaturatedAdd(v, v), d, t + i * L::kCount);
    }
    return 0;
  }
  // sqrt(2), 2 * sqrt(2). Of columns half the shift by 4 is left to others, who
  // want to shift: it can be done twice.
  const int left = shift == kTransformColumnShift ? 1 : 0;
  for (int i = 0; i < count; ++i) {
    auto v = L::ScaleAndRound(hn::LoadU(d, t + i * L::kCount),
                              n == 2 ? 5793 : 11586, shift);
    if (left) v = hn::Add(v, v);
    hn::StoreU(v, d, t + i * L::kCount);
  }
  return left;
}
template <class L>
HWY_NOINLINE HWY_ATTR int Identity(int32_t* t, int n, int count, int shift) {
  const typename L::D d;
  for (int i = 0; i < count; ++i) {
    const auto v = hn::LoadU(d, t + i * L::kCount);
    auto scaled = hn::ShiftLeftSame(v, (n - 1) / 2);
    if (n == 2) scaled = hn::Add(scaled, L::MulRound(v, 5793 - 4096));
    if (n == 4) scaled = hn::Add(scaled, L::MulRound(v, 11586 - 8192));
    hn::StoreU(scaled, d, t + i * L::kCount);
  }
  return shift;
}

// t: 1 << n vectors, of which <stored> are not zero or not yet set. Gives by
// how much of <shift> is to be shifted yet.
template <class L>
int Transform(typename L::T* t, TransformKind kind, int n, int stored,
              Limits limits, int shift) {
  stored = std::min(stored, 1 << n);
  switch (KindOfLength(kind, n)) {
    case TransformKind::kDct:
      Dct<L>(t, n, stored, limits);
      return shift;
    case TransformKind::kAdst:
      Adst<L>(t, n, stored, limits);
      return shift;
    default:
      Clear<L>(t, stored, 1 << n);
      return Identity<L>(t, n, stored, shift);
  }
}

// ---- 7.13.3: two dimensions ----

template <typename T, int kN>
using Lanes = std::conditional_t<sizeof(T) == 2, Lanes16<kN>, Lanes32<kN> >;
template <typename T>
constexpr int kNarrow = static_cast<int>(16 / sizeof(T));
template <typename T>
constexpr int kWide = static_cast<int>(kMostBytes / sizeof(T));

// L::kCount rows or, if these are fewer, all that are stored.
template <class L>
void LoadRows(const typename L::T* from, const Shape& shape, typename L::T* t) {
  const int columns = shape.stored_width;
  const bool rectangle = shape.rectangle;
  if constexpr (kBlock<L> == 4) {
    LoadColumns<L, 4, 4>(from, columns, rectangle, t);
  } else if (columns == 4) {
    if (L::kCount == 8 && shape.stored_height == 4) {
      return LoadColumns<L, 4, 4>(from, columns, rectangle, t);
    }
    LoadColumns<L, 8, 4>(from, columns, rectangle, t);
  } else {
    if (L::kCount == 8 && shape.stored_height == 4) {
      return LoadColumns<L, 4, 8>(from, columns, rectangle, t);
    }
    LoadColumns<L, 8, 8>(from, columns, rectangle, t);
  }
}

// One block.
template <typename Sample>
class Inverse {
 public:
  using T = Stored<Sample>;

  Inverse(const Shape& shape, const TransformTypeParts& type, int bit_depth)
      : shape_(shape), type_(type), bit_depth_(bit_depth) {}

  void Add(const T* coefficients, const ResidualTarget<Sample>& target) {
    if (shape_.width >= kWide<T>) {
      AddInGroups<kWide<T> >(coefficients, target);
    } else {
      AddInGroups<kNarrow<T> >(coefficients, target);
    }
  }

 private:
  // kGroup: columns that are transformed at once.
  template <int kGroup>
  void AddInGroups(const T* coefficients,
                   const ResidualTarget<Sample>& target) {
    int rows;
    if (shape_.stored_height >= kWide<T>) {
      rows = TransformRows<Lanes<T, kWide<T> >, kGroup>(coefficients);
    } else {
      rows = TransformRows<Lanes<T, kNarrow<T> >, kGroup>(coefficients);
    }
    TransformColumns<Lanes<T, kGroup> >(rows, target);
  }

  // How many rows are in columns_ then.
  template <class L, int kGroup>
  int TransformRows(const T* coefficients) {
    const Limits limits = Limits::OfBits(RowClampBits(bit_depth_));
    const Limits clamp = Limits::OfBits(ColumnClampBits(bit_depth_));
    HWY_ALIGN T t[64 * L::kCount];
    int y = 0;
    for (; y < shape_.stored_height; y += L::kCount) {
      LoadRows<L>(coefficients + y * shape_.stored_width, shape_, t);
      const int shift =
          Transform<L>(t, type_.rows, shape_.width_log2, shape_.stored_width,
                       limits, shape_.row_shift);
      if (shape_.width < kBlock<L>) Clear<L>(t, shape_.width, kBlock<L>);
      StoreRows<L, kGroup>(t, shape_.width,
                           type_.flip_left_right ? shape_.width - 1 : 0, shift,
                           clamp, GroupSize(kGroup), columns_ + y * kGroup);
    }
    return y;
  }

  template <class L>
  void TransformColumns(int rows, const ResidualTarget<Sample>& target) {
    constexpr int kGroup = L::kCount;
    const Limits limits = Limits::OfBits(ColumnClampBits(bit_depth_));
    const int max = (1 << bit_depth_) - 1;
    ResidualTarget<Sample> part = target;
    T* group = columns_;
    while (part.width > 0) {
      const int shift = Transform<L>(group, type_.columns, shape_.height_log2,
                                     rows, limits, kTransformColumnShift);
      if (type_.flip_up_down) {
        AddColumns<kGroup>(group + (shape_.height - 1) * kGroup, -kGroup, shift,
                           part, max);
      } else {
        AddColumns<kGroup>(group, kGroup, shift, part, max);
      }
      part.pixels += kGroup * part.components;
      part.width -= kGroup;
      group += GroupSize(kGroup);
    }
  }

  // Values of a group: more lines than a low block has may be written.
  int GroupSize(int group) const {
    return std::max(shape_.height, kNarrow<T>) * group;
  }

  const Shape& shape_;
  const TransformTypeParts& type_;
  const int bit_depth_;
  // Residual of 7.13.3 between the passes, in groups of columns.
  HWY_ALIGN T columns_[64 * 64];
};

// ---- small blocks of 8 bits, in registers ----

// Types from here on have an identity.
constexpr uint32_t kIdentities = 9;

struct SmallBlock {
  const int16_t* coefficients;
  int stored_width;
  int stored_height;
  TransformTypeParts type;
};

// Lines of 4 or 8, of which <lines> are stored.
template <int kColumns, int kLines, class V>
HWY_INLINE HWY_ATTR void LoadSmall(const int16_t* from, int lines, V* v) {
  using L = Lanes16<8>;
  Repeat<4>([&](auto i) HWY_ATTR {
    v[i] = LoadLine<L, kColumns>(from + i * kColumns);
  });
  if (kLines == 8 && lines > 4) {
    Repeat<4>([&](auto i) HWY_ATTR {
      v[4 + i] = LoadLine<L, kColumns>(from + (4 + i) * kColumns);
    });
  } else {
    Repeat<4>([&](auto i) HWY_ATTR { v[4 + i] = hn::Zero(L::D()); });
  }
}

// 4 or 8 columns and lines. Gives the residual, eight columns a line, before
// the last rounding and the flip from top to bottom.
template <int kWidthLog2, int kHeightLog2, TransformKind kRows,
          TransformKind kColumns>
HWY_NOINLINE HWY_FLATTEN HWY_ATTR void TransformSmall(const SmallBlock& block,
                                                      int16_t* residual) {
  using L = Lanes16<8>;
  constexpr int kWidth = 1 << kWidthLog2;
  constexpr int kHeight = 1 << kHeightLog2;
  constexpr int kShift = kTransformRowShift[kWidthLog2 - 2][kHeightLog2 - 2];
  const L lanes(Limits::OfBits(16));
  L::V v[8];
  if (kWidth == 8 && block.stored_width > 4) {
    LoadSmall<8, kHeight>(block.coefficients, block.stored_height, v);
  } else {
    LoadSmall<4, kHeight>(block.coefficients, block.stored_height, v);
  }
  Transpose<L>(v);
  if constexpr (kWidth != kHeight) {
    Repeat<kWidth>([&](auto i)
                       HWY_ATTR { v[i] = L::MulRound(v[i], kRectangleScale); });
  }
  TransformArray<L, kWidthLog2>(lanes).template RunAll<kRows>(v);
  if constexpr (kShift != 0) {
    Repeat<kWidth>([&](auto i) HWY_ATTR { v[i] = L::Round2(v[i], kShift); });
  }
  if (kRows == TransformKind::kAdst && block.type.flip_left_right) {
    Repeat<kWidth / 2>([&](auto i)
                           HWY_ATTR { std::swap(v[i], v[kWidth - 1 - i]); });
  }
  Repeat<8 - kWidth>([&](auto i)
                         HWY_ATTR { v[kWidth + i] = hn::Zero(L::D()); });
  Transpose<L>(v);
  TransformArray<L, kHeightLog2>(lanes).template RunAll<kColumns>(v);
  Repeat<kHeight>([&](auto i)
                      HWY_ATTR { hn::StoreU(v[i], L::D(), residual + i * 8); });
}

using SmallTransform = void (*)(const SmallBlock&, int16_t*);

// By kind of rows and columns, DCT or ADST.
template <int kWidthLog2, int kHeightLog2>
SmallTransform FindSmall(const TransformTypeParts& type) {
  constexpr TransformKind kDct = TransformKind::kDct;
  constexpr TransformKind kAdst = TransformKind::kAdst;
  if (type.rows == kDct) {
    return type.columns == kDct
               ? TransformSmall<kWidthLog2, kHeightLog2, kDct, kDct>
               : TransformSmall<kWidthLog2, kHeightLog2, kDct, kAdst>;
  }
  return type.columns == kDct
             ? TransformSmall<kWidthLog2, kHeightLog2, kAdst, kDct>
             : TransformSmall<kWidthLog2, kHeightLog2, kAdst, kAdst>;
}

void AddSmall(const SmallBlock& block, int width_log2, int height_log2,
              const ResidualTarget<uint8_t>& target) {
  SmallTransform transform;
  if (width_log2 == 2) {
    transform = height_log2 == 2 ? FindSmall<2, 2>(block.type)
                                 : FindSmall<2, 3>(block.type);
  } else {
    transform = height_log2 == 2 ? FindSmall<3, 2>(block.type)
                                 : FindSmall<3, 3>(block.type);
  }
  HWY_ALIGN int16_t residual[8 * 8];
  transform(block, residual);
  if (block.type.flip_up_down) {
    AddColumns<8>(residual + ((8 << height_log2) - 8), -8,
                  kTransformColumnShift, target, 255);
  } else {
    AddColumns<8>(residual, 8, kTransformColumnShift, target, 255);
  }
}

template <typename Sample>
void AddOne(const KernelArgs& args, const TransformBlock& block,
            const ResidualTarget<Sample>& target) {
  const uint32_t type = TransformType(block.shape);
  // Lossless blocks are rare.
  if (type == PERDIX_TRANSFORM_WHT) {
    return AddResidualTo<Sample>(args, block, target);
  }
  const int bit_depth = static_cast<int>(args.params->bit_depth);
  const Shape shape(block.shape);
  const auto* const coefficients = reinterpret_cast<const Stored<Sample>*>(
      &args.lists.coefficients[block.coefficients]);
  if (type == 0 && block.eob == 1) {
    return AddValue(ResidualOfDc(coefficients[0], shape, bit_depth), target,
                    (1 << bit_depth) - 1);
  }
  if constexpr (sizeof(Sample) == 1) {
    if (shape.width_log2 <= 3 && shape.height_log2 <= 3 && type < kIdentities) {
      return AddSmall({coefficients, shape.stored_width, shape.stored_height,
                       kTransformTypes[type]},
                      shape.width_log2, shape.height_log2, target);
    }
  }
  Inverse<Sample>(shape, kTransformTypes[type & 15], bit_depth)
      .Add(coefficients, target);
}

}  // namespace

#endif  // HWY_TARGET

void AddResidualTo8(const KernelArgs& args, const TransformBlock& block,
                    const ResidualTarget<uint8_t>& target) {
  AddOne(args, block, target);
}
void AddResidualTo16(const KernelArgs& args, const TransformBlock& block,
                     const ResidualTarget<uint16_t>& target) {
  AddOne(args, block, target);
}

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(AddResidualTo8);
HWY_EXPORT(AddResidualTo16);

template <>
void AddResidualToSimd<uint8_t>(const KernelArgs& args,
                                const TransformBlock& block,
                                const ResidualTarget<uint8_t>& target) {
  HWY_DYNAMIC_DISPATCH(AddResidualTo8)(args, block, target);
}
template <>
void AddResidualToSimd<uint16_t>(const KernelArgs& args,
                                 const TransformBlock& block,
                                 const ResidualTarget<uint16_t>& target) {
  HWY_DYNAMIC_DISPATCH(AddResidualTo16)(args, block, target);
}

template <typename Sample>
void AddResidualSimd(const KernelArgs& args, const TransformBlock& block) {
  AddResidualToSimd(args, block, LocateResidual<Sample>(args, block));
}

template <typename Sample>
void InverseTransformSimd(const KernelArgs& args, Range range) {
  for (const TransformBlock& block :
       args.lists.Of(kInterTransforms)
           .subspan(range.begin, range.end - range.begin)) {
    AddResidualSimd<Sample>(args, block);
  }
}

template void AddResidualSimd<uint8_t>(const KernelArgs&,
                                       const TransformBlock&);
template void AddResidualSimd<uint16_t>(const KernelArgs&,
                                        const TransformBlock&);
template void InverseTransformSimd<uint8_t>(const KernelArgs&, Range);
template void InverseTransformSimd<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::av1
#endif
