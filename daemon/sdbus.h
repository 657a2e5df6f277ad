// SPDX-License-Identifier: BSD-2-Clause
// sdbus-c++ 1.2 (Debian 12) and 2.x (Debian 13) under the same names: the only
// place that knows which it is.
#ifndef PERDIX_DAEMON_SDBUS_H_
#define PERDIX_DAEMON_SDBUS_H_

#include <sdbus-c++/sdbus-c++.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#if __has_include(<sdbus-c++/VTableItems.h>)
#define PERDIX_SDBUS_2 1
#else
#define PERDIX_SDBUS_2 0
#endif

namespace perdix::bus {

#if PERDIX_SDBUS_2

using PropertyNames = std::vector<sdbus::PropertyName>;
using ServiceName = sdbus::ServiceName;

inline sdbus::Error NewError(const std::string& name, std::string message) {
  return sdbus::Error(sdbus::Error::Name(name), std::move(message));
}
// False: nothing was pending.
inline bool ProcessPending(sdbus::IConnection& connection) {
  return connection.processPendingEvent();
}
// Proxies are told of signals from then on.
inline void BeginSignals(sdbus::IProxy&) {}

#else

using PropertyNames = std::vector<std::string>;
using ServiceName = std::string;

inline sdbus::Error NewError(const std::string& name,
                             const std::string& message) {
  return sdbus::Error(name, message);
}
inline bool ProcessPending(sdbus::IConnection& connection) {
  return connection.processPendingRequest();
}
inline void BeginSignals(sdbus::IProxy& proxy) { proxy.finishRegistration(); }

#endif

}  // namespace perdix::bus

#endif  // PERDIX_DAEMON_SDBUS_H_
