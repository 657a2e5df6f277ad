// SPDX-License-Identifier: BSD-2-Clause
// Inverse transform (7.13.3) and reconstruction (7.12.3): coefficients to
// residual, added to the prediction.
//
// Reads: kInterTransforms, coefficients. Writes: the target's planes.
// Work item: one TransformBlock. Order: any, after the prediction.
#include "kernels/av1/inverse_transform.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/av1/kernels.h"
#include "kernels/av1/transform_1d.h"

namespace perdix::av1 {
namespace {

constexpr int kMaxSize = 64;
constexpr int kLanes = 4;  // divides every size
using Lanes = int32_t[kLanes];

template <typename Sample>
using CoefficientOf = std::conditional_t<sizeof(Sample) == 1, int16_t, int32_t>;

template <typename Sample>
using Transform = Transform1d<kLanes, sizeof(Sample) == 1>;

struct Shape {
  explicit Shape(uint32_t shape)
      : width_log2(static_cast<int>(TransformWidthLog2(shape))),
        height_log2(static_cast<int>(TransformHeightLog2(shape))),
        width(1 << width_log2),
        height(1 << height_log2),
        stored_width(std::min(4 << TransformStoredWidth(shape), width)),
        stored_height(std::min(4 << TransformStoredHeight(shape), height)),
        row_shift(kTransformRowShift[width_log2 - 2][height_log2 - 2]),
        rectangle(width_log2 - height_log2 == 1 ||
                  height_log2 - width_log2 == 1) {}

  int width_log2;
  int height_log2;
  int width;
  int height;
  int stored_width;
  int stored_height;
  int row_shift;
  bool rectangle;  // 2:1
};

// ---- adding ----

// The residual of a row is put between zeros for the other component, so that
// whole pixels are read and written.
template <typename Sample, int kComponent>
void AddPairRow(Sample* line, const int32_t* row, int width, int32_t max) {
  for (int x = 0; x < width; ++x) {
    const int32_t u = line[2 * x] + (kComponent == 0 ? row[x] : 0);
    const int32_t v = line[2 * x + 1] + (kComponent == 1 ? row[x] : 0);
    line[2 * x] = static_cast<Sample>(std::min(std::max(u, 0), max));
    line[2 * x + 1] = static_cast<Sample>(std::min(std::max(v, 0), max));
  }
}

template <typename Sample>
void AddRow(const ResidualTarget<Sample>& target, int y, const int32_t* row,
            int32_t max) {
  Sample* line = target.pixels + y * target.stride;
  if (target.components == 1) {
    for (int x = 0; x < target.width; ++x) {
      line[x] =
          static_cast<Sample>(std::min(std::max(line[x] + row[x], 0), max));
    }
  } else if (target.component == 0) {
    AddPairRow<Sample, 0>(line, row, target.width, max);
  } else {
    AddPairRow<Sample, 1>(line, row, target.width, max);
  }
}

// ---- 7.13.3 ----

// What DCT_DCT gives everywhere if there is nothing but the DC: the first
// rotation and one clamp in both directions.
template <typename Sample>
int32_t ResidualOfDc(int32_t dc, const Shape& shape, int bit_depth) {
  const Limits row_limits = Limits::OfBits(RowClampBits(bit_depth));
  const Limits column_limits = Limits::OfBits(ColumnClampBits(bit_depth));
  if (shape.rectangle) dc = WrapRound(WrapMul(dc, kRectangleScale), 12);
  int32_t value = row_limits.Clamp(WrapRound(WrapMul(dc, Cos128(32)), 12));
  if (shape.row_shift != 0) value = WrapRound(value, shape.row_shift);
  value = column_limits.Clamp(value);
  value = column_limits.Clamp(WrapRound(WrapMul(value, Cos128(32)), 12));
  return WrapRound(value, kTransformColumnShift);
}

// The array Residual of 7.13.3 between its two passes, four columns side by
// side: [column / 4][row][column % 4]. The flip from left to right is done.
using Columns = Lanes[kMaxSize / kLanes][kMaxSize];

// Row transforms of the rows that are stored.
template <typename Sample>
void TransformRows(const CoefficientOf<Sample>* coefficients,
                   const Shape& shape, const TransformTypeParts& type,
                   int bit_depth, Columns& columns) {
  const Limits limits = Limits::OfBits(RowClampBits(bit_depth));
  const Limits clamp = Limits::OfBits(ColumnClampBits(bit_depth));
  const TransformOrder& order = InputOrder(type.rows, shape.width_log2);
  const int stored = shape.stored_width;
  const int flip = type.flip_left_right ? shape.width - 1 : 0;
  const int32_t rounding = (1 << shape.row_shift) >> 1;
  for (int y = 0; y < shape.stored_height; y += kLanes) {
    Lanes t[kMaxSize];
    const CoefficientOf<Sample>* rows = coefficients + y * stored;
    for (int x = 0; x < stored; ++x) {
      Lanes& element = t[order[static_cast<size_t>(x)]];
      for (int l = 0; l < kLanes; ++l) element[l] = rows[l * stored + x];
      if (!shape.rectangle) continue;
      for (int l = 0; l < kLanes; ++l) {
        element[l] = WrapRound(WrapMul(element[l], kRectangleScale), 12);
      }
    }
    for (int x = stored; x < shape.width; ++x) {
      std::memset(t[order[static_cast<size_t>(x)]], 0, sizeof(Lanes));
    }
    Transform<Sample>(t, limits).Run(type.rows, shape.width_log2);
    for (int x = 0; x < shape.width; ++x) {
      Lanes rounded;
      for (int l = 0; l < kLanes; ++l) {
        rounded[l] = clamp.Clamp(WrapAdd(t[x][l], rounding) >> shape.row_shift);
      }
      const int column = x ^ flip;  // width - 1 - x
      for (int l = 0; l < kLanes; ++l) {
        columns[column / kLanes][y + l][column % kLanes] = rounded[l];
      }
    }
  }
}

// Column transforms and the sum, by groups of kGroup columns so that a row of
// the target is added at once.
template <typename Sample>
void TransformColumns(const Columns& columns, const Shape& shape,
                      const TransformTypeParts& type, int bit_depth,
                      const ResidualTarget<Sample>& target) {
  const Limits limits = Limits::OfBits(ColumnClampBits(bit_depth));
  const TransformOrder& order = InputOrder(type.columns, shape.height_log2);
  const int flip = type.flip_up_down ? shape.height - 1 : 0;
  int32_t residual[kMaxSize][kMaxSize];
  for (int x = 0; x < target.width; x += kLanes) {
    Lanes t[kMaxSize];
    for (int y = 0; y < shape.stored_height; ++y) {
      std::memcpy(t[order[static_cast<size_t>(y)]], columns[x / kLanes][y],
                  sizeof(Lanes));
    }
    for (int y = shape.stored_height; y < shape.height; ++y) {
      std::memset(t[order[static_cast<size_t>(y)]], 0, sizeof(Lanes));
    }
    Transform<Sample>(t, limits).Run(type.columns, shape.height_log2);
    for (int y = 0; y < shape.height; ++y) {
      int32_t* row = &residual[y ^ flip][x];  // height - 1 - y
      for (int l = 0; l < kLanes; ++l) {
        row[l] = WrapRound(t[y][l], kTransformColumnShift);
      }
    }
  }
  const int32_t max = (1 << bit_depth) - 1;
  for (int y = 0; y < target.height; ++y) AddRow(target, y, residual[y], max);
}

template <typename Sample>
void AddDc(int32_t residual, int bit_depth,
           const ResidualTarget<Sample>& target) {
  int32_t row[kMaxSize];
  std::fill_n(row, target.width, residual);
  const int32_t max = (1 << bit_depth) - 1;
  for (int y = 0; y < target.height; ++y) AddRow(target, y, row, max);
}

// 4x4 of a lossless block.
template <typename Sample>
void AddWht(const CoefficientOf<Sample>* coefficients, int bit_depth,
            const ResidualTarget<Sample>& target) {
  const Limits limits = Limits::OfBits(ColumnClampBits(bit_depth));
  Lanes t[kLanes];
  for (int x = 0; x < kLanes; ++x) {
    for (int l = 0; l < kLanes; ++l) t[x][l] = coefficients[l * kLanes + x];
  }
  Transform<Sample>(t, limits).InverseWht(kWhtRowShift);
  Lanes rows[kLanes];
  for (int x = 0; x < kLanes; ++x) {
    for (int l = 0; l < kLanes; ++l) rows[l][x] = limits.Clamp(t[x][l]);
  }
  Transform<Sample>(rows, limits).InverseWht(0);
  const int32_t max = (1 << bit_depth) - 1;
  for (int y = 0; y < target.height; ++y) AddRow(target, y, rows[y], max);
}

}  // namespace

template <typename Sample>
void AddResidualTo(const KernelArgs& args, const TransformBlock& block,
                   const ResidualTarget<Sample>& target) {
  const int bit_depth = static_cast<int>(args.params->bit_depth);
  const Shape shape(block.shape);
  // Copied, because the arena is one of 16-bit units.
  CoefficientOf<Sample> coefficients[32 * 32];
  std::memcpy(
      coefficients, &args.lists.coefficients[block.coefficients],
      sizeof(coefficients[0]) *
          static_cast<size_t>(shape.stored_width * shape.stored_height));
  const uint32_t type = TransformType(block.shape);
  if (type == PERDIX_TRANSFORM_WHT) {
    return AddWht<Sample>(coefficients, bit_depth, target);
  }
  if (type == 0 && block.eob == 1) {
    return AddDc(ResidualOfDc<Sample>(coefficients[0], shape, bit_depth),
                 bit_depth, target);
  }
  Columns columns;
  TransformRows<Sample>(coefficients, shape, kTransformTypes[type & 15],
                        bit_depth, columns);
  TransformColumns<Sample>(columns, shape, kTransformTypes[type & 15],
                           bit_depth, target);
}

template <typename Sample>
void AddResidual(const KernelArgs& args, const TransformBlock& block) {
  AddResidualTo(args, block, LocateResidual<Sample>(args, block));
}

template <typename Sample>
void InverseTransform(const KernelArgs& args, Range range) {
  for (const TransformBlock& block :
       args.lists.Of(kInterTransforms)
           .subspan(range.begin, range.end - range.begin)) {
    AddResidual<Sample>(args, block);
  }
}

template void AddResidual<uint8_t>(const KernelArgs&, const TransformBlock&);
template void AddResidual<uint16_t>(const KernelArgs&, const TransformBlock&);
template void AddResidualTo<uint8_t>(const KernelArgs&, const TransformBlock&,
                                     const ResidualTarget<uint8_t>&);
template void AddResidualTo<uint16_t>(const KernelArgs&, const TransformBlock&,
                                      const ResidualTarget<uint16_t>&);
template void InverseTransform<uint8_t>(const KernelArgs&, Range);
template void InverseTransform<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::av1
