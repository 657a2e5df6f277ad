// SPDX-License-Identifier: BSD-2-Clause
// One V4L2 context: its jobs in decode order, its pictures, its decoder.
// Belongs to the event loop's thread and never waits. A job that may start goes
// to the session's own thread, which waits for the fences of its buffers and
// hands it to the decoder; the frame ends on a worker thread, which answers the
// kernel and reports here through the CompletionQueue.
#ifndef PERDIX_DAEMON_SESSION_H_
#define PERDIX_DAEMON_SESSION_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "codec/codec.h"
#include "daemon/buffer_table.h"
#include "daemon/completion_queue.h"
#include "daemon/job_stop.h"
#include "daemon/kernel_channel.h"
#include "daemon/limits.h"
#include "daemon/log.h"
#include "daemon/private_pictures.h"
#include "daemon/session_job.h"
#include "daemon/statistics.h"
#include "daemon/task_thread.h"
#include "engine/decoder.h"
#include "engine/engine.h"
#include "kernels/metrics/shown_checksum.h"

namespace perdix {

// What the sessions of a channel share.
struct SessionResources {
  std::shared_ptr<KernelChannel> channel;
  std::shared_ptr<CompletionQueue> completions;
  Engine& engine;
  const Log& log;
  Statistics& statistics;
  Limits limits = {};
  bool checksum = false;  // what sessions show is summed
  // Buffers of all clients.
  std::shared_ptr<Quota> buffers = std::make_shared<Quota>(limits.buffers);
};

// A process that has sessions.
struct Client {
  uint32_t pid;
  std::shared_ptr<Quota> memory;  // bytes
  std::shared_ptr<Quota> buffers;
};

class Session {
 public:
  // shared and interrupter outlive the session. Unless refused is Ok all its
  // jobs are answered with that error.
  Session(uint32_t id, const SessionResources& shared,
          std::shared_ptr<Client> client, Status refused,
          Interrupter& interrupter);
  ~Session();  // waits for the frames in flight: see idle()

  void Queue(const perdix_job& job, std::vector<uint8_t> controls);
  // No effect on a frame that the decoder has, unless the CPU has yet to begin
  // an access to its buffers.
  void Cancel(uint64_t job);
  void ForgetBuffer(uint32_t buffer);
  void Finished(const Completion& completion);

  // Takes no more jobs and drops those that have not started, answering them
  // with an error.
  void Close();
  bool closed() const { return closed_; }
  bool idle() const { return active_.empty(); }  // nothing in flight
  // Whether something can only go on once a frame in flight has ended: another
  // job, the session's end, or that of a buffer.
  bool awaits_frames() const;

  const std::shared_ptr<Client>& client() const { return client_; }
  bool refused() const { return !refused_.ok(); }
  const BufferTable& buffers() const { return buffers_; }
  uint64_t frames() const { return frames_; }
  // Frames that failed; those that the client took back do not count.
  uint64_t failures() const { return failures_; }
  uint64_t private_bytes() const { return private_pictures_->bytes(); }
  // The checksum of what was decoded to be shown, in the order of the jobs; of
  // no picture where nothing is summed.
  const ShownChecksum& checksum() const { return checksum_; }
  StreamCounters counters() const;  // of its decoder; empty before the first

 private:
  using JobPtr = std::shared_ptr<SessionJob>;

  void NoticeLostJobs(const perdix_job& job);
  void Advance();
  bool CanStart(const SessionJob& job) const;
  bool SharesMemory(const perdix_job& job) const;
  void Start(const JobPtr& job);
  void Submit(const JobPtr& job);
  BufferPicture Reference(const perdix_job& job, uint32_t buffer) const;
  void LogFailure(const perdix_job& job, const Status& status);

  const uint32_t id_;
  const SessionResources& shared_;
  const std::shared_ptr<Client> client_;
  const Status refused_;
  BufferTable buffers_;
  Interrupter& interrupter_;
  std::deque<JobPtr> waiting_;  // not yet started
  std::vector<JobPtr> active_;  // from Start() until their completion
  // The last picture decoded into each buffer, by buffer id.
  std::unordered_map<uint32_t, BufferPicture> pictures_;
  const std::shared_ptr<PrivatePictures> private_pictures_;
  const CodecRow* codec_ = nullptr;  // of decoder_
  std::unique_ptr<Decoder> decoder_;
  const JobResources job_resources_;
  uint64_t last_job_ = 0;  // 0: none yet
  bool closed_ = false;
  uint64_t frames_ = 0;
  uint64_t failures_ = 0;
  ShownChecksum checksum_;
  LogLimit log_limit_;
  TaskThread thread_;  // last: what it still runs uses the others
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_SESSION_H_
