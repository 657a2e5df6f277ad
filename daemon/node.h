// SPDX-License-Identifier: BSD-2-Clause
// One opened channel: the sessions and buffers the kernel has told us about.
// Turns events into calls on sessions. Belongs to the event loop's thread.
#ifndef PERDIX_DAEMON_NODE_H_
#define PERDIX_DAEMON_NODE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "daemon/kernel_channel.h"
#include "daemon/session.h"

namespace perdix {

struct NodeTotals {
  size_t sessions = 0;  // open
  size_t buffers = 0;   // mapped
  uint64_t imports = 0;
  uint64_t private_bytes = 0;  // pictures beside the clients'
  uint64_t frames = 0;
  uint64_t failures = 0;
};

class Node {
 public:
  explicit Node(SessionResources resources);
  // Fails what has not started, waits for what has; leaves the queue of
  // completions empty.
  ~Node();

  // Both return 0, or the negative errno that ended the channel. TakeEvents
  // leaves events for its next call when there are many, so that what else the
  // loop has to do is done in between; TakeCompletions handles all that waits.
  // Until the next call the queue of completions wakes for those that failed,
  // and for all while something can only go on once one has ended.
  int TakeEvents();
  int TakeCompletions();

  bool busy() const;  // has frames in flight
  int events_fd() const { return shared_.channel->poll_fd(); }
  NodeTotals Totals() const;
  StreamCounters StreamOf(uint32_t session) const;
  uint64_t PrivateBytesOf(uint32_t session) const;
  bool sums() const { return shared_.checksum; }
  // Nothing: there is no such session.
  std::optional<ShownChecksum> ChecksumOf(uint32_t session) const;

 private:
  using Sessions = std::map<uint32_t, std::unique_ptr<Session>>;

  void Handle(ChannelEvent& event);
  int FinishEnded();
  void AwaitFrames() const;
  void Count(const Completion& completion) const;
  void OpenSession(const perdix_event& event);
  std::shared_ptr<Client> ClientOf(uint32_t pid) const;
  Status CheckLimits(const Client& client) const;
  void CloseSession(uint32_t id);
  void ForgetIfIdle(Sessions::iterator session);
  void StartJob(ChannelEvent& event);
  Session* Find(uint32_t id);

  SessionResources shared_;
  Interrupter interrupter_;
  Sessions sessions_;
  NodeTotals past_;  // of sessions that are gone
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_NODE_H_
