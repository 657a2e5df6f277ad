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

template <typename Sample>
constexpr int kMaxLanes = static_cast<int>(HWY_MAX_BYTES / sizeof(Sample));

// Round2(a + 2 * b + c, 2), which is (b + floor((a + c) / 2) + 1) >> 1: the
// half that the floor drops is too small to matter. AverageRound(a, c) is that
// floor, or one more if a + c is odd.
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

// Rows of kRow samples, each at from, from + step, from + 2 * step... A call of
// its own: compilers that see how `from` was written make rows of it by shifts
// in scalar registers, which is slower than to load them.
template <int kRow, typename Sample>
HWY_ATTR HWY_NOINLINE void WriteRows(const Sample* from, ptrdiff_t step,
                                     Sample* out, ptrdiff_t stride, int rows) {
  constexpr int kLanes = std::min(kRow, kMaxLanes<Sample>);
  const hn::FixedTag<Sample, kLanes> d;
  for (; rows > 0; --rows) {
    for (int i = 0; i < kRow; i += kLanes) {
      hn::StoreU(hn::LoadU(d, from + i), d, out + i);
    }
    from += step;
    out += stride;
  }
}

// Predicts a block of kSize x kSize pixels of kStep samples from what surrounds
// it in memory: the corner, the row above, above right where that is decoded,
// and the column to the left.
template <typename Sample, int kStep, int kSize>
class Predictor {
 public:
  HWY_ATTR Predictor(Sample* block, ptrdiff_t stride, bool have_above_right,
                     int bit_depth)
      : block_(block),
        stride_(stride),
        have_above_right_(have_above_right),
        bit_depth_(bit_depth) {}

  template <uint32_t kMode>
  HWY_ATTR void Predict() const {
    if constexpr (kMode == kDcPred) PredictDc();
    if constexpr (kMode == kVPred) PredictV();
    if constexpr (kMode == kHPred) PredictH();
    if constexpr (kMode == kD45Pred) PredictD45();
    if constexpr (kMode == kD135Pred) PredictD135();
    if constexpr (kMode == kD117Pred) PredictD117();
    if constexpr (kMode == kD153Pred) PredictD153();
    if constexpr (kMode == kD207Pred) PredictD207();
    if constexpr (kMode == kD63Pred) PredictD63();
    if constexpr (kMode == kTmPred) PredictTm();
  }

 private:
  // A pixel as one integer.
  using Pixel = std::conditional_t<
      kStep * sizeof(Sample) == 1, uint8_t,
      std::conditional_t<kStep * sizeof(Sample) == 2, uint16_t, uint32_t> >;
  static constexpr int kRow = kSize * kStep;  // samples
  // Vectors for kPixels pixels, or as many at a time as there may be.
  template <int kPixels>
  static constexpr int kLanes = std::min(kPixels* kStep, kMaxLanes<Sample>);
  template <int kPixels>
  using Vector = hn::FixedTag<Sample, kLanes<kPixels> >;
  static constexpr int kVectors = kRow / kLanes<kSize>;  // of a row

  // ---- pixels and rows ----

  Sample* Row(int i) const { return block_ + i * stride_; }
  const Sample* Above() const { return block_ - stride_; }
  Pixel Corner() const { return LoadPixel(Above() - kStep); }
  Pixel Left(int i) const { return LoadPixel(Row(i) - kStep); }

  HWY_ATTR static Pixel LoadPixel(const Sample* from) {
    Pixel pixel;
    std::memcpy(&pixel, from, sizeof(pixel));
    return pixel;
  }
  HWY_ATTR static void StorePixel(Pixel pixel, Sample* to) {
    std::memcpy(to, &pixel, sizeof(pixel));
  }
  // The pixel in all of a vector.
  template <class D>
  HWY_ATTR static hn::VFromD<D> Broadcast(D d, Pixel pixel) {
    return hn::BitCast(d, hn::Set(hn::Repartition<Pixel, D>(), pixel));
  }

  template <int kPixels>
  HWY_ATTR static void Copy(const Sample* from, Sample* to) {
    const Vector<kPixels> d;
    for (int i = 0; i < kPixels * kStep; i += kLanes<kPixels>) {
      hn::StoreU(hn::LoadU(d, from + i), d, to + i);
    }
  }
  template <int kPixels>
  HWY_ATTR static void Fill(Pixel pixel, Sample* to) {
    const Vector<kPixels> d;
    for (int i = 0; i < kPixels * kStep; i += kLanes<kPixels>) {
      hn::StoreU(Broadcast(d, pixel), d, to + i);
    }
  }

  // Pixels of the left column as they lie in memory when read as one integer:
  // from row i down or, the last first, up to it.
  using Word =
      std::conditional_t<kSize * sizeof(Pixel) == 4, uint32_t, uint64_t>;
  static constexpr int kWordPixels = sizeof(Word) / sizeof(Pixel);
  template <bool kUp>
  HWY_ATTR Word LeftWord(int i) const {
    Word word = 0;
    for (int k = 0; k < kWordPixels; ++k) {
      const int at = kUp ? kWordPixels - 1 - k : k;
      word |= static_cast<Word>(Left(i + k)) << (8 * sizeof(Pixel) * at);
    }
    return word;
  }

  // ---- DC, V, H, TM ----

  // The mean of above and left (see PredictAtBorder).
  HWY_ATTR void PredictDc() const {
    uint32_t sums[2] = {};  // of all samples, of the second ones of pixels
    AddAbove(sums);
    AddLeft(sums);
    const auto mean = [](uint32_t sum) {
      return static_cast<Sample>((sum + kSize) / (2 * kSize));
    };
    const Sample means[2] = {mean(sums[0] - sums[1]), mean(sums[1])};
    const Pixel pixel = LoadPixel(means);
    for (int i = 0; i < kSize; ++i) Fill<kSize>(pixel, Row(i));
  }

  HWY_ATTR void AddAbove(uint32_t (&sums)[2]) const {
    const Vector<kSize> d;
    for (int i = 0; i < kRow; i += kLanes<kSize>) {
      AddSamples(d, hn::LoadU(d, Above() + i), sums);
    }
  }

  HWY_ATTR void AddLeft(uint32_t (&sums)[2]) const {
    if constexpr (kStep == 1) {
      for (int i = 0; i < kSize; ++i) sums[0] += Left(i);
    } else {
      const hn::FixedTag<Word, 1> d;
      const hn::Repartition<Sample, decltype(d)> samples;
      for (int i = 0; i < kSize; i += kWordPixels) {
        const auto left = hn::BitCast(samples, hn::Set(d, LeftWord<false>(i)));
        AddSamples(samples, left, sums);
      }
    }
  }

  template <class D>
  HWY_ATTR static void AddSamples(D d, hn::VFromD<D> samples,
                                  uint32_t (&sums)[2]) {
    sums[0] += Sum(d, samples);
    if constexpr (kStep == 2) {
      const hn::Repartition<Pixel, D> pairs;
      const auto second =
          hn::ShiftRight<8 * sizeof(Sample)>(hn::BitCast(pairs, samples));
      sums[1] += Sum(d, hn::BitCast(d, second));
    }
  }

  HWY_ATTR void PredictV() const {
    const Vector<kSize> d;
    hn::VFromD<Vector<kSize> > above[kVectors];
    LoadAbove(above);
    for (int i = 0; i < kSize; ++i) {
      for (int j = 0; j < kVectors; ++j) {
        hn::StoreU(above[j], d, Row(i) + j * kLanes<kSize>);
      }
    }
  }

  HWY_ATTR void PredictH() const {
    for (int i = 0; i < kSize; ++i) Fill<kSize>(Left(i), Row(i));
  }

  // Above + left - corner: at most one of the differences is not zero.
  HWY_ATTR void PredictTm() const {
    const Vector<kSize> d;
    const auto corner = Broadcast(d, Corner());
    hn::VFromD<Vector<kSize> > above[kVectors];
    LoadAbove(above);
    for (int i = 0; i < kSize; ++i) {
      const auto left = Broadcast(d, Left(i));
      const auto more = hn::SaturatedSub(left, corner);
      const auto less = hn::SaturatedSub(corner, left);
      for (int j = 0; j < kVectors; ++j) {
        const auto sum = ClampToMax(d, hn::SaturatedAdd(above[j], more));
        hn::StoreU(hn::SaturatedSub(sum, less), d, Row(i) + j * kLanes<kSize>);
      }
    }
  }

  template <class D, class V = hn::VFromD<D> >
  HWY_ATTR V ClampToMax(D d, V samples) const {
    if constexpr (sizeof(Sample) == 1) return samples;
    const int max_sample = (1 << bit_depth_) - 1;
    return hn::Min(samples, hn::Set(d, static_cast<Sample>(max_sample)));
  }

  HWY_ATTR void LoadAbove(hn::VFromD<Vector<kSize> > (&above)[kVectors]) const {
    for (int j = 0; j < kVectors; ++j) {
      above[j] = hn::LoadU(Vector<kSize>(), Above() + j * kLanes<kSize>);
    }
  }

  // ---- edges as arrays ----

  // Pixels along an edge, or averages of them. Longer than what is used: whole
  // vectors are read and written.
  struct alignas(64) Edge {
    Sample samples[(3 * kSize + 8) * kStep];
    Sample* At(int pixel) { return samples + pixel * kStep; }
  };

  // Above and above right.
  HWY_ATTR void GatherAbove(Edge& edge) const {
    Copy<kSize>(Above(), edge.At(0));
    if (have_above_right_) {
      Copy<kSize>(Above() + kRow, edge.At(kSize));
    } else {
      Fill<kSize>(LoadPixel(Above() + kRow - kStep), edge.At(kSize));
    }
  }

  // Left from its first row down, the last repeated twice.
  HWY_ATTR void GatherLeft(Edge& edge) const {
    for (int i = 0; i < kSize; i += kWordPixels) {
      const Word word = LeftWord<false>(i);
      std::memcpy(edge.At(i), &word, sizeof(word));
    }
    StorePixel(Left(kSize - 1), edge.At(kSize));
    StorePixel(Left(kSize - 1), edge.At(kSize + 1));
  }

  // Left from its last row up, the corner at kSize, above.
  HWY_ATTR void GatherAround(Edge& edge) const {
    for (int i = 0; i < kSize; i += kWordPixels) {
      const Word word = LeftWord<true>(i);
      std::memcpy(edge.At(kSize - kWordPixels - i), &word, sizeof(word));
    }
    StorePixel(Corner(), edge.At(kSize));
    Copy<kSize>(Above(), edge.At(kSize + 1));
  }

  // out[i]: the average of edge[i] and edge[i + 1].
  template <int kPixels>
  HWY_ATTR static void AverageTwo(const Sample* edge, Sample* out) {
    const Vector<kPixels> d;
    for (int i = 0; i < kPixels * kStep; i += kLanes<kPixels>) {
      const auto a = hn::LoadU(d, edge + i);
      const auto b = hn::LoadU(d, edge + i + kStep);
      hn::StoreU(hn::AverageRound(a, b), d, out + i);
    }
  }
  // out[i]: the average of edge[i], edge[i + 1] twice and edge[i + 2].
  template <int kPixels>
  HWY_ATTR static void AverageThree(const Sample* edge, Sample* out) {
    const Vector<kPixels> d;
    for (int i = 0; i < kPixels * kStep; i += kLanes<kPixels>) {
      const auto a = hn::LoadU(d, edge + i);
      const auto b = hn::LoadU(d, edge + i + kStep);
      const auto c = hn::LoadU(d, edge + i + 2 * kStep);
      hn::StoreU(Average3(d, a, b, c), d, out + i);
    }
  }
  // kSize pairs of both in turn.
  HWY_ATTR static void AverageTwoAndThree(const Sample* edge, Sample* out) {
    const Vector<kSize> d;
    const hn::Repartition<Pixel, Vector<kSize> > pixels;
    for (int i = 0; i < kRow; i += kLanes<kSize>) {
      const auto a = hn::LoadU(d, edge + i);
      const auto b = hn::LoadU(d, edge + i + kStep);
      const auto c = hn::LoadU(d, edge + i + 2 * kStep);
      hn::StoreInterleaved2(hn::BitCast(pixels, hn::AverageRound(a, b)),
                            hn::BitCast(pixels, Average3(d, a, b, c)), pixels,
                            reinterpret_cast<Pixel*>(out + 2 * i));
    }
  }

  // The first kSize pixels in turn to even and odd.
  HWY_ATTR static void Separate(const Sample* edge, Sample* even, Sample* odd) {
    constexpr int kPixels = std::clamp(
        kSize / 2, static_cast<int>(8 / sizeof(Pixel)), kMaxLanes<Pixel>);
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

  // All rows from one array, step pixels apart.
  HWY_ATTR void WriteAll(const Sample* from, int step) const {
    WriteRows<kRow>(from, step * kStep, block_, stride_, kSize);
  }
  // The even and the odd rows from two.
  HWY_ATTR void WriteInTurn(const Sample* even, const Sample* odd,
                            int step) const {
    WriteRows<kRow>(even, step * kStep, block_, 2 * stride_, kSize / 2);
    WriteRows<kRow>(odd, step * kStep, Row(1), 2 * stride_, kSize / 2);
  }

  HWY_ATTR void PredictD45() const {
    Edge above, smooth;
    GatherAbove(above);
    AverageThree<2 * kSize>(above.At(0), smooth.At(0));
    StorePixel(LoadPixel(above.At(2 * kSize - 1)), smooth.At(2 * kSize - 2));
    WriteAll(smooth.At(0), 1);
  }

  HWY_ATTR void PredictD63() const {
    Edge above, even, odd;
    GatherAbove(above);
    AverageTwo<2 * kSize>(above.At(0), even.At(0));
    AverageThree<2 * kSize>(above.At(0), odd.At(0));
    WriteInTurn(even.At(0), odd.At(0), 1);
  }

  HWY_ATTR void PredictD135() const {
    Edge around, smooth;
    GatherAround(around);
    AverageThree<2 * kSize>(around.At(0), smooth.At(0));
    WriteAll(smooth.At(kSize - 1), -1);
  }

  // Rows 0 and 1 from above and the corner; every second row begins one pixel
  // further left, with the averages of three left of these in turn.
  HWY_ATTR void PredictD117() const {
    Edge around, smooth, even, odd;
    GatherAround(around);
    AverageThree<2 * kSize>(around.At(0), smooth.At(0));
    Separate(smooth.At(0), even.At(0), odd.At(0));
    AverageTwo<kSize>(around.At(kSize), even.At(kSize / 2));
    Copy<kSize>(smooth.At(kSize - 1), odd.At(kSize / 2 - 1));
    WriteInTurn(even.At(kSize / 2), odd.At(kSize / 2 - 1), -1);
  }

  HWY_ATTR void PredictD153() const {
    Edge around, smooth;
    GatherAround(around);
    AverageTwoAndThree(around.At(0), smooth.At(0));
    AverageThree<kSize>(around.At(kSize), smooth.At(2 * kSize));
    WriteAll(smooth.At(2 * (kSize - 1)), -2);
  }

  HWY_ATTR void PredictD207() const {
    Edge left, smooth;
    GatherLeft(left);
    AverageTwoAndThree(left.At(0), smooth.At(0));
    Fill<kSize>(Left(kSize - 1), smooth.At(2 * kSize));
    WriteAll(smooth.At(0), 2);
  }

  Sample* const block_;
  const ptrdiff_t stride_;  // samples
  const bool have_above_right_;
  const int bit_depth_;
};

// ---- the function of a shape ----

template <typename Sample>
using PredictFunction = void (*)(Sample* block, ptrdiff_t stride,
                                 bool have_above_right, int bit_depth);

// How many shapes there are, `have` left out.
constexpr uint32_t kShapes = PackIntraShape(0, 0, 0, 1);

template <typename Sample, uint32_t kShape>
HWY_ATTR void PredictShape(Sample* block, ptrdiff_t stride,
                           bool have_above_right, int bit_depth) {
  constexpr int kStep = IntraPlane(kShape) == kLuma ? 1 : 2;
  Predictor<Sample, kStep, 4 << IntraSize(kShape)>(block, stride,
                                                   have_above_right, bit_depth)
      .template Predict<IntraMode(kShape)>();
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

constexpr uint32_t kBothEdges =
    PERDIX_INTRA_HAVE_LEFT | PERDIX_INTRA_HAVE_ABOVE;

// A block that lacks an edge or sticks out of the decoded area: predicted
// aside, between edges completed sample by sample, and then copied where it is
// inside. In DC, which leaves out an edge that is missing, the other stands for
// it: the mean is the same. So it is with both missing, of what replaces them.
template <typename Sample>
HWY_ATTR void PredictAtBorder(const KernelArgs& args, const IntraBlock& block) {
  const uint32_t have = IntraHave(block.shape);
  const bool dc = IntraMode(block.shape) == kDcPred;
  const bool above_for_left = dc && (have & PERDIX_INTRA_HAVE_LEFT) == 0;
  const bool left_for_above = dc && (have & PERDIX_INTRA_HAVE_ABOVE) == 0;
  const int bit_depth = static_cast<int>(args.params->bit_depth);
  const auto target = LocateComponent<Sample>(args, block, 0);
  const int size = target.size;
  const int step = target.sample_step;
  constexpr int kStride = 2 * (1 + 2 * kMaxIntraSize);
  Sample aside[(1 + kMaxIntraSize) * kStride];
  Sample* const predicted = aside + kStride + step;
  for (int c = 0; c < step; ++c) {
    const Edges<Sample> edges(
        LocateComponent<Sample>(args, block, static_cast<uint32_t>(c)), have,
        bit_depth);
    Sample* const above = predicted - kStride + c;
    Sample* const left = predicted - step + c;
    for (int i = -1; i < 2 * size; ++i) {
      above[i * step] = static_cast<Sample>(edges.Above(i));
    }
    for (int i = 0; i < size; ++i) {
      left[i * kStride] =
          static_cast<Sample>(above_for_left ? edges.Above(i) : edges.Left(i));
      if (left_for_above) above[i * step] = static_cast<Sample>(edges.Left(i));
    }
  }
  kPredictShape<Sample>[block.shape % kShapes](predicted, kStride, true,
                                               bit_depth);
  const int columns = std::min(size, target.columns_left);
  const int rows = std::min(size, target.rows_left);
  for (int i = 0; i < rows; ++i) {
    std::memcpy(target.data + i * target.stride, predicted + i * kStride,
                sizeof(Sample) * static_cast<size_t>(columns * step));
  }
}

// What there is to know of a plane before its blocks.
template <typename Sample>
class TargetPlane {
 public:
  TargetPlane(const KernelArgs& args, uint32_t plane)
      : data_(args.target.planes[plane].template Row<Sample>(0)),
        stride_(static_cast<ptrdiff_t>(args.target.planes[plane].stride_bytes /
                                       sizeof(Sample))),
        step_(plane == kLuma ? 1 : 2),
        area_(PlaneDecodedArea(*args.params, plane)),
        bit_depth_(static_cast<int>(args.params->bit_depth)) {}

  // False if that needs PredictAtBorder.
  HWY_ATTR bool Predict(const IntraBlock& block) const {
    const uint32_t have = IntraHave(block.shape);
    const bool have_above_right = (have & PERDIX_INTRA_HAVE_ABOVE_RIGHT) != 0;
    const int x = static_cast<int>(PositionX4(block.position)) * 4;
    const int y = static_cast<int>(PositionY4(block.position)) * 4;
    const int size = 4 << IntraSize(block.shape);
    if ((have & kBothEdges) != kBothEdges ||
        x + (size << have_above_right) > area_.width ||
        y + size > area_.height) {
      return false;
    }
    kPredictShape<Sample>[block.shape % kShapes](
        data_ + y * stride_ + x * step_, stride_, have_above_right, bit_depth_);
    return true;
  }

 private:
  Sample* const data_;
  const ptrdiff_t stride_;  // samples
  const int step_;          // samples of a pixel
  const DecodedArea area_;
  const int bit_depth_;
};

template <typename Sample>
HWY_ATTR void PredictIntraBlocks(const KernelArgs& args, Range range) {
  const TargetPlane<Sample> planes[kPlaneCount] = {{args, kLuma},
                                                   {args, kChroma}};
  const std::span<const IntraBlock> blocks = args.lists.Of(kIntraBlocks);
  const auto transforms = args.lists.Of(kIntraTransforms);
  for (uint32_t i = range.begin; i < range.end; ++i) {
    const IntraBlock& block = blocks[i];
    if (!planes[IntraPlane(block.shape)].Predict(block)) {
      PredictAtBorder<Sample>(args, block);
    }
    for (const uint32_t residual : {block.residual0, block.residual1}) {
      if (residual != PERDIX_NONE) {
        AddResidualSimd<Sample>(args, transforms[residual]);
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
