// SPDX-License-Identifier: BSD-2-Clause
// Which noise film grain synthesis adds to which samples (7.18.3.5); how it is
// added to a line of a block is up to the variants of the kernel.
#ifndef PERDIX_KERNELS_AV1_FILM_GRAIN_WALK_H_
#define PERDIX_KERNELS_AV1_FILM_GRAIN_WALK_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/av1/film_grain.h"
#include "kernels/av1/filter_rows.h"

namespace perdix::av1 {

inline constexpr int kGrainBlock = 32;  // luma lines of a noise stripe, columns
                                        // of a grain block

// Luma columns that are worked off together, line by line.
inline constexpr int kGrainPiece = 16 * kGrainBlock;

inline int Round2(int value, int shift) {
  return shift == 0 ? value : (value + (1 << (shift - 1))) >> shift;
}

// 7.18.3.2.
class GrainRandom {
 public:
  explicit GrainRandom(uint32_t seed) : state_(seed) {}
  uint32_t Next(int bits) {
    const uint32_t bit =
        (state_ ^ (state_ >> 1) ^ (state_ >> 3) ^ (state_ >> 12)) & 1;
    state_ = (state_ >> 1) | (bit << 15);
    return (state_ >> (16 - bits)) & ((1u << bits) - 1);
  }

 private:
  uint32_t state_;
};

// Four blocks of grain: the one at hand, those to the left, above, and above
// left: what overlaps. Each is a random number of 8 bits.
struct BlockNumbers {
  uint32_t here, left, above, above_left;
};

// Where the grain of a block's first line begins in a template, and what of its
// neighbours' overlaps with it.
struct BlockGrain {
  const int16_t *here, *left, *above, *above_left;
};

// One component's noise in blocks of 32x32 luma samples.
class BlockNoise {
 public:
  BlockNoise(const FilmGrainTables& tables, int plane, int ss_x, int ss_y)
      : tables_(tables), plane_(plane), ss_x_(ss_x), ss_y_(ss_y) {}

  BlockGrain GrainOf(const BlockNumbers& numbers) const {
    const int right = kGrainBlock >> ss_x_;
    const int below = (kGrainBlock >> ss_y_) * kPitch;
    return {Grain(numbers.here), Grain(numbers.left) + right,
            Grain(numbers.above) + below,
            Grain(numbers.above_left) + right + below};
  }

  // The noise of line <line> of a stripe: kGrainBlock values, of which those in
  // the block count. overlaps_x, overlaps_y: there are blocks to the left and
  // above, and they overlap.
  void Line(const BlockGrain& grain, bool overlaps_x, bool overlaps_y, int line,
            int16_t* noise) const {
    const int offset = line * kPitch;
    StripeLine(grain.here + offset, grain.left + offset, overlaps_x, noise);
    if (!overlaps_y || line >= (2 >> ss_y_)) return;
    int16_t above[kGrainBlock];
    StripeLine(grain.above + offset, grain.above_left + offset, overlaps_x,
               above);
    for (int x = 0; x < kGrainBlock; ++x) {
      noise[x] = Blend(above[x], noise[x], line, ss_y_);
    }
  }

 private:
  static constexpr int kPitch = FilmGrainTables::kColumns;

  // A line of noiseStripe.
  void StripeLine(const int16_t* grain, const int16_t* left, bool overlaps,
                  int16_t* noise) const {
    std::memcpy(noise, grain, kGrainBlock * sizeof(*noise));
    if (!overlaps) return;
    noise[0] = Blend(left[0], grain[0], 0, ss_x_);
    if (ss_x_ == 0) noise[1] = Blend(left[1], grain[1], 1, 0);
  }

  const int16_t* Grain(uint32_t number) const {
    const int x = int(number >> 4);
    const int y = int(number & 15);
    return tables_.grain[plane_][ss_y_ ? 6 + y : 9 + 2 * y] +
           (ss_x_ ? 6 + x : 9 + 2 * x);
  }

  // index: how far from where the newer block begins.
  int16_t Blend(int older, int newer, int index, int subsampling) const {
    const int older_weight = subsampling ? 23 : index == 0 ? 27 : 17;
    const int newer_weight = subsampling ? 22 : index == 0 ? 17 : 27;
    return int16_t(
        std::clamp((older * older_weight + newer * newer_weight + 16) >> 5,
                   tables_.grain_min, tables_.grain_max));
  }

  const FilmGrainTables& tables_;
  const int plane_, ss_x_, ss_y_;
};

// The random numbers of a stripe's blocks from left to right (7.18.3.5).
inline GrainRandom StripeRandom(const FilmGrainTables& tables,
                                uint32_t stripe) {
  return GrainRandom(tables.grain_seed ^ ((stripe * 37 + 178) & 255) << 8 ^
                     ((stripe * 173 + 105) & 255));
}

// Part of a noise stripe, all lines in luma samples.
struct StripePart {
  uint32_t stripe;
  uint32_t begin, end;
};

// What a line of noise is added to, of chroma. Index [2]: U, V.
template <typename Sample>
struct ChromaGrainLine {
  const Sample* luma;  // of the pairs' line: from the first one's sample on
  int luma_width;      // samples; behind an odd one's last there are none
  const Sample* from;  // pairs
  int count;           // pairs, kGrainPiece at most
  Sample* to;          // may be from
};

// A line's noise, in blocks: what follows the last one's is written, too.
using GrainNoise = int16_t[kGrainPiece + kGrainBlock];

// A variant's part:
//   static void AddToLuma(const FilmGrainTables& tables, const Sample* from,
//                         const int16_t* noise, int count, Sample* to);
//     count: kGrainPiece at most.
//   static void AddToChroma(const FilmGrainTables& tables, int subsampling_x,
//                           int bit_depth, const ChromaGrainLine<Sample>& line,
//                           const GrainNoise (&noise)[2]);
//     A component that noise does not apply to is copied.
template <typename Sample, typename Variant>
class GrainWalk {
 public:
  explicit GrainWalk(const KernelArgs& args)
      : tables_(*reinterpret_cast<const FilmGrainTables*>(
            args.tables.Of(kFilmGrain).data())),
        from_(args.target),
        to_(args.display),
        ss_x_(int(args.display.subsampling_x)),
        ss_y_(int(args.display.subsampling_y)),
        chroma_(!ParamsOf(args).monochrome) {}

  void Add(const StripePart& part) const {
    GrainRandom here = StripeRandom(tables_, part.stripe);
    GrainRandom above = StripeRandom(tables_, part.stripe - 1);
    Piece piece = {};
    for (uint32_t x = 0; x < to_.width; x += kGrainPiece) {
      piece.x = x;
      piece.width = int(std::min<uint32_t>(kGrainPiece, to_.width - x));
      BlockNumbers numbers = piece.numbers[kBlocks - 1];
      for (int i = 0; i * kGrainBlock < piece.width; ++i) {
        numbers = {here.Next(8), numbers.here, above.Next(8), numbers.above};
        piece.numbers[i] = numbers;
      }
      // Chroma first: where the pictures are the same it needs luma as it was.
      if (chroma_) AddChroma(part, piece);
      AddLuma(part, piece);
    }
  }

 private:
  static constexpr int kBlocks = kGrainPiece / kGrainBlock;

  struct Piece {
    uint32_t x;  // luma
    int width;
    BlockNumbers numbers[kBlocks];
  };

  // A component's noise in a piece.
  struct PieceNoise {
    PieceNoise(const BlockNoise& component, int block_width, const Piece& piece)
        : block(component), width(block_width) {
      for (; count * kGrainBlock < piece.width; ++count) {
        grain[count] = block.GrainOf(piece.numbers[count]);
      }
    }
    // Of line <line> of a stripe. overlaps_x: so does the first block.
    void Line(bool overlaps, bool overlaps_x, bool overlaps_y, int line,
              int16_t* noise) const {
      for (int i = 0; i < count; ++i, noise += width) {
        block.Line(grain[i], overlaps && (overlaps_x || i > 0), overlaps_y,
                   line, noise);
      }
    }

    const BlockNoise block;
    const int width;
    int count = 0;
    BlockGrain grain[kBlocks];
  };

  void AddLuma(const StripePart& part, const Piece& piece) const {
    const PieceNoise component(BlockNoise(tables_, 0, 0, 0), kGrainBlock,
                               piece);
    GrainNoise noise;
    for (uint32_t y = part.begin; y < part.end; ++y) {
      const Sample* const from = from_.planes[kLuma].Row<Sample>(y) + piece.x;
      Sample* const to = to_.planes[kLuma].Row<Sample>(y) + piece.x;
      if (!tables_.applies[0]) {
        if (from != to) std::copy_n(from, piece.width, to);
        continue;
      }
      component.Line(tables_.overlap, piece.x > 0,
                     tables_.overlap && part.stripe > 0, int(y % kGrainBlock),
                     noise);
      Variant::AddToLuma(tables_, from, noise, piece.width, to);
    }
  }

  void AddChroma(const StripePart& part, const Piece& piece) const {
    const uint32_t x = piece.x >> ss_x_;
    const uint32_t end = (part.end + uint32_t(ss_y_)) >> ss_y_;
    const int pairs = (piece.width + ss_x_) >> ss_x_;
    const int width = kGrainBlock >> ss_x_;
    const PieceNoise components[2] = {
        {BlockNoise(tables_, 1, ss_x_, ss_y_), width, piece},
        {BlockNoise(tables_, 2, ss_x_, ss_y_), width, piece}};
    GrainNoise noise[2] = {};
    for (uint32_t y = part.begin >> ss_y_; y < end; ++y) {
      const Sample* const from = from_.planes[kChroma].Row<Sample>(y) + 2 * x;
      Sample* const to = to_.planes[kChroma].Row<Sample>(y) + 2 * x;
      if (!tables_.applies[1] && !tables_.applies[2]) {
        if (from != to) std::copy_n(from, 2 * pairs, to);
        continue;
      }
      for (int i = 0; i < 2; ++i) {
        if (!tables_.applies[1 + i]) continue;
        components[i].Line(tables_.overlap, piece.x > 0,
                           tables_.overlap && part.stripe > 0,
                           int(y % uint32_t(kGrainBlock >> ss_y_)), noise[i]);
      }
      Variant::AddToChroma(
          tables_, ss_x_, int(to_.bit_depth),
          ChromaGrainLine<Sample>{
              from_.planes[kLuma].Row<Sample>(y << ss_y_) + piece.x,
              piece.width, from, pairs, to},
          noise);
    }
  }

  const FilmGrainTables& tables_;
  const PictureView& from_;
  const PictureView& to_;
  const int ss_x_, ss_y_;
  const bool chroma_;
};

template <typename Sample, typename Variant>
void FilmGrainRows(const KernelArgs& args, Range range) {
  const GrainWalk<Sample, Variant> walk(args);
  const uint32_t size = 1u << args.params->sb_log2;
  const uint32_t height = args.display.height;
  ForEachRow(*args.params, range, [&](uint32_t row) {
    uint32_t y = row == 0 ? 0 : row * size - 8;
    const bool last = row + 1 == args.params->sb_rows;
    const uint32_t end = last ? height : (row + 1) * size - 8;
    while (y < end) {
      const uint32_t stripe = y / kGrainBlock;
      const uint32_t stripe_end = std::min((stripe + 1) * kGrainBlock, end);
      walk.Add({stripe, y, stripe_end});
      y = stripe_end;
    }
  });
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_FILM_GRAIN_WALK_H_
