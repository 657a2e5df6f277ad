// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/gpu/vp9/frame.h"
#include "kernels/gpu/vp9/transform_batches.h"
#include "kernels/vp9/kernels.h"
#include "kernels/vp9/transform_block.h"
#include "tests/shaders/frame.h"

namespace perdix::vp9 {
namespace {

constexpr uint32_t kDepths[] = {8, 10};

// The largest coefficients there are. Lossless blocks: those of streams are
// smaller than 1 << 29; if a residual is near 1 << 31, the scalar kernel's sum
// with a sample wraps, and the shader's does not.
uint32_t LargestMagnitude(uint32_t bit_depth, bool lossless) {
  if (bit_depth == 8) return 32768;
  return lossless ? 1u << 29 : (1u << 31) - 1;
}

class InverseTransformShaderTest : public ShaderTest {
 protected:
  struct Size {
    uint32_t width;
    uint32_t height;
    uint32_t subsampling = 1;
  };

  void Check(uint32_t bit_depth, const Size& size,
             const TransformChoice& choice, uint32_t seed) {
    TestRandom random(seed);
    KernelInput input =
        ShaderInput(random, size.width, size.height, size.subsampling,
                    Content::kRandom, bit_depth);
    ParamsOf(input).lossless = choice.lossless;
    AddTransforms(random, input.params, choice, &input);
    CompareInput(input, seed);
  }

  void CompareInput(const KernelInput& input, uint32_t seed) {
    Compare(KernelId::kVp9InverseTransform, input,
            std::to_string(input.params.bit_depth) + " bits, seed " +
                std::to_string(seed));
  }
};

TEST_F(InverseTransformShaderTest, AddsWhatTheScalarKernelAdds) {
  for (const uint32_t bit_depth : kDepths) {
    for (uint32_t seed = 0; seed < 12; ++seed) {
      Check(bit_depth,
            {99 + 13 * seed, 57 + 31 * (seed % 5), seed % 4 == 3 ? 0u : 1u},
            {.magnitude = 1u << (bit_depth + 1)}, seed);
    }
  }
}

TEST_F(InverseTransformShaderTest, AgreesOnCoefficientsOfAnySize) {
  for (const uint32_t bit_depth : kDepths) {
    for (uint32_t seed = 0; seed < 8; ++seed) {
      Check(bit_depth, {200, 136},
            {.magnitude = LargestMagnitude(bit_depth, false)}, seed);
    }
  }
}

TEST_F(InverseTransformShaderTest, AgreesOnDctAlone) {
  for (const uint32_t bit_depth : kDepths) {
    for (uint32_t seed = 0; seed < 8; ++seed) {
      Check(bit_depth, {120, 200}, {.types = 1}, seed);
    }
  }
}

TEST_F(InverseTransformShaderTest, AgreesOnLosslessBlocks) {
  for (const uint32_t bit_depth : kDepths) {
    for (const uint32_t magnitude :
         {1u << 9, LargestMagnitude(bit_depth, true)}) {
      for (uint32_t seed = 0; seed < 2; ++seed) {
        Check(bit_depth, {99, 57}, {.lossless = 1, .magnitude = magnitude},
              seed);
      }
    }
  }
}

// Makes the coefficients' absolute values add up to <sum>, if they come to
// less: a random one has the rest.
void MakeSumOf(uint32_t sum, TestRandom& random, const TransformBlock& block,
               TestLists* lists) {
  const uint32_t count = 16u << 2 * TransformStoredLog2(block.shape);
  int16_t* const units = &lists->coefficients[block.coefficients];
  const auto get = [&](uint32_t i) {
    return static_cast<int32_t>(static_cast<uint16_t>(units[2 * i]) |
                                uint32_t(units[2 * i + 1]) << 16);
  };
  const uint32_t chosen = block.eob == 1 ? 0 : random.Below(count);
  uint32_t others = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (i != chosen) others += static_cast<uint32_t>(std::abs(get(i)));
  }
  if (others >= sum) return;
  const auto rest = static_cast<int32_t>(sum - others);
  const int32_t value = random.OneIn(2) ? rest : -rest;
  units[2 * chosen] = static_cast<int16_t>(value);
  units[2 * chosen + 1] = static_cast<int16_t>(value >> 16);
}

TEST_F(InverseTransformShaderTest, AgreesWhereSumsOfProductsJustFit32Bits) {
  for (uint32_t seed = 0; seed < 8; ++seed) {
    TestRandom random(seed);
    KernelInput input = ShaderInput(random, 200, 136, 1, Content::kRandom, 10);
    AddTransforms(random, input.params, {.magnitude = 1u << 2 * (1 + seed)},
                  &input);
    for (const TransformBlock& block : input.View().Of(kInterTransforms)) {
      MakeSumOf(kMostSum32 + random.Below(2), random, block, &input);
    }
    CompareInput(input, seed);
  }
}

// The scalar kernel's target, all of whose samples had this value.
GuardedPicture AddedTo(int value, KernelInput input) {
  input.target.FillWith(value);
  const KernelArgs args = input.Args();
  InverseTransform<uint16_t>(
      args, {0, ItemCount(args, KernelId::kVp9InverseTransform)});
  return input.target;
}

// The residual planes that the programs for intra blocks leave.
class ResidualShaderTest : public ShaderTest {
 protected:
  // The blocks are those of inter_transforms.
  std::vector<uint16_t> Residual(KernelInput& input) {
    WorkLists tile = input.View();
    tile.Set(kIntraTransforms, tile.Of(kInterTransforms));
    const gpu::FrameInput frame = FrameInputOf(input, tile);
    std::vector<TileInput> tiles;
    gpu::PlaceTiles(frame.tiles, &tiles);
    TransformBatches batches(gpu_->traits());
    batches.Set(frame, tiles, TransformList::kIntra);
    gpu::Work work;
    work.Clear();
    work.NeedScratch(ResidualBytes(input.params));
    AddTransforms(frame, tiles, batches, &work);
    GpuBuffers buffers = BuffersOf(work, input);
    gpu_->Run(work, gpu_->traits().subgroup_size, &buffers);
    const Bytes& scratch = buffers.by_binding[PERDIX_BINDING_SCRATCH];
    std::vector<uint16_t> values(scratch.size() / sizeof(uint16_t));
    std::memcpy(values.data(), scratch.data(), scratch.size());
    return values;
  }

  // What a block changes from 0 up and from the largest sample down is there,
  // as ResidualLayout says.
  void Check(KernelInput& input) {
    const int most = (1 << input.params.bit_depth) - 1;
    const GuardedPicture up = AddedTo(0, input);
    const GuardedPicture down = AddedTo(most, input);
    const std::vector<uint16_t> values = Residual(input);
    const ResidualLayout layout =
        UniformsOf(input.params, input.target.layout()).residual;
    const auto check = [&](uint32_t plane, int component, uint32_t origin,
                           uint32_t stride) {
      for (int y = 0; y < up.Height(plane); ++y) {
        for (int x = 0; x < up.Width(plane); ++x) {
          const int want = up.Get(plane, x, y, component) +
                           down.Get(plane, x, y, component) - most;
          const int value = values[origin + uint32_t(y) * stride + uint32_t(x)];
          const int got = value == kNoBlock ? 0 : value - most - 1;
          ASSERT_EQ(std::clamp(got, -most, most), want)
              << "column " << x << ", row " << y << " of plane " << plane
              << ", component " << component;
        }
      }
    };
    check(kLuma, 0, 0, layout.luma_stride);
    check(kChroma, 0, layout.u_offset, layout.chroma_stride);
    check(kChroma, 1, layout.v_offset, layout.chroma_stride);
  }

  static constexpr int kNoBlock = 0x5a5a;  // as scratch memory begins
};

TEST_F(ResidualShaderTest, IsWhatTheScalarKernelAddsAt10Bits) {
  for (uint32_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    TestRandom random(seed);
    KernelInput input = ShaderInput(random, 120 + 8 * seed, 200, seed % 2,
                                    Content::kRandom, 10);
    ParamsOf(input).lossless = seed == 5;
    AddTransforms(random, input.params,
                  {.lossless = ParamsOf(input).lossless,
                   .magnitude = seed == 4 ? LargestMagnitude(10, false) : 4096},
                  &input);
    Check(input);
  }
}

}  // namespace
}  // namespace perdix::vp9
