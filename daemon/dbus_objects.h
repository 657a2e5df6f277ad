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
  const PropertyValue& value;
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

  std::string Version() override { return Get("Version"); }
  bool Connected() override { return Get("Connected"); }
  std::string ModuleVersion() override { return Get("ModuleVersion"); }
  std::string VideoNode() override { return Get("VideoNode"); }
  std::string MediaNode() override { return Get("MediaNode"); }
  uint32_t Threads() override { return Get("Threads"); }
  std::string Gpu() override { return Get("Gpu"); }
  std::string GpuDriver() override { return Get("GpuDriver"); }
  std::string GpuType() override { return Get("GpuType"); }
  std::string GpuNode() override { return Get("GpuNode"); }
  std::string GpuDrmDriver() override { return Get("GpuDrmDriver"); }
  std::string GpuState() override { return Get("GpuState"); }
  LimitsValue Limits() override { return Get("Limits"); }
  VariantsValue Recipe() override { return Get("Recipe"); }
  std::string RecipeSource() override { return Get("RecipeSource"); }
  std::string CalibrationState() override { return Get("CalibrationState"); }
  std::string CalibrationMessage() override {
    return Get("CalibrationMessage");
  }
  std::string LogLevel() override { return Get("LogLevel"); }
  uint32_t SessionsOpen() override { return Get("SessionsOpen"); }
  uint64_t Sessions() override { return Get("Sessions"); }
  uint64_t FramesDecoded() override { return Get("FramesDecoded"); }
  uint64_t FramesFailed() override { return Get("FramesFailed"); }
  uint64_t FramesDropped() override { return Get("FramesDropped"); }
  uint64_t BytesIn() override { return Get("BytesIn"); }
  uint32_t Buffers() override { return Get("Buffers"); }
  uint64_t BufferImports() override { return Get("BufferImports"); }
  uint64_t PrivateBytes() override { return Get("PrivateBytes"); }
  uint64_t GpuImports() override { return Get("GpuImports"); }
  uint64_t GpuImportsRefused() override { return Get("GpuImportsRefused"); }
  uint64_t GpuFrames() override { return Get("GpuFrames"); }
  uint64_t GpuFramesRedone() override { return Get("GpuFramesRedone"); }
  uint64_t SelfChecks() override { return Get("SelfChecks"); }
  uint64_t SelfCheckFailures() override { return Get("SelfCheckFailures"); }
  StageTimesValue StageUSec() override { return Get("StageUSec"); }
  uint64_t StatisticsSince() override { return Get("StatisticsSince"); }

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

  Property Get(const char* name) { return {Now()->at(name)}; }
  // What it last was, if it is gone.
  const DbusView::PropertiesPtr& Now();

  uint32_t Id() override { return Get("Id"); }
  uint32_t ClientPid() override { return Get("ClientPid"); }
  std::string ClientName() override { return Get("ClientName"); }
  uint64_t OpenedUSec() override { return Get("OpenedUSec"); }
  std::string Codec() override { return Get("Codec"); }
  uint32_t Profile() override { return Get("Profile"); }
  uint32_t Width() override { return Get("Width"); }
  uint32_t Height() override { return Get("Height"); }
  uint32_t BitDepth() override { return Get("BitDepth"); }
  bool FilmGrain() override { return Get("FilmGrain"); }
  uint64_t PrivateBytes() override { return Get("PrivateBytes"); }
  uint64_t FramesDecoded() override { return Get("FramesDecoded"); }
  uint64_t FramesFailed() override { return Get("FramesFailed"); }
  uint64_t FramesDropped() override { return Get("FramesDropped"); }
  uint64_t BytesIn() override { return Get("BytesIn"); }
  double Fps() override { return Get("Fps"); }
  uint64_t LatencyP50USec() override { return Get("LatencyP50USec"); }
  uint64_t LatencyP95USec() override { return Get("LatencyP95USec"); }
  uint64_t LatencyP99USec() override { return Get("LatencyP99USec"); }
  uint64_t LatencyMaxUSec() override { return Get("LatencyMaxUSec"); }
  BucketsValue LatencyHistogram() override { return Get("LatencyHistogram"); }
  StageTimesValue StageUSec() override { return Get("StageUSec"); }
  double Motion() override { return Get("Motion"); }

  DbusView& view_;
  const uint32_t id_;
  DbusView::PropertiesPtr now_;
  DbusView::PropertiesPtr announced_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_DBUS_OBJECTS_H_
