// SPDX-License-Identifier: BSD-2-Clause
#include "tests/kernels/av1/spec_filters.h"

#include <algorithm>

#include "kernels/av1/cdef/cdef_sample.h"
#include "kernels/av1/deblock/edge_line.h"

namespace perdix::av1 {
namespace {

int FloorLog2(int x) {
  int s = 0;
  while (x > 1) {
    x >>= 1;
    s++;
  }
  return s;
}

// ---- 7.14 ----

void EdgeLoopFilter(const SpecState& s, SpecFrame& frame, int plane, int pass,
                    int row, int col) {
  const int subX = plane == 0 ? 0 : s.subsampling_x;
  const int subY = plane == 0 ? 0 : s.subsampling_y;
  const int dx = pass == 0 ? 1 : 0;
  const int dy = pass == 0 ? 0 : 1;
  const int x = col * 4;
  const int y = row * 4;
  if (x >= s.FrameWidth || y >= s.FrameHeight) return;
  if (pass == 0 ? x == 0 : y == 0) return;
  const SpecEdge& edge =
      s.edges[plane][pass][size_t(row >> subY)][size_t(col >> subX)];
  if (edge.filter_size == 0 || edge.level == 0) return;
  const EdgeLimits limits =
      LimitsOf(edge.level, s.loop_filter_sharpness, s.BitDepth);
  const EdgeTaps taps = edge.filter_size == 4   ? EdgeTaps::k4
                        : plane != 0            ? EdgeTaps::k6
                        : edge.filter_size == 8 ? EdgeTaps::k8
                                                : EdgeTaps::k16;
  const int xP = x >> subX;
  const int yP = y >> subY;
  for (int line = 0; line < 4; ++line) {
    const auto at = [&](int i) -> int& {
      return frame.planes[plane][size_t(yP + dx * line + dy * i)]
                         [size_t(xP + dy * line + dx * i)];
    };
    EdgeLine(at, limits, s.BitDepth).Filter(taps);
  }
}

// ---- 7.15 ----

constexpr int Cdef_Uv_Dir[2][2][8] = {
    {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 2, 2, 3, 4, 6, 0}},
    {{7, 0, 2, 4, 5, 6, 6, 6}, {0, 1, 2, 3, 4, 5, 6, 7}}};
constexpr int Cdef_Directions[8][2][2] = {
    {{-1, 1}, {-2, 2}}, {{0, 1}, {-1, 2}}, {{0, 1}, {0, 2}}, {{0, 1}, {1, 2}},
    {{1, 1}, {2, 2}},   {{1, 0}, {2, 1}},  {{1, 0}, {2, 0}}, {{1, 0}, {2, -1}}};

class CdefProcess {
 public:
  CdefProcess(const SpecState& state, const SpecFrame& frame)
      : s(state), CurrFrame(frame), CdefFrame(frame) {}

  SpecFrame Run() {
    for (int r = 0; r < s.MiRows; r += 2) {
      for (int c = 0; c < s.MiCols; c += 2) {
        Block(r, c, s.cdef_idx[size_t(r / 16)][size_t(c / 16)]);
      }
    }
    return CdefFrame;
  }

 private:
  void Block(int r, int c, int idx) {
    if (idx == -1) return;
    const int coeffShift = s.BitDepth - 8;
    if (s.skip[size_t(r / 2)][size_t(c / 2)]) return;
    const auto at = [&](int i, int j) {
      return CurrFrame.planes[0][size_t(r * 4 + i)][size_t(c * 4 + j)];
    };
    const auto [yDir, var] = FindDirection(at, s.BitDepth);
    int priStr = s.cdef_y_pri_strength[idx] << coeffShift;
    int secStr = s.cdef_y_sec_strength[idx] << coeffShift;
    int dir = priStr == 0 ? 0 : yDir;
    const int varStr = (var >> 6) ? std::min(FloorLog2(var >> 6), 12) : 0;
    priStr = var ? (priStr * (4 + varStr) + 8) >> 4 : 0;
    int damping = s.CdefDamping + coeffShift;
    Filter(0, r, c, priStr, secStr, damping, dir);
    if (s.NumPlanes == 1) return;
    priStr = s.cdef_uv_pri_strength[idx] << coeffShift;
    secStr = s.cdef_uv_sec_strength[idx] << coeffShift;
    dir = priStr == 0 ? 0 : Cdef_Uv_Dir[s.subsampling_x][s.subsampling_y][yDir];
    damping = s.CdefDamping + coeffShift - 1;
    Filter(1, r, c, priStr, secStr, damping, dir);
    Filter(2, r, c, priStr, secStr, damping, dir);
  }

  void Filter(int plane, int r, int c, int priStr, int secStr, int damping,
              int dir) {
    const int coeffShift = s.BitDepth - 8;
    const CdefFilter filter =
        MakeCdefFilter(priStr, secStr, damping, dir, 1, coeffShift);
    const int subX = plane > 0 ? s.subsampling_x : 0;
    const int subY = plane > 0 ? s.subsampling_y : 0;
    const int x0 = (c * 4) >> subX;
    const int y0 = (r * 4) >> subY;
    const SpecPlane& from = CurrFrame.planes[plane];
    for (int y = y0; y < y0 + (8 >> subY); y++) {
      for (int x = x0; x < x0 + (8 >> subX); x++) {
        const auto tap = [&](int turn, int k, int sign) {
          constexpr int kTurns[3] = {0, -2, 2};
          const auto& to = Cdef_Directions[(dir + kTurns[turn]) & 7][k];
          return cdef_get_at(plane, x + sign * to[1], y + sign * to[0]);
        };
        CdefFrame.planes[plane][size_t(y)][size_t(x)] =
            FilterCdefSample(filter, from[size_t(y)][size_t(x)], tap);
      }
    }
  }

  int cdef_get_at(int plane, int x, int y) const {
    const int subX = plane > 0 ? s.subsampling_x : 0;
    const int subY = plane > 0 ? s.subsampling_y : 0;
    const int candidateR = (y * (1 << subY)) >> 2;
    const int candidateC = (x * (1 << subX)) >> 2;
    const bool CdefAvailable = candidateC >= 0 && candidateC < s.MiCols &&
                               candidateR >= 0 && candidateR < s.MiRows;
    return CdefAvailable ? CurrFrame.planes[plane][size_t(y)][size_t(x)]
                         : kCdefNotAvailable;
  }

  const SpecState& s;
  const SpecFrame& CurrFrame;
  SpecFrame CdefFrame;
};

}  // namespace

void SpecDeblock(const SpecState& s, SpecFrame& CurrFrame) {
  for (int plane = 0; plane < s.NumPlanes; plane++) {
    if (plane != 0 && !s.loop_filter_level[1 + plane]) continue;
    for (int pass = 0; pass < 2; pass++) {
      const int rowStep = plane == 0 ? 1 : (1 << s.subsampling_y);
      const int colStep = plane == 0 ? 1 : (1 << s.subsampling_x);
      for (int row = 0; row < s.MiRows; row += rowStep) {
        for (int col = 0; col < s.MiCols; col += colStep) {
          EdgeLoopFilter(s, CurrFrame, plane, pass, row, col);
        }
      }
    }
  }
}

SpecFrame SpecCdef(const SpecState& state, const SpecFrame& CurrFrame) {
  return CdefProcess(state, CurrFrame).Run();
}

SpecFrame SpecFilterFrame(const SpecState& state, SpecFrame CurrFrame) {
  if (state.loop_filter_level[0] || state.loop_filter_level[1])
    SpecDeblock(state, CurrFrame);
  const SpecFrame CdefFrame =
      state.cdef_on ? SpecCdef(state, CurrFrame) : CurrFrame;
  if (state.UpscaledWidth == state.FrameWidth)
    return SpecRestore(state, CurrFrame, CdefFrame);
  return SpecRestore(state, SpecUpscale(state, CurrFrame),
                     SpecUpscale(state, CdefFrame));
}

}  // namespace perdix::av1
