// SPDX-License-Identifier: BSD-2-Clause
#include "client/node/node_session.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "client/base/no_throw.h"

namespace perdix::client {
namespace {

constexpr uint32_t kMinCodedBytes = 256 * 1024;
constexpr uint64_t kNanosecondsPerMicrosecond = 1000;

Status Unsupported(std::string message) {
  return {StatusCode::kUnsupported, std::move(message)};
}

Status Invalid(std::string message) {
  return {StatusCode::kInvalidArgument, std::move(message)};
}

std::string Size(uint32_t width, uint32_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

std::string Size(const FrameFormat& format) {
  return Size(format.width, format.height);
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

// Whether the node's format has room for such frames.
Status CheckLayout(const SurfaceLayout& layout, const FrameFormat& format) {
  const uint32_t wanted = PixelFormat(format);
  if (layout.fourcc != wanted || layout.width < format.width ||
      layout.height < format.height) {
    return Unsupported("the node gives " + Fourcc(layout.fourcc) + " " +
                       Size(layout.width, layout.height) +
                       ", needed: " + Fourcc(wanted) + " " + Size(format));
  }
  const size_t needed = layout.offsets[kChroma] +
                        size_t{layout.strides[kChroma]} * (layout.height / 2);
  if (layout.bytes >= needed) return Status::Ok();
  return Unsupported("the node's picture has " + std::to_string(layout.bytes) +
                     " bytes, its format needs " + std::to_string(needed));
}

}  // namespace

NodeSession::NodeSession(std::unique_ptr<V4l2Device> device,
                         const ClientCodec& codec,
                         const SessionOptions& options)
    : queue_(std::make_shared<SessionQueue>(std::move(device))),
      device_(queue_->device()),
      codec_(codec),
      timeout_ms_(options.timeout_ms) {
  if (options.imports) device_.ImportDecoded();
}

Status NodeSession::Break(Status status) {
  broken_ = status;
  return status;
}

// ---- formats ----

Status NodeSession::SetFormat(const FrameFormat& format,
                              std::span<const NodeControl> controls,
                              bool restarts) {
  if (!broken_.ok()) return broken_;
  if (PixelFormat(format) == 0) {
    return Unsupported("a frame of " + std::to_string(format.bit_depth) +
                       " bit and subsampling " +
                       std::to_string(format.subsampling_x) + "," +
                       std::to_string(format.subsampling_y) +
                       " has no pixel format here, allowed: 1,1");
  }
  Status status = Drain();
  if (!status.ok()) return status;
  const bool restart = restarts || format_.width == 0;
  status = restart ? Restart(format, controls) : Resize(format, controls);
  format_ = status.ok() ? format : FrameFormat();
  return status;
}

// Nothing decoded before is referred to any more.
Status NodeSession::Restart(const FrameFormat& format,
                            std::span<const NodeControl> controls) {
  Status status = EmptyQueues();
  if (status.ok()) status = SetNodeFormats(format, controls);
  for (int i = 0; i < Session::kRequests && status.ok(); ++i) {
    status = AddSlot();
  }
  return status;
}

// Pictures of the old size go on being references, so the queues stay.
Status NodeSession::Resize(const FrameFormat& format,
                           std::span<const NodeControl> controls) {
  if (!device_.can_remove_buffers()) {
    return Unsupported("frame size changes from " + Size(format_) + " to " +
                       Size(format) +
                       " without a key frame: the node has no REMOVE_BUFS");
  }
  return SetNodeFormats(format, controls);
}

Status NodeSession::SetNodeFormats(const FrameFormat& format,
                                   std::span<const NodeControl> controls) {
  Status status = device_.SetCodedFormat(
      codec_, format, std::max(kMinCodedBytes, format.width * format.height));
  if (status.ok()) status = TellFormat(controls);
  SurfaceLayout layout;
  if (status.ok()) status = device_.GetDecodedFormat(&layout);
  if (status.ok() && layout.fourcc != PixelFormat(format)) {
    status = device_.SetDecodedFormat(PixelFormat(format));
    if (status.ok()) status = device_.GetDecodedFormat(&layout);
  }
  if (status.ok()) status = CheckLayout(layout, format);
  if (status.ok()) layout_ = layout;
  return status;
}

// On the control that has the sample format, the node's decoded format depends.
Status NodeSession::TellFormat(std::span<const NodeControl> controls) {
  for (const NodeControl& control : controls) {
    if (control.id != codec_.format_control) continue;
    return device_.SetControls(-1, {&control, 1});
  }
  return Invalid("control " + std::to_string(codec_.format_control) +
                 ", which has the sample format, is missing");
}

Status NodeSession::EmptyQueues() {
  slots_.clear();
  free_slots_.clear();
  queue_->Emptied();
  streams_ = false;
  for (const Queue queue : {Queue::kCoded, Queue::kDecoded}) {
    Status status = device_.StreamOff(queue);
    if (!status.ok()) return status;
    status = device_.RemoveAllBuffers(queue);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status NodeSession::AddSlot() {
  Slot slot;
  Status status = device_.CreateCoded(0, &slot.buffer);
  if (!status.ok()) return status;
  status = device_.NewRequest(&slot.request);
  if (!status.ok()) return status;
  free_slots_.push_back(slots_.size());
  slots_.push_back(std::move(slot));
  return Status::Ok();
}

// ---- surfaces ----

Status NodeSession::NewSurface(SurfacePtr* surface) {
  if (device_.imports_decoded()) {
    return Invalid("the session's surfaces are imported: Import() adds one");
  }
  if (format_.width == 0) return Invalid("the session has no format yet");
  uint32_t index = 0;
  Status status = device_.CreateDecoded(&index);
  if (!status.ok()) return status;
  FileDescriptor dma_buf;
  status = device_.ExportDecoded(index, &dma_buf);
  if (status.ok()) return AddSurface(std::move(dma_buf), index, surface);
  device_.RemoveBuffer(Queue::kDecoded, index);
  return status;
}

Status NodeSession::Import(int fd, SurfacePtr* surface) {
  if (!device_.imports_decoded()) {
    return Invalid("the session's surfaces are the node's: NewSurface()");
  }
  if (format_.width == 0) return Invalid("the session has no format yet");
  const off_t bytes = lseek(fd, 0, SEEK_END);
  if (bytes < 0 || size_t(bytes) < layout_.bytes) {
    return Invalid("a dma-buf of " + std::to_string(bytes) +
                   " bytes, a surface of the format needs " +
                   std::to_string(layout_.bytes));
  }
  FileDescriptor dma_buf(fcntl(fd, F_DUPFD_CLOEXEC, 0), close);
  if (!dma_buf.valid()) {
    return Invalid(std::string("dup: ") + std::strerror(errno));
  }
  uint32_t index = 0;
  Status status = device_.CreateDecoded(&index);
  if (!status.ok()) return status;
  return AddSurface(std::move(dma_buf), index, surface);
}

Status NodeSession::AddSurface(FileDescriptor dma_buf, uint32_t index,
                               SurfacePtr* surface) {
  auto added = std::make_shared<Surface>(queue_, layout_, index, dma_buf.get());
  dma_buf.Release();
  *surface = std::move(added);
  return Status::Ok();
}

// ---- frames ----

Status NodeSession::Submit(NodeFrame frame) {
  if (!broken_.ok()) return broken_;
  if (format_.width == 0) return Invalid("the session has no format yet");
  Status status = CheckTarget(frame.target.get());
  std::vector<uint64_t> timestamps_ns;
  if (status.ok()) status = FindTimestamps(frame.references, &timestamps_ns);
  if (status.ok()) {
    status = codec_.set_timestamps(timestamps_ns, frame.controls);
  }
  size_t index = 0;
  if (status.ok()) status = TakeSlot(&index);
  if (!status.ok()) return status;

  Surface& target = *frame.target;
  target.Unmap();
  // Before the node has the frame: nothing fails afterwards.
  in_flight_.push_back({index, frame.target, frame.references});
  const uint64_t timestamp_us = ++last_timestamp_us_;
  Slot& slot = slots_[index];
  status = NoThrow([&] { return QueueBuffers(frame, timestamp_us, slot); });
  if (!status.ok()) {
    in_flight_.pop_back();
    const Status reset = device_.ResetRequest(slot.request.get());
    return reset.ok() ? status : Break(reset);
  }
  status = NoThrow([&] { return device_.QueueRequest(slot.request.get()); });
  if (!status.ok()) {
    // The node keeps the picture, for whichever frame comes next.
    in_flight_.pop_back();
    return Break(status);
  }
  std::erase(free_slots_, index);
  target.format_ = format_;
  target.timestamp_us_ = timestamp_us;
  target.in_flight_ = true;
  return Status::Ok();
}

Status NodeSession::CheckTarget(const Surface* target) const {
  if (target == nullptr) return Invalid("the frame has no target");
  if (target->queue_ != queue_) {
    return Invalid("the target is a surface of another session");
  }
  if (target->queue_life_ != queue_->life() || target->layout_ != layout_) {
    return Invalid("the target was made for " +
                   Size(target->layout_.width, target->layout_.height) +
                   " before the format changed to " +
                   Size(layout_.width, layout_.height) + ": use a new one");
  }
  if (!target->in_flight_) return Status::Ok();
  return Invalid("the target has a frame in flight: wait for it");
}

// 0: of no frame that the node has.
Status NodeSession::FindTimestamps(const std::vector<SurfacePtr>& references,
                                   std::vector<uint64_t>* timestamps_ns) const {
  for (const SurfacePtr& reference : references) {
    uint64_t& timestamp_ns = timestamps_ns->emplace_back(0);
    if (reference == nullptr) continue;
    if (reference->queue_ != queue_) {
      return Invalid("reference " + std::to_string(timestamps_ns->size() - 1) +
                     " is a surface of another session");
    }
    if (reference->queue_life_ != queue_->life()) continue;
    timestamp_ns = reference->timestamp_us_ * kNanosecondsPerMicrosecond;
  }
  return Status::Ok();
}

Status NodeSession::TakeSlot(size_t* index) {
  while (free_slots_.empty()) {
    Status status = WaitForOldest();
    if (!status.ok()) return status;
  }
  *index = free_slots_.front();
  return Status::Ok();
}

// No earlier: a queue without buffers cannot stream.
Status NodeSession::StartStreaming() {
  if (streams_) return Status::Ok();
  Status status = device_.StreamOn(Queue::kCoded);
  if (status.ok()) status = device_.StreamOn(Queue::kDecoded);
  streams_ = status.ok();
  return status;
}

// What goes into the request, and the target.
Status NodeSession::QueueBuffers(const NodeFrame& frame, uint64_t timestamp_us,
                                 Slot& slot) {
  Status status = StartStreaming();
  if (!status.ok()) return status;
  status = Fill(slot, frame.data);
  if (!status.ok()) return status;
  const int request = slot.request.get();
  status = device_.SetControls(request, frame.controls);
  if (!status.ok()) return status;
  status = device_.EnqueueCoded(
      slot.buffer->index(), uint32_t(frame.data.size()), timestamp_us, request);
  if (!status.ok()) return status;
  return device_.EnqueueDecoded(frame.target->index_, frame.target->fd_);
}

Status NodeSession::Fill(Slot& slot, std::span<const uint8_t> data) {
  if (slot.buffer->bytes().size() < data.size()) {
    MappedBufferPtr larger;
    Status status =
        device_.CreateCoded(uint32_t(data.size() + data.size() / 2), &larger);
    if (!status.ok()) return status;
    device_.RemoveBuffer(Queue::kCoded, slot.buffer->index());
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

Status NodeSession::Wait(const Surface& surface) {
  if (surface.queue_ != queue_) {
    return Invalid("the surface is of another session");
  }
  while (surface.in_flight_) {
    Status status = WaitForOldest();
    if (!status.ok()) return status;
  }
  if (!surface.failed_) return Status::Ok();
  return {StatusCode::kInvalidBitstream,
          "the node marked it with V4L2_BUF_FLAG_ERROR"};
}

Status NodeSession::WaitForOldest() {
  if (!broken_.ok()) return broken_;
  if (in_flight_.empty()) return Invalid("nothing is in flight");
  const InFlight job = std::move(in_flight_.front());
  in_flight_.pop_front();
  bool failed = false;
  Status status = NoThrow([&] { return TakeBack(job, &failed); });
  if (!status.ok()) return Break(status);
  free_slots_.push_back(job.slot);
  job.target->in_flight_ = false;
  job.target->failed_ = failed;
  return Status::Ok();
}

Status NodeSession::TakeBack(const InFlight& job, bool* failed) {
  const Slot& slot = slots_[job.slot];
  Status status = device_.WaitRequest(slot.request.get(), timeout_ms_);
  if (!status.ok()) return status;
  const std::pair<Queue, uint32_t> expected[] = {
      {Queue::kCoded, slot.buffer->index()},
      {Queue::kDecoded, job.target->index_}};
  for (const auto& [queue, expected_index] : expected) {
    uint32_t index = 0;
    bool buffer_failed = false;
    status = device_.Dequeue(queue, timeout_ms_, &index, &buffer_failed);
    if (!status.ok()) return status;
    if (index != expected_index) {
      return {StatusCode::kCancelled,
              "the node returned buffer " + std::to_string(index) +
                  ", expected " + std::to_string(expected_index)};
    }
    *failed |= buffer_failed;
  }
  return device_.ResetRequest(slot.request.get());
}

Status NodeSession::Drain() {
  while (!in_flight_.empty()) {
    Status status = WaitForOldest();
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace perdix::client
