// SPDX-License-Identifier: BSD-2-Clause
// The daemon as the D-Bus thread sees it: properties of one moment, at most
// 50 ms old, copied by the event loop when somebody asks.
#ifndef PERDIX_DAEMON_DBUS_VIEW_H_
#define PERDIX_DAEMON_DBUS_VIEW_H_

#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "daemon/call_queue.h"
#include "daemon/control.h"
#include "daemon/dbus_properties.h"
#include "daemon/sdbus.h"

namespace perdix {

inline constexpr const char* kErrorFailed = "org.freedesktop.DBus.Error.Failed";

class DbusView {
 public:
  using PropertiesPtr = std::shared_ptr<const Properties>;
  using Sessions = std::map<uint32_t, PropertiesPtr>;
  using Variants = std::map<std::string, sdbus::Variant>;
  // The daemon's, and the sessions' by path.
  using SessionVariants = std::map<sdbus::ObjectPath, Variants>;
  using StatisticsReply = std::tuple<Variants, SessionVariants>;

  DbusView(Control& control, CallQueue& loop)
      : control_(control), loop_(loop) {}

  // All of these throw sdbus::Error when the daemon is ending.
  const PropertiesPtr& Daemon();
  const Sessions& OpenSessions();
  // Both, of one look.
  const StatisticsReply& Statistics();

  Control& control() { return control_; }
  // The next look is a new one.
  void Forget() { looked_ = {}; }

  // Calls on the event loop's thread, and waits.
  template <typename Function>
  auto Ask(Function function) {
    try {
      return loop_.Call([&] { return function(control_); });
    } catch (const std::future_error&) {
      throw bus::NewError(kErrorFailed, "the daemon is ending");
    }
  }

 private:
  void Look();

  Control& control_;
  CallQueue& loop_;
  SteadyTime looked_{};
  PropertiesPtr daemon_;
  Sessions sessions_;
  // Statistics of the same look, made when first asked for: a variant is a
  // message of its own, and a thousand calls a second should not make it a
  // thousand times.
  std::optional<StatisticsReply> statistics_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_DBUS_VIEW_H_
