// SPDX-License-Identifier: BSD-2-Clause
#include "tests/frame/av1/random_sizes.h"

#include <algorithm>
#include <bit>

#include "kernels/av1/lists.h"

namespace perdix::av1 {
namespace {

// Splits a block of a plane at random; its upper left corner is in the frame.
void Split(TestRandom& random, TransformSizes& sizes, int row, int col,
           int height, int width) {
  const int rows = static_cast<int>(sizes.width.size());
  const int cols = static_cast<int>(sizes.width[0].size());
  if (row >= rows || col >= cols) return;
  const bool wide = width > 1 && (random.OneIn(2) || width > 4 * height);
  const bool high = height > 1 && (random.OneIn(2) || height > 4 * width);
  if (!wide && !high) {
    for (int r = row; r < std::min(row + height, rows); ++r) {
      for (int c = col; c < std::min(col + width, cols); ++c) {
        sizes.width[size_t(r)][size_t(c)] = width * 4;
        sizes.height[size_t(r)][size_t(c)] = height * 4;
      }
    }
    return;
  }
  const int half_w = wide ? width / 2 : width;
  const int half_h = high ? height / 2 : height;
  for (int r = row; r < row + height; r += half_h) {
    for (int c = col; c < col + width; c += half_w) {
      Split(random, sizes, r, c, half_h, half_w);
    }
  }
}

// The size of an edge word between two blocks: 0 where none begins at <at>,
// some are left out.
uint32_t EdgeSize(TestRandom& random, int at, int size, int before,
                  uint32_t largest) {
  if (at == 0 || at * 4 % size != 0 || random.OneIn(8)) return 0;
  const auto smaller = static_cast<uint32_t>(std::min(size, before));
  return std::min(static_cast<uint32_t>(std::bit_width(smaller)) - 2, largest);
}

struct EdgeSizes {
  uint32_t left;
  uint32_t above;
};

// visit(x4, y4, EdgeSizes) for each 4x4 of a plane; largest: size in a word.
template <typename Visit>
void ForEachCell(TestRandom& random, int rows, int cols, int block,
                 uint32_t largest, const Visit& visit) {
  const TransformSizes sizes =
      RandomTransformSizes(random, rows, cols, block, block);
  for (int r = 0; r < rows; ++r) {
    const auto& width = sizes.width[size_t(r)];
    const auto& height = sizes.height[size_t(r)];
    for (int c = 0; c < cols; ++c) {
      const int left = c == 0 ? 0 : width[size_t(c - 1)];
      const int above = r == 0 ? 0 : sizes.height[size_t(r - 1)][size_t(c)];
      visit(size_t(r) * size_t(cols) + size_t(c),
            EdgeSizes{EdgeSize(random, c, width[size_t(c)], left, largest),
                      EdgeSize(random, r, height[size_t(c)], above, largest)});
    }
  }
}

uint32_t RandomLevel(TestRandom& random) { return 1 + random.Below(63); }

}  // namespace

TransformSizes RandomTransformSizes(TestRandom& random, int rows, int cols,
                                    int high, int wide) {
  TransformSizes sizes;
  sizes.width.assign(size_t(rows), std::vector<int>(size_t(cols)));
  sizes.height = sizes.width;
  for (int r = 0; r < rows; r += high) {
    for (int c = 0; c < cols; c += wide) Split(random, sizes, r, c, high, wide);
  }
  return sizes;
}

void SetRandomEdges(TestRandom& random, KernelInput* input) {
  const Params& av1 = input->codec_params.As<Params>();
  const int rows = static_cast<int>(av1.mi_rows);
  const int cols = static_cast<int>(av1.mi_cols);
  const auto luma =
      input->tables.Resize(kLumaEdges, size_t{av1.mi_rows} * av1.mi_cols);
  ForEachCell(random, rows, cols, 16, 3, [&](size_t at, EdgeSizes sizes) {
    const uint32_t left = RandomLevel(random);
    const uint32_t above = RandomLevel(random);
    luma[at] = static_cast<uint16_t>(
        PackLumaEdges(sizes.left, sizes.above, left, above));
  });
  const auto chroma = input->tables.Resize(
      kChromaEdges, size_t{av1.mi_rows / 2} * (av1.mi_cols / 2));
  ForEachCell(random, rows / 2, cols / 2, 8, 2,
              [&](size_t at, EdgeSizes sizes) {
                uint32_t levels[4];
                for (uint32_t& level : levels) {
                  level = random.OneIn(6) ? 0 : RandomLevel(random);
                }
                chroma[at] = PackChromaEdges(sizes.left, sizes.above, levels[0],
                                             levels[1], levels[2], levels[3]);
              });
}

}  // namespace perdix::av1
