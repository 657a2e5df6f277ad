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
#include "kernels/av1/transform/small_blocks-inl.h"
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
      using Wide = Lanes<int32_t, kWide<int32_t> >;
      if (!done) TransformRowsIn<Wide, 4, kGroup>(coefficients);
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
      // StoreRows reads as many vectors of a narrower block.
      constexpr int kLeast = std::min(8, L::kCount);
      if (shape_.width < kLeast) Clear<L>(t, shape_.width, kLeast);
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

// ---- larger blocks of 8 and 10 bits of which 4x4 coefficients are stored ----

// groups: four lines of each group of columns.
template <int kGroup, typename Sample>
HWY_INLINE void AddGroups(const int16_t* groups, const TransformBlock& block,
                          int max, const ResidualTarget<Sample>& target) {
  const TransformTypeParts& type = kTransformTypes[TransformType(block.shape)];
  const uint32_t height_log2 = TransformHeightLog2(block.shape);
  const auto kind = static_cast<size_t>(type.columns);
  const Pass<int16_t> pass =
      Passes<int16_t, kGroup>::kTable[kind][height_log2 - 2][0];
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
    if (!SmallBlocks<Sample>::kTable[few][height][width][type](args, block,
                                                               target)) {
      AddInverse<int16_t>(args, block, target);
    }
    return;
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
