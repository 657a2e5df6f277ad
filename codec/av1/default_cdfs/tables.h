// SPDX-License-Identifier: BSD-2-Clause
// The default CDFs (9.3), with counters of 0. For cdf.cc.
#ifndef PERDIX_CODEC_AV1_DEFAULT_CDFS_TABLES_H_
#define PERDIX_CODEC_AV1_DEFAULT_CDFS_TABLES_H_

#include "codec/av1/cdf.h"

namespace perdix::av1 {

// All but the coefficients', which are 0.
extern const CdfContext kDefaultCdfs;
// By the index of init_coeff_cdfs.
extern const CoefficientCdfs kDefaultCoefficientCdfs[4];

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_DEFAULT_CDFS_TABLES_H_
