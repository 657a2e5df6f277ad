// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/dbus_view.h"

#include <chrono>

namespace perdix {
namespace {

constexpr std::chrono::milliseconds kLookInterval{10};

}  // namespace

void DbusView::Look() {
  const SteadyTime now = std::chrono::steady_clock::now();
  if (daemon_ && now - looked_ < kLookInterval) return;
  const Snapshot snapshot =
      Ask([](Control& control) { return control.Look(); });
  looked_ = now;
  daemon_ = std::make_shared<Properties>(DaemonProperties(snapshot));
  sessions_.clear();
  for (const Snapshot::Session& session : snapshot.sessions)
    sessions_[session.id] =
        std::make_shared<Properties>(SessionProperties(session));
  daemon_variants_.clear();
  session_variants_.clear();
}

const DbusView::PropertiesPtr& DbusView::Daemon() {
  Look();
  return daemon_;
}

const DbusView::Sessions& DbusView::OpenSessions() {
  Look();
  return sessions_;
}

// A variant is a message of its own: a thousand calls a second should not make
// them a thousand times.
void DbusView::LookForStatistics() {
  Look();
  if (!daemon_variants_.empty()) return;
  daemon_variants_ = ToVariants(*daemon_);
  for (const auto& [id, properties] : sessions_)
    session_variants_[sdbus::ObjectPath(SessionPath(id))] =
        ToVariants(*properties);
}

const DbusView::Variants& DbusView::DaemonVariants() {
  LookForStatistics();
  return daemon_variants_;
}

const std::map<sdbus::ObjectPath, DbusView::Variants>&
DbusView::SessionVariants() {
  LookForStatistics();
  return session_variants_;
}

}  // namespace perdix
