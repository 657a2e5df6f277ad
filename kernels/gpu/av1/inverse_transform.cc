// SPDX-License-Identifier: BSD-2-Clause
// AV1's inverse transforms of inter blocks on the GPU: their residual is added
// to the target.
#include "kernels/gpu/av1/kernels.h"
#include "kernels/gpu/av1/residual.h"

namespace perdix::av1 {
namespace {

class InverseTransformWork final : public gpu::KernelWork {
 public:
  explicit InverseTransformWork(const gpu::DeviceTraits& traits)
      : traits_(traits) {}

  Status Build(const gpu::FrameInput& input, gpu::Work* work) override {
    gpu::PlaceTiles(input.tiles, &tiles_);
    items_.Set(input, tiles_, ResidualOf::kInter, 0);
    if (!items_.empty()) AddResidual(traits_, input, tiles_, items_, work);
    return Status::Ok();
  }

 private:
  const gpu::DeviceTraits traits_;
  std::vector<gpu::TileInput> tiles_;
  ResidualItems items_;
};

}  // namespace

std::vector<gpu::Program> InverseTransformPrograms(
    const gpu::DeviceTraits& traits, uint32_t bit_depth) {
  return ResidualPrograms(traits, bit_depth, ResidualOf::kInter);
}

std::unique_ptr<gpu::KernelWork> MakeInverseTransform(
    const gpu::DeviceTraits& traits) {
  return std::make_unique<InverseTransformWork>(traits);
}

}  // namespace perdix::av1
