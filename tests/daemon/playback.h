// SPDX-License-Identifier: BSD-2-Clause
// A client that plays one of tests/clips on a backend, and what it saw.
#ifndef PERDIX_TESTS_DAEMON_PLAYBACK_H_
#define PERDIX_TESTS_DAEMON_PLAYBACK_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/container/container.h"
#include "client/stream/stream.h"

namespace perdix {

inline size_t HashOf(const client::Image& image) {
  const PictureView& view = image.view;
  const uint32_t sample_bytes = view.bit_depth > 8 ? 2 : 1;
  std::string pixels;
  for (const Plane& plane : view.planes) {
    const bool luma = &plane == view.planes;
    if (!luma && image.monochrome) break;
    const size_t row_bytes = plane.width * (luma ? 1 : 2) * sample_bytes;
    for (uint32_t y = 0; y < plane.height; ++y) {
      std::string row(plane.Row<char>(y), row_bytes);
      auto* const samples = reinterpret_cast<uint16_t*>(row.data());
      for (size_t x = 0; image.shift != 0 && x < row_bytes / 2; ++x)
        samples[x] = uint16_t(samples[x] >> image.shift);
      pixels += row;
    }
  }
  return std::hash<std::string>()(pixels);
}

// A client that plays a clip, a packet at a time.
class Playback {
 public:
  Playback(client::Backend& backend, const std::string& clip)
      : stream_(backend, {.shown =
                              [this](const client::Image& image) {
                                if (hashes_) frames_.push_back(HashOf(image));
                                if (shown_) shown_(image.view);
                                return true;
                              },
                          .failed =
                              [this](const client::Position&, const Status&) {
                                ++failures_;
                                return true;
                              }}) {
    const Status status =
        client::Container::Open(PERDIX_CLIPS "/" + clip, &container_);
    EXPECT_TRUE(status.ok()) << status.message();
  }

  // False at the end of the clip.
  bool Step() {
    client::Packet packet;
    bool end = false;
    if (!container_->Next(&packet, &end).ok() || end) {
      stream_.Flush();
      return false;
    }
    return stream_.Decode(packet.data, packet.owner);
  }
  void Steps(int packets) {
    while (packets-- > 0) Step();
  }
  void Finish() {
    while (Step()) continue;
  }

  // Sees each frame as it is shown. May be null.
  void set_shown(std::function<void(const PictureView&)> shown) {
    shown_ = std::move(shown);
  }
  // It takes longer than some frames' decoding.
  void DoNotHash() { hashes_ = false; }
  const std::vector<size_t>& frames() const { return frames_; }
  int failures() const { return failures_; }

 private:
  std::function<void(const PictureView&)> shown_;
  std::vector<size_t> frames_;
  int failures_ = 0;
  bool hashes_ = true;
  std::unique_ptr<client::Container> container_;
  client::Stream stream_;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_DAEMON_PLAYBACK_H_
