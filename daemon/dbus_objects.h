// SPDX-License-Identifier: BSD-2-Clause
// The D-Bus objects: the adaptors that are generated from systemd/*.xml, filled
// from a DbusView. Belong to the D-Bus thread.
#ifndef PERDIX_DAEMON_DBUS_OBJECTS_H_
#define PERDIX_DAEMON_DBUS_OBJECTS_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "daemon/dbus_properties.h"
#include "daemon/dbus_trace.h"
#include "daemon/dbus_view.h"
#include "daemon/org.perdix.Decoder1.Session.h"
#include "daemon/org.perdix.Decoder1.h"
#include "daemon/sdbus.h"

namespace perdix {

// One value; becomes what the getter returns.
struct Property {
  const FigureValue& value;
  template <typename Value>
  operator Value() const {
    return std::get<Value>(value);
  }
};

// /org/perdix/Decoder1
class DaemonObject final
    : public sdbus::AdaptorInterfaces<org::perdix::Decoder1_adaptor,
                                      sdbus::ObjectManager_adaptor> {
 public:
  // calls: into this thread.
  DaemonObject(sdbus::IConnection& connection, DbusView& view,
               std::shared_ptr<CallQueue> calls);
  ~DaemonObject();

  // PropertiesChanged for what differs from the last time; the first time for
  // nothing.
  void Announce();
  // When CheckTime has something to do, if it has.
  std::optional<SteadyTime> deadline() const;
  void CheckTime(SteadyTime now);

 private:
  using StatisticsResult =
      sdbus::Result<DbusView::Variants, DbusView::SessionVariants>;

  Property Get(const char* name) { return {view_.Daemon()->at(name)}; }
  void RecipeSet(const Status& status, const perdix::Recipe& recipe);

  // Replies at once: what is returned by value would be copied.
  void GetStatistics(StatisticsResult&& result) override;
  void SetRecipe(sdbus::Result<VariantsValue>&& result,
                 std::string recipe) override;
  void Calibrate() override;
  void ResetStatistics() override;
  void SetLogLevel(const std::string& level) override;
  void Trace(sdbus::Result<uint32_t>&& result, uint32_t frames,
             uint32_t timeout_ms, sdbus::UnixFd file) override;

#define PERDIX_DAEMON_FIGURE(Name, field, type, ...) \
  figure::type Name() override { return Get(#Name); }
#include "daemon/figures.def"

  DbusView& view_;
  const std::shared_ptr<CallQueue> calls_;
  DbusView::PropertiesPtr announced_;
  std::shared_ptr<DbusTrace> trace_;  // the one at work, or null
  // The answer to the call of SetRecipe that is at work, or null.
  std::shared_ptr<sdbus::Result<VariantsValue>> recipe_result_;
};

// /org/perdix/Decoder1/session/<id>. Appears with its construction and vanishes
// with its destruction.
class SessionObject final
    : public sdbus::AdaptorInterfaces<org::perdix::Decoder1::Session_adaptor,
                                      sdbus::ManagedObject_adaptor> {
 public:
  // now: of the session, which may be gone by now.
  SessionObject(sdbus::IConnection& connection, DbusView& view, uint32_t id,
                DbusView::PropertiesPtr now);
  ~SessionObject();

  void Announce();  // as of DaemonObject

 private:
  using StatisticsResult =
      sdbus::Result<DbusView::Variants, DbusView::SessionVariants>;

  std::tuple<uint64_t, uint64_t> Checksum() override;

  Property Get(const char* name) { return {Now()->at(name)}; }
  // What it last was, if it is gone.
  const DbusView::PropertiesPtr& Now();

#define PERDIX_SESSION_FIGURE(Name, field, type, ...) \
  figure::type Name() override { return Get(#Name); }
#include "daemon/figures.def"

  DbusView& view_;
  const uint32_t id_;
  DbusView::PropertiesPtr now_;
  DbusView::PropertiesPtr announced_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_DBUS_OBJECTS_H_
