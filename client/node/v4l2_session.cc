// SPDX-License-Identifier: BSD-2-Clause
#include "client/node/v4l2_session.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "codec/controls.h"

namespace perdix::client {
namespace {

constexpr int kFirstPictures = 4;  // there before streaming starts
constexpr uint32_t kMinCodedBytes = 256 * 1024;
constexpr uint64_t kNanosecondsPerMicrosecond = 1000;

Status Unsupported(std::string message) {
  return {StatusCode::kUnsupported, std::move(message)};
}

std::string Size(const FrameFormat& format) {
  return std::to_string(format.width) + "x" + std::to_string(format.height);
}

std::string Fourcc(uint32_t code) {
  std::string text;
  for (; code != 0; code >>= 8) text += char(code & 0x7f);
  return text;
}

// The decoded pixel format for such frames; 0: there is none.
uint32_t PixelFormat(const FrameFormat& format) {
  if (format.subsampling_x != 1 || format.subsampling_y != 1) return 0;
  return format.bit_depth == 8 ? V4L2_PIX_FMT_NV12 : V4L2_PIX_FMT_P010;
}

}  // namespace

class NodeFrame : public DecodedFrame {
 public:
  NodeFrame(std::shared_ptr<NodeSession> session, NodePicture picture,
            const FrameFormat& format, uint64_t timestamp_us)
      : session_(std::move(session)),
        picture_(std::move(picture)),
        format_(format),
        timestamp_us_(timestamp_us) {}
  ~NodeFrame() override { session_->Release(picture_); }

  Status Wait() override {
    while (!done_) {
      Status status = session_->CompleteOldest();
      if (!status.ok()) return status;
    }
    return status_;
  }
  Image image() const override;

  uint32_t picture_index() const { return picture_.buffer->index(); }
  uint64_t timestamp_us() const { return timestamp_us_; }
  void Done(Status status) {
    done_ = true;
    status_ = std::move(status);
  }

 private:
  const std::shared_ptr<NodeSession> session_;
  const NodePicture picture_;
  const FrameFormat format_;
  const uint64_t timestamp_us_;
  bool done_ = false;
  Status status_;
};

Image NodeFrame::image() const {
  const NodeFormat& layout = picture_.layout;
  uint8_t* const luma = picture_.buffer->bytes().data();
  uint8_t* const chroma = luma + size_t{layout.stride_bytes} * layout.height;
  Image image;
  PictureView& view = image.view;
  view.width = format_.width;
  view.height = format_.height;
  view.bit_depth = format_.bit_depth;
  view.planes[kLuma] = {luma, layout.stride_bytes, view.width, view.height};
  view.planes[kChroma] = {chroma, layout.stride_bytes, (view.width + 1) / 2,
                          (view.height + 1) / 2};
  if (layout.pixelformat == V4L2_PIX_FMT_P010)
    image.shift = 16 - format_.bit_depth;
  image.monochrome = format_.monochrome;
  return image;
}

NodeSession::NodeSession(std::unique_ptr<V4l2Device> device,
                         const ClientCodec& codec, int timeout_ms)
    : device_(std::move(device)),
      codec_(codec),
      timeout_ms_(timeout_ms),
      pictures_(*device_) {}

void NodeSession::Close() {
  broken_ = {StatusCode::kCancelled, "the session is closed"};
  // Frames hold the session, and the session those in flight.
  const auto dropped = std::exchange(in_flight_, {});
}

Status NodeSession::Break(Status status) {
  broken_ = status;
  return status;
}

Status NodeSession::Submit(const CodedFrame& coded, DecodedFramePtr* result) {
  if (!broken_.ok()) return broken_;
  Status status = Configure(coded);
  if (!status.ok()) return status;
  size_t index = 0;
  status = TakeSlot(&index);
  if (!status.ok()) return status;
  NodePicture picture;
  status = TakePicture(&picture);
  if (!status.ok()) return status;

  Slot& slot = slots_[index];
  const auto frame =
      std::make_shared<NodeFrame>(shared_from_this(), std::move(picture),
                                  coded.format, ++last_timestamp_us_);
  status = QueueFrame(coded, slot, *frame);
  if (!status.ok()) {
    const Status reset = V4l2Device::ResetRequest(slot.request.get());
    return reset.ok() ? status : Break(reset);
  }
  std::erase(free_slots_, index);
  in_flight_.push_back({index, frame, coded.references});
  *result = frame;
  return Status::Ok();
}

// Makes the node's formats fit the frame.
Status NodeSession::Configure(const CodedFrame& coded) {
  if (coded.format == format_) return Status::Ok();
  if (PixelFormat(coded.format) == 0) {
    return Unsupported("a frame of " + std::to_string(coded.format.bit_depth) +
                       " bit and subsampling " +
                       std::to_string(coded.format.subsampling_x) + "," +
                       std::to_string(coded.format.subsampling_y) +
                       " has no pixel format here, allowed: 1,1");
  }
  Status status = Drain();
  if (!status.ok()) return status;
  const bool restart = coded.key_frame || format_.width == 0;
  status = restart ? Restart(coded) : Resize(coded);
  format_ = status.ok() ? coded.format : FrameFormat();
  return status;
}

// Nothing decoded before is referred to any more.
Status NodeSession::Restart(const CodedFrame& coded) {
  Status status = EmptyQueues();
  if (status.ok()) status = SetFormats(coded);
  for (int i = 0; i < kRequests && status.ok(); ++i) status = AddSlot();
  for (int i = 0; i < kFirstPictures && status.ok(); ++i) {
    status = pictures_.Add();
  }
  if (status.ok()) status = device_->StreamOn(Queue::kCoded);
  if (status.ok()) status = device_->StreamOn(Queue::kDecoded);
  return status;
}

// Pictures of the old size go on being references, so the queues stay.
Status NodeSession::Resize(const CodedFrame& coded) {
  if (!device_->can_remove_buffers()) {
    return Unsupported("frame size changes from " + Size(format_) + " to " +
                       Size(coded.format) +
                       " without a key frame: the node has no REMOVE_BUFS");
  }
  return SetFormats(coded);
}

Status NodeSession::SetFormats(const CodedFrame& coded) {
  const FrameFormat& format = coded.format;
  Status status = device_->SetCodedFormat(
      codec_, format, std::max(kMinCodedBytes, format.width * format.height));
  if (!status.ok()) return status;
  std::span<const uint8_t> value;
  status = FindControl(coded.controls, codec_.format_control, &value);
  if (!status.ok()) return status;
  const NodeControl tells_format = {codec_.format_control,
                                    {value.begin(), value.end()}};
  status = device_->SetControls(-1, {&tells_format, 1});
  if (!status.ok()) return status;
  NodeFormat decoded;
  status = device_->GetDecodedFormat(&decoded);
  if (!status.ok()) return status;
  const uint32_t wanted = PixelFormat(format);
  if (decoded.pixelformat != wanted) {
    status = device_->SetDecodedFormat(wanted);
    if (status.ok()) status = device_->GetDecodedFormat(&decoded);
    if (!status.ok()) return status;
  }
  if (decoded.pixelformat != wanted || decoded.width < format.width ||
      decoded.height < format.height) {
    return Unsupported("the node gives " + Fourcc(decoded.pixelformat) + " " +
                       std::to_string(decoded.width) + "x" +
                       std::to_string(decoded.height) +
                       ", needed: " + Fourcc(wanted) + " " + Size(format));
  }
  pictures_.FormatChanged(decoded);
  return Status::Ok();
}

Status NodeSession::EmptyQueues() {
  slots_.clear();
  free_slots_.clear();
  pictures_.QueueEmptied();
  for (const Queue queue : {Queue::kCoded, Queue::kDecoded}) {
    Status status = device_->StreamOff(queue);
    if (!status.ok()) return status;
    status = device_->RemoveAllBuffers(queue);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status NodeSession::AddSlot() {
  Slot slot;
  Status status = device_->CreateBuffer(Queue::kCoded, 0, &slot.buffer);
  if (!status.ok()) return status;
  status = device_->NewRequest(&slot.request);
  if (!status.ok()) return status;
  free_slots_.push_back(slots_.size());
  slots_.push_back(std::move(slot));
  return Status::Ok();
}

Status NodeSession::TakeSlot(size_t* index) {
  while (free_slots_.empty()) {
    Status status = CompleteOldest();
    if (!status.ok()) return status;
  }
  *index = free_slots_.front();
  return Status::Ok();
}

Status NodeSession::TakePicture(NodePicture* picture) {
  while (pictures_.empty()) {
    Status status = pictures_.Add();
    // Full: a frame that completes lets go of its references.
    if (!status.ok() && !in_flight_.empty()) status = CompleteOldest();
    if (!status.ok()) return status;
  }
  *picture = pictures_.Take();
  return Status::Ok();
}

Status NodeSession::QueueFrame(const CodedFrame& coded, Slot& slot,
                               const NodeFrame& frame) {
  Status status = Fill(slot, coded.data);
  if (!status.ok()) return status;
  status = SetControls(slot, coded);
  if (!status.ok()) return status;
  status = device_->Enqueue(Queue::kCoded, slot.buffer->index(),
                            uint32_t(coded.data.size()), frame.timestamp_us(),
                            slot.request.get());
  if (!status.ok()) return status;
  status = device_->Enqueue(Queue::kDecoded, frame.picture_index(), 0, 0, -1);
  if (!status.ok()) return status;
  status = V4l2Device::QueueRequest(slot.request.get());
  // The node keeps the picture, for whichever frame comes next.
  return status.ok() ? status : Break(status);
}

Status NodeSession::Fill(Slot& slot, std::span<const uint8_t> data) {
  if (slot.buffer->bytes().size() < data.size()) {
    MappedBufferPtr larger;
    Status status = device_->CreateBuffer(
        Queue::kCoded, uint32_t(data.size() + data.size() / 2), &larger);
    if (!status.ok()) return status;
    device_->RemoveBuffer(Queue::kCoded, slot.buffer->index());
    slot.buffer = std::move(larger);
    if (slot.buffer->bytes().size() < data.size()) {
      return Unsupported("the node's coded buffers have " +
                         std::to_string(slot.buffer->bytes().size()) +
                         " bytes, the frame " + std::to_string(data.size()));
    }
  }
  std::memcpy(slot.buffer->bytes().data(), data.data(), data.size());
  return Status::Ok();
}

Status NodeSession::SetControls(const Slot& slot, const CodedFrame& coded) {
  std::vector<uint64_t> timestamps_ns;  // 0: of no frame
  for (size_t i = 0; i < coded.reference_slots.size(); ++i) {
    const auto* const frame =
        static_cast<const NodeFrame*>(coded.references[i].get());
    timestamps_ns.push_back(
        frame ? frame->timestamp_us() * kNanosecondsPerMicrosecond : 0);
  }
  std::vector<NodeControl> controls;
  Status status = codec_.node_controls(coded, timestamps_ns, &controls);
  if (!status.ok()) return status;
  return device_->SetControls(slot.request.get(), controls);
}

Status NodeSession::CompleteOldest() {
  if (!broken_.ok()) return broken_;
  if (in_flight_.empty()) {
    return Break({StatusCode::kCancelled, "nothing is in flight"});
  }
  const InFlight job = std::move(in_flight_.front());
  in_flight_.pop_front();
  bool failed = false;
  Status status = TakeBack(job, &failed);
  if (!status.ok()) return Break(status);
  free_slots_.push_back(job.slot);
  job.frame->Done(failed ? Status(StatusCode::kInvalidBitstream,
                                  "the node marked it with "
                                  "V4L2_BUF_FLAG_ERROR")
                         : Status::Ok());
  return Status::Ok();
}

Status NodeSession::TakeBack(const InFlight& job, bool* failed) {
  const Slot& slot = slots_[job.slot];
  Status status = V4l2Device::WaitRequest(slot.request.get(), timeout_ms_);
  if (!status.ok()) return status;
  const std::pair<Queue, uint32_t> expected[] = {
      {Queue::kCoded, slot.buffer->index()},
      {Queue::kDecoded, job.frame->picture_index()}};
  for (const auto& [queue, expected_index] : expected) {
    uint32_t index = 0;
    bool buffer_failed = false;
    status = device_->Dequeue(queue, timeout_ms_, &index, &buffer_failed);
    if (!status.ok()) return status;
    if (index != expected_index) {
      return {StatusCode::kCancelled,
              "the node returned buffer " + std::to_string(index) +
                  ", expected " + std::to_string(expected_index)};
    }
    *failed |= buffer_failed;
  }
  return V4l2Device::ResetRequest(slot.request.get());
}

Status NodeSession::Drain() {
  while (!in_flight_.empty()) {
    Status status = CompleteOldest();
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace perdix::client
