// SPDX-License-Identifier: BSD-2-Clause
// Picture quality (kernels/quality) on the GPU: all the work on a pair of
// pictures, as data. shaders/quality has the programs.
#ifndef PERDIX_KERNELS_GPU_QUALITY_H_
#define PERDIX_KERNELS_GPU_QUALITY_H_

#include <array>
#include <cstddef>
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

// Planes that a step leaves are read in the next one only. So two buffers of
// planes take turns, and what is read is never in the buffer that is written.
enum class QualityBuffer : uint8_t {
  kNone,
  kPrevious,
  kPlanes0,
  kPlanes1,
  kSums
};
struct QualityBuffers {
  QualityBuffer in;   // PERDIX_BINDING_PLANES_IN
  QualityBuffer out;  // PERDIX_BINDING_PLANES_OUT
};
// By Bindings::quality.
inline constexpr QualityBuffers kQualityBuffers[] = {
    {QualityBuffer::kPrevious, QualityBuffer::kPlanes0},  // the first step
    {QualityBuffer::kPlanes0, QualityBuffer::kPlanes1},
    {QualityBuffer::kPlanes1, QualityBuffer::kPlanes0},
    {QualityBuffer::kNone, QualityBuffer::kSums}};  // the last step

// Whether there are shaders for such pictures and whether they fit each other
// and their memory. max_range as CheckInput's (input_check.h).
Status CheckQualityInput(const QualityInput& input, uint64_t max_range);

// All that QualityWork may dispatch for pictures of such bit depth.
std::vector<Program> QualityPrograms(const DeviceTraits& traits,
                                     uint32_t bit_depth);

class QualityWork {
 public:
  explicit QualityWork(const DeviceTraits& traits) : traits_(traits) {}

  // Makes the work of a pair that CheckQualityInput allows;
  // kernels/shared/quality_dispatch.h says what is bound. Fails with
  // kUnsupported where a shader cannot see all the planes that the pair needs.
  Status Build(const QualityInput& input, uint64_t max_range);
  const Work& work() const { return work_; }
  // What kPlanes0 and kPlanes1 hold at least.
  size_t plane_bytes(uint32_t buffer) const { return plane_bytes_[buffer]; }

 private:
  const DeviceTraits traits_;
  Work work_;
  std::array<size_t, 2> plane_bytes_ = {};
};

}  // namespace perdix::gpu

#endif  // PERDIX_KERNELS_GPU_QUALITY_H_
