// SPDX-License-Identifier: BSD-2-Clause
#include "tests/kernels/av1/spec_filters.h"

#include <algorithm>
#include <cstdlib>

#include "kernels/av1/cdef/cdef_sample.h"

namespace perdix::av1 {
namespace {

int Clip3(int low, int high, int value) {
  return value < low ? low : (value > high ? high : value);
}
int64_t Round2(int64_t x, int n) {
  return n == 0 ? x : (x + (int64_t{1} << (n - 1))) >> n;
}
int FloorLog2(int x) {
  int s = 0;
  while (x > 1) {
    x >>= 1;
    s++;
  }
  return s;
}

// ---- 7.14 ----

struct Limits {
  int limit, blimit, thresh;
};

Limits LimitsOf(int lvl, int sharpness) {
  const int shift = sharpness > 4 ? 2 : (sharpness > 0 ? 1 : 0);
  const int limit = sharpness > 0 ? Clip3(1, 9 - sharpness, lvl >> shift)
                                  : std::max(1, lvl >> shift);
  return {limit, 2 * (lvl + 2) + limit, lvl >> 4};
}

// 7.14.6, at one sample of an edge.
class SampleFilter {
 public:
  SampleFilter(const SpecState& state, SpecPlane& samples, int plane, int x,
               int y, int dx, int dy)
      : BitDepth(state.BitDepth),
        samples_(samples),
        plane_(plane),
        x_(x),
        y_(y),
        dx_(dx),
        dy_(dy) {}

  void Run(const Limits& limits, int filterSize) {
    Masks(limits, filterSize);
    if (!filterMask) return;
    if (filterSize == 4 || !flatMask) {
      Narrow();
    } else if (filterSize == 8 || !flatMask2) {
      Wide(3);
    } else {
      Wide(4);
    }
  }

 private:
  int& At(int i) {
    return samples_[size_t(y_ + dy_ * i)][size_t(x_ + dx_ * i)];
  }
  int q(int i) { return At(i); }
  int p(int i) { return At(-i - 1); }

  void Masks(const Limits& limits, int filterSize) {
    const int threshBd = limits.thresh << (BitDepth - 8);
    hevMask = std::abs(p(1) - p(0)) > threshBd;
    hevMask |= std::abs(q(1) - q(0)) > threshBd;
    int filterLen = 16;
    if (filterSize == 4)
      filterLen = 4;
    else if (plane_ != 0)
      filterLen = 6;
    else if (filterSize == 8)
      filterLen = 8;
    const int limitBd = limits.limit << (BitDepth - 8);
    const int blimitBd = limits.blimit << (BitDepth - 8);
    int mask = 0;
    mask |= std::abs(p(1) - p(0)) > limitBd;
    mask |= std::abs(q(1) - q(0)) > limitBd;
    mask |= std::abs(p(0) - q(0)) * 2 + std::abs(p(1) - q(1)) / 2 > blimitBd;
    if (filterLen >= 6) {
      mask |= std::abs(p(2) - p(1)) > limitBd;
      mask |= std::abs(q(2) - q(1)) > limitBd;
    }
    if (filterLen >= 8) {
      mask |= std::abs(p(3) - p(2)) > limitBd;
      mask |= std::abs(q(3) - q(2)) > limitBd;
    }
    filterMask = mask == 0;
    const int thresholdBd = 1 << (BitDepth - 8);
    if (filterSize >= 8) {
      mask = 0;
      for (int i = 1; i <= (filterLen >= 8 ? 3 : 2); ++i) {
        mask |= std::abs(p(i) - p(0)) > thresholdBd;
        mask |= std::abs(q(i) - q(0)) > thresholdBd;
      }
      flatMask = mask == 0;
    }
    if (filterSize >= 16) {
      mask = 0;
      for (int i = 4; i <= 6; ++i) {
        mask |= std::abs(p(i) - p(0)) > thresholdBd;
        mask |= std::abs(q(i) - q(0)) > thresholdBd;
      }
      flatMask2 = mask == 0;
    }
  }

  int filter4_clamp(int value) const {
    return Clip3(-(1 << (BitDepth - 1)), (1 << (BitDepth - 1)) - 1, value);
  }

  void Narrow() {
    const int half = 0x80 << (BitDepth - 8);
    const int ps1 = p(1) - half;
    const int ps0 = p(0) - half;
    const int qs0 = q(0) - half;
    const int qs1 = q(1) - half;
    int filter = hevMask ? filter4_clamp(ps1 - qs1) : 0;
    filter = filter4_clamp(filter + 3 * (qs0 - ps0));
    const int filter1 = filter4_clamp(filter + 4) >> 3;
    const int filter2 = filter4_clamp(filter + 3) >> 3;
    At(0) = filter4_clamp(qs0 - filter1) + half;
    At(-1) = filter4_clamp(ps0 + filter2) + half;
    if (hevMask) return;
    filter = static_cast<int>(Round2(filter1, 1));
    At(1) = filter4_clamp(qs1 - filter) + half;
    At(-2) = filter4_clamp(ps1 + filter) + half;
  }

  void Wide(int log2Size) {
    const int n = log2Size == 4 ? 6 : (plane_ == 0 ? 3 : 2);
    const int n2 = log2Size == 3 && plane_ == 0 ? 0 : 1;
    std::vector<int> F(size_t(2 * n));
    for (int i = -n; i < n; i++) {
      int t = 0;
      for (int j = -n; j <= n; j++) {
        const int at = Clip3(-(n + 1), n, i + j);
        const int tap = std::abs(j) <= n2 ? 2 : 1;
        t += At(at) * tap;
      }
      F[size_t(i + n)] = static_cast<int>(Round2(t, log2Size));
    }
    for (int i = -n; i < n; i++) At(i) = F[size_t(i + n)];
  }

  const int BitDepth;
  SpecPlane& samples_;
  const int plane_, x_, y_, dx_, dy_;
  bool hevMask = false, filterMask = false, flatMask = false, flatMask2 = false;
};

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
  const Limits limits = LimitsOf(edge.level, s.loop_filter_sharpness);
  const int xP = x >> subX;
  const int yP = y >> subY;
  for (int i = 0; i < 4; ++i) {
    SampleFilter(s, frame.planes[plane], plane, xP + dy * i, yP + dx * i, dx,
                 dy)
        .Run(limits, edge.filter_size);
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
