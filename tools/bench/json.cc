// SPDX-License-Identifier: BSD-2-Clause
// The report for programs. A figure that was not measured is not there.
#include <nlohmann/json.hpp>

#include "tools/bench/report.h"

namespace perdix::bench {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;

const char* Key(KernelId kernel) { return KernelTable()[size_t(kernel)].key; }

json ToJson(const ClipReport& clip, const KernelReport& row) {
  json all = {{"kernel", Key(row.kernel)},
              {"variant", VariantName(row.variant)},
              {"gate", GateName(row.gate)}};
  if (row.variant == Variant::kVulkan) {
    all["memory"] = row.shared_memory ? "shared" : "device";
  }
  if (!row.reason.empty()) all["reason"] = row.reason;
  if (!row.exact()) return all;
  all["ns_per_frame"] = row.nanoseconds;
  all["spread_ns_per_frame"] = row.spread;
  all["wall_ns_per_frame"] = row.wall;
  if (const auto ratio = Ratio(clip, row)) all["ratio_to_cpu"] = *ratio;
  return all;
}

json ToJson(const OverlapReport& row) {
  return {{"kernel", Key(row.kernel)},
          {"variant", VariantName(row.cpu_variant)},
          {"gpu_kernel", Key(row.gpu_kernel)},
          {"threads", row.threads},
          {"cpu_per_second_alone", row.cpu_alone},
          {"cpu_per_second_beside_gpu", row.cpu_beside},
          {"gpu_per_second_alone", row.gpu_alone},
          {"gpu_per_second_beside_cpu", row.gpu_beside}};
}

json ToJson(const RecipeReport& row) {
  json all = {{"label", row.label},
              {"recipe", row.recipe.ToString()},
              {"exact", row.exact}};
  if (!row.reason.empty()) all["reason"] = row.reason;
  if (!row.exact) return all;
  all["fps"] = row.fps;
  all["fps_spread"] = row.fps_spread;
  all["cpu_seconds_per_frame"] = row.cpu_seconds;
  return all;
}

json ToJson(const ClipReport& clip) {
  json all = {{"file", clip.file},        {"width", clip.width},
              {"height", clip.height},    {"frames", clip.frames},
              {"kernels", json::array()}, {"overlaps", json::array()},
              {"recipes", json::array()}};
  for (const auto& row : clip.kernels) {
    all["kernels"].push_back(ToJson(clip, row));
  }
  for (const auto& row : clip.overlaps) all["overlaps"].push_back(ToJson(row));
  for (const auto& row : clip.recipes) all["recipes"].push_back(ToJson(row));
  return all;
}

}  // namespace

std::string ToJson(const Report& report) {
  json all = {{"format", kFormat},
              {"machine",
               {{"gpu", report.machine.gpu},
                {"driver", report.machine.driver},
                {"cpu", report.machine.cpu},
                {"threads", report.threads}}},
              {"clips", json::array()}};
  for (const ClipReport& clip : report.clips) {
    all["clips"].push_back(ToJson(clip));
  }
  if (report.overheads) {
    all["overheads"] = {{"empty_submit_ns", report.overheads->empty_submit},
                        {"dispatch_ns", report.overheads->dispatch},
                        {"barrier_ns", report.overheads->barrier}};
  }
  if (!report.calibrated.empty()) all["calibrated"] = report.calibrated;
  // Names of files and devices may be any bytes.
  return all.dump(2, ' ', true, json::error_handler_t::replace) + "\n";
}

}  // namespace perdix::bench
