// SPDX-License-Identifier: BSD-2-Clause
// The constrained directional enhancement filter (AV1 7.15), of the stripes of
// a superblock row (saved_lines.h).
//
// Reads: kCdefBlocks, kCdefLines, the target's stripes. Writes: the target's
// stripes. Range: a superblock row, after Deblock of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/cdef/cdef_walk.h"
#include "kernels/av1/kernels.h"

namespace perdix::av1 {
namespace {

// ---- 7.15.2 ----

// Sums of the samples of an 8x8 along lines of each direction. Directions 3 and
// 4 count their lines backwards, which makes no difference: of two lines i and
// 14 - i (10 - i) the costs weigh the same. All arrays have room for vectors
// that stick out.
struct DirectionSums {
  int16_t partial[8][24] = {};

  explicit DirectionSums(const int16_t (&x)[8][8]) {
    for (int i = 0; i < 8; ++i) {
      int16_t pairs[4];
      for (int j = 0; j < 4; ++j) {
        pairs[j] = static_cast<int16_t>(x[i][2 * j] + x[i][2 * j + 1]);
      }
      Add(0, i, x[i]);
      Add(4, 7 - i, x[i]);
      Add(5, 3 - i / 2, x[i]);
      Add(6, 0, x[i]);
      Add(7, i / 2, x[i]);
      for (int j = 0; j < 4; ++j) {
        partial[1][i + j] = static_cast<int16_t>(partial[1][i + j] + pairs[j]);
        partial[3][7 - i + j] =
            static_cast<int16_t>(partial[3][7 - i + j] + pairs[j]);
      }
      partial[2][i] =
          static_cast<int16_t>(pairs[0] + pairs[1] + pairs[2] + pairs[3]);
    }
  }

  int Square(int direction, int line) const {
    return partial[direction][line] * partial[direction][line];
  }

 private:
  void Add(int direction, int first, const int16_t (&x)[8]) {
    for (int j = 0; j < 8; ++j) {
      int16_t& sum = partial[direction][first + j];
      sum = static_cast<int16_t>(sum + x[j]);
    }
  }
};

// Div_Table: 840 by the count of samples.
constexpr int kDivTable[9] = {0, 840, 420, 280, 210, 168, 140, 120, 105};

// Directions 2, 6: 8 lines of 8 samples.
int StraightCost(const DirectionSums& sums, int direction) {
  int cost = 0;
  for (int i = 0; i < 8; ++i) cost += sums.Square(direction, i);
  return cost * kDivTable[8];
}

// Directions 0, 4: 15 lines of 1 to 8 to 1 samples.
int DiagonalCost(const DirectionSums& sums, int direction) {
  int cost = sums.Square(direction, 7) * kDivTable[8];
  for (int i = 0; i < 7; ++i) {
    cost += (sums.Square(direction, i) + sums.Square(direction, 14 - i)) *
            kDivTable[i + 1];
  }
  return cost;
}

// Odd ones: 11 lines of 2, 4, 6, five times 8, 6, 4, 2 samples.
int ObliqueCost(const DirectionSums& sums, int direction) {
  int cost = 0;
  for (int j = 3; j < 8; ++j) cost += sums.Square(direction, j);
  cost *= kDivTable[8];
  for (int j = 0; j < 3; ++j) {
    cost += (sums.Square(direction, j) + sums.Square(direction, 10 - j)) *
            kDivTable[2 * j + 2];
  }
  return cost;
}

template <typename Sample>
CdefDirection FindDirection(const Sample* block, int bit_depth) {
  int16_t x[8][8];
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      x[i][j] = static_cast<int16_t>(
          (block[i * kCdefPitch + j] >> (bit_depth - 8)) - 128);
    }
  }
  const DirectionSums sums(x);
  const int cost[8] = {DiagonalCost(sums, 0), ObliqueCost(sums, 1),
                       StraightCost(sums, 2), ObliqueCost(sums, 3),
                       DiagonalCost(sums, 4), ObliqueCost(sums, 5),
                       StraightCost(sums, 6), ObliqueCost(sums, 7)};
  int best = 0;
  for (int i = 1; i < 8; ++i) {
    if (cost[i] > cost[best]) best = i;
  }
  return {best, (cost[best] - cost[(best + 4) & 7]) >> 10};
}

// ---- 7.15.3 ----

// Taps of one strength.
struct Strength {
  explicit Strength(int value, int damping_shift)
      : limit(static_cast<int16_t>(value)), shift(damping_shift) {}

  // constrain.
  int16_t Constrain(uint16_t p, uint16_t x) const {
    const int16_t difference = static_cast<int16_t>(p - x);
    const uint16_t size =
        static_cast<uint16_t>(difference < 0 ? -difference : difference);
    const uint16_t over = static_cast<uint16_t>(size >> shift);
    const int16_t room = static_cast<int16_t>(limit - over);
    const uint16_t most = static_cast<uint16_t>(room < 0 ? 0 : room);
    const int16_t part = static_cast<int16_t>(size < most ? size : most);
    return static_cast<int16_t>(difference < 0 ? -part : part);
  }

  int16_t limit;
  int shift;
};

// What the taps add to a sample x, and the range of them all.
struct Sum {
  uint16_t x;
  int16_t sum = 0;
  uint16_t low = x;
  int16_t high = static_cast<int16_t>(x);

  template <bool kRange, typename From>
  void Add(const From* at, ptrdiff_t offset, const Strength& strength,
           int tap) {
    const uint16_t p = at[offset];
    const uint16_t q = at[-offset];
    const int16_t both = static_cast<int16_t>(strength.Constrain(p, x) +
                                              strength.Constrain(q, x));
    sum = static_cast<int16_t>(sum + both * tap);
    if (!kRange) return;
    Extend(p);
    Extend(q);
  }

  template <bool kRange>
  uint16_t Result() const {
    const int16_t rounded = static_cast<int16_t>(8 + sum - (sum < 0 ? 1 : 0));
    const int16_t value = static_cast<int16_t>(x + (rounded >> 4));
    if (!kRange) return static_cast<uint16_t>(value);
    const int16_t least = static_cast<int16_t>(low);
    const int16_t raised = value < least ? least : value;
    return static_cast<uint16_t>(raised > high ? high : raised);
  }

 private:
  void Extend(uint16_t p) {
    const int16_t as_signed = static_cast<int16_t>(p);
    low = p < low ? p : low;
    high = as_signed > high ? as_signed : high;
  }
};

// With one strength alone the taps sum up to less than 16, so that the range of
// the samples is never left.
template <bool kPrimary, bool kSecondary, typename From>
void FilterLine(const CdefFilter& filter, const From* __restrict block,
                uint16_t* __restrict to, int groups) {
  constexpr bool kRange = kPrimary && kSecondary;
  const Strength primary(filter.primary, filter.primary_shift);
  const Strength secondary(filter.secondary, filter.secondary_shift);
  const auto [first, second] = filter.primary_taps;
  const auto& offsets = filter.offsets;
  for (int i = 0; i < 8 * groups; ++i) {
    const From* at = block + i;
    Sum sum = {*at};
    if (kPrimary) {
      sum.Add<kRange>(at, offsets[0][0], primary, first);
      sum.Add<kRange>(at, offsets[0][1], primary, second);
    }
    if (kSecondary) {
      sum.Add<kRange>(at, offsets[1][0], secondary, 2);
      sum.Add<kRange>(at, offsets[1][1], secondary, 1);
      sum.Add<kRange>(at, offsets[2][0], secondary, 2);
      sum.Add<kRange>(at, offsets[2][1], secondary, 1);
    }
    to[i] = sum.Result<kRange>();
  }
}

template <bool kPrimary, bool kSecondary, typename From, typename Sample>
void FilterLines(const CdefFilter& filter, const From* block, Sample* to,
                 ptrdiff_t stride, int width, int height) {
  for (int y = 0; y < height; ++y, block += kCdefPitch, to += stride) {
    uint16_t line[128];
    FilterLine<kPrimary, kSecondary>(filter, block, line, width / 8);
    for (int i = 0; i < width; ++i) to[i] = static_cast<Sample>(line[i]);
  }
}

struct Scalar {
  template <typename Sample>
  static void Directions(const Sample* blocks, uint32_t wanted, int bit_depth,
                         CdefDirection* found) {
    for (uint32_t i = 0; i < 8; ++i) {
      if ((wanted >> i) & 1)
        found[i] = FindDirection(blocks + 8 * i, bit_depth);
    }
  }

  template <typename From, typename Sample>
  static void Filter(const CdefFilter& filter, const From* block, Sample* to,
                     ptrdiff_t stride, int width, int height) {
    if (filter.secondary == 0) {
      FilterLines<true, false>(filter, block, to, stride, width, height);
    } else if (filter.primary == 0) {
      FilterLines<false, true>(filter, block, to, stride, width, height);
    } else {
      FilterLines<true, true>(filter, block, to, stride, width, height);
    }
  }

  static void FilterAtEdge(const CdefFilter& filter, const uint8_t* block,
                           const CdefArea& area, uint8_t* to,
                           ptrdiff_t stride) {
    uint16_t wide[12 * kCdefPitch + kCdefMargin];
    uint16_t* const at = wide + 2 * kCdefPitch + kCdefMargin;
    Widen(block, area, at);
    Filter(filter, at, to, stride, area.width, area.height);
  }

 private:
  static void Widen(const uint8_t* from, const CdefArea& area, uint16_t* to) {
    for (int y = -2; y < area.height + 2; ++y) {
      const uint8_t* const line = from + y * kCdefPitch;
      uint16_t* const wide = to + y * kCdefPitch;
      const bool is_there = y < 0 ? area.above : y < area.height || area.below;
      const int begin = is_there && area.left ? -area.around : 0;
      const int end =
          !is_there ? 0 : area.width + (area.right ? area.around : 0);
      std::fill(wide - area.around, wide + begin, kCdefNotAvailable);
      for (int x = begin; x < end; ++x) wide[x] = line[x];
      std::fill(wide + end, wide + area.width + area.around, kCdefNotAvailable);
    }
  }
};

}  // namespace

template <typename Sample>
void Cdef(const KernelArgs& args, Range range) {
  CdefRows<Sample, Scalar>(args, range);
}

template void Cdef<uint8_t>(const KernelArgs&, Range);
template void Cdef<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::av1
