// SPDX-License-Identifier: BSD-2-Clause
// Inputs of VP9's kernels by their types.
#ifndef PERDIX_TESTS_KERNELS_VP9_VP9_INPUT_H_
#define PERDIX_TESTS_KERNELS_VP9_VP9_INPUT_H_

#include <cstdint>
#include <span>

#include "kernels/vp9/lists.h"
#include "tests/kernel_test.h"

namespace perdix::vp9 {

inline Params& ParamsOf(KernelInput& input) {
  return input.codec_params.As<Params>();
}

inline std::span<uint32_t> EdgesOf(KernelInput& input) {
  return input.tables.View().Of(kEdges);
}

// For a frame of params.width x params.height: no picture is there yet.
inline KernelInput NewInput(const FrameParams& params) {
  KernelInput input;
  input.params = params;
  ParamsOf(input).mi_cols = (params.width + 7) / 8;
  ParamsOf(input).mi_rows = (params.height + 7) / 8;
  return input;
}

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_KERNELS_VP9_VP9_INPUT_H_
