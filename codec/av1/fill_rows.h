// SPDX-License-Identifier: BSD-2-Clause
// Setting what a block leaves in tables of the frame that have 4 or 8 bytes a
// cell.
#ifndef PERDIX_CODEC_AV1_FILL_ROWS_H_
#define PERDIX_CODEC_AV1_FILL_ROWS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace perdix::av1 {

template <int kWidth, typename Cell>
void FillRowsOf(Cell* at, size_t stride, Cell value, int height) {
  using Bits = std::conditional_t<sizeof(Cell) == 8, uint64_t, uint32_t>;
  constexpr int kCells = std::min(kWidth, int(16 / sizeof(Cell)));
  using Cells [[gnu::vector_size(kCells * sizeof(Cell))]] = Bits;
  const Cells cells = std::bit_cast<Bits>(value) - Cells{};
  for (; height > 0; --height, at += stride) {
    for (int i = 0; i < kWidth; i += kCells)
      std::memcpy(static_cast<void*>(at + i), &cells, sizeof(cells));
  }
}

// <height> rows of <width> cells, <stride> cells apart. Widths of whole blocks
// have their own stores; others are those of blocks that the frame cuts off.
template <typename Cell>
void FillRows(Cell* at, size_t stride, Cell value, int width, int height) {
  static_assert(sizeof(Cell) == 8 || sizeof(Cell) == 4);
  switch (width) {
    case 1:
      return FillRowsOf<1>(at, stride, value, height);
    case 2:
      return FillRowsOf<2>(at, stride, value, height);
    case 4:
      return FillRowsOf<4>(at, stride, value, height);
    case 8:
      return FillRowsOf<8>(at, stride, value, height);
    case 16:
      return FillRowsOf<16>(at, stride, value, height);
    case 32:
      return FillRowsOf<32>(at, stride, value, height);
    default:
      for (; height > 0; --height, at += stride) {
        std::fill(at, at + std::max(width, 0), value);
      }
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_FILL_ROWS_H_
