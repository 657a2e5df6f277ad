// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>

#include "kernels/vp9/kernels.h"
#include "kernels/vulkan/work_order.h"
#include "tests/shaders/frame.h"
#include "tests/shaders/transforms.h"

namespace perdix {
namespace {

// Intra blocks of one plane in decoding order, edges as they are available.
class PlaneBlocks {
 public:
  PlaneBlocks(Random& random, const FrameParams& params, uint32_t plane,
              const TransformChoice& choice)
      : random_(random),
        plane_(plane),
        choice_(choice),
        columns_(params.mi_cols * 2 >> (plane ? params.subsampling_x : 0)),
        rows_(params.mi_rows * 2 >> (plane ? params.subsampling_y : 0)),
        decoded_(size_t{columns_} * rows_) {}

  void Add(std::vector<IntraBlock>* blocks,
           std::vector<TransformBlock>* transforms,
           std::vector<int16_t>* coefficients) {
    for (uint32_t y = 0; y < rows_; y += 8) {
      for (uint32_t x = 0; x < columns_; x += 8) {
        const uint32_t tx_size = choice_.lossless ? 0 : Below(random_, 4);
        const uint32_t step = 1u << tx_size;
        for (uint32_t j = y; j < std::min(y + 8, rows_); j += step) {
          for (uint32_t i = x; i < std::min(x + 8, columns_); i += step) {
            if (Below(random_, 16) != 0) {
              AddBlock(i, j, tx_size, blocks, transforms, coefficients);
            }
            MarkDecoded(i, j, step);
          }
        }
      }
    }
  }

 private:
  bool IsDecoded(uint32_t x, uint32_t y) const {
    return x < columns_ && y < rows_ && decoded_[y * columns_ + x];
  }

  void MarkDecoded(uint32_t x, uint32_t y, uint32_t size) {
    for (uint32_t j = y; j < std::min(y + size, rows_); ++j) {
      for (uint32_t i = x; i < std::min(x + size, columns_); ++i) {
        decoded_[j * columns_ + i] = true;
      }
    }
  }

  uint32_t Residual(uint32_t x, uint32_t y, uint32_t component,
                    uint32_t tx_size, std::vector<TransformBlock>* transforms,
                    std::vector<int16_t>* coefficients) {
    if (Below(random_, 3) == 0) return PERDIX_NONE;
    transforms->push_back(MakeTransform(random_, choice_, x, y, component,
                                        tx_size, coefficients));
    return static_cast<uint32_t>(transforms->size() - 1);
  }

  void AddBlock(uint32_t x, uint32_t y, uint32_t tx_size,
                std::vector<IntraBlock>* blocks,
                std::vector<TransformBlock>* transforms,
                std::vector<int16_t>* coefficients) {
    uint32_t have = 0;
    if (x > 0 && Below(random_, 8) != 0) have |= PERDIX_INTRA_HAVE_LEFT;
    if (y > 0 && Below(random_, 8) != 0) {
      have |= PERDIX_INTRA_HAVE_ABOVE;
      if (tx_size == 0 && IsDecoded(x + 1, y - 1)) {
        have |= PERDIX_INTRA_HAVE_ABOVE_RIGHT;
      }
    }
    IntraBlock block = {
        PackPosition(x, y),
        PackIntraShape(plane_, tx_size, Below(random_, 10), have), PERDIX_NONE,
        PERDIX_NONE};
    block.residual0 = Residual(x, y, plane_ == kLuma ? 0 : 1, tx_size,
                               transforms, coefficients);
    if (plane_ == kChroma) {
      block.residual1 = Residual(x, y, 2, tx_size, transforms, coefficients);
    }
    blocks->push_back(block);
  }

  Random& random_;
  const uint32_t plane_;
  const TransformChoice& choice_;
  const uint32_t columns_;  // 4x4 units
  const uint32_t rows_;
  std::vector<bool> decoded_;
};

class IntraPredShaderTest : public ShaderTest {
 protected:
  void Check(uint32_t width, uint32_t height, uint32_t subsampling,
             const TransformChoice& choice, Content content, uint32_t seed) {
    Random random(seed);
    TestPicture picture(width, height, subsampling);
    Fill(random, content, &picture);
    FrameParams params = ParamsOf(picture);
    params.lossless = choice.lossless;
    std::vector<IntraBlock> blocks;
    std::vector<TransformBlock> transforms;
    std::vector<int16_t> coefficients;
    for (const uint32_t plane : {kLuma, kChroma}) {
      PlaneBlocks(random, params, plane, choice)
          .Add(&blocks, &transforms, &coefficients);
    }

    KernelArgs args;
    args.params = &params;
    args.lists.intra_blocks = blocks;
    args.lists.intra_transforms = transforms;
    args.lists.coefficients = coefficients;
    args.target = picture.View();
    SetFrame(args, picture);
    const std::vector<GpuDispatch> dispatches = Dispatches(params, args.lists);
    vp9::IntraPred<uint8_t>(args, {0, static_cast<uint32_t>(blocks.size())});
    Compare(dispatches, picture.bytes, "seed " + std::to_string(seed));
  }

 private:
  // Both lists of records in one buffer, transforms first.
  std::vector<GpuDispatch> Dispatches(const FrameParams& params,
                                      const WorkLists& lists) {
    const vulkan::TileInput tile = {lists, 0};
    vulkan::TransformOrder transforms;
    transforms.Set(params, {&tile, 1}, vulkan::TransformList::kIntra);
    vulkan::IntraOrder intra;
    intra.Set(params, {&tile, 1});
    Bytes& records = buffers_.by_binding[PERDIX_BINDING_RECORDS];
    records = Records<TransformBlock>(transforms);
    const uint32_t base = transforms.size();
    const Bytes blocks = Records<IntraBlock>(intra);
    records.insert(records.end(), blocks.begin(), blocks.end());

    std::vector<GpuDispatch> dispatches;
    for (const vulkan::TransformDispatch& dispatch : transforms.dispatches()) {
      dispatches.push_back(TransformGpuDispatch(dispatch));
    }
    for (const vulkan::IntraWave& wave : intra.waves()) {
      GpuDispatch gpu;
      gpu.shader = "vp9/intra_pred";
      gpu.push.first = base + wave.first;
      gpu.groups_x = wave.count;
      gpu.barrier = true;
      dispatches.push_back(gpu);
    }
    return dispatches;
  }
};

TEST_F(IntraPredShaderTest, PredictsWhatTheScalarKernelPredicts) {
  for (uint32_t seed = 0; seed < 8; ++seed) {
    Check(99 + 13 * seed, 57 + 31 * (seed % 5), seed % 4 == 3 ? 0 : 1, {},
          Content::kNoise, seed);
  }
}

TEST_F(IntraPredShaderTest, AgreesOnExtremes) {
  TransformChoice choice;
  choice.magnitude = 32768;
  for (uint32_t seed = 0; seed < 4; ++seed) {
    Check(136, 72, 1, choice, Content::kExtremes, seed);
  }
}

TEST_F(IntraPredShaderTest, AgreesOnLosslessBlocks) {
  TransformChoice choice;
  choice.lossless = 1;
  Check(99, 57, 1, choice, Content::kSmooth, 1);
}

TEST_F(IntraPredShaderTest, AgreesOnFramesSmallerThanABlock) {
  for (uint32_t size = 1; size < 20; size += 3) {
    Check(size, 21 - size, 1, {}, Content::kNoise, size);
  }
}

}  // namespace
}  // namespace perdix
