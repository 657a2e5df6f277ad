// SPDX-License-Identifier: BSD-2-Clause
// Which noise film grain synthesis adds to which samples (7.18.3.5); how it is
// added to a line of a block is up to the variants of the kernel.
#ifndef PERDIX_KERNELS_AV1_GRAIN_FILM_GRAIN_WALK_H_
#define PERDIX_KERNELS_AV1_GRAIN_FILM_GRAIN_WALK_H_

#include <algorithm>
#include <cstdint>
#include <span>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/grain/film_grain.h"
#include "kernels/av1/round2.h"

namespace perdix::av1 {

inline constexpr int kGrainBlock = 32;  // luma lines of a noise stripe, columns
                                        // of a grain block

// Luma columns that are worked off together, line by line.
inline constexpr int kGrainPiece = 64 * kGrainBlock;

// sums[x] = rounding + what the samples of lag rows above give to row[x]
// (7.18.3.3), for count of them: coefficients of one row after the other, from
// left to right. lag: 1..3. Up to 15 more sums may be written, of what lies
// behind the samples.
void SumGrainAbove(const int16_t* row, int lag, const int8_t* coefficients,
                   int rounding, int count, int32_t* sums);

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

  // The next four numbers, for OfFour: none of the new bits is made of another.
  uint32_t NextFour() {
    const uint32_t bits =
        (state_ ^ (state_ >> 1) ^ (state_ >> 3) ^ (state_ >> 12)) & 15;
    const uint32_t numbers = state_ | (bits << 16);
    state_ = numbers >> 4;
    return numbers;
  }
  static uint32_t OfFour(uint32_t numbers, int i, int bits) {
    return (numbers >> (i + 1 + 16 - bits)) & ((1u << bits) - 1);
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

// What a sample of noise is made of where blocks overlap, 32nds, by how far it
// is from where the newer one begins. It goes on, and begins again with the
// next block: a vector of factors can be read.
struct OverlapWeights {
  constexpr explicit OverlapWeights(int subsampling) : count(2 >> subsampling) {
    for (int x = 0; x < kGrainBlock; ++x) {
      const int at = x % (kGrainBlock >> subsampling);
      older[x] = at >= count ? 0 : subsampling ? 23 : at == 0 ? 27 : 17;
      newer[x] = at >= count ? 32 : subsampling ? 22 : at == 0 ? 17 : 27;
    }
  }
  int count;
  alignas(64) int16_t older[kGrainBlock] = {};
  alignas(64) int16_t newer[kGrainBlock] = {};
};

// By subsampling.
inline constexpr OverlapWeights kOverlapWeights[2] = {OverlapWeights(0),
                                                      OverlapWeights(1)};

// One component's noise in a piece: blocks of 32x32 luma samples side by side.
struct PieceNoise {
  PieceNoise(const FilmGrainTables& tables, int plane, int ss_x, int ss_y,
             std::span<const BlockNumbers> blocks)
      : width(kGrainBlock >> ss_x),
        weights_x(kOverlapWeights[ss_x]),
        weights_y(kOverlapWeights[ss_y]) {
    const int below = (kGrainBlock >> ss_y) * FilmGrainTables::kColumns;
    const auto grain_of = [&](uint32_t number) {
      const int x = int(number >> 4);
      const int y = int(number & 15);
      return tables.grain[plane][ss_y ? 6 + y : 9 + 2 * y] +
             (ss_x ? 6 + x : 9 + 2 * x);
    };
    for (const BlockNumbers& numbers : blocks) {
      grain[count++] = {grain_of(numbers.here), grain_of(numbers.left) + width,
                        grain_of(numbers.above) + below,
                        grain_of(numbers.above_left) + width + below};
    }
    grain[count] = grain[count - 1];
  }

  int width;  // of a block
  const OverlapWeights& weights_x;
  const OverlapWeights& weights_y;
  int count = 0;
  BlockGrain grain[kGrainPiece / kGrainBlock + 1];  // the last one twice
};

// A line of it, and with which of its neighbours each block overlaps.
struct NoiseLine {
  const PieceNoise& piece;
  int line;    // of the blocks
  bool left;   // the one to the left
  bool first;  // so does the piece's first one
  bool above;  // the one above
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
  int shift;           // of what is stored: PictureView::shift
};

// A variant's part:
//   static void AddToLuma(const FilmGrainTables& tables,
//                         const NoiseLine& noise, const Sample* from,
//                         int count, int shift, Sample* to);
//     count: kGrainPiece at most. shift: of what is stored.
//   static void AddToChroma(const FilmGrainTables& tables, int subsampling_x,
//                           int bit_depth, const NoiseLine (&noise)[2],
//                           const ChromaGrainLine<Sample>& line);
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
        shift_(int(args.display.shift)),
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

  std::span<const BlockNumbers> BlocksOf(const Piece& piece) const {
    return {piece.numbers, size_t(piece.width + kGrainBlock - 1) / kGrainBlock};
  }

  // line: of a stripe.
  NoiseLine LineOf(const PieceNoise& component, const StripePart& part,
                   const Piece& piece, int line) const {
    const bool overlaps = tables_.overlap != 0;
    return {component, line, overlaps, overlaps && piece.x > 0,
            overlaps && part.stripe > 0 && line < component.weights_y.count};
  }

  // Samples that get no noise.
  void Copy(const Sample* from, int count, Sample* to) const {
    for (int x = 0; x < count; ++x) to[x] = Sample(from[x] << shift_);
  }

  void AddLuma(const StripePart& part, const Piece& piece) const {
    const PieceNoise component(tables_, 0, 0, 0, BlocksOf(piece));
    for (uint32_t y = part.begin; y < part.end; ++y) {
      const Sample* const from = from_.planes[kLuma].Row<Sample>(y) + piece.x;
      Sample* const to = to_.planes[kLuma].Row<Sample>(y) + piece.x;
      if (!tables_.applies[0]) {
        Copy(from, piece.width, to);
        continue;
      }
      Variant::AddToLuma(tables_,
                         LineOf(component, part, piece, int(y % kGrainBlock)),
                         from, piece.width, shift_, to);
    }
  }

  void AddChroma(const StripePart& part, const Piece& piece) const {
    const uint32_t x = piece.x >> ss_x_;
    const uint32_t end = (part.end + uint32_t(ss_y_)) >> ss_y_;
    const int pairs = (piece.width + ss_x_) >> ss_x_;
    const PieceNoise components[2] = {
        {tables_, 1, ss_x_, ss_y_, BlocksOf(piece)},
        {tables_, 2, ss_x_, ss_y_, BlocksOf(piece)}};
    for (uint32_t y = part.begin >> ss_y_; y < end; ++y) {
      const Sample* const from = from_.planes[kChroma].Row<Sample>(y) + 2 * x;
      Sample* const to = to_.planes[kChroma].Row<Sample>(y) + 2 * x;
      if (!tables_.applies[1] && !tables_.applies[2]) {
        Copy(from, 2 * pairs, to);
        continue;
      }
      const int line = int(y % uint32_t(kGrainBlock >> ss_y_));
      Variant::AddToChroma(
          tables_, ss_x_, int(to_.bit_depth),
          {LineOf(components[0], part, piece, line),
           LineOf(components[1], part, piece, line)},
          ChromaGrainLine<Sample>{
              from_.planes[kLuma].Row<Sample>(y << ss_y_) + piece.x,
              piece.width, from, pairs, to, shift_});
    }
  }

  const FilmGrainTables& tables_;
  const PictureView& from_;
  const PictureView& to_;
  const int ss_x_, ss_y_;
  const int shift_;
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

#endif  // PERDIX_KERNELS_AV1_GRAIN_FILM_GRAIN_WALK_H_
