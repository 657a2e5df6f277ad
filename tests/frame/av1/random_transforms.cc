// SPDX-License-Identifier: BSD-2-Clause
#include "tests/frame/av1/random_transforms.h"

#include <algorithm>
#include <iterator>

#include "kernels/av1/transform/transform_shape.h"

namespace perdix::av1 {
namespace {

// What parsing clamps coefficients to (7.12.3).
int LargestCoefficient(uint32_t bit_depth) {
  return (1 << (bit_depth + 7)) - 1;
}

int RandomCoefficient(TestRandom& random, const TransformChoice& choice,
                      uint32_t bit_depth) {
  const int largest = LargestCoefficient(bit_depth);
  if (choice.coefficients == Coefficients::kExtremes) {
    return random.OneIn(2) ? largest : -largest - 1;
  }
  const int magnitude = std::min(choice.magnitude, largest);
  return random.Uniform(-magnitude - 1, magnitude);
}

uint32_t RandomType(TestRandom& random, const TransformChoice& choice,
                    const TransformSize& size) {
  if (choice.type >= 0) {
    const auto type = static_cast<uint32_t>(choice.type);
    return SizeHasType(size, type) ? type : 0;
  }
  for (;;) {
    const uint32_t type = random.Below(PERDIX_TRANSFORM_WHT + 1);
    if (SizeHasType(size, type)) return type;
  }
}

class BlockMaker {
 public:
  BlockMaker(TestRandom& random, const TransformChoice& choice,
             List<TransformBlock> list, KernelInput* input)
      : random_(random), choice_(choice), list_(list), input_(*input) {}

  void FillSuperblock(uint32_t component, uint32_t x, uint32_t y) {
    const TransformSize& size =
        kTransformSizes[choice_.size >= 0
                            ? static_cast<uint32_t>(choice_.size)
                            : random_.Below(std::size(kTransformSizes))];
    const DecodedArea area =
        PlaneDecodedArea(input_.params, component == 0 ? kLuma : kChroma);
    for (uint32_t by = y; by < y + 64; by += 1u << size.height_log2) {
      for (uint32_t bx = x; bx < x + 64; bx += 1u << size.width_log2) {
        if (bx >= static_cast<uint32_t>(area.width) ||
            by >= static_cast<uint32_t>(area.height) || random_.OneIn(8)) {
          continue;
        }
        AddBlock(component, size, PackPosition(bx / 4, by / 4));
      }
    }
  }

 private:
  void AddBlock(uint32_t component, const TransformSize& size,
                uint32_t position) {
    const uint32_t type = RandomType(random_, choice_, size);
    const uint32_t most_width = std::min(size.width_log2, 5u) - 2;
    const uint32_t most_height = std::min(size.height_log2, 5u) - 2;
    const bool whole = type == PERDIX_TRANSFORM_WHT || random_.OneIn(2);
    const uint32_t width = whole ? most_width : random_.Below(most_width + 1);
    const uint32_t height =
        whole ? most_height : random_.Below(most_height + 1);
    const uint32_t eob = random_.OneIn(4) ? 1 : 2 + random_.Below(10);
    const uint32_t offset = AddCoefficients(16u << (width + height));
    input_.Of(list_).push_back(
        {position,
         PackTransformShape(component, size.width_log2, size.height_log2, type,
                            width, height),
         offset, eob});
  }

  // Adds the coefficients of a block and returns their offset.
  uint32_t AddCoefficients(uint32_t count) {
    const auto offset = static_cast<uint32_t>(input_.coefficients.size());
    const uint32_t one_in = random_.OneIn(2) ? 1 : 1 + random_.Below(30);
    const uint32_t single = random_.Below(count);
    for (uint32_t i = 0; i < count; ++i) {
      const bool there = choice_.coefficients == Coefficients::kSingle
                             ? i == single
                             : random_.OneIn(static_cast<int>(one_in));
      Append(there
                 ? RandomCoefficient(random_, choice_, input_.params.bit_depth)
                 : 0);
    }
    return offset;
  }

  void Append(int value) {
    input_.coefficients.push_back(static_cast<int16_t>(value));
    if (input_.params.bit_depth > 8) {
      input_.coefficients.push_back(static_cast<int16_t>(value >> 16));
    }
  }

  TestRandom& random_;
  const TransformChoice& choice_;
  const List<TransformBlock> list_;
  KernelInput& input_;
};

}  // namespace

bool SizeHasType(const TransformSize& size, uint32_t type) {
  if (type == PERDIX_TRANSFORM_WHT) {
    return size.width_log2 == 2 && size.height_log2 == 2;
  }
  const TransformTypeParts& parts = kTransformTypes[type];
  const auto has = [](TransformKind kind, uint32_t length_log2) {
    return KindOfLength(kind, static_cast<int>(length_log2)) == kind;
  };
  return has(parts.rows, size.width_log2) &&
         has(parts.columns, size.height_log2);
}

void AddTransforms(TestRandom& random, const TransformChoice& choice,
                   List<TransformBlock> list, KernelInput* input) {
  BlockMaker maker(random, choice, list, input);
  for (uint32_t component = 0; component < 3; ++component) {
    const DecodedArea area =
        PlaneDecodedArea(input->params, component == 0 ? kLuma : kChroma);
    for (uint32_t y = 0; y < static_cast<uint32_t>(area.height); y += 64) {
      for (uint32_t x = 0; x < static_cast<uint32_t>(area.width); x += 64) {
        maker.FillSuperblock(component, x, y);
      }
    }
  }
}

KernelInput TransformInput(TestRandom& random, uint32_t width, uint32_t height,
                           uint32_t bit_depth, Content content) {
  KernelInput input;
  input.params = TestFrameParams(width, height, bit_depth, 1, 1);
  Params& av1 = input.codec_params.As<Params>();
  av1.mi_cols = DecodedSize(width) / 4;
  av1.mi_rows = DecodedSize(height) / 4;
  av1.upscaled_width = width;
  av1.superres_denom = 8;
  input.target = GuardedPicture::ForTarget(input.params);
  input.target.Fill(content, random);
  input.target.SetGuard(0xa5);
  return input;
}

}  // namespace perdix::av1
