// SPDX-License-Identifier: BSD-2-Clause
// Detail loss and additive impairment (ADM and AIM) at four scales of a wavelet
// transform. The GPU's: shaders/quality/adm_*.comp.
#ifndef PERDIX_KERNELS_QUALITY_ADM_H_
#define PERDIX_KERNELS_QUALITY_ADM_H_

#include "kernels/quality/arena.h"
#include "kernels/quality/luma.h"
#include "kernels/shared/quality.h"

namespace perdix::quality {

void MeasureAdm(const LumaPair& pair, Arena& arena,
                AdmSums sums[PERDIX_QUALITY_SCALES]);
void MeasureAdmSimd(const LumaPair& pair, Arena& arena,
                    AdmSums sums[PERDIX_QUALITY_SCALES]);

}  // namespace perdix::quality

#endif  // PERDIX_KERNELS_QUALITY_ADM_H_
