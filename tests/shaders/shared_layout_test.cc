// SPDX-License-Identifier: BSD-2-Clause
// The structs of kernels/shared as the C++ compiler lays them out, and as the
// SPIR-V says: of shared_layout.comp, which has them all, and of every shader
// that is run. Needs no GPU.
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/shared/av1/dispatch.h"
#include "kernels/shared/av1/inter_dispatch.h"
#include "kernels/shared/av1/intra_dispatch.h"
#include "kernels/shared/av1/residual_dispatch.h"
#include "kernels/shared/dispatch.h"
#include "kernels/shared/frame_params.h"
#include "kernels/shared/metrics.h"
#include "kernels/shared/quality_dispatch.h"
#include "kernels/shared/vp9/dispatch.h"
#include "kernels/shared/vp9/params.h"
#include "shaders/shaders.h"

namespace perdix::vp9 {
namespace {

#include "shared_layout.inc"  // kSharedLayout: words of shared_layout.comp

struct Member {
  std::string name;
  size_t offset;  // bytes
  bool operator==(const Member&) const = default;
};
void PrintTo(const Member& member, std::ostream* out) {
  *out << member.name << " at " << member.offset;
}

struct Layout {
  size_t size;  // bytes
  std::vector<Member> members;
};

// names: of all members, with commas between them. bind: gives the members'
// offsets in a struct.
template <typename Struct, typename Bind>
Layout LayoutOf(const std::string& names, const Bind& bind) {
  static const Struct object = {};
  Layout layout = {sizeof(Struct), {}};
  std::istringstream in(names);
  for (const size_t offset : bind(object)) {
    std::string name;
    std::getline(in >> std::ws, name, ',');
    layout.members.push_back({name, offset});
  }
  return layout;
}

template <typename Struct, typename... Members>
std::vector<size_t> Offsets(const Struct& object, const Members&... members) {
  const auto* const base = reinterpret_cast<const char*>(&object);
  return {
      static_cast<size_t>(reinterpret_cast<const char*>(&members) - base)...};
}

// The binding does not compile if a member is missing.
#define STRUCT(Struct, ...)                                              \
  std::pair<const std::string, Layout>(                                  \
      #Struct, LayoutOf<Struct>(#__VA_ARGS__, [](const Struct& object) { \
        const auto& [__VA_ARGS__] = object;                              \
        return Offsets(object, __VA_ARGS__);                             \
      }))

using Layouts = std::map<std::string, Layout>;  // by name

// Structs of every codec, and of VP9's shaders.
const Layouts& CppLayouts() {
  static const auto* const layouts = new Layouts{
      STRUCT(ReferenceSize, width, height, valid, padding0),
      STRUCT(FrameParams, width, height, sb_cols, sb_rows, sb_log2, bit_depth,
             subsampling_x, subsampling_y, references),
      STRUCT(PlaneOffsets, luma_offset, chroma_offset, luma_stride,
             chroma_stride),
      STRUCT(MetricsSum, low, high),
      STRUCT(MetricsResults, sums),
      STRUCT(PlaneRegion, offset, stride, row_bytes, rows),
      STRUCT(MetricsConstants, first_partial, planes, dark_level, shift),
      STRUCT(ReduceConstants, first_partial, partials, result),
      STRUCT(QualityPlane, offset, stride),
      STRUCT(MotionBlurConstants, reference, previous, width, height, bit_depth,
             first_partial),
      STRUCT(VifConstants, reference, decoded, bit_depth, samples, width,
             height, next_samples, first_partial, gain_limit),
      STRUCT(AdmConstants, reference, decoded, bit_depth, from, from_width,
             from_height, to, planes, width, height, gain_limit, reach_left,
             reach_top, reach_right, reach_bottom, left, top, right, cube_shift,
             row_shift, den_cube_shift, den_row_shift, first_partial),
      STRUCT(ReferenceScale, x_scale, y_scale, x_step, y_step),
      STRUCT(Params, mi_cols, mi_rows, lossless, loop_filter_level,
             loop_filter_sharpness, padding0, padding1, padding2, references),
      STRUCT(InterBlock, position, shape, mv0, mv1),
      STRUCT(TransformBlock, position, shape, coefficients, eob),
      STRUCT(IntraBlock, position, shape, residual0, residual1),
      STRUCT(ResidualLayout, luma_stride, chroma_stride, u_offset, v_offset),
      STRUCT(FrameUniforms, decoded_width, decoded_height, subsampling_x,
             subsampling_y, target, residual),
      STRUCT(InterConstants, first, zero, x_step, y_step, source_offset,
             source_stride, source_last_x, source_last_y, target_stride,
             source_shift),
      STRUCT(TransformConstants, first, offset, width, stride, height),
      STRUCT(IntraConstants, first),
      STRUCT(LoopFilterPlane, offset, row, row_pairs, rows2, rows4, rows8,
             cell_pairs, edges_right, edges_below),
      STRUCT(LoopFilterConstants, first, step, limit_shift, limit_highest,
             mi_cols, mi_rows, chroma_step_y, luma, chroma),
      STRUCT(InterUnit, target, x, y, shape)};
  return *layouts;
}

// Structs of AV1's shaders.
const Layouts& Av1Layouts() {
  using av1::CdefConstants;
  using av1::CdefStrength;
  using av1::DeblockConstants;
  using av1::DeblockEdge;
  using av1::FrameUniforms;
  using av1::IntraConstants;
  using av1::PredictConstants;
  using av1::ResidualConstants;
  using av1::ResidualLayout;
  using av1::RestorationConstants;
  static const auto* const layouts = new Layouts{
      STRUCT(CdefStrength, primary, secondary, secondary_scale, damping),
      STRUCT(CdefConstants, first, end, offset, stride, cols8, results, width,
             height, zero),
      STRUCT(DeblockEdge, position, strengths),
      STRUCT(DeblockConstants, first, end, offset, stride),
      STRUCT(IntraConstants, first, end, offset, stride, width, height,
             residual0, residual1, residual_stride, luma_offset, luma_stride,
             beside, below, tables),
      STRUCT(PredictConstants, first, end, records, tables, stride, weight_line,
             weight_pixel, wedges),
      STRUCT(ResidualConstants, first, blocks, offset, stride, height, zero,
             planes),
      STRUCT(ResidualLayout, luma_stride, chroma_stride, u_offset, v_offset),
      STRUCT(RestorationConstants, first, end, records, offset, stride, width,
             height, saved, saved_slot, saved_stride),
      STRUCT(FrameUniforms, cdef)};
  return *layouts;
}
#undef STRUCT

// ---- SPIR-V (its specification, chapters 2.3 and 3) ----

enum : uint32_t {
  kOpName = 5,
  kOpMemberName = 6,
  kOpTypeArray = 28,
  kOpTypeRuntimeArray = 29,
  kOpTypeStruct = 30,
  kOpDecorate = 71,
  kOpMemberDecorate = 72,
  kArrayStride = 6,
  kOffset = 35,
  kHeaderWords = 5,
};

struct Module {
  std::map<uint32_t, std::string> names;  // by id
  std::map<uint32_t, std::map<uint32_t, std::string>> member_names;
  std::map<uint32_t, std::map<uint32_t, uint32_t>> offsets;  // of members
  std::map<uint32_t, uint32_t> member_counts;                // of structs
  std::map<uint32_t, uint32_t> elements;                     // of arrays
  std::map<uint32_t, uint32_t> strides;
};

std::string String(std::span<const uint32_t> words) {
  return reinterpret_cast<const char*>(words.data());  // ends in zeros
}

Module Parse(std::span<const uint32_t> spirv) {
  Module module;
  for (size_t at = kHeaderWords; at < spirv.size(); at += spirv[at] >> 16) {
    const auto words = spirv.subspan(at, spirv[at] >> 16);
    switch (words[0] & 0xffff) {
      case kOpName:
        module.names[words[1]] = String(words.subspan(2));
        break;
      case kOpMemberName:
        module.member_names[words[1]][words[2]] = String(words.subspan(3));
        break;
      case kOpTypeArray:
      case kOpTypeRuntimeArray:
        module.elements[words[1]] = words[2];
        break;
      case kOpTypeStruct:
        module.member_counts[words[1]] =
            static_cast<uint32_t>(words.size()) - 2;
        break;
      case kOpDecorate:
        if (words[2] == kArrayStride) module.strides[words[1]] = words[3];
        break;
      case kOpMemberDecorate:
        if (words[3] == kOffset) {
          module.offsets[words[1]][words[2]] = words[4];
        }
        break;
    }
  }
  return module;
}

// The layout that C++ has for a type; null if it is none of ours.
const Layout* FindLayout(const Layouts& layouts, const Module& module,
                         uint32_t type) {
  const auto name = module.names.find(type);
  if (name == module.names.end()) return nullptr;
  const auto layout = layouts.find(name->second);
  return layout == layouts.end() ? nullptr : &layout->second;
}

// Names of the structs that were compared.
std::set<std::string> CheckModule(const Layouts& layouts,
                                  std::span<const uint32_t> spirv) {
  const Module module = Parse(spirv);
  std::set<std::string> checked;
  // A struct without offsets is one of a variable, not of a buffer.
  for (const auto& [type, offsets] : module.offsets) {
    const Layout* const layout = FindLayout(layouts, module, type);
    if (layout == nullptr) continue;
    const std::string& name = module.names.at(type);
    EXPECT_EQ(module.member_counts.at(type), layout->members.size()) << name;
    std::vector<Member> members;
    for (const auto& [index, offset] : offsets) {
      members.push_back({module.member_names.at(type).at(index), offset});
    }
    EXPECT_EQ(members, layout->members) << name;
    checked.insert(name);
  }
  for (const auto& [array, stride] : module.strides) {
    const Layout* const layout =
        FindLayout(layouts, module, module.elements.at(array));
    if (layout == nullptr) continue;
    EXPECT_EQ(stride, layout->size)
        << "array of " << module.names.at(module.elements.at(array));
  }
  return checked;
}

TEST(SharedLayoutTest, EveryStructIsTheSameInBothLanguages) {
  const std::set<std::string> checked =
      CheckModule(CppLayouts(), kSharedLayout);
  for (const auto& [name, layout] : CppLayouts()) {
    EXPECT_TRUE(checked.contains(name)) << name << " is not in the SPIR-V";
  }
}

TEST(SharedLayoutTest, EveryShaderSeesTheSameLayout) {
  std::set<std::string> checked;
  for (const Shader& shader : Shaders()) {
    SCOPED_TRACE(shader.name);
    const bool av1 = std::string_view(shader.name).starts_with("av1/");
    checked.merge(CheckModule(av1 ? Av1Layouts() : CppLayouts(), shader.spirv));
  }
  for (const char* const name :
       {"FrameUniforms", "InterConstants", "TransformConstants",
        "IntraConstants", "LoopFilterConstants", "MetricsConstants",
        "ReduceConstants", "QualityPlane", "MotionBlurConstants",
        "VifConstants", "AdmConstants", "CdefStrength", "CdefConstants",
        "DeblockEdge", "DeblockConstants", "PredictConstants",
        "ResidualConstants", "RestorationConstants"}) {
    EXPECT_TRUE(checked.contains(name)) << name << " is in no shader";
  }
}

}  // namespace
}  // namespace perdix::vp9
