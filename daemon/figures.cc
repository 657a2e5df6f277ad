// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/figures.h"

#include <cctype>

#include "daemon/job_layout.h"
#include "kernels/kernel.h"

namespace perdix {
namespace {

constexpr uint64_t kNanosecondsPerUSec = 1000;

std::string GpuType(const vulkan::GpuIdentity& gpu) {
  return gpu.name.empty() ? "" : TypeName(gpu.type);
}

LimitsValue LimitsOf(const Snapshot& now) {
  return {{"MaxWidth", PERDIX_MAX_SIDE},
          {"MaxHeight", PERDIX_MAX_SIDE},
          {"FramesInFlight", uint32_t(now.frames_in_flight)}};
}

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

std::string CodecName(const Snapshot::Session& session) {
  std::string name = session.counted.codec ? session.counted.codec->name : "";
  for (char& c : name) c = char(std::toupper(c));
  return name;
}

double MotionOf(const Snapshot::Session& session) {
  const StreamFormat& format = session.counted.format;
  const double samples = double(session.stream.motion_frames) *
                         double(format.width) * double(format.height);
  return samples == 0 ? 0 : double(session.stream.motion_sum) / samples;
}

constexpr PrometheusFamily None;

constexpr PrometheusFamily Gauge(const char* name, const char* help) {
  return {"gauge", name, help};
}

constexpr PrometheusFamily Counter(const char* name, const char* help) {
  return {"counter", name, help};
}

}  // namespace

std::span<const Figure<Snapshot>> DaemonFigures() {
  static constexpr Figure<Snapshot> kFigures[] = {
#define PERDIX_DAEMON_FIGURE(Name, field, type, unit, figure_value, family) \
  {#Name, Unit::k##unit,                                                    \
   []([[maybe_unused]] const Snapshot& now) -> FigureValue {                \
     return figure::type(figure_value);                                     \
   },                                                                       \
   family},
#include "daemon/figures.def"
  };
  return kFigures;
}

std::span<const Figure<Snapshot::Session>> SessionFigures() {
  static constexpr Figure<Snapshot::Session> kFigures[] = {
#define PERDIX_SESSION_FIGURE(Name, field, type, unit, figure_value, family, \
                              column)                                        \
  {#Name, Unit::k##unit,                                                     \
   [](const Snapshot::Session& session) -> FigureValue {                     \
     return figure::type(figure_value);                                      \
   },                                                                        \
   family},
#include "daemon/figures.def"
  };
  return kFigures;
}

VariantsValue RecipeValue(const Recipe& recipe) {
  VariantsValue variants;
  const auto table = KernelTable();
  for (size_t i = 0; i < table.size(); ++i)
    variants[table[i].key] = VariantName(recipe.variant(KernelId(i)));
  return variants;
}

}  // namespace perdix
