// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/daemon_client.h"

#include <sysexits.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/sdbus.h"
#include "decoder1_proxy.h"  // made from systemd/org.perdix.Decoder1.xml
#include "tools/ctl/failure.h"

namespace perdix::ctl {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kName = "org.perdix.Decoder1";
constexpr const char* kPath = "/org/perdix/Decoder1";
constexpr const char* kUnknownObject =
    "org.freedesktop.DBus.Error.UnknownObject";
constexpr auto kTimeout = seconds(10);       // for an answer
constexpr auto kCheckInterval = seconds(2);  // is the daemon still there?

// What an error of the bus or the daemon means to who typed the command.
Failure Explain(const sdbus::Error& error) {
  const std::string name = error.getName();
  const std::string text = error.getMessage();
  const std::string prefix = "org.freedesktop.DBus.Error.";
  const auto is = [&](const char* last) { return name == prefix + last; };
  if (is("ServiceUnknown") || is("NameHasNoOwner")) {
    return {EX_UNAVAILABLE,
            "perdixd is not running (nobody on the bus is called "
            "org.perdix.Decoder1)\n"
            "  systemctl status perdix    says why\n"
            "  perdixctl doctor           looks further"};
  }
  if (is("AccessDenied") || is("InteractiveAuthorizationRequired")) {
    return {EX_NOPERM,
            "permission denied: this is for root and the group video\n"
            "  sudo usermod -aG video \"$USER\"    and log in again"};
  }
  if (is("InvalidArgs")) return {EX_USAGE, text};
  if (name == "org.perdix.Decoder1.Error.Busy") return {EX_TEMPFAIL, text};
  if (name == "org.perdix.Decoder1.Error.Off") return {EX_CONFIG, text};
  if (is("NoReply") || is("Timeout") || is("TimedOut")) {
    return {EX_UNAVAILABLE, "perdixd does not answer (" + text +
                                ")\n  journalctl -u perdix    may say why"};
  }
  if (is("UnknownMethod") || is("UnknownInterface") || is("UnknownObject")) {
    return {EX_PROTOCOL, "perdixd does not know this (" + text +
                             "): are perdixd and perdixctl of one version?\n"
                             "  perdixctl doctor    compares them"};
  }
  if (is("FileNotFound") || is("NoServer")) {
    return {EX_UNAVAILABLE, "there is no system bus here: " + text};
  }
  if (is("Failed")) return {EX_SOFTWARE, "perdixd: " + text};
  return {EX_SOFTWARE, name + ": " + text};
}

auto Try(auto&& call) {
  try {
    return call();
  } catch (const sdbus::Error& error) {
    throw Explain(error);
  }
}

json ToJson(const sdbus::Variant& value) {
  const std::string type = value.peekValueType();
  if (type == "s") return value.get<std::string>();
  if (type == "b") return value.get<bool>();
  if (type == "u") return value.get<uint32_t>();
  if (type == "t") return value.get<uint64_t>();
  if (type == "d") return value.get<double>();
  if (type == "a{su}") return value.get<std::map<std::string, uint32_t>>();
  if (type == "a{ss}") return value.get<std::map<std::string, std::string>>();
  json rows = json::array();
  if (type == "a(tt)") {
    using Row = sdbus::Struct<uint64_t, uint64_t>;
    for (const Row& row : value.get<std::vector<Row>>())
      rows.push_back({std::get<0>(row), std::get<1>(row)});
  } else if (type == "a(sst)") {
    using Row = sdbus::Struct<std::string, std::string, uint64_t>;
    for (const Row& row : value.get<std::vector<Row>>())
      rows.push_back({std::get<0>(row), std::get<1>(row), std::get<2>(row)});
  } else {
    return nullptr;  // of a newer daemon
  }
  return rows;
}

json ToJson(const std::map<std::string, sdbus::Variant>& properties) {
  json all = json::object();
  for (const auto& [name, value] : properties) all[name] = ToJson(value);
  return all;
}

uint64_t Now() {
  using std::chrono::microseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return uint64_t(std::chrono::duration_cast<microseconds>(now).count());
}

}  // namespace

// Its signals arrive in the thread of the connection's event loop.
class DaemonClient::Proxy final
    : public sdbus::ProxyInterfaces<org::perdix::Decoder1_proxy> {
 public:
  explicit Proxy(sdbus::IConnection& connection)
      : ProxyInterfaces(connection, bus::ServiceName(kName),
                        sdbus::ObjectPath(kPath)) {
    registerProxy();
  }
  ~Proxy() { unregisterProxy(); }

  void WatchCalibration(const Progress& progress) {
    const std::scoped_lock lock(mutex_);
    progress_ = progress;
    result_.reset();
  }

  std::optional<CalibrationResult> WaitForResult(milliseconds timeout) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [this] { return result_.has_value(); });
    return result_;
  }

 private:
  void onCalibrationProgress(const double& fraction,
                             const std::string& step) override {
    const std::scoped_lock lock(mutex_);
    if (progress_ && !result_) progress_(fraction, step);
  }

  void onCalibrationFinished(const bool& success,
                             const std::string& message) override {
    const std::scoped_lock lock(mutex_);
    result_ = {success, message};
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Progress progress_;
  std::optional<CalibrationResult> result_;
};

// The connection outlives the proxy; its event loop does not outlive this.
struct DaemonClient::Bus {
  Bus() {
    SetTimeout(kTimeout);
    connection->enterEventLoopAsync();
  }
  ~Bus() { connection->leaveEventLoop(); }

  void SetTimeout(milliseconds timeout) {
    connection->setMethodCallTimeout(
        uint64_t(std::chrono::microseconds(timeout).count()));
  }

  std::unique_ptr<sdbus::IConnection> connection =
      sdbus::createSystemBusConnection();
  Proxy proxy{*connection};
};

DaemonClient::DaemonClient()
    : bus_(Try([] { return std::make_unique<Bus>(); })) {}

DaemonClient::~DaemonClient() = default;

json DaemonClient::Statistics() {
  const auto [daemon, sessions] =
      Try([&] { return bus_->proxy.GetStatistics(); });
  json all = {{"daemon", ToJson(daemon)}, {"sessions", json::array()}};
  for (const auto& [path, session] : sessions) {
    all["sessions"].push_back(ToJson(session));
  }
  return all;
}

Snapshot DaemonClient::TakeSnapshot() {
  Snapshot snapshot = ParseSnapshot(Statistics());
  snapshot.taken_usec = Now();
  return snapshot;
}

std::map<std::string, std::string> DaemonClient::SetRecipe(
    const std::string& recipe) {
  return Try([&] { return bus_->proxy.SetRecipe(recipe); });
}

ShownPictures DaemonClient::Checksum(uint32_t session) {
  const std::string path = kPath + ("/session/" + std::to_string(session));
  ShownPictures shown;
  try {
    sdbus::createProxy(*bus_->connection, bus::ServiceName(kName),
                       sdbus::ObjectPath(path))
        ->callMethod("Checksum")
        .onInterface("org.perdix.Decoder1.Session")
        .storeResultsTo(shown.pictures, shown.checksum);
  } catch (const sdbus::Error& error) {
    if (error.getName() == kUnknownObject) {
      throw Failure(EX_USAGE, "session " + std::to_string(session) +
                                  ": there is none of that number\n"
                                  "  perdixctl sessions    lists them");
    }
    throw Explain(error);
  }
  return shown;
}

void DaemonClient::ResetStatistics() {
  Try([&] { bus_->proxy.ResetStatistics(); });
}

void DaemonClient::SetLogLevel(const std::string& level) {
  Try([&] { bus_->proxy.SetLogLevel(level); });
}

CalibrationResult DaemonClient::Calibrate(const Progress& progress) {
  bus_->proxy.WatchCalibration(progress);
  Try([&] { bus_->proxy.Calibrate(); });
  for (;;) {
    if (const auto result = bus_->proxy.WaitForResult(kCheckInterval))
      return *result;
    // A daemon that ended sends no signal: this throws. One that was started
    // again knows of no calibration.
    const Daemon daemon = ParseSnapshot(Statistics()).daemon;
    if (daemon.calibration_state == "running") continue;
    if (const auto result = bus_->proxy.WaitForResult(milliseconds(0)))
      return *result;
    if (daemon.calibration_state == "idle")
      return {false, "perdixd was started again meanwhile"};
    return {daemon.calibration_state == "done", daemon.calibration_message};
  }
}

uint32_t DaemonClient::Trace(uint32_t frames, uint32_t timeout_ms, int fd) {
  bus_->SetTimeout(milliseconds(timeout_ms) + kTimeout);
  return Try(
      [&] { return bus_->proxy.Trace(frames, timeout_ms, sdbus::UnixFd(fd)); });
}

}  // namespace perdix::ctl
