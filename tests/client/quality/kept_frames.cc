// SPDX-License-Identifier: BSD-2-Clause
#include "tests/client/quality/kept_frames.h"

#include <gtest/gtest.h>

#include <memory>

#include "client/container/container.h"
#include "client/inprocess/engine_backend.h"
#include "client/stream/stream.h"
#include "engine/engine.h"

namespace perdix::client {

KeptFrame::KeptFrame(const PictureView& picture) : view(picture) {
  const uint32_t sample_bytes = picture.bit_depth > 8 ? 2 : 1;
  for (uint32_t i = 0; i < kPlaneCount; ++i) {
    Plane& plane = view.planes[i];
    const uint32_t row_bytes = plane.width * sample_bytes * (i + 1);
    for (uint32_t y = 0; y < plane.height; ++y) {
      const uint8_t* const row = plane.Row<const uint8_t>(y);
      bytes[i].insert(bytes[i].end(), row, row + row_bytes);
    }
    plane.data = bytes[i].data();
    plane.stride_bytes = row_bytes;
  }
}

std::vector<KeptFrame> KeepFrames(const std::string& path, size_t limit) {
  std::vector<KeptFrame> frames;
  std::unique_ptr<Container> container;
  const Status opened = Container::Open(path, &container);
  EXPECT_TRUE(opened.ok()) << opened.message();
  if (!opened.ok()) return frames;
  Engine engine({.threads = 1});
  EngineBackend backend(engine, container->codec(), true);
  StreamEvents events;
  events.shown = [&](const Image& image) {
    frames.emplace_back(image.view);
    return frames.size() < limit;
  };
  events.failed = [&](const Position& position, const Status& status) {
    ADD_FAILURE() << path << ": frame " << position.frame << ": "
                  << status.message();
    return false;
  };
  Stream stream(backend, std::move(events));
  Packet packet;
  bool end = false;
  while (container->Next(&packet, &end).ok() && !end) {
    if (!stream.Decode(packet.data, packet.owner, packet.output)) return frames;
  }
  stream.Flush();
  return frames;
}

}  // namespace perdix::client
