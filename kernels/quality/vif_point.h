// SPDX-License-Identifier: BSD-2-Clause
// VIF of one neighbourhood: from variances to the sums.
#ifndef PERDIX_KERNELS_QUALITY_VIF_POINT_H_
#define PERDIX_KERNELS_QUALITY_VIF_POINT_H_

#include <algorithm>
#include <cstdint>

#include "kernels/quality/vif_logs.h"
#include "kernels/shared/quality.h"

namespace perdix::quality {

struct VifVariances {
  int32_t reference;
  int32_t decoded;  // not negative
  int32_t covariance;
};

// How a decoded neighbourhood divides: what its reference explains of its
// variance, and the rest.
struct VifParts {
  uint64_t explained;
  int64_t rest;
};

// Both the reference and the covariance are above 0. With g = covariance /
// (reference + epsilon): rest = decoded - g covariance, explained = min(g,
// gain_limit)^2 reference, both rounded down. The epsilon of 6.5536e-6 counts
// only where a quotient is whole without it.
inline VifParts DivideVariance(const VifVariances& v, int gain_limit) {
  const uint64_t reference = static_cast<uint64_t>(v.reference);
  const uint64_t covariance = static_cast<uint64_t>(v.covariance);
  const uint64_t quotient = covariance * covariance / reference;
  const uint64_t remainder = covariance * covariance - quotient * reference;
  const uint64_t shares = quotient * PERDIX_VIF_EPSILON;
  const uint64_t share = shares >> (32 + PERDIX_VIF_EPSILON_SHIFT);
  const uint64_t double_share = shares >> (31 + PERDIX_VIF_EPSILON_SHIFT);
  const uint64_t limit = static_cast<uint64_t>(gain_limit);
  VifParts parts;
  parts.rest = std::max<int64_t>(0, v.decoded - static_cast<int64_t>(quotient) -
                                        (remainder > share ? 1 : 0));
  if (covariance > limit * reference) {
    parts.explained = limit * limit * reference;
  } else {
    parts.explained = remainder > double_share ? quotient : quotient - 1;
  }
  return parts;
}

inline void AddVifPoint(const VifVariances& v, int gain_limit,
                        const uint16_t* logs, VifSums& sums) {
  if (v.reference < PERDIX_VIF_NOISE) {
    sums.num_non += v.decoded;
    sums.den_non += 1;
    return;
  }
  sums.den_log += VifLog(logs, uint64_t(v.reference) + PERDIX_VIF_NOISE) -
                  PERDIX_VIF_NOISE_LOG;
  if (v.covariance <= 0 || v.decoded <= 0) return;
  const VifParts parts = DivideVariance(v, gain_limit);
  const uint64_t noise = static_cast<uint64_t>(parts.rest) + PERDIX_VIF_NOISE;
  sums.num_log += VifLog(logs, noise + parts.explained) - VifLog(logs, noise);
}

}  // namespace perdix::quality

#endif  // PERDIX_KERNELS_QUALITY_VIF_POINT_H_
