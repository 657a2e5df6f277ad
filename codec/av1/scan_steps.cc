// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/scan_steps.h"

#include <algorithm>
#include <array>

#include "codec/av1/tables.h"

namespace perdix::av1 {
namespace {

// The shape of a whole transform block. Contexts depend on it, and the order
// within an antidiagonal.
enum class Shape { kSquare, kTall, kWide };

constexpr uint16_t Position(int row, int column) {
  return uint16_t(row << kLevelStrideLog2 | column);
}

// Coeff_Base_Ctx_Offset. What neighbours add to it is 0 for the first
// coefficient, too.
constexpr uint8_t BaseContext2d(Shape shape, int row, int column) {
  if (row + column == 0) return 0;
  if (shape == Shape::kTall && row < 2) return 11;
  if (shape == Shape::kWide && column < 2) return 16;
  if (shape == Shape::kSquare && row + column < 2) return 1;
  return row + column < 4 ? 6 : 21;
}

constexpr uint8_t BrContext2d(int row, int column) {
  if (row + column == 0) return 0;
  return row < 2 && column < 2 ? 7 : 14;
}

// SIG_COEF_CONTEXTS_2D and Coeff_Base_Pos_Ctx_Offset.
constexpr uint8_t BaseContext1d(int along) {
  return uint8_t(26 + 5 * std::min(along, 2));
}

constexpr uint8_t BrContext1d(int row, int column, int along) {
  if (row + column == 0) return 0;
  return along == 0 ? 7 : 14;
}

// Default_Scan_*: antidiagonals, in tall blocks all downwards, in wide ones
// upwards, in square ones by turns. <kShape>: of the contexts; of the order it
// is that of the stored block.
template <int kWidth, int kHeight, Shape kShape>
constexpr std::array<ScanStep, kWidth * kHeight> Steps2d() {
  std::array<ScanStep, kWidth* kHeight> steps = {};
  size_t count = 0;
  for (int sum = 0; sum < kWidth + kHeight - 1; ++sum) {
    const bool down = kWidth == kHeight ? (sum & 1) != 0 : kWidth < kHeight;
    const int first = std::max(0, sum - kWidth + 1);
    const int last = std::min(sum, kHeight - 1);
    for (int i = first; i <= last; ++i) {
      const int row = down ? i : first + last - i;
      const int column = sum - row;
      steps[count++] = {Position(row, column),
                        BaseContext2d(kShape, row, column),
                        BrContext2d(row, column)};
    }
  }
  return steps;
}

// Mrow_Scan_*.
template <int kWidth, int kHeight>
constexpr std::array<ScanStep, kWidth * kHeight> StepsVertical() {
  std::array<ScanStep, kWidth* kHeight> steps = {};
  for (int i = 0; i < kWidth * kHeight; ++i) {
    const int row = i / kWidth, column = i % kWidth;
    steps[size_t(i)] = {Position(row, column), BaseContext1d(row),
                        BrContext1d(row, column, row)};
  }
  return steps;
}

// Mcol_Scan_*.
template <int kWidth, int kHeight>
constexpr std::array<ScanStep, kWidth * kHeight> StepsHorizontal() {
  std::array<ScanStep, kWidth* kHeight> steps = {};
  for (int i = 0; i < kWidth * kHeight; ++i) {
    const int row = i % kHeight, column = i / kHeight;
    steps[size_t(i)] = {Position(row, column), BaseContext1d(column),
                        BrContext1d(row, column, column)};
  }
  return steps;
}

constexpr Shape ShapeOf(int width, int height) {
  return width == height ? Shape::kSquare
                         : (width < height ? Shape::kTall : Shape::kWide);
}

template <int kWidth, int kHeight, Shape kShape = ShapeOf(kWidth, kHeight)>
constexpr auto kSteps2d = Steps2d<kWidth, kHeight, kShape>();
template <int kWidth, int kHeight>
constexpr auto kStepsHorizontal = StepsHorizontal<kWidth, kHeight>();
template <int kWidth, int kHeight>
constexpr auto kStepsVertical = StepsVertical<kWidth, kHeight>();

}  // namespace

static_assert(TX_CLASS_2D == 0 && TX_CLASS_HORIZ == 1 && TX_CLASS_VERT == 2);

#define PERDIX_ALL_CLASSES(width, height)                                   \
  {                                                                         \
    kSteps2d<width, height>.data(), kStepsHorizontal<width, height>.data(), \
        kStepsVertical<width, height>.data()                                \
  }
// The steps of a size without 1-D types; at most 32x32 are coded.
#define PERDIX_ONE_CLASS(...) \
  { kSteps2d<__VA_ARGS__>.data(), nullptr, nullptr }

const ScanStep* const kScanSteps[kTxSizesAll][3] = {
    PERDIX_ALL_CLASSES(4, 4),                // TX_4X4
    PERDIX_ALL_CLASSES(8, 8),                // TX_8X8
    PERDIX_ALL_CLASSES(16, 16),              // TX_16X16
    PERDIX_ONE_CLASS(32, 32),                // TX_32X32
    PERDIX_ONE_CLASS(32, 32),                // TX_64X64
    PERDIX_ALL_CLASSES(4, 8),                // TX_4X8
    PERDIX_ALL_CLASSES(8, 4),                // TX_8X4
    PERDIX_ALL_CLASSES(8, 16),               // TX_8X16
    PERDIX_ALL_CLASSES(16, 8),               // TX_16X8
    PERDIX_ONE_CLASS(16, 32),                // TX_16X32
    PERDIX_ONE_CLASS(32, 16),                // TX_32X16
    PERDIX_ONE_CLASS(32, 32, Shape::kTall),  // TX_32X64
    PERDIX_ONE_CLASS(32, 32, Shape::kWide),  // TX_64X32
    PERDIX_ALL_CLASSES(4, 16),               // TX_4X16
    PERDIX_ALL_CLASSES(16, 4),               // TX_16X4
    PERDIX_ONE_CLASS(8, 32),                 // TX_8X32
    PERDIX_ONE_CLASS(32, 8),                 // TX_32X8
    PERDIX_ONE_CLASS(16, 32),                // TX_16X64
    PERDIX_ONE_CLASS(32, 16),                // TX_64X16
};

}  // namespace perdix::av1
