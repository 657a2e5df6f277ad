// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/node.h"

#include <errno.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/text.h"

namespace perdix {
namespace {

constexpr int kEventsInARow = 64;

}  // namespace

Node::Node(SessionResources resources)
    : shared_(std::move(resources)), buffers_(shared_.channel) {}

Node::~Node() {
  std::vector<uint32_t> ids;
  for (auto& [id, session] : sessions_) {
    ids.push_back(id);
    session->Close();
  }
  sessions_.clear();
  for (const Completion& completion : shared_.completions->TakeAll())
    Count(completion);
  shared_.statistics.KeepImports(buffers_.imports());
  for (const uint32_t id : ids) shared_.statistics.CloseSession(id);
}

int Node::TakeEvents() {
  // First what has ended: its buffers are often the ones that come again.
  if (const int error = TakeCompletions()) return error;
  ChannelEvent event;
  for (int i = 0; i < kEventsInARow; ++i) {
    const int error = shared_.channel->NextEvent(&event);
    if (error) return error == -EAGAIN ? 0 : error;
    Handle(event);
  }
  return 0;
}

int Node::TakeCompletions() {
  int channel_error = 0;
  for (const Completion& completion : shared_.completions->TakeAll()) {
    Count(completion);
    const auto session = sessions_.find(completion.session);
    if (session == sessions_.end()) continue;
    session->second->Finished(completion);
    ForgetIfIdle(session);
    if (completion.answer_error && completion.answer_error != -ENOENT)
      channel_error = completion.answer_error;
  }
  return channel_error;
}

void Node::Count(const Completion& completion) const {
  shared_.statistics.CountFrame(completion.session, completion.frame,
                                std::chrono::steady_clock::now());
}

NodeTotals Node::Totals() const {
  NodeTotals totals = {.sessions = 0,
                       .buffers = buffers_.size(),
                       .imports = buffers_.imports(),
                       .frames = past_frames_,
                       .failures = past_failures_};
  for (const auto& [id, session] : sessions_) {
    totals.sessions += !session->closed();
    totals.frames += session->frames();
    totals.failures += session->failures();
  }
  return totals;
}

StreamCounters Node::StreamOf(uint32_t session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? StreamCounters()
                                  : found->second->counters();
}

void Node::Handle(ChannelEvent& event) {
  const uint32_t id = event.event.session;
  switch (event.event.type) {
    case PERDIX_EVENT_SESSION_NEW:
      return OpenSession(event.event);
    case PERDIX_EVENT_JOB:
      return StartJob(event);
    case PERDIX_EVENT_CANCEL:
      if (Session* session = Find(id)) session->Cancel(event.event.job.id);
      return;
    case PERDIX_EVENT_BUFFER_GONE:
      buffers_.Forget(event.event.buffer);
      if (Session* session = Find(id))
        session->ForgetBuffer(event.event.buffer);
      return;
    case PERDIX_EVENT_SESSION_GONE:
      return CloseSession(id);
    default:
      shared_.log.Write(
          LOG_ERR, {id, {}},
          "event " + std::to_string(event.event.type) + ", want 1 to 5");
  }
}

void Node::OpenSession(const perdix_event& event) {
  const auto [session, added] = sessions_.try_emplace(event.session, nullptr);
  if (!added) {
    shared_.log.Write(LOG_ERR, {event.session, {}}, "announced twice");
    return;
  }
  session->second =
      std::make_unique<Session>(event.session, shared_, buffers_, interrupter_);
  const std::string_view comm(reinterpret_cast<const char*>(event.comm),
                              sizeof(event.comm));
  const std::string client = Printable(comm.substr(0, comm.find('\0')));
  shared_.statistics.OpenSession(event.session, event.pid, client);
  shared_.log.Write(
      LOG_INFO, {event.session, {}},
      "opened by " + client + " (pid " + std::to_string(event.pid) + ")");
}

void Node::CloseSession(uint32_t id) {
  const auto session = sessions_.find(id);
  if (session == sessions_.end()) return;
  session->second->Close();
  shared_.statistics.CloseSession(id);
  ForgetIfIdle(session);
}

// A session's decoder waits for its frames when it goes; the event loop, and
// with it every other client, must not.
void Node::ForgetIfIdle(Sessions::iterator session) {
  const Session& ended = *session->second;
  if (!ended.closed() || !ended.idle()) return;
  past_frames_ += ended.frames();
  past_failures_ += ended.failures();
  shared_.log.Write(LOG_INFO, {session->first, {}},
                    "closed after " + std::to_string(ended.frames()) +
                        " frames, " + std::to_string(ended.failures()) +
                        " failed");
  sessions_.erase(session);
}

void Node::StartJob(ChannelEvent& event) {
  if (Session* session = Find(event.event.session)) {
    session->Queue(event.event.job, std::move(event.controls));
    return;
  }
  shared_.log.Write(LOG_ERR, {event.event.session, event.event.job.timestamp},
                    "a frame of a session that was not announced");
  shared_.channel->Complete(event.event.job.id, true);
}

Session* Node::Find(uint32_t id) {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second.get();
}

}  // namespace perdix
