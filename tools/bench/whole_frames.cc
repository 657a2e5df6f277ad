// SPDX-License-Identifier: BSD-2-Clause
#include "tools/bench/whole_frames.h"

#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "client/container/container.h"
#include "client/inprocess/engine_backend.h"
#include "client/stream/stream.h"
#include "tools/bench/median.h"

namespace perdix::bench {
namespace {

// A file in memory.
struct Clip {
  const client::ClientCodec* codec = nullptr;
  std::vector<client::Packet> packets;
};

Status ReadClip(const std::string& file, Clip* clip) {
  std::unique_ptr<client::Container> container;
  Status status = client::Container::Open(file, &container);
  if (status.ok()) clip->codec = &container->codec();
  while (status.ok()) {
    client::Packet packet;
    bool end = false;
    status = container->Next(&packet, &end);
    if (end) break;
    if (status.ok()) clip->packets.push_back(packet);
  }
  return status;
}

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return double(time.tv_sec) + double(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Frames as numbers, to be compared.
size_t HashOf(const PictureView& view) {
  size_t hash = 0;
  for (const Plane& plane : view.planes) {
    const size_t row_bytes = size_t{plane.width} *
                             (view.bit_depth > 8 ? 2 : 1) *
                             (&plane == view.planes ? 1 : 2);
    for (uint32_t y = 0; y < plane.height; ++y) {
      const std::string_view row(plane.Row<char>(y), row_bytes);
      hash = hash * 31 + std::hash<std::string_view>()(row);
    }
  }
  return hash;
}

struct Decoded {
  Status status;
  uint64_t frames = 0;  // shown
  std::vector<size_t> hashes;
  double seconds = 0;
  double cpu_seconds = 0;
};

Decoded Decode(Engine& engine, const Clip& clip, bool pixels) {
  Decoded decoded;
  const double cpu_start = CpuSeconds();
  const auto start = std::chrono::steady_clock::now();
  {
    client::EngineBackend backend(engine, *clip.codec, pixels);
    client::Stream stream(
        backend, {.shown =
                      [&](const client::Image& image) {
                        ++decoded.frames;
                        if (pixels)
                          decoded.hashes.push_back(HashOf(image.view));
                        return true;
                      },
                  .failed =
                      [&](const client::Position&, const Status& status) {
                        decoded.status = status;
                        return false;
                      }});
    bool more = true;
    for (size_t i = 0; more && i < clip.packets.size(); ++i) {
      more = stream.Decode(clip.packets[i].data, clip.packets[i].owner);
    }
    if (more) stream.Flush();
  }
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  decoded.seconds = seconds.count();
  decoded.cpu_seconds = CpuSeconds() - cpu_start;
  return decoded;
}

// Decodes once with the recipe and looks at what came of it. Empty: all well.
std::string WhyNot(Engine& engine, const Clip& clip, const Recipe& recipe,
                   const std::vector<size_t>& expected) {
  engine.SetRecipe(recipe);
  const EngineCounters before = engine.counters();
  const Decoded decoded = Decode(engine, clip, true);
  const EngineCounters after = engine.counters();
  if (!decoded.status.ok()) return decoded.status.message();
  if (decoded.hashes != expected) return "other frames than scalar";
  if (after.redone_frames != before.redone_frames) {
    return "the CPU had to do frames again";
  }
  // A frame may have no work for the kernels that the GPU has.
  if (recipe.Uses(Variant::kVulkan) && after.gpu_frames == before.gpu_frames) {
    return "no frame was done by the GPU";
  }
  return {};
}

struct Samples {
  std::vector<double> fps;
  std::vector<double> cpu_seconds;
};

}  // namespace

Status MeasureRecipes(Engine& engine, const std::string& file,
                      const std::vector<Placement>& placements,
                      const WholeFramesOptions& options,
                      std::vector<RecipeReport>* reports) {
  const auto progress = [&](const std::string& text) {
    if (options.progress) options.progress("whole frames, " + text);
  };
  Clip clip;
  Status status = ReadClip(file, &clip);
  if (!status.ok()) return status;
  engine.SetRecipe(Recipe());  // all scalar
  const Decoded scalar = Decode(engine, clip, true);
  if (!scalar.status.ok()) return scalar.status;

  std::vector<RecipeReport> rows;
  for (const Placement& placement : placements) {
    progress("checking " + placement.label);
    std::string reason = WhyNot(engine, clip, placement.recipe, scalar.hashes);
    const bool exact = reason.empty();
    rows.push_back(
        {placement.label, placement.recipe, exact, std::move(reason), 0, 0});
  }
  std::vector<Samples> samples(rows.size());
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i].exact) continue;
      progress(rows[i].label + ", " + std::to_string(repeat + 1) + " of " +
               std::to_string(options.repeats));
      engine.SetRecipe(rows[i].recipe);
      const Decoded decoded = Decode(engine, clip, false);
      if (!decoded.status.ok()) return decoded.status;
      samples[i].fps.push_back(double(decoded.frames) / decoded.seconds);
      samples[i].cpu_seconds.push_back(decoded.cpu_seconds /
                                       double(decoded.frames));
    }
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (samples[i].fps.empty()) continue;
    rows[i].fps = Median(samples[i].fps);
    rows[i].fps_spread = Spread(samples[i].fps);
    rows[i].cpu_seconds = Median(samples[i].cpu_seconds);
  }
  *reports = std::move(rows);
  return Status::Ok();
}

}  // namespace perdix::bench
