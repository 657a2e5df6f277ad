// SPDX-License-Identifier: BSD-2-Clause
#include "codec/codec.h"

#include <linux/v4l2-controls.h>
#include <linux/videodev2.h>

#include "codec/controls.h"
#include "codec/vp9/frame_state.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {
namespace {

template <typename State>
std::unique_ptr<CodecState> Open() {
  return std::make_unique<State>();
}

StreamFormat Vp9Format(std::span<const uint8_t> controls) {
  v4l2_ctrl_vp9_frame frame;
  if (!ReadControl(controls, V4L2_CID_STATELESS_VP9_FRAME, &frame).ok())
    return {};
  return {.profile = frame.profile,
          .width = frame.frame_width_minus_1 + 1u,
          .height = frame.frame_height_minus_1 + 1u,
          .bit_depth = frame.bit_depth};
}

// Inter blocks first: intra prediction looks at their reconstruction.
constexpr KernelId kVp9Reconstruct[] = {
    KernelId::kVp9InterPred,
    KernelId::kVp9InverseTransform,
    KernelId::kVp9IntraPred,
};

constexpr CodecRow kCodecs[] = {
    {"vp9", PERDIX_CODEC_VP9, V4L2_PIX_FMT_VP9_FRAME, &Open<vp9::Vp9State>,
     &Vp9Format, kVp9Reconstruct, KernelId::kVp9LoopFilter},
};

}  // namespace

std::span<const CodecRow> Codecs() { return kCodecs; }

const CodecRow* FindCodec(uint32_t id) {
  for (const CodecRow& row : kCodecs) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

}  // namespace perdix
