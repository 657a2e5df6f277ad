// SPDX-License-Identifier: BSD-2-Clause
// perdix-gpu-work: what a Raspberry Pi 5's GPU would be given for the frames of
// a file, as the JSON that measure/pi-model reads (measure/pi_model). The CPU
// decodes; no Vulkan is used.
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/recipe.h"
#include "kernels/gpu/frame_work.h"
#include "kernels/shared/vp9/dispatch.h"
#include "measure/gpu_work/branch_rates.h"
#include "measure/gpu_work/subgroups.h"
#include "tools/bench/workload.h"
#include "tools/console.h"

namespace perdix::measure {
namespace {

using nlohmann::json;

constexpr const char* kProgram = "perdix-gpu-work";
constexpr gpu::DeviceTraits kPi5 = {
    .subgroup_size = 16, .rounds_to_even = true, .addresses = true};
constexpr uint64_t kPi5Range = uint64_t{1} << 27;  // maxStorageBufferRange

// A picture's memory, which nobody writes.
class NoMemory final : public gpu::Memory {
 public:
  explicit NoMemory(size_t size) : size_(size) {}
  uint8_t* data() const override { return nullptr; }
  size_t size() const override { return size_; }

 private:
  const size_t size_;
};

gpu::Picture InMemory(const Picture& picture) {
  const PictureLayout& layout = picture.layout;
  return {picture.view,
          {uint32_t(layout.luma_offset), uint32_t(layout.chroma_offset),
           layout.stride_bytes, layout.chroma_stride_bytes},
          std::make_shared<NoMemory>(picture.memory.size)};
}

// A decoded frame as input of the GPU's stages.
struct Frame {
  explicit Frame(const FrameJob& job) : tables(job.tables) {
    for (uint32_t i = 0; i < job.tile_cols; ++i) {
      tiles.push_back(job.tiles[i].Written());
    }
    input.params = &job.params;
    input.codec = &job.codec_params;
    input.tables = tables.View();
    input.tiles = tiles;
    input.target = InMemory(*job.request.target);
    if (job.request.display) input.display = InMemory(*job.request.display);
    ForEachReference(job.params, [&](uint32_t i) {
      input.references[i] = InMemory(*job.request.references[i]);
    });
    for (uint32_t i = 0; i < job.plan.stage_count; ++i) {
      const KernelId kernel = job.plan.kernels[i];
      if (gpu::FindGpuKernel(kernel) != nullptr) stages.push_back(kernel);
    }
  }

  TableMemory tables;
  std::vector<WorkLists> tiles;
  gpu::FrameInput input;
  std::vector<KernelId> stages;  // those with a shader
};

json DispatchJson(const gpu::Dispatch& dispatch,
                  const SubgroupCounts& subgroups) {
  json made = {{"shader", dispatch.program.shader},
               {"constants", dispatch.program.constants},
               {"lanes", dispatch.program.lanes},
               {"groups", {dispatch.groups_x, dispatch.groups_y}},
               {"records", dispatch.groups_x * dispatch.records}};
  if (!subgroups.empty()) made["subgroups"] = subgroups;
  return made;
}

size_t StagedBytes(const gpu::Work& work) {
  size_t bytes = 0;
  for (const gpu::Work::Part& part : work.parts()) bytes += part.bytes;
  return bytes;
}

// alone: the stage's work without the others'.
json StageJson(KernelId kernel, const gpu::Work& alone, json commands) {
  return {{"kernel", RowOf(kernel).key},
          {"scratch_bytes", alone.scratch_bytes()},
          {"staged_bytes", StagedBytes(alone)},
          {"work", std::move(commands)}};
}

// The commands of each stage.
std::vector<json> CommandsByStage(const gpu::Work& work) {
  const Records records(work);
  std::vector<json> stages(1, json::array());
  for (const gpu::Command& command : work.commands()) {
    if (std::holds_alternative<gpu::Barrier>(command)) {
      stages.back().push_back("barrier");
    } else if (std::holds_alternative<gpu::EndOfStage>(command)) {
      stages.push_back(json::array());
    } else {
      const auto& dispatch = std::get<gpu::Dispatch>(command);
      stages.back().push_back(
          DispatchJson(dispatch, records.CountSubgroups(dispatch)));
    }
  }
  return stages;
}

json EdgeJson(const EdgeRounds& rounds) {
  return {{"rounds", rounds.rounds},
          {"edge", rounds.edge},
          {"edge_8", rounds.edge_8},
          {"edge_16", rounds.edge_16},
          {"inner", rounds.inner}};
}

json LoopFilterJson(const LoopFilterRounds& rounds) {
  return {{"luma_vertical", EdgeJson(rounds.luma_vertical)},
          {"luma_horizontal", EdgeJson(rounds.luma_horizontal)},
          {"chroma_vertical", EdgeJson(rounds.chroma_vertical)},
          {"chroma_horizontal", EdgeJson(rounds.chroma_horizontal)}};
}

json IntraJson(const IntraCounts& counts) {
  static constexpr const char* kModes[IntraCounts::kModes] = {
      "dc", "v", "h", "d45", "d135", "d117", "d153", "d207", "d63", "tm"};
  json blocks = json::array();
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (uint32_t size = 0; size < IntraCounts::kSizes; ++size) {
      const uint64_t count = counts.blocks[plane][size];
      if (count == 0) continue;
      blocks.push_back({{"plane", plane == kLuma ? "luma" : "chroma"},
                        {"size", 4 << size},
                        {"count", count}});
    }
  }
  json intra = {{"blocks", std::move(blocks)}};
  if (counts.total() == 0) return intra;
  json modes;
  for (uint32_t i = 0; i < IntraCounts::kModes; ++i) {
    modes[kModes[i]] = counts.modes[i];
  }
  intra["modes"] = std::move(modes);
  intra["residual"] = double(counts.with_residual) / double(counts.total());
  return intra;
}

// What decides branches of VP9's programs that their records do not say.
json Vp9Rates(const gpu::FrameInput& input) {
  return {{"loop_filter", LoopFilterJson(CountLoopFilterRounds(input))},
          {"intra", IntraJson(CountIntra(input))}};
}

KernelCodec CodecOf(const FrameJob& job) {
  return RowOf(job.plan.kernels[0]).codec;
}

Status FrameJson(const FrameJob& job, json* made) {
  const Frame frame(job);
  gpu::FrameWork whole(kPi5);
  if (Status status = whole.Build(frame.input, frame.stages, kPi5Range);
      !status.ok()) {
    return status;
  }
  std::vector<json> commands = CommandsByStage(whole.work());
  json stages = json::array();
  for (size_t i = 0; i < frame.stages.size(); ++i) {
    gpu::FrameWork alone(kPi5);
    const KernelId kernel = frame.stages[i];
    if (Status status = alone.Build(frame.input, {&kernel, 1}, kPi5Range);
        !status.ok()) {
      return status;
    }
    stages.push_back(StageJson(kernel, alone.work(), std::move(commands[i])));
  }
  *made = {{"type", IsIntraOnly(frame.input) ? "key" : "inter"},
           {"width", job.params.width},
           {"height", job.params.height},
           {"bit_depth", job.params.bit_depth},
           {"stages", std::move(stages)}};
  if (CodecOf(job) == KernelCodec::kVp9) made->update(Vp9Rates(frame.input));
  return Status::Ok();
}

Status Describe(const std::string& file, size_t count, json* work) {
  Recipe recipe;
  if (Status status = Recipe::Parse("simd", &recipe); !status.ok()) {
    return status;
  }
  json frames = json::array();
  const char* codec = "vp9";
  Status failure;
  Status status = bench::ObserveFrames(file, recipe, [&](const FrameJob& job) {
    if (!failure.ok() || frames.size() == count) return;
    json frame;
    if (CodecOf(job) == KernelCodec::kAv1) codec = "av1";
    failure = FrameJson(job, &frame);
    if (failure.ok()) frames.push_back(std::move(frame));
  });
  if (!status.ok()) return status;
  if (!failure.ok()) return failure;
  *work = {{"clip", std::filesystem::path(file).stem().string()},
           {"codec", codec},
           {"frames", std::move(frames)}};
  return status;
}

bool Write(const std::string& path, const std::string& text) {
  if (path == "-") return std::fputs(text.c_str(), stdout) >= 0;
  std::ofstream file(path, std::ios::binary);
  return bool(file << text << std::flush);
}

int Run(int argc, char** argv) {
  CLI::App app(
      "What a Raspberry Pi 5's GPU would be given for the frames of a VP9 or "
      "AV1 file: JSON for measure/pi-model");
  std::string file;
  std::string output = "-";
  size_t frames = 60;
  app.add_option("FILE", file, "a file with 4:2:0 frames of 8 or 10 bits")
      ->required();
  app.add_option("--frames", frames, "the first so many (60)");
  app.add_option("--output", output, "where to write it; - is stdout (-)");
  CLI11_PARSE(app, argc, argv);
  json work;
  Status status = CheckOutputs({{"--output", output}}, {file});
  if (status.ok()) status = Describe(file, frames, &work);
  if (!status.ok()) {
    PrintError(kProgram, file + ": " + status.message());
    return EX_DATAERR;
  }
  if (Write(output, work.dump() + "\n")) return EX_OK;
  PrintError(kProgram, output + ": cannot be written");
  return EX_IOERR;
}

}  // namespace
}  // namespace perdix::measure

int main(int argc, char** argv) {
  perdix::OpenStandardStreams();
  return perdix::CloseStdout(perdix::measure::kProgram,
                             perdix::measure::Run(argc, argv));
}
