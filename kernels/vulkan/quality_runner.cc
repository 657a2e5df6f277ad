// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/quality_runner.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <iterator>

#include "kernels/quality/vif_logs.h"
#include "kernels/vulkan/commands.h"
#include "kernels/vulkan/executor.h"

namespace perdix::vulkan {
namespace {

VkDescriptorBufferInfo Whole(const Buffer& buffer) {
  return {buffer.handle.get(), 0, VK_WHOLE_SIZE};
}

VkDescriptorBufferInfo Whole(const gpu::Picture& picture) {
  return Whole(MemoryOf(*picture.memory).buffer());
}

// Copies a plane's rows one behind the other.
void CopyPlane(const Plane& plane, size_t row_bytes, uint32_t stride,
               uint8_t* to) {
  for (uint32_t y = 0; y < plane.height; ++y) {
    std::memcpy(to + size_t{y} * stride, plane.Row<uint8_t>(y), row_bytes);
  }
}

}  // namespace

// ---- a pair ----

Status QualityPair::Submit(const gpu::QualityInput& input, const Buffer& logs) {
  if (queue_.lost()) return {StatusCode::kDeviceLost, "the GPU is lost"};
  const uint64_t most = device_.properties.limits.maxStorageBufferRange;
  if (Status status = gpu::CheckQualityInput(input, most); !status.ok()) {
    return status;
  }
  if (Status status = work_.Build(input, most); !status.ok()) return status;
  if (Status status = MakeReady(input.reference.view.bit_depth); !status.ok()) {
    return status;
  }
  if (Status status = Prepare(input, logs); !status.ok()) return status;
  if (Status status = Record(); !status.ok()) return status;
  Keep(input);
  done_ = false;
  const Status status = queue_.Submit(
      commands_, [this](const Status& outcome) { Finish(outcome); });
  if (!status.ok()) memories_ = {};
  return status;
}

Status QualityPair::MakeReady(uint32_t bit_depth) {
  const ProgramGroup group = QualityGroupOf(bit_depth);
  groups_.fill(group);
  programs_.Prepare(group);
  programs_.Wait(group);
  return programs_.status(group);
}

Status QualityPair::Open() {
  if (commands_ != VK_NULL_HANDLE) return Status::Ok();
  if (Status status = timestamps_.Open(); !status.ok()) return status;
  if (Status status = sets_.Open(programs_.set_layout()); !status.ok()) {
    return status;
  }
  if (Status status = MakeBuffer(device_, sizeof(QualitySums),
                                 MemoryUse::kReadback, "quality", &sums_);
      !status.ok()) {
    return status;
  }
  return MakeCommands(device_, &command_pool_, &commands_);
}

// All that the command buffer names.
Status QualityPair::Prepare(const gpu::QualityInput& input,
                            const Buffer& logs) {
  if (Status status = Open(); !status.ok()) return status;
  if (Status status = Reserve(); !status.ok()) return status;
  Bind(input, logs);
  return Status::Ok();
}

Status QualityPair::Reserve() {
  const auto reserve = [&](size_t bytes, const char* name, Buffer* buffer) {
    if (buffer->size > 0 && bytes <= buffer->size) return Status::Ok();
    return MakeBuffer(device_, bytes, MemoryUse::kDevice, name, buffer);
  };
  for (uint32_t i = 0; i < planes_.size(); ++i) {
    const Status status =
        reserve(work_.plane_bytes(i), "planes of quality", &planes_[i]);
    if (!status.ok()) return status;
  }
  return reserve(work_.work().partials() * sizeof(uint64_t),
                 "partial sums of quality", &partials_);
}

void QualityPair::Bind(const gpu::QualityInput& input, const Buffer& logs) {
  const auto own = [&](gpu::QualityBuffer buffer) {
    switch (buffer) {
      case gpu::QualityBuffer::kPlanes0:
        return Whole(planes_[0]);
      case gpu::QualityBuffer::kPlanes1:
        return Whole(planes_[1]);
      case gpu::QualityBuffer::kPrevious:
        if (input.previous.memory != nullptr) return Whole(input.previous);
        [[fallthrough]];  // no program reads it
      case gpu::QualityBuffer::kNone:
      case gpu::QualityBuffer::kSums:
        break;
    }
    return Whole(sums_);
  };
  DescriptorSets::BufferInfos buffers;
  buffers.fill(Whole(sums_));  // no program reads the uniform buffers
  buffers[PERDIX_BINDING_TARGET] = Whole(input.decoded);
  buffers[PERDIX_BINDING_REFERENCE] = Whole(input.reference);
  buffers[PERDIX_BINDING_LOGS] = Whole(logs);
  buffers[PERDIX_BINDING_PARTIALS] = Whole(partials_);
  sets_.Clear();
  for (uint8_t i = 0; i < std::size(gpu::kQualityBuffers); ++i) {
    buffers[PERDIX_BINDING_PLANES_IN] = own(gpu::kQualityBuffers[i].in);
    buffers[PERDIX_BINDING_PLANES_OUT] = own(gpu::kQualityBuffers[i].out);
    sets_.Add({.quality = i}, buffers);
  }
}

Status QualityPair::Record() {
  return Executor(device_, commands_, programs_, sets_, timestamps_)
      .Record(command_pool_.get(), work_.work(), groups_);
}

// The memory must live until the pair is done, and what the CPU wrote there
// must be seen.
void QualityPair::Keep(const gpu::QualityInput& input) {
  memories_ = {input.reference.memory, input.decoded.memory,
               input.previous.memory};
  for (const gpu::MemoryPtr& memory : memories_) {
    if (memory != nullptr) Flush(device_, MemoryOf(*memory).buffer());
  }
}

void QualityPair::Finish(const Status& status) {
  // Notifies while it holds the lock: Take's caller may destroy this.
  const std::lock_guard lock(mutex_);
  status_ = status;
  done_ = true;
  changed_.notify_one();
}

Status QualityPair::Take(GpuQualityResult* result) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_; });
  memories_ = {};
  if (!status_.ok()) return status_;
  Invalidate(device_, sums_);
  std::memcpy(&result->sums, sums_.data, sizeof(result->sums));
  GpuFrameResult times;
  timestamps_.Read(gpu::kQualitySteps, false, &times);
  std::copy_n(times.nanoseconds.begin(), gpu::kQualitySteps,
              result->nanoseconds.begin());
  return Status::Ok();
}

// ---- all pairs ----

QualityRunner::~QualityRunner() {
  while (pending_ > 0) {
    GpuQualityResult unused;
    (void)Take(&unused);
  }
}

Status QualityRunner::Submit(const gpu::QualityInput& input) {
  assert(pending_ < kPairsInFlight);
  if (Status status = MakeLogs(); !status.ok()) return status;
  QualityPair& next = pairs_[(first_ + pending_) % kPairsInFlight];
  if (Status status = next.Submit(input, logs_); !status.ok()) return status;
  ++pending_;
  return Status::Ok();
}

Status QualityRunner::Take(GpuQualityResult* result) {
  assert(pending_ > 0);
  QualityPair& oldest = pairs_[first_];
  first_ = (first_ + 1) % kPairsInFlight;
  --pending_;
  if (Status status = oldest.Take(result); !status.ok()) return status;
  bytes_read_ += sizeof(result->sums);
  return Status::Ok();
}

Status QualityRunner::MakeLogs() {
  if (logs_.size > 0) return Status::Ok();
  constexpr size_t kBytes = PERDIX_VIF_LOGS * sizeof(uint16_t);
  if (Status status = MakeBuffer(device_, kBytes, MemoryUse::kStaging,
                                 "logarithms", &logs_);
      !status.ok()) {
    return status;
  }
  std::memcpy(logs_.data, quality::VifLogs(), kBytes);
  return Status::Ok();
}

Status QualityRunner::Upload(const PictureView& picture,
                             gpu::Picture* uploaded) {
  constexpr uint32_t kAlignment = 16;  // of PlaneOffsets
  const uint32_t sample = picture.bit_depth > 8 ? 2 : 1;
  const Plane& luma = picture.planes[kLuma];
  const Plane& chroma = picture.planes[kChroma];
  const auto stride = [](uint32_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  };
  PlaneOffsets offsets = {};
  offsets.luma_stride = stride(luma.width * sample);
  offsets.chroma_stride = stride(chroma.width * 2 * sample);
  offsets.chroma_offset = offsets.luma_stride * luma.height;
  std::shared_ptr<Memory> memory;
  if (Status status = TakeMemory(
          offsets.chroma_offset + size_t{offsets.chroma_stride} * chroma.height,
          &memory);
      !status.ok()) {
    return status;
  }
  uint8_t* const data = memory->buffer().data;
  CopyPlane(luma, size_t{luma.width} * sample, offsets.luma_stride, data);
  CopyPlane(chroma, size_t{chroma.width} * 2 * sample, offsets.chroma_stride,
            data + offsets.chroma_offset);
  *uploaded = {picture, offsets, std::move(memory)};
  return Status::Ok();
}

Status QualityRunner::TakeMemory(size_t size, std::shared_ptr<Memory>* memory) {
  for (const std::shared_ptr<Memory>& made : uploads_) {
    if (made.use_count() == 1 && made->size() == size) {
      *memory = made;
      return Status::Ok();
    }
  }
  std::erase_if(uploads_, [&](const std::shared_ptr<Memory>& made) {
    return made->size() != size;  // of pictures of another size
  });
  Buffer buffer;
  if (Status status = MakeBuffer(device_, size, MemoryUse::kStaging,
                                 "uploaded picture", &buffer);
      !status.ok()) {
    return status;
  }
  uploads_.push_back(
      std::make_shared<Memory>(std::move(buffer), size, false, nullptr));
  *memory = uploads_.back();
  return Status::Ok();
}

}  // namespace perdix::vulkan
