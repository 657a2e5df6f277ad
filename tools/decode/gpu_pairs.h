// SPDX-License-Identifier: BSD-2-Clause
// Pairs of pictures that the GPU measures where they lie. Those that it does
// not reach are uploaded. When it cannot go on the CPU does, from the oldest
// pair on whose sums are not there.
#ifndef PERDIX_TOOLS_DECODE_GPU_PAIRS_H_
#define PERDIX_TOOLS_DECODE_GPU_PAIRS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "kernels/gpu/frame_input.h"
#include "kernels/status.h"
#include "kernels/vulkan/gpu.h"
#include "tools/decode/pair_meter.h"

namespace perdix::client {

class GpuPairs : public PairMeter {
 public:
  using MakeMeter = std::function<std::unique_ptr<PairMeter>()>;

  // The GPU outlives this, and decoded frames are its engine's. make_cpu: whom
  // the pairs go to when it fails.
  GpuPairs(vulkan::Gpu& gpu, MakeMeter make_cpu);

  void Add(Pair pair) override;
  bool IsFull() const override;
  size_t size() const override;
  Status Take(QualitySums* sums) override;
  std::string Cost() const override;

 private:
  Status Submit(const Pair& pair);
  // Where the GPU finds the frame, if need be in memory of its own.
  Status Find(const ShownFrame& frame, gpu::Picture* picture);
  // The GPU measures no more.
  void GiveUp(const Status& why);
  void AddToCpu(Pair pair);

  vulkan::Gpu& gpu_;
  const MakeMeter make_cpu_;
  const uint64_t bytes_read_before_;
  std::deque<Pair> pairs_;  // that the GPU has
  gpu::Picture reference_;  // of the pair that was submitted last
  std::unique_ptr<vulkan::GpuQuality> quality_;
  std::unique_ptr<PairMeter> cpu_;  // null until the GPU fails
  // In place of a pair behind the CPU's: it did not get the pictures.
  Status failure_;
  uint64_t measured_ = 0;     // pairs on the GPU
  uint64_t nanoseconds_ = 0;  // of them
  uint64_t bytes_read_ = 0;
};

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_DECODE_GPU_PAIRS_H_
