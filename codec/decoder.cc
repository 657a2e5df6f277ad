// SPDX-License-Identifier: BSD-2-Clause
#include "codec/decoder.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "codec/scheduler.h"
#include "codec/thread_pool.h"

namespace perdix {
namespace {

int ThreadCount(int wanted) {
  if (wanted > 0) return wanted;
  return int(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

Engine::Engine(const EngineOptions& options)
    : pool_(std::make_unique<ThreadPool>(ThreadCount(options.threads))),
      recipe_(options.recipe) {
  if (!options.measure) return;
  clocks_ = std::make_unique<StageClocks>();
  clocks_->kernels =
      std::make_unique<std::atomic<uint64_t>[]>(KernelTable().size());
}

Engine::~Engine() = default;

int Engine::threads() const { return pool_->size(); }

std::vector<StageTime> Engine::StageTimes() const {
  std::vector<StageTime> times;
  if (clocks_ == nullptr) return times;
  times.push_back({"entropy", "cpu", clocks_->entropy.load()});
  const auto table = KernelTable();
  for (size_t i = 0; i < table.size(); ++i) {
    times.push_back({table[i].key, VariantName(recipe_.variant(KernelId(i))),
                     clocks_->kernels[i].load()});
  }
  return times;
}

Decoder::Decoder(Engine& engine, const CodecRow& codec)
    : scheduler_(std::make_unique<Scheduler>(engine, codec)) {}

Decoder::~Decoder() = default;

void Decoder::Submit(FrameRequest request) {
  scheduler_->Submit(std::move(request));
}

void Decoder::Drain() { scheduler_->Drain(); }

}  // namespace perdix
