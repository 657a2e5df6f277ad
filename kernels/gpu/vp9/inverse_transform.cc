// SPDX-License-Identifier: BSD-2-Clause
// VP9's inverse transforms of inter blocks on the GPU: their residual is added
// to the target.
#include "kernels/gpu/vp9/kernels.h"
#include "kernels/gpu/vp9/transform_batches.h"

namespace perdix::vp9 {
namespace {

class InverseTransformWork final : public gpu::KernelWork {
 public:
  explicit InverseTransformWork(const gpu::DeviceTraits& traits)
      : batches_(traits) {}

  Status Build(const gpu::FrameInput& input, gpu::Work* work) override {
    gpu::PlaceTiles(input.tiles, &tiles_);
    batches_.Set(input, tiles_, TransformList::kInter);
    if (batches_.size() == 0) return Status::Ok();
    work->AddBarrier();
    AddTransforms(input, tiles_, batches_, work);
    return Status::Ok();
  }

 private:
  std::vector<TileInput> tiles_;
  TransformBatches batches_;
};

}  // namespace

std::vector<gpu::Program> InverseTransformPrograms(
    const gpu::DeviceTraits& traits, uint32_t bit_depth) {
  return TransformPrograms(traits, bit_depth,
                           {PERDIX_OUTPUT_LUMA, PERDIX_OUTPUT_CHROMA});
}

std::unique_ptr<gpu::KernelWork> MakeInverseTransform(
    const gpu::DeviceTraits& traits) {
  return std::make_unique<InverseTransformWork>(traits);
}

}  // namespace perdix::vp9
