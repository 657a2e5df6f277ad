// SPDX-License-Identifier: BSD-2-Clause
#include "tests/frame/kernel_input.h"

namespace perdix {

WorkLists TestLists::View() const {
  WorkLists view;
  for (size_t i = 0; i < kMaxLists; ++i) {
    view.lists[i] = {lists[i].data(), lists[i].size()};
  }
  view.coefficients = coefficients;
  return view;
}

KernelArgs KernelInput::Args() {
  KernelArgs args;
  args.params = &params;
  args.codec = &codec_params;
  args.lists = TestLists::View();
  args.tables = tables.View();
  args.target = target.View();
  args.display = display.View();
  args.coded_planes = coded_planes;
  for (size_t i = 0; i < PERDIX_MAX_REFERENCES; ++i) {
    args.references[i] = references[i].View();
  }
  return args;
}

uint32_t ItemCount(const KernelArgs& args, KernelId kernel) {
  const KernelRow& row = RowOf(kernel);
  return row.ReadsList()
             ? static_cast<uint32_t>(args.lists.lists[row.list].size)
             : args.params->sb_cols * args.params->sb_rows;
}

FrameParams TestFrameParams(uint32_t width, uint32_t height, uint32_t bit_depth,
                            uint32_t subsampling_x, uint32_t subsampling_y) {
  FrameParams params = {};
  params.width = width;
  params.height = height;
  params.sb_log2 = 6;
  params.sb_cols = (width + 63) / 64;
  params.sb_rows = (height + 63) / 64;
  params.bit_depth = bit_depth;
  params.subsampling_x = subsampling_x;
  params.subsampling_y = subsampling_y;
  return params;
}

}  // namespace perdix
