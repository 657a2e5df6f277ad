// SPDX-License-Identifier: BSD-2-Clause
// Film grain synthesis (AV1 7.18.3.5) on vectors: what film_grain.cc's kernel
// does, a line of a piece at once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/film_grain_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/film_grain_walk.h"
#include "kernels/av1/kernels.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/av1/word_sums-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void FilmGrain8(const KernelArgs& args, Range range) {
  FilmGrain<uint8_t>(args, range);
}
void FilmGrain16(const KernelArgs& args, Range range) {
  FilmGrain<uint16_t>(args, range);
}

#else

namespace {

HWY_INLINE HWY_ATTR VWords LoadSamples(const uint8_t* from) {
  return hn::PromoteTo(Words(), hn::LoadU(hn::Rebind<uint8_t, Words>(), from));
}
HWY_INLINE HWY_ATTR VWords LoadSamples(const uint16_t* from) {
  return hn::BitCast(Words(), hn::LoadU(hn::RebindToUnsigned<Words>(), from));
}
HWY_INLINE HWY_ATTR void StoreSamples(VWords v, uint8_t* to) {
  const hn::Rebind<uint8_t, Words> d;
  hn::StoreU(hn::DemoteTo(d, v), d, to);
}
HWY_INLINE HWY_ATTR void StoreSamples(VWords v, uint16_t* to) {
  const hn::RebindToUnsigned<Words> d;
  hn::StoreU(hn::BitCast(d, v), d, to);
}

// samples + Round2(scale * noise, scaling_shift). scale: shifted by 15 -
// scaling_shift.
HWY_INLINE HWY_ATTR VWords Noisy(VWords samples, VWords scale, VWords noise,
                                 VWords lowest, VWords highest) {
  const VWords sum = hn::Add(samples, hn::MulFixedPoint15(scale, noise));
  return hn::Min(hn::Max(sum, lowest), highest);
}

// run(from, x) for vectors of samples from x on; of the last one some may be
// behind the line's end, where they are 0.
template <typename Sample, class Run>
HWY_INLINE HWY_ATTR void ForEachVector(const Sample* from, int count,
                                       const Run& run) {
  int x = 0;
  for (; x + kWords <= count; x += kWords) run(LoadSamples(from + x), x);
  if (x == count) return;
  Sample rest[kWords] = {};
  std::copy_n(from + x, count - x, rest);
  run(LoadSamples(rest), x);
}

// Stores what is within count.
template <typename Sample>
HWY_INLINE HWY_ATTR void StoreUpTo(int count, VWords v, int x, Sample* to) {
  if (x + kWords <= count) return StoreSamples(v, to + x);
  Sample rest[kWords];
  StoreSamples(v, rest);
  std::copy_n(rest, count - x, to + x);
}

// ---- noise ----

// One component's blocks in a piece. Vectors may read behind a block's grain,
// where the tables go on.
class NoiseBlocks {
 public:
  HWY_ATTR NoiseBlocks(const FilmGrainTables& tables, const PieceNoise& piece,
                       int line)
      : piece_(piece),
        across_(hn::Load(Words(), piece.weights_x.older),
                hn::Load(Words(), piece.weights_x.newer)),
        down_(piece.weights_y.older[line & 1], piece.weights_y.newer[line & 1]),
        lowest_(SetWords(tables.grain_min)),
        highest_(SetWords(tables.grain_max)) {}

  HWY_INLINE HWY_ATTR void Line(const NoiseOverlap& overlap, int line,
                                int16_t* noise) const {
    const int offset = line * FilmGrainTables::kColumns;
    for (int i = 0; i < piece_.count; ++i, noise += piece_.width) {
      const BlockGrain& grain = piece_.grain[i];
      const bool left = overlap.left && (overlap.first || i > 0);
      for (int x = 0; x < piece_.width; x += kWords) {
        const bool blends = left && x == 0;
        VWords v = Stripe(grain.here + offset + x, grain.left + offset, blends);
        if (overlap.above) {
          const VWords above = Stripe(grain.above + offset + x,
                                      grain.above_left + offset, blends);
          v = Blend(above, v, down_);
        }
        hn::StoreU(v, Words(), noise + x);
      }
    }
  }

 private:
  HWY_INLINE HWY_ATTR VWords Stripe(const int16_t* grain, const int16_t* left,
                                    bool blends) const {
    const VWords v = hn::LoadU(Words(), grain);
    return blends ? Blend(hn::LoadU(Words(), left), v, across_) : v;
  }

  HWY_INLINE HWY_ATTR VWords Blend(VWords older, VWords newer,
                                   const FactorPair& factors) const {
    WordSums sums(hn::Set(Sums(), 16));
    sums.Add(older, newer, factors);
    return hn::Min(hn::Max(sums.Shifted(5), lowest_), highest_);
  }

  const PieceNoise& piece_;
  const FactorPair across_;
  const FactorPair down_;
  const VWords lowest_;
  const VWords highest_;
};

HWY_NOINLINE HWY_ATTR void MakeNoiseLine(const FilmGrainTables& tables,
                                         const PieceNoise& piece,
                                         const NoiseOverlap& overlap, int line,
                                         int16_t* noise) {
  NoiseBlocks(tables, piece, line).Line(overlap, line, noise);
}

// ---- luma ----

// A table of 256 bytes in vectors of 16: each of them is looked up by the lower
// half of an index, the upper one chooses.
class ByteTable {
 public:
  using Bytes = hn::Repartition<uint8_t, Words>;
  using VBytes = hn::VFromD<Bytes>;

  explicit HWY_INLINE HWY_ATTR ByteTable(const uint8_t* table) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      parts_[i] = hn::LoadDup128(Bytes(), table + 16 * i);
    }
  }

  HWY_INLINE HWY_ATTR VBytes Lookup(VBytes index) const {
    const Bytes d;
    const VBytes lower = hn::And(index, hn::Set(d, 15));
    VBytes found[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      found[i] = hn::TableLookupBytes(parts_[i], lower);
    }
    Choose<8>(hn::TestBit(index, hn::Set(d, 128)), found);
    Choose<4>(hn::TestBit(index, hn::Set(d, 64)), found);
    Choose<2>(hn::TestBit(index, hn::Set(d, 32)), found);
    Choose<1>(hn::TestBit(index, hn::Set(d, 16)), found);
    return found[0];
  }

 private:
  template <int kHalf, class M>
  static HWY_INLINE HWY_ATTR void Choose(M upper, VBytes* found) {
#pragma GCC unroll 8
    for (int i = 0; i < kHalf; ++i) {
      found[i] = hn::IfThenElse(upper, found[i + kHalf], found[i]);
    }
  }

  VBytes parts_[16];
};

// What the table gives for count samples.
HWY_INLINE HWY_ATTR void LookUp(const uint8_t* table, const uint8_t* from,
                                int count, uint8_t* scales) {
  const ByteTable parts(table);
  const ByteTable::Bytes d;
  constexpr int kBytes = 2 * kWords;
  int x = 0;
  for (; x + kBytes <= count; x += kBytes) {
    hn::StoreU(parts.Lookup(hn::LoadU(d, from + x)), d, scales + x);
  }
  for (; x < count; ++x) scales[x] = table[from[x]];
}
HWY_INLINE HWY_ATTR void LookUp(const uint8_t* table, const uint16_t* from,
                                int count, uint8_t* scales) {
#pragma GCC unroll 8
  for (int x = 0; x < count; ++x) {
    scales[x] = table[from[x] & (FilmGrainTables::kScalingSize - 1)];
  }
}

template <typename Sample>
HWY_NOINLINE HWY_ATTR void AddToLine(const FilmGrainTables& tables,
                                     const Sample* from, const int16_t* noise,
                                     int count, Sample* to) {
  alignas(32) uint8_t scales[kGrainPiece + kWords];
  LookUp(tables.scaling[0], from, count, scales);
  const int shift = 15 - tables.scaling_shift;
  const VWords lowest = SetWords(tables.min_value);
  const VWords highest = SetWords(tables.max_value[0]);
  ForEachVector(from, count, [&](VWords samples, int x) HWY_ATTR {
    const VWords scale = hn::ShiftLeftSame(LoadSamples(scales + x), shift);
    StoreUpTo(
        count,
        Noisy(samples, scale, hn::LoadU(Words(), noise + x), lowest, highest),
        x, to);
  });
}

// ---- chroma ----

// U and V in turn.
HWY_INLINE HWY_ATTR VWords SetPairs(int u, int v) {
  return hn::OddEven(SetWords(v), SetWords(u));
}

// What the lines of a frame have in common.
struct ChromaFactors {
  explicit HWY_ATTR ChromaFactors(const FilmGrainTables& tables, int bit_depth)
      : mult(SetPairs(tables.luma_mult[0], tables.luma_mult[1]),
             SetPairs(tables.mult[0], tables.mult[1])),
        offset(SetPairs(tables.offset[0], tables.offset[1])),
        most(SetWords((1 << bit_depth) - 1)),
        lowest(SetPairs(tables.applies[1] ? tables.min_value : 0,
                        tables.applies[2] ? tables.min_value : 0)),
        highest(SetPairs(tables.applies[1] ? tables.max_value[1] : 0x7fff,
                         tables.applies[2] ? tables.max_value[2] : 0x7fff)) {}

  FactorPair mult;  // of luma, of chroma
  VWords offset;
  VWords most;
  VWords lowest;  // of what is shown; all where there is no noise
  VWords highest;
};

// A sample for each of a line's chroma.
using PairWords = int16_t[2 * kGrainPiece + 2 * kWords];

// Of each pair, for both.
template <typename Sample>
HWY_INLINE HWY_ATTR void LumaOfPairs(const ChromaGrainLine<Sample>& line,
                                     int subsampling_x, PairWords& luma) {
  const int width = line.luma_width;
  if (subsampling_x == 0) {
    for (int x = 0; x < width; ++x) {
      luma[2 * x] = luma[2 * x + 1] = static_cast<int16_t>(line.luma[x]);
    }
    return;
  }
  const hn::RebindToUnsigned<Words> d;
  const hn::Repartition<uint32_t, Words> pairs;
  ForEachVector(line.luma, width, [&](VWords samples, int x) HWY_ATTR {
    const auto others =
        hn::BitCast(d, hn::RotateRight<16>(hn::BitCast(pairs, samples)));
    const auto mean = hn::AverageRound(hn::BitCast(d, samples), others);
    hn::StoreU(hn::BitCast(Words(), mean), Words(), luma + x);
  });
  if (width & 1) {
    luma[width - 1] = luma[width] = static_cast<int16_t>(line.luma[width - 1]);
  }
}

// noise: 0 where it does not apply.
template <typename Sample>
HWY_NOINLINE HWY_ATTR void AddToPairs(const FilmGrainTables& tables,
                                      int subsampling_x, int bit_depth,
                                      const ChromaGrainLine<Sample>& line,
                                      const GrainNoise (&noise)[2]) {
  const Words d;
  const ChromaFactors factors(tables, bit_depth);
  const int count = 2 * line.count;
  alignas(32) PairWords luma;
  alignas(32) PairWords places;
  alignas(32) uint8_t scales[2 * kGrainPiece + kWords];
  LumaOfPairs(line, subsampling_x, luma);
  ForEachVector(line.from, count, [&](VWords samples, int x) HWY_ATTR {
    WordSums sums(hn::Zero(Sums()));
    sums.Add(hn::LoadU(d, luma + x), samples, factors.mult);
    const VWords merged = hn::SaturatedAdd(sums.Shifted(6), factors.offset);
    hn::StoreU(hn::Min(hn::Max(merged, hn::Zero(d)), factors.most), d,
               places + x);
  });
#pragma GCC unroll 4
  for (int x = 0; x < line.count; ++x) {
    scales[2 * x] = tables.scaling[1][places[2 * x]];
    scales[2 * x + 1] = tables.scaling[2][places[2 * x + 1]];
  }
  const int shift = 15 - tables.scaling_shift;
  ForEachVector(line.from, count, [&](VWords samples, int x) HWY_ATTR {
    const hn::Half<Words> half;
    const auto u = hn::LoadU(half, noise[0] + x / 2);
    const auto v = hn::LoadU(half, noise[1] + x / 2);
    const VWords both = hn::Combine(d, hn::InterleaveUpper(half, u, v),
                                    hn::InterleaveLower(half, u, v));
    const VWords scale = hn::ShiftLeftSame(LoadSamples(scales + x), shift);
    StoreUpTo(count,
              Noisy(samples, scale, both, factors.lowest, factors.highest), x,
              line.to);
  });
}

struct Vectors {
  static void NoiseLine(const FilmGrainTables& tables, const PieceNoise& piece,
                        const NoiseOverlap& overlap, int line, int16_t* noise) {
    MakeNoiseLine(tables, piece, overlap, line, noise);
  }

  template <typename Sample>
  static void AddToLuma(const FilmGrainTables& tables, const Sample* from,
                        const int16_t* noise, int count, Sample* to) {
    AddToLine(tables, from, noise, count, to);
  }
  template <typename Sample>
  static void AddToChroma(const FilmGrainTables& tables, int subsampling_x,
                          int bit_depth, const ChromaGrainLine<Sample>& line,
                          const GrainNoise (&noise)[2]) {
    AddToPairs(tables, subsampling_x, bit_depth, line, noise);
  }
};

}  // namespace

void FilmGrain8(const KernelArgs& args, Range range) {
  FilmGrainRows<uint8_t, Vectors>(args, range);
}
void FilmGrain16(const KernelArgs& args, Range range) {
  FilmGrainRows<uint16_t, Vectors>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(FilmGrain8);
HWY_EXPORT(FilmGrain16);

template <>
void FilmGrainSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(FilmGrain8)(args, range);
}
template <>
void FilmGrainSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(FilmGrain16)(args, range);
}

}  // namespace perdix::av1
#endif
