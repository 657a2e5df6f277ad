// SPDX-License-Identifier: BSD-2-Clause
// mock-perdixd [--live]: the daemon's side of the bus, without a decoder. It
// tells the sample's statistics; with --live they grow as time goes by.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/dbus_types.h"
#include "daemon/sdbus.h"
#include "decoder1_adaptor.h"  // made from systemd/org.perdix.Decoder1.xml
#include "tests/ctl/sample.h"

namespace perdix::ctl {
namespace {

using nlohmann::json;
using Properties = std::map<std::string, sdbus::Variant>;
using Clock = std::chrono::steady_clock;

constexpr double kSampleSeconds = 600;

// A list of rows, which JSON has as arrays.
template <typename... Cells>
void FromJson(const json& from, std::vector<sdbus::Struct<Cells...>>* to) {
  for (const json& row : from)
    to->emplace_back(row.get<std::tuple<Cells...>>());
}
void FromJson(const json& from, auto* to) { from.get_to(*to); }

template <typename Value>
Value FromJson(const json& from) {
  Value value{};
  FromJson(from, &value);
  return value;
}

Properties DaemonProperties(const json& from) {
  Properties properties;
#define PERDIX_DAEMON_FIGURE(Name, field, type, ...) \
  properties[#Name] = sdbus::Variant(FromJson<figure::type>(from.at(#Name)));
#include "daemon/figures.def"
  return properties;
}

Properties SessionProperties(const json& from) {
  Properties properties;
#define PERDIX_SESSION_FIGURE(Name, field, type, ...) \
  properties[#Name] = sdbus::Variant(FromJson<figure::type>(from.at(#Name)));
#include "daemon/figures.def"
  return properties;
}

[[noreturn]] void Refuse(const char* name, const std::string& text) {
  throw bus::NewError(name, text);
}

class MockDaemon final
    : public sdbus::AdaptorInterfaces<org::perdix::Decoder1_adaptor> {
 public:
  MockDaemon(sdbus::IConnection& connection, bool live)
      : AdaptorInterfaces(connection,
                          sdbus::ObjectPath("/org/perdix/Decoder1")),
        live_(live) {
    using std::chrono::duration_cast;
    if (live) {
      const auto since = std::chrono::system_clock::now().time_since_epoch() -
                         std::chrono::duration<double>(kSampleSeconds);
      overrides_["StatisticsSince"] =
          duration_cast<std::chrono::microseconds>(since).count();
    }
    registerAdaptor();
  }
  ~MockDaemon() { unregisterAdaptor(); }

 private:
  using Names = std::map<std::string, std::string>;

  using SessionsByPath = std::map<sdbus::ObjectPath, Properties>;

  void GetStatistics(
      sdbus::Result<Properties, SessionsByPath>&& result) override {
    SessionsByPath sessions;
    const json now = Now();
    for (const json& session : now["sessions"]) {
      sessions.emplace("/org/perdix/Decoder1/session/" + session["Id"].dump(),
                       SessionProperties(session));
    }
    result.returnResults(DaemonProperties(now["daemon"]), sessions);
  }

  void SetRecipe(sdbus::Result<Names>&& result, std::string recipe) override {
    if (recipe != "scalar" && recipe != "simd") {
      Refuse("org.freedesktop.DBus.Error.InvalidArgs",
             "recipe \"" + recipe + "\": scalar and simd are allowed");
    }
    overrides_["RecipeSource"] = "set";
    for (auto& [kernel, variant] : overrides_["Recipe"].items())
      variant = recipe;
    result.returnResults(overrides_["Recipe"].get<Names>());
  }

  void Calibrate() override {
    if (calibration_.joinable())
      Refuse("org.perdix.Decoder1.Error.Busy", "a calibration is running");
    calibration_ = std::jthread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      emitCalibrationProgress(0.25, "vp9_inter_pred simd");
      emitCalibrationProgress(0.75, "vp9_loop_filter vulkan");
      emitCalibrationFinished(true, "stored: all simd");
    });
  }

  void ResetStatistics() override { overrides_["FramesDecoded"] = 0; }

  void SetLogLevel(const std::string& level) override {
    overrides_["LogLevel"] = level;
  }

  void Trace(sdbus::Result<uint32_t>&& result, uint32_t frames,
             uint32_t timeout_ms, sdbus::UnixFd file) override {
    const std::string text =
        json{{"traceEvents", json::array()}, {"timeout_ms", timeout_ms}}.dump();
    const bool written =
        write(file.get(), text.data(), text.size()) == ssize_t(text.size());
    result.returnResults(written ? frames : 0);
  }

  json Now() const {
    const std::chrono::duration<double> seconds = Clock::now() - start_;
    json now = SampleStatistics(kSampleSeconds + (live_ ? seconds.count() : 0));
    now["daemon"].update(overrides_);
    return now;
  }

#define PERDIX_DAEMON_FIGURE(Name, field, type, ...)       \
  figure::type Name() override {                           \
    return FromJson<figure::type>(Now()["daemon"][#Name]); \
  }
#include "daemon/figures.def"

  const bool live_;
  const Clock::time_point start_ = Clock::now();
  json overrides_ = {{"Recipe", SampleStatistics(0)["daemon"]["Recipe"]}};
  std::jthread calibration_;
};

}  // namespace
}  // namespace perdix::ctl

int main(int argc, char** argv) {
  const bool live = argc > 1 && std::string_view(argv[1]) == "--live";
  try {
    const auto connection = sdbus::createSystemBusConnection();
    perdix::ctl::MockDaemon daemon(*connection, live);
    connection->requestName(perdix::bus::ServiceName("org.perdix.Decoder1"));
    connection->enterEventLoop();
  } catch (const sdbus::Error& error) {  // the bus has gone
    std::fprintf(stderr, "mock-perdixd: %s\n", error.what());
    return 1;
  }
}
