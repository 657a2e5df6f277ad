// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/final_shift.h"

namespace perdix::gpu {
namespace {

constexpr uint32_t kUnitBytes = 16;
constexpr uint32_t kUnitSamples = 8;

Program ProgramFor(const DeviceTraits& traits) {
  const uint32_t lanes = HasLargeSubgroups(traits) ? 64 : kLanesOfOneWorkgroup;
  return {"final_shift", {0, 0, lanes}, lanes};
}

FinalShiftConstants ConstantsOf(const Picture& target, PlaneIndex plane) {
  const bool luma = plane == kLuma;
  const Plane& size = target.view.planes[plane];
  const PlaneOffsets& at = target.offsets;
  return {(luma ? at.luma_offset : at.chroma_offset) / kUnitBytes,
          (luma ? at.luma_stride : at.chroma_stride) / kUnitBytes,
          size.width * (luma ? 1 : 2), size.height, target.view.shift};
}

uint32_t Parts(uint32_t whole, uint32_t part) {
  return (whole + part - 1) / part;
}

class FinalShiftWork final : public KernelWork {
 public:
  explicit FinalShiftWork(const DeviceTraits& traits)
      : program_(ProgramFor(traits)) {}

  Status Build(const FrameInput& input, Work* work) override {
    if (input.target.view.shift == 0) return Status::Ok();
    work->AddBarrier();
    for (uint32_t i = 0; i < input.coded_planes; ++i) {
      const FinalShiftConstants constants =
          ConstantsOf(input.target, static_cast<PlaneIndex>(i));
      work->AddDispatch(
          {.program = program_,
           .groups_x =
               Parts(constants.samples, kUnitSamples * PERDIX_SHIFT_COLUMNS),
           .groups_y =
               Parts(constants.rows, program_.lanes / PERDIX_SHIFT_COLUMNS)},
          constants);
    }
    return Status::Ok();
  }

 private:
  const Program program_;
};

}  // namespace

Status CheckFinalShift(const FrameParams& /*params*/) { return Status::Ok(); }

std::vector<Program> FinalShiftPrograms(const DeviceTraits& traits,
                                        uint32_t /*bit_depth*/) {
  return {ProgramFor(traits)};
}

std::unique_ptr<KernelWork> MakeFinalShift(const DeviceTraits& traits) {
  return std::make_unique<FinalShiftWork>(traits);
}

}  // namespace perdix::gpu
