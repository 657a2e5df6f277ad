// SPDX-License-Identifier: BSD-2-Clause
// Intra prediction (VP9 8.5.1) on vectors: what intra_pred.cc does, with one
// function for each plane, block size and mode. U and V are predicted together:
// a pixel is a sample of luma or a pair of chroma, and a row of pixels is one
// vector (or a few) whose neighbour to the right is kStep samples further.
//
// A directional mode's rows all lie in one or two short arrays, made by
// averaging neighbours along the edge: a row is that array from another start.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vp9/intra_pred_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/vp9/intra_edges.h"
#include "kernels/vp9/inverse_transform.h"
#include "kernels/vp9/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::vp9::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void IntraPred8(const KernelArgs& args, Range range) {
  IntraPred<uint8_t>(args, range);
}
void IntraPred16(const KernelArgs& args, Range range) {
  IntraPred<uint16_t>(args, range);
}

#else

namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Where prediction reads and writes.
template <typename Sample>
struct BlockView {
  const Sample* above;  // the corner is the pixel before it
  const Sample* left;
  ptrdiff_t left_stride;  // samples, like all strides here
  Sample* out;
  ptrdiff_t out_stride;
  uint32_t have;  // above right: above has twice the block's pixels
  int bit_depth;
};

// Round2(a + b, 1) and, as floor((a + c) / 2) is AverageRound(a, c) but for the
// bit that rounding added, Round2(a + 2 * b + c, 2).
template <class D, class V = hn::VFromD<D> >
HWY_ATTR V Average2(D /*d*/, V a, V b) {
  return hn::AverageRound(a, b);
}
template <class D, class V = hn::VFromD<D> >
HWY_ATTR V Average3(D d, V a, V b, V c) {
  const V odd = hn::And(hn::Xor(a, c), hn::Set(d, 1));
  return hn::AverageRound(b, hn::Sub(hn::AverageRound(a, c), odd));
}

// The sum of all lanes.
template <size_t kLanes>
HWY_ATTR uint32_t Sum(hn::Simd<uint8_t, kLanes, 0> d,
                      hn::VFromD<decltype(d)> v) {
  if constexpr (kLanes == 4) {
    const hn::FixedTag<uint8_t, 8> eight;
    return Sum(eight, hn::ZeroExtendVector(eight, v));
  } else {
    const hn::FixedTag<uint64_t, kLanes / 8> sums;
    return static_cast<uint32_t>(
        hn::GetLane(hn::SumOfLanes(sums, hn::SumsOf8(v))));
  }
}
template <size_t kLanes>
HWY_ATTR uint32_t Sum(hn::Simd<uint16_t, kLanes, 0> d,
                      hn::VFromD<decltype(d)> v) {
  const hn::FixedTag<uint32_t, kLanes / 2> sums;
  const auto pairs = hn::BitCast(sums, v);
  const auto added =
      hn::Add(hn::And(pairs, hn::Set(sums, 0xffff)), hn::ShiftRight<16>(pairs));
  return hn::GetLane(hn::SumOfLanes(sums, added));
}

// Predicts blocks of kSize x kSize pixels of kStep samples.
template <typename Sample, int kStep, int kSize>
class Predictor {
 public:
  using Block = BlockView<Sample>;

  template <uint32_t kMode>
  HWY_ATTR static void Predict(const Block& block) {
    if constexpr (kMode == kDcPred) PredictDc(block);
    if constexpr (kMode == kVPred) PredictV(block);
    if constexpr (kMode == kHPred) PredictH(block);
    if constexpr (kMode == kD45Pred) PredictD45(block);
    if constexpr (kMode == kD135Pred) PredictD135(block);
    if constexpr (kMode == kD117Pred) PredictD117(block);
    if constexpr (kMode == kD153Pred) PredictD153(block);
    if constexpr (kMode == kD207Pred) PredictD207(block);
    if constexpr (kMode == kD63Pred) PredictD63(block);
    if constexpr (kMode == kTmPred) PredictTm(block);
  }

 private:
  // A pixel as one integer.
  using Pixel = std::conditional_t<
      kStep * sizeof(Sample) == 1, uint8_t,
      std::conditional_t<kStep * sizeof(Sample) == 2, uint16_t, uint32_t> >;
  static constexpr int kRow = kSize * kStep;  // samples
  static constexpr int kMaxLanes =
      static_cast<int>(HWY_MAX_BYTES / sizeof(Sample));
  // Vectors for up to this many samples at a time.
  template <int kSamples>
  using Vector = hn::FixedTag<Sample, std::min(kSamples, kMaxLanes)>;
  using RowVector = Vector<kRow>;
  static constexpr int kLanes = std::min(kRow, kMaxLanes);

  // ---- pixels and rows ----

  HWY_ATTR static Pixel LoadPixel(const Sample* from) {
    Pixel pixel;
    std::memcpy(&pixel, from, sizeof(pixel));
    return pixel;
  }
  HWY_ATTR static void StorePixel(Pixel pixel, Sample* to) {
    std::memcpy(to, &pixel, sizeof(pixel));
  }
  // The pixel in all of a vector.
  HWY_ATTR static hn::VFromD<RowVector> Broadcast(Pixel pixel) {
    return hn::BitCast(RowVector(),
                       hn::Set(hn::Repartition<Pixel, RowVector>(), pixel));
  }

  template <int kPixels>
  HWY_ATTR static void Copy(const Sample* from, Sample* to) {
    const Vector<kPixels * kStep> d;
    for (int i = 0; i < kPixels * kStep; i += static_cast<int>(MaxLanes(d))) {
      hn::StoreU(hn::LoadU(d, from + i), d, to + i);
    }
  }
  template <int kPixels>
  HWY_ATTR static void Fill(Pixel pixel, Sample* to) {
    const RowVector d;
    for (int i = 0; i < kPixels * kStep; i += kLanes) {
      hn::StoreU(Broadcast(pixel), d, to + i);
    }
  }
  HWY_ATTR static void CopyToRow(const Block& block, int row,
                                 const Sample* from) {
    Copy<kSize>(from, block.out + row * block.out_stride);
  }

  // ---- DC, V, H, TM ----

  HWY_ATTR static void PredictDc(const Block& block) {
    const bool have_above = (block.have & PERDIX_INTRA_HAVE_ABOVE) != 0;
    const bool have_left = (block.have & PERDIX_INTRA_HAVE_LEFT) != 0;
    uint32_t sums[2] = {};
    if (have_above) AddAbove(block, sums);
    if (have_left) AddLeft(block, sums);
    const uint32_t count = kSize * (uint32_t{have_above} + have_left);
    Sample mean[kStep];
    for (int i = 0; i < kStep; ++i) {
      mean[i] = static_cast<Sample>(count == 0 ? 1u << (block.bit_depth - 1)
                                    : count == kSize
                                        ? (sums[i] + kSize / 2) / kSize
                                        : (sums[i] + kSize) / (2 * kSize));
    }
    for (int i = 0; i < kSize; ++i) {
      Fill<kSize>(LoadPixel(mean), block.out + i * block.out_stride);
    }
  }

  HWY_ATTR static void AddAbove(const Block& block, uint32_t (&sums)[2]) {
    const RowVector d;
    for (int i = 0; i < kRow; i += kLanes) {
      const auto samples = hn::LoadU(d, block.above + i);
      if constexpr (kStep == 1) {
        sums[0] += Sum(d, samples);
      } else {
        constexpr Pixel kFirst = static_cast<Sample>(-1);
        sums[0] += Sum(d, hn::And(samples, Broadcast(kFirst)));
        sums[1] += Sum(d, hn::AndNot(Broadcast(kFirst), samples));
      }
    }
  }

  HWY_ATTR static void AddLeft(const Block& block, uint32_t (&sums)[2]) {
    for (int i = 0; i < kSize; ++i) {
      for (int c = 0; c < kStep; ++c) {
        sums[c] += block.left[i * block.left_stride + c];
      }
    }
  }

  HWY_ATTR static void PredictV(const Block& block) {
    const RowVector d;
    for (int j = 0; j < kRow; j += kLanes) {
      const auto above = hn::LoadU(d, block.above + j);
      for (int i = 0; i < kSize; ++i) {
        hn::StoreU(above, d, block.out + i * block.out_stride + j);
      }
    }
  }

  HWY_ATTR static void PredictH(const Block& block) {
    for (int i = 0; i < kSize; ++i) {
      Fill<kSize>(LoadPixel(block.left + i * block.left_stride),
                  block.out + i * block.out_stride);
    }
  }

  // Above + left - corner: at most one of the differences is not zero.
  HWY_ATTR static void PredictTm(const Block& block) {
    const RowVector d;
    const auto max_sample =
        hn::Set(d, static_cast<Sample>((1 << block.bit_depth) - 1));
    const auto corner = Broadcast(LoadPixel(block.above - kStep));
    for (int j = 0; j < kRow; j += kLanes) {
      const auto above = hn::LoadU(d, block.above + j);
      for (int i = 0; i < kSize; ++i) {
        const auto left =
            Broadcast(LoadPixel(block.left + i * block.left_stride));
        const auto up = hn::SaturatedSub(left, corner);
        const auto down = hn::SaturatedSub(corner, left);
        hn::StoreU(hn::SaturatedSub(
                       hn::Min(hn::SaturatedAdd(above, up), max_sample), down),
                   d, block.out + i * block.out_stride + j);
      }
    }
  }

  // ---- edges as arrays ----

  // Arrays of edge pixels are longer than what is used: whole vectors are read
  // from them and written to them.
  static constexpr int kEdgeSamples = (3 * kSize + 8) * kStep;
  struct alignas(64) Edge {
    Sample samples[kEdgeSamples];
    Sample* At(int pixel) { return samples + pixel * kStep; }
  };

  // Above and above right, and two pixels more.
  HWY_ATTR static void GatherAbove(const Block& block, Edge& edge) {
    Copy<kSize>(block.above, edge.At(0));
    if (block.have & PERDIX_INTRA_HAVE_ABOVE_RIGHT) {
      Copy<kSize>(block.above + kRow, edge.At(kSize));
    } else {
      Fill<kSize>(LoadPixel(block.above + kRow - kStep), edge.At(kSize));
    }
  }

  // Left from its first row down, the last repeated twice.
  HWY_ATTR static void GatherLeft(const Block& block, Edge& edge) {
    for (int i = 0; i < kSize + 2; ++i) {
      const int row = std::min(i, kSize - 1);
      StorePixel(LoadPixel(block.left + row * block.left_stride), edge.At(i));
    }
  }

  // Left from its last row up, the corner at kSize, above.
  HWY_ATTR static void GatherAround(const Block& block, Edge& edge) {
    for (int i = 0; i < kSize; ++i) {
      StorePixel(LoadPixel(block.left + i * block.left_stride),
                 edge.At(kSize - 1 - i));
    }
    StorePixel(LoadPixel(block.above - kStep), edge.At(kSize));
    Copy<kSize>(block.above, edge.At(kSize + 1));
  }

  // out[i]: the average of edge[i] and edge[i + 1].
  template <int kPixels>
  HWY_ATTR static void AverageTwo(const Sample* edge, Sample* out) {
    const Vector<kPixels * kStep> d;
    for (int i = 0; i < kPixels * kStep; i += static_cast<int>(MaxLanes(d))) {
      hn::StoreU(
          Average2(d, hn::LoadU(d, edge + i), hn::LoadU(d, edge + i + kStep)),
          d, out + i);
    }
  }
  // out[i]: the average of edge[i], edge[i + 1] twice and edge[i + 2].
  template <int kPixels>
  HWY_ATTR static void AverageThree(const Sample* edge, Sample* out) {
    const Vector<kPixels * kStep> d;
    for (int i = 0; i < kPixels * kStep; i += static_cast<int>(MaxLanes(d))) {
      hn::StoreU(
          Average3(d, hn::LoadU(d, edge + i), hn::LoadU(d, edge + i + kStep),
                   hn::LoadU(d, edge + i + 2 * kStep)),
          d, out + i);
    }
  }
  // kSize pairs of both in turn.
  HWY_ATTR static void AverageTwoAndThree(const Sample* edge, Sample* out) {
    const RowVector d;
    const hn::Repartition<Pixel, RowVector> pixels;
    for (int i = 0; i < kRow; i += kLanes) {
      const auto a = hn::LoadU(d, edge + i);
      const auto b = hn::LoadU(d, edge + i + kStep);
      const auto c = hn::LoadU(d, edge + i + 2 * kStep);
      hn::StoreInterleaved2(hn::BitCast(pixels, Average2(d, a, b)),
                            hn::BitCast(pixels, Average3(d, a, b, c)), pixels,
                            reinterpret_cast<Pixel*>(out + 2 * i));
    }
  }

  // The first kSize pixels in turn to even and odd.
  HWY_ATTR static void Separate(const Sample* edge, Sample* even, Sample* odd) {
    constexpr int kPixels =
        std::clamp(kSize / 2, static_cast<int>(8 / sizeof(Pixel)),
                   static_cast<int>(HWY_MAX_BYTES / sizeof(Pixel)));
    const hn::FixedTag<Pixel, kPixels> d;
    const auto* from = reinterpret_cast<const Pixel*>(edge);
    for (int i = 0; i < kSize / 2; i += kPixels) {
      hn::VFromD<decltype(d)> evens, odds;
      hn::LoadInterleaved2(d, from + 2 * i, evens, odds);
      hn::StoreU(evens, d, reinterpret_cast<Pixel*>(even) + i);
      hn::StoreU(odds, d, reinterpret_cast<Pixel*>(odd) + i);
    }
  }

  // ---- directions ----

  HWY_ATTR static void PredictD45(const Block& block) {
    Edge above, smooth;
    GatherAbove(block, above);
    AverageThree<2 * kSize>(above.At(0), smooth.At(0));
    StorePixel(LoadPixel(above.At(2 * kSize - 1)), smooth.At(2 * kSize - 2));
    for (int i = 0; i < kSize; ++i) CopyToRow(block, i, smooth.At(i));
  }

  HWY_ATTR static void PredictD63(const Block& block) {
    Edge above, even, odd;
    GatherAbove(block, above);
    AverageTwo<2 * kSize>(above.At(0), even.At(0));
    AverageThree<2 * kSize>(above.At(0), odd.At(0));
    for (int i = 0; i < kSize; i += 2) {
      CopyToRow(block, i, even.At(i / 2));
      CopyToRow(block, i + 1, odd.At(i / 2));
    }
  }

  HWY_ATTR static void PredictD135(const Block& block) {
    Edge around, smooth;
    GatherAround(block, around);
    AverageThree<2 * kSize>(around.At(0), smooth.At(0));
    for (int i = 0; i < kSize; ++i) {
      CopyToRow(block, i, smooth.At(kSize - 1 - i));
    }
  }

  // Rows 0 and 1 from above and the corner; every second row begins one pixel
  // further left, with the averages of three left of these in turn.
  HWY_ATTR static void PredictD117(const Block& block) {
    Edge around, smooth, even, odd;
    GatherAround(block, around);
    AverageThree<2 * kSize>(around.At(0), smooth.At(0));
    Separate(smooth.At(0), even.At(0), odd.At(0));
    AverageTwo<kSize>(around.At(kSize), even.At(kSize / 2));
    Copy<kSize>(smooth.At(kSize - 1), odd.At(kSize / 2 - 1));
    for (int i = 0; i < kSize; i += 2) {
      CopyToRow(block, i, even.At((kSize - i) / 2));
      CopyToRow(block, i + 1, odd.At((kSize - i) / 2 - 1));
    }
  }

  HWY_ATTR static void PredictD153(const Block& block) {
    Edge around, smooth;
    GatherAround(block, around);
    AverageTwoAndThree(around.At(0), smooth.At(0));
    AverageThree<kSize>(around.At(kSize), smooth.At(2 * kSize));
    for (int i = 0; i < kSize; ++i) {
      CopyToRow(block, i, smooth.At(2 * (kSize - 1 - i)));
    }
  }

  HWY_ATTR static void PredictD207(const Block& block) {
    Edge left, smooth;
    GatherLeft(block, left);
    AverageTwoAndThree(left.At(0), smooth.At(0));
    Fill<kSize>(LoadPixel(left.At(kSize - 1)), smooth.At(2 * kSize));
    for (int i = 0; i < kSize; ++i) CopyToRow(block, i, smooth.At(2 * i));
  }
};

// ---- the function of a shape ----

template <typename Sample>
using PredictFunction = void (*)(const BlockView<Sample>&);

// Of the bits of a shape without `have`.
constexpr uint32_t kShapes = PackIntraShape(0, 0, 0, 1);

template <typename Sample, uint32_t kShape>
HWY_ATTR void PredictShape(const BlockView<Sample>& block) {
  Predictor<Sample, IntraPlane(kShape) == kLuma ? 1 : 2,
            4 << IntraSize(kShape)>::template Predict<IntraMode(kShape)>(block);
}

template <typename Sample, uint32_t... kShape>
constexpr std::array<PredictFunction<Sample>, sizeof...(kShape)> FunctionTable(
    std::integer_sequence<uint32_t, kShape...>) {
  return {&PredictShape<Sample, kShape>...};
}

template <typename Sample>
constexpr auto kPredictShape =
    FunctionTable<Sample>(std::make_integer_sequence<uint32_t, kShapes>());

// ---- one record ----

// A block that lacks an edge or sticks out of the decoded area: predicted aside
// from edges completed sample by sample, then what is inside is copied.
template <typename Sample>
HWY_ATTR void PredictAtBorder(const KernelArgs& args, const IntraBlock& block) {
  const uint32_t have = IntraHave(block.shape);
  const int bit_depth = static_cast<int>(args.params->bit_depth);
  const auto target = LocateComponent<Sample>(args, block, 0);
  const int step = target.sample_step;
  Sample above[2 * (1 + 2 * kMaxIntraSize)];
  Sample left[2 * kMaxIntraSize];
  Sample predicted[2 * kMaxIntraSize * kMaxIntraSize];
  for (int c = 0; c < step; ++c) {
    const Edges<Sample> edges(
        LocateComponent<Sample>(args, block, static_cast<uint32_t>(c)), have,
        bit_depth);
    for (int i = 0; i < target.size; ++i) {
      left[i * step + c] = static_cast<Sample>(edges.Left(i));
    }
    for (int i = -1; i < 2 * target.size; ++i) {
      above[(1 + i) * step + c] = static_cast<Sample>(edges.Above(i));
    }
  }
  const int stride = target.size * step;
  kPredictShape<Sample>[block.shape % kShapes](
      {above + step, left, step, predicted, stride,
       have | PERDIX_INTRA_HAVE_ABOVE_RIGHT, bit_depth});
  const int columns = std::min(target.size, target.columns_left);
  const int rows = std::min(target.size, target.rows_left);
  for (int i = 0; i < rows; ++i) {
    std::memcpy(target.data + i * target.stride, predicted + i * stride,
                sizeof(Sample) * static_cast<size_t>(columns * step));
  }
}

template <typename Sample>
HWY_ATTR void Predict(const KernelArgs& args, const IntraBlock& block) {
  constexpr uint32_t kBoth = PERDIX_INTRA_HAVE_LEFT | PERDIX_INTRA_HAVE_ABOVE;
  const uint32_t have = IntraHave(block.shape);
  const auto target = LocateComponent<Sample>(args, block, 0);
  const int columns_read =
      have & PERDIX_INTRA_HAVE_ABOVE_RIGHT ? 2 * target.size : target.size;
  if ((have & kBoth) != kBoth || target.columns_left < columns_read ||
      target.rows_left < target.size) {
    PredictAtBorder<Sample>(args, block);
    return;
  }
  kPredictShape<Sample>[block.shape % kShapes](
      {target.data - target.stride, target.data - target.sample_step,
       target.stride, target.data, target.stride, have,
       static_cast<int>(args.params->bit_depth)});
}

template <typename Sample>
HWY_ATTR void PredictIntraBlocks(const KernelArgs& args, Range range) {
  for (uint32_t i = range.begin; i < range.end; ++i) {
    const IntraBlock& block = args.lists.intra_blocks[i];
    Predict<Sample>(args, block);
    for (const uint32_t residual : {block.residual0, block.residual1}) {
      if (residual != PERDIX_NONE) {
        AddResidualSimd<Sample>(args, args.lists.intra_transforms[residual]);
      }
    }
  }
}

}  // namespace

void IntraPred8(const KernelArgs& args, Range range) {
  PredictIntraBlocks<uint8_t>(args, range);
}
void IntraPred16(const KernelArgs& args, Range range) {
  PredictIntraBlocks<uint16_t>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::vp9::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::vp9 {

HWY_EXPORT(IntraPred8);
HWY_EXPORT(IntraPred16);

template <>
void IntraPredSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(IntraPred8)(args, range);
}
template <>
void IntraPredSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(IntraPred16)(args, range);
}

}  // namespace perdix::vp9
#endif
