// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/dbus_objects.h"

#include <utility>

#include "kernels/text.h"

namespace perdix {
namespace {

constexpr const char* kInvalidArgs = "org.freedesktop.DBus.Error.InvalidArgs";
constexpr const char* kBusy = "org.perdix.Decoder1.Error.Busy";
constexpr const char* kOff = "org.perdix.Decoder1.Error.Off";
constexpr uint32_t kMaxTraceMs = 600000;
constexpr size_t kMaxText = 1000;  // ten times what a recipe takes

std::string AllLevels() {
  std::string names;
  for (const auto& [name, priority] : LogLevels())
    names += (names.empty() ? "" : ", ") + name;
  return names;
}

// Errors say what was got: nobody wants to read megabytes of it.
void CheckLength(const char* what, const std::string& text) {
  if (text.size() <= kMaxText) return;
  throw bus::NewError(kInvalidArgs,
                      std::string(what) + ": " + std::to_string(text.size()) +
                          " bytes, want at most " + std::to_string(kMaxText));
}

template <typename Object>
void AnnounceChanges(Object& object, const char* interface,
                     const DbusView::PropertiesPtr& now,
                     DbusView::PropertiesPtr* announced) {
  const DbusView::PropertiesPtr before = std::exchange(*announced, now);
  if (!before) return;
  const bus::PropertyNames names = Changed(*before, *now);
  if (!names.empty()) object.emitPropertiesChangedSignal(interface, names);
}

}  // namespace

DaemonObject::DaemonObject(sdbus::IConnection& connection, DbusView& view,
                           std::shared_ptr<CallQueue> calls)
    : AdaptorInterfaces(connection, sdbus::ObjectPath("/org/perdix/Decoder1")),
      view_(view),
      calls_(std::move(calls)),
      announced_(view.Daemon()) {
  registerAdaptor();
}

DaemonObject::~DaemonObject() { unregisterAdaptor(); }

void DaemonObject::Announce() {
  AnnounceChanges(getObject(), org::perdix::Decoder1_adaptor::INTERFACE_NAME,
                  view_.Daemon(), &announced_);
}

void DaemonObject::GetStatistics(StatisticsResult&& result) {
  const auto& [daemon, sessions] = view_.Statistics();
  result.returnResults(daemon, sessions);
}

void DaemonObject::SetRecipe(sdbus::Result<VariantsValue>&& result,
                             std::string text) {
  CheckLength("recipe", text);
  if (recipe_result_) throw bus::NewError(kBusy, "a recipe is being set");
  recipe_result_ =
      std::make_shared<sdbus::Result<VariantsValue>>(std::move(result));
  const auto set = [this, calls = calls_, call = std::weak_ptr(recipe_result_)](
                       const Status& status, const perdix::Recipe& recipe) {
    calls->Post([=, this] {
      if (!call.expired()) RecipeSet(status, recipe);  // else we are gone
    });
  };
  view_.Ask([&](Control& control) { control.SetRecipe(text, set); });
}

void DaemonObject::RecipeSet(const Status& status,
                             const perdix::Recipe& recipe) {
  view_.Forget();
  const auto result = std::exchange(recipe_result_, nullptr);
  if (status.ok())
    result->returnResults(RecipeValue(recipe));
  else
    result->returnError(bus::NewError(kInvalidArgs, status.message()));
}

void DaemonObject::Calibrate() {
  if (!view_.Ask([](Control& control) { return control.Calibrate(); }))
    throw bus::NewError(kBusy, "a calibration is running");
  view_.Forget();
}

void DaemonObject::ResetStatistics() {
  view_.Ask([](Control& control) { control.ResetStatistics(); });
  view_.Forget();
}

void DaemonObject::SetLogLevel(const std::string& level) {
  CheckLength("log level", level);
  const auto found = LogLevels().find(level);
  if (found == LogLevels().end()) {
    throw bus::NewError(kInvalidArgs, "log level " + Printable(level) +
                                          ", want one of " + AllLevels());
  }
  const int priority = found->second;
  view_.Ask([=](Control& control) { control.SetLogPriority(priority); });
  view_.Forget();
}

void DaemonObject::Trace(sdbus::Result<uint32_t>&& result, uint32_t frames,
                         uint32_t timeout_ms, sdbus::UnixFd file) {
  if (frames == 0 || frames > kMaxTraceFrames) {
    throw bus::NewError(kInvalidArgs, "frames " + std::to_string(frames) +
                                          ", want 1 to " +
                                          std::to_string(kMaxTraceFrames));
  }
  if (timeout_ms > kMaxTraceMs) {
    throw bus::NewError(kInvalidArgs,
                        "timeout_ms " + std::to_string(timeout_ms) +
                            ", want at most " + std::to_string(kMaxTraceMs));
  }
  // One that has replied may wait for CheckTime behind other calls.
  if (trace_ && !trace_->replied())
    throw bus::NewError(kBusy, "a trace is running");
  trace_ = std::make_shared<DbusTrace>(view_.control(), calls_,
                                       std::move(result), std::move(file));
  trace_->Start(frames, std::chrono::milliseconds(timeout_ms));
  CheckTime(std::chrono::steady_clock::now());
}

std::optional<SteadyTime> DaemonObject::deadline() const {
  if (!trace_ || trace_->deadline() == SteadyTime::max()) return std::nullopt;
  return trace_->deadline();
}

void DaemonObject::CheckTime(SteadyTime now) {
  if (trace_) trace_->CheckTime(now);
  if (trace_ && trace_->replied()) trace_.reset();
}

SessionObject::SessionObject(sdbus::IConnection& connection, DbusView& view,
                             uint32_t id, DbusView::PropertiesPtr now)
    : AdaptorInterfaces(connection, sdbus::ObjectPath(SessionPath(id))),
      view_(view),
      id_(id),
      now_(std::move(now)),
      announced_(now_) {
  registerAdaptor();
  emitInterfacesAddedSignal();
}

SessionObject::~SessionObject() {
  try {
    emitInterfacesRemovedSignal();
  } catch (const sdbus::Error&) {
    // The connection is gone, and with it everybody who would be told.
  }
  unregisterAdaptor();
}

void SessionObject::Announce() {
  AnnounceChanges(getObject(),
                  org::perdix::Decoder1::Session_adaptor::INTERFACE_NAME, Now(),
                  &announced_);
}

std::tuple<uint64_t, uint64_t> SessionObject::Checksum() {
  ShownChecksum checksum;
  const Status status = view_.Ask(
      [&](Control& control) { return control.Checksum(id_, &checksum); });
  if (!status.ok()) {
    const bool off = status.code() == StatusCode::kUnsupported;
    throw bus::NewError(off ? kOff : kErrorFailed, status.message());
  }
  return {checksum.pictures(), checksum.value()};
}

const DbusView::PropertiesPtr& SessionObject::Now() {
  const auto& open = view_.OpenSessions();
  if (const auto found = open.find(id_); found != open.end())
    now_ = found->second;
  return now_;
}

}  // namespace perdix
