// SPDX-License-Identifier: BSD-2-Clause
// All properties of an object of the bus, each against what it should be: one
// that nobody expects is as wrong as one that is missing. And which of them are
// counters.
#ifndef PERDIX_TESTS_DAEMON_PROPERTY_CHECKS_H_
#define PERDIX_TESTS_DAEMON_PROPERTY_CHECKS_H_

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "kernels/kernel.h"
#include "tests/daemon/dbus_fixture.h"

namespace perdix {

using Check =
    std::function<void(const sdbus::Variant& value, const std::string& name)>;
using Checks = std::map<std::string, Check>;  // by the property's name

template <typename Value>
Check Is(Value wanted) {
  return [=](const sdbus::Variant& value, const std::string& name) {
    EXPECT_EQ(value.get<Value>(), wanted) << name;
  };
}
template <typename Value>
Check Between(Value least, Value most) {
  return [=](const sdbus::Variant& value, const std::string& name) {
    EXPECT_GE(value.get<Value>(), least) << name;
    EXPECT_LE(value.get<Value>(), most) << name;
  };
}

// What has a counter's type, and says how something is now.
inline constexpr const char* kNoCounters[] = {
    "PrivateBytes", "OpenedUSec", "StatisticsSince", "LumaMean",
    "DarkRatio",    "FrozenUSec", "BlackUSec"};

// Whether a counter has counted something since the last reset; nothing for
// what has no counter's type.
inline std::optional<bool> HasCounted(const sdbus::Variant& value) {
  const std::string type = value.peekValueType();
  if (type == "t") return value.get<uint64_t>() != 0;
  if (type == "d") return value.get<double>() != 0;
  if (type == "a(tt)") return !value.get<BucketsValue>().empty();
  if (type != "a(sst)") return std::nullopt;
  return std::ranges::any_of(
      value.get<StageTimesValue>(),
      [](const auto& stage) { return std::get<2>(stage) != 0; });
}

// The names of all counters among the properties of an object that have counted
// something, or that have not.
inline std::set<std::string> Counters(const Variants& properties,
                                      bool have_counted) {
  std::set<std::string> names;
  for (const auto& [name, value] : properties) {
    if (HasCounted(value) == have_counted) names.insert(name);
  }
  for (const auto* name : kNoCounters) names.erase(name);
  return names;
}
using Names = std::set<std::string>;

class PropertiesFixture : public DbusFixture {
 protected:
  void SetUp() override {
    made_ = WallClockUSec();
    DbusFixture::SetUp();
  }

  // The daemon of the fixture before anything happens.
  Checks IdleDaemon() {
    const LimitsValue limits = {
        {"MaxWidth", 8192}, {"MaxHeight", 8192}, {"FramesInFlight", 3}};
    VariantsValue recipe;
    for (const KernelRow& row : KernelTable()) recipe[row.key] = "scalar";
    Checks checks = {{"Version", Is(std::string(PERDIX_VERSION))},
                     {"Connected", Is(true)},
                     {"Threads", Is(2u)},
                     {"GpuState", Is(std::string("none"))},
                     {"Limits", Is(limits)},
                     {"Recipe", Is(recipe)},
                     {"CpuFrames", Is(VariantsValue())},
                     {"RecipeSource", Is(std::string("configured"))},
                     {"CalibrationState", Is(std::string("idle"))},
                     {"LogLevel", Is(std::string("error"))},
                     {"Watch", Is(false)},
                     {"StatisticsSince", Between(made_, WallClockUSec())}};
    for (const auto* name :
         {"ModuleVersion", "VideoNode", "MediaNode", "Gpu", "GpuDriver",
          "GpuType", "GpuNode", "GpuDrmDriver", "CalibrationMessage"})
      checks[name] = Is(std::string());
    for (const auto* name : {"SessionsOpen", "Buffers"}) checks[name] = Is(0u);
    for (const auto* name :
         {"Sessions", "FramesDecoded", "FramesFailed", "FramesDropped",
          "BytesIn", "BufferImports", "GpuImports", "GpuImportsRefused",
          "PrivateBytes", "GpuFrames", "GpuFramesRedone", "SelfChecks",
          "SelfCheckFailures"})
      checks[name] = Is(uint64_t{0});
    return checks;
  }

  // Both Properties.GetAll and GetStatistics have what is expected.
  void ExpectAll(const std::string& path, const char* interface,
                 const Checks& checks) {
    Settle();
    Variants all;
    client_->Object(path)
        ->callMethod("GetAll")
        .onInterface(kPropertiesInterface)
        .withArguments(std::string(interface))
        .storeResultsTo(all);
    Expect(all, checks);
    auto [daemon, sessions] = Statistics();
    Expect(path == kDaemonPath ? daemon : sessions[sdbus::ObjectPath(path)],
           checks);
  }

 private:
  static void Expect(const Variants& properties, const Checks& checks) {
    for (const auto& [name, value] : properties) {
      const auto check = checks.find(name);
      if (check != checks.end())
        check->second(value, name);
      else
        ADD_FAILURE() << name << ": nobody knows what it should be";
    }
    for (const auto& [name, check] : checks)
      EXPECT_TRUE(properties.contains(name)) << name << " is missing";
  }

  uint64_t made_ = 0;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_DAEMON_PROPERTY_CHECKS_H_
