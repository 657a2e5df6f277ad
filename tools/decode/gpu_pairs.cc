// SPDX-License-Identifier: BSD-2-Clause
#include "tools/decode/gpu_pairs.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <new>
#include <numeric>
#include <utility>

#include "client/inprocess/engine_backend.h"
#include "tools/decode/options.h"

namespace perdix::client {
namespace {

// Brings the pixels to where the CPU reads them.
Status ReadBack(ShownFrame& frame) {
  if (frame.decoded == nullptr) return Status::Ok();
  try {
    return ReadBack(*frame.decoded, &frame.image);
  } catch (const std::bad_alloc&) {
    return {StatusCode::kOutOfMemory, "no memory for a copy"};
  }
}

}  // namespace

GpuPairs::GpuPairs(vulkan::Gpu& gpu, MakeMeter make_cpu)
    : gpu_(gpu),
      make_cpu_(std::move(make_cpu)),
      bytes_read_before_(gpu.bytes_read()),
      quality_(gpu.NewQuality()) {}

bool GpuPairs::IsFull() const {
  if (cpu_ != nullptr) return !failure_.ok() || cpu_->IsFull();
  return pairs_.size() == vulkan::GpuQuality::kPairsInFlight;
}

size_t GpuPairs::size() const {
  if (cpu_ == nullptr) return pairs_.size();
  return cpu_->size() + (failure_.ok() ? 0 : 1);
}

void GpuPairs::Add(Pair pair) {
  if (cpu_ != nullptr) return AddToCpu(std::move(pair));
  const Status status = Submit(pair);
  pairs_.push_back(std::move(pair));
  if (!status.ok()) GiveUp(status);
}

Status GpuPairs::Submit(const Pair& pair) {
  gpu::QualityInput input;
  Status status = Find(pair.reference, &input.reference);
  if (status.ok()) status = Find(pair.decoded, &input.decoded);
  if (!status.ok()) return status;
  if (pair.previous.owner != nullptr) input.previous = reference_;
  input.limit_gain = pair.limit_gain;
  input.features = pair.features;
  reference_ = input.reference;
  return quality_->Submit(input);
}

Status GpuPairs::Find(const ShownFrame& frame, gpu::Picture* picture) {
  if (frame.decoded != nullptr) {
    *picture = InGpuMemory(*frame.decoded);
    if (picture->memory != nullptr) return Status::Ok();
  }
  return quality_->Upload(frame.image.view, picture);
}

Status GpuPairs::Take(QualitySums* sums) {
  if (cpu_ == nullptr) {
    vulkan::GpuQualityResult result;
    const Status status = quality_->Take(&result);
    if (status.ok()) {
      pairs_.pop_front();
      ++measured_;
      nanoseconds_ = std::accumulate(result.nanoseconds.begin(),
                                     result.nanoseconds.end(), nanoseconds_);
      bytes_read_ = quality_->bytes_read();
      *sums = result.sums;
      return status;
    }
    GiveUp(status);
  }
  return cpu_->size() > 0 ? cpu_->Take(sums) : failure_;
}

void GpuPairs::GiveUp(const Status& why) {
  PrintError(why.message() + ": the CPU measures");
  quality_ = nullptr;
  reference_ = {};
  cpu_ = make_cpu_();
  for (Pair& pair : std::exchange(pairs_, {})) AddToCpu(std::move(pair));
}

void GpuPairs::AddToCpu(Pair pair) {
  if (!failure_.ok()) return;
  for (ShownFrame* const frame :
       {&pair.reference, &pair.decoded, &pair.previous}) {
    Status status = ReadBack(*frame);
    if (status.ok()) continue;
    failure_ = {
        status.code(),
        "a picture in the GPU's memory cannot be read: " + status.message()};
    return;
  }
  cpu_->Add(std::move(pair));
}

std::string GpuPairs::Cost() const {
  constexpr double kNanosecondsPerMillisecond = 1e6;
  const double milliseconds = double(nanoseconds_) / kNanosecondsPerMillisecond;
  char text[128];
  std::snprintf(
      text, sizeof(text),
      "pairs on the GPU %" PRIu64 ", ms each %.3f, bytes read %" PRIu64,
      measured_, milliseconds / double(std::max(measured_, uint64_t{1})),
      bytes_read_ + gpu_.bytes_read() - bytes_read_before_);
  return text;
}

}  // namespace perdix::client
