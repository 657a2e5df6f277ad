// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/control.h"

#include <libudev.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <utility>

#include "daemon/service.h"

namespace perdix {
namespace {

// Until the node's devices are found: udev may be slower than the channel.
constexpr std::chrono::seconds kSearchInterval{1};

constexpr const char* kModuleVersion = "/sys/module/perdix/version";

// The node of the device in that class whose attribute says that it is ours.
std::string FindDevice(udev* context, const char* subsystem,
                       const char* attribute) {
  const RefPtr<udev_enumerate, udev_enumerate_unref> all(
      udev_enumerate_new(context));
  if (!all) return {};
  udev_enumerate_add_match_subsystem(all.get(), subsystem);
  udev_enumerate_add_match_sysattr(all.get(), attribute, "perdix");
  udev_enumerate_scan_devices(all.get());
  udev_list_entry* const first = udev_enumerate_get_list_entry(all.get());
  if (!first) return {};
  const RefPtr<udev_device, udev_device_unref> device(
      udev_device_new_from_syspath(context, udev_list_entry_get_name(first)));
  const char* node = device ? udev_device_get_devnode(device.get()) : nullptr;
  return node ? node : "";
}

std::string FirstLine(const char* path) {
  std::string line;
  std::getline(std::ifstream(path) >> std::ws, line);
  return line;
}

const char* GpuState(const vulkan::Gpu* gpu) {
  if (!gpu) return "none";
  if (gpu->lost()) return "lost";
  return gpu->compiling() ? "compiling" : "ready";
}

EngineCounters operator-(EngineCounters a, const EngineCounters& b) {
  a.gpu_frames -= b.gpu_frames;
  a.cpu_frames -= b.cpu_frames;
  a.redone_frames -= b.redone_frames;
  a.gpu_imports -= b.gpu_imports;
  a.gpu_refused -= b.gpu_refused;
  a.self_checks -= b.self_checks;
  a.self_check_failures -= b.self_check_failures;
  a.motion_sum -= b.motion_sum;
  a.motion_frames -= b.motion_frames;
  return a;
}

// A stage may be in one of them only: the recipe changes.
std::vector<StageTime> operator-(std::vector<StageTime> a,
                                 const std::vector<StageTime>& b) {
  for (StageTime& time : a) {
    for (const StageTime& before : b) {
      if (before.stage == time.stage && before.variant == time.variant)
        time.nanoseconds -= std::min(time.nanoseconds, before.nanoseconds);
    }
  }
  return a;
}

}  // namespace

Control::Control(Parts parts)
    : parts_(std::move(parts)), recipe_source_(parts_.recipe_source) {
  parts_.statistics.set_changed([this](Statistics::Change change) {
    if (events_.changed) events_.changed(change);
  });
  parts_.statistics.set_watched(
      [this](uint32_t session, Statistics::Watched what, bool now) {
        if (events_.watched) events_.watched(session, what, now);
      });
  parts_.calibration.set_events(
      {.progress =
           [this](double fraction, const std::string& step) {
             if (events_.calibration_progress)
               events_.calibration_progress(fraction, step);
           },
       .finished =
           [this](bool success, const std::string& message) {
             if (success) recipe_source_ = "calibrated";
             Changed();
             if (events_.calibration_finished)
               events_.calibration_finished(success, message);
           }});
}

Control::~Control() {
  parts_.statistics.set_changed(nullptr);
  parts_.statistics.set_watched(nullptr);
  parts_.calibration.set_events({});
}

void Control::Changed() {
  if (events_.changed) events_.changed(Statistics::Change::kFrames);
}

Snapshot Control::Look() {
  const Engine& engine = parts_.engine;
  const Statistics& statistics = parts_.statistics;
  const Node* const node = parts_.node();
  Snapshot now;
  now.connected = node != nullptr;
  if (now.connected) FindDevices();
  if (now.connected) {
    now.module_version = module_version_;
    now.video_node = video_node_;
    now.media_node = media_node_;
  }
  now.threads = engine.threads();
  now.frames_in_flight = engine.frames_in_flight();
  if (const vulkan::Gpu* gpu = engine.gpu()) {
    now.gpu = gpu->identity();
    if (gpu_removed_) now.gpu.node = {};
  }
  now.gpu_state = GpuState(engine.gpu());
  now.recipe = engine.recipe();
  now.cpu_frames = engine.cpu_frames();
  now.recipe_source = recipe_source_;
  now.calibration_state = parts_.calibration.state();
  now.calibration_message = parts_.calibration.message();
  now.log_level = parts_.log.level();

  now.watch = statistics.watches();
  now.since_usec = statistics.since_usec();
  now.sessions_opened = statistics.sessions_opened();
  now.frames = statistics.frames();
  now.latency = statistics.latency();
  const NodeTotals totals = node ? node->Totals() : NodeTotals();
  now.buffers = totals.buffers;
  now.private_bytes = totals.private_bytes;
  now.buffer_imports =
      statistics.past_imports() + totals.imports - baseline_.imports;
  now.engine = engine.counters() - baseline_.engine;
  now.stages = engine.StageTimes() - baseline_.stages;
  now.sessions.reserve(statistics.sessions().size());
  const SteadyTime time = std::chrono::steady_clock::now();
  for (const auto& [id, session] : statistics.sessions())
    now.sessions.push_back(
        {.id = id,
         .counted = session,
         .fps = session.rate.PerSecond(time),
         .stream = StreamSinceReset(id, session),
         .private_bytes = node ? node->PrivateBytesOf(id) : 0});
  return now;
}

StreamCounters Control::StreamSinceReset(
    uint32_t id, const SessionStatistics& session) const {
  const Node* const node = parts_.node();
  StreamCounters stream = node ? node->StreamOf(id) : StreamCounters();
  const auto before = baseline_.streams.find(id);
  if (before == baseline_.streams.end() ||
      before->second.opened_usec != session.opened_usec)
    return stream;
  const StreamCounters& old = before->second.counters;
  stream.stages = std::move(stream.stages) - old.stages;
  stream.motion_sum -= old.motion_sum;
  stream.motion_frames -= old.motion_frames;
  return stream;
}

Status Control::Checksum(uint32_t session, ShownChecksum* checksum) const {
  const Node* const node = parts_.node();
  const auto found = node ? node->ChecksumOf(session) : std::nullopt;
  if (!found) return {StatusCode::kInvalidArgument, "the session is gone"};
  if (!node->sums()) {
    return {StatusCode::kUnsupported,
            "perdixd does not sum what is shown: checksum = yes in "
            "/etc/perdix/perdixd.conf, then systemctl restart perdix"};
  }
  *checksum = *found;
  return Status::Ok();
}

void Control::FindDevices() {
  const SteadyTime now = std::chrono::steady_clock::now();
  if (now < next_search_ || !media_node_.empty()) return;
  next_search_ = now + kSearchInterval;
  const RefPtr<udev, udev_unref> context(udev_new());
  if (!context) return;
  video_node_ = FindDevice(context.get(), "video4linux", "name");
  media_node_ = FindDevice(context.get(), "media", "model");
  module_version_ = FirstLine(kModuleVersion);
}

void Control::GpuNodeRemoved(const std::string& path) {
  vulkan::Gpu* const gpu = parts_.engine.gpu();
  if (!gpu || gpu_removed_ || gpu->identity().node.path != path) return;
  parts_.log.Write(LOG_WARNING,
                   "GPU " + gpu->name() + ": " + path +
                       " was removed: the CPU decodes from now on");
  gpu->MarkRemoved();
  gpu_removed_ = true;
  Changed();
}

void Control::GpuNodeAdded(const std::string& path) {
  if (!parts_.engine.gpu()) {
    parts_.log.Write(LOG_INFO, path + " was added: looking for a GPU");
    LookForGpu();
  } else if (parts_.engine.GpuLost()) {
    // Streams have pictures in its memory: it cannot be opened anew under them.
    parts_.log.Write(LOG_NOTICE,
                     path +
                         " was added: the GPU that was lost stays out of "
                         "use until perdixd is started again");
  }
}

void Control::LookForGpu() {
  const std::string_view source = recipe_source_;
  const bool by_auto = source != "configured" && source != "set";
  parts_.recipes.LookForGpu(
      by_auto, [this, before = parts_.engine.recipe().ToString()](
                   const Status& status, const Recipe& recipe) {
        const vulkan::Gpu* const gpu = parts_.engine.gpu();
        parts_.log.Write(LOG_INFO, gpu ? "GPU " + ToString(gpu->identity())
                                   : !status.ok()
                                       ? status.message()
                                       : "no GPU: the recipe uses none "
                                         "(perdixctl calibrate)");
        if (status.ok() && recipe.ToString() != before)
          recipe_source_ = "stored";
        Changed();
      });
}

void Control::SetRecipe(const std::string& text, RecipeSetter::Done done) {
  parts_.recipes.Set(text, [this, done = std::move(done)](
                               const Status& status, const Recipe& recipe) {
    if (status.ok()) {
      recipe_source_ = "set";
      Changed();
      parts_.log.Write(LOG_NOTICE, "recipe set: " + recipe.ToString());
    }
    done(status, recipe);
  });
}

bool Control::Calibrate() {
  if (parts_.calibration.running()) return false;
  parts_.calibration.Start();
  Changed();
  return true;
}

void Control::ResetStatistics() {
  const Node* const node = parts_.node();
  baseline_ = {.engine = parts_.engine.counters(),
               .stages = parts_.engine.StageTimes(),
               .imports = parts_.statistics.past_imports() +
                          (node ? node->Totals().imports : 0),
               .streams = {}};
  for (const auto& [id, session] : parts_.statistics.sessions()) {
    if (node) baseline_.streams[id] = {session.opened_usec, node->StreamOf(id)};
  }
  parts_.statistics.Reset();
  parts_.log.Write(LOG_NOTICE, "statistics reset");
}

void Control::SetLogPriority(int priority) {
  parts_.log.SetPriority(priority);
  Changed();
}

}  // namespace perdix
