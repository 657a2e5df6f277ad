// SPDX-License-Identifier: BSD-2-Clause
#include "engine/ticks.h"

#include <atomic>
#include <chrono>
#include <mutex>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace perdix {
namespace {

// The length is known after so long, ns, and once the two looks at the clocks
// themselves took less than so much of it.
constexpr uint64_t kLongEnough = 50'000'000;
constexpr uint64_t kExactness = 1000;

// At both clocks. Spent: the ticks that it took.
struct Look {
  uint64_t ticks = 0, time = 0, spent = UINT64_MAX;
};

// The shortest of a few, since any of them may be interrupted.
Look LookAtClocks() {
  constexpr int kLooks = 3;
  Look shortest;
  for (int i = 0; i < kLooks; ++i) {
    Look look;
    look.ticks = Ticks();
    look.time = TraceNow();
    look.spent = Ticks() - look.ticks;
    if (look.spent < shortest.spent) shortest = look;
  }
  return shortest;
}

// How long a tick is on this machine, as far as it is known.
struct TickLength {
  std::atomic<bool> known{false};
  std::atomic<double> nanoseconds{1};
  std::mutex mutex;
  bool begun = false;
  Look first;
};

TickLength tick_length;

bool AreTicksSteady() {
#if defined(__x86_64__)
  constexpr unsigned kPowerManagement = 0x80000007, kInvariantTsc = 1 << 8;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(kPowerManagement, &eax, &ebx, &ecx, &edx) != 0 &&
         (edx & kInvariantTsc) != 0;
#elif defined(__aarch64__)
  return true;  // the generic timer
#else
  return false;
#endif
}

}  // namespace

const bool kSteadyTicks = AreTicksSteady();

uint64_t TraceNow() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return uint64_t(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void ObserveTicks() {
  TickLength& length = tick_length;
  if (!kSteadyTicks || length.known.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(length.mutex);
  const Look look = LookAtClocks();
  if (!length.begun) {
    length.begun = true;
    length.first = look;
  }
  if (look.ticks <= length.first.ticks) return;
  const uint64_t ticks = look.ticks - length.first.ticks;
  const uint64_t time = look.time - length.first.time;
  length.nanoseconds = double(time) / double(ticks);
  length.known = time >= kLongEnough &&
                 (length.first.spent + look.spent) * kExactness <= ticks;
}

double NanosecondsPerTick() {
  ObserveTicks();
  return tick_length.nanoseconds.load(std::memory_order_relaxed);
}

}  // namespace perdix
