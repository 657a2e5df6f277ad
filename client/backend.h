// SPDX-License-Identifier: BSD-2-Clause
// What turns coded frames into pixels: the engine in this process, or a V4L2
// stateless node. One backend decodes one stream and belongs to one thread.
#ifndef PERDIX_CLIENT_BACKEND_H_
#define PERDIX_CLIENT_BACKEND_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "client/bitstream/codec.h"
#include "client/coded_frame.h"
#include "kernels/plane.h"
#include "kernels/status.h"

namespace perdix::client {

// The pixels of a decoded frame.
struct Image {
  PictureView view;
  uint32_t shift = 0;       // bits below the value in a 16-bit sample (P010: 6)
  bool monochrome = false;  // chroma is not part of the video
};

// A frame from its submission on. Who holds it (a reference slot, the queue of
// frames to show) keeps its pixels from being written again.
class DecodedFrame {
 public:
  virtual ~DecodedFrame() = default;
  // Waits until the frame is decoded, or has failed.
  virtual Status Wait() = 0;
  // Valid after Wait() was ok, as long as the frame is held.
  virtual Image image() const = 0;
  // Valid after Wait(): what follows the frame in its data (parser_behind). The
  // backend has begun no frame that was submitted after this one then: Rewind.
  virtual std::span<const uint8_t> rest() const { return {}; }
};

class Backend {
 public:
  // codec: of the stream; lives as long as the program
  explicit Backend(const ClientCodec& codec) : codec_(codec) {}
  virtual ~Backend() = default;
  const ClientCodec& codec() const { return codec_; }

  // Queues the frame; waits only for a free buffer. What is wrong with the
  // frame itself may be told here or by frame->Wait().
  virtual Status Submit(const CodedFrame& coded, DecodedFramePtr* frame) = 0;
  // Between two frames: the slots of <refresh> take the frame in <slot>. For
  // backends that keep slots of their own.
  virtual void CopySlot(uint8_t /*slot*/, uint32_t /*refresh*/) {}
  // Between two frames: some are missing, of which nothing is known.
  virtual void FramesAreLost() {}
  // Forgets the frames behind one that has a rest, which comes before them.
  virtual void Rewind() {}
  // Frames worth having submitted before the first is waited for.
  virtual size_t depth() const = 0;

 private:
  const ClientCodec& codec_;
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_BACKEND_H_
