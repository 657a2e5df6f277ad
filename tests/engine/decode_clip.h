// SPDX-License-Identifier: BSD-2-Clause
// A clip through an engine of its own, and what came of it.
#ifndef PERDIX_TESTS_ENGINE_DECODE_CLIP_H_
#define PERDIX_TESTS_ENGINE_DECODE_CLIP_H_

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "client/stream/backend.h"
#include "engine/engine.h"

namespace perdix {

inline constexpr uint32_t kStages = 4;
inline constexpr const char* kStageKeys[kStages] = {
    "vp9_inter_pred", "vp9_inverse_transform", "vp9_intra_pred",
    "vp9_loop_filter"};

struct Decoded {
  std::vector<size_t> frames;  // hashes
  int failures = 0;
  EngineCounters counters;
  Recipe recipe;  // at the end
  std::vector<std::string> notices;
};

// The hash of the samples' values, wherever they are in 16 bits.
size_t HashOf(const PictureView& view);

// clip: of tests/clips, AV1's in av1/. Fills frames and failures. before:
// called before each packet, which is the first, 0, or a later one.
void Play(
    const std::string& clip, client::Backend& backend, Decoded* decoded,
    const std::function<void(int)>& before = [](int) {});

Decoded Decode(const std::string& clip, EngineOptions options);

// Bit i: stage i on the GPU.
Recipe MixedRecipe(uint32_t mask);

// The name of an instance of a suite whose parameter is a clip: what comes
// before the ending.
inline std::string ClipName(const testing::TestParamInfo<const char*>& info) {
  const std::string name = info.param;
  return name.substr(0, name.find('.'));
}

}  // namespace perdix

#endif  // PERDIX_TESTS_ENGINE_DECODE_CLIP_H_
