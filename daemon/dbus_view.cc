// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/dbus_view.h"

#include <chrono>

namespace perdix {
namespace {

constexpr std::chrono::milliseconds kLookInterval{50};

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
  statistics_.reset();
}

const DbusView::PropertiesPtr& DbusView::Daemon() {
  Look();
  return daemon_;
}

const DbusView::Sessions& DbusView::OpenSessions() {
  Look();
  return sessions_;
}

const DbusView::StatisticsReply& DbusView::Statistics() {
  Look();
  if (statistics_) return *statistics_;
  SessionVariants sessions;
  for (const auto& [id, properties] : sessions_)
    sessions[sdbus::ObjectPath(SessionPath(id))] = ToVariants(*properties);
  return statistics_.emplace(ToVariants(*daemon_), std::move(sessions));
}

}  // namespace perdix
