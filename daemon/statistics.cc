// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace perdix {

using std::chrono::duration_cast;
using std::chrono::microseconds;

uint64_t WallClockUSec() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return uint64_t(duration_cast<microseconds>(now).count());
}

// A value's bucket is its leading kLinearBits + 1 bits, counted through.
size_t LatencyHistogram::BucketOf(uint64_t usec) {
  const int bits = std::bit_width(usec);
  if (bits <= kLinearBits) return usec;
  const int octave = bits - kLinearBits;
  const size_t bucket =
      (size_t(octave - 1) << kLinearBits) + (usec >> (octave - 1));
  return std::min(bucket, kBuckets - 1);
}

uint64_t LatencyHistogram::UpperBound(size_t bucket) const {
  if (bucket == kBuckets - 1) return max_;
  const size_t octave = bucket >> kLinearBits;
  if (octave <= 1) return bucket;
  const uint64_t leading = bucket - ((octave - 1) << kLinearBits);
  return std::min(((leading + 1) << (octave - 1)) - 1, max_);
}

void LatencyHistogram::Add(std::chrono::nanoseconds latency) {
  const auto usec =
      std::max<int64_t>(0, duration_cast<microseconds>(latency).count());
  ++buckets_[BucketOf(uint64_t(usec))];
  ++count_;
  sum_ += uint64_t(usec);
  max_ = std::max(max_, uint64_t(usec));
}

uint64_t LatencyHistogram::Percentile(double fraction) const {
  const auto wanted =
      std::max<uint64_t>(1, uint64_t(std::ceil(fraction * double(count_))));
  uint64_t values = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    values += buckets_[i];
    if (values >= wanted) return UpperBound(i);
  }
  return max_;  // no values
}

std::vector<std::pair<uint64_t, uint64_t>> LatencyHistogram::Buckets() const {
  std::vector<std::pair<uint64_t, uint64_t>> buckets;
  for (size_t i = 0; i < kBuckets; ++i) {
    if (buckets_[i] != 0) buckets.emplace_back(UpperBound(i), buckets_[i]);
  }
  return buckets;
}

int64_t FrameRate::SlotAt(SteadyTime now) {
  return now.time_since_epoch() / kSlot;
}

void FrameRate::Add(SteadyTime now) {
  const int64_t slot = SlotAt(now);
  // What lies between is of a time before the window.
  const int64_t stale = std::min(slot - newest_, kSlots);
  for (int64_t i = 0; i < stale; ++i) events_[(slot - i) % kSlots] = 0;
  newest_ = std::max(newest_, slot);
  ++events_[slot % kSlots];
}

double FrameRate::PerSecond(SteadyTime now) const {
  const int64_t slot = SlotAt(now);
  uint64_t events = 0;
  for (int64_t i = std::max(slot - kSlots + 1, newest_ - kSlots + 1);
       i <= newest_; ++i) {
    if (i >= 0) events += events_[i % kSlots];
  }
  return double(events) / std::chrono::duration<double>(kSlot * kSlots).count();
}

void FrameCounts::Add(const EndedFrame& frame) {
  switch (frame.outcome) {
    case Outcome::kDecoded:
      ++decoded;
      break;
    case Outcome::kFailed:
      ++failed;
      break;
    case Outcome::kDropped:
      ++dropped;
      break;
  }
  bytes += frame.bytes;
}

Statistics::Statistics() : since_usec_(WallClockUSec()) {}

void Statistics::OpenSession(uint32_t id, uint32_t client_pid,
                             std::string client_name) {
  SessionStatistics& session = sessions_[id];
  session = {};
  session.client_pid = client_pid;
  session.client_name = std::move(client_name);
  session.opened_usec = WallClockUSec();
  session.watch = PictureWatch(watch_);
  ++sessions_opened_;
  Changed(Change::kSessions);
}

void Statistics::CloseSession(uint32_t id) {
  if (sessions_.erase(id) != 0) Changed(Change::kSessions);
}

void Statistics::CountFrame(uint32_t session, const EndedFrame& frame) {
  const bool decoded = frame.outcome == Outcome::kDecoded;
  frames_.Add(frame);
  if (decoded) latency_.Add(frame.latency);
  if (const auto found = sessions_.find(session); found != sessions_.end()) {
    SessionStatistics& counted = found->second;
    counted.frames.Add(frame);
    counted.rate.Add(frame.ended);
    if (decoded) {
      counted.latency.Add(frame.latency);
      counted.codec = frame.codec;
      counted.format = frame.format;
    }
    Watch(session, counted, frame);
  }
  Changed(Change::kFrames);
}

void Statistics::Watch(uint32_t id, SessionStatistics& session,
                       const EndedFrame& frame) {
  if (!watch_.on || !frame.luma) return;
  const auto [freeze, black] = session.watch.Add(*frame.luma, frame.ended);
  if (!watched_) return;
  if (freeze) watched_(id, Watched::kFreeze, session.watch.frozen().counts());
  if (black) watched_(id, Watched::kBlack, session.watch.black().counts());
}

void Statistics::CountLost(uint32_t session, uint64_t frames) {
  frames_.dropped += frames;
  if (const auto found = sessions_.find(session); found != sessions_.end())
    found->second.frames.dropped += frames;
  Changed(Change::kFrames);
}

void Statistics::Reset() {
  for (auto& [id, session] : sessions_) {
    session.frames = {};
    session.latency = {};
    session.rate = {};
  }
  sessions_opened_ = 0;
  frames_ = {};
  latency_ = {};
  since_usec_ = WallClockUSec();
  Changed(Change::kFrames);
}

}  // namespace perdix
