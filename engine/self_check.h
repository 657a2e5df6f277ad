// SPDX-License-Identifier: BSD-2-Clause
// Whether the GPU's stages of a frame give what the CPU's would: the CPU runs
// the same work lists on copies of the target and of the picture that is shown,
// never in the client's, and after each stage of the GPU the checksums of what
// it wrote are compared.
#ifndef PERDIX_ENGINE_SELF_CHECK_H_
#define PERDIX_ENGINE_SELF_CHECK_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "codec/picture.h"
#include "engine/frame_plan.h"

namespace perdix {

namespace vulkan {
class Gpu;
}  // namespace vulkan
struct FrameJob;

// Which frames are checked: of those with stages on the GPU, counted over all
// streams, the first of every <every>; 0: none.
class SelfCheckTurns {
 public:
  explicit SelfCheckTurns(uint32_t every) : every_(every) {}

  bool any() const { return every_ != 0; }
  // Whether this one is. Ask once for each frame with stages on the GPU.
  bool Next() { return any() && turn_++ % every_ == 0; }

 private:
  const uint32_t every_;
  std::atomic<uint64_t> turn_{0};
};

// The check of one frame. Until FindWrongStage no other frame may be
// reconstructed.
struct SelfCheck {
  bool on = false;
  // The frame's pictures before the first stage of the GPU. display: null, if
  // the target is shown.
  PicturePtr target;
  PicturePtr display;
  std::array<uint64_t, kMaxStages> checksums = {};  // the GPU's, by stage
};

// Before the first stage of the GPU: keeps the frame's pictures in <check>.
Status KeepPictures(vulkan::Gpu& gpu, const FrameJob& job, SelfCheck& check);

// After the last stage: the first of the GPU's stages whose result differs.
// Fails when the pixels cannot be read: then nothing is known.
Status FindWrongStage(vulkan::Gpu& gpu, FrameJob& job, const SelfCheck& check,
                      std::optional<uint32_t>* stage);

}  // namespace perdix

#endif  // PERDIX_ENGINE_SELF_CHECK_H_
