// SPDX-License-Identifier: BSD-2-Clause
#include "client/node/v4l2_device.h"

#include <fcntl.h>
#include <libv4l2.h>
#include <linux/media.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "client/node/media_device.h"
#include "client/node/remove_bufs.h"

namespace perdix::client {
namespace {

constexpr uint64_t kMicrosecondsPerSecond = 1'000'000;

Status CallFailed(const char* name) {
  const bool refused = errno == EINVAL || errno == ERANGE;
  return {refused ? StatusCode::kInvalidArgument : StatusCode::kCancelled,
          std::string(name) + ": " + std::strerror(errno)};
}

// A buffer description with its one plane.
struct Buffer {
  Buffer(Queue queue, uint32_t memory) {
    buffer.type = uint32_t(queue);
    buffer.memory = memory;
    buffer.m.planes = &plane;
    buffer.length = 1;
  }
  v4l2_plane plane = {};
  v4l2_buffer buffer = {};
};

v4l2_format EmptyFormat(Queue queue) {
  v4l2_format format = {};
  format.type = uint32_t(queue);
  return format;
}

}  // namespace

// True when one of <events> comes in time.
bool V4l2Device::Poll(int fd, int16_t events, int timeout_ms) const {
  pollfd wait = {fd, events, 0};
  int ready;
  do {
    ready = calls_.Poll(&wait, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0 && (wait.revents & events) != 0;
}

Status V4l2Device::Open(const std::string& path,
                        std::unique_ptr<V4l2Device>* device) {
  const int video = v4l2_open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (video < 0) return CallFailed("open");
  FileDescriptor video_fd(video, v4l2_close);
  struct stat node;
  if (fstat(video, &node) != 0) return CallFailed("stat");
  std::string media_path;
  Status status = FindMediaDevice(node.st_rdev, &media_path);
  if (!status.ok()) return status;
  FileDescriptor media_fd(open(media_path.c_str(), O_RDWR | O_CLOEXEC), close);
  if (!media_fd.valid()) return CallFailed(media_path.c_str());
  return Open(NodeCalls::Kernel(), std::move(video_fd), std::move(media_fd),
              device);
}

Status V4l2Device::Open(NodeCalls& calls, FileDescriptor video,
                        FileDescriptor media,
                        std::unique_ptr<V4l2Device>* device) {
  std::unique_ptr<V4l2Device> opened(
      new V4l2Device(calls, std::move(video), std::move(media)));
  Status status = opened->CheckNode();
  if (status.ok()) *device = std::move(opened);
  return status;
}

Status V4l2Device::CheckNode() {
  v4l2_capability capability = {};
  Status status = Call(VIDIOC_QUERYCAP, &capability, "QUERYCAP");
  if (!status.ok()) return status;
  constexpr uint32_t kNeeded = V4L2_CAP_VIDEO_M2M_MPLANE | V4L2_CAP_STREAMING;
  if ((capability.device_caps & kNeeded) != kNeeded) {
    return {StatusCode::kUnsupported,
            "is no streaming memory-to-memory device with multi-planar queues"};
  }
  v4l2_create_buffers create = {};
  create.memory = V4L2_MEMORY_MMAP;
  create.format = EmptyFormat(Queue::kDecoded);
  status = Call(VIDIOC_G_FMT, &create.format, "G_FMT(CAPTURE)");
  if (!status.ok()) return status;
  status = Call(VIDIOC_CREATE_BUFS, &create, "CREATE_BUFS(CAPTURE)");
  if (!status.ok()) return status;
  can_remove_buffers_ =
      (create.capabilities & V4L2_BUF_CAP_SUPPORTS_REMOVE_BUFS) != 0;
  return Status::Ok();
}

bool V4l2Device::HasControl(uint32_t id) {
  const auto [found, added] = has_control_.emplace(id, false);
  if (added) {
    v4l2_query_ext_ctrl query = {};
    query.id = id;
    found->second = Call(VIDIOC_QUERY_EXT_CTRL, &query, "").ok();
  }
  return found->second;
}

Status V4l2Device::Call(unsigned long request, void* argument,
                        const char* name) const {
  int result;
  do {
    result = calls_.Ioctl(video_.get(), request, argument);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? Status::Ok() : CallFailed(name);
}

Status V4l2Device::SetCodedFormat(const ClientCodec& codec,
                                  const FrameFormat& frame,
                                  uint32_t buffer_bytes) {
  v4l2_format format = EmptyFormat(Queue::kCoded);
  v4l2_pix_format_mplane& pixels = format.fmt.pix_mp;
  pixels.pixelformat = codec.pixelformat;
  pixels.width = frame.width;
  pixels.height = frame.height;
  pixels.num_planes = 1;
  pixels.plane_fmt[0].sizeimage = buffer_bytes;
  Status status = Call(VIDIOC_S_FMT, &format, "S_FMT(OUTPUT)");
  if (!status.ok()) return status;
  if (pixels.pixelformat != codec.pixelformat || pixels.width < frame.width ||
      pixels.height < frame.height) {
    return {StatusCode::kUnsupported, std::string("the node does not take ") +
                                          codec.name + " frames of " +
                                          std::to_string(frame.width) + "x" +
                                          std::to_string(frame.height)};
  }
  return Status::Ok();
}

Status V4l2Device::SetDecodedFormat(uint32_t pixelformat) {
  v4l2_format format = EmptyFormat(Queue::kDecoded);
  Status status = Call(VIDIOC_G_FMT, &format, "G_FMT(CAPTURE)");
  if (!status.ok()) return status;
  format.fmt.pix_mp.pixelformat = pixelformat;
  format.fmt.pix_mp.num_planes = 1;
  return Call(VIDIOC_S_FMT, &format, "S_FMT(CAPTURE)");
}

Status V4l2Device::GetDecodedFormat(SurfaceLayout* layout) const {
  v4l2_format format = EmptyFormat(Queue::kDecoded);
  Status status = Call(VIDIOC_G_FMT, &format, "G_FMT(CAPTURE)");
  if (!status.ok()) return status;
  const v4l2_pix_format_mplane& pixels = format.fmt.pix_mp;
  const v4l2_plane_pix_format& plane = pixels.plane_fmt[0];
  // 4:2:0: chroma rows follow the luma rows, and are as long.
  *layout = {.fourcc = pixels.pixelformat,
             .width = pixels.width,
             .height = pixels.height,
             .offsets = {0, plane.bytesperline * pixels.height},
             .strides = {plane.bytesperline, plane.bytesperline},
             .bytes = plane.sizeimage};
  return Status::Ok();
}

Status V4l2Device::CreateBuffer(Queue queue, uint32_t bytes, uint32_t* index) {
  v4l2_create_buffers create = {};
  create.count = 1;
  create.memory = MemoryOf(queue);
  create.format = EmptyFormat(queue);
  Status status = Call(VIDIOC_G_FMT, &create.format, "G_FMT");
  if (!status.ok()) return status;
  if (bytes > 0) create.format.fmt.pix_mp.plane_fmt[0].sizeimage = bytes;
  status = Call(VIDIOC_CREATE_BUFS, &create, "CREATE_BUFS");
  if (status.ok()) *index = create.index;
  return status;
}

Status V4l2Device::CreateCoded(uint32_t bytes, MappedBufferPtr* buffer) {
  uint32_t index = 0;
  Status status = CreateBuffer(Queue::kCoded, bytes, &index);
  return status.ok() ? MapCoded(index, buffer) : status;
}

Status V4l2Device::CreateDecoded(uint32_t* index) {
  return CreateBuffer(Queue::kDecoded, 0, index);
}

Status V4l2Device::ExportDecoded(uint32_t index, FileDescriptor* dma_buf) {
  v4l2_exportbuffer exported = {};
  exported.type = uint32_t(Queue::kDecoded);
  exported.index = index;
  exported.flags = O_RDWR | O_CLOEXEC;
  Status status = Call(VIDIOC_EXPBUF, &exported, "EXPBUF");
  if (status.ok()) *dma_buf = FileDescriptor(exported.fd, close);
  return status;
}

Status V4l2Device::MapCoded(uint32_t index, MappedBufferPtr* buffer) {
  Buffer query(Queue::kCoded, V4L2_MEMORY_MMAP);
  query.buffer.index = index;
  Status status = Call(VIDIOC_QUERYBUF, &query.buffer, "QUERYBUF");
  if (!status.ok()) return status;
  void* const bytes =
      calls_.Map(query.plane.length, video_.get(), query.plane.m.mem_offset);
  if (bytes == MAP_FAILED) return CallFailed("mmap");
  *buffer = std::make_unique<MappedBuffer>(
      calls_, index,
      std::span<uint8_t>(static_cast<uint8_t*>(bytes), query.plane.length));
  return Status::Ok();
}

void V4l2Device::RemoveBuffer(Queue queue, uint32_t index) {
  if (!can_remove_buffers_) return;
  v4l2_remove_buffers remove = {};
  remove.index = index;
  remove.count = 1;
  remove.type = uint32_t(queue);
  // A buffer that cannot go is a buffer not used again.
  (void)Call(VIDIOC_REMOVE_BUFS, &remove, "REMOVE_BUFS");
}

Status V4l2Device::RemoveAllBuffers(Queue queue) {
  v4l2_requestbuffers request = {};
  request.type = uint32_t(queue);
  request.memory = MemoryOf(queue);
  return Call(VIDIOC_REQBUFS, &request, "REQBUFS(0)");
}

Status V4l2Device::StreamOn(Queue queue) {
  int type = int(queue);
  return Call(VIDIOC_STREAMON, &type, "STREAMON");
}

Status V4l2Device::StreamOff(Queue queue) {
  int type = int(queue);
  return Call(VIDIOC_STREAMOFF, &type, "STREAMOFF");
}

Status V4l2Device::EnqueueCoded(uint32_t index, uint32_t bytes_used,
                                uint64_t timestamp_us, int request_fd) {
  Buffer queued(Queue::kCoded, V4L2_MEMORY_MMAP);
  queued.buffer.index = index;
  queued.buffer.timestamp.tv_sec =
      time_t(timestamp_us / kMicrosecondsPerSecond);
  queued.buffer.timestamp.tv_usec =
      suseconds_t(timestamp_us % kMicrosecondsPerSecond);
  queued.plane.bytesused = bytes_used;
  queued.buffer.flags = V4L2_BUF_FLAG_REQUEST_FD;
  queued.buffer.request_fd = request_fd;
  return Call(VIDIOC_QBUF, &queued.buffer, "QBUF");
}

Status V4l2Device::EnqueueDecoded(uint32_t index, int dma_buf) {
  Buffer queued(Queue::kDecoded, decoded_memory_);
  queued.buffer.index = index;
  if (imports_decoded()) queued.plane.m.fd = dma_buf;
  return Call(VIDIOC_QBUF, &queued.buffer, "QBUF");
}

Status V4l2Device::Dequeue(Queue queue, int timeout_ms, uint32_t* index,
                           bool* failed) {
  Buffer dequeued(queue, MemoryOf(queue));
  Status status = Call(VIDIOC_DQBUF, &dequeued.buffer, "DQBUF");
  if (!status.ok() && errno == EAGAIN) {
    const int16_t event = queue == Queue::kCoded ? POLLOUT : POLLIN;
    if (!Poll(video_.get(), event, timeout_ms)) {
      return {StatusCode::kCancelled,
              "the node did not return a buffer within " +
                  std::to_string(timeout_ms) + " ms"};
    }
    status = Call(VIDIOC_DQBUF, &dequeued.buffer, "DQBUF");
  }
  if (!status.ok()) return status;
  *index = dequeued.buffer.index;
  *failed = (dequeued.buffer.flags & V4L2_BUF_FLAG_ERROR) != 0;
  return Status::Ok();
}

Status V4l2Device::SetControls(int request_fd,
                               std::span<const NodeControl> controls) {
  std::vector<v4l2_ext_control> known;
  for (const NodeControl& control : controls) {
    if (!HasControl(control.id)) continue;
    v4l2_ext_control& ext = known.emplace_back();
    ext.id = control.id;
    ext.size = uint32_t(control.value.size());
    ext.ptr = const_cast<uint8_t*>(control.value.data());  // only read
  }
  v4l2_ext_controls all = {};
  all.count = uint32_t(known.size());
  all.controls = known.data();
  if (request_fd >= 0) {
    all.which = V4L2_CTRL_WHICH_REQUEST_VAL;
    all.request_fd = request_fd;
  }
  return Call(VIDIOC_S_EXT_CTRLS, &all, "frame header, S_EXT_CTRLS");
}

Status V4l2Device::NewRequest(FileDescriptor* request) {
  int fd = -1;
  if (calls_.Ioctl(media_.get(), MEDIA_IOC_REQUEST_ALLOC, &fd) != 0) {
    return CallFailed("MEDIA_IOC_REQUEST_ALLOC");
  }
  *request = FileDescriptor(fd, close);
  return Status::Ok();
}

Status V4l2Device::QueueRequest(int request_fd) {
  if (calls_.Ioctl(request_fd, MEDIA_REQUEST_IOC_QUEUE, nullptr) == 0)
    return Status::Ok();
  return CallFailed("MEDIA_REQUEST_IOC_QUEUE");
}

Status V4l2Device::WaitRequest(int request_fd, int timeout_ms) {
  if (Poll(request_fd, POLLPRI, timeout_ms)) return Status::Ok();
  return {StatusCode::kCancelled,
          "the node did not complete a request within " +
              std::to_string(timeout_ms) + " ms"};
}

Status V4l2Device::ResetRequest(int request_fd) {
  if (calls_.Ioctl(request_fd, MEDIA_REQUEST_IOC_REINIT, nullptr) == 0)
    return Status::Ok();
  return CallFailed("MEDIA_REQUEST_IOC_REINIT");
}

}  // namespace perdix::client
