// SPDX-License-Identifier: BSD-2-Clause
// Inverse transform (7.13.3) and reconstruction (7.12.3): coefficients to
// residual, added to the prediction.
//
// Reads: kInterTransforms, coefficients. Writes: the target's planes.
// Work item: one TransformBlock. Order: any, after the prediction.
#include "kernels/av1/transform/inverse_transform.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernels/av1/kernels.h"
#include "kernels/av1/transform/residual_rows.h"
#include "kernels/av1/transform/transform_1d.h"
#include "kernels/av1/transform/transform_block.h"

namespace perdix::av1 {
namespace {

constexpr int kMaxSize = 64;
// Rows or columns that are transformed at once. Of blocks that have 4, the rest
// is zero.
constexpr int kLanes = 8;

// ---- 7.13.3 ----

// out[j][i] = in[i][j], by three rounds in which rows that are four apart are
// interleaved: instructions that any vector unit has.
template <typename Value>
void Transpose(const Value (&in)[kLanes][kLanes],
               Value (&out)[kLanes][kLanes]) {
  static_assert(kLanes == 8);
  const auto interleave = [](const Value(&from)[8][8], Value(&to)[8][8]) {
    for (int i = 0; i < 4; ++i) {
      Value* pair = to[2 * i];
      PERDIX_KEEP_LOOP
      for (int l = 0; l < 8; ++l) {
        pair[2 * l] = from[i][l];
        pair[2 * l + 1] = from[i + 4][l];
      }
    }
  };
  Value other[kLanes][kLanes];
  interleave(in, out);
  interleave(out, other);
  interleave(other, out);
}

// At least the largest sum of magnitudes in a lane of t, and less than twice
// it. (Sums that wrap are large, too.)
template <typename Value>
uint32_t BoundSums(const Value (*t)[kLanes], int length) {
  uint32_t sums[kLanes] = {};
  for (int i = 0; i < length; ++i) {
    PERDIX_KEEP_LOOP
    for (int l = 0; l < kLanes; ++l) {
      const int32_t value = t[i][l];
      sums[l] += static_cast<uint32_t>(value < 0 ? WrapSub(0, value) : value);
    }
  }
  uint32_t bits = 0;
  for (const uint32_t sum : sums) bits |= sum;
  return bits;
}

// Round2( T, shift ), clamped, into <out>.
template <typename Value, typename Lane, size_t kCount>
void RoundAndClamp(const Lane (*t)[kCount], int length, int shift, Limits clamp,
                   Value (*out)[kCount]) {
  const int32_t rounding = (1 << shift) >> 1;
  for (int i = 0; i < length; ++i) {
    PERDIX_KEEP_LOOP
    for (size_t l = 0; l < kCount; ++l) {
      out[i][l] =
          static_cast<Value>(clamp.Clamp(WrapAdd(t[i][l], rounding) >> shift));
    }
  }
}

// The same where nothing needs to be clamped.
template <typename Value>
void Round(Value (*t)[kLanes], int length, int shift) {
  const auto rounding = static_cast<Value>((1 << shift) >> 1);
  for (int i = 0; i < length; ++i) {
    PERDIX_KEEP_LOOP
    for (int l = 0; l < kLanes; ++l) {
      t[i][l] =
          static_cast<Value>(static_cast<Value>(t[i][l] + rounding) >> shift);
    }
  }
}

// The transform of any input.
template <int kCount>
void RunClamped(int32_t (*t)[kCount], TransformKind kind, int n,
                Limits limits) {
  if (limits.max == INT16_MAX) {
    Transform1d<int32_t, kCount, Clamping::kAll>(t, limits).Run(kind, n);
  } else {
    Transform1d<int32_t, kCount, Clamping::kHadamard>(t, limits).Run(kind, n);
  }
}

// The transform, then Round2( T, shift ), at last clamped. At 8 bits only the
// rare block whose input is too large for it is transformed in 32 bits.
void TransformAndRound(int16_t (*t)[kLanes], TransformKind kind, int n,
                       Limits limits, int shift, Limits clamp) {
  if (BoundSums(t, 1 << n) <= SumLimit(kind, limits)) {
    Transform1d<int16_t, kLanes, Clamping::kNothing>(t, limits).Run(kind, n);
    return Round(t, 1 << n, shift);
  }
  int32_t wide[kMaxSize][kLanes];
  for (int i = 0; i < 1 << n; ++i) std::copy_n(t[i], kLanes, wide[i]);
  RunClamped<kLanes>(wide, kind, n, limits);
  RoundAndClamp(wide, 1 << n, shift, clamp, t);
}

void TransformAndRound(int32_t (*t)[kLanes], TransformKind kind, int n,
                       Limits limits, int shift, Limits clamp) {
  const uint32_t sum = BoundSums(t, 1 << n);
  if (sum > SumLimit(kind, limits)) {
    RunClamped<kLanes>(t, kind, n, limits);
    return RoundAndClamp(t, 1 << n, shift, clamp, t);
  }
  Transform1d<int32_t, kLanes, Clamping::kNothing>(t, limits).Run(kind, n);
  if ((sum >> shift) > SumLimit(kind, clamp)) {
    RoundAndClamp(t, 1 << n, shift, clamp, t);
  } else {
    Round(t, 1 << n, shift);
  }
}

// What is beyond does not count when added to samples of 12 bits, and sums are
// within 16.
constexpr Limits kResidualLimits = Limits::OfBits(14);

// One block.
template <typename Sample>
class Inverse {
 public:
  using Value = Stored<Sample>;

  Inverse(const Shape& shape, const TransformTypeParts& type, int bit_depth)
      : shape_(shape), type_(type), bit_depth_(bit_depth) {}

  // coefficients: Values, in the arena of 16-bit units.
  void Add(const int16_t* coefficients, const ResidualTarget<Sample>& target) {
    TransformRows(coefficients);
    ResidualRow residual[kMaxSize];
    TransformColumns(target, residual);
    AddRows(residual, target, bit_depth_);
  }

 private:
  using Square = Value[kLanes][kLanes];

  // Row transforms of the rows that are stored.
  void TransformRows(const int16_t* coefficients) {
    const Limits limits = Limits::OfBits(RowClampBits(bit_depth_));
    const Limits clamp = Limits::OfBits(ColumnClampBits(bit_depth_));
    for (int y = 0; y < shape_.stored_height; y += kLanes) {
      Value t[kMaxSize][kLanes];
      LoadRows(coefficients, y, t);
      TransformAndRound(t, type_.rows, shape_.width_log2, limits,
                        shape_.row_shift, clamp);
      StoreColumns(t, y);
    }
  }

  // Rows y .. y + 7 as far as they are stored, transposed.
  void LoadRows(const int16_t* coefficients, int y, Value (*t)[kLanes]) {
    const TransformOrder& order = InputOrder(type_.rows, shape_.width_log2);
    const int rows = std::min(kLanes, shape_.stored_height - y);
    if (shape_.stored_width == 4) {
      LoadSquare<4>(coefficients, y, 0, rows, order, t);
    } else {
      for (int x = 0; x < shape_.stored_width; x += kLanes) {
        LoadSquare<kLanes>(coefficients, y, x, rows, order, t);
      }
    }
    for (int x = shape_.stored_width; x < shape_.width; ++x) {
      std::memset(t[order[static_cast<size_t>(x)]], 0, sizeof(t[0]));
    }
  }

  template <int kColumns>
  void LoadSquare(const int16_t* coefficients, int y, int x, int rows,
                  const TransformOrder& order, Value (*t)[kLanes]) {
    // Units of 16 bits.
    constexpr int kUnits = sizeof(Value) / sizeof(int16_t);
    const int stride = shape_.stored_width * kUnits;
    coefficients += y * stride + x * kUnits;
    Square in;
    for (int l = 0; l < rows; ++l) {
      std::memcpy(in[l], coefficients + l * stride, kColumns * sizeof(Value));
      std::memset(in[l] + kColumns, 0, (kLanes - kColumns) * sizeof(Value));
    }
    for (int l = rows; l < kLanes; ++l) std::memset(in[l], 0, sizeof(in[l]));
    Square out;
    Transpose(in, out);
    if (shape_.rectangle) Scale(out);
    for (int k = 0; k < kColumns; ++k) {
      std::memcpy(t[order[static_cast<size_t>(x + k)]], out[k], sizeof(out[k]));
    }
  }

  static void Scale(Square& square) {
    for (auto& row : square) {
      for (Value& value : row) {
        if constexpr (sizeof(Value) == 2) {
          value =
              static_cast<Value>((value * kRectangleScale + (1 << 11)) >> 12);
        } else {
          value = WrapRound(WrapMul(value, kRectangleScale), 12);
        }
      }
    }
  }

  // Elements are columns, lanes rows from y on.
  void StoreColumns(const Value (*t)[kLanes], int y) {
    const int flip = type_.flip_left_right ? shape_.width - 1 : 0;
    if (shape_.width == 4) {
      StoreSquare<4>(t, 0, y, flip);
    } else {
      for (int x = 0; x < shape_.width; x += kLanes) {
        StoreSquare<kLanes>(t, x, y, flip);
      }
    }
  }

  template <int kColumns>
  void StoreSquare(const Value (*t)[kLanes], int x, int y, int flip) {
    Square in;
    for (int k = 0; k < kColumns; ++k) {
      std::memcpy(in[k], t[(x + k) ^ flip], sizeof(in[k]));
    }
    for (int k = kColumns; k < kLanes; ++k) {
      std::memset(in[k], 0, sizeof(in[k]));
    }
    Square out;
    Transpose(in, out);
    std::memcpy(columns_[x / kLanes][y], out, sizeof(out));
  }

  // As many columns as there are in the target.
  void TransformColumns(const ResidualTarget<Sample>& target,
                        ResidualRow* residual) {
    const Limits limits = Limits::OfBits(ColumnClampBits(bit_depth_));
    const TransformOrder& order = InputOrder(type_.columns, shape_.height_log2);
    const int flip = type_.flip_up_down ? shape_.height - 1 : 0;
    for (int x = 0; x < target.width; x += kLanes) {
      Value t[kMaxSize][kLanes];
      const auto& column = columns_[x / kLanes];
      for (int y = 0; y < shape_.stored_height; ++y) {
        std::memcpy(t[order[static_cast<size_t>(y)]], column[y], sizeof(t[0]));
      }
      for (int y = shape_.stored_height; y < shape_.height; ++y) {
        std::memset(t[order[static_cast<size_t>(y)]], 0, sizeof(t[0]));
      }
      TransformAndRound(t, type_.columns, shape_.height_log2, limits,
                        kTransformColumnShift, kResidualLimits);
      for (int y = 0; y < shape_.height; ++y) {
        PutResidual(t[y ^ flip], x, target.components, target.component,
                    residual[y]);
      }
    }
  }

  const Shape& shape_;
  const TransformTypeParts& type_;
  const int bit_depth_;
  // Residual of 7.13.3 between the passes, eight columns side by side: [column
  // / 8][row][column % 8]. The flip from left to right is done.
  Value columns_[kMaxSize / kLanes][kMaxSize][kLanes];
};

// ---- without the two passes ----

// 4x4 blocks are many, and small: they are done in 32 bits, four lanes, without
// a look at how large their coefficients are.
using Square4 = int32_t[4][4];

void Transpose4(const Square4& in, Square4& out) {
  for (int x = 0; x < 4; ++x) {
    for (int l = 0; l < 4; ++l) out[x][l] = in[l][x];
  }
}

template <typename Sample>
void LoadSquare4(const int16_t* arena, Square4& square) {
  Stored<Sample> coefficients[4 * 4];
  std::memcpy(coefficients, arena, sizeof(coefficients));
  for (int i = 0; i < 16; ++i) square[i / 4][i % 4] = coefficients[i];
}

// rows: within kResidualLimits.
template <typename Sample>
void AddSquare4(const Square4& rows, const ResidualTarget<Sample>& target,
                int bit_depth) {
  ResidualRow residual[4];
  for (int y = 0; y < 4; ++y) {
    PutResidual(rows[y], 0, target.components, target.component, residual[y]);
  }
  AddRows(residual, target, bit_depth);
}

template <typename Sample>
void Add4x4(const int16_t* arena, const TransformTypeParts& type,
            const ResidualTarget<Sample>& target, int bit_depth) {
  const auto run = [](const Square4& in, TransformKind kind, Limits limits,
                      Square4& t) {
    const TransformOrder& order = InputOrder(kind, 2);
    for (size_t i = 0; i < 4; ++i)
      std::memcpy(t[order[i]], in[i], sizeof(t[0]));
    RunClamped<4>(t, kind, 2, limits);
  };
  const Limits column_limits = Limits::OfBits(ColumnClampBits(bit_depth));
  Square4 in;
  Square4 turned;
  Square4 t;
  LoadSquare4<Sample>(arena, in);
  Transpose4(in, turned);
  run(turned, type.rows, Limits::OfBits(RowClampBits(bit_depth)), t);
  RoundAndClamp(t, 4, 0, column_limits, turned);
  if (type.flip_left_right) std::reverse(turned, turned + 4);
  Transpose4(turned, in);
  run(in, type.columns, column_limits, t);
  RoundAndClamp(t, 4, kTransformColumnShift, kResidualLimits, turned);
  if (type.flip_up_down) std::reverse(turned, turned + 4);
  AddSquare4(turned, target, bit_depth);
}

// 4x4 of a lossless block.
template <typename Sample>
void AddWht(const int16_t* arena, const ResidualTarget<Sample>& target,
            int bit_depth) {
  const Limits limits = Limits::OfBits(ColumnClampBits(bit_depth));
  using Wht = Transform1d<int32_t, 4, Clamping::kNothing>;
  Square4 rows;
  Square4 t;
  LoadSquare4<Sample>(arena, rows);
  Transpose4(rows, t);
  Wht(t, limits).InverseWht(kWhtRowShift);
  RoundAndClamp(t, 4, 0, limits, t);
  Transpose4(t, rows);
  Wht(rows, limits).InverseWht(0);
  RoundAndClamp(rows, 4, 0, kResidualLimits, rows);
  AddSquare4(rows, target, bit_depth);
}

}  // namespace

template <typename Sample>
void AddResidualTo(const KernelArgs& args, const TransformBlock& block,
                   const ResidualTarget<Sample>& target) {
  const int bit_depth = static_cast<int>(args.params->bit_depth);
  const Shape shape(block.shape);
  const int16_t* coefficients = &args.lists.coefficients[block.coefficients];
  const uint32_t type = TransformType(block.shape);
  if (type == PERDIX_TRANSFORM_WHT) {
    return AddWht(coefficients, target, bit_depth);
  }
  if (type == 0 && block.eob == 1) {
    Stored<Sample> dc;
    std::memcpy(&dc, coefficients, sizeof(dc));
    return AddFlat(ResidualOfDc(dc, shape, bit_depth), target, bit_depth);
  }
  const TransformTypeParts& parts = kTransformTypes[type & 15];
  if (shape.width == 4 && shape.height == 4) {
    return Add4x4(coefficients, parts, target, bit_depth);
  }
  Inverse<Sample>(shape, parts, bit_depth).Add(coefficients, target);
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
