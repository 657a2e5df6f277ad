// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/node.h"

#include <errno.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/text.h"

namespace perdix {
namespace {

constexpr int kEventsInARow = 64;

// For who asks when the session is over.
std::string ChecksumText(const ShownChecksum& checksum) {
  char text[80];
  std::snprintf(text, sizeof(text),
                ", checksum %016" PRIx64 " of %" PRIu64 " shown",
                checksum.value(), checksum.pictures());
  return text;
}

}  // namespace

Node::Node(SessionResources resources) : shared_(std::move(resources)) {}

Node::~Node() {
  std::vector<uint32_t> ids;
  for (auto& [id, session] : sessions_) {
    ids.push_back(id);
    session->Close();
  }
  const uint64_t imports = Totals().imports;
  sessions_.clear();
  for (const Completion& completion : shared_.completions->TakeAll())
    Count(completion);
  shared_.statistics.KeepImports(imports);
  for (const uint32_t id : ids) shared_.statistics.CloseSession(id);
}

int Node::TakeEvents() {
  // First what has ended: its buffers are often the ones that come again.
  int error = FinishEnded();
  ChannelEvent event;
  for (int i = 0; i < kEventsInARow && !error; ++i) {
    error = shared_.channel->NextEvent(&event);
    if (!error) Handle(event);
  }
  AwaitFrames();
  return error == -EAGAIN ? 0 : error;
}

int Node::TakeCompletions() {
  const int error = FinishEnded();
  AwaitFrames();
  return error;
}

int Node::FinishEnded() {
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
  shared_.statistics.CountFrame(completion.session, completion.frame);
}

bool Node::busy() const {
  return std::ranges::any_of(
      sessions_, [](const auto& entry) { return !entry.second->idle(); });
}

void Node::AwaitFrames() const {
  shared_.completions->set_all_awaited(std::ranges::any_of(
      sessions_,
      [](const auto& entry) { return entry.second->awaits_frames(); }));
}

NodeTotals Node::Totals() const {
  NodeTotals totals = past_;
  for (const auto& [id, session] : sessions_) {
    totals.sessions += !session->closed();
    totals.buffers += session->buffers().size();
    totals.imports += session->buffers().imports();
    totals.private_bytes += session->private_bytes();
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

uint64_t Node::PrivateBytesOf(uint32_t session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? 0 : found->second->private_bytes();
}

std::optional<ShownChecksum> Node::ChecksumOf(uint32_t session) const {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return std::nullopt;
  return found->second->checksum();
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
  if (sessions_.contains(event.session)) {
    shared_.log.Write(LOG_ERR, {event.session, {}}, "announced twice");
    return;
  }
  const auto client = ClientOf(event.pid);
  const Status status = CheckLimits(*client);
  sessions_[event.session] = std::make_unique<Session>(
      event.session, shared_, client, status, interrupter_);
  const std::string_view comm(reinterpret_cast<const char*>(event.comm),
                              sizeof(event.comm));
  const std::string name = Printable(comm.substr(0, comm.find('\0')));
  shared_.statistics.OpenSession(event.session, event.pid, name);
  shared_.log.Write(
      status.ok() ? LOG_INFO : LOG_WARNING, {event.session, {}},
      "opened by " + name + " (pid " + std::to_string(event.pid) + ")" +
          (status.ok() ? "" : ", and refused: " + status.message()));
}

std::shared_ptr<Client> Node::ClientOf(uint32_t pid) const {
  for (const auto& [id, session] : sessions_)
    if (session->client()->pid == pid) return session->client();
  const uint64_t bytes = uint64_t{shared_.limits.client_memory} << 20;
  return std::make_shared<Client>(
      pid, std::make_shared<Quota>(bytes),
      std::make_shared<Quota>(shared_.limits.client_buffers));
}

// Whether the client may open another session.
Status Node::CheckLimits(const Client& client) const {
  const auto check = [](const char* whose, size_t got, uint32_t allowed,
                        const char* option) {
    if (got < allowed) return Status::Ok();
    return Status(StatusCode::kOutOfMemory,
                  std::string(whose) + " " + std::to_string(got) +
                      " sessions open, allowed " + std::to_string(allowed) +
                      ": close one, or raise " + option + " in perdixd.conf");
  };
  size_t all = 0;
  size_t own = 0;
  for (const auto& [id, session] : sessions_) {
    if (session->refused()) continue;
    ++all;
    own += session->client()->pid == client.pid;
  }
  const Status status =
      check("this process has", own, shared_.limits.client_sessions,
            "client-sessions");
  if (!status.ok()) return status;
  return check("all processes have", all, shared_.limits.sessions, "sessions");
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
  past_.imports += ended.buffers().imports();
  past_.frames += ended.frames();
  past_.failures += ended.failures();
  shared_.log.Write(LOG_INFO, {session->first, {}},
                    "closed after " + std::to_string(ended.frames()) +
                        " frames, " + std::to_string(ended.failures()) +
                        " failed" +
                        (sums() ? ChecksumText(ended.checksum()) : ""));
  sessions_.erase(session);
}

void Node::StartJob(ChannelEvent& event) {
  if (Session* session = Find(event.event.session)) {
    session->Queue(event.event.job, std::move(event.controls));
    return;
  }
  shared_.log.Write(LOG_ERR, {event.event.session, event.event.job.timestamp},
                    "a frame of a session that was not announced");
  shared_.channel->Complete(event.event.job.id, PERDIX_FAILED);
}

Session* Node::Find(uint32_t id) {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second.get();
}

}  // namespace perdix
