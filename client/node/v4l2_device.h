// SPDX-License-Identifier: BSD-2-Clause
// A V4L2 stateless decoder node and its media device: the calls, one by one.
// The order of the calls is the session's (node_session.cc).
#ifndef PERDIX_CLIENT_NODE_V4L2_DEVICE_H_
#define PERDIX_CLIENT_NODE_V4L2_DEVICE_H_

#include <linux/videodev2.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "client/bitstream/codec.h"
#include "client/node/node_calls.h"
#include "client/node/session.h"
#include "kernels/status.h"

namespace perdix::client {

// Owns a file descriptor.
class FileDescriptor {
 public:
  using Close = int (*)(int);
  FileDescriptor() = default;
  FileDescriptor(int fd, Close close) : fd_(fd), close_(close) {}
  FileDescriptor(FileDescriptor&& other) noexcept { *this = std::move(other); }
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) close_(fd_);
  }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // The descriptor, which is the caller's from now on.
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
  Close close_ = nullptr;
};

// OUTPUT takes coded frames, CAPTURE gives pictures.
enum class Queue : uint32_t {
  kCoded = V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE,
  kDecoded = V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE,
};

// A coded buffer, mapped as long as the object lives; that may be longer than
// the queue knows it.
class MappedBuffer {
 public:
  MappedBuffer(NodeCalls& calls, uint32_t index, std::span<uint8_t> bytes)
      : calls_(calls), index_(index), bytes_(bytes) {}
  ~MappedBuffer() { calls_.Unmap(bytes_.data(), bytes_.size()); }
  MappedBuffer(const MappedBuffer&) = delete;
  MappedBuffer& operator=(const MappedBuffer&) = delete;

  uint32_t index() const { return index_; }
  std::span<uint8_t> bytes() const { return bytes_; }

 private:
  NodeCalls& calls_;
  const uint32_t index_;
  const std::span<uint8_t> bytes_;
};

using MappedBufferPtr = std::unique_ptr<MappedBuffer>;

class V4l2Device {
 public:
  // path: the video node
  static Status Open(const std::string& path,
                     std::unique_ptr<V4l2Device>* device);
  // Takes over a node that is open already.
  static Status Open(NodeCalls& calls, FileDescriptor video,
                     FileDescriptor media, std::unique_ptr<V4l2Device>* device);

  // Before the first decoded buffer: their memory is given with each frame.
  void ImportDecoded() { decoded_memory_ = V4L2_MEMORY_DMABUF; }
  bool imports_decoded() const { return decoded_memory_ == V4L2_MEMORY_DMABUF; }

  bool can_remove_buffers() const { return can_remove_buffers_; }

  // S_FMT on the coded queue; it sets the decoded one, which GetDecodedFormat
  // reads.
  Status SetCodedFormat(const ClientCodec& codec, const FrameFormat& format,
                        uint32_t buffer_bytes);
  Status SetDecodedFormat(uint32_t pixelformat);
  Status GetDecodedFormat(SurfaceLayout* layout) const;

  // New buffers in the present format; a coded one of at least <bytes> unless
  // that is 0.
  Status CreateCoded(uint32_t bytes, MappedBufferPtr* buffer);
  Status CreateDecoded(uint32_t* index);
  // The memory of one of the node's decoded buffers.
  Status ExportDecoded(uint32_t index, FileDescriptor* dma_buf);
  void RemoveBuffer(Queue queue, uint32_t index);  // where the node can
  Status RemoveAllBuffers(Queue queue);
  Status StreamOn(Queue queue);
  Status StreamOff(Queue queue);

  Status EnqueueCoded(uint32_t index, uint32_t bytes_used,
                      uint64_t timestamp_us, int request_fd);
  // dma_buf: where the buffer's memory is imported
  Status EnqueueDecoded(uint32_t index, int dma_buf);
  // Waits up to timeout_ms. *failed: V4L2_BUF_FLAG_ERROR.
  Status Dequeue(Queue queue, int timeout_ms, uint32_t* index, bool* failed);

  // Sets those that the node has. request_fd -1: at once.
  Status SetControls(int request_fd, std::span<const NodeControl> controls);

  Status NewRequest(FileDescriptor* request);
  Status QueueRequest(int request_fd);
  Status WaitRequest(int request_fd, int timeout_ms);
  Status ResetRequest(int request_fd);

 private:
  V4l2Device(NodeCalls& calls, FileDescriptor video, FileDescriptor media)
      : calls_(calls), video_(std::move(video)), media_(std::move(media)) {}

  Status CheckNode();
  bool HasControl(uint32_t id);
  Status Call(unsigned long request, void* argument, const char* name) const;
  Status CreateBuffer(Queue queue, uint32_t bytes, uint32_t* index);
  Status MapCoded(uint32_t index, MappedBufferPtr* buffer);
  uint32_t MemoryOf(Queue queue) const {
    return queue == Queue::kCoded ? uint32_t{V4L2_MEMORY_MMAP}
                                  : decoded_memory_;
  }
  bool Poll(int fd, int16_t events, int timeout_ms) const;

  NodeCalls& calls_;
  FileDescriptor video_;
  FileDescriptor media_;
  uint32_t decoded_memory_ = V4L2_MEMORY_MMAP;
  bool can_remove_buffers_ = false;
  std::map<uint32_t, bool> has_control_;  // of the ids asked for
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_NODE_V4L2_DEVICE_H_
