// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/quality/adm.h"

#include <cstdint>

#include "kernels/quality/adm_point.h"
#include "kernels/quality/adm_walk.h"

namespace perdix::quality {
namespace {

// The row that a tap of the transform takes for one beyond the border.
int TapRow(int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - 1 - i : i; }

template <typename Sample>
int64_t Filtered(const int32_t taps[4], const Sample* a, const Sample* b,
                 const Sample* c, const Sample* d, int x) {
  return int64_t{taps[0]} * a[x] + int64_t{taps[1]} * b[x] +
         int64_t{taps[2]} * c[x] + int64_t{taps[3]} * d[x];
}

template <bool kScale0>
struct Rows {
  using Column = int32_t;

  template <class Source>
  static void TransformColumns(const AdmScale& scale, int bit_depth,
                               const Source& from, int y, int32_t* low,
                               int32_t* high) {
    const auto* const a = from.Row(TapRow(2 * y - 1, from.height));
    const auto* const b = from.Row(2 * y);
    const auto* const c = from.Row(TapRow(2 * y + 1, from.height));
    const auto* const d = from.Row(TapRow(2 * y + 2, from.height));
    const int shift = kScale0 ? bit_depth : scale.scale == 1 ? 0 : 16;
    // Samples of pictures lie around half of their range.
    const int64_t middle =
        kScale0 ? int64_t{PERDIX_ADM_LOW_SUM} << (bit_depth - 1) : 0;
    for (int x = 0; x < from.width; ++x) {
      low[x] = static_cast<int32_t>(
          RoundShift(Filtered(kAdmLow, a, b, c, d, x) - middle, shift));
      high[x] = static_cast<int32_t>(
          RoundShift(Filtered(kAdmHigh, a, b, c, d, x), shift));
    }
  }

  static void TransformRow(const AdmScale& scale, const int32_t* low,
                           const int32_t* high, const BandRow& to) {
    const int shift = scale.scale == 0 || scale.scale == 2 ? 16 : 15;
    const auto filtered = [shift](const int32_t taps[4], const int32_t* row) {
      return static_cast<int32_t>(
          RoundShift(Filtered(taps, row - 1, row, row + 1, row + 2, 0), shift));
    };
    for (int x = 0; x < scale.width; ++x) {
      to.approximation[x] = filtered(kAdmLow, low + 2 * x);
      to.band[0][x] = filtered(kAdmLow, high + 2 * x);
      to.band[1][x] = filtered(kAdmHigh, low + 2 * x);
      to.band[2][x] = filtered(kAdmHigh, high + 2 * x);
    }
  }

  static void Decouple(const AdmScale& scale, const BandRow& reference,
                       const BandRow& decoded, AdmSpan columns,
                       const DecoupledRow& to) {
    for (int x = columns.begin; x < columns.end; ++x) {
      const bool same_angle =
          SameAngle({reference.band[0][x], reference.band[1][x],
                     decoded.band[0][x], decoded.band[1][x]});
      for (int i = 0; i < PERDIX_ADM_BANDS; ++i) {
        to.restored.band[i][x] =
            RestoredSample(reference.band[i][x], decoded.band[i][x], same_angle,
                           scale.gain_limit);
        to.added.band[i][x] = decoded.band[i][x] - to.restored.band[i][x];
      }
      SetShares(scale, x, to.restored);
      SetShares(scale, x, to.added);
    }
  }

  static int64_t SumCubes(const AdmScale& scale, const int32_t* row) {
    int64_t sum = 0;
    for (int x = scale.columns.begin; x < scale.columns.end; ++x) {
      sum += Cube<kScale0>(scale, row[x]);
    }
    return sum;
  }

  static void SumMasked(const AdmScale& scale, const PartRow& part,
                        const MaskRows& mask, int64_t sums[PERDIX_ADM_BANDS]) {
    for (int i = 0; i < PERDIX_ADM_BANDS; ++i) sums[i] = 0;
    for (int x = scale.columns.begin; x < scale.columns.end; ++x) {
      const int32_t threshold = Threshold(mask, x);
      for (int i = 0; i < PERDIX_ADM_BANDS; ++i) {
        sums[i] += MaskedCube<kScale0>(scale, i, part.band[i][x], threshold);
      }
    }
  }

 private:
  static void SetShares(const AdmScale& scale, int x, const PartRow& part) {
    MaskShares sums = {};
    for (int i = 0; i < PERDIX_ADM_BANDS; ++i) {
      const MaskShares shares =
          SharesInMask<kScale0>(scale.scale, i, part.band[i][x]);
      sums.neighbour += shares.neighbour;
      sums.centre += shares.centre;
    }
    part.neighbour[x] = sums.neighbour;
    part.centre[x] = sums.centre;
  }

  static int32_t Threshold(const MaskRows& mask, int x) {
    const int32_t* const above = mask.neighbours[0] + x;
    const int32_t* const row = mask.neighbours[1] + x;
    const int32_t* const below = mask.neighbours[2] + x;
    return above[-1] + above[0] + above[1] + row[-1] + mask.centre[x] + row[1] +
           below[-1] + below[0] + below[1];
  }
};

}  // namespace

void MeasureAdm(const LumaPair& pair, Arena& arena,
                AdmSums sums[PERDIX_QUALITY_SCALES]) {
  WalkAdm<Rows>(pair, arena, sums);
}

}  // namespace perdix::quality
