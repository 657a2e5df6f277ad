// SPDX-License-Identifier: BSD-2-Clause
// The packets of the first VP9 stream of a file: WebM, Matroska, IVF, MP4,
// whatever libavformat demuxes. Nothing is decoded here.
#ifndef PERDIX_TOOLS_CLIENT_CONTAINER_H_
#define PERDIX_TOOLS_CLIENT_CONTAINER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/status.h"

struct AVFormatContext;

namespace perdix::client {

// One packet; the bytes live as long as owner.
struct Packet {
  std::span<const uint8_t> data;
  std::shared_ptr<const void> owner;
};

struct FrameRate {
  int numerator = 30;
  int denominator = 1;
};

class Container {
 public:
  // The file is told by its content, its name does not matter.
  static Status Open(const std::string& path,
                     std::unique_ptr<Container>* container);

  // The next packet; *end is set instead when there is none left.
  Status Next(Packet* packet, bool* end);

  // As the container says, 30 frames per second if it does not.
  FrameRate frame_rate() const;

 private:
  struct CloseInput {
    void operator()(AVFormatContext* input) const;
  };
  using Input = std::unique_ptr<AVFormatContext, CloseInput>;

  Container(Input input, int stream)
      : input_(std::move(input)), stream_(stream) {}

  Input input_;
  int stream_;
};

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_CLIENT_CONTAINER_H_
