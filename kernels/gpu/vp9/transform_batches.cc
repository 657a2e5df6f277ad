// SPDX-License-Identifier: BSD-2-Clause
// Transform blocks by what inverse_transform.comp is specialised for.
#include "kernels/gpu/vp9/transform_batches.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "kernels/decoded_area.h"
#include "kernels/gpu/vp9/frame.h"
#include "kernels/vp9/transform_block.h"

namespace perdix::vp9 {
namespace {

// Lanes of a workgroup. Those of a block of 32x32 share 128 bytes each, and 16
// KiB is all that there is.
uint32_t LanesFor(const gpu::DeviceTraits& traits, uint32_t tx_size) {
  if (HasLargeSubgroups(traits)) return 64;
  return tx_size == 3 ? 128 : kLanesOfOneWorkgroup;
}

uint32_t RecordsOfWorkgroup(const gpu::DeviceTraits& traits, uint32_t tx_size) {
  const uint32_t log2 = tx_size + 2;
  return (LanesFor(traits, tx_size) * PERDIX_TRANSFORM_LANE_ROWS(log2)) >> log2;
}

// Whether sums of products of a block of 32-bit coefficients fit 32 bits: those
// of nearly all blocks do. count: of coefficients, a multiple of 16.
bool SumsFit(const int16_t* units, uint32_t count) {
  uint32_t bits = 0;  // of the largest
  uint32_t sum = 0;   // does not wrap unless there is a large one
  for (uint32_t first = 0; first < count; first += 16) {
    // A fixed number, so that the compiler makes vectors of them.
    int32_t coefficients[16];
    std::memcpy(coefficients, units + 2 * first, sizeof(coefficients));
    for (const int32_t coefficient : coefficients) {
      const auto value = static_cast<uint32_t>(coefficient);
      const uint32_t magnitude = coefficient < 0 ? 0 - value : value;
      bits |= magnitude;
      sum += magnitude;
    }
  }
  static_assert(kMostSum32 < 1 << 17);
  return bits < 1 << 17 && sum <= kMostSum32;
}

// Whether a DCT or an ADST needs the exact program. tile: has the coefficients.
bool NeedsExact(const gpu::FrameInput& input, const WorkLists& tile,
                const TransformBlock& block) {
  if (input.params->bit_depth == 8) return false;
  return !SumsFit(&tile.coefficients[block.coefficients],
                  16u << 2 * TransformStoredLog2(block.shape));
}

uint32_t TransformOf(const gpu::FrameInput& input, const WorkLists& tile,
                     const TransformBlock& block) {
  if (input.codec->As<Params>().lossless) return PERDIX_TRANSFORM_WHT;
  const uint32_t type = TransformType(block.shape);
  if (type == 0 && block.eob == 1) return PERDIX_TRANSFORM_DC;
  if (NeedsExact(input, tile, block)) return PERDIX_TRANSFORM_EXACT;
  if (type != 0) return PERDIX_TRANSFORM_ADST + type - 1;
  const uint32_t size = TransformSize(block.shape);
  return size != 0 && TransformStoredLog2(block.shape) == size
             ? PERDIX_TRANSFORM_DCT_WHOLE
             : PERDIX_TRANSFORM_DCT;
}

}  // namespace

void TransformBatches::Group(const gpu::FrameInput& input,
                             std::span<const TileInput> tiles,
                             TransformList list) {
  const bool inter = list == TransformList::kInter;
  for (const TileInput& tile : tiles) {
    for (TransformBlock block :
         tile.lists.Of(inter ? kInterTransforms : kIntraTransforms)) {
      const uint32_t transform = TransformOf(input, tile.lists, block);
      block.coefficients += tile.coefficient_base;
      const uint32_t component = inter ? TransformComponent(block.shape) : 0;
      const uint32_t index =
          (component * kSizes + TransformSize(block.shape)) * kTransforms +
          transform;
      buckets_[index].push_back(block);
    }
  }
}

void TransformBatches::Set(const gpu::FrameInput& input,
                           std::span<const TileInput> tiles,
                           TransformList list) {
  for (auto& bucket : buckets_) bucket.clear();
  dispatches_.clear();
  size_ = 0;
  Group(input, tiles, list);

  // Two passes, because U and V of a block share words: Y and U, then V.
  bool second_pass = false;
  for (uint32_t i = 0; i < buckets_.size(); ++i) {
    std::vector<TransformBlock>& bucket = buckets_[i];
    if (bucket.empty()) continue;
    const uint32_t component = i / (kSizes * kTransforms);
    const uint32_t tx_size = i / kTransforms % kSizes;
    const uint32_t blocks = RecordsOfWorkgroup(traits_, tx_size);
    // Padding lies outside of any frame.
    const TransformBlock padding = {PackPosition(0xffff, 0xffff),
                                    PackTransformShape(0, tx_size, 0, 0), 0, 1};
    bucket.resize((bucket.size() + blocks - 1) / blocks * blocks, padding);
    const bool barrier = component == 2 && !second_pass;
    second_pass |= barrier;
    const uint32_t output = list == TransformList::kIntra
                                ? uint32_t{PERDIX_OUTPUT_RESIDUAL}
                            : component == 0 ? uint32_t{PERDIX_OUTPUT_LUMA}
                                             : uint32_t{PERDIX_OUTPUT_CHROMA};
    const auto count = static_cast<uint32_t>(bucket.size());
    dispatches_.push_back(
        {tx_size, i % kTransforms, output, barrier, size_, count / blocks});
    size_ += count;
  }
}

void TransformBatches::Write(TransformBlock* records) const {
  for (const std::vector<TransformBlock>& bucket : buckets_) {
    records = std::copy(bucket.begin(), bucket.end(), records);
  }
}

// ---- programs and dispatches ----

namespace {

std::string_view ShaderFor(uint32_t bit_depth, uint32_t tx_size,
                           uint32_t transform) {
  static constexpr std::string_view k8[kTransformSizes] = {
      "vp9/inverse_transform_4", "vp9/inverse_transform_8",
      "vp9/inverse_transform_16", "vp9/inverse_transform_32"};
  static constexpr std::string_view k10[kTransformSizes] = {
      "vp9/inverse_transform_4_10", "vp9/inverse_transform_8_10",
      "vp9/inverse_transform_16_10", "vp9/inverse_transform_32_10"};
  static constexpr std::string_view k10Exact[kTransformSizes] = {
      "vp9/inverse_transform_4_10_exact", "vp9/inverse_transform_8_10_exact",
      "vp9/inverse_transform_16_10_exact", "vp9/inverse_transform_32_10_exact"};
  if (bit_depth == 8) return k8[tx_size];
  return (transform == PERDIX_TRANSFORM_EXACT ? k10Exact : k10)[tx_size];
}

gpu::Program ProgramFor(const gpu::DeviceTraits& traits, uint32_t bit_depth,
                        uint32_t tx_size, uint32_t transform, uint32_t output) {
  const uint32_t lanes = LanesFor(traits, tx_size);
  return {ShaderFor(bit_depth, tx_size, transform),
          {transform, output, lanes},
          lanes};
}

// What TransformOf gives. WHT is 4x4, 32x32 is DCT_DCT (VP9 8.7.2), and a 4x4
// block always has all its coefficients.
bool Exists(uint32_t bit_depth, uint32_t tx_size, uint32_t transform) {
  switch (transform) {
    case PERDIX_TRANSFORM_DCT:
    case PERDIX_TRANSFORM_DC:
      return true;
    case PERDIX_TRANSFORM_EXACT:
      return bit_depth > 8;
    case PERDIX_TRANSFORM_WHT:
      return tx_size == 0;
    case PERDIX_TRANSFORM_DCT_WHOLE:
      return tx_size > 0;
    default:  // ADST
      return tx_size < 3;
  }
}

TransformConstants ConstantsOf(const FrameParams& params, uint32_t output,
                               const PlaneOffsets& target) {
  TransformConstants constants = {};
  if (output == PERDIX_OUTPUT_RESIDUAL) return constants;
  const bool luma = output == PERDIX_OUTPUT_LUMA;
  const DecodedArea area = PlaneDecodedArea(params, luma ? kLuma : kChroma);
  constants.offset = luma ? target.luma_offset : target.chroma_offset;
  constants.stride = luma ? target.luma_stride : target.chroma_stride;
  constants.width = static_cast<uint32_t>(area.width);
  constants.height = static_cast<uint32_t>(area.height);
  return constants;
}

}  // namespace

std::vector<gpu::Program> TransformPrograms(
    const gpu::DeviceTraits& traits, uint32_t bit_depth,
    std::initializer_list<uint32_t> outputs) {
  std::vector<gpu::Program> programs;
  for (uint32_t size = 0; size < kTransformSizes; ++size) {
    for (uint32_t kind = 0; kind < PERDIX_TRANSFORM_KINDS; ++kind) {
      if (!Exists(bit_depth, size, kind)) continue;
      for (const uint32_t output : outputs) {
        programs.push_back(ProgramFor(traits, bit_depth, size, kind, output));
      }
    }
  }
  return programs;
}

void AddTransforms(const gpu::FrameInput& input,
                   const std::vector<TileInput>& tiles,
                   const TransformBatches& batches, gpu::Work* work) {
  StageUniforms(input, work);
  gpu::StageCoefficients(tiles, work);
  const size_t at = work->Stage(
      PERDIX_BINDING_RECORDS, batches.size() * sizeof(TransformBlock),
      sizeof(TransformBlock), [&batches](uint8_t* records) {
        batches.Write(reinterpret_cast<TransformBlock*>(records));
      });
  for (const TransformDispatch& dispatch : batches.dispatches()) {
    if (dispatch.barrier) work->AddBarrier();
    TransformConstants constants =
        ConstantsOf(*input.params, dispatch.output, input.target.offsets);
    constants.first =
        static_cast<uint32_t>(at / sizeof(TransformBlock)) + dispatch.first;
    work->AddDispatch(
        {.program =
             ProgramFor(batches.traits(), input.params->bit_depth,
                        dispatch.tx_size, dispatch.transform, dispatch.output),
         .groups_x = dispatch.workgroups,
         .records = RecordsOfWorkgroup(batches.traits(), dispatch.tx_size)},
        constants);
  }
}

}  // namespace perdix::vp9
