// SPDX-License-Identifier: BSD-2-Clause
// The last step of reconstruction (7.12.3) on vectors, for
// inverse_transform_simd.cc and small_blocks_simd.cc.
#if defined(PERDIX_KERNELS_AV1_TRANSFORM_RESIDUAL_ADD_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_TRANSFORM_RESIDUAL_ADD_INL_H_
#undef PERDIX_KERNELS_AV1_TRANSFORM_RESIDUAL_ADD_INL_H_
#else
#define PERDIX_KERNELS_AV1_TRANSFORM_RESIDUAL_ADD_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "kernels/av1/transform/transform_lanes-inl.h"
#include "kernels/av1/transform/transform_shape.h"
#include "kernels/simd/lane_shifts-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Two samples in one number.
template <typename Sample>
using Pair = std::conditional_t<sizeof(Sample) == 1, uint16_t, uint32_t>;

// Round2( residual, shift ) of kN lanes.
template <int kN>
HWY_INLINE HWY_ATTR auto LoadResidual(const int16_t* residual, int shift) {
  const hn::FixedTag<int16_t, kN> d;
  const auto factor = hn::Set(d, static_cast<int16_t>(1 << (15 - shift)));
  return hn::MulFixedPoint15(hn::LoadU(d, residual), factor);
}
template <int kN>
HWY_INLINE HWY_ATTR auto LoadResidual(const int32_t* residual, int shift) {
  const hn::FixedTag<int32_t, kN> d;
  const auto rounding = hn::Set(d, (1 << shift) >> 1);
  return hn::DemoteTo(
      hn::FixedTag<int16_t, kN>(),
      ShiftRightBy(hn::Add(hn::LoadU(d, residual), rounding), shift));
}

// Pairs of component kComponent, 1 or 2, and of zero for the other one.
template <int kN, int kComponent, class V>
HWY_INLINE HWY_ATTR auto Spread(V component) {
  const hn::FixedTag<uint32_t, kN> pair;
  const auto low =
      hn::PromoteTo(pair, hn::BitCast(hn::FixedTag<uint16_t, kN>(), component));
  if constexpr (kComponent == 1) {
    return low;
  } else {
    return hn::ShiftLeft<16>(low);
  }
}

// Adds kN lanes to as many pixels. kComponent: 0 of one, 1 and 2 of two.
template <int kN, int kComponent, class V>
HWY_INLINE HWY_ATTR void AddLanes(V delta, int, uint8_t* pixels) {
  const hn::FixedTag<int16_t, kN> d;
  if constexpr (kComponent == 0) {
    const hn::FixedTag<uint8_t, kN> samples;
    const auto sum =
        hn::Add(hn::PromoteTo(d, hn::LoadU(samples, pixels)), delta);
    hn::StoreU(hn::DemoteTo(samples, sum), samples, pixels);
  } else if constexpr (kN == 4) {
    const hn::FixedTag<int16_t, 2 * kN> both;
    const hn::FixedTag<uint8_t, 2 * kN> samples;
    const auto sum = hn::Add(hn::PromoteTo(both, hn::LoadU(samples, pixels)),
                             hn::BitCast(both, Spread<kN, kComponent>(delta)));
    hn::StoreU(hn::DemoteTo(samples, sum), samples, pixels);
  } else {
    // A lane is a pair: the other component is kept as it is.
    const hn::FixedTag<uint16_t, kN> du;
    auto* const at = reinterpret_cast<uint16_t*>(pixels);
    const auto pairs = hn::LoadU(du, at);
    const auto low = hn::Set(du, 0xff);
    const auto clamp = [&](auto sum) HWY_ATTR {
      return hn::BitCast(du,
                         hn::Min(hn::Max(sum, hn::Zero(d)), hn::Set(d, 0xff)));
    };
    if constexpr (kComponent == 1) {
      const auto sum =
          clamp(hn::Add(hn::BitCast(d, hn::And(pairs, low)), delta));
      hn::StoreU(hn::Or(hn::AndNot(low, pairs), sum), du, at);
    } else {
      const auto sum =
          clamp(hn::Add(hn::BitCast(d, hn::ShiftRight<8>(pairs)), delta));
      hn::StoreU(hn::Or(hn::And(pairs, low), hn::ShiftLeft<8>(sum)), du, at);
    }
  }
}
// Adds where the samples fit into a vector.
template <int kN, int kComponent, class V>
HWY_INLINE HWY_ATTR void AddWholeVector(V delta, int max, uint16_t* pixels) {
  constexpr int kSamples = kComponent == 0 ? kN : 2 * kN;
  const hn::FixedTag<int16_t, kSamples> d;
  const hn::FixedTag<uint16_t, kSamples> du;
  const auto add = [&](auto all) HWY_ATTR {
    const auto sum = hn::SaturatedAdd(hn::BitCast(d, hn::LoadU(du, pixels)),
                                      hn::BitCast(d, all));
    const auto clamped = hn::Min(hn::Max(sum, hn::Zero(d)),
                                 hn::Set(d, static_cast<int16_t>(max)));
    hn::StoreU(hn::BitCast(du, clamped), du, pixels);
  };
  if constexpr (kComponent == 0) {
    add(delta);
  } else {
    add(Spread<kN, kComponent>(delta));
  }
}
template <int kN, int kComponent, class V>
HWY_INLINE HWY_ATTR void AddLanes(V delta, int max, uint16_t* pixels) {
  constexpr int kSamples = kComponent == 0 ? kN : 2 * kN;
  if constexpr (2 * kSamples > HWY_MAX_BYTES) {
    const hn::FixedTag<int16_t, kN / 2> half;
    AddLanes<kN / 2, kComponent>(hn::LowerHalf(half, delta), max, pixels);
    AddLanes<kN / 2, kComponent>(hn::UpperHalf(half, delta), max,
                                 pixels + kSamples / 2);
  } else {
    AddWholeVector<kN, kComponent>(delta, max, pixels);
  }
}

// Adds a group of columns, kGroup values a line, to the target's columns from x
// on.
template <int kGroup, int kComponent, typename T, typename Sample>
HWY_NOINLINE HWY_ATTR void AddGroup(const T* residual, int shift,
                                    const ResidualTarget<Sample>& target, int x,
                                    int max) {
  constexpr int kComponents = kComponent == 0 ? 1 : 2;
  const int width = target.width - x;
  const int height = target.height;  // in registers
  const ptrdiff_t stride = target.stride;
  Sample* line = target.pixels + x * kComponents;
  if (width >= kGroup) {
    for (int y = 0; y < height; y += 4) {
      Repeat<4>([&](auto) HWY_ATTR {
        AddLanes<kGroup, kComponent>(LoadResidual<kGroup>(residual, shift), max,
                                     line);
        residual += kGroup;
        line += stride;
      });
    }
    return;
  }
  for (int y = 0; y < height; ++y) {
    for (int i = 0; i < width; i += 4) {
      AddLanes<4, kComponent>(LoadResidual<4>(residual + i, shift), max,
                              line + i * kComponents);
    }
    residual += kGroup;
    line += stride;
  }
}

// add(0) for one component a pixel, add(1) or add(2) for one of two.
template <typename Sample, class Add>
HWY_INLINE HWY_ATTR void ForComponent(const ResidualTarget<Sample>& target,
                                      const Add& add) {
  if (target.components == 1) {
    add(std::integral_constant<int, 0>());
  } else if (target.component == 0) {
    add(std::integral_constant<int, 1>());
  } else {
    add(std::integral_constant<int, 2>());
  }
}

// See AddGroup.
template <int kGroup, typename T, typename Sample>
void AddColumns(const T* residual, int shift,
                const ResidualTarget<Sample>& target, int x, int max) {
  ForComponent(target, [&](auto component) HWY_ATTR {
    AddGroup<kGroup, decltype(component)::value>(residual, shift, target, x,
                                                 max);
  });
}

// Adds up to and subtracts down from pairs of samples.
template <int kSamples, typename Sample>
HWY_INLINE HWY_ATTR void AddPairs(Pair<Sample> up, Pair<Sample> down, int max,
                                  Sample* at) {
  const hn::FixedTag<Sample, kSamples> d;
  const hn::FixedTag<Pair<Sample>, kSamples / 2> pairs;
  const auto sum =
      hn::SaturatedAdd(hn::LoadU(d, at), hn::BitCast(d, hn::Set(pairs, up)));
  const auto clamped = hn::Min(sum, hn::Set(d, static_cast<Sample>(max)));
  const auto difference =
      hn::SaturatedSub(clamped, hn::BitCast(d, hn::Set(pairs, down)));
  hn::StoreU(difference, d, at);
}

// Adds one value to the whole block.
template <typename Sample>
HWY_NOINLINE HWY_ATTR void AddValue(int value,
                                    const ResidualTarget<Sample>& part,
                                    int max) {
  constexpr int kBits = 8 * sizeof(Sample);
  constexpr int kMost = static_cast<int>(kMostBytes / sizeof(Sample));
  const ResidualTarget<Sample> target = part;  // in registers
  const auto pair = [&](int delta) {
    const int sample = std::clamp(delta, 0, max);
    return static_cast<Pair<Sample> >(target.components == 1
                                          ? sample | sample << kBits
                                          : sample << kBits * target.component);
  };
  const Pair<Sample> up = pair(value);
  const Pair<Sample> down = pair(-value);
  const int samples = target.width * target.components;
  const auto add = [&](auto count) HWY_ATTR {
    Sample* line = target.pixels;
    for (int y = 0; y < target.height; ++y) {
      for (int x = 0; x < samples; x += count) {
        AddPairs<decltype(count)::value>(up, down, max, line + x);
      }
      line += target.stride;
    }
  };
  if (samples % kMost == 0) return add(std::integral_constant<int, kMost>());
  if (samples % 16 == 0 && kMost > 16) {
    return add(std::integral_constant<int, std::min(16, kMost)>());
  }
  if (samples % 8 == 0) return add(std::integral_constant<int, 8>());
  add(std::integral_constant<int, 4>());
}

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // include guard per target
