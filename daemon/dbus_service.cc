// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/dbus_service.h"

#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "daemon/dbus_objects.h"
#include "daemon/dbus_properties.h"
#include "daemon/sdbus.h"

namespace perdix {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kName = "org.perdix.Decoder1";
constexpr const char* kThreadName = "perdix-dbus";
// Where there are not enough CPUs, decoding comes first.
constexpr int kLowPriority = 10;
constexpr milliseconds kAnnounceInterval{250};
constexpr milliseconds kSessionsInterval{10};
constexpr milliseconds kRetryInterval{5000};
constexpr milliseconds kCallTimeout{2000};  // of the bus itself
// Messages handled before something else gets its turn.
constexpr int kMessagesAtOnce = 64;

// Poll's: -1 is for ever; rounded up.
int ToPoll(SteadyTime until) {
  if (until == SteadyTime::max()) return -1;
  const auto left = until - steady_clock::now();
  return int(
      std::max<int64_t>(0, std::chrono::ceil<milliseconds>(left).count()));
}

int Sooner(int a, int b) { return a < 0 || (b >= 0 && b < a) ? b : a; }

}  // namespace

class DbusService::Bus {
 public:
  // Throws sdbus::Error, like all that follows.
  explicit Bus(DbusService& service)
      : service_(service),
        view_(service.control_, service.loop_),
        connection_(sdbus::createSystemBusConnection()) {
    connection_->setMethodCallTimeout(kCallTimeout);
    daemon_.emplace(*connection_, view_, service_.calls_);
    service_.session_news_ = true;
    ShowSessions();
    connection_->requestName(bus::ServiceName(kName));
  }

  void Serve() {
    while (!service_.ending_) {
      service_.calls_->Run();
      for (int i = 0; i < kMessagesAtOnce; ++i)
        if (!bus::ProcessPending(*connection_)) break;
      daemon_->CheckTime(steady_clock::now());
      ShowSessions();
      Announce();
      Wait();
    }
  }

  // The properties say the same from then on.
  void ShowWatched(uint32_t id, Statistics::Watched what, bool now) {
    next_sessions_ = {};
    ShowSessions();  // it may be new
    view_.Forget();
    const auto session = sessions_.find(id);
    if (session == sessions_.end()) return;
    if (what == Statistics::Watched::kFreeze)
      session->second.emitFreezeChanged(now);
    else
      session->second.emitBlackChanged(now);
  }
  void ShowProgress(double fraction, const std::string& step) {
    daemon_->emitCalibrationProgress(fraction, step);
  }
  void ShowCalibrated(bool success, const std::string& message) {
    daemon_->emitCalibrationFinished(success, message);
  }

 private:
  // Adds and removes objects.
  void ShowSessions() {
    const auto now = steady_clock::now();
    if (!service_.session_news_ || now < next_sessions_) return;
    next_sessions_ = now + kSessionsInterval;
    service_.session_news_ = false;
    view_.Forget();
    const DbusView::Sessions open = view_.OpenSessions();
    std::erase_if(sessions_, [&](const auto& shown) {
      return !open.contains(shown.first);
    });
    for (const auto& [id, properties] : open)
      sessions_.try_emplace(id, *connection_, view_, id, properties);
  }

  bool Due() const { return service_.news_ || unsteady_; }

  void Announce() {
    const auto now = steady_clock::now();
    if (!Due() || now < next_announcement_) return;
    next_announcement_ = now + kAnnounceInterval;
    // First, so that what comes while we look is announced the next time.
    service_.news_ = false;
    view_.Forget();
    daemon_->Announce();
    for (auto& [id, session] : sessions_) session.Announce();
    unsteady_ = Unsteady();
  }

  // Whether something changes without any event.
  bool Unsteady() {
    const auto decodes = [](const auto& session) {
      return std::get<double>(session.second->at("Fps")) != 0;
    };
    return std::ranges::any_of(view_.OpenSessions(), decodes) ||
           std::get<std::string>(view_.Daemon()->at("GpuState")) == "compiling";
  }

  void Wait() const {
    const auto pending = connection_->getEventLoopPollData();
    auto until = daemon_->deadline().value_or(SteadyTime::max());
    if (Due()) until = std::min(until, next_announcement_);
    if (service_.session_news_) until = std::min(until, next_sessions_);
    pollfd wait[] = {{pending.fd, pending.events, 0},
                     {service_.calls_->poll_fd(), POLLIN, 0}};
    poll(wait, std::size(wait),
         Sooner(pending.getPollTimeout(), ToPoll(until)));
  }

  DbusService& service_;
  DbusView view_;
  std::unique_ptr<sdbus::IConnection> connection_;
  std::optional<DaemonObject> daemon_;
  std::map<uint32_t, SessionObject> sessions_;
  SteadyTime next_announcement_{};
  SteadyTime next_sessions_{};
  bool unsteady_ = true;  // until the first look
};

DbusService::DbusService(Control& control, CallQueue& loop, const Log& log)
    : control_(control),
      loop_(loop),
      log_(log),
      calls_(std::make_shared<CallQueue>()) {
  control_.set_events(
      {.changed = [this](Statistics::Change change) { Told(change); },
       .watched =
           [this](uint32_t session, Statistics::Watched what, bool now) {
             calls_->Post([=, this] {
               if (bus_) bus_->ShowWatched(session, what, now);
             });
           },
       .calibration_progress =
           [this](double fraction, const std::string& step) {
             calls_->Post([=, this] {
               if (bus_) bus_->ShowProgress(fraction, step);
             });
           },
       .calibration_finished =
           [this](bool success, const std::string& message) {
             calls_->Post([=, this] {
               if (bus_) bus_->ShowCalibrated(success, message);
             });
           }});
  thread_ = std::thread([this] { Work(); });
}

DbusService::~DbusService() {
  control_.set_events({});
  ending_ = true;
  calls_->Post([] {});  // wakes it
  thread_.join();
}

void DbusService::Told(Statistics::Change change) {
  bool told = news_.exchange(true);
  if (change == Statistics::Change::kSessions)
    told = session_news_.exchange(true) && told;
  if (!told) calls_->Post([] {});  // wakes it
}

void DbusService::Work() {
  pthread_setname_np(pthread_self(), kThreadName);
  setpriority(PRIO_PROCESS, 0, kLowPriority);  // of this thread
  while (!ending_) {
    try {
      Bus bus(*this);
      bus_ = &bus;
      Say("D-Bus: serving as " + std::string(kName), LOG_INFO);
      bus.Serve();
    } catch (const sdbus::Error& error) {
      if (!ending_ && !loop_.closed())
        Say("no D-Bus: " + error.getMessage() + ": decoding without it",
            LOG_NOTICE);
    }
    bus_ = nullptr;
    Pause();
  }
}

// The same news again and again is none.
void DbusService::Say(const std::string& text, int priority) {
  if (text != said_) log_.Write(priority, text);
  said_ = text;
}

void DbusService::Pause() {
  const auto until = steady_clock::now() + kRetryInterval;
  while (!ending_ && steady_clock::now() < until) {
    pollfd wait = {calls_->poll_fd(), POLLIN, 0};
    poll(&wait, 1, ToPoll(until));
    calls_->Run();
  }
}

}  // namespace perdix
