// SPDX-License-Identifier: BSD-2-Clause
// How wide the workgroups are of what kernels dispatch. Needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "kernels/gpu/kernel_work.h"
#include "kernels/shared/dispatch.h"

namespace perdix {
namespace {

constexpr KernelId kKernels[] = {KernelId::kVp9InterPred,
                                 KernelId::kVp9InverseTransform,
                                 KernelId::kVp9IntraPred,
                                 KernelId::kVp9LoopFilter,
                                 KernelId::kAv1InterPred,
                                 KernelId::kAv1InverseTransform,
                                 KernelId::kAv1IntraPred,
                                 KernelId::kAv1Deblock,
                                 KernelId::kAv1Cdef,
                                 KernelId::kAv1SuperRes,
                                 KernelId::kAv1LoopRestoration,
                                 KernelId::kAv1FilmGrain};

using Lanes = std::map<std::string, std::set<uint32_t>>;  // by shader

// Lanes of the programs of all depths: the names of those of 10 bit have "_10".
void AddLanes(KernelId kernel, uint32_t subgroup_size, uint32_t bit_depth,
              Lanes* lanes) {
  if (!RowOf(kernel).HasShaderFor(bit_depth)) return;
  for (const gpu::Program& program : gpu::FindGpuKernel(kernel)->programs(
           {subgroup_size, false}, bit_depth)) {
    std::string shader(program.shader);
    shader.resize(std::min(shader.size(), shader.rfind("_10")));
    (*lanes)[shader].insert(program.lanes);
    EXPECT_EQ(program.constants[PERDIX_CONSTANT_LANES - PERDIX_CONSTANT_OWN],
              program.lanes)
        << program.shader;
  }
}

Lanes LanesFor(uint32_t subgroup_size) {
  Lanes lanes;
  for (const KernelId kernel : kKernels) {
    for (const uint32_t bit_depth : {8u, 10u}) {
      AddLanes(kernel, subgroup_size, bit_depth, &lanes);
    }
  }
  return lanes;
}

TEST(LanesTest, FillTwelveQpusWhereSubgroupsAreSmall) {
  const Lanes expected = {{"vp9/inter_pred", {192}},
                          {"vp9/intra_pred", {192}},
                          {"vp9/inverse_transform_4", {192}},
                          {"vp9/inverse_transform_8", {192}},
                          {"vp9/inverse_transform_16", {192}},
                          {"vp9/inverse_transform_32", {128}},
                          {"vp9/loop_filter", {192}},
                          {"av1/cdef", {192}},
                          {"av1/cdef_direction", {192}},
                          {"av1/cdef_copy", {192}},
                          {"av1/deblock", {192}},
                          {"av1/deblock_lines", {192}},
                          {"av1/intra_pred", {192}},
                          {"av1/residual_columns_16", {192}},
                          {"av1/residual_columns_32", {192}},
                          {"av1/residual_columns_4", {192}},
                          {"av1/residual_columns_64", {192}},
                          {"av1/residual_columns_8", {192}},
                          {"av1/residual_dc", {192}},
                          {"av1/residual_rows_16", {192}},
                          {"av1/residual_rows_32", {192}},
                          {"av1/residual_rows_4", {192}},
                          {"av1/residual_rows_64", {192}},
                          {"av1/residual_rows_8", {192}},
                          {"av1/film_grain", {192}},
                          {"av1/inter_blend", {192}},
                          {"av1/inter_blend_chroma", {192}},
                          {"av1/inter_overlap", {192}},
                          {"av1/inter_overlap_chroma", {192}},
                          {"av1/inter_pred", {192}},
                          {"av1/inter_pred_chroma", {192}},
                          {"av1/super_res", {192}},
                          {"av1/super_res_copy", {192}},
                          {"av1/wiener", {192}},
                          {"av1/self_guided", {192}},
                          {"av1/restoration_copy", {192}}};
  for (const uint32_t size : {0u, 4u, 8u, 16u}) {
    EXPECT_EQ(LanesFor(size), expected) << "subgroups of " << size;
  }
}

TEST(LanesTest, AreFewWhereSubgroupsAreLarge) {
  const Lanes expected = {{"vp9/inter_pred", {64}},
                          {"vp9/intra_pred", {128}},
                          {"vp9/inverse_transform_4", {64}},
                          {"vp9/inverse_transform_8", {64}},
                          {"vp9/inverse_transform_16", {64}},
                          {"vp9/inverse_transform_32", {64}},
                          {"vp9/loop_filter_lines", {64, 128}},
                          {"av1/cdef", {64}},
                          {"av1/cdef_direction", {64}},
                          {"av1/cdef_copy", {64}},
                          {"av1/deblock", {64}},
                          {"av1/deblock_lines", {64}},
                          {"av1/intra_pred", {64}},
                          {"av1/residual_columns_16", {64}},
                          {"av1/residual_columns_32", {64}},
                          {"av1/residual_columns_4", {64}},
                          {"av1/residual_columns_64", {64}},
                          {"av1/residual_columns_8", {64}},
                          {"av1/residual_dc", {64}},
                          {"av1/residual_rows_16", {64}},
                          {"av1/residual_rows_32", {64}},
                          {"av1/residual_rows_4", {64}},
                          {"av1/residual_rows_64", {64}},
                          {"av1/residual_rows_8", {64}},
                          {"av1/film_grain", {64}},
                          {"av1/inter_blend", {64}},
                          {"av1/inter_blend_chroma", {64}},
                          {"av1/inter_overlap", {64}},
                          {"av1/inter_overlap_chroma", {64}},
                          {"av1/inter_pred", {64}},
                          {"av1/inter_pred_chroma", {64}},
                          {"av1/super_res", {64}},
                          {"av1/super_res_copy", {64}},
                          {"av1/wiener", {64}},
                          {"av1/self_guided", {64}},
                          {"av1/restoration_copy", {64}}};
  for (const uint32_t size : {32u, 64u}) {
    EXPECT_EQ(LanesFor(size), expected) << "subgroups of " << size;
  }
}

}  // namespace
}  // namespace perdix
