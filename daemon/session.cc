// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/session.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

namespace perdix {
namespace {

bool WritesOrReads(const perdix_job& job, uint32_t buffer) {
  return job.target == buffer || job.bitstream == buffer ||
         std::ranges::find(job.references, buffer) != std::end(job.references);
}

}  // namespace

Session::Session(uint32_t id, const SessionResources& shared,
                 std::shared_ptr<Client> client, Status refused,
                 Interrupter& interrupter)
    : id_(id),
      shared_(shared),
      client_(std::move(client)),
      refused_(std::move(refused)),
      buffers_(
          {shared.channel, client_->memory, client_->buffers, shared.buffers}),
      interrupter_(interrupter),
      private_pictures_(
          std::make_shared<PrivatePictures>(shared.engine, client_->memory)),
      job_resources_{.session = id,
                     .channel = shared.channel,
                     .completions = shared.completions,
                     .engine = shared.engine,
                     .thread = thread_,
                     .checksum = shared.checksum} {}

Session::~Session() {
  thread_.Drain();   // what has begun is the decoder's then,
  decoder_.reset();  // whose last frames end on the thread
}

void Session::Queue(const perdix_job& job, std::vector<uint8_t> controls) {
  NoticeLostJobs(job);
  auto queued =
      std::make_shared<SessionJob>(job_resources_, job, std::move(controls));
  // Now, not when it starts: by then a client in a hurry may have freed the
  // buffers of a job that it no longer waits for.
  if (closed_)
    queued->Refuse(Cancelled());
  else if (refused())
    queued->Refuse(refused_);
  else
    queued->Import(buffers_);
  waiting_.push_back(std::move(queued));
  Advance();
}

// Jobs are numbered one by one: those in a gap were taken back before they came
// here. The decoder must learn that frames are missing.
void Session::NoticeLostJobs(const perdix_job& job) {
  if (last_job_ != 0 && job.id > last_job_ + 1) {
    // One of them is counted as it ends.
    shared_.statistics.CountLost(id_, job.id - last_job_ - 2);
    perdix_job lost = {};
    lost.id = last_job_ + 1;
    lost.codec = job.codec;
    waiting_.push_back(std::make_shared<SessionJob>(job_resources_, lost,
                                                    std::vector<uint8_t>()));
    waiting_.back()->Refuse(Cancelled());
  }
  last_job_ = job.id;
}

void Session::Cancel(uint64_t job) {
  // It stays in its place: the decoder must learn that a frame is missing.
  for (const JobPtr& waiting : waiting_)
    if (waiting->job().id == job) waiting->Refuse(Cancelled());
  for (const JobPtr& active : active_)
    if (active->job().id == job) interrupter_.Stop(active->stop());
  Advance();
}

void Session::ForgetBuffer(uint32_t buffer) {
  const auto uses = [buffer](const JobPtr& job) {
    return job->job().target == buffer || job->job().bitstream == buffer;
  };
  buffers_.Forget(buffer);
  pictures_.erase(buffer);
  for (const JobPtr& waiting : waiting_)
    if (uses(waiting)) waiting->Refuse(Cancelled());
  for (const JobPtr& active : active_)
    if (uses(active)) interrupter_.Stop(active->stop());
  Advance();
}

bool Session::awaits_frames() const {
  // A closed session's are stopped, as are those whose buffers have gone.
  return !waiting_.empty() ||
         std::ranges::any_of(
             active_, [](const JobPtr& job) { return job->stop()->stopped(); });
}

void Session::Finished(const Completion& completion) {
  const auto active = std::ranges::find(
      active_, completion.job, [](const JobPtr& job) { return job->job().id; });
  if (active == active_.end()) return;
  const JobPtr job = std::move(*active);
  active_.erase(active);
  ++frames_;
  failures_ += completion.frame.outcome == Outcome::kFailed;
  const auto& shown = completion.shown;
  if (shown && completion.frame.outcome == Outcome::kDecoded)
    checksum_.Add(shown->width, shown->height, shown->sum);
  if (!completion.status.ok()) LogFailure(job->job(), completion.status);
  Advance();
}

StreamCounters Session::counters() const {
  return decoder_ ? decoder_->counters() : StreamCounters();
}

void Session::Close() {
  closed_ = true;
  for (const JobPtr& waiting : waiting_) waiting->Refuse(Cancelled());
  for (const JobPtr& active : active_) interrupter_.Stop(active->stop());
  Advance();
}

void Session::Advance() {
  while (!waiting_.empty() && CanStart(*waiting_.front())) {
    const JobPtr next = std::move(waiting_.front());
    waiting_.pop_front();
    Start(next);
  }
}

bool Session::CanStart(const SessionJob& job) const {
  if (!job.codec()) return true;
  // Another codec needs another decoder, once this one has nothing to do.
  if (codec_ && job.codec() != codec_ && !active_.empty()) return false;
  return !job.refused().ok() || !SharesMemory(job.job());
}

// The client owns a target that was taken back or timed out, and one that is a
// reference only until the client says so: either may come again as a target
// while an older frame still uses it.
bool Session::SharesMemory(const perdix_job& job) const {
  return std::ranges::any_of(active_, [&](const JobPtr& active) {
    return active->refused().ok() &&
           (WritesOrReads(active->job(), job.target) ||
            active->job().target == job.bitstream);
  });
}

void Session::Start(const JobPtr& job) {
  active_.push_back(job);
  if (!job->codec() || refused()) return job->Complete(job->refused());
  if (job->codec() != codec_) {
    thread_.Drain();  // of a call that is about to return, at most
    decoder_ = std::make_unique<Decoder>(shared_.engine, *job->codec());
    codec_ = job->codec();
  }
  Submit(job);
}

void Session::Submit(const JobPtr& job) {
  const perdix_job& wanted = job->job();
  BufferReferences references;
  for (int i = 0; i < kMaxReferences; ++i)
    references[i] = Reference(wanted, wanted.references[i]);
  // What was in the target goes first: its memory may serve the new one.
  pictures_.erase(wanted.target);
  if (!job->refused().ok() || !job->needs_private())
    private_pictures_->Shrink();
  else
    job->TakePrivate(*private_pictures_);
  FrameRequest request = job->NewRequest(std::move(references));
  if (job->target().picture) pictures_[wanted.target] = job->target();
  try {
    thread_.Post([job, request = std::move(request),
                  decoder = decoder_.get()]() mutable {
      job->Begin(request);
      decoder->Submit(std::move(request));
    });
  } catch (const std::system_error& error) {
    // The session's first frame: the decoder misses nothing that it had.
    pictures_.erase(wanted.target);
    job->Complete(Status(StatusCode::kOutOfMemory,
                         std::string("no thread: ") + error.what()));
  }
}

// Null for what this daemon has not decoded, or not well (a daemon before this
// one may have), and for a picture that this very job overwrites.
BufferPicture Session::Reference(const perdix_job& job, uint32_t buffer) const {
  if (buffer == job.target) return {};
  const auto found = pictures_.find(buffer);
  if (found == pictures_.end() || found->second.picture->broken) return {};
  const Buffer* const memory = found->second.buffer.get();
  return memory && memory->faulted() ? BufferPicture() : found->second;
}

void Session::LogFailure(const perdix_job& job, const Status& status) {
  const bool expected = status.code() == StatusCode::kCancelled;
  const int priority = expected ? LOG_DEBUG : LOG_WARNING;
  if (!expected && !log_limit_.Allow(std::chrono::steady_clock::now())) return;
  std::string text = "not decoded: " + status.message();
  if (const uint32_t more = log_limit_.TakeSuppressed())
    text += " (" + std::to_string(more) + " earlier failures not logged)";
  shared_.log.Write(priority, {id_, job.timestamp}, text);
}

}  // namespace perdix
