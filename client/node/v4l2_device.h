// SPDX-License-Identifier: BSD-2-Clause
// A V4L2 stateless decoder node and its media device: the calls, one by one.
// The order of the calls is the session's (v4l2_backend.cc).
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

 private:
  int fd_ = -1;
  Close close_ = nullptr;
};

// OUTPUT takes coded frames, CAPTURE gives pictures.
enum class Queue : uint32_t {
  kCoded = V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE,
  kDecoded = V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE,
};

// A buffer of a queue, mapped as long as the object lives; that may be longer
// than the queue knows it.
class MappedBuffer {
 public:
  MappedBuffer(uint32_t index, std::span<uint8_t> bytes)
      : index_(index), bytes_(bytes) {}
  ~MappedBuffer();
  MappedBuffer(const MappedBuffer&) = delete;
  MappedBuffer& operator=(const MappedBuffer&) = delete;

  uint32_t index() const { return index_; }
  std::span<uint8_t> bytes() const { return bytes_; }

 private:
  const uint32_t index_;
  const std::span<uint8_t> bytes_;
};

using MappedBufferPtr = std::shared_ptr<MappedBuffer>;

// What the queues of a node take.
struct NodeFormat {
  uint32_t pixelformat = 0;
  uint32_t width = 0;  // as aligned by the node
  uint32_t height = 0;
  uint32_t stride_bytes = 0;
};

class V4l2Device {
 public:
  // path: the video node
  static Status Open(const std::string& path,
                     std::unique_ptr<V4l2Device>* device);

  bool can_remove_buffers() const { return can_remove_buffers_; }

  // S_FMT on the coded queue; it sets the decoded one, which GetDecodedFormat
  // reads.
  Status SetCodedFormat(const ClientCodec& codec, const FrameFormat& format,
                        uint32_t buffer_bytes);
  Status SetDecodedFormat(uint32_t pixelformat);
  Status GetDecodedFormat(NodeFormat* format) const;

  // A new buffer in the present format; of at least buffer_bytes unless 0.
  Status CreateBuffer(Queue queue, uint32_t buffer_bytes,
                      MappedBufferPtr* buffer);
  void RemoveBuffer(Queue queue, uint32_t index);  // where the node can
  Status RemoveAllBuffers(Queue queue);
  Status StreamOn(Queue queue);
  Status StreamOff(Queue queue);

  // request_fd -1: the buffer goes into no request.
  Status Enqueue(Queue queue, uint32_t index, uint32_t bytes_used,
                 uint64_t timestamp_us, int request_fd);
  // Waits up to timeout_ms. *failed: V4L2_BUF_FLAG_ERROR.
  Status Dequeue(Queue queue, int timeout_ms, uint32_t* index, bool* failed);

  // Sets those that the node has. request_fd -1: at once.
  Status SetControls(int request_fd, std::span<const NodeControl> controls);

  Status NewRequest(FileDescriptor* request);
  static Status QueueRequest(int request_fd);
  static Status WaitRequest(int request_fd, int timeout_ms);
  static Status ResetRequest(int request_fd);

 private:
  V4l2Device(FileDescriptor video, FileDescriptor media)
      : video_(std::move(video)), media_(std::move(media)) {}

  Status CheckNode();
  bool HasControl(uint32_t id);
  Status Call(unsigned long request, void* argument, const char* name) const;
  Status Map(Queue queue, uint32_t index, MappedBufferPtr* buffer);

  FileDescriptor video_;
  FileDescriptor media_;
  bool can_remove_buffers_ = false;
  std::map<uint32_t, bool> has_control_;  // of the ids asked for
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_NODE_V4L2_DEVICE_H_
