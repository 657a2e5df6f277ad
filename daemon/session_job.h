// SPDX-License-Identifier: BSD-2-Clause
// One job of a session: its buffers, and what other threads than the event
// loop's do with them until the kernel has its answer.
#ifndef PERDIX_DAEMON_SESSION_JOB_H_
#define PERDIX_DAEMON_SESSION_JOB_H_

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "codec/codec.h"
#include "codec/engine.h"
#include "codec/frame_request.h"
#include "daemon/buffer_table.h"
#include "daemon/completion_queue.h"
#include "daemon/job_stop.h"
#include "daemon/kernel_channel.h"
#include "daemon/statistics.h"
#include "daemon/task_thread.h"

namespace perdix {

// What the jobs of a session share. It outlives them.
struct JobResources {
  uint32_t session;
  std::shared_ptr<KernelChannel> channel;
  std::shared_ptr<CompletionQueue> completions;
  Engine& engine;
  TaskThread& thread;  // the session's
};

// A picture and the buffer in which its pixels are.
struct BufferPicture {
  PicturePtr picture;
  std::shared_ptr<Buffer> buffer;
};
using BufferReferences = std::array<BufferPicture, kMaxReferences>;

Status Cancelled();

class SessionJob : public std::enable_shared_from_this<SessionJob> {
 public:
  SessionJob(const JobResources& shared, const perdix_job& job,
             std::vector<uint8_t> controls);

  // ---- for the event loop ----

  const perdix_job& job() const { return job_; }
  const CodecRow* codec() const { return codec_; }  // null: not known
  const std::shared_ptr<JobStop>& stop() const { return stop_; }

  // Takes its buffers from the table, or refuses the job.
  void Import(BufferTable& buffers);
  // Why it cannot be decoded, whatever its bytes say. Until NewRequest().
  void Refuse(Status why) { refused_ = std::move(why); }
  const Status& refused() const { return refused_; }

  // For the decoder, once Begin() has returned; done() ends the job.
  FrameRequest NewRequest(BufferReferences references);
  // What NewRequest() made, unless the job is refused.
  const BufferPicture& target() const { return target_; }

  // ---- for the session's thread ----

  // Begins the CPU's access to bitstream and target: waits for their fences. If
  // it cannot, the request becomes one without memory, which fails in its turn:
  // so the decoder decides what any lost frame does to a stream.
  void Begin(FrameRequest& request);

  // ---- for any thread ----

  // Answers the kernel, and tells the event loop.
  void Complete(Status status);

 private:
  Status FindBuffers(BufferTable& buffers);
  Status BeginAccess();
  Status AccessPicture(const Picture& picture, CpuAccess access);
  // That none of its buffers has lost its memory.
  Status CheckMemory() const;
  void Decoded(const Status& result);
  void EndAccess(Status status);
  EndedFrame Ended(Outcome outcome) const;

  const JobResources& shared_;
  const perdix_job job_;
  const std::vector<uint8_t> controls_;
  const CodecRow* const codec_;
  const SteadyTime arrived_;
  const std::shared_ptr<JobStop> stop_ = std::make_shared<JobStop>();
  Status refused_;
  std::shared_ptr<Buffer> bitstream_;
  PictureLayout layout_;
  BufferPicture target_;
  BufferReferences references_;
  Status begun_;  // what Begin() came to
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_SESSION_JOB_H_
