// SPDX-License-Identifier: BSD-2-Clause
#include "tests/client/node/fake_node.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/media.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "client/node/remove_bufs.h"
#include "tests/client/node/allocations.h"

namespace perdix::client {
namespace {

constexpr uint32_t kAlignment = 64;

uint32_t AlignUp(uint32_t value) {
  return (value + kAlignment - 1) / kAlignment * kAlignment;
}

int Fail(int error) {
  errno = error;
  return -1;
}

FileDescriptor NewDescriptor() {
  return FileDescriptor(eventfd(0, EFD_CLOEXEC), close);
}

}  // namespace

std::unique_ptr<V4l2Device> FakeNode::Open() {
  std::unique_ptr<V4l2Device> device;
  const Status status =
      V4l2Device::Open(*this, NewDescriptor(), NewDescriptor(), &device);
  EXPECT_TRUE(status.ok()) << status.message();
  return device;
}

uint64_t FakeNode::MemoryOf(uint32_t index) const {
  struct stat memory = {};
  EXPECT_EQ(fstat(decoded_.at(index).get(), &memory), 0);
  return memory.st_ino;
}

int FakeNode::Ioctl(int fd, unsigned long request, void* argument) {
  const EnoughMemory enough;
  switch (request) {
    case VIDIOC_QUERYCAP:
      static_cast<v4l2_capability*>(argument)->device_caps =
          V4L2_CAP_VIDEO_M2M_MPLANE | V4L2_CAP_STREAMING;
      return 0;
    case VIDIOC_G_FMT:
      FillFormat(static_cast<v4l2_format*>(argument));
      return 0;
    case VIDIOC_S_FMT:
      return SetFormat(*static_cast<v4l2_format*>(argument));
    case VIDIOC_CREATE_BUFS:
      return CreateBuffers(static_cast<v4l2_create_buffers*>(argument));
    case VIDIOC_QUERYBUF: {
      auto& buffer = *static_cast<v4l2_buffer*>(argument);
      buffer.m.planes[0].length = uint32_t(BytesOf(buffer.type));
      buffer.m.planes[0].m.mem_offset = buffer.index;
      return 0;
    }
    case VIDIOC_EXPBUF:
      return Export(static_cast<v4l2_exportbuffer*>(argument));
    case VIDIOC_REQBUFS:
      BuffersOf(static_cast<v4l2_requestbuffers*>(argument)->type).clear();
      return 0;
    case VIDIOC_REMOVE_BUFS: {
      const auto& remove = *static_cast<v4l2_remove_buffers*>(argument);
      if (BuffersOf(remove.type).erase(remove.index) == 0) return Fail(EINVAL);
      if (&BuffersOf(remove.type) == &decoded_)
        removed_.push_back(remove.index);
      return 0;
    }
    case VIDIOC_STREAMON:
      return BuffersOf(*static_cast<uint32_t*>(argument)).empty() ? Fail(EINVAL)
                                                                  : 0;
    case VIDIOC_STREAMOFF:
    case VIDIOC_QUERY_EXT_CTRL:
      return 0;
    case VIDIOC_QBUF:
      return Enqueue(*static_cast<v4l2_buffer*>(argument));
    case VIDIOC_DQBUF:
      return Dequeue(static_cast<v4l2_buffer*>(argument));
    case VIDIOC_S_EXT_CTRLS:
      return SetControls(*static_cast<v4l2_ext_controls*>(argument));
    case MEDIA_IOC_REQUEST_ALLOC:
      *static_cast<int*>(argument) = NewDescriptor().Release();
      return 0;
    case MEDIA_REQUEST_IOC_QUEUE:
      return Decode(fd);
    case MEDIA_REQUEST_IOC_REINIT:
      requests_.erase(fd);
      return 0;
  }
  ADD_FAILURE() << "unknown call " << request;
  return Fail(ENOTTY);
}

int FakeNode::Poll(pollfd* wait, int) {
  if (hangs_) return 0;
  wait->revents = wait->events;
  return 1;
}

void* FakeNode::Map(size_t bytes, int, int64_t offset) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
              coded_.at(uint32_t(offset)).get(), 0);
}

void FakeNode::Unmap(void* data, size_t bytes) { munmap(data, bytes); }

size_t FakeNode::BytesOf(uint32_t type) const {
  return type == V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE
             ? coded_bytes_
             : pixels_.plane_fmt[0].sizeimage;
}

void FakeNode::FillFormat(v4l2_format* format) const {
  format->fmt.pix_mp = pixels_;
  format->fmt.pix_mp.plane_fmt[0].sizeimage = uint32_t(BytesOf(format->type));
}

int FakeNode::SetFormat(const v4l2_format& format) {
  const v4l2_pix_format_mplane& wanted = format.fmt.pix_mp;
  if (format.type == V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE) {
    coded_bytes_ = wanted.plane_fmt[0].sizeimage;
    pixels_.pixelformat = V4L2_PIX_FMT_NV12;
    pixels_.width = AlignUp(wanted.width);
    pixels_.height = AlignUp(wanted.height);
  } else {
    pixels_.pixelformat = wanted.pixelformat;
  }
  const uint32_t sample_bytes =
      pixels_.pixelformat == V4L2_PIX_FMT_P010 ? 2 : 1;
  pixels_.num_planes = 1;
  pixels_.plane_fmt[0].bytesperline = pixels_.width * sample_bytes;
  pixels_.plane_fmt[0].sizeimage =
      pixels_.plane_fmt[0].bytesperline * pixels_.height * 3 / 2;
  return 0;
}

// Buffers of the client get their memory with each frame.
int FakeNode::CreateBuffers(v4l2_create_buffers* create) {
  create->capabilities = V4L2_BUF_CAP_SUPPORTS_REMOVE_BUFS;
  if (create->count == 0) return 0;
  create->index = next_index_++;
  FileDescriptor memory;
  if (create->memory == V4L2_MEMORY_MMAP) {
    memory = FileDescriptor(memfd_create("fake_node", MFD_CLOEXEC), close);
    const size_t bytes = create->format.fmt.pix_mp.plane_fmt[0].sizeimage;
    if (ftruncate(memory.get(), off_t(bytes)) != 0) return Fail(ENOMEM);
  }
  BuffersOf(create->format.type)[create->index] = std::move(memory);
  return 0;
}

int FakeNode::Export(v4l2_exportbuffer* exported) {
  exported->fd = fcntl(decoded_.at(exported->index).get(), F_DUPFD_CLOEXEC, 0);
  return exported->fd < 0 ? -1 : 0;
}

int FakeNode::Enqueue(const v4l2_buffer& buffer) {
  if (!BuffersOf(buffer.type).contains(buffer.index)) return Fail(EINVAL);
  if (buffer.type == V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE) {
    Request& request = requests_[buffer.request_fd];
    request.coded = buffer.index;
    request.job.timestamp_us = uint64_t(buffer.timestamp.tv_usec);
    request.job.data.resize(buffer.m.planes[0].bytesused);
    return pread(coded_.at(buffer.index).get(), request.job.data.data(),
                 request.job.data.size(), 0) < 0
               ? -1
               : 0;
  }
  if (std::ranges::count(targets_, buffer.index) > 0) return Fail(EINVAL);
  if (buffer.memory == V4L2_MEMORY_DMABUF) {
    decoded_[buffer.index] = FileDescriptor(
        fcntl(buffer.m.planes[0].m.fd, F_DUPFD_CLOEXEC, 0), close);
  }
  targets_.push_back(buffer.index);
  return 0;
}

int FakeNode::Dequeue(v4l2_buffer* buffer) {
  std::deque<Done>& done = DoneOf(buffer->type);
  if (done.empty()) return Fail(EAGAIN);
  buffer->index = done.front().index;
  buffer->flags = done.front().failed ? V4L2_BUF_FLAG_ERROR : 0;
  done.pop_front();
  return 0;
}

int FakeNode::SetControls(const v4l2_ext_controls& controls) {
  if (controls.which != V4L2_CTRL_WHICH_REQUEST_VAL) return 0;
  for (uint32_t i = 0; i < controls.count; ++i) {
    const v4l2_ext_control& control = controls.controls[i];
    requests_[controls.request_fd].job.controls[control.id] = {
        static_cast<const char*>(control.ptr), control.size};
  }
  return 0;
}

int FakeNode::Decode(int request_fd) {
  if (targets_.empty()) return Fail(EINVAL);
  Request& request = requests_.at(request_fd);
  Job& job = request.job;
  job.target = targets_.front();
  targets_.pop_front();
  jobs_.push_back(job);
  const std::string pixels(BytesOf(V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE),
                           char(jobs_.size()));
  if (pwrite(decoded_.at(job.target).get(), pixels.data(), pixels.size(), 0) <
      0)
    return -1;
  coded_done_.push_back({request.coded, fails_});
  decoded_done_.push_back({job.target, fails_});
  return 0;
}

}  // namespace perdix::client
