// SPDX-License-Identifier: BSD-2-Clause
// Each scale is read twice: for its statistics and to make the next scale.
// Neighbourhoods are weighted sums, first of columns, then of rows.
#include "kernels/quality/vif.h"

#include <algorithm>
#include <cstdint>

#include "kernels/quality/vif_logs.h"
#include "kernels/quality/vif_point.h"

namespace perdix::quality {
namespace {

constexpr int kMaxRadius = PERDIX_VIF_MAX_TAPS / 2;

// Weighted sums over the columns of a row, of samples and of their products.
// There is room for kMaxRadius more at both ends.
struct ColumnSums {
  uint32_t* mean[2];  // reference, decoded
  uint32_t* square[2];
  uint32_t* product;
};

ColumnSums TakeColumnSums(int width, Arena& arena) {
  const auto row = [&] {
    return arena.Take<uint32_t>(size_t(width) + 2 * kMaxRadius) + kMaxRadius;
  };
  ColumnSums sums;
  for (int i = 0; i < 2; ++i) {
    sums.mean[i] = row();
    sums.square[i] = row();
  }
  sums.product = row();
  return sums;
}

template <int kRadius>
void RowsAround(const Luma& luma, int y, const uint16_t* rows[]) {
  for (int k = -kRadius; k <= kRadius; ++k) {
    rows[k + kRadius] = luma.Row(Mirrored(y + k, luma.height));
  }
}

template <int kRadius>
void ExtendRow(uint32_t* row, int width) {
  for (int k = 1; k <= kRadius; ++k) {
    row[-k] = row[k];
    row[width - 1 + k] = row[width - 1 - k];
  }
}

template <int kScale>
class Scale {
 public:
  // bit_depth: of the pictures at scale 0; other scales have 16 bits.
  Scale(const LumaPair& pair, Arena& arena)
      : pair_(pair),
        width_(pair.reference.width),
        mean_shift_(kScale == 0 ? pair.bit_depth : 16),
        square_shift_(kScale == 0 ? 2 * (pair.bit_depth - 8) : 16),
        columns_(TakeColumnSums(width_, arena)) {}

  VifSums Measure() const {
    VifSums sums = {};
    for (int y = 0; y < pair_.reference.height; ++y) {
      SumColumns(y);
      for (int i = 0; i < 2; ++i) {
        ExtendRow<kRadius>(columns_.mean[i], width_);
        ExtendRow<kRadius>(columns_.square[i], width_);
      }
      ExtendRow<kRadius>(columns_.product, width_);
      SumRow(sums);
    }
    return sums;
  }

 private:
  static constexpr int kTaps = static_cast<int>(kVifTaps[kScale]);
  static constexpr int kRadius = kTaps / 2;

  void SumColumns(int y) const {
    const uint16_t* p[kTaps];
    const uint16_t* q[kTaps];
    RowsAround<kRadius>(pair_.reference, y, p);
    RowsAround<kRadius>(pair_.decoded, y, q);
    for (int x = 0; x < width_; ++x) {
      uint64_t mean[2] = {};
      uint64_t square[2] = {};
      uint64_t product = 0;
      for (int k = 0; k < kTaps; ++k) {
        const uint64_t tap = kVifFilters[kScale][k];
        const uint64_t a = p[k][x];
        const uint64_t b = q[k][x];
        mean[0] += tap * a;
        mean[1] += tap * b;
        square[0] += tap * (a * a);
        square[1] += tap * (b * b);
        product += tap * (a * b);
      }
      for (int i = 0; i < 2; ++i) {
        columns_.mean[i][x] = uint32_t(RoundShift(mean[i], mean_shift_));
        columns_.square[i][x] = uint32_t(RoundShift(square[i], square_shift_));
      }
      columns_.product[x] = uint32_t(RoundShift(product, square_shift_));
    }
  }

  static uint64_t Sum(const uint32_t* row) {
    uint64_t sum = 0;
    for (int k = -kRadius; k <= kRadius; ++k) {
      sum += uint64_t{kVifFilters[kScale][k + kRadius]} * row[k];
    }
    return sum;
  }

  // The mean of products less the product of means.
  static int32_t Variance(const uint32_t* products, uint64_t mean_a,
                          uint64_t mean_b) {
    return static_cast<int32_t>(
        static_cast<uint32_t>(RoundShift(Sum(products), 16)) -
        static_cast<uint32_t>(RoundShift(mean_a * mean_b, 32)));
  }

  void SumRow(VifSums& sums) const {
    const uint16_t* const logs = VifLogs();
    for (int x = 0; x < width_; ++x) {
      const uint64_t a = Sum(columns_.mean[0] + x);
      const uint64_t b = Sum(columns_.mean[1] + x);
      const VifVariances v = {
          Variance(columns_.square[0] + x, a, a),
          std::max(0, Variance(columns_.square[1] + x, b, b)),
          Variance(columns_.product + x, a, b)};
      AddVifPoint(v, pair_.gain_limit, logs, sums);
    }
  }

  const LumaPair& pair_;
  const int width_;
  const int mean_shift_;
  const int square_shift_;
  const ColumnSums columns_;
};

// ---- the next scale ----

// Blurs and leaves every second sample of every second row. shift: of the sums
// over columns.
template <int kScale>
void MakeScale(const Luma& from, int shift, uint32_t* row, const Luma& to) {
  constexpr int kTaps = static_cast<int>(kVifTaps[kScale]);
  constexpr int kRadius = kTaps / 2;
  for (int y = 0; y < to.height; ++y) {
    const uint16_t* rows[kTaps];
    RowsAround<kRadius>(from, 2 * y, rows);
    for (int x = 0; x < from.width; ++x) {
      uint32_t sum = 0;
      for (int k = 0; k < kTaps; ++k) {
        sum += kVifFilters[kScale][k] * rows[k][x];
      }
      row[x] = uint32_t(RoundShift(uint64_t{sum}, shift));
    }
    ExtendRow<kRadius>(row, from.width);
    for (int x = 0; x < to.width; ++x) {
      uint32_t sum = 0;
      for (int k = -kRadius; k <= kRadius; ++k) {
        sum += kVifFilters[kScale][k + kRadius] * row[2 * x + k];
      }
      to.Row(y)[x] = uint16_t(RoundShift(uint64_t{sum}, 16));
    }
  }
}

template <int kScale>
LumaPair NextScale(const LumaPair& pair, Arena& arena) {
  LumaPair next = pair;
  uint32_t* const row =
      arena.Take<uint32_t>(size_t(pair.reference.width) + 2 * kMaxRadius) +
      kMaxRadius;
  const int shift = kScale == 1 ? pair.bit_depth : 16;
  for (Luma* luma : {&next.reference, &next.decoded}) {
    const Luma from = *luma;
    *luma = TakeLuma(from.width / 2, from.height / 2, arena);
    MakeScale<kScale>(from, shift, row, *luma);
  }
  return next;
}

}  // namespace

void MeasureVif(const LumaPair& pair, Arena& arena,
                VifSums sums[PERDIX_QUALITY_SCALES]) {
  sums[0] = Scale<0>(pair, arena).Measure();
  const LumaPair half = NextScale<1>(pair, arena);
  sums[1] = Scale<1>(half, arena).Measure();
  const LumaPair quarter = NextScale<2>(half, arena);
  sums[2] = Scale<2>(quarter, arena).Measure();
  const LumaPair eighth = NextScale<3>(quarter, arena);
  sums[3] = Scale<3>(eighth, arena).Measure();
}

}  // namespace perdix::quality
