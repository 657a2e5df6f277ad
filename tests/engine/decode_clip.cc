// SPDX-License-Identifier: BSD-2-Clause
#include "tests/engine/decode_clip.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "client/bitstream/av1/codec.h"
#include "client/bitstream/vp9/codec.h"
#include "client/container/container.h"
#include "client/inprocess/engine_backend.h"
#include "client/stream/stream.h"

namespace perdix {
size_t HashOf(const PictureView& view) {
  std::string pixels;
  for (const Plane& plane : view.planes) {
    const size_t samples = plane.width * (&plane == view.planes ? 1 : 2);
    for (uint32_t y = 0; y < plane.height; ++y) {
      if (view.bit_depth == 8) {
        pixels.append(plane.Row<char>(y), samples);
        continue;
      }
      for (size_t i = 0; i < samples; ++i) {
        const int sample = plane.Row<uint16_t>(y)[i] >> view.shift;
        pixels += char(sample);
        pixels += char(sample >> 8);
      }
    }
  }
  return std::hash<std::string>()(pixels);
}

void Play(const std::string& clip, client::Backend& backend, Decoded* decoded,
          const std::function<void(int)>& before) {
  client::Stream stream(backend,
                        {.shown =
                             [&](const client::Image& image) {
                               decoded->frames.push_back(HashOf(image.view));
                               return true;
                             },
                         .failed =
                             [&](const client::Position&, const Status&) {
                               ++decoded->failures;
                               return true;
                             }});
  std::unique_ptr<client::Container> container;
  EXPECT_TRUE(
      client::Container::Open(PERDIX_CLIPS "/" + clip, &container).ok());
  client::Packet packet;
  bool end = false;
  for (int i = 0; container->Next(&packet, &end).ok() && !end; ++i) {
    before(i);
    stream.Decode(packet.data, packet.owner);
  }
  stream.Flush();
}

Decoded Decode(const std::string& clip, EngineOptions options) {
  Decoded decoded;
  options.notice = [&](const std::string& text) {
    decoded.notices.push_back(text);
  };
  options.wait_for_gpu = true;
  Engine engine(options);
  {
    client::EngineBackend backend(
        engine,
        clip.starts_with("av1/") ? client::av1::kCodec : client::vp9::kCodec,
        true);
    Play(clip, backend, &decoded);
  }
  decoded.counters = engine.counters();
  decoded.recipe = engine.recipe();
  return decoded;
}

Recipe MixedRecipe(uint32_t mask) {
  std::string text = "scalar";
  for (uint32_t i = 0; i < kStages; ++i) {
    if (mask >> i & 1) text += std::string(",") + kStageKeys[i] + "=vulkan";
  }
  Recipe recipe;
  EXPECT_TRUE(Recipe::Parse(text, &recipe).ok());
  return recipe;
}

}  // namespace perdix
