// SPDX-License-Identifier: BSD-2-Clause
// One V4L2 context: its jobs in decode order, its pictures, its decoder.
// Belongs to the event loop's thread; frames end on worker threads, which
// answer the kernel themselves and report here through the CompletionQueue.
#ifndef PERDIX_DAEMON_SESSION_H_
#define PERDIX_DAEMON_SESSION_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "codec/codec.h"
#include "codec/decoder.h"
#include "daemon/buffer_table.h"
#include "daemon/completion_queue.h"
#include "daemon/kernel_channel.h"
#include "daemon/log.h"
#include "daemon/statistics.h"

namespace perdix {

// Asks to be told once (Session::FenceSignalled) when fd has these poll events.
using FenceWatch = std::function<void(uint32_t session, int fd, short events)>;

// What the sessions of a channel share.
struct SessionResources {
  std::shared_ptr<KernelChannel> channel;
  std::shared_ptr<CompletionQueue> completions;
  Engine& engine;
  const Log& log;
  Statistics& statistics;
  FenceWatch watch_fence;
};

class Session {
 public:
  // Both outlive the session.
  Session(uint32_t id, const SessionResources& shared, BufferTable& buffers);
  ~Session();  // waits for the frames in flight: see idle()

  void Queue(const perdix_job& job, std::vector<uint8_t> controls);
  void Cancel(uint64_t job);  // no effect on one that has started
  void ForgetBuffer(uint32_t buffer);
  void Finished(const Completion& completion);
  void FenceSignalled();

  // Takes no more jobs and drops those that have not started, answering them
  // with an error.
  void Close();
  bool closed() const { return closed_; }
  bool idle() const { return active_.empty(); }  // nothing in flight

  uint64_t frames() const { return frames_; }
  uint64_t failures() const { return failures_; }
  StreamCounters counters() const;  // of its decoder; empty before the first

 private:
  // Taken from the kernel, not yet given to the decoder.
  struct WaitingJob {
    perdix_job job;
    std::vector<uint8_t> controls;
    std::shared_ptr<Buffer> bitstream;
    std::shared_ptr<Buffer> target;
    PictureLayout layout;
    Status refused;  // why it cannot be decoded, whatever its bytes say
    const CodecRow* codec;
    SteadyTime arrived;
  };
  // In the decoder.
  struct ActiveJob {
    perdix_job job;
    Status refused;
  };

  void NoticeLostJobs(const perdix_job& job);
  Status Import(WaitingJob& waiting);
  void Advance();
  bool CanStart(const WaitingJob& waiting);
  bool SharesMemory(const perdix_job& job) const;
  bool FencesSignalled(const WaitingJob& waiting);
  void Start(WaitingJob waiting);
  void Submit(const WaitingJob& waiting);
  Status FillRequest(const WaitingJob& waiting, FrameRequest* request);
  PicturePtr Reference(const perdix_job& job, uint32_t buffer) const;
  std::function<void(const Status&)> Done(const WaitingJob& waiting,
                                          const Status& refused) const;
  void LogFailure(const perdix_job& job, const Status& status);

  const uint32_t id_;
  const SessionResources& shared_;
  BufferTable& buffers_;
  std::deque<WaitingJob> waiting_;
  std::vector<ActiveJob> active_;
  // The last picture decoded into each buffer, by buffer id.
  std::unordered_map<uint32_t, PicturePtr> pictures_;
  const CodecRow* codec_ = nullptr;  // of decoder_
  std::unique_ptr<Decoder> decoder_;
  uint64_t last_job_ = 0;  // 0: none yet
  bool fence_watched_ = false;
  bool closed_ = false;
  uint64_t frames_ = 0;
  uint64_t failures_ = 0;
  LogLimit log_limit_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_SESSION_H_
