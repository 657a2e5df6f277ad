// SPDX-License-Identifier: BSD-2-Clause
// Line by line: of both passes the weighted sums of three A's and B's beside
// each other are kept for the last three lines.
#include "kernels/av1/restoration/self_guided.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace perdix::av1 {
namespace {

constexpr int kColumns = kRestorationPiece;
// A line of boxes' middles or of what they are made of: a piece's columns, and
// three more on both sides.
constexpr int kMargin = 8;
constexpr int kLineRoom = kColumns + 2 * kMargin;
using Line = std::array<int32_t, kLineRoom>;  // column x at x + kMargin

// a2 of 7.17.3, by z.
constexpr std::array<uint16_t, 256> MakeA2() {
  std::array<uint16_t, 256> a2 = {};
  a2[0] = 1;
  for (uint32_t z = 1; z < 255; ++z) {
    a2[z] = static_cast<uint16_t>(((z << 8) + z / 2) / (z + 1));
  }
  a2[255] = 256;
  return a2;
}
constexpr std::array<uint16_t, 256> kA2 = MakeA2();

// What a line adds to the output's: A and B of 7.17.3, weighted by column.
struct Weighted {
  Line a;
  Line b;
};

// A and B of a line of boxes with radius kRadius around samples.
template <int kRadius>
class Boxes {
 public:
  Boxes(int eps, int bit_depth) : shift_(bit_depth - 8) {
    const uint32_t n2e = kN * kN * static_cast<uint32_t>(eps);
    scale_ = ((1u << 20) + n2e / 2) / n2e;
  }

  // Of columns -1..width.
  void Compute(const int16_t* samples, int width, Line& a, Line& b) const {
    Line sums;
    Line squares;
    for (int x = -1 - kRadius; x < width + 1 + kRadius; ++x) {
      int32_t sum = 0;
      int32_t square = 0;
      for (int dy = -kRadius; dy <= kRadius; ++dy) {
        const int16_t c = samples[dy * kRestorationPitch + x];
        sum += c;
        square += c * c;
      }
      sums[size_t(x + kMargin)] = sum;
      squares[size_t(x + kMargin)] = square;
    }
    for (int x = -1; x < width + 1; ++x) {
      uint32_t sum = 0;
      uint32_t square = 0;
      for (int dx = -kRadius; dx <= kRadius; ++dx) {
        sum += static_cast<uint32_t>(sums[size_t(x + dx + kMargin)]);
        square += static_cast<uint32_t>(squares[size_t(x + dx + kMargin)]);
      }
      a[size_t(x + kMargin)] = static_cast<int32_t>(ZOf(sum, square));
      b[size_t(x + kMargin)] = static_cast<int32_t>(sum);
    }
    for (int x = -1; x < width + 1; ++x) {
      const size_t i = size_t(x + kMargin);
      const uint32_t a2 = kA2[static_cast<uint32_t>(a[i])];
      const uint32_t b2 = (256 - a2) * static_cast<uint32_t>(b[i]) * kOneOverN;
      a[i] = static_cast<int32_t>(a2);
      b[i] = static_cast<int32_t>((b2 + (1u << 11)) >> 12);
    }
  }

 private:
  static constexpr uint32_t kN = (2 * kRadius + 1) * (2 * kRadius + 1);
  static constexpr uint32_t kOneOverN = ((1u << 12) + kN / 2) / kN;

  // z, at most 255. All products fit 32 bits (p <= n * n * 2^14).
  uint32_t ZOf(uint32_t sum, uint32_t square) const {
    const uint32_t round = (1u << shift_) >> 1;
    const uint32_t d = (sum + round) >> shift_;
    const uint32_t rounded =
        (square + ((1u << (2 * shift_)) >> 1)) >> (2 * shift_);
    const uint32_t an = rounded * kN;
    const uint32_t dd = d * d;
    const uint32_t p = an > dd ? an - dd : 0;
    return std::min((p * scale_ + (1u << 19)) >> 20, 255u);
  }

  const int shift_;
  uint32_t scale_;  // s
};

// to[x] = side * from[x - 1] + middle * from[x] + side * from[x + 1].
void Weight(const Line& from, int side, int middle, int width, Line& to) {
  for (int x = 0; x < width; ++x) {
    const size_t i = size_t(x + kMargin);
    to[i] = side * (from[i - 1] + from[i + 1]) + middle * from[i];
  }
}

// F of the second pass: all lines, weights 3 4 3, 4 4 4, 3 4 3.
class SecondPass {
 public:
  SecondPass(const RestorationPiece& piece, int eps)
      : piece_(piece), boxes_(eps, piece.bit_depth) {}

  // Before line 0.
  void Start() {
    Advance(-1);
    Advance(0);
  }

  // Of line y: F less the sample, both with 4 more bits. Lines in order.
  void Compute(int y, int32_t* difference) {
    Advance(y + 1);
    const Weighted& above = outer_[size_t(y + 2) % 3];
    const Weighted& at = middle_[size_t(y) % 2];
    const Weighted& below = outer_[size_t(y + 1) % 3];
    const int16_t* samples = piece_.samples + y * kRestorationPitch;
    for (int x = 0; x < piece_.width; ++x) {
      const size_t i = size_t(x + kMargin);
      const int32_t a = above.a[i] + at.a[i] + below.a[i];
      const int32_t b = above.b[i] + at.b[i] + below.b[i];
      difference[x] = ((a * samples[x] + b + (1 << 8)) >> 9) - samples[x] * 16;
    }
  }

 private:
  void Advance(int line) {
    Line a;
    Line b;
    boxes_.Compute(piece_.samples + line * kRestorationPitch, piece_.width, a,
                   b);
    Weighted& outer = outer_[size_t(line + 3) % 3];
    Weighted& middle = middle_[size_t(line + 2) % 2];
    Weight(a, 3, 4, piece_.width, outer.a);
    Weight(b, 3, 4, piece_.width, outer.b);
    Weight(a, 4, 4, piece_.width, middle.a);
    Weight(b, 4, 4, piece_.width, middle.b);
  }

  const RestorationPiece& piece_;
  const Boxes<1> boxes_;
  Weighted outer_[3];   // line modulo 3
  Weighted middle_[2];  // line modulo 2
};

// F of the first pass: boxes around odd lines alone, weights 5 6 5.
class FirstPass {
 public:
  FirstPass(const RestorationPiece& piece, int eps)
      : piece_(piece), boxes_(eps, piece.bit_depth) {}

  // As SecondPass's.
  void Start() { Advance(-1); }
  void Compute(int y, int32_t* difference) {
    if (y % 2 == 0) Advance(y + 1);
    const int16_t* samples = piece_.samples + y * kRestorationPitch;
    const Weighted& first = lines_[0];
    const Weighted& second = lines_[1];
    if (y % 2 == 0) {
      for (int x = 0; x < piece_.width; ++x) {
        const size_t i = size_t(x + kMargin);
        const int32_t a = first.a[i] + second.a[i];
        const int32_t b = first.b[i] + second.b[i];
        difference[x] =
            ((a * samples[x] + b + (1 << 8)) >> 9) - samples[x] * 16;
      }
      return;
    }
    const Weighted& at = lines_[size_t(y + 1) / 2 % 2];
    for (int x = 0; x < piece_.width; ++x) {
      const size_t i = size_t(x + kMargin);
      difference[x] =
          ((at.a[i] * samples[x] + at.b[i] + (1 << 7)) >> 8) - samples[x] * 16;
    }
  }

 private:
  void Advance(int line) {
    Line a;
    Line b;
    boxes_.Compute(piece_.samples + line * kRestorationPitch, piece_.width, a,
                   b);
    Weighted& to = lines_[size_t(line + 1) / 2 % 2];
    Weight(a, 5, 6, piece_.width, to.a);
    Weight(b, 5, 6, piece_.width, to.b);
  }

  const RestorationPiece& piece_;
  const Boxes<2> boxes_;
  Weighted lines_[2];  // of the last two odd lines
};

// 7.17.2: v is the sample times w0 + w1 + w2 = 128, and the differences times
// w0 and w2.
template <bool kFirst, bool kSecond>
void Filter(const SelfGuidedPass* passes, int w0, int w2,
            const RestorationPiece& piece, uint16_t* to) {
  const int max_sample = (1 << piece.bit_depth) - 1;
  alignas(32) int32_t first[kColumns] = {};
  alignas(32) int32_t second[kColumns] = {};
  FirstPass first_pass(piece, kFirst ? passes[0].eps : 1);
  SecondPass second_pass(piece, kSecond ? passes[1].eps : 1);
  if (kFirst) first_pass.Start();
  if (kSecond) second_pass.Start();
  for (int y = 0; y < piece.height; ++y, to += kRestorationPiece) {
    const int16_t* samples = piece.samples + y * kRestorationPitch;
    if (kFirst) first_pass.Compute(y, first);
    if (kSecond) second_pass.Compute(y, second);
    for (int x = 0; x < piece.width; ++x) {
      const int v = (samples[x] << 11) + w0 * first[x] + w2 * second[x];
      to[x] = static_cast<uint16_t>(
          std::clamp((v + (1 << 10)) >> 11, 0, max_sample));
    }
  }
}

}  // namespace

void SelfGuidedFilter(const RestorationUnit& unit,
                      const RestorationPiece& piece, uint16_t* to) {
  const SelfGuidedPass* passes = kSelfGuidedSets[unit.vertical & 15];
  const int w0 = static_cast<int16_t>(unit.weights & 0xffff);
  const int w2 = 128 - w0 - static_cast<int16_t>(unit.weights >> 16);
  if (passes[1].radius == 0) {
    Filter<true, false>(passes, w0, w2, piece, to);
  } else if (passes[0].radius == 0) {
    Filter<false, true>(passes, w0, w2, piece, to);
  } else {
    Filter<true, true>(passes, w0, w2, piece, to);
  }
}

}  // namespace perdix::av1
