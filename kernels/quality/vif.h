// SPDX-License-Identifier: BSD-2-Clause
// Visual information fidelity (VIF) at four scales. The GPU's:
// shaders/quality/vif_stat.comp and vif_down.comp.
#ifndef PERDIX_KERNELS_QUALITY_VIF_H_
#define PERDIX_KERNELS_QUALITY_VIF_H_

#include "kernels/quality/arena.h"
#include "kernels/quality/luma.h"
#include "kernels/shared/quality.h"

namespace perdix::quality {

void MeasureVif(const LumaPair& pair, Arena& arena,
                VifSums sums[PERDIX_QUALITY_SCALES]);
void MeasureVifSimd(const LumaPair& pair, Arena& arena,
                    VifSums sums[PERDIX_QUALITY_SCALES]);

}  // namespace perdix::quality

#endif  // PERDIX_KERNELS_QUALITY_VIF_H_
