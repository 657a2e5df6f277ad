// SPDX-License-Identifier: BSD-2-Clause
// The daemon's life: waits for the channel, serves it, follows the module when
// it goes and comes back, ends on a signal. One event loop. It wakes for a
// frame's end only where something waits for that or the frame failed; while
// frames are in flight it also looks ten times a second which have ended, for
// the statistics.
#ifndef PERDIX_DAEMON_SERVICE_H_
#define PERDIX_DAEMON_SERVICE_H_

#include <libudev.h>
#include <systemd/sd-event.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "daemon/call_queue.h"
#include "daemon/completion_queue.h"
#include "daemon/config.h"
#include "daemon/log.h"
#include "daemon/node.h"
#include "engine/engine.h"

namespace perdix {

template <auto Unref>
struct Unrefs {
  template <typename Object>
  void operator()(Object* object) const {
    Unref(object);
  }
};
template <typename Object, auto Unref>
using RefPtr = std::unique_ptr<Object, Unrefs<Unref>>;
using EventSource = RefPtr<sd_event_source, sd_event_source_disable_unref>;

class Service {
 public:
  // Throws std::system_error. SIGTERM and SIGINT must be blocked.
  Service(const Config& config, Engine& engine, const Log& log,
          Statistics& statistics);

  int Run();  // the exit code, of sysexits.h

  // For what else the program does meanwhile.
  sd_event* loop() { return loop_.get(); }
  CallQueue& calls() { return calls_; }  // into the loop; closed at its end
  const Node* node() const { return node_.get(); }  // null: no channel
  // Called when the channel comes or goes. May be null.
  void set_changed(std::function<void()> changed) {
    changed_ = std::move(changed);
  }
  // Called with the path of each render node that comes or goes. May be null.
  using NodeChanged = std::function<void(const std::string& path, bool added)>;
  void set_gpu_node_changed(NodeChanged changed) {
    gpu_node_changed_ = std::move(changed);
  }

 private:
  // Callbacks of the loop; self is the Service.
  static int OnEvents(sd_event_source*, int fd, uint32_t events, void* self);
  static int OnCompletions(sd_event_source*, int fd, uint32_t, void* self);
  static int OnLook(sd_event_source*, uint64_t usec, void* self);
  static int OnCalls(sd_event_source*, int fd, uint32_t, void* self);
  static int OnUdev(sd_event_source*, int fd, uint32_t, void* self);
  static int OnSignal(sd_event_source*, const signalfd_siginfo*, void* self);

  void WatchSignals();
  void WatchCompletions();
  void WatchFrames();
  void WatchCalls();
  void WatchUdev();
  void FollowGpu(udev_device* device) const;
  void OpenChannel();
  void Serve(std::shared_ptr<KernelChannel> channel);
  void TakeCompletions();
  void LookLater();
  void CheckChannel(int error);
  void CloseChannel();
  void Stop(int exit_code);
  void ShowStatus();

  const std::string device_;
  const Limits limits_;
  const bool checksum_;
  Engine& engine_;
  const Log& log_;
  Statistics& statistics_;
  std::function<void()> changed_;
  NodeChanged gpu_node_changed_;
  CallQueue calls_;
  const std::shared_ptr<CompletionQueue> completions_;
  RefPtr<sd_event, sd_event_unref> loop_;
  RefPtr<udev, udev_unref> udev_;
  RefPtr<udev_monitor, udev_monitor_unref> udev_monitor_;
  EventSource completions_source_;
  EventSource look_source_;
  bool looks_ = false;  // look_source_ is on
  EventSource calls_source_;
  EventSource udev_source_;
  std::unique_ptr<Node> node_;  // while the channel is open
  EventSource events_source_;   // while the channel is open
  std::string status_;          // last shown
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_SERVICE_H_
