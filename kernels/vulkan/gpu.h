// SPDX-License-Identifier: BSD-2-Clause
// A GPU as the scheduler, the sessions and the tools see it: memory of
// pictures, and the GPU stages of one frame, recorded into one command buffer,
// submitted once, and reported when they are done. No Vulkan type appears here,
// and no other part of perdix calls Vulkan.
#ifndef PERDIX_KERNELS_VULKAN_GPU_H_
#define PERDIX_KERNELS_VULKAN_GPU_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/gpu/frame_input.h"
#include "kernels/gpu/quality.h"
#include "kernels/kernel.h"
#include "kernels/luma_sums.h"
#include "kernels/shared/dispatch.h"
#include "kernels/status.h"
#include "kernels/vulkan/gpu_identity.h"

namespace perdix::vulkan {

struct GpuOptions {
  // Wrong on purpose, for tests.
  struct TestHooks {
    // The device is lost while it works on this submit, counted from 1; 0:
    // never.
    uint64_t lose_at_submit = 0;
    bool refuse_dma_bufs = false;  // every one
    uint32_t max_workgroups = 0;   // of a dispatch, in x; 0: the device's
  };

  // A part of the device's name as Vulkan gives it; or the path of its render
  // node, of which there may be links (/dev/dri/by-path); empty: a discrete
  // GPU, else an integrated one, else one that is a CPU.
  std::string device;
  // Where compiled pipelines are kept between runs; empty: nowhere. A file that
  // is damaged or another driver's is replaced.
  std::string cache_file;
  // With the Khronos validation layer, which must be there: its warnings and
  // errors go to stderr and are counted.
  bool validate = false;
  TestHooks test_hooks = {};
  // A cache_file that is of no use. From the Gpu's own thread; may be null.
  std::function<void(const std::string&)> notice = {};
  // All programs that were asked for frames of one kind are compiled, such as
  // "AV1 of 10 bit". From the Gpu's own thread; may be null.
  std::function<void(const std::string& frames)> compiled = {};
};

struct GpuFrameResult {
  // kDeviceLost: nothing that was written may be trusted.
  Status status;
  // By position in the stages: time on the GPU (0 where it has no timestamps),
  // and PictureChecksum of the picture that the stage wrote, if asked for; then
  // the time is that of both.
  std::array<uint64_t, kMaxStages> nanoseconds = {};
  std::array<uint64_t, kMaxStages> checksums = {};
  // By stage: how often it waits for dispatches before, of its own or of the
  // stage before. What that costs is the least that the stage can take.
  std::array<uint32_t, kMaxStages> steps = {};
  std::array<uint32_t, kMaxStages> dispatches = {};  // by stage
  // When the first stage began, in nanoseconds of CLOCK_MONOTONIC; each later
  // one begins where the one before ends. 0: not asked for, or the device has
  // no VK_EXT_calibrated_timestamps.
  uint64_t begun = 0;
  LumaSums luma;  // if asked for
};

// The command buffer, staging memory and descriptors of one frame in flight;
// used for one frame after the other.
class GpuFrame {
 public:
  virtual ~GpuFrame() = default;

  // Makes the work of <stages> (of one codec, neighbours in its order, each at
  // most once), writes what it reads into staging memory and records it.
  // Params, lists and tables are read here only; of the pictures only where
  // they lie, and their memory is kept alive until done or the next Prepare.
  // Takes the CPU time of that, never waits for the GPU. Fails with
  // kUnsupported (this frame cannot run here, or not until Ready()),
  // kInvalidArgument (no stage, or too many; a picture does not fit its memory;
  // a table is not the frame's), kMissingReference, kOutOfMemory, kDeviceLost.
  virtual Status Prepare(const gpu::FrameInput& input,
                         std::span<const KernelId> stages) = 0;
  // Submits what the last Prepare, which succeeded, has made: at most once. The
  // pictures belong to the GPU from here until done. Whatever any earlier
  // Submit of the same Gpu wrote is there for the stages to read, and so is
  // what the CPU has written. done(result) is called exactly once, from the
  // Gpu's own thread, in the order of the Submits; it must return soon, and may
  // prepare this frame again. When the Status returned is not ok nothing was
  // submitted and done is not called: kOutOfMemory, kDeviceLost.
  virtual Status Submit(std::function<void(const GpuFrameResult&)> done) = 0;
};

struct GpuQualityResult {
  QualitySums sums;
  // Time on the GPU by step; 0 where it has no timestamps.
  std::array<uint64_t, gpu::kQualitySteps> nanoseconds = {};
};

// Compares pairs of pictures, one after the other: each is one submit, of which
// the host reads the sums alone. One thread uses it. Nothing is made or
// compiled before the first pair.
class GpuQuality {
 public:
  static constexpr uint32_t kPairsInFlight = 2;
  virtual ~GpuQuality() = default;  // waits for what is pending

  // Copies a picture of the host's to where Submit reads it. The memory is used
  // for another one when the caller and all pairs have let it go.
  virtual Status Upload(const PictureView& picture, gpu::Picture* uploaded) = 0;

  // Begins with a pair, after all that was submitted to this Gpu before;
  // kPairsInFlight may be pending. Pictures lie in memory of this Gpu, which is
  // kept until the pair is taken and must not be written until then. The first
  // pair of a bit depth waits until its programs are compiled. Fails with
  // kInvalidArgument or kUnsupported, as gpu::CheckQualityInput, with
  // kOutOfMemory, or with kDeviceLost.
  virtual Status Submit(const gpu::QualityInput& input) = 0;
  // Waits for the oldest pending pair, and takes it. Fails with kDeviceLost.
  virtual Status Take(GpuQualityResult* result) = 0;
  virtual uint32_t pending() const = 0;

  // Bytes that the host has read of what the GPU wrote.
  virtual uint64_t bytes_read() const = 0;
};

// What the GPU costs before it does anything, in nanoseconds of wall time;
// medians.
struct GpuOverheads {
  uint64_t empty_submit = 0;  // submit an empty command buffer and wait
  uint64_t dispatch = 0;      // of a no-op, one of many in a command buffer
  uint64_t barrier = 0;       // between two such dispatches
};

// A device that is there.
struct GpuDescription : GpuIdentity {
  Status usable;  // or what it misses
};

class Gpu {
 public:
  // Fails with kUnsupported, naming the device and the limit (got, needed) or
  // feature that is missing, or that there is no device (of that name).
  static Status Open(const GpuOptions& options, std::unique_ptr<Gpu>* gpu);
  // The devices that options.device names, in the order in which Open tries
  // them.
  static std::vector<GpuDescription> List(const GpuOptions& options);
  virtual ~Gpu() = default;  // every frame, memory and Submit must be gone

  virtual const GpuIdentity& identity() const = 0;
  const std::string& name() const { return identity().name; }

  // Whether the kernel's programs for such frames are compiled. The first who
  // asks has them compiled, in the background.
  virtual bool Ready(KernelId kernel, const FrameParams& params) = 0;
  virtual void WaitReady(KernelId kernel, const FrameParams& params) = 0;
  virtual bool compiling() const = 0;  // what was asked for
  virtual bool lost() const = 0;       // sticky
  // Its node is gone: lost() from now on, before a submit has to find out.
  virtual void MarkRemoved() = 0;
  virtual uint64_t validation_messages() const = 0;

  // Whether the kernel can run on frames of these params: bit depth,
  // subsampling.
  virtual bool Supports(KernelId kernel, const FrameParams& params) const = 0;

  // The dma-buf's memory, not a copy. fd is only read from. Fails with
  // kUnsupported, saying why, when the device will not have it.
  virtual Status ImportDmaBuf(int fd, size_t size, gpu::MemoryPtr* memory) = 0;
  // kDevice: the fastest the device has, for pictures that no CPU stage ever
  // touches. kShared: cached memory of the host.
  enum class Placement { kDevice, kShared };
  virtual Status Allocate(size_t size, Placement placement,
                          gpu::MemoryPtr* memory) = 0;
  // Copies from memory of any kind, on the GPU where that is faster. Waits.
  virtual Status Read(const gpu::Memory& memory, size_t offset,
                      std::span<uint8_t> bytes) = 0;
  // Bytes that all calls of Read have read.
  virtual uint64_t bytes_read() const = 0;
  // The other way round. No submitted frame may use the memory.
  virtual Status Write(gpu::Memory& memory, size_t offset,
                       std::span<const uint8_t> bytes) = 0;

  // Takes a while, and is true of an idle GPU only.
  virtual Status MeasureOverheads(GpuOverheads* overheads) = 0;

  virtual std::unique_ptr<GpuFrame> NewFrame() = 0;
  virtual std::unique_ptr<GpuQuality> NewQuality() = 0;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_GPU_H_
