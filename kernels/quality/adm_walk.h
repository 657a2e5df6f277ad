// SPDX-License-Identifier: BSD-2-Clause
// The order of ADM's work, row by row: both pictures are transformed, what of
// the decoded picture restores the reference is told from what is added to it,
// and each part is masked by the other. Of the bands there are never more than
// three rows; only the approximations, which the next scale is made of, are
// whole.
#ifndef PERDIX_KERNELS_QUALITY_ADM_WALK_H_
#define PERDIX_KERNELS_QUALITY_ADM_WALK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/quality/adm_scale.h"
#include "kernels/quality/arena.h"
#include "kernels/quality/luma.h"
#include "kernels/shared/quality.h"

namespace perdix::quality {

// Samples before a row that may be read and written, and at least as many
// behind it.
inline constexpr size_t kAdmMargin = 16;

// A row of width samples with margins.
template <typename Sample = int32_t>
Sample* TakeAdmRow(int width, Arena& arena) {
  return arena.Take<Sample>(size_t(width) + 4 * kAdmMargin) + kAdmMargin;
}

// What a scale is made of: the approximation of the scale before.
struct Approximation {
  int32_t* data = nullptr;
  size_t stride = 0;
  int width = 0;
  int height = 0;

  int32_t* Row(int y) const { return data + stride * size_t(y); }
};

inline Approximation TakeApproximation(int width, int height, Arena& arena) {
  const size_t stride =
      (size_t(width) + 2 * kAdmMargin - 1) / kAdmMargin * kAdmMargin;
  return {arena.Take<int32_t>(stride * size_t(height)), stride, width, height};
}

// A row of a picture's four bands.
struct BandRow {
  int32_t* approximation;
  int32_t* band[PERDIX_ADM_BANDS];  // h, v, d
};

// A row of one part of the decoded picture, and the mask that it is: sums over
// the bands of each sample's share, as a neighbour and as the centre.
struct PartRow {
  int32_t* band[PERDIX_ADM_BANDS];
  int32_t* neighbour;
  int32_t* centre;
};

struct DecoupledRow {
  PartRow restored;
  PartRow added;
};

// The mask around the samples of a row.
struct MaskRows {
  const int32_t* neighbours[3];  // of the row above, of this one, of that below
  const int32_t* centre;
};

// Makes the sums of one scale. Rows has the arithmetic, in functions that work
// on a row: see adm.cc.
template <class Rows, class Source>
class AdmScaleWalk {
  using Column = typename Rows::Column;  // a sample that is filtered vertically

 public:
  AdmScaleWalk(const AdmScale& scale, const Source sources[2],
               const Approximation to[2], int bit_depth, Arena& arena)
      : scale_(scale), to_(to), reach_(AdmReach(scale.height)) {
    for (int i = 0; i < 2; ++i) {
      source_[i] = sources[i];
      for (int32_t*& band : bands_[i].band) {
        band = TakeAdmRow(scale.width, arena);
      }
    }
    bit_depth_ = bit_depth;
    low_ = TakeAdmRow<Column>(sources[0].width, arena);
    high_ = TakeAdmRow<Column>(sources[0].width, arena);
    for (DecoupledRow& row : ring_) {
      TakePart(row.restored, arena);
      TakePart(row.added, arena);
    }
  }

  AdmSums Measure() {
    AdmSums sums = {};
    for (int y = 0; y < scale_.height; ++y) {
      for (int i = 0; i < 2; ++i) Transform(i, y);
      if (y >= scale_.rows.begin && y < scale_.rows.end) AddDenominators(sums);
      if (y >= reach_.begin && y < reach_.end) Decouple(y);
      if (y > scale_.rows.begin && y <= scale_.rows.end) AddMasked(y - 1, sums);
    }
    if (scale_.rows.end == scale_.height) AddMasked(scale_.height - 1, sums);
    return sums;
  }

 private:
  void TakePart(PartRow& part, Arena& arena) const {
    for (int32_t*& band : part.band) band = TakeAdmRow(scale_.width, arena);
    part.neighbour = TakeAdmRow(scale_.width, arena);
    part.centre = TakeAdmRow(scale_.width, arena);
  }

  void Transform(int picture, int y) {
    bands_[picture].approximation = to_[picture].Row(y);
    Rows::TransformColumns(scale_, bit_depth_, source_[picture], y, low_,
                           high_);
    ExtendEnds(low_, source_[picture].width);
    ExtendEnds(high_, source_[picture].width);
    Rows::TransformRow(scale_, low_, high_, bands_[picture]);
  }

  // Mirrors at the sample itself on the left, behind it on the right.
  static void ExtendEnds(Column* row, int n) {
    row[-1] = row[1];
    row[n] = row[n - 1];
    row[n + 1] = row[n - 2];
  }

  void AddDenominators(AdmSums& sums) const {
    for (int i = 0; i < PERDIX_ADM_BANDS; ++i) {
      sums.den[i] += RoundShift(Rows::SumCubes(scale_, bands_[0].band[i]),
                                scale_.den_row_shift);
    }
  }

  void Decouple(int y) {
    const AdmSpan columns = AdmReach(scale_.width);
    DecoupledRow& row = ring_[y % 3];
    Rows::Decouple(scale_, bands_[0], bands_[1], columns, row);
    for (PartRow* part : {&row.restored, &row.added}) {
      part->neighbour[-1] = part->neighbour[1];
      part->neighbour[scale_.width] = part->neighbour[scale_.width - 1];
    }
  }

  // The row after y is decoupled, if there is one.
  void AddMasked(int y, AdmSums& sums) const {
    const DecoupledRow& above = ring_[(y == 0 ? 1 : y - 1) % 3];
    const DecoupledRow& row = ring_[y % 3];
    const DecoupledRow& below = ring_[std::min(y + 1, scale_.height - 1) % 3];
    AddPart(
        row.restored,
        {{above.added.neighbour, row.added.neighbour, below.added.neighbour},
         row.added.centre},
        sums.num);
    AddPart(row.added,
            {{above.restored.neighbour, row.restored.neighbour,
              below.restored.neighbour},
             row.restored.centre},
            sums.aim);
  }

  void AddPart(const PartRow& part, const MaskRows& mask,
               QualityWord sums[PERDIX_ADM_BANDS]) const {
    int64_t row_sums[PERDIX_ADM_BANDS];
    Rows::SumMasked(scale_, part, mask, row_sums);
    for (int i = 0; i < PERDIX_ADM_BANDS; ++i) {
      sums[i] += RoundShift(row_sums[i], scale_.row_shift);
    }
  }

  const AdmScale& scale_;
  const Approximation* to_;
  const AdmSpan reach_;
  Source source_[2];
  int bit_depth_;
  BandRow bands_[2];  // reference, decoded
  Column* low_;
  Column* high_;
  DecoupledRow ring_[3];
};

// Rows<true> is the arithmetic of scale 0, Rows<false> of the others.
template <template <bool> class Rows>
void WalkAdm(const LumaPair& pair, Arena& arena,
             AdmSums sums[PERDIX_QUALITY_SCALES]) {
  int width = pair.reference.width;
  int height = pair.reference.height;
  Approximation from[2];
  for (int s = 0; s < PERDIX_QUALITY_SCALES; ++s) {
    width = (width + 1) / 2;
    height = (height + 1) / 2;
    const AdmScale scale(s, width, height, pair.gain_limit);
    Approximation to[2];
    for (Approximation& picture : to) {
      picture = TakeApproximation(width, height, arena);
    }
    if (s == 0) {
      const Luma pictures[2] = {pair.reference, pair.decoded};
      sums[s] = AdmScaleWalk<Rows<true>, Luma>(scale, pictures, to,
                                               pair.bit_depth, arena)
                    .Measure();
    } else {
      sums[s] = AdmScaleWalk<Rows<false>, Approximation>(scale, from, to,
                                                         pair.bit_depth, arena)
                    .Measure();
    }
    from[0] = to[0];
    from[1] = to[1];
  }
}

}  // namespace perdix::quality

#endif  // PERDIX_KERNELS_QUALITY_ADM_WALK_H_
