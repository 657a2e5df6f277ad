// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/dbus_properties.h"

namespace perdix {
namespace {

template <typename Whole>
Properties ToProperties(std::span<const Figure<Whole>> figures,
                        const Whole& whole) {
  Properties properties;
  for (const Figure<Whole>& figure : figures)
    properties.emplace(figure.name, figure.value(whole));
  return properties;
}

}  // namespace

std::string SessionPath(uint32_t id) {
  return "/org/perdix/Decoder1/session/" + std::to_string(id);
}

Properties DaemonProperties(const Snapshot& snapshot) {
  return ToProperties(DaemonFigures(), snapshot);
}

Properties SessionProperties(const Snapshot::Session& session) {
  return ToProperties(SessionFigures(), session);
}

std::map<std::string, sdbus::Variant> ToVariants(const Properties& properties) {
  std::map<std::string, sdbus::Variant> variants;
  for (const auto& [name, value] : properties) {
    variants.emplace(
        name,
        std::visit([](const auto& v) { return sdbus::Variant(v); }, value));
  }
  return variants;
}

bus::PropertyNames Changed(const Properties& before, const Properties& now) {
  bus::PropertyNames names;
  for (const auto& [name, value] : now) {
    const bool announced = name != "LatencyHistogram";
    const auto found = before.find(name);
    if (announced && (found == before.end() || found->second != value))
      names.emplace_back(name);
  }
  return names;
}

}  // namespace perdix
