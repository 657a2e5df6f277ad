// SPDX-License-Identifier: BSD-2-Clause
// perdix-decode --metrics: a file's frames against those of its reference.
#ifndef PERDIX_TOOLS_DECODE_QUALITY_H_
#define PERDIX_TOOLS_DECODE_QUALITY_H_

#include "kernels/vulkan/gpu.h"
#include "tools/decode/open_source.h"
#include "tools/decode/options.h"

namespace perdix::client {

// Prints scores, writes what the options ask for; the exit code. gpu: that of
// the backends, to measure with; null: the CPU measures.
int MeasureQuality(const Options& options, const OpenBackend& open,
                   vulkan::Gpu* gpu);

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_DECODE_QUALITY_H_
