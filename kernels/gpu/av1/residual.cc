// SPDX-License-Identifier: BSD-2-Clause
// AV1's inverse transforms on the GPU: programs and dispatches.
#include "kernels/gpu/av1/residual.h"

#include <algorithm>
#include <string_view>

#include "kernels/decoded_area.h"

namespace perdix::av1 {
namespace {

uint32_t LanesFor(const gpu::DeviceTraits& traits) {
  return gpu::HasLargeSubgroups(traits) ? 64 : gpu::kLanesOfOneWorkgroup;
}

uint32_t ItemsOfWorkgroup(const gpu::DeviceTraits& traits,
                          const ResidualKind& kind) {
  const uint32_t lanes = LanesFor(traits);
  return kind.pass == ResidualPass::kRows ? lanes / PERDIX_RESIDUAL_ROW_LANES
                                          : lanes;
}

uint32_t WorkgroupsOf(const gpu::DeviceTraits& traits,
                      const ResidualItems::List& list) {
  const uint32_t items = ItemsOfWorkgroup(traits, list.kind);
  return (static_cast<uint32_t>(list.items.size()) + items - 1) / items;
}

std::string_view ShaderFor(const ResidualKind& kind, uint32_t bit_depth) {
  static constexpr std::string_view kRows[2][5] = {
      {"av1/residual_rows_4", "av1/residual_rows_8", "av1/residual_rows_16",
       "av1/residual_rows_32", "av1/residual_rows_64"},
      {"av1/residual_rows_4_10", "av1/residual_rows_8_10",
       "av1/residual_rows_16_10", "av1/residual_rows_32_10",
       "av1/residual_rows_64_10"}};
  static constexpr std::string_view kColumns[2][5] = {
      {"av1/residual_columns_4", "av1/residual_columns_8",
       "av1/residual_columns_16", "av1/residual_columns_32",
       "av1/residual_columns_64"},
      {"av1/residual_columns_4_10", "av1/residual_columns_8_10",
       "av1/residual_columns_16_10", "av1/residual_columns_32_10",
       "av1/residual_columns_64_10"}};
  const bool high = bit_depth > 8;
  if (kind.pass == ResidualPass::kDc) {
    return high ? "av1/residual_dc_10" : "av1/residual_dc";
  }
  return (kind.pass == ResidualPass::kRows
              ? kRows
              : kColumns)[high][kind.length_log2 - 2];
}

gpu::Program ProgramFor(const gpu::DeviceTraits& traits,
                        const ResidualKind& kind, uint32_t bit_depth) {
  const uint32_t lanes = LanesFor(traits);
  return {ShaderFor(kind, bit_depth), {kind.kind, kind.output, lanes}, lanes};
}

// Each list, padded to whole workgroups.
void WriteItems(const gpu::DeviceTraits& traits, const ResidualItems& items,
                uint32_t* to) {
  for (const ResidualItems::List& list : items.lists()) {
    uint32_t* const end =
        to + WorkgroupsOf(traits, list) * ItemsOfWorkgroup(traits, list.kind);
    to = std::copy(list.items.begin(), list.items.end(), to);
    std::fill(to, end, PackResidualItem(0, 0));
    to = end;
  }
}

// The first item's index.
uint32_t StageItems(const gpu::DeviceTraits& traits, const ResidualItems& items,
                    gpu::Work* work) {
  size_t count = 0;
  for (const ResidualItems::List& list : items.lists()) {
    count += size_t{WorkgroupsOf(traits, list)} *
             ItemsOfWorkgroup(traits, list.kind);
  }
  const size_t at =
      work->Stage(PERDIX_BINDING_RECORDS, count * sizeof(uint32_t),
                  sizeof(uint32_t), [traits, &items](uint8_t* to) {
                    WriteItems(traits, items, reinterpret_cast<uint32_t*>(to));
                  });
  return static_cast<uint32_t>(at / sizeof(uint32_t));
}

ResidualConstants ConstantsOf(const gpu::FrameInput& input, uint32_t output) {
  ResidualConstants constants = {};
  constants.planes = ResidualLayoutOf(*input.params);
  const bool luma = output == PERDIX_RESIDUAL_TO_LUMA;
  const PlaneOffsets& target = input.target.offsets;
  constants.offset = (luma ? target.luma_offset : target.chroma_offset) / 4;
  constants.stride = (luma ? target.luma_stride : target.chroma_stride) / 4;
  constants.height = static_cast<uint32_t>(
      PlaneDecodedArea(*input.params, luma ? kLuma : kChroma).height);
  return constants;
}

}  // namespace

ResidualLayout ResidualLayoutOf(const FrameParams& params) {
  const uint32_t width = params.sb_cols << params.sb_log2;
  const uint32_t height = params.sb_rows << params.sb_log2;
  return {width, width / 2, width * height, width * height / 4 * 5};
}

size_t ResidualBytes(const FrameParams& params) {
  const ResidualLayout layout = ResidualLayoutOf(params);
  return sizeof(uint16_t) * (2 * size_t{layout.v_offset} - layout.u_offset);
}

std::vector<gpu::Program> ResidualPrograms(const gpu::DeviceTraits& traits,
                                           uint32_t bit_depth,
                                           ResidualOf which) {
  std::vector<gpu::Program> programs;
  for (const ResidualKind& kind : ResidualKinds(which)) {
    programs.push_back(ProgramFor(traits, kind, bit_depth));
  }
  return programs;
}

void AddResidual(const gpu::DeviceTraits& traits, const gpu::FrameInput& input,
                 const std::vector<gpu::TileInput>& tiles,
                 const ResidualItems& items, gpu::Work* work) {
  gpu::StageCoefficients(tiles, work);
  work->NeedScratch(size_t{items.scratch_words()} * sizeof(uint32_t));
  const size_t blocks =
      work->StageItems(PERDIX_BINDING_RECORDS, items.blocks()) /
      sizeof(ResidualBlock);
  uint32_t first = StageItems(traits, items, work);
  uint32_t step = 0;
  work->AddBarrier();
  for (const ResidualItems::List& list : items.lists()) {
    if (list.items.empty()) continue;
    if (list.step != step) work->AddBarrier();
    step = list.step;
    ResidualConstants constants = ConstantsOf(input, list.kind.output);
    constants.first = first;
    constants.blocks = static_cast<uint32_t>(blocks);
    const uint32_t groups = WorkgroupsOf(traits, list);
    const uint32_t records = ItemsOfWorkgroup(traits, list.kind);
    work->AddDispatch(
        {.program = ProgramFor(traits, list.kind, input.params->bit_depth),
         .groups_x = groups,
         .records = records},
        constants);
    first += groups * records;
  }
}

}  // namespace perdix::av1
