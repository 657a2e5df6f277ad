// SPDX-License-Identifier: BSD-2-Clause
// Film grain synthesis: noise is added as the specification writes it (AV1
// 7.18.3.5).
//
// Reads: kFilmGrain, the target's planes. Writes: the display's planes. Range:
// superblock rows, after all in-loop filters of them.
#include "kernels/av1/grain/film_grain.h"

#include <algorithm>

#include "kernels/av1/grain/film_grain_walk.h"
#include "kernels/av1/kernels.h"

namespace perdix::av1 {
namespace {

using Tables = FilmGrainTables;

// A line of noiseImage, in blocks: what follows the last one's is written, too.
class NoiseImage {
 public:
  NoiseImage(const Tables& tables, const NoiseLine& line)
      : tables_(tables), line_(line), piece_(line.piece) {
    int* image = image_;
    for (int block = 0; block < piece_.count; ++block, image += piece_.width) {
      const BlockGrain& grain = piece_.grain[block];
      const bool left = block > 0 ? line.left : line.first;
      NoiseStripe(grain.here, grain.left, left, image);
      if (!line.above) continue;
      int old[kGrainBlock];
      NoiseStripe(grain.above, grain.above_left, left, old);
      for (int j = 0; j < piece_.width; ++j) {
        image[j] = Blend(old[j], image[j], piece_.weights_y, line.line);
      }
    }
  }

  int operator[](int x) const { return image_[x]; }

 private:
  // A block's line of noiseStripe. here, left: the grain of the block and of
  // the one to its left, which goes on under it.
  void NoiseStripe(const int16_t* here, const int16_t* left, bool overlaps,
                   int* noise) const {
    const int offset = line_.line * Tables::kColumns;
    std::copy_n(here + offset, piece_.width, noise);
    for (int j = 0; overlaps && j < piece_.weights_x.count; ++j) {
      noise[j] = Blend(left[offset + j], noise[j], piece_.weights_x, j);
    }
  }

  // index: how far from where the newer block begins.
  int Blend(int old, int noise, const OverlapWeights& weights,
            int index) const {
    const int sum = old * weights.older[index] + noise * weights.newer[index];
    return std::clamp(Round2(sum, 5), tables_.grain_min, tables_.grain_max);
  }

  const Tables& tables_;
  const NoiseLine& line_;
  const PieceNoise& piece_;
  int image_[kGrainPiece + kGrainBlock];
};

// Adds noise to samples of a plane.
class Adder {
 public:
  Adder(const Tables& tables, int plane)
      : scaling_(tables.scaling[plane]),
        scaling_shift_(tables.scaling_shift),
        min_value_(tables.min_value),
        max_value_(tables.max_value[plane]) {}

  // index: into scale_lut.
  int Noisy(int orig, int index, int noise) const {
    const int scale = scaling_[index & (Tables::kScalingSize - 1)];
    return std::clamp(orig + Round2(scale * noise, scaling_shift_), min_value_,
                      max_value_);
  }

 private:
  const uint8_t* const scaling_;
  const int scaling_shift_;
  const int min_value_;
  const int max_value_;
};

struct Scalar {
  template <typename Sample>
  static void AddToLuma(const Tables& tables, const NoiseLine& line,
                        const Sample* from, int count, int shift, Sample* to) {
    const NoiseImage noise_image(tables, line);
    const Adder adder(tables, 0);
    for (int x = 0; x < count; ++x) {
      to[x] = Sample(adder.Noisy(from[x], from[x], noise_image[x]) << shift);
    }
  }

  template <typename Sample>
  static void AddToChroma(const Tables& tables, int subsampling_x,
                          int bit_depth, const NoiseLine (&noise)[2],
                          const ChromaGrainLine<Sample>& line) {
    for (int i = 0; i < 2; ++i) {
      if (tables.applies[1 + i]) {
        AddToComponent(tables, i, subsampling_x, (1 << bit_depth) - 1,
                       NoiseImage(tables, noise[i]), line);
        continue;
      }
      for (int x = 0; x < line.count; ++x) {
        line.to[2 * x + i] = Sample(line.from[2 * x + i] << line.shift);
      }
    }
  }

 private:
  // i: 0 U, 1 V. max: of a sample.
  template <typename Sample>
  static void AddToComponent(const Tables& tables, int i, int subsampling_x,
                             int max, const NoiseImage& noise_image,
                             const ChromaGrainLine<Sample>& line) {
    const Adder adder(tables, 1 + i);
    const int luma_mult = tables.luma_mult[i];
    const int mult = tables.mult[i];
    const int offset = tables.offset[i];
    const int last = line.luma_width - 1;
    for (int x = 0; x < line.count; ++x) {
      const int luma_x = x << subsampling_x;
      // The last sample of an odd width has one of luma alone.
      const int luma_next_x = std::min(luma_x + subsampling_x, last);
      const int average_luma =
          Round2(line.luma[luma_x] + line.luma[luma_next_x], 1);
      const int orig = line.from[2 * x + i];
      const int combined = average_luma * luma_mult + orig * mult;
      const int merged = std::clamp((combined >> 6) + offset, 0, max);
      line.to[2 * x + i] =
          Sample(adder.Noisy(orig, merged, noise_image[x]) << line.shift);
    }
  }
};

}  // namespace

template <typename Sample>
void FilmGrain(const KernelArgs& args, Range range) {
  FilmGrainRows<Sample, Scalar>(args, range);
}

template void FilmGrain<uint8_t>(const KernelArgs&, Range);
template void FilmGrain<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::av1
