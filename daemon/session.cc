// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/session.h"

#include <errno.h>

#include <algorithm>
#include <string>
#include <utility>

#include "daemon/job_layout.h"

namespace perdix {

static_assert(PERDIX_MAX_REFERENCES == kMaxReferences);

namespace {

Status Cancelled() {
  return Status(StatusCode::kCancelled, "the client took the frame back");
}

Outcome OutcomeOf(const Status& status, int answer_error) {
  if (status.code() == StatusCode::kCancelled || answer_error == -ENOENT)
    return Outcome::kDropped;
  return status.ok() && !answer_error ? Outcome::kDecoded : Outcome::kFailed;
}

bool WritesOrReads(const perdix_job& job, uint32_t buffer) {
  return job.target == buffer || job.bitstream == buffer ||
         std::ranges::find(job.references, buffer) != std::end(job.references);
}

}  // namespace

Session::Session(uint32_t id, const SessionResources& shared,
                 BufferTable& buffers)
    : id_(id), shared_(shared), buffers_(buffers) {}

Session::~Session() = default;

void Session::Queue(const perdix_job& job, std::vector<uint8_t> controls) {
  NoticeLostJobs(job);
  WaitingJob waiting = {.job = job,
                        .controls = std::move(controls),
                        .bitstream = nullptr,
                        .target = nullptr,
                        .layout = {},
                        .refused = {},
                        .codec = FindCodec(job.codec),
                        .arrived = std::chrono::steady_clock::now()};
  // Now, not when it starts: by then a client in a hurry may have freed the
  // buffers of a job that it no longer waits for.
  waiting.refused = closed_ ? Cancelled() : Import(waiting);
  waiting_.push_back(std::move(waiting));
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
    waiting_.push_back({.job = lost,
                        .controls = {},
                        .bitstream = nullptr,
                        .target = nullptr,
                        .layout = {},
                        .refused = Cancelled(),
                        .codec = FindCodec(job.codec),
                        .arrived = std::chrono::steady_clock::now()});
  }
  last_job_ = job.id;
}

Status Session::Import(WaitingJob& waiting) {
  const perdix_job& job = waiting.job;
  if (!waiting.codec)
    return Status(StatusCode::kUnsupported,
                  "codec " + std::to_string(job.codec) + " is not known");
  Status status = buffers_.Find(job.bitstream, &waiting.bitstream);
  if (!status.ok()) return status;
  status = CheckBitstream(job, waiting.bitstream->bytes().size());
  if (!status.ok()) return status;
  status = buffers_.Find(job.target, &waiting.target);
  if (!status.ok()) return status;
  return TargetLayout(job, waiting.target->bytes().size(), &waiting.layout);
}

void Session::Cancel(uint64_t job) {
  // It stays in its place: the decoder must learn that a frame is missing.
  for (WaitingJob& waiting : waiting_)
    if (waiting.job.id == job) waiting.refused = Cancelled();
  Advance();
}

void Session::ForgetBuffer(uint32_t buffer) {
  pictures_.erase(buffer);
  for (WaitingJob& waiting : waiting_)
    if (waiting.job.target == buffer || waiting.job.bitstream == buffer)
      waiting.refused = Cancelled();
  Advance();
}

void Session::Finished(const Completion& completion) {
  const auto active = std::ranges::find_if(
      active_, [&](const auto& a) { return a.job.id == completion.job; });
  if (active == active_.end()) return;
  const perdix_job job = active->job;
  active_.erase(active);
  ++frames_;
  if (!completion.status.ok()) {
    ++failures_;
    LogFailure(job, completion.status);
  }
  Advance();
}

StreamCounters Session::counters() const {
  return decoder_ ? decoder_->counters() : StreamCounters();
}

void Session::FenceSignalled() {
  fence_watched_ = false;
  Advance();
}

void Session::Close() {
  closed_ = true;
  for (WaitingJob& waiting : waiting_) waiting.refused = Cancelled();
  Advance();
}

void Session::Advance() {
  while (!waiting_.empty() && CanStart(waiting_.front())) {
    WaitingJob next = std::move(waiting_.front());
    waiting_.pop_front();
    Start(std::move(next));
  }
}

bool Session::CanStart(const WaitingJob& waiting) {
  if (!waiting.codec) return true;
  // Another codec needs another decoder, once this one has nothing to do.
  if (codec_ && waiting.codec != codec_ && !active_.empty()) return false;
  if (!waiting.refused.ok()) return true;
  return !SharesMemory(waiting.job) && FencesSignalled(waiting);
}

// The client owns a target that was taken back or timed out, and one that is a
// reference only until the client says so: either may come again as a target
// while an older frame still uses it.
bool Session::SharesMemory(const perdix_job& job) const {
  return std::ranges::any_of(active_, [&](const ActiveJob& active) {
    return active.refused.ok() && (WritesOrReads(active.job, job.target) ||
                                   active.job.target == job.bitstream);
  });
}

bool Session::FencesSignalled(const WaitingJob& waiting) {
  const auto ready = [&](const Buffer& buffer, BufferAccess access) {
    if (buffer.Ready(access)) return true;
    if (!fence_watched_)
      shared_.watch_fence(id_, buffer.fd(), Buffer::PollEvents(access));
    fence_watched_ = true;
    return false;
  };
  return ready(*waiting.bitstream, BufferAccess::kRead) &&
         ready(*waiting.target, BufferAccess::kReadWrite);
}

void Session::Start(WaitingJob waiting) {
  if (waiting.codec && waiting.codec != codec_) {
    decoder_ = std::make_unique<Decoder>(shared_.engine, *waiting.codec);
    codec_ = waiting.codec;
  }
  Submit(waiting);
}

void Session::Submit(const WaitingJob& waiting) {
  FrameRequest request;
  Status refused = waiting.refused;
  if (refused.ok()) refused = FillRequest(waiting, &request);
  if (!refused.ok()) {
    // A frame without memory fails in its turn, and so the one place that
    // decides what a lost frame does to a stream decides it here too.
    request.target = std::make_shared<Picture>();
    pictures_.erase(waiting.job.target);
  }
  request.controls = waiting.controls;
  request.done = Done(waiting, refused);
  active_.push_back({waiting.job, refused});
  if (waiting.codec)
    decoder_->Submit(std::move(request));
  else
    request.done(refused);
}

Status Session::FillRequest(const WaitingJob& waiting, FrameRequest* request) {
  // References are not bracketed here, where they may still be decoded: the
  // scheduler begins an access to those that the GPU wrote, once it needs them.
  Status status = waiting.bitstream->BeginAccess(BufferAccess::kRead);
  if (!status.ok()) return status;
  status = waiting.target->BeginAccess(BufferAccess::kReadWrite);
  if (!status.ok()) return status;

  const perdix_job& job = waiting.job;
  for (int i = 0; i < kMaxReferences; ++i)
    request->references[i] = Reference(job, job.references[i]);
  request->bitstream = waiting.bitstream->bytes().first(job.bitstream_bytes);
  request->bitstream_owner = waiting.bitstream;
  request->target = std::make_shared<Picture>();
  const std::span<uint8_t> pixels = waiting.target->bytes();
  request->target->memory = {
      .owner = waiting.target,
      .data = pixels.data(),
      .size = pixels.size(),
      .gpu = waiting.target->InGpu(shared_.engine),
      .cpu_access = [target = waiting.target](CpuAccess access) {
        return access == CpuAccess::kBegin
                   ? target->BeginAccess(BufferAccess::kReadWrite)
                   : target->EndAccess(BufferAccess::kReadWrite);
      }};
  request->target->layout = waiting.layout;
  pictures_[job.target] = request->target;
  return Status::Ok();
}

// Null for what this daemon has not decoded, or not well (a daemon before this
// one may have), and for a picture that this very job overwrites.
PicturePtr Session::Reference(const perdix_job& job, uint32_t buffer) const {
  if (buffer == job.target) return nullptr;
  const auto found = pictures_.find(buffer);
  if (found == pictures_.end() || found->second->broken) return nullptr;
  return found->second;
}

std::function<void(const Status&)> Session::Done(const WaitingJob& waiting,
                                                 const Status& refused) const {
  const bool accessed = refused.ok();
  EndedFrame frame;
  frame.bytes = waiting.job.bitstream_bytes;
  frame.codec = waiting.codec;
  if (waiting.codec) frame.format = waiting.codec->format(waiting.controls);
  return [channel = shared_.channel, completions = shared_.completions,
          bitstream = accessed ? waiting.bitstream : nullptr,
          target = accessed ? waiting.target : nullptr, session = id_,
          job = waiting.job.id, arrived = waiting.arrived, frame,
          refused](const Status& decoded) {
    Status status = refused.ok() ? decoded : refused;
    if (refused.ok()) {
      Status ended = bitstream->EndAccess(BufferAccess::kRead);
      if (status.ok()) status = ended;
      ended = target->EndAccess(BufferAccess::kReadWrite);
      if (status.ok()) status = ended;
    }
    // The kernel first, so that nobody closes the channel in between.
    const int error = channel->Complete(job, !status.ok());
    EndedFrame ended = frame;
    ended.latency = std::chrono::steady_clock::now() - arrived;
    ended.outcome = OutcomeOf(status, error);
    completions->Push({session, job, std::move(status), error, ended});
  };
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
