// SPDX-License-Identifier: BSD-2-Clause
#include "measure/gpu_probe/cases.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

namespace perdix::probe {
namespace {

constexpr uint32_t kNever = 0xfedcba98;
constexpr uint32_t kLanes = 16;  // of a subgroup
constexpr size_t kLineBytes = 64;
// What loads and stores go through: much less than any cache of level 2.
constexpr uint32_t kAccessedBytes = 64 << 10;

// ---- the list ----

Work MakeWork(const std::string& shader, uint32_t lanes, uint32_t groups,
              uint32_t iterations) {
  Work work;
  work.shader = shader;
  work.lanes = lanes;
  work.groups = groups;
  work.constants = {iterations, 0x5a5a5a5a, kNever, 0x12345};
  return work;
}

void AddOverheads(std::vector<Case>& cases) {
  Work work = MakeWork("noop", kLanes, 1, 0);
  work.dispatches = 0;
  cases.push_back({"submit", work});
  for (const bool barriers : {false, true}) {
    for (const uint32_t dispatches : {1u, 10u, 100u, 1000u}) {
      work.dispatches = dispatches;
      work.barriers = barriers;
      cases.push_back({"dispatches", work});
    }
  }
}

// Many workgroups and one, each with a short and a long loop: the differences
// are the cost of a workgroup, and of an iteration.
void AddArithmetic(const Sizes& sizes, std::vector<Case>& cases) {
  const uint32_t most = std::max(2u, sizes.iterations / 100);
  for (const uint32_t lanes : {16u, 32u, 64u, 128u, 192u, 256u}) {
    for (const uint32_t groups : {1u, sizes.groups}) {
      for (const uint32_t iterations : {1u, most}) {
        cases.push_back(
            {"arithmetic", MakeWork("arithmetic", lanes, groups, iterations)});
      }
    }
  }
  for (const uint32_t lanes : {16u, 256u}) {
    cases.push_back(
        {"arithmetic", MakeWork("arithmetic", lanes, 1, sizes.iterations)});
  }
}

// A short and a long loop of one workgroup.
void AddLoops(const Case& of, uint32_t iterations, std::vector<Case>& cases) {
  for (const uint32_t count : {iterations / 4, iterations}) {
    cases.push_back(of);
    cases.back().work.constants.iterations = count;
  }
}

void AddAccesses(const Sizes& sizes, std::vector<Case>& cases) {
  for (const size_t bytes : sizes.chain_bytes) {
    AddLoops({"load_chain", MakeWork("load_chain", kLanes, 1, 0), bytes},
             sizes.iterations, cases);
  }
  for (const std::string kind : {"loads", "stores"}) {
    for (const uint32_t words : {1u, 2u, 4u}) {
      const std::string name = kind + "_" + std::to_string(words);
      Work work = MakeWork(name, 256, 1, 0);
      work.constants.mask = kAccessedBytes / 4 / words - 1;
      AddLoops({name, work}, sizes.iterations, cases);
    }
  }
  Work work = MakeWork("store_wait", kLanes, 1, 0);
  work.constants.mask = kAccessedBytes / 4 - 1;
  AddLoops({"store_wait", work}, sizes.iterations, cases);
}

void AddCopies(const Sizes& sizes, std::vector<Case>& cases) {
  constexpr size_t kLaneBytes = 4 * 16;  // an iteration's
  for (const bool beside_cpu : {false, true}) {
    for (const uint32_t lanes : {16u, 256u}) {
      const size_t group_bytes = kLaneBytes * lanes * sizes.copied_iterations;
      const auto groups =
          static_cast<uint32_t>(sizes.copied_bytes / group_bytes);
      cases.push_back({"copy",
                       MakeWork("copy", lanes, groups, sizes.copied_iterations),
                       sizes.copied_bytes, beside_cpu});
    }
  }
}

// ---- what surrounds a case ----

// Each line leads to another one, once through all of them and back; lanes keep
// their place in the line. The same order in each run.
void WriteChain(size_t bytes, uint32_t* next) {
  constexpr uint32_t kWords = kLineBytes / 4;
  std::vector<uint32_t> lines(bytes / kLineBytes);
  std::iota(lines.begin(), lines.end(), 0);
  std::mt19937 random(1);
  std::shuffle(lines.begin(), lines.end(), random);
  for (size_t i = 0; i < lines.size(); ++i) {
    const uint32_t from = lines[i] * kWords;
    const uint32_t to = lines[(i + 1) % lines.size()] * kWords;
    for (uint32_t lane = 0; lane < kWords; ++lane) {
      next[from + lane] = to + lane;
    }
  }
}

// Whether a case's time is that of the CPU, though the GPU has timestamps.
bool IsWallTime(const Case& of) {
  return of.name == "submit" || of.name == "dispatches";
}

// Threads that copy memory of their own, from Open to the end.
class CpuCopies {
 public:
  explicit CpuCopies(int threads) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this] { Copy(); });
    }
    while (copied_ < size_t(threads) * kBytes) std::this_thread::yield();
  }
  ~CpuCopies() {
    ending_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  uint64_t copied_bytes() const { return copied_; }

 private:
  static constexpr size_t kBytes = 16 << 20;  // more than the CPU's caches
  static constexpr size_t kStep = 16 << 10;

  void Copy() {
    std::vector<uint8_t> from(kBytes, 1);
    std::vector<uint8_t> to(kBytes);
    while (!ending_) {
      for (size_t at = 0; at < kBytes && !ending_; at += kStep) {
        std::memcpy(to.data() + at, from.data() + at, kStep);
        copied_ += kStep;
      }
    }
  }

  std::atomic<bool> ending_{false};
  std::atomic<uint64_t> copied_{0};
  std::vector<std::thread> threads_;
};

}  // namespace

std::vector<Case> MakeCases(const Sizes& sizes) {
  std::vector<Case> cases;
  AddOverheads(cases);
  AddArithmetic(sizes, cases);
  AddAccesses(sizes, cases);
  AddCopies(sizes, cases);
  return cases;
}

Result Measure(Gpu& gpu, const Case& of, int repeats) {
  Result result;
  result.of = of;
  if (of.name == "load_chain") WriteChain(of.bytes, gpu.reference());
  const CpuCopies copies(of.beside_cpu ? kCpuThreads : 0);
  const bool wall = IsWallTime(of) || !gpu.has_timestamps();
  for (int i = -1; i < repeats; ++i) {
    const uint64_t before = copies.copied_bytes();
    Time time;
    result.status = gpu.Run(of.work, &time);
    if (!result.status.ok()) return result;
    if (i < 0) continue;
    result.nanoseconds.push_back(wall ? time.wall : time.gpu);
    if (!of.beside_cpu) continue;
    const auto copied = static_cast<double>(copies.copied_bytes() - before);
    result.cpu_gbs.push_back(copied / static_cast<double>(time.wall));
  }
  return result;
}

}  // namespace perdix::probe
