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
#define HWY_TARGET_INCLUDE "kernels/av1/transform/inverse_transform_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "kernels/av1/kernels.h"
#include "kernels/av1/transform/inverse_transform.h"
#include "kernels/av1/transform/residual_add-inl.h"
#include "kernels/av1/transform/transform_block.h"
#include "kernels/av1/transform/transform_four-inl.h"
#include "kernels/av1/transform/transform_lanes-inl.h"
#include "kernels/av1/transform/transform_lines-inl.h"
#include "kernels/av1/transform/transform_passes-inl.h"

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

// ---- 7.13.3: two dimensions ----

template <typename T, int kN>
using Lanes = std::conditional_t<sizeof(T) == 2, Lanes16<kN>, Lanes32<kN> >;

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
    RunOnGroups<T>(shape_.width, [&](auto group) {
      AddInGroups<decltype(group)::value>(coefficients, target);
    });
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

template <typename Sample>
const Stored<Sample>* CoefficientsOf(const KernelArgs& args,
                                     const TransformBlock& block) {
  return reinterpret_cast<const Stored<Sample>*>(
      &args.lists.coefficients[block.coefficients]);
}
inline int MaxSample(const KernelArgs& args) {
  return (1 << args.params->bit_depth) - 1;
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

// ---- small blocks of 8 and 10 bits, in registers ----

// Lines or columns of 4 or 8, as many at once.
template <int kCount>
using SmallLanes = std::conditional_t<kCount == 4, FourLanes16, Lanes16<8> >;
using SmallVector = Lanes16<8>::V;

// The vectors of kHeight lines of kWidth coefficients, one after the other.
template <int kWidth, int kHeight, typename C>
HWY_INLINE HWY_ATTR void LoadSmall(const C* from, uint32_t shape,
                                   SmallVector* v) {
  using L = Lanes16<8>;
  constexpr int kFourLines = kWidth / 2;
  const bool narrow = kWidth == 8 && TransformStoredWidth(shape) == 0;
  const auto load = [&](auto first) HWY_ATTR {
    if (narrow) {
      Repeat<kFourLines>([&](auto i) HWY_ATTR {
        v[first + i] = LoadLine<L, 4>(from + (first + i) * 4);
      });
    } else {
      Repeat<kFourLines>([&](auto i) HWY_ATTR {
        v[first + i] = LoadLine<L, 8>(from + (first + i) * 8);
      });
    }
  };
  load(std::integral_constant<int, 0>());
  if constexpr (kHeight == 8) {
    if (TransformStoredHeight(shape) > 0) {
      load(std::integral_constant<int, kFourLines>());
    } else {
      Repeat<kFourLines>(
          [&](auto i) HWY_ATTR { v[kFourLines + i] = hn::Zero(L::D()); });
    }
  }
}

// The vectors of kLines lines of kColumns, one after the other, become one
// vector for each column: of 4 lines in its lower half.
template <int kLines, int kColumns>
HWY_INLINE HWY_ATTR void TurnSmall(SmallVector* v) {
  using L = Lanes16<8>;
  constexpr int kVectors = kLines * kColumns / 8;
  Transpose<L, kVectors, (kLines == 4 ? 2 : 3)>(v);
  if constexpr (kLines == 4) {
    Repeat<kVectors>([&](auto k) HWY_ATTR {
      constexpr int i = kVectors - 1 - decltype(k)::value;
      v[2 * i + 1] = hn::ShiftRightBytes<8>(L::D(), v[i]);
      v[2 * i] = v[i];
    });
  }
}
// Of kCount vectors only the lower halves.
template <int kCount>
HWY_INLINE HWY_ATTR void JoinHalves(SmallVector* v) {
  Repeat<kCount / 2>([&](auto i) HWY_ATTR {
    v[i] = hn::ConcatLowerLower(Lanes16<8>::D(), v[2 * i + 1], v[2 * i]);
  });
}

// v: lines of the residual before the last rounding, eight lanes each. Only
// whole blocks are added from registers; of chroma only narrow ones, which
// takes little code.
template <int kWidth, int kHeight, typename Sample>
HWY_INLINE HWY_ATTR void AddSmallLines(const SmallVector* v, bool flip, int max,
                                       const ResidualTarget<Sample>& target) {
  using L = Lanes16<8>;
  if (target.width < kWidth || target.height < kHeight ||
      (kWidth == 8 && target.components == 2)) {
    int16_t residual[8 * kHeight];
    const int last = flip ? kHeight - 1 : 0;
    Repeat<kHeight>([&](auto i) HWY_ATTR {
      hn::StoreU(v[i], L::D(), residual + (i ^ last) * 8);
    });
    AddColumns<8>(residual, kTransformColumnShift, target, 0, max);
    return;
  }
  const ptrdiff_t stride = flip ? -target.stride : target.stride;
  Sample* line = target.pixels + (flip ? (1 - kHeight) * stride : 0);
  const auto add = [&](auto component) HWY_ATTR {
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
  };
  if constexpr (kWidth == 8) {
    add(std::integral_constant<int, 0>());
  } else {
    ForComponent(target, add);
  }
}

// 4 or 8 columns and lines, of which at most kMost are stored.
template <typename Sample, int kWidthLog2, int kHeightLog2, int kMost,
          TransformKind kRows, TransformKind kColumns>
HWY_NOINLINE HWY_FLATTEN HWY_ATTR void AddSmall(
    const KernelArgs& args, const TransformBlock& block,
    const ResidualTarget<Sample>& target) {
  using L = Lanes16<8>;
  constexpr int kWidth = 1 << kWidthLog2;
  constexpr int kHeight = 1 << kHeightLog2;
  constexpr int kStoredWidth = std::min(kWidth, kMost);
  constexpr int kStoredHeight = std::min(kHeight, kMost);
  constexpr int kShift = kTransformRowShift[kWidthLog2 - 2][kHeightLog2 - 2];
  using RowLanes = SmallLanes<kStoredHeight>;
  using ColumnLanes = SmallLanes<kWidth>;
  const Limits limits = Limits::OfBits(16);
  const TransformTypeParts& type = kTransformTypes[TransformType(block.shape)];
  SmallVector v[8];
  LoadSmall<kStoredWidth, kStoredHeight>(CoefficientsOf<Sample>(args, block),
                                         block.shape, v);
  TurnSmall<kStoredHeight, kStoredWidth>(v);
  RowSums<L, Stored<Sample> > sums;
  Repeat<kStoredWidth>([&](auto i) HWY_ATTR { sums.Add(v[i]); });
  if (!sums.AreSmall()) return AddInverse<int16_t>(args, block, target);
  if constexpr (kWidth != kHeight) {
    Repeat<kStoredWidth>(
        [&](auto i) HWY_ATTR { v[i] = L::MulRound(v[i], kRectangleScale); });
  }
  TransformArray<RowLanes, kWidthLog2>(RowLanes(limits))
      .template RunAll<kRows, kStoredWidth>(v);
  if (kRows == TransformKind::kAdst && type.flip_left_right) {
    Repeat<kWidth / 2>([&](auto i)
                           HWY_ATTR { std::swap(v[i], v[kWidth - 1 - i]); });
  }
  if constexpr (kStoredHeight == 4) JoinHalves<kWidth>(v);
  if constexpr (kShift != 0) {
    Repeat<kWidth * kStoredHeight / 8>(
        [&](auto i) HWY_ATTR { v[i] = L::Round2(v[i], kShift); });
  }
  TurnSmall<kWidth, kStoredHeight>(v);
  TransformArray<ColumnLanes, kHeightLog2>(ColumnLanes(limits))
      .template RunAll<kColumns, kStoredHeight>(v);
  AddSmallLines<kWidth, kHeight>(v, type.flip_up_down, MaxSample(args), target);
}

template <typename Sample>
using Add = void (*)(const KernelArgs& args, const TransformBlock& block,
                     const ResidualTarget<Sample>& target);

// By type: those from here on have an identity.
constexpr uint32_t kIdentities = 9;
template <typename Sample, int kWidthLog2, int kHeightLog2, int kMost = 8>
constexpr std::array<Add<Sample>, kIdentities> kSmallOfSize = [] {
  constexpr TransformKind kDct = TransformKind::kDct;
  constexpr TransformKind kAdst = TransformKind::kAdst;
  // By kind of the rows and of the columns.
  constexpr Add<Sample> kAdds[2][2] = {
      {AddSmall<Sample, kWidthLog2, kHeightLog2, kMost, kDct, kDct>,
       AddSmall<Sample, kWidthLog2, kHeightLog2, kMost, kDct, kAdst>},
      {AddSmall<Sample, kWidthLog2, kHeightLog2, kMost, kAdst, kDct>,
       AddSmall<Sample, kWidthLog2, kHeightLog2, kMost, kAdst, kAdst>}};
  std::array<Add<Sample>, kIdentities> adds = {};
  for (size_t type = 0; type < kIdentities; ++type) {
    adds[type] = kAdds[static_cast<size_t>(kTransformTypes[type].rows)]
                      [static_cast<size_t>(kTransformTypes[type].columns)];
  }
  return adds;
}();

// By whether only 4x4 coefficients are stored, by height and width: 4 or 8.
template <typename Sample>
constexpr std::array<Add<Sample>, kIdentities> kSmall[2][2][2] = {
    {{kSmallOfSize<Sample, 2, 2>, kSmallOfSize<Sample, 3, 2>},
     {kSmallOfSize<Sample, 2, 3>, kSmallOfSize<Sample, 3, 3>}},
    {{kSmallOfSize<Sample, 2, 2>, kSmallOfSize<Sample, 3, 2>},
     {kSmallOfSize<Sample, 2, 3>, kSmallOfSize<Sample, 3, 3, 4>}}};

// ---- larger blocks of 8 and 10 bits of which 4x4 coefficients are stored ----

// groups: four lines of each group of columns.
template <int kGroup, typename Sample>
HWY_INLINE void AddGroups(const int16_t* groups, const TransformBlock& block,
                          int max, const ResidualTarget<Sample>& target) {
  const TransformTypeParts& type = kTransformTypes[TransformType(block.shape)];
  const uint32_t height_log2 = TransformHeightLog2(block.shape);
  const auto kind = static_cast<size_t>(type.columns);
  using L = Lanes16<kGroup>;
  const Pass<L> pass = kPasses<L>[kind][height_log2 - 2][0];
  HWY_ALIGN int16_t t[64 * kGroup];
  for (int x = 0; x < target.width; x += kGroup) {
    std::copy_n(groups + 4 * x, 4 * kGroup, t);
    pass(t, 16, type.flip_up_down);
    AddColumns<kGroup>(t, kTransformColumnShift, target, x, max);
  }
}

template <typename Sample>
HWY_NOINLINE void AddFew(const KernelArgs& args, const TransformBlock& block,
                         const ResidualTarget<Sample>& target) {
  const TransformTypeParts& type = kTransformTypes[TransformType(block.shape)];
  const int width_log2 = static_cast<int>(TransformWidthLog2(block.shape));
  const int height_log2 = static_cast<int>(TransformHeightLog2(block.shape));
  const int ratio_log2 = width_log2 - height_log2;
  using L = Lanes16<8>;
  HWY_ALIGN int16_t t[4 * L::kCount];
  if (!LoadColumns<L, 4, 4>(CoefficientsOf<Sample>(args, block), 4,
                            ratio_log2 == 1 || ratio_log2 == -1, t)) {
    return AddInverse<int16_t>(args, block, target);
  }
  HWY_ALIGN int16_t groups[4 * 64];
  kTransformFourRows[static_cast<size_t>(type.rows)][static_cast<size_t>(
      width_log2 - 2)](t, type.flip_left_right,
                       kTransformRowShift[width_log2 - 2][height_log2 - 2],
                       groups);
  RunOnGroups<int16_t>(1 << width_log2, [&](auto group) {
    AddGroups<decltype(group)::value>(groups, block, MaxSample(args), target);
  });
}

// ---- all blocks ----

template <typename Sample>
HWY_NOINLINE void AddDc(const KernelArgs& args, const TransformBlock& block,
                        const ResidualTarget<Sample>& target) {
  const int bit_depth = static_cast<int>(args.params->bit_depth);
  const Stored<Sample> dc = *CoefficientsOf<Sample>(args, block);
  AddValue(ResidualOfDc(dc, Shape(block.shape), bit_depth), target,
           MaxSample(args));
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
  if constexpr (sizeof(Sample) == 2) {
    if (ColumnClampBits(static_cast<int>(args.params->bit_depth)) > 16) {
      return AddInverse<int32_t>(args, block, target);
    }
  }
  if (type >= kIdentities) return AddInverse<int16_t>(args, block, target);
  const bool few = (TransformStoredWidth(block.shape) |
                    TransformStoredHeight(block.shape)) == 0;
  const uint32_t width = TransformWidthLog2(block.shape) - 2;
  const uint32_t height = TransformHeightLog2(block.shape) - 2;
  if ((width | height) <= 1) {
    return kSmall<Sample>[few][height][width][type](args, block, target);
  }
  if (few) return AddFew(args, block, target);
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
