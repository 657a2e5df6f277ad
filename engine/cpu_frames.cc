// SPDX-License-Identifier: BSD-2-Clause
#include "engine/cpu_frames.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "codec/codec.h"

namespace perdix {
namespace {

struct Format {
  const char* name;
  uint32_t bit_depth;
  uint32_t subsampling_x;
  uint32_t subsampling_y;

  FrameParams params() const {
    FrameParams params = {};
    params.bit_depth = bit_depth;
    params.subsampling_x = subsampling_x;
    params.subsampling_y = subsampling_y;
    return params;
  }
};

constexpr Format kMain = {"8 bit", 8, 1, 1};
constexpr Format kOthers[] = {{"10 bit", 10, 1, 1},
                              {"12 bit", 12, 1, 1},
                              {"4:2:2", 8, 1, 0},
                              {"4:4:4", 8, 0, 0}};

using Kernels = std::vector<KernelId>;

Kernels KernelsOf(const CodecRow& codec) {
  Kernels kernels;
  for (size_t i = 0; i < kKernelCount; ++i) {
    const auto kernel = static_cast<KernelId>(i);
    if (AnyKernel(codec, [kernel](KernelId id) { return id == kernel; }))
      kernels.push_back(kernel);
  }
  return kernels;
}

template <typename Predicate>
Kernels Those(const Kernels& kernels, const Predicate& predicate) {
  Kernels those;
  std::ranges::copy_if(kernels, std::back_inserter(those), predicate);
  return those;
}

Kernels Unsupported(const Kernels& kernels, const Format& format,
                    const GpuAnswers& gpu) {
  return Those(kernels, [&](KernelId kernel) {
    return !gpu.supports(kernel, format.params());
  });
}

// Passes that are the CPU's, whatever the recipe says: Pass::on_cpu.
void AddPasses(const CodecRow& codec, CpuFrames* found) {
  for (const Pass& pass : codec.passes) {
    if (!pass.on_cpu) continue;
    (*found)[std::string(codec.name) + " frames with " + pass.name] =
        "blocks read what the frame's earlier blocks have left";
  }
}

// Adds formats for which kernels lack shaders that the GPU has for the main
// one.
void AddFormats(const CodecRow& codec, const Kernels& kernels,
                const GpuAnswers& gpu, CpuFrames* found) {
  for (const Format& format : kOthers) {
    const Kernels missing = Unsupported(kernels, format, gpu);
    const std::string of = std::string(" of ") + format.name;
    if (missing.size() == kernels.size()) {
      (*found)[codec.name + of] = "no shaders";
      continue;
    }
    for (const KernelId kernel : missing)
      (*found)[RowOf(kernel).key + of] = "no shaders";
  }
}

}  // namespace

CpuFrames FindCpuFrames(const GpuAnswers& gpu) {
  CpuFrames found;
  for (const CodecRow* codec : Codecs()) {
    const Kernels all = KernelsOf(*codec);
    for (const KernelId kernel : Those(all, gpu.wrong))
      found[RowOf(kernel).key] = "a self-check found it wrong on the GPU";
    const Kernels wanted = Those(all, gpu.wanted);
    for (const KernelId kernel : Unsupported(wanted, kMain, gpu))
      found[RowOf(kernel).key] = "the GPU lacks what its shaders need";
    const Kernels able = Those(wanted, [&](KernelId kernel) {
      return gpu.supports(kernel, kMain.params());
    });
    if (able.empty()) continue;
    AddPasses(*codec, &found);
    AddFormats(*codec, able, gpu, &found);
  }
  return found;
}

}  // namespace perdix
