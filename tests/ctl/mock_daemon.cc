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

#include "daemon/sdbus.h"
#include "decoder1_adaptor.h"  // made from systemd/org.perdix.Decoder1.xml
#include "tests/ctl/sample.h"

namespace perdix::ctl {
namespace {

using nlohmann::json;
using Properties = std::map<std::string, sdbus::Variant>;
using Clock = std::chrono::steady_clock;

constexpr double kSampleSeconds = 600;

// The types of properties that are no strings, uint64 or bool, which JSON does
// not tell.
const std::map<std::string, std::string> kTypes = {
    {"Threads", "u"},
    {"SessionsOpen", "u"},
    {"Buffers", "u"},
    {"Id", "u"},
    {"ClientPid", "u"},
    {"Profile", "u"},
    {"Width", "u"},
    {"Height", "u"},
    {"BitDepth", "u"},
    {"Fps", "d"},
    {"Motion", "d"},
    {"Limits", "a{su}"},
    {"Recipe", "a{ss}"},
    {"StageUSec", "a(sst)"},
    {"LatencyHistogram", "a(tt)"}};

sdbus::Variant ToVariant(const std::string& type, const json& value) {
  if (type == "u") return sdbus::Variant(value.get<uint32_t>());
  if (type == "d") return sdbus::Variant(value.get<double>());
  if (type == "a{su}")
    return sdbus::Variant(value.get<std::map<std::string, uint32_t>>());
  if (type == "a{ss}")
    return sdbus::Variant(value.get<std::map<std::string, std::string>>());
  if (type == "a(tt)") {
    std::vector<sdbus::Struct<uint64_t, uint64_t>> rows;
    for (const json& row : value)
      rows.emplace_back(row[0].get<uint64_t>(), row[1].get<uint64_t>());
    return sdbus::Variant(rows);
  }
  if (type == "a(sst)") {
    std::vector<sdbus::Struct<std::string, std::string, uint64_t>> rows;
    for (const json& row : value) {
      rows.emplace_back(row[0].get<std::string>(), row[1].get<std::string>(),
                        row[2].get<uint64_t>());
    }
    return sdbus::Variant(rows);
  }
  if (value.is_boolean()) return sdbus::Variant(value.get<bool>());
  if (value.is_string()) return sdbus::Variant(value.get<std::string>());
  return sdbus::Variant(value.get<uint64_t>());
}

Properties ToProperties(const json& from) {
  Properties properties;
  for (const auto& [name, value] : from.items()) {
    const auto type = kTypes.find(name);
    properties.emplace(
        name, ToVariant(type == kTypes.end() ? "" : type->second, value));
  }
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

  using SessionProperties = std::map<sdbus::ObjectPath, Properties>;

  void GetStatistics(
      sdbus::Result<Properties, SessionProperties>&& result) override {
    SessionProperties sessions;
    const json now = Now();
    for (const json& session : now["sessions"]) {
      sessions.emplace("/org/perdix/Decoder1/session/" + session["Id"].dump(),
                       ToProperties(session));
    }
    result.returnResults(ToProperties(now["daemon"]), sessions);
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
  template <typename Value>
  Value Property(const char* name) const {
    return Now()["daemon"][name].get<Value>();
  }

#define PROPERTY(Type, Name) \
  Type Name() override { return Property<Type>(#Name); }
  using Numbers = std::map<std::string, uint32_t>;
  PROPERTY(std::string, Version)
  PROPERTY(bool, Connected)
  PROPERTY(std::string, ModuleVersion)
  PROPERTY(std::string, VideoNode)
  PROPERTY(std::string, MediaNode)
  PROPERTY(uint32_t, Threads)
  PROPERTY(std::string, Gpu)
  PROPERTY(std::string, GpuDriver)
  PROPERTY(std::string, GpuType)
  PROPERTY(std::string, GpuNode)
  PROPERTY(std::string, GpuDrmDriver)
  PROPERTY(std::string, GpuState)
  PROPERTY(Numbers, Limits)
  PROPERTY(Names, Recipe)
  PROPERTY(std::string, RecipeSource)
  PROPERTY(std::string, CalibrationState)
  PROPERTY(std::string, CalibrationMessage)
  PROPERTY(std::string, LogLevel)
  PROPERTY(uint32_t, SessionsOpen)
  PROPERTY(uint64_t, Sessions)
  PROPERTY(uint64_t, FramesDecoded)
  PROPERTY(uint64_t, FramesFailed)
  PROPERTY(uint64_t, FramesDropped)
  PROPERTY(uint64_t, BytesIn)
  PROPERTY(uint32_t, Buffers)
  PROPERTY(uint64_t, BufferImports)
  PROPERTY(uint64_t, PrivateBytes)
  PROPERTY(uint64_t, GpuImports)
  PROPERTY(uint64_t, GpuImportsRefused)
  PROPERTY(uint64_t, GpuFrames)
  PROPERTY(uint64_t, GpuFramesRedone)
  PROPERTY(uint64_t, SelfChecks)
  PROPERTY(uint64_t, SelfCheckFailures)
  PROPERTY(uint64_t, StatisticsSince)
#undef PROPERTY
  std::vector<sdbus::Struct<std::string, std::string, uint64_t>> StageUSec()
      override {
    return {};
  }

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
