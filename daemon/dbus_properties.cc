// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/dbus_properties.h"

#include <cctype>

#include "daemon/job_layout.h"
#include "kernels/kernel.h"

namespace perdix {
namespace {

constexpr uint64_t kNanosecondsPerUSec = 1000;

StageTimesValue ToStages(const std::vector<StageTime>& times) {
  StageTimesValue stages;
  for (const StageTime& time : times)
    stages.emplace_back(time.stage, time.variant,
                        time.nanoseconds / kNanosecondsPerUSec);
  return stages;
}

BucketsValue ToBuckets(const LatencyHistogram& latency) {
  BucketsValue buckets;
  for (const auto& [bound, frames] : latency.Buckets())
    buckets.emplace_back(bound, frames);
  return buckets;
}

std::string UpperCase(const char* text) {
  std::string upper;
  for (; *text; ++text) upper += char(std::toupper(*text));
  return upper;
}

double Motion(const Snapshot::Session& session) {
  const StreamFormat& format = session.counted.format;
  const double samples = double(session.stream.motion_frames) *
                         double(format.width) * double(format.height);
  return samples == 0 ? 0 : double(session.stream.motion_sum) / samples;
}

}  // namespace

VariantsValue RecipeValue(const Recipe& recipe) {
  VariantsValue variants;
  const auto table = KernelTable();
  for (size_t i = 0; i < table.size(); ++i)
    variants[table[i].key] = VariantName(recipe.variant(KernelId(i)));
  return variants;
}

std::string SessionPath(uint32_t id) {
  return "/org/perdix/Decoder1/session/" + std::to_string(id);
}

Properties DaemonProperties(const Snapshot& now) {
  const LimitsValue limits = {
      {"MaxWidth", PERDIX_MAX_SIDE},
      {"MaxHeight", PERDIX_MAX_SIDE},
      {"FramesInFlight", uint32_t(now.frames_in_flight)}};
  return {
      {"Version", PERDIX_VERSION},
      {"Connected", now.connected},
      {"ModuleVersion", now.module_version},
      {"VideoNode", now.video_node},
      {"MediaNode", now.media_node},
      {"Threads", uint32_t(now.threads)},
      {"Gpu", now.gpu.name},
      {"GpuDriver", now.gpu.driver},
      {"GpuType", now.gpu.name.empty() ? "" : TypeName(now.gpu.type)},
      {"GpuNode", now.gpu.node.path},
      {"GpuDrmDriver", now.gpu.node.driver},
      {"GpuState", now.gpu_state},
      {"Limits", limits},
      {"Recipe", RecipeValue(now.recipe)},
      {"RecipeSource", now.recipe_source},
      {"CalibrationState", now.calibration_state},
      {"CalibrationMessage", now.calibration_message},
      {"LogLevel", now.log_level},
      {"SessionsOpen", uint32_t(now.sessions.size())},
      {"Sessions", now.sessions_opened},
      {"FramesDecoded", now.frames.decoded},
      {"FramesFailed", now.frames.failed},
      {"FramesDropped", now.frames.dropped},
      {"BytesIn", now.frames.bytes},
      {"Buffers", uint32_t(now.buffers)},
      {"BufferImports", now.buffer_imports},
      {"PrivateBytes", now.private_bytes},
      {"GpuImports", now.engine.gpu_imports},
      {"GpuImportsRefused", now.engine.gpu_refused},
      {"GpuFrames", now.engine.gpu_frames},
      {"GpuFramesRedone", now.engine.redone_frames},
      {"SelfChecks", now.engine.self_checks},
      {"SelfCheckFailures", now.engine.self_check_failures},
      {"StageUSec", ToStages(now.stages)},
      {"StatisticsSince", now.since_usec},
  };
}

Properties SessionProperties(const Snapshot::Session& session) {
  const SessionStatistics& counted = session.counted;
  const LatencyHistogram& latency = counted.latency;
  return {
      {"Id", session.id},
      {"ClientPid", counted.client_pid},
      {"ClientName", counted.client_name},
      {"OpenedUSec", counted.opened_usec},
      {"Codec", UpperCase(counted.codec ? counted.codec->name : "")},
      {"Profile", counted.format.profile},
      {"Width", counted.format.width},
      {"Height", counted.format.height},
      {"BitDepth", counted.format.bit_depth},
      {"FilmGrain", counted.format.film_grain},
      {"PrivateBytes", session.private_bytes},
      {"FramesDecoded", counted.frames.decoded},
      {"FramesFailed", counted.frames.failed},
      {"FramesDropped", counted.frames.dropped},
      {"BytesIn", counted.frames.bytes},
      {"Fps", session.fps},
      {"LatencyP50USec", latency.Percentile(0.5)},
      {"LatencyP95USec", latency.Percentile(0.95)},
      {"LatencyP99USec", latency.Percentile(0.99)},
      {"LatencyMaxUSec", latency.max()},
      {"LatencyHistogram", ToBuckets(latency)},
      {"StageUSec", ToStages(session.stream.stages)},
      {"Motion", Motion(session)},
  };
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
