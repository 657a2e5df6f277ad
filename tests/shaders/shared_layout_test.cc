// SPDX-License-Identifier: BSD-2-Clause
// The structs of kernels/shared as the C++ compiler lays them out, and as the
// SPIR-V says: of shared_layout.comp, which has them all, and of every shader
// that is run. Needs no GPU.
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernels/shared/dispatch.h"
#include "kernels/shared/frame_params.h"
#include "kernels/shared/metrics.h"
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

// offsetof is a macro itself.
#define MEMBER(Struct, member) \
  Member { #member, offsetof(Struct, member) }

const std::map<std::string, Layout>& CppLayouts() {
  static const auto* const layouts = new std::map<std::string, Layout>{
      {"ReferenceSize",
       {sizeof(ReferenceSize),
        {MEMBER(ReferenceSize, width), MEMBER(ReferenceSize, height),
         MEMBER(ReferenceSize, valid), MEMBER(ReferenceSize, padding0)}}},
      {"FrameParams",
       {sizeof(FrameParams),
        {MEMBER(FrameParams, width), MEMBER(FrameParams, height),
         MEMBER(FrameParams, sb_cols), MEMBER(FrameParams, sb_rows),
         MEMBER(FrameParams, sb_log2), MEMBER(FrameParams, bit_depth),
         MEMBER(FrameParams, subsampling_x), MEMBER(FrameParams, subsampling_y),
         MEMBER(FrameParams, references)}}},
      {"PlaneOffsets",
       {sizeof(PlaneOffsets),
        {MEMBER(PlaneOffsets, luma_offset), MEMBER(PlaneOffsets, chroma_offset),
         MEMBER(PlaneOffsets, luma_stride),
         MEMBER(PlaneOffsets, chroma_stride)}}},
      {"MetricsSum",
       {sizeof(MetricsSum),
        {MEMBER(MetricsSum, low), MEMBER(MetricsSum, high)}}},
      {"MetricsResults",
       {sizeof(MetricsResults), {MEMBER(MetricsResults, sums)}}},
      {"PlaneRegion",
       {sizeof(PlaneRegion),
        {MEMBER(PlaneRegion, offset), MEMBER(PlaneRegion, stride),
         MEMBER(PlaneRegion, row_bytes), MEMBER(PlaneRegion, rows)}}},
      {"MetricsConstants",
       {sizeof(MetricsConstants),
        {MEMBER(MetricsConstants, first_partial),
         MEMBER(MetricsConstants, planes)}}},
      {"ReduceConstants",
       {sizeof(ReduceConstants),
        {MEMBER(ReduceConstants, first_partial),
         MEMBER(ReduceConstants, partials), MEMBER(ReduceConstants, result)}}},
      {"ReferenceScale",
       {sizeof(ReferenceScale),
        {MEMBER(ReferenceScale, x_scale), MEMBER(ReferenceScale, y_scale),
         MEMBER(ReferenceScale, x_step), MEMBER(ReferenceScale, y_step)}}},
      {"Params",
       {sizeof(Params),
        {MEMBER(Params, mi_cols), MEMBER(Params, mi_rows),
         MEMBER(Params, lossless), MEMBER(Params, loop_filter_level),
         MEMBER(Params, loop_filter_sharpness), MEMBER(Params, padding0),
         MEMBER(Params, padding1), MEMBER(Params, padding2),
         MEMBER(Params, references)}}},
      {"InterBlock",
       {sizeof(InterBlock),
        {MEMBER(InterBlock, position), MEMBER(InterBlock, shape),
         MEMBER(InterBlock, mv0), MEMBER(InterBlock, mv1)}}},
      {"TransformBlock",
       {sizeof(TransformBlock),
        {MEMBER(TransformBlock, position), MEMBER(TransformBlock, shape),
         MEMBER(TransformBlock, coefficients), MEMBER(TransformBlock, eob)}}},
      {"IntraBlock",
       {sizeof(IntraBlock),
        {MEMBER(IntraBlock, position), MEMBER(IntraBlock, shape),
         MEMBER(IntraBlock, residual0), MEMBER(IntraBlock, residual1)}}},
      {"ResidualLayout",
       {sizeof(ResidualLayout),
        {MEMBER(ResidualLayout, luma_stride),
         MEMBER(ResidualLayout, chroma_stride),
         MEMBER(ResidualLayout, u_offset), MEMBER(ResidualLayout, v_offset)}}},
      {"FrameUniforms",
       {sizeof(FrameUniforms),
        {MEMBER(FrameUniforms, decoded_width),
         MEMBER(FrameUniforms, decoded_height),
         MEMBER(FrameUniforms, subsampling_x),
         MEMBER(FrameUniforms, subsampling_y), MEMBER(FrameUniforms, target),
         MEMBER(FrameUniforms, residual)}}},
      {"InterConstants",
       {sizeof(InterConstants),
        {MEMBER(InterConstants, first), MEMBER(InterConstants, zero),
         MEMBER(InterConstants, x_step), MEMBER(InterConstants, y_step),
         MEMBER(InterConstants, source_offset),
         MEMBER(InterConstants, source_stride),
         MEMBER(InterConstants, source_last_x),
         MEMBER(InterConstants, source_last_y),
         MEMBER(InterConstants, target_stride)}}},
      {"TransformConstants",
       {sizeof(TransformConstants),
        {MEMBER(TransformConstants, first), MEMBER(TransformConstants, zero0),
         MEMBER(TransformConstants, zero1), MEMBER(TransformConstants, zero2),
         MEMBER(TransformConstants, offset), MEMBER(TransformConstants, width),
         MEMBER(TransformConstants, stride),
         MEMBER(TransformConstants, height)}}},
      {"IntraConstants",
       {sizeof(IntraConstants), {MEMBER(IntraConstants, first)}}},
      {"LoopFilterPlane",
       {sizeof(LoopFilterPlane),
        {MEMBER(LoopFilterPlane, offset), MEMBER(LoopFilterPlane, row),
         MEMBER(LoopFilterPlane, row_pairs), MEMBER(LoopFilterPlane, rows2),
         MEMBER(LoopFilterPlane, rows4), MEMBER(LoopFilterPlane, rows8),
         MEMBER(LoopFilterPlane, cell_pairs),
         MEMBER(LoopFilterPlane, edges_right),
         MEMBER(LoopFilterPlane, edges_below)}}},
      {"LoopFilterConstants",
       {sizeof(LoopFilterConstants),
        {MEMBER(LoopFilterConstants, first), MEMBER(LoopFilterConstants, step),
         MEMBER(LoopFilterConstants, limit_shift),
         MEMBER(LoopFilterConstants, limit_highest),
         MEMBER(LoopFilterConstants, zero0), MEMBER(LoopFilterConstants, zero1),
         MEMBER(LoopFilterConstants, zero2), MEMBER(LoopFilterConstants, zero3),
         MEMBER(LoopFilterConstants, zero4), MEMBER(LoopFilterConstants, zero5),
         MEMBER(LoopFilterConstants, zero6),
         MEMBER(LoopFilterConstants, mi_cols),
         MEMBER(LoopFilterConstants, mi_rows),
         MEMBER(LoopFilterConstants, chroma_step_y),
         MEMBER(LoopFilterConstants, luma),
         MEMBER(LoopFilterConstants, chroma)}}},
      {"InterUnit",
       {sizeof(InterUnit),
        {MEMBER(InterUnit, target), MEMBER(InterUnit, x), MEMBER(InterUnit, y),
         MEMBER(InterUnit, shape)}}},
  };
  return *layouts;
}
#undef MEMBER

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
const Layout* FindLayout(const Module& module, uint32_t type) {
  const auto name = module.names.find(type);
  if (name == module.names.end()) return nullptr;
  const auto layout = CppLayouts().find(name->second);
  return layout == CppLayouts().end() ? nullptr : &layout->second;
}

// Names of the structs that were compared.
std::set<std::string> CheckModule(std::span<const uint32_t> spirv) {
  const Module module = Parse(spirv);
  std::set<std::string> checked;
  // A struct without offsets is one of a variable, not of a buffer.
  for (const auto& [type, offsets] : module.offsets) {
    const Layout* const layout = FindLayout(module, type);
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
    const Layout* const layout = FindLayout(module, module.elements.at(array));
    if (layout == nullptr) continue;
    EXPECT_EQ(stride, layout->size)
        << "array of " << module.names.at(module.elements.at(array));
  }
  return checked;
}

TEST(SharedLayoutTest, EveryStructIsTheSameInBothLanguages) {
  const std::set<std::string> checked = CheckModule(kSharedLayout);
  for (const auto& [name, layout] : CppLayouts()) {
    EXPECT_TRUE(checked.contains(name)) << name << " is not in the SPIR-V";
  }
}

TEST(SharedLayoutTest, EveryShaderSeesTheSameLayout) {
  std::set<std::string> checked;
  for (const Shader& shader : Shaders()) {
    SCOPED_TRACE(shader.name);
    checked.merge(CheckModule(shader.spirv));
  }
  for (const char* const name :
       {"FrameUniforms", "InterConstants", "TransformConstants",
        "IntraConstants", "LoopFilterConstants", "MetricsConstants",
        "ReduceConstants"}) {
    EXPECT_TRUE(checked.contains(name)) << name << " is in no shader";
  }
}

}  // namespace
}  // namespace perdix::vp9
