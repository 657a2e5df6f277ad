// SPDX-License-Identifier: BSD-2-Clause
// The D-Bus service over a node with the real engine and a fake channel, on a
// private bus, and a client of it.
#ifndef PERDIX_TESTS_DAEMON_DBUS_FIXTURE_H_
#define PERDIX_TESTS_DAEMON_DBUS_FIXTURE_H_

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "client/bitstream/vp9/codec.h"
#include "daemon/call_queue.h"
#include "daemon/control.h"
#include "daemon/dbus_properties.h"
#include "daemon/dbus_service.h"
#include "daemon/sdbus.h"
#include "tests/daemon/node_backend.h"
#include "tests/daemon/playback.h"
#include "tests/daemon/private_bus.h"

namespace perdix {

inline constexpr const char* kBusName = "org.perdix.Decoder1";
inline constexpr const char* kDaemonPath = "/org/perdix/Decoder1";
inline constexpr const char* kDaemonInterface = "org.perdix.Decoder1";
inline constexpr const char* kSessionInterface = "org.perdix.Decoder1.Session";
inline constexpr const char* kPropertiesInterface =
    "org.freedesktop.DBus.Properties";
inline constexpr const char* kInvalidArgs =
    "org.freedesktop.DBus.Error.InvalidArgs";
inline constexpr const char* kBusy = "org.perdix.Decoder1.Error.Busy";

using Variants = std::map<std::string, sdbus::Variant>;
using ProxyPtr = std::unique_ptr<sdbus::IProxy>;

// One connection to the bus. Signals come while Process() runs.
class BusClient {
 public:
  BusClient() : connection_(sdbus::createSystemBusConnection()) {}

  ProxyPtr Object(const std::string& path) {
    return sdbus::createProxy(*connection_, bus::ServiceName(kBusName),
                              sdbus::ObjectPath(path));
  }
  void Process(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      while (bus::ProcessPending(*connection_)) continue;
      const auto data = connection_->getEventLoopPollData();
      pollfd wait = {data.fd, data.events, 0};
      poll(&wait, 1, 10);
    }
  }

 private:
  std::unique_ptr<sdbus::IConnection> connection_;
};

class DbusFixture : public testing::Test {
 protected:
  using Lock = std::unique_lock<std::mutex>;

  void SetUp() override {
    if (!PrivateBus::Available()) GTEST_SKIP() << "no dbus-daemon here";
    bus_.emplace(Policy());
    host_ = std::make_unique<NodeHost>(Options(), Checksum());
    host_->statistics().set_watch(Watch());
    recipes_.emplace(Config(), host_->engine(), calls_);
    calibration_.emplace(Config(), *recipes_, log_, nullptr);
    control_.emplace(Control::Parts{
        .engine = host_->engine(),
        .log = log_,
        .statistics = host_->statistics(),
        .calibration = *calibration_,
        .recipes = *recipes_,
        .node = [this] { return connected_ ? &host_->node() : nullptr; },
        .recipe_source = "configured"});
    loop_ = std::thread([this] { Loop(); });
    service_.emplace(*control_, calls_, log_);
    ASSERT_TRUE(WaitFor([&] { return Serves(); })) << "not on the bus";
    client_.emplace();
    daemon_ = client_->Object(kDaemonPath);
  }

  virtual PictureWatchOptions Watch() const { return {}; }
  virtual bool Checksum() const { return false; }
  virtual std::string Policy() const { return PrivateBus::kOpen; }
  virtual EngineOptions Options() const {
    return {.threads = 2, .recipe = {}, .measure = true};
  }

  void TearDown() override {
    daemon_.reset();
    client_.reset();
    StopLoop();
    calls_.Close();
    service_.reset();
    control_.reset();
  }

  // From then on only Player::Step() does the event loop's work.
  void StopLoop() {
    if (!loop_.joinable()) return;
    ending_ = true;
    calls_.Post([] {});
    loop_.join();
  }

  // The daemon's event loop; the test has it while it holds mutex_.
  void Loop() {
    while (!ending_) {
      pollfd wait = {calls_.poll_fd(), POLLIN, 0};
      poll(&wait, 1, -1);
      const Lock lock(mutex_);
      calls_.Run();
    }
  }

  static bool WaitFor(const std::function<bool()>& condition) {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return condition();
  }

  static bool Serves() {
    try {
      BusClient()
          .Object(kDaemonPath)
          ->getProperty("Version")
          .onInterface(kDaemonInterface);
      return true;
    } catch (const sdbus::Error&) {
      return false;
    }
  }

  // Beyond the time for which a look is kept.
  static void Settle() {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
  }

  // The name of the error; empty: none.
  static std::string ErrorOf(const std::function<void()>& call) {
    try {
      call();
      return {};
    } catch (const sdbus::Error& error) {
      return error.getName();
    }
  }

  // A client that plays a clip; the event loop's work is done as it does.
  class Player {
   public:
    Player(DbusFixture& fixture, const std::string& clip,
           const client::ClientCodec& codec = client::vp9::kCodec)
        : fixture_(fixture),
          backend_(std::make_unique<NodeBackend>(*fixture.host_, codec)),
          playback_(std::make_unique<Playback>(*backend_, clip)) {}
    ~Player() {
      const Lock lock(fixture_.mutex_);
      playback_.reset();
      backend_.reset();
    }

    NodeBackend& backend() const { return *backend_; }
    Playback& playback() { return *playback_; }

    bool Step() {
      const Lock lock(fixture_.mutex_);
      const bool more = playback_->Step();
      fixture_.calls_.Run();  // Loop() seldom gets the lock
      return more;
    }
    // Until the node has counted all that was sent, by this player alone.
    void Settle() {
      const Lock lock(fixture_.mutex_);
      fixture_.fed_ += backend_->frames() - settled_;
      settled_ = backend_->frames();
      fixture_.host_->PumpUntilFrames(fixture_.fed_);
    }
    void Finish() {
      while (Step()) continue;
      Settle();
    }

   private:
    DbusFixture& fixture_;
    std::unique_ptr<NodeBackend> backend_;
    std::unique_ptr<Playback> playback_;
    uint64_t settled_ = 0;
  };

  std::pair<Variants, std::map<sdbus::ObjectPath, Variants>> Statistics() {
    Settle();
    Variants daemon;
    std::map<sdbus::ObjectPath, Variants> sessions;
    daemon_->callMethod("GetStatistics")
        .onInterface(kDaemonInterface)
        .storeResultsTo(daemon, sessions);
    return {daemon, sessions};
  }
  template <typename Value>
  Value Daemon(const char* property) {
    return daemon_->getProperty(property)
        .onInterface(kDaemonInterface)
        .template get<Value>();
  }
  template <typename Value>
  Value Session(uint32_t id, const char* property) {
    return client_->Object(SessionPath(id))
        ->getProperty(property)
        .onInterface(kSessionInterface)
        .template get<Value>();
  }
  std::vector<std::string> ManagedObjects() {
    std::map<sdbus::ObjectPath, std::map<std::string, Variants>> objects;
    daemon_->callMethod("GetManagedObjects")
        .onInterface("org.freedesktop.DBus.ObjectManager")
        .storeResultsTo(objects);
    std::vector<std::string> paths;
    for (const auto& [path, interfaces] : objects) paths.push_back(path);
    return paths;
  }

  std::optional<PrivateBus> bus_;
  perdix::Log log_{LogSink::kStderr, LOG_ERR};
  std::unique_ptr<NodeHost> host_;
  CallQueue calls_;
  std::optional<RecipeSetter> recipes_;
  std::optional<Calibration> calibration_;
  std::optional<Control> control_;
  std::mutex mutex_;
  uint64_t fed_ = 0;  // frames
  std::atomic<bool> connected_{true};
  std::atomic<bool> ending_{false};
  std::thread loop_;
  std::optional<DbusService> service_;
  std::optional<BusClient> client_;
  ProxyPtr daemon_;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_DAEMON_DBUS_FIXTURE_H_
