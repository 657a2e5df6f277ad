// SPDX-License-Identifier: BSD-2-Clause
// Random transform blocks that cover planes.
#ifndef PERDIX_TESTS_SHADERS_TRANSFORMS_H_
#define PERDIX_TESTS_SHADERS_TRANSFORMS_H_

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/vulkan/work_order.h"
#include "tests/shaders/frame.h"

namespace perdix {

struct TransformChoice {
  uint32_t lossless = 0;
  uint32_t types = 4;           // tx_types, from 0 on
  uint32_t magnitude = 1 << 9;  // of coefficients
};

// The coefficients of one block, all that is stored.
inline TransformBlock MakeTransform(Random& random,
                                    const TransformChoice& choice, uint32_t x4,
                                    uint32_t y4, uint32_t component,
                                    uint32_t tx_size,
                                    std::vector<int16_t>* coefficients) {
  const bool dc_only = !choice.lossless && Below(random, 4) == 0;
  const uint32_t tx_type =
      choice.lossless || tx_size == 3 ? 0 : Below(random, choice.types);
  const uint32_t stored_log2 = dc_only ? 0 : Below(random, tx_size + 1);
  const uint32_t count = 16u << (2 * stored_log2);
  const auto offset = static_cast<uint32_t>(coefficients->size());
  const uint32_t density = 1 + Below(random, 8);
  for (uint32_t i = 0; i < count; ++i) {
    int value = 0;
    if (i == 0 || (!dc_only && Below(random, density) == 0)) {
      const uint32_t magnitude = choice.magnitude >> Below(random, 8);
      value = static_cast<int>(Below(random, 2 * magnitude + 1)) -
              static_cast<int>(magnitude);
    }
    coefficients->push_back(
        static_cast<int16_t>(std::clamp(value, -32768, 32767)));
  }
  return {PackPosition(x4, y4),
          PackTransformShape(component, tx_size, tx_type, stored_log2), offset,
          dc_only ? 1u : 2u + Below(random, count - 1)};
}

// Blocks all over the decoded area; some stick out of it.
inline void AddTransforms(Random& random, const FrameParams& params,
                          const TransformChoice& choice,
                          std::vector<TransformBlock>* blocks,
                          std::vector<int16_t>* coefficients) {
  for (uint32_t component = 0; component < 3; ++component) {
    const uint32_t ss_x = component == 0 ? 0 : params.subsampling_x;
    const uint32_t ss_y = component == 0 ? 0 : params.subsampling_y;
    const uint32_t columns = params.mi_cols * 2 >> ss_x;  // 4x4 units
    const uint32_t rows = params.mi_rows * 2 >> ss_y;
    for (uint32_t y = 0; y < rows; y += 8) {
      for (uint32_t x = 0; x < columns; x += 8) {
        const uint32_t tx_size = choice.lossless ? 0 : Below(random, 4);
        const uint32_t step = 1u << tx_size;
        for (uint32_t j = y; j < std::min(y + 8, rows); j += step) {
          for (uint32_t i = x; i < std::min(x + 8, columns); i += step) {
            if (Below(random, 8) == 0) continue;
            blocks->push_back(MakeTransform(random, choice, i, j, component,
                                            tx_size, coefficients));
          }
        }
      }
    }
  }
}

inline GpuDispatch TransformGpuDispatch(
    const vulkan::TransformDispatch& dispatch) {
  GpuDispatch gpu;
  gpu.shader = "vp9/inverse_transform_" + std::to_string(4 << dispatch.tx_size);
  gpu.constants = {dispatch.transform, dispatch.output};
  gpu.push.first = dispatch.first;
  gpu.groups_x = dispatch.workgroups;
  gpu.barrier = dispatch.barrier;
  return gpu;
}

}  // namespace perdix

#endif  // PERDIX_TESTS_SHADERS_TRANSFORMS_H_
