// SPDX-License-Identifier: BSD-2-Clause
// What turns coded frames into pixels: the engine in this process, or a V4L2
// stateless node. One backend decodes one stream and belongs to one thread.
#ifndef PERDIX_CLIENT_STREAM_BACKEND_H_
#define PERDIX_CLIENT_STREAM_BACKEND_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "client/base/coded_frame.h"
#include "client/base/image.h"
#include "client/bitstream/codec.h"
#include "kernels/status.h"

namespace perdix::client {

// A frame from its submission on. Who holds it (a reference slot, the queue of
// frames to show) keeps its pixels from being written again.
class DecodedFrame {
 public:
  virtual ~DecodedFrame() = default;
  // Waits until the frame is decoded, or has failed.
  virtual Status Wait() = 0;
  // After Wait() was ok. The pixels may be read as long as the frame is held.
  virtual Status Map(Image* image) = 0;
  // Valid after Wait(): what follows the frame in its data (parser_behind). The
  // backend has begun no frame that was submitted after this one then: Rewind.
  virtual std::span<const uint8_t> rest() const { return {}; }
};

using DecodedFramePtr = std::shared_ptr<DecodedFrame>;

// A coded frame and what it needs to be decoded.
struct SubmittedFrame : CodedFrame {
  std::shared_ptr<const void> owner;  // of data; may be null
  // The frames in reference_slots, in that order. Null: there is none, or it
  // failed.
  std::array<DecodedFramePtr, kReferenceSlots> references;
};

class Backend {
 public:
  // codec: of the stream; lives as long as the program
  explicit Backend(const ClientCodec& codec) : codec_(codec) {}
  virtual ~Backend() = default;
  const ClientCodec& codec() const { return codec_; }

  // Queues the frame; waits only for a free buffer. What is wrong with the
  // frame itself may be told here or by frame->Wait().
  virtual Status Submit(const SubmittedFrame& coded,
                        DecodedFramePtr* frame) = 0;
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

// A backend whose frames are all of one type: it is given its references as
// what they are. A frame that refers to another backend's type is refused.
template <typename Frame>
class BackendOf : public Backend {
 public:
  using FramePtr = std::shared_ptr<Frame>;
  // SubmittedFrame::references, in the same order.
  using References = std::array<FramePtr, kReferenceSlots>;

  using Backend::Backend;

  Status Submit(const SubmittedFrame& coded, DecodedFramePtr* frame) final;

 private:
  // Does what Submit() says.
  virtual Status Decode(const SubmittedFrame& coded,
                        const References& references, FramePtr* frame) = 0;
};

// Not inline: where Frame is only declared, beside an extern template, nothing
// is made of it.
template <typename Frame>
Status BackendOf<Frame>::Submit(const SubmittedFrame& coded,
                                DecodedFramePtr* frame) {
  References references;
  for (size_t i = 0; i < references.size(); ++i) {
    references[i] = std::dynamic_pointer_cast<Frame>(coded.references[i]);
    if (references[i] != nullptr || coded.references[i] == nullptr) continue;
    return {StatusCode::kInvalidArgument,
            "reference " + std::to_string(i) +
                " is a frame of another kind of backend"};
  }
  FramePtr decoded;
  Status status = Decode(coded, references, &decoded);
  if (status.ok()) *frame = std::move(decoded);
  return status;
}

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_STREAM_BACKEND_H_
