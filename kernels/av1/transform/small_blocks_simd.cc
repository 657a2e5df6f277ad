// SPDX-License-Identifier: BSD-2-Clause
// Inverse transform and reconstruction of the smallest blocks, 8 and 10 bits,
// in registers from the coefficients to the pixels (small_blocks-inl.h).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/transform/small_blocks_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "kernels/av1/transform/residual_add-inl.h"
#include "kernels/av1/transform/small_blocks-inl.h"
#include "kernels/av1/transform/transform_block.h"
#include "kernels/av1/transform/transform_lanes-inl.h"
#include "kernels/av1/transform/transform_lines-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

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
// Joins the lower halves of kCount vectors, two in one.
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
HWY_NOINLINE HWY_FLATTEN HWY_ATTR bool AddSmall(
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
  if (!sums.AreSmall()) return false;
  if constexpr (kWidth != kHeight) {
    Repeat<kStoredWidth>(
        [&](auto i) HWY_ATTR { v[i] = L::MulRound(v[i], kRectangleScale); });
  }
  TransformArray<RowLanes, kRows, kWidthLog2, kStoredWidth>(RowLanes(limits))
      .RunAll(v);
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
  TransformArray<ColumnLanes, kColumns, kHeightLog2, kStoredHeight>(
      ColumnLanes(limits))
      .RunAll(v);
  AddSmallLines<kWidth, kHeight>(v, type.flip_up_down, MaxSample(args), target);
  return true;
}

template <typename Sample, int kWidthLog2, int kHeightLog2, int kMost = 8>
constexpr std::array<AddSmallBlock<Sample>, kIdentities> kSmallOfSize = [] {
  constexpr TransformKind kDct = TransformKind::kDct;
  constexpr TransformKind kAdst = TransformKind::kAdst;
  // By kind of the rows and of the columns.
  constexpr AddSmallBlock<Sample> kAdds[2][2] = {
      {AddSmall<Sample, kWidthLog2, kHeightLog2, kMost, kDct, kDct>,
       AddSmall<Sample, kWidthLog2, kHeightLog2, kMost, kDct, kAdst>},
      {AddSmall<Sample, kWidthLog2, kHeightLog2, kMost, kAdst, kDct>,
       AddSmall<Sample, kWidthLog2, kHeightLog2, kMost, kAdst, kAdst>}};
  std::array<AddSmallBlock<Sample>, kIdentities> adds = {};
  for (size_t type = 0; type < kIdentities; ++type) {
    adds[type] = kAdds[static_cast<size_t>(kTransformTypes[type].rows)]
                      [static_cast<size_t>(kTransformTypes[type].columns)];
  }
  return adds;
}();

}  // namespace

template <typename Sample>
constinit const typename SmallBlocks<Sample>::Table
    SmallBlocks<Sample>::kTable = {
        {{{{{kSmallOfSize<Sample, 2, 2>, kSmallOfSize<Sample, 3, 2>}},
           {{kSmallOfSize<Sample, 2, 3>, kSmallOfSize<Sample, 3, 3>}}}},
         {{{{kSmallOfSize<Sample, 2, 2>, kSmallOfSize<Sample, 3, 2>}},
           {{kSmallOfSize<Sample, 2, 3>, kSmallOfSize<Sample, 3, 3, 4>}}}}}};

template struct SmallBlocks<uint8_t>;
template struct SmallBlocks<uint16_t>;

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
