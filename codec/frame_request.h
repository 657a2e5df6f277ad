// SPDX-License-Identifier: BSD-2-Clause
// What a client asks of the engine: one frame to decode.
#ifndef PERDIX_CODEC_FRAME_REQUEST_H_
#define PERDIX_CODEC_FRAME_REQUEST_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "codec/picture.h"
#include "kernels/shared/frame_params.h"
#include "kernels/status.h"

namespace perdix {

inline constexpr int kMaxReferences = PERDIX_MAX_REFERENCES;

enum class CpuAccess { kBegin, kEnd };

// One frame to decode: what a V4L2 request carries. Everything in it comes
// from an unprivileged client and is checked by the decoder.
struct FrameRequest {
  // Records of the codec's controls: codec/controls.h.
  std::vector<uint8_t> controls;
  // The coded frame, headers included. Must stay readable until done(). The
  // client may write to it meanwhile: so nothing that is checked is read twice.
  std::span<const uint8_t> bitstream;
  std::shared_ptr<const void> bitstream_owner;  // may be null
  // The picture that is decoded into, and that later frames refer to.
  PicturePtr target;
  // The picture that is shown, where that is not the target: a codec's output
  // pass makes it of the target (film grain), shifted if its layout says so
  // (PictureLayout::shift). With one, a target that is to be shifted is
  // refused. Null: the target is shown.
  PicturePtr display;
  // The references, in the order in which the codec's controls have their
  // timestamps. Null: the client named no intact picture.
  std::array<PicturePtr, kMaxReferences> references;
  // Called before and after the CPU writes a picture, or reads a reference,
  // where stages of the GPU come before or after that. From worker threads, all
  // of which may wait for it: it must return soon. Null where CPU and GPU see
  // each other's bytes at once.
  std::function<Status(const Picture&, CpuAccess)> cpu_access;
  // Called exactly once, from a worker thread, when the frame is parsed or has
  // failed: with what follows it in the bitstream, from the first byte on that
  // is not 0. Returns whether that is another frame, which the client submits
  // next; if not, the data is damaged. Null: no frame follows.
  std::function<bool(std::span<const uint8_t> rest)> parsed;
  // Called exactly once, from a worker thread, in the order of Submit(). The
  // target is written and the status is ok; or the status says why it is not
  // intact: target->damaged is set where it is written nevertheless, else
  // target->broken.
  std::function<void(const Status&)> done;
};

}  // namespace perdix

#endif  // PERDIX_CODEC_FRAME_REQUEST_H_
