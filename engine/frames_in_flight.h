// SPDX-License-Identifier: BSD-2-Clause
// How many frames of one stream are at work at the same time.
#ifndef PERDIX_ENGINE_FRAMES_IN_FLIGHT_H_
#define PERDIX_ENGINE_FRAMES_IN_FLIGHT_H_

#include <cstddef>
#include <cstdint>

namespace perdix {

// Whether the CPU may begin frames of that size (luma samples) before the frame
// before them is over, which costs one more picture. Two threads: up to 1
// mebisample. More threads: up to 4, or any size where frames are parsed side
// by side (CodecRow::frame_parallel_parsing). Why:
// docs/decisions/0017-frames-at-work.md.
inline bool FramesOverlap(uint32_t width, uint32_t height, int threads,
                          bool frame_parallel_parsing) {
  if (threads < 2) return false;
  if (threads > 2 && frame_parallel_parsing) return true;
  return uint64_t{width} * height <= (threads > 2 ? 1u << 22 : 1u << 20);
}

inline constexpr size_t kMostFramesInFlight = 6;

// Frames of that size (luma samples) that the CPU has in flight. With one
// thread a second would only cool the cache; a third is parsed by workers that
// would wait for the two at work, and its records are worth their place in the
// caches of two threads only where frames are small
// (docs/decisions/0017-frames-at-work.md). More where they are parsed side by
// side.
inline size_t CpuFramesInFlight(uint32_t width, uint32_t height, int threads,
                                bool frame_parallel_parsing) {
  if (threads < 2) return 1;
  if (threads > 2 && frame_parallel_parsing)
    return threads < 8 ? 4 : kMostFramesInFlight;
  const uint64_t small = threads > 2 ? 1u << 20 : 1u << 19;
  return uint64_t{width} * height <= small ? 3 : 2;
}

// Frames that a stream has in flight whose stages the GPU has: one at work, one
// behind it, and one that is parsed. More where they are parsed side by side,
// because the GPU's work on them is made side by side, too.
inline size_t GpuFramesInFlight(int threads, bool frame_parallel_parsing) {
  return threads > 2 && frame_parallel_parsing
             ? CpuFramesInFlight(0, 0, threads, true)
             : 3;
}

}  // namespace perdix

#endif  // PERDIX_ENGINE_FRAMES_IN_FLIGHT_H_
