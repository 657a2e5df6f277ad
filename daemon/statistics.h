// SPDX-License-Identifier: BSD-2-Clause
// What the daemon counts: frames, bytes and latencies of each open session, and
// of all sessions there were. Plain data in fixed memory; who shows it is
// another matter (control.h). What only the engine knows is in EngineCounters
// (engine/engine.h), of all sessions together. Belongs to the event loop's
// thread.
#ifndef PERDIX_DAEMON_STATISTICS_H_
#define PERDIX_DAEMON_STATISTICS_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/codec.h"
#include "daemon/picture_watch.h"

namespace perdix {

using SteadyTime = std::chrono::steady_clock::time_point;

// Microseconds since 1970.
uint64_t WallClockUSec();

// Microseconds in log-linear buckets: exact up to 64, then 64 buckets for each
// power of two, so that a bucket's upper bound is at most 1/64 above what is in
// it. 67 s and more share the last bucket.
class LatencyHistogram {
 public:
  void Add(std::chrono::nanoseconds latency);

  // The smallest bucket's upper bound that <fraction> (0 to 1) of the values do
  // not exceed; 0 without values.
  uint64_t Percentile(double fraction) const;
  uint64_t max() const { return max_; }      // exact
  uint64_t count() const { return count_; }  // of values
  uint64_t sum() const { return sum_; }      // exact
  // Upper bound and values of the buckets that are not empty, upwards.
  std::vector<std::pair<uint64_t, uint64_t>> Buckets() const;

 private:
  static constexpr int kLinearBits = 6;
  static constexpr int kMaxBits = 26;
  static constexpr size_t kBuckets = (kMaxBits - kLinearBits + 1)
                                     << kLinearBits;

  static size_t BucketOf(uint64_t usec);
  // The most that values in the bucket can be: never above the maximum.
  uint64_t UpperBound(size_t bucket) const;

  std::array<uint64_t, kBuckets> buckets_ = {};
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  uint64_t max_ = 0;
};

// Events in the last two seconds, to 50 ms.
class FrameRate {
 public:
  void Add(SteadyTime now);
  double PerSecond(SteadyTime now) const;

 private:
  static constexpr std::chrono::milliseconds kSlot{50};
  static constexpr int64_t kSlots = 40;

  static int64_t SlotAt(SteadyTime now);

  std::array<uint32_t, kSlots> events_ = {};  // by slot % kSlots
  int64_t newest_ = 0;                        // slot of the last event
};

// How a frame ended.
enum class Outcome {
  kDecoded,
  kFailed,   // cannot be decoded
  kDropped,  // nobody wanted it any more
};

struct EndedFrame {
  Outcome outcome = Outcome::kFailed;
  uint64_t bytes = 0;  // coded
  SteadyTime ended;
  std::chrono::nanoseconds latency{0};  // from the job's arrival to its answer
  const CodecRow* codec = nullptr;
  StreamFormat format;
  std::optional<ShownLuma> luma;  // where it is watched and the frame is shown
};

struct FrameCounts {
  uint64_t decoded = 0;
  uint64_t failed = 0;
  uint64_t dropped = 0;
  uint64_t bytes = 0;  // coded, of all three

  void Add(const EndedFrame& frame);
};

struct SessionStatistics {
  uint32_t client_pid = 0;
  std::string client_name;
  uint64_t opened_usec = 0;  // WallClockUSec
  FrameCounts frames;
  LatencyHistogram latency;  // of decoded frames
  FrameRate rate;            // of frames that ended
  // Codec and format of the last decoded frame; null and zero before the first.
  const CodecRow* codec = nullptr;
  StreamFormat format;
  PictureWatch watch;
};

class Statistics {
 public:
  enum class Change { kFrames, kSessions };
  // What a session shows stands still, or is black, or no longer.
  enum class Watched { kFreeze, kBlack };

  Statistics();

  // Called at each change; must be quick. May be null.
  void set_changed(std::function<void(Change)> changed) {
    changed_ = std::move(changed);
  }

  // Sessions that are opened from now on are watched so.
  void set_watch(const PictureWatchOptions& watch) { watch_ = watch; }
  bool watches() const { return watch_.on; }
  // Called once for each change; must be quick. May be null.
  using WatchedFunction = std::function<void(uint32_t session, Watched, bool)>;
  void set_watched(WatchedFunction watched) { watched_ = std::move(watched); }

  void OpenSession(uint32_t id, uint32_t client_pid, std::string client_name);
  void CloseSession(uint32_t id);
  // Also of a session that was closed in the meantime.
  void CountFrame(uint32_t session, const EndedFrame& frame);
  // Frames that the daemon never saw.
  void CountLost(uint32_t session, uint64_t frames);

  // Buffers that were mapped by a node that has gone.
  void KeepImports(uint64_t imports) { past_imports_ += imports; }
  uint64_t past_imports() const { return past_imports_; }  // never reset

  // All counts and latencies from 0. The sessions stay, as does what is known
  // of their streams.
  void Reset();

  using Sessions = std::map<uint32_t, SessionStatistics>;  // by id
  const Sessions& sessions() const { return sessions_; }   // open
  uint64_t sessions_opened() const { return sessions_opened_; }
  const FrameCounts& frames() const { return frames_; }
  const LatencyHistogram& latency() const { return latency_; }
  uint64_t since_usec() const { return since_usec_; }  // WallClockUSec

 private:
  void Changed(Change change) const {
    if (changed_) changed_(change);
  }

  void Watch(uint32_t id, SessionStatistics& session, const EndedFrame& frame);

  std::function<void(Change)> changed_;
  WatchedFunction watched_;
  PictureWatchOptions watch_;
  Sessions sessions_;
  uint64_t sessions_opened_ = 0;
  FrameCounts frames_;
  LatencyHistogram latency_;
  uint64_t past_imports_ = 0;
  uint64_t since_usec_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_STATISTICS_H_
