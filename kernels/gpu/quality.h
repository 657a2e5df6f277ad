// SPDX-License-Identifier: BSD-2-Clause
// Picture quality (kernels/quality) on the GPU: all the work on a pair of
// pictures, as data. shaders/quality has the programs.
#ifndef PERDIX_KERNELS_GPU_QUALITY_H_
#define PERDIX_KERNELS_GPU_QUALITY_H_

#include <cstdint>
#include <vector>

#include "kernels/gpu/frame_input.h"
#include "kernels/gpu/program.h"
#include "kernels/gpu/work.h"
#include "kernels/quality/quality.h"
#include "kernels/shared/quality_dispatch.h"
#include "kernels/status.h"

namespace perdix::gpu {

// A pair to compare, as perdix::QualityInput. Pictures are read where they lie.
struct QualityInput {
  Picture reference;
  Picture decoded;
  Picture previous;  // without memory: none
  bool limit_gain = false;
  uint32_t features = kAllQualityFeatures;
};

// Steps of a pair, each of which is a stage (EndOfStage) that waits for the one
// before: five of dispatches side by side, and the reduction to QualitySums.
inline constexpr uint32_t kQualitySteps = 6;

// Whether there are shaders for such pictures and whether they fit each other
// and their memory. max_range as CheckInput's (input_check.h).
Status CheckQualityInput(const QualityInput& input, uint64_t max_range);

// All that QualityWork may dispatch for pictures of such bit depth.
std::vector<Program> QualityPrograms(const DeviceTraits& traits,
                                     uint32_t bit_depth);

class QualityWork {
 public:
  explicit QualityWork(const DeviceTraits& traits) : traits_(traits) {}

  // Makes the work of a pair that CheckQualityInput allows. All its dispatches
  // have the same Bindings; kernels/shared/quality_dispatch.h says what is
  // bound. Fails with kUnsupported where a shader cannot see all the scratch
  // memory that the pair needs.
  Status Build(const QualityInput& input, uint64_t max_range);
  const Work& work() const { return work_; }

 private:
  const DeviceTraits traits_;
  Work work_;
};

}  // namespace perdix::gpu

#endif  // PERDIX_KERNELS_GPU_QUALITY_H_
