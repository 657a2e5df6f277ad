// SPDX-License-Identifier: BSD-2-Clause
// What a codec brings to the GPU, in kernels/vulkan/<codec>: which frames its
// shaders take, their pipelines, and what becomes of a frame's work lists.
#ifndef PERDIX_KERNELS_VULKAN_GPU_CODEC_H_
#define PERDIX_KERNELS_VULKAN_GPU_CODEC_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/pipelines.h"
#include "kernels/vulkan/recorder.h"
#include "kernels/vulkan/staging.h"

namespace perdix::vulkan {

// Records one frame after the other, and keeps memory from frame to frame.
class CodecRecorder {
 public:
  virtual ~CodecRecorder() = default;

  // Whether the input has the lists and tables that <stages> read, of the sizes
  // that belong to the frame: kInvalidArgument. Nothing is kept.
  virtual Status Check(const GpuFrameInput& input,
                       std::span<const KernelId> stages) const = 0;

  // Takes all that <stages> need of the lists and tables into <staging>, in the
  // order in which shaders want it; they are not read later. Fails with
  // kMissingReference, and as Staging::Reserve.
  virtual Status Set(const GpuFrameInput& input,
                     std::span<const KernelId> stages, Staging* staging) = 0;

  // ---- of the frame of the last Set ----

  // What PERDIX_BINDING_SCRATCH must hold; 0: no shader reads or writes it.
  virtual VkDeviceSize scratch_bytes() const = 0;
  // stage: one of those. input: the same.
  virtual void Record(KernelId stage, const GpuFrameInput& input,
                      Recorder* recorder) const = 0;
};

struct GpuCodec {
  // Its kernels, which are neighbours in the table.
  KernelId first_kernel;
  KernelId last_kernel;
  // kUnsupported with the field, what was got and what is needed.
  Status (*check_params)(const FrameParams& params);
  std::vector<PipelineDescription> (*pipelines)(const Device& device);
  // first_pipeline: index of the first of its pipelines.
  std::unique_ptr<CodecRecorder> (*make_recorder)(PipelineIndex first_pipeline);
};

// All there are.
std::span<const GpuCodec> GpuCodecs();

// Index in GpuCodecs of the codec that the kernel belongs to; none: it has no
// shaders.
std::optional<size_t> GpuCodecOf(KernelId kernel);

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_GPU_CODEC_H_
