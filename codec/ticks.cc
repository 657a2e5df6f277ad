// SPDX-License-Identifier: BSD-2-Clause
#include "codec/ticks.h"

#include <atomic>
#include <chrono>
#include <mutex>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace perdix {
namespace {

// The length is known after so long, ns, and once the two looks at the clock
// themselves, which may be interrupted, took less than so much of it.
constexpr uint64_t kLongEnough = 50'000'000;
constexpr uint64_t kExactness = 1000;

// Of this machine.
struct TickLength {
  std::atomic<bool> known{false};
  std::atomic<double> nanoseconds{1};
  std::mutex mutex;
  bool begun = false;
  uint64_t first_ticks = 0, first_time = 0, first_spent = 0;
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
  const uint64_t ticks = Ticks();
  const uint64_t time = TraceNow();
  const uint64_t spent = Ticks() - ticks;
  if (!length.begun) {
    length.begun = true;
    length.first_ticks = ticks;
    length.first_time = time;
    length.first_spent = spent;
  }
  if (ticks <= length.first_ticks) return;
  length.nanoseconds =
      double(time - length.first_time) / double(ticks - length.first_ticks);
  length.known =
      time - length.first_time >= kLongEnough &&
      (length.first_spent + spent) * kExactness <= ticks - length.first_ticks;
}

double NanosecondsPerTick() {
  ObserveTicks();
  return tick_length.nanoseconds.load(std::memory_order_relaxed);
}

}  // namespace perdix
