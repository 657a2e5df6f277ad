// SPDX-License-Identifier: BSD-2-Clause
// The processor's own clock, for durations within a thread. Reading it is no
// system call anywhere: in a guest without vDSO (User-Mode Linux) one is 60 us,
// and a 1080p frame has 400 of them to tell its stages apart.
#ifndef PERDIX_ENGINE_TICKS_H_
#define PERDIX_ENGINE_TICKS_H_

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace perdix {

// The clock of all traces, in nanoseconds: CLOCK_MONOTONIC.
uint64_t TraceNow();

// Whether Ticks() is that of the processor: same rate at all times, on all
// CPUs.
extern const bool kSteadyTicks;

// Since some moment, in units of its own; else TraceNow().
inline uint64_t Ticks() {
#if defined(__x86_64__)
  if (kSteadyTicks) return __rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
  return TraceNow();
}

// Nanoseconds. Measured against TraceNow() from the first call of either on,
// and kept after 50 ms or more: who calls ObserveTicks() while there is work,
// now and then, keeps the time that a machine sleeps out of it.
double NanosecondsPerTick();
void ObserveTicks();

}  // namespace perdix

#endif  // PERDIX_ENGINE_TICKS_H_
