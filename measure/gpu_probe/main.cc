// SPDX-License-Identifier: BSD-2-Clause
// perdix-gpu-probe: what the parts of a GPU cost, as JSON on the standard
// output, for measure/pi-report. All times are nanoseconds, of each repeat.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "measure/gpu_probe/cases.h"
#include "measure/gpu_probe/cpu_reads.h"
#include "tools/console.h"

namespace perdix::probe {
namespace {

using nlohmann::json;

constexpr const char* kProgram = "perdix-gpu-probe";
constexpr int kFormat = 1;

json ToJson(const vulkan::Device& device) {
  const vulkan::GpuIdentity& gpu = device.identity;
  json all = {{"name", gpu.name},
              {"driver", gpu.driver},
              {"type", TypeName(gpu.type)},
              {"subgroup_size", device.traits.subgroup_size},
              {"shared_memory_bytes",
               device.properties.limits.maxComputeSharedMemorySize},
              {"timestamp_ns", device.properties.limits.timestampPeriod}};
  if (gpu.node.path.empty()) return all;
  all["node"] = {{"path", gpu.node.path},
                 {"driver", gpu.node.driver},
                 {"place", gpu.node.place}};
  return all;
}

// Or why there are none.
void AddTimes(const std::vector<uint64_t>& nanoseconds, const Status& status,
              json* all) {
  if (status.ok()) {
    (*all)["ns"] = nanoseconds;
  } else {
    (*all)["left_out"] = status.message();
  }
}

json ToJson(const Result& result) {
  const Work& work = result.of.work;
  json all = {{"name", result.of.name},
              {"lanes", work.lanes},
              {"groups", work.groups},
              {"iterations", work.constants.iterations},
              {"dispatches", work.dispatches},
              {"barriers", work.barriers}};
  if (result.of.bytes != 0) all["bytes"] = result.of.bytes;
  if (result.of.beside_cpu) {
    all["cpu_threads"] = kCpuThreads;
    all["cpu_gbs"] = result.cpu_gbs;
  }
  AddTimes(result.nanoseconds, result.status, &all);
  return all;
}

json ToJson(const CpuReads& reads) {
  json all = {{"memory", reads.memory}, {"bytes", reads.bytes}};
  if (!reads.source.empty()) all["source"] = reads.source;
  AddTimes(reads.nanoseconds, reads.status, &all);
  return all;
}

size_t BufferBytes(const Sizes& sizes) {
  return std::max(sizes.chain_bytes[std::size(sizes.chain_bytes) - 1],
                  sizes.copied_bytes);
}

Status MeasureAll(const std::string& wanted, const Sizes& sizes, json* all) {
  std::unique_ptr<Gpu> gpu;
  if (Status status = Gpu::Open(wanted, BufferBytes(sizes), &gpu);
      !status.ok()) {
    return status;
  }
  *all = {{"format", kFormat},
          {"gpu", ToJson(gpu->device())},
          {"timer", gpu->has_timestamps() ? "gpu" : "wall"},
          {"cases", json::array()},
          {"cpu_reads", json::array()}};
  for (const Case& of : MakeCases(sizes)) {
    (*all)["cases"].push_back(ToJson(Measure(*gpu, of, sizes.repeats)));
  }
  for (const CpuReads& reads :
       MeasureCpuReads(*gpu, sizes.read_bytes, sizes.repeats)) {
    (*all)["cpu_reads"].push_back(ToJson(reads));
  }
  return Status::Ok();
}

int Main(int argc, char** argv) {
  std::string wanted;
  bool quick = false;
  CLI::App app("Measures what the parts of a GPU cost.", kProgram);
  app.add_option("--gpu", wanted,
                 "part of the name of the Vulkan device to use, or its "
                 "render node");
  app.add_flag("--quick", quick,
               "little work, few repeats: to see that it works");
  CLI11_PARSE(app, argc, argv);
  json all;
  const Status status = MeasureAll(wanted, quick ? kQuick : kFull, &all);
  if (!status.ok()) {
    PrintError(kProgram, status.message());
    return EXIT_FAILURE;
  }
  std::puts(all.dump(-1, ' ', true, json::error_handler_t::replace).c_str());
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace perdix::probe

int main(int argc, char** argv) {
  using perdix::probe::kProgram;
  perdix::OpenStandardStreams();
  int exit_code = EXIT_FAILURE;
  try {
    exit_code = perdix::probe::Main(argc, argv);
  } catch (const std::exception& error) {  // no memory, no threads
    perdix::PrintError(kProgram, error.what());
  }
  return perdix::CloseStdout(kProgram, exit_code);
}
