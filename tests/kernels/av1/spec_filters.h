// SPDX-License-Identifier: BSD-2-Clause
// The in-loop filters over whole frames, in the order of the AV1 specification
// and without line buffers: what the kernels must equal in any order of rows.
// One sample, block or line is filtered by the scalar kernel's own text.
#ifndef PERDIX_TESTS_KERNELS_AV1_SPEC_FILTERS_H_
#define PERDIX_TESTS_KERNELS_AV1_SPEC_FILTERS_H_

#include <cstdint>
#include <vector>

#include "kernels/av1/lists.h"

namespace perdix::av1 {

// One plane of samples, [y][x].
using SpecPlane = std::vector<std::vector<int>>;

struct SpecFrame {
  SpecPlane planes[3];
};

// 7.14.2's outcome for an edge of a 4x4 block: 0 samples where it is not
// filtered.
struct SpecEdge {
  int filter_size = 0;
  int level = 0;
};

struct SpecUnit {
  int type = 0;  // 0 none, 1 Wiener, 2 self-guided
  int wiener[2][3] = {};
  int set = 0;
  int xqd[2] = {};
};

// The record that kernels take for it.
RestorationUnit PackUnit(const SpecUnit& unit);

// The frame's state, by the specification's names.
struct SpecState {
  int FrameWidth, FrameHeight, UpscaledWidth, MiCols, MiRows;
  int BitDepth, subsampling_x, subsampling_y, NumPlanes;
  int loop_filter_level[4], loop_filter_sharpness;
  // [plane][pass][row][col], 4x4 blocks of the plane.
  std::vector<std::vector<SpecEdge>> edges[3][2];
  bool cdef_on;
  int CdefDamping;
  int cdef_y_pri_strength[8], cdef_y_sec_strength[8];
  int cdef_uv_pri_strength[8], cdef_uv_sec_strength[8];
  std::vector<std::vector<int>> cdef_idx;  // by 64x64
  std::vector<std::vector<int>> skip;      // by 8x8
  int FrameRestorationType[3], LoopRestorationSize[3];
  std::vector<std::vector<SpecUnit>> units[3];
};

void SpecDeblock(const SpecState& state, SpecFrame& CurrFrame);
SpecFrame SpecCdef(const SpecState& state, const SpecFrame& CurrFrame);
SpecFrame SpecUpscale(const SpecState& state, const SpecFrame& frame);
SpecFrame SpecRestore(const SpecState& state,
                      const SpecFrame& UpscaledCurrFrame,
                      const SpecFrame& UpscaledCdefFrame);

// count_units_in_frame.
int SpecUnitsInFrame(int unit_size, int frame_size);

// All of them, as 7.4 orders them.
SpecFrame SpecFilterFrame(const SpecState& state, SpecFrame CurrFrame);

}  // namespace perdix::av1

#endif  // PERDIX_TESTS_KERNELS_AV1_SPEC_FILTERS_H_
