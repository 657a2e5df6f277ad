// SPDX-License-Identifier: BSD-2-Clause
// Inverse transform (7.13.3) and reconstruction (7.12.3) on vectors: what
// inverse_transform.cc does, to as many rows or columns at once as a vector has
// lanes.
//
// What uses whole vectors is not inlined into what calls on: GCC 12 forgets
// vzeroupper there, and SSE code that comes next crawls. That the passes are
// functions in memory, shared by rows and columns of all sizes, keeps them few.
//
// At 10 bits columns are clamped to 16 bits, as at 8. Rows are not, but nearly
// all are so small that lanes of 16 bits are enough for them, too.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/inverse_transform_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/av1/inverse_transform.h"
#include "kernels/av1/kernels.h"
#include "kernels/av1/residual_add-inl.h"
#include "kernels/av1/transform_block.h"
#include "kernels/av1/transform_lanes-inl.h"
#include "kernels/av1/transform_lines-inl.h"

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

// ---- one dimension, in place ----

// L::kCount rows or columns. bits: to which they are clamped.
template <class L>
using Pass = void (*)(typename L::T* t, int bits, bool flip);

template <class L, TransformKind kKind, int kLog2, int kStored>
HWY_NOINLINE HWY_FLATTEN HWY_ATTR void RunPass(typename L::T* t, int bits,
                                               bool flip) {
  TransformArray<L, kLog2>(L(Limits::OfBits(bits)))
      .template RunStored<kKind, kStored>(t, flip);
}

// By log2 of how many vectors are stored, from 4 on.
template <class L>
using Passes = std::array<Pass<L>, 4>;
template <class L, TransformKind kKind, int kLog2>
constexpr Passes<L> PassesOf() {
  return {RunPass<L, kKind, kLog2, 4>,
          RunPass<L, kKind, kLog2, std::min(8, 1 << kLog2)>,
          RunPass<L, kKind, kLog2, std::min(16, 1 << kLog2)>,
          RunPass<L, kKind, kLog2, std::min(32, 1 << kLog2)>};
}

// By kind, then by log2 of the length, from 4 on: see KindOfLength. An identity
// is none of them.
template <class L>
constexpr std::array<std::array<Passes<L>, 5>, 3> kPasses = [] {
  constexpr TransformKind kDct = TransformKind::kDct;
  constexpr TransformKind kAdst = TransformKind::kAdst;
  constexpr Passes<L> kDct32 = PassesOf<L, kDct, 5>();
  constexpr Passes<L> kDct64 = PassesOf<L, kDct, 6>();
  constexpr Passes<L> kNone = {};
  return std::array<std::array<Passes<L>, 5>, 3>{
      {{PassesOf<L, kDct, 2>(), PassesOf<L, kDct, 3>(), PassesOf<L, kDct, 4>(),
        kDct32, kDct64},
       {PassesOf<L, kAdst, 2>(), PassesOf<L, kAdst, 3>(),
        PassesOf<L, kAdst, 4>(), kDct32, kDct64},
       {kNone, kNone, kNone, kNone, kDct64}}};
}();

// Vectors stored .. count - 1 become zero.
template <class L>
void Clear(typename L::T* t, int stored, int count) {
  if (stored >= count) return;
  std::memset(t + stored * L::kCount, 0,
              static_cast<size_t>((count - stored) * L::kCount) *
                  sizeof(typename L::T));
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

// A dimension of a block.
struct Dimension {
  TransformKind kind;
  bool flip;
  int log2;         // of the length
  int stored_log2;  // of what is stored of it
};

// t: 1 << line.log2 vectors, of which those beyond what is stored are zero or
// not yet set. Gives by how much of <shift> is to be shifted yet.
template <class L>
HWY_INLINE int Transform(typename L::T* t, const Dimension& line, int bits,
                         int shift) {
  const Pass<L> pass =
      kPasses<L>[static_cast<size_t>(line.kind)][static_cast<size_t>(
          line.log2 - 2)][static_cast<size_t>(line.stored_log2 - 2)];
  if (pass != nullptr) {
    pass(t, bits, line.flip);
    return shift;
  }
  Clear<L>(t, 1 << line.stored_log2, 1 << line.log2);
  return Identity<L>(t, line.log2, 1 << line.stored_log2, shift);
}

// ---- 7.13.3: two dimensions ----

template <typename T, int kN>
using Lanes = std::conditional_t<sizeof(T) == 2, Lanes16<kN>, Lanes32<kN> >;
template <typename T>
constexpr int kNarrow = static_cast<int>(16 / sizeof(T));
template <typename T>
constexpr int kWide = static_cast<int>(kMostBytes / sizeof(T));

// kLines rows. False: see LoadColumns.
template <class L, int kLines, typename C>
HWY_INLINE bool LoadRows(const C* from, const Shape& shape, typename L::T* t) {
  const int columns = shape.stored_width;
  if (kBlock<L> == 4 || columns == 4) {
    return LoadColumns<L, kLines, 4>(from, columns, shape.rectangle, t);
  }
  return LoadColumns<L, kLines, kBlock<L> >(from, columns, shape.rectangle, t);
}

// One block. T: of what columns are transformed in.
template <typename T, typename Sample>
class Inverse {
 public:
  // columns: the residual of 7.13.3 between the passes, in groups of columns.
  Inverse(const Shape& shape, const TransformTypeParts& type, int bit_depth,
          T* columns)
      : shape_(shape), type_(type), bit_depth_(bit_depth), columns_(columns) {}

  HWY_INLINE void Add(const Stored<Sample>* coefficients,
                      const ResidualTarget<Sample>& target) {
    if (shape_.width >= kWide<T>) {
      AddInGroups<kWide<T> >(coefficients, target);
    } else {
      AddInGroups<kNarrow<T> >(coefficients, target);
    }
  }

 private:
  // kGroup: columns that are transformed at once.
  template <int kGroup>
  HWY_INLINE void AddInGroups(const Stored<Sample>* coefficients,
                              const ResidualTarget<Sample>& target) {
    const bool done = TransformRows<kGroup>(coefficients);
    if constexpr (sizeof(T) < sizeof(*coefficients)) {
      if (!done) TransformRowsIn<Lanes32<4>, 4, kGroup>(coefficients);
    }
    TransformColumns<Lanes<T, kGroup> >(target);
  }

  // False: see LoadColumns.
  template <int kGroup>
  HWY_INLINE bool TransformRows(const Stored<Sample>* coefficients) {
    using Wide = Lanes<T, kWide<T> >;
    using Narrow = Lanes<T, kNarrow<T> >;
    if (shape_.stored_height >= kWide<T>) {
      return TransformRowsIn<Wide, kWide<T>, kGroup>(coefficients);
    }
    if (shape_.stored_height == 4) {
      return TransformRowsIn<Narrow, 4, kGroup>(coefficients);
    }
    return TransformRowsIn<Narrow, kNarrow<T>, kGroup>(coefficients);
  }

  // kLines rows at once.
  template <class L, int kLines, int kGroup>
  HWY_INLINE bool TransformRowsIn(const Stored<Sample>* coefficients) {
    const Dimension line = {type_.rows, type_.flip_left_right,
                            shape_.width_log2, shape_.stored_width_log2};
    HWY_ALIGN typename L::T t[64 * L::kCount];
    for (int y = 0; y < shape_.stored_height; y += kLines) {
      if (!LoadRows<L, kLines>(coefficients + (y << line.stored_log2), shape_,
                               t)) {
        return false;
      }
      const int shift =
          Transform<L>(t, line, RowClampBits(bit_depth_), shape_.row_shift);
      if (shape_.width < kBlock<L>) Clear<L>(t, shape_.width, kBlock<L>);
      StoreRows<L, kLines, kGroup>(
          t, shape_.width, shift, ColumnClampBits(bit_depth_),
          shape_.height * kGroup, columns_ + y * kGroup);
    }
    return true;
  }

  template <class L>
  HWY_INLINE void TransformColumns(const ResidualTarget<Sample>& target) {
    const Dimension line = {type_.columns, type_.flip_up_down,
                            shape_.height_log2, shape_.stored_height_log2};
    const int bits = ColumnClampBits(bit_depth_);
    const int max = (1 << bit_depth_) - 1;
    T* group = columns_;
    for (int x = 0; x < target.width; x += L::kCount) {
      const int shift = Transform<L>(group, line, bits, kTransformColumnShift);
      AddColumns<L::kCount>(group, shift, target, x, max);
      group += shape_.height * L::kCount;
    }
  }

  const Shape& shape_;
  const TransformTypeParts& type_;
  const int bit_depth_;
  T* const columns_;
};

// ---- small blocks of 8 and 10 bits, in registers ----

// Types from here on have an identity.
constexpr uint32_t kIdentities = 9;

template <typename Sample>
struct SmallBlock {
  const Stored<Sample>* coefficients;
  bool wide;  // more than four columns are stored
  bool high;
  const TransformTypeParts& type;
  const ResidualTarget<Sample>& target;
  int max;  // of a sample
};

// Lines of 4 or 8. high: more than four of them are stored.
template <int kColumns, int kLines, typename C, class V>
HWY_INLINE HWY_ATTR void LoadSmall(const C* from, bool high, V* v) {
  using L = Lanes16<8>;
  Repeat<4>([&](auto i) HWY_ATTR {
    v[i] = LoadLine<L, kColumns>(from + i * kColumns);
  });
  if (kLines == 8 && high) {
    Repeat<4>([&](auto i) HWY_ATTR {
      v[4 + i] = LoadLine<L, kColumns>(from + (4 + i) * kColumns);
    });
  } else {
    Repeat<4>([&](auto i) HWY_ATTR { v[4 + i] = hn::Zero(L::D()); });
  }
}

// v: lines of the residual before the last rounding, eight lanes each.
template <int kWidth, int kHeight, typename Sample, class V>
HWY_INLINE HWY_ATTR void AddSmallLines(const SmallBlock<Sample>& block,
                                       const V* v) {
  using L = Lanes16<8>;
  const ResidualTarget<Sample>& target = block.target;
  const bool flip = block.type.flip_up_down;
  if (target.width < kWidth || target.height < kHeight) {
    int16_t residual[8 * kHeight];
    const int last = flip ? kHeight - 1 : 0;
    Repeat<kHeight>([&](auto i) HWY_ATTR {
      hn::StoreU(v[i], L::D(), residual + (i ^ last) * 8);
    });
    AddColumns<8>(residual, kTransformColumnShift, target, 0, block.max);
    return;
  }
  const ptrdiff_t stride = flip ? -target.stride : target.stride;
  Sample* line = target.pixels + (flip ? (1 - kHeight) * stride : 0);
  const int max = block.max;
  ForComponent(target, [&](auto component) HWY_ATTR {
    Repeat<kHeight>([&](auto i) HWY_ATTR {
      const auto delta = L::Round2(v[i], kTransformColumnShift);
      constexpr int kComponent = decltype(component)::value;
      if constexpr (kWidth == 8) {
        AddLanes<8, kComponent>(delta, max, line);
      } else {
        AddLanes<4, kComponent>(hn::LowerHalf(delta), max, line);
      }
      line += stride;
    });
  });
}

// 4 or 8 columns and lines. False: see LoadColumns.
template <typename Sample, int kWidthLog2, int kHeightLog2, TransformKind kRows,
          TransformKind kColumns>
HWY_NOINLINE HWY_FLATTEN HWY_ATTR bool AddSmallOf(
    const SmallBlock<Sample>& block) {
  using L = Lanes16<8>;
  constexpr int kWidth = 1 << kWidthLog2;
  constexpr int kHeight = 1 << kHeightLog2;
  constexpr int kShift = kTransformRowShift[kWidthLog2 - 2][kHeightLog2 - 2];
  const L lanes(Limits::OfBits(16));
  L::V v[8];
  if (kWidth == 8 && block.wide) {
    LoadSmall<8, kHeight>(block.coefficients, block.high, v);
  } else {
    LoadSmall<4, kHeight>(block.coefficients, block.high, v);
  }
  Transpose<L>(v);
  RowSums<L, Stored<Sample> > sums;
  Repeat<kWidth>([&](auto i) HWY_ATTR { sums.Add(v[i]); });
  if (!sums.AreSmall()) return false;
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
  AddSmallLines<kWidth, kHeight>(block, v);
  return true;
}

// By kind of rows and columns, DCT or ADST.
template <int kWidthLog2, int kHeightLog2, typename Sample>
bool AddSmallOfSize(const SmallBlock<Sample>& block) {
  constexpr TransformKind kDct = TransformKind::kDct;
  constexpr TransformKind kAdst = TransformKind::kAdst;
  if (block.type.rows == kDct) {
    return block.type.columns == kDct
               ? AddSmallOf<Sample, kWidthLog2, kHeightLog2, kDct, kDct>(block)
               : AddSmallOf<Sample, kWidthLog2, kHeightLog2, kDct, kAdst>(
                     block);
  }
  return block.type.columns == kDct
             ? AddSmallOf<Sample, kWidthLog2, kHeightLog2, kAdst, kDct>(block)
             : AddSmallOf<Sample, kWidthLog2, kHeightLog2, kAdst, kAdst>(block);
}

// False: see LoadColumns.
template <typename Sample>
bool AddSmall(const SmallBlock<Sample>& block, int width_log2,
              int height_log2) {
  if (width_log2 == 2) {
    return height_log2 == 2 ? AddSmallOfSize<2, 2>(block)
                            : AddSmallOfSize<2, 3>(block);
  }
  return height_log2 == 2 ? AddSmallOfSize<3, 2>(block)
                          : AddSmallOfSize<3, 3>(block);
}

// ---- all blocks ----

template <typename Sample>
const Stored<Sample>* CoefficientsOf(const KernelArgs& args,
                                     const TransformBlock& block) {
  return reinterpret_cast<const Stored<Sample>*>(
      &args.lists.coefficients[block.coefficients]);
}

template <typename Sample>
HWY_NOINLINE void AddDc(const KernelArgs& args, const TransformBlock& block,
                        const ResidualTarget<Sample>& target) {
  const int bit_depth = static_cast<int>(args.params->bit_depth);
  const Stored<Sample> dc = *CoefficientsOf<Sample>(args, block);
  AddValue(ResidualOfDc(dc, Shape(block.shape), bit_depth), target,
           (1 << bit_depth) - 1);
}

template <typename T, typename Sample>
HWY_NOINLINE void AddInverse(const KernelArgs& args,
                             const TransformBlock& block,
                             const ResidualTarget<Sample>& target) {
  const Shape shape(block.shape);
  HWY_ALIGN T columns[64 * 64];
  Inverse<T, Sample>(shape, kTransformTypes[TransformType(block.shape) & 15],
                     static_cast<int>(args.params->bit_depth), columns)
      .Add(CoefficientsOf<Sample>(args, block), target);
}

// A large block's shape and memory are not made for small ones, of which there
// are many.
template <typename Sample>
void AddOne(const KernelArgs& args, const TransformBlock& block,
            const ResidualTarget<Sample>& target) {
  const uint32_t type = TransformType(block.shape);
  // Lossless blocks are rare.
  if (type == PERDIX_TRANSFORM_WHT) {
    return AddResidualTo<Sample>(args, block, target);
  }
  if (type == 0 && block.eob == 1) return AddDc(args, block, target);
  const int bit_depth = static_cast<int>(args.params->bit_depth);
  if constexpr (sizeof(Sample) == 2) {
    if (ColumnClampBits(bit_depth) > 16) {
      return AddInverse<int32_t>(args, block, target);
    }
  }
  const int width_log2 = static_cast<int>(TransformWidthLog2(block.shape));
  const int height_log2 = static_cast<int>(TransformHeightLog2(block.shape));
  if (width_log2 <= 3 && height_log2 <= 3 && type < kIdentities &&
      AddSmall<Sample>({CoefficientsOf<Sample>(args, block),
                        TransformStoredWidth(block.shape) > 0,
                        TransformStoredHeight(block.shape) > 0,
                        kTransformTypes[type], target, (1 << bit_depth) - 1},
                       width_log2, height_log2)) {
    return;
  }
  AddInverse<int16_t>(args, block, target);
}

}  // namespace

#endif  // HWY_TARGET

template <typename Sample>
void AddBlocks(const KernelArgs& args, Range range) {
  for (const TransformBlock& block :
       args.lists.Of(kInterTransforms)
           .subspan(range.begin, range.end - range.begin)) {
    AddOne(args, block, LocateResidual<Sample>(args, block));
  }
}

void AddResidualTo8(const KernelArgs& args, const TransformBlock& block,
                    const ResidualTarget<uint8_t>& target) {
  AddOne(args, block, target);
}
void AddResidualTo16(const KernelArgs& args, const TransformBlock& block,
                     const ResidualTarget<uint16_t>& target) {
  AddOne(args, block, target);
}
void InverseTransform8(const KernelArgs& args, Range range) {
  AddBlocks<uint8_t>(args, range);
}
void InverseTransform16(const KernelArgs& args, Range range) {
  AddBlocks<uint16_t>(args, range);
}

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(AddResidualTo8);
HWY_EXPORT(AddResidualTo16);
HWY_EXPORT(InverseTransform8);
HWY_EXPORT(InverseTransform16);

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

template <>
void InverseTransformSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(InverseTransform8)(args, range);
}
template <>
void InverseTransformSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(InverseTransform16)(args, range);
}

template void AddResidualSimd<uint8_t>(const KernelArgs&,
                                       const TransformBlock&);
template void AddResidualSimd<uint16_t>(const KernelArgs&,
                                        const TransformBlock&);

}  // namespace perdix::av1
#endif
