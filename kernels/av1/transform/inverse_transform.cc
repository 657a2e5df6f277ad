// SPDX-License-Identifier: BSD-2-Clause
// Inverse transform (7.13.3) and reconstruction (7.12.3): coefficients to
// residual, added to the prediction.
//
// Reads: kInterTransforms, coefficients. Writes: the target's planes.
// Work item: one TransformBlock. Order: any, after the prediction.
#include "kernels/av1/transform/inverse_transform.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/av1/kernels.h"
#include "kernels/av1/round2.h"
#include "kernels/av1/transform/transform_1d.h"
#include "kernels/av1/transform/transform_block.h"

namespace perdix::av1 {
namespace {

constexpr int kMaxSize = 64;

// Residual of one block, by row and column.
class Residual {
 public:
  Residual(const TransformBlock& block, int bit_depth)
      : shape_(block.shape),
        lossless_(TransformType(block.shape) == PERDIX_TRANSFORM_WHT),
        parts_(kTransformTypes[TransformType(block.shape) & 15]),
        only_dc_(TransformType(block.shape) == 0 && block.eob == 1),
        bit_depth_(bit_depth) {}

  // Row transforms of 7.13.3. Rows that are not stored are zero, and so are
  // their transforms. coefficients: numbers, in the arena of 16-bit units.
  template <typename Number>
  void TransformRows(const int16_t* coefficients) {
    const Limits limits = Limits::OfBits(ColumnClampBits(bit_depth_));
    constexpr int kUnits = sizeof(Number) / sizeof(int16_t);
    rows_ = only_dc_ ? 1 : shape_.stored_height;
    for (int i = 0; i < rows_; ++i) {
      Number row[kMaxSize];
      std::fill_n(row, shape_.width, Number{0});
      std::memcpy(row, coefficients + i * shape_.stored_width * kUnits,
                  sizeof(Number) *
                      static_cast<size_t>(only_dc_ ? 1 : shape_.stored_width));
      Transform1d t(RowClampBits(bit_depth_));
      for (int j = 0; j < shape_.width; ++j) {
        t.T[j] = shape_.rectangle
                     ? WrapRound(WrapMul(row[j], kRectangleScale), 12)
                     : row[j];
      }
      if (lossless_) {
        t.Wht(kWhtRowShift);
      } else {
        t.Run(parts_.rows, shape_.width_log2);
      }
      for (int j = 0; j < shape_.width; ++j) {
        values_[i][j] = limits.Clamp(Round2(t.T[j], shape_.row_shift));
      }
    }
  }

  // Column transforms of 7.13.3, of as many as the target has; flips and sums
  // of 7.12.3.
  template <typename Sample>
  void AddColumns(const ResidualTarget<Sample>& target) const {
    const int max_sample = (1 << bit_depth_) - 1;
    for (int x = 0; x < target.width; ++x) {
      const int j = parts_.flip_left_right ? shape_.width - 1 - x : x;
      Transform1d t(ColumnClampBits(bit_depth_));
      for (int i = 0; i < shape_.height; ++i) {
        t.T[i] = i < rows_ ? values_[i][j] : 0;
      }
      if (lossless_) {
        t.Wht(0);
      } else {
        t.Run(parts_.columns, shape_.height_log2);
      }
      Sample* sample = target.pixels + x * target.components + target.component;
      for (int y = 0; y < target.height; ++y, sample += target.stride) {
        const int i = parts_.flip_up_down ? shape_.height - 1 - y : y;
        const int residual =
            Round2(t.T[i], lossless_ ? 0 : kTransformColumnShift);
        *sample =
            static_cast<Sample>(std::clamp(*sample + residual, 0, max_sample));
      }
    }
  }

 private:
  const Shape shape_;
  const bool lossless_;
  const TransformTypeParts& parts_;
  const bool only_dc_;  // others are not looked at, whatever is stored
  const int bit_depth_;
  int rows_ = 0;  // that are not zero
  int32_t values_[kMaxSize][kMaxSize];
};

}  // namespace

template <typename Sample>
void AddResidualTo(const KernelArgs& args, const TransformBlock& block,
                   const ResidualTarget<Sample>& target) {
  Residual residual(block, static_cast<int>(args.params->bit_depth));
  residual.TransformRows<Stored<Sample>>(
      &args.lists.coefficients[block.coefficients]);
  residual.AddColumns(target);
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
