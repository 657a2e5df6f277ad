// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/service.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sysexits.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <string_view>
#include <system_error>
#include <utility>

namespace perdix {
namespace {

// The classes of the channel's device and of GPUs.
constexpr const char* kChannels = "misc";
constexpr const char* kGpus = "drm";

constexpr std::string_view kRenderNode = "/dev/dri/renderD";

using DevicePtr = RefPtr<udev_device, udev_device_unref>;

// How late the statistics may learn of a frame, and how much later.
constexpr uint64_t kLookUSec = 100'000;
constexpr uint64_t kLookAccuracyUSec = 20'000;

// Ended frames free buffers and sessions, so they come before new events; the
// loss of a channel comes before the news of another.
enum Priority : int64_t { kCompletions = -20, kEvents = -10 };

int Check(int result, const char* what) {
  if (result < 0)
    throw std::system_error(-result, std::generic_category(), what);
  return result;
}

template <typename Object>
Object* CheckNew(Object* object, const char* what) {
  if (!object) Check(-ENOMEM, what);
  return object;
}

sd_event* NewLoop() {
  sd_event* loop = nullptr;
  Check(sd_event_new(&loop), "sd_event_new");
  return loop;
}

// Without udevd nobody forwards the kernel's events.
const char* UdevSource() {
  return access("/run/udev/control", F_OK) == 0 ? "udev" : "kernel";
}

bool IsAbsent(int error) {
  return error == -ENOENT || error == -ENODEV || error == -ENXIO;
}

int ExitCode(int error) {
  switch (error) {
    case -EBUSY:
      return EX_TEMPFAIL;  // the daemon before this one has not quite ended
    case -EPROTO:
      return EX_PROTOCOL;
    case -EACCES:
    case -EPERM:
      return EX_NOPERM;
    default:
      return EX_IOERR;
  }
}

}  // namespace

Service::Service(const Config& config, Engine& engine, const Log& log,
                 Statistics& statistics)
    : device_(config.device),
      limits_(config.limits),
      checksum_(config.checksum),
      engine_(engine),
      log_(log),
      statistics_(statistics),
      completions_(std::make_shared<CompletionQueue>()),
      loop_(NewLoop()) {
  WatchSignals();
  WatchCompletions();
  WatchFrames();
  WatchCalls();
  WatchUdev();
  Check(sd_event_set_watchdog(loop_.get(), true), "watchdog");
}

int Service::Run() {
  OpenChannel();
  int exit_code;
  if (sd_event_get_exit_code(loop_.get(), &exit_code) < 0)
    sd_notify(false, "READY=1");
  exit_code = sd_event_loop(loop_.get());
  calls_.Close();
  return exit_code < 0 ? EX_OSERR : exit_code;
}

void Service::WatchSignals() {
  for (const int signal : {SIGTERM, SIGINT})
    Check(sd_event_add_signal(loop_.get(), nullptr, signal, OnSignal, this),
          "sd_event_add_signal");
}

void Service::WatchCompletions() {
  sd_event_source* source = nullptr;
  Check(sd_event_add_io(loop_.get(), &source, completions_->poll_fd(), EPOLLIN,
                        OnCompletions, this),
        "completions");
  completions_source_.reset(source);
  Check(sd_event_source_set_priority(source, kCompletions), "priority");
}

void Service::WatchFrames() {
  sd_event_source* source = nullptr;
  Check(sd_event_add_time_relative(loop_.get(), &source, CLOCK_MONOTONIC, 0,
                                   kLookAccuracyUSec, OnLook, this),
        "sd_event_add_time_relative");
  look_source_.reset(source);
  Check(sd_event_source_set_enabled(source, SD_EVENT_OFF), "look");
}

void Service::WatchCalls() {
  sd_event_source* source = nullptr;
  Check(sd_event_add_io(loop_.get(), &source, calls_.poll_fd(), EPOLLIN,
                        OnCalls, this),
        "calls");
  calls_source_.reset(source);
}

void Service::WatchUdev() {
  udev_.reset(CheckNew(udev_new(), "udev_new"));
  udev_monitor_.reset(
      CheckNew(udev_monitor_new_from_netlink(udev_.get(), UdevSource()),
               "udev_monitor_new_from_netlink"));
  udev_monitor* monitor = udev_monitor_.get();
  for (const char* const subsystem : {kChannels, kGpus})
    Check(udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem,
                                                          nullptr),
          "udev filter");
  Check(udev_monitor_enable_receiving(monitor), "udev");
  sd_event_source* source = nullptr;
  Check(sd_event_add_io(loop_.get(), &source, udev_monitor_get_fd(monitor),
                        EPOLLIN, OnUdev, this),
        "udev");
  udev_source_.reset(source);
}

void Service::OpenChannel() {
  std::shared_ptr<KernelChannel> channel;
  std::string reason;
  const int error = OpenKernelChannel(device_, &channel, &reason);
  if (!error) return Serve(std::move(channel));
  if (!IsAbsent(error)) {
    log_.Write(LOG_ERR, reason);
    return Stop(ExitCode(error));
  }
  ShowStatus();
}

void Service::Serve(std::shared_ptr<KernelChannel> channel) {
  node_ = std::make_unique<Node>(SessionResources{.channel = std::move(channel),
                                                  .completions = completions_,
                                                  .engine = engine_,
                                                  .log = log_,
                                                  .statistics = statistics_,
                                                  .limits = limits_,
                                                  .checksum = checksum_});
  sd_event_source* source = nullptr;
  int result = sd_event_add_io(loop_.get(), &source, node_->events_fd(),
                               EPOLLIN, OnEvents, this);
  events_source_.reset(source);
  if (result >= 0) result = sd_event_source_set_priority(source, kEvents);
  if (result < 0) {
    log_.Write(LOG_ERR, device_ + ": " + strerror(-result));
    return Stop(EX_OSERR);
  }
  log_.Write(LOG_INFO, device_ + " opened");
  ShowStatus();
}

int Service::OnEvents(sd_event_source*, int, uint32_t events, void* self) {
  Service& service = *static_cast<Service*>(self);
  int error = service.node_->TakeEvents();
  if (!error && (events & (EPOLLHUP | EPOLLERR))) error = -ENODEV;
  service.CheckChannel(error);
  return 0;
}

int Service::OnCompletions(sd_event_source*, int, uint32_t, void* self) {
  Service& service = *static_cast<Service*>(self);
  service.TakeCompletions();
  return 0;
}

int Service::OnLook(sd_event_source*, uint64_t, void* self) {
  Service& service = *static_cast<Service*>(self);
  service.looks_ = false;
  service.TakeCompletions();
  return 0;
}

int Service::OnCalls(sd_event_source*, int, uint32_t, void* self) {
  Service& service = *static_cast<Service*>(self);
  service.TakeCompletions();  // what a call asks for is of now
  service.calls_.Run();
  return 0;
}

int Service::OnUdev(sd_event_source*, int, uint32_t, void* self) {
  Service& service = *static_cast<Service*>(self);
  while (const DevicePtr device{
      udev_monitor_receive_device(service.udev_monitor_.get())})
    service.FollowGpu(device.get());
  // Whatever happened: a look at the channel is cheap.
  if (service.node_)
    service.CheckChannel(service.node_->TakeEvents());
  else
    service.OpenChannel();
  return 0;
}

void Service::FollowGpu(udev_device* device) const {
  const char* const path = udev_device_get_devnode(device);
  const char* const action = udev_device_get_action(device);
  if (!path || !action || !gpu_node_changed_) return;
  if (!std::string_view(path).starts_with(kRenderNode)) return;
  if (action == std::string_view("add")) gpu_node_changed_(path, true);
  if (action == std::string_view("remove")) gpu_node_changed_(path, false);
}

int Service::OnSignal(sd_event_source*, const signalfd_siginfo* info,
                      void* self) {
  Service& service = *static_cast<Service*>(self);
  service.log_.Write(LOG_NOTICE,
                     std::string("ending: ") + strsignal(info->ssi_signo));
  service.Stop(EX_OK);
  return 0;
}

void Service::TakeCompletions() {
  if (node_) CheckChannel(node_->TakeCompletions());
}

void Service::LookLater() {
  if (looks_ || !node_->busy()) return;
  looks_ =
      sd_event_source_set_time_relative(look_source_.get(), kLookUSec) >= 0 &&
      sd_event_source_set_enabled(look_source_.get(), SD_EVENT_ONESHOT) >= 0;
}

void Service::CheckChannel(int error) {
  if (!error) {
    LookLater();
    return ShowStatus();
  }
  log_.Write(LOG_WARNING, device_ + ": lost: " + strerror(-error));
  if (!IsAbsent(error)) return Stop(ExitCode(error));
  CloseChannel();
  ShowStatus();
}

void Service::CloseChannel() {
  events_source_.reset();
  node_.reset();  // waits, and nobody is left whom that could delay
}

void Service::Stop(int exit_code) {
  sd_notify(false, "STOPPING=1");
  // A second signal ends the wait below.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_UNBLOCK, &signals, nullptr);
  CloseChannel();
  sd_event_exit(loop_.get(), exit_code);
}

void Service::ShowStatus() {
  const std::string status =
      node_ ? "serving " + std::to_string(node_->Totals().sessions) +
                  " sessions on " + device_
            : "waiting for " + device_;
  if (status == status_) return;
  log_.Write(node_ ? LOG_DEBUG : LOG_INFO, status);
  sd_notify(false, ("STATUS=" + status).c_str());
  status_ = status;
  if (changed_) changed_();
}

}  // namespace perdix
