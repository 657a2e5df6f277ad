// SPDX-License-Identifier: BSD-2-Clause
// One job of a session: its buffers, and what other threads than the event
// loop's do with them until the kernel has its answer.
#ifndef PERDIX_DAEMON_SESSION_JOB_H_
#define PERDIX_DAEMON_SESSION_JOB_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "codec/codec.h"
#include "codec/frame_request.h"
#include "daemon/buffer_table.h"
#include "daemon/completion_queue.h"
#include "daemon/job_stop.h"
#include "daemon/kernel_channel.h"
#include "daemon/private_pictures.h"
#include "daemon/statistics.h"
#include "daemon/task_thread.h"
#include "engine/engine.h"

namespace perdix {

// What the jobs of a session share. It outlives them.
struct JobResources {
  uint32_t session;
  std::shared_ptr<KernelChannel> channel;
  std::shared_ptr<CompletionQueue> completions;
  Engine& engine;
  TaskThread& thread;  // the session's
  bool checksum;       // what is shown is summed
};

// A picture and the buffer in which its pixels are; null: it is the daemon's.
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

  // Whether what later frames refer to is not what the client gets. Such a job
  // takes pictures of the daemon's for what it needs, or is refused.
  bool needs_private() const { return format_.film_grain || !format_.Is420(); }
  void TakePrivate(PrivatePictures& pictures);

  // For the decoder, once Begin() has returned; done() ends the job.
  FrameRequest NewRequest(BufferReferences references);
  // What later frames refer to: of NewRequest(), unless the job is refused.
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
  bool p010() const;
  Status FindBuffers(BufferTable& buffers);
  Status BeginAccess();
  const Buffer* Of(const Picture& reference) const;
  Status AccessPicture(const Picture& picture, CpuAccess access);
  // That none of its buffers has lost its memory.
  Status CheckMemory() const;
  void Decoded(const Status& result);
  void ShowAndEndAccess(const Status& decoded);
  bool Sums() const { return shared_.checksum && format_.shown; }
  void EndAccess(Status status);
  perdix_result ResultOf(const Status& status) const;
  EndedFrame Ended(Outcome outcome) const;

  const JobResources& shared_;
  const perdix_job job_;
  const std::vector<uint8_t> controls_;
  const CodecRow* const codec_;
  const StreamFormat format_;
  const SteadyTime arrived_;
  const std::shared_ptr<JobStop> stop_ = std::make_shared<JobStop>();
  Status refused_;
  std::shared_ptr<Buffer> bitstream_;
  std::shared_ptr<Buffer> target_buffer_;
  PictureLayout layout_;  // of target_buffer_
  PicturePtr private_;    // null: later frames refer to the client's buffer
  PicturePtr grained_;    // of private_, if that is not 4:2:0; may be null
  PicturePtr shown_;      // in target_buffer_
  BufferPicture target_;
  BufferReferences references_;
  Status begun_;  // what Begin() came to
  std::optional<ShownSum> shown_sum_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_SESSION_JOB_H_
