// SPDX-License-Identifier: BSD-2-Clause
// A stateless node in this process: takes the calls, and records what it was
// told to decode. A frame's pixels are its number, in all bytes of the target.
#ifndef PERDIX_TESTS_CLIENT_NODE_FAKE_NODE_H_
#define PERDIX_TESTS_CLIENT_NODE_FAKE_NODE_H_

#include <linux/videodev2.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "client/node/node_calls.h"
#include "client/node/v4l2_device.h"

namespace perdix::client {

class FakeNode : public NodeCalls {
 public:
  // What came with a request.
  struct Job {
    uint32_t target = 0;  // index of the decoded buffer
    uint64_t timestamp_us = 0;
    std::string data;
    std::map<uint32_t, std::string> controls;  // values by id
  };

  std::unique_ptr<V4l2Device> Open();
  // The inode of a decoded buffer's memory.
  uint64_t MemoryOf(uint32_t index) const;

  const std::vector<Job>& jobs() const { return jobs_; }
  // Decoded buffers that were removed, by REMOVE_BUFS.
  const std::vector<uint32_t>& removed() const { return removed_; }
  uint32_t decoded_buffers() const { return uint32_t(decoded_.size()); }
  // From now on, frames are marked with V4L2_BUF_FLAG_ERROR.
  void set_fails(bool fails) { fails_ = fails; }
  // From now on, frames are never finished.
  void set_hangs(bool hangs) { hangs_ = hangs; }

 private:
  struct Request {
    uint32_t coded = 0;
    Job job;
  };
  struct Done {
    uint32_t index = 0;
    bool failed = false;
  };
  using Buffers = std::map<uint32_t, FileDescriptor>;

  int Ioctl(int fd, unsigned long request, void* argument) override;
  int Poll(pollfd* wait, int timeout_ms) override;
  void* Map(size_t bytes, int fd, int64_t offset) override;
  void Unmap(void* data, size_t bytes) override;

  Buffers& BuffersOf(uint32_t type) {
    return type == V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE ? coded_ : decoded_;
  }
  std::deque<Done>& DoneOf(uint32_t type) {
    return type == V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE ? coded_done_
                                                     : decoded_done_;
  }
  size_t BytesOf(uint32_t type) const;
  void FillFormat(v4l2_format* format) const;
  int SetFormat(const v4l2_format& format);
  int CreateBuffers(v4l2_create_buffers* create);
  int Export(v4l2_exportbuffer* exported);
  int Enqueue(const v4l2_buffer& buffer);
  int Dequeue(v4l2_buffer* buffer);
  int SetControls(const v4l2_ext_controls& controls);
  int Decode(int request_fd);

  v4l2_pix_format_mplane pixels_ = {};  // of the decoded queue
  uint32_t coded_bytes_ = 0;
  uint32_t next_index_ = 0;
  Buffers coded_, decoded_;
  std::map<int, Request> requests_;
  std::deque<uint32_t> targets_;  // queued, not written yet
  std::deque<Done> coded_done_, decoded_done_;
  std::vector<Job> jobs_;
  std::vector<uint32_t> removed_;
  bool fails_ = false;
  bool hangs_ = false;
};

}  // namespace perdix::client

#endif  // PERDIX_TESTS_CLIENT_NODE_FAKE_NODE_H_
