// SPDX-License-Identifier: BSD-2-Clause
// Sections 7.11.2, 7.11.4, 7.11.5 and the whole-vector case of 7.11.3.4 as the
// text has them, sample by sample and one component at a time, for tests.
// CurrFrame is a frame with room beyond the decoded area, so that whatever
// sticks out is written, too.
#ifndef PERDIX_TESTS_KERNELS_AV1_SPEC_INTRA_H_
#define PERDIX_TESTS_KERNELS_AV1_SPEC_INTRA_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kernels/av1/intra/intra_tables.h"
#include "tests/kernels/av1/guarded_frame.h"

namespace perdix::av1 {

struct SpecBlock {
  uint32_t plane;  // 0 Y, 1 U, 2 V
  int x;
  int y;
  int log2W;
  int log2H;
  bool haveLeft = false;
  bool haveAbove = false;
  bool haveAboveRight = false;
  bool haveBelowLeft = false;
  uint32_t mode = 0;
  int angleDelta = 0;
  bool filterType = false;  // what 7.11.2.8 gives
  int filter_intra_mode = -1;
};

template <typename Sample>
class SpecIntra {
 public:
  // frame: has mi_cols * 4 columns less than the decoded width of curr.
  SpecIntra(GuardedFrame<Sample>& curr, int mi_cols, int mi_rows,
            bool enable_intra_edge_filter)
      : curr_(curr),
        mi_cols_(mi_cols),
        mi_rows_(mi_rows),
        edge_filter_(enable_intra_edge_filter) {}

  int MaxX(uint32_t plane) const { return ((mi_cols_ * 4) >> SubX(plane)) - 1; }
  int MaxY(uint32_t plane) const { return ((mi_rows_ * 4) >> SubY(plane)) - 1; }

  // pred of 7.11.2, not yet written.
  void Predict(const SpecBlock& b) {
    w = 1 << b.log2W;
    h = 1 << b.log2H;
    PrepareEdges(b);
    if (b.filter_intra_mode >= 0) return Recursive(b.filter_intra_mode);
    if (b.mode >= kVPred && b.mode <= kD67Pred) return Directional(b);
    if (b.mode == kDcPred) return Dc(b);
    if (b.mode == kPaethPred) return Paeth();
    Smooth(b);
  }

  void Write(const SpecBlock& b) {
    for (int i = 0; i < h; ++i) {
      for (int j = 0; j < w; ++j) Curr(b.plane, b.x + j, b.y + i) = pred[i][j];
    }
  }

  // 7.11.5.
  void ChromaFromLuma(const SpecBlock& b, int alpha, int MaxLumaW,
                      int MaxLumaH) {
    const int subX = SubX(1);
    const int subY = SubY(1);
    std::vector<int> L;
    int64_t lumaAvg = 0;
    for (int i = 0; i < h; ++i) {
      const int lumaY = std::min((b.y + i) << subY, MaxLumaH - (1 << subY));
      for (int j = 0; j < w; ++j) {
        const int lumaX = std::min((b.x + j) << subX, MaxLumaW - (1 << subX));
        int t = 0;
        for (int dy = 0; dy <= subY; ++dy) {
          for (int dx = 0; dx <= subX; ++dx) {
            t += curr_.At(0, lumaX + dx, lumaY + dy);
          }
        }
        L.push_back(t << (3 - subX - subY));
        lumaAvg += L.back();
      }
    }
    const int shift = b.log2W + b.log2H;
    lumaAvg = (lumaAvg + (1 << (shift - 1))) >> shift;
    for (int i = 0; i < h; ++i) {
      for (int j = 0; j < w; ++j) {
        const int product = alpha * (L[static_cast<size_t>(i * w + j)] -
                                     static_cast<int>(lumaAvg));
        const int scaled =
            product < 0 ? -((-product + 32) >> 6) : (product + 32) >> 6;
        Sample& sample = curr_.At(b.plane, b.x + j, b.y + i);
        sample = static_cast<Sample>(Clip1(sample + scaled));
      }
    }
  }

  // 7.11.3.3 and .4 for the current frame, into pred. mv: row, column.
  void IntraBlockCopy(const SpecBlock& b, int mv_row, int mv_col) {
    w = 1 << b.log2W;
    h = 1 << b.log2H;
    const int subX = SubX(b.plane);
    const int subY = SubY(b.plane);
    const int lastX = ((mi_cols_ * 4 + subX) >> subX) - 1;
    const int lastY = ((mi_rows_ * 4 + subY) >> subY) - 1;
    const int round0 = curr_.bit_depth() == 12 ? 5 : 3;
    const int round1 = curr_.bit_depth() == 12 ? 9 : 11;
    const int scale = 1 << 14;
    const auto start = [&](int at, int mv, int sub) {
      const int64_t orig = (at << 4) + ((2 * mv) >> sub) + 8;
      const int64_t base = orig * scale - (8 << 14);
      const int64_t rounded =
          base < 0 ? -((-base + 128) >> 8) : (base + 128) >> 8;
      return static_cast<int>(rounded) + 32;
    };
    const int x = start(b.x, mv_col, subX);
    const int y = start(b.y, mv_row, subY);
    const auto filter = [](int phase, int t) {
      return t == 3 ? 128 - 8 * phase : t == 4 ? 8 * phase : 0;
    };
    std::vector<int> intermediate(static_cast<size_t>((h + 8) * w));
    for (int r = 0; r < h + 7; ++r) {
      for (int c = 0; c < w; ++c) {
        int s = 0;
        const int p = x + 1024 * c;
        for (int t = 0; t < 8; ++t) {
          s += filter((p >> 6) & 15, t) *
               Curr(b.plane, std::clamp((p >> 10) + t - 3, 0, lastX),
                    std::clamp((y >> 10) + r - 3, 0, lastY));
        }
        intermediate[static_cast<size_t>(r * w + c)] =
            (s + (1 << (round0 - 1))) >> round0;
      }
    }
    for (int r = 0; r < h; ++r) {
      for (int c = 0; c < w; ++c) {
        int s = 0;
        const int p = (y & 1023) + 1024 * r;
        for (int t = 0; t < 8; ++t) {
          s += filter((p >> 6) & 15, t) *
               intermediate[static_cast<size_t>(((p >> 10) + t) * w + c)];
        }
        pred[r][c] =
            static_cast<Sample>(Clip1((s + (1 << (round1 - 1))) >> round1));
      }
    }
  }

  Sample& Curr(uint32_t plane, int x, int y) { return curr_.At(plane, x, y); }

  Sample pred[128][128];

 private:
  static constexpr int kOrigin = 16;
  using Edge = int[kOrigin + 300];

  int SubX(uint32_t plane) const {
    return plane == 0 ? 0 : static_cast<int>(curr_.frame().subsampling_x);
  }
  int SubY(uint32_t plane) const {
    return plane == 0 ? 0 : static_cast<int>(curr_.frame().subsampling_y);
  }
  int Clip1(int value) const {
    return std::clamp(value, 0, (1 << curr_.bit_depth()) - 1);
  }
  int& AboveRow(int i) { return above_[kOrigin + i]; }
  int& LeftCol(int i) { return left_[kOrigin + i]; }
  void Set(int i, int j, int value) { pred[i][j] = static_cast<Sample>(value); }

  void PrepareEdges(const SpecBlock& b) {
    const int x = b.x;
    const int y = b.y;
    const int base = 1 << (curr_.bit_depth() - 1);
    // Beyond w + h - 1 nothing counts; a pattern would show that.
    std::fill_n(above_, kOrigin + 300, 77);
    std::fill_n(left_, kOrigin + 300, 99);
    for (int i = 0; i < w + h; ++i) {
      if (!b.haveAbove) {
        AboveRow(i) = b.haveLeft ? Curr(b.plane, x - 1, y) : base - 1;
      } else {
        const int limit =
            std::min(MaxX(b.plane), x + (b.haveAboveRight ? 2 * w : w) - 1);
        AboveRow(i) = Curr(b.plane, std::min(limit, x + i), y - 1);
      }
      if (!b.haveLeft) {
        LeftCol(i) = b.haveAbove ? Curr(b.plane, x, y - 1) : base + 1;
      } else {
        const int limit =
            std::min(MaxY(b.plane), y + (b.haveBelowLeft ? 2 * h : h) - 1);
        LeftCol(i) = Curr(b.plane, x - 1, std::min(limit, y + i));
      }
    }
    if (b.haveAbove && b.haveLeft) {
      AboveRow(-1) = Curr(b.plane, x - 1, y - 1);
    } else if (b.haveAbove) {
      AboveRow(-1) = Curr(b.plane, x, y - 1);
    } else if (b.haveLeft) {
      AboveRow(-1) = Curr(b.plane, x - 1, y);
    } else {
      AboveRow(-1) = base;
    }
    LeftCol(-1) = AboveRow(-1);
  }

  void Paeth() {
    for (int i = 0; i < h; ++i) {
      for (int j = 0; j < w; ++j) {
        const int base = AboveRow(j) + LeftCol(i) - AboveRow(-1);
        const int pLeft = std::abs(base - LeftCol(i));
        const int pTop = std::abs(base - AboveRow(j));
        const int pTopLeft = std::abs(base - AboveRow(-1));
        if (pLeft <= pTop && pLeft <= pTopLeft) {
          Set(i, j, LeftCol(i));
        } else {
          Set(i, j, pTop <= pTopLeft ? AboveRow(j) : AboveRow(-1));
        }
      }
    }
  }

  void Recursive(int filter_intra_mode) {
    for (int i2 = 0; i2 < h >> 1; ++i2) {
      for (int j4 = 0; j4 < w >> 2; ++j4) {
        int p[7];
        for (int i = 0; i < 7; ++i) {
          if (i < 5) {
            p[i] = i2 == 0             ? AboveRow((j4 << 2) + i - 1)
                   : j4 == 0 && i == 0 ? LeftCol((i2 << 1) - 1)
                                       : pred[(i2 << 1) - 1][(j4 << 2) + i - 1];
          } else {
            p[i] = j4 == 0 ? LeftCol((i2 << 1) + i - 5)
                           : pred[(i2 << 1) + i - 5][(j4 << 2) - 1];
          }
        }
        for (int i1 = 0; i1 < 2; ++i1) {
          for (int j1 = 0; j1 < 4; ++j1) {
            int pr = 0;
            for (int i = 0; i < 7; ++i) {
              pr +=
                  kFilterIntraTaps[filter_intra_mode][i][(i1 << 2) + j1] * p[i];
            }
            const int rounded = pr < 0 ? -((-pr + 8) >> 4) : (pr + 8) >> 4;
            Set((i2 << 1) + i1, (j4 << 2) + j1, Clip1(rounded));
          }
        }
      }
    }
  }

  void Dc(const SpecBlock& b) {
    int sum = 0;
    int value = 1 << (curr_.bit_depth() - 1);
    for (int k = 0; k < h && b.haveLeft; ++k) sum += LeftCol(k);
    for (int k = 0; k < w && b.haveAbove; ++k) sum += AboveRow(k);
    if (b.haveLeft && b.haveAbove) {
      value = (sum + ((w + h) >> 1)) / (w + h);
    } else if (b.haveLeft) {
      value = Clip1((sum + (h >> 1)) >> b.log2H);
    } else if (b.haveAbove) {
      value = Clip1((sum + (w >> 1)) >> b.log2W);
    }
    for (int i = 0; i < h; ++i) {
      for (int j = 0; j < w; ++j) Set(i, j, value);
    }
  }

  void Smooth(const SpecBlock& b) {
    const uint8_t* smWeightsX = &kSmoothWeights[static_cast<size_t>(w - 4)];
    const uint8_t* smWeightsY = &kSmoothWeights[static_cast<size_t>(h - 4)];
    for (int i = 0; i < h; ++i) {
      for (int j = 0; j < w; ++j) {
        const int down = smWeightsY[i] * AboveRow(j) +
                         (256 - smWeightsY[i]) * LeftCol(h - 1);
        const int across = smWeightsX[j] * LeftCol(i) +
                           (256 - smWeightsX[j]) * AboveRow(w - 1);
        Set(i, j,
            b.mode == kSmoothPred    ? (down + across + 256) >> 9
            : b.mode == kSmoothVPred ? (down + 128) >> 8
                                     : (across + 128) >> 8);
      }
    }
  }

  int Strength(bool filterType, int delta) const {
    const int d = std::abs(delta);
    const int blkWh = w + h;
    int strength = 0;
    if (!filterType) {
      if (blkWh <= 8) {
        if (d >= 56) strength = 1;
      } else if (blkWh <= 12) {
        if (d >= 40) strength = 1;
      } else if (blkWh <= 16) {
        if (d >= 40) strength = 1;
      } else if (blkWh <= 24) {
        if (d >= 8) strength = 1;
        if (d >= 16) strength = 2;
        if (d >= 32) strength = 3;
      } else if (blkWh <= 32) {
        strength = 1;
        if (d >= 4) strength = 2;
        if (d >= 32) strength = 3;
      } else {
        strength = 3;
      }
    } else {
      if (blkWh <= 8) {
        if (d >= 40) strength = 1;
        if (d >= 64) strength = 2;
      } else if (blkWh <= 16) {
        if (d >= 20) strength = 1;
        if (d >= 48) strength = 2;
      } else if (blkWh <= 24) {
        if (d >= 4) strength = 3;
      } else {
        strength = 3;
      }
    }
    return strength;
  }

  bool UseUpsample(bool filterType, int delta) const {
    const int d = std::abs(delta);
    if (d <= 0 || d >= 40) return false;
    return filterType ? w + h <= 8 : w + h <= 16;
  }

  void FilterEdge(Edge& buf, int sz, int strength) {
    static constexpr int kKernel[3][5] = {
        {0, 4, 8, 4, 0}, {0, 5, 6, 5, 0}, {2, 4, 4, 4, 2}};
    if (strength == 0) return;
    std::vector<int> edge(buf + kOrigin - 1, buf + kOrigin - 1 + sz);
    for (int i = 1; i < sz; ++i) {
      int s = 0;
      for (int j = 0; j < 5; ++j) {
        const int k = std::clamp(i - 2 + j, 0, sz - 1);
        s += kKernel[strength - 1][j] * edge[static_cast<size_t>(k)];
      }
      buf[kOrigin + i - 1] = (s + 8) >> 4;
    }
  }

  void UpsampleEdge(Edge& edge, int numPx) {
    int* buf = edge + kOrigin;
    std::vector<int> dup(static_cast<size_t>(numPx + 3));
    dup[0] = buf[-1];
    for (int i = -1; i < numPx; ++i) dup[static_cast<size_t>(i + 2)] = buf[i];
    dup[static_cast<size_t>(numPx + 2)] = buf[numPx - 1];
    buf[-2] = dup[0];
    for (int i = 0; i < numPx; ++i) {
      const int* d = &dup[static_cast<size_t>(i)];
      const int s = -d[0] + 9 * d[1] + 9 * d[2] - d[3];
      buf[2 * i - 1] = Clip1((s + 8) >> 4);
      buf[2 * i] = d[2];
    }
  }

  void Directional(const SpecBlock& b) {
    const int pAngle = kModeAngle[b.mode - 1] + b.angleDelta * 3;
    int upsampleAbove = 0;
    int upsampleLeft = 0;
    if (edge_filter_) {
      if (pAngle != 90 && pAngle != 180) {
        if (pAngle > 90 && pAngle < 180 && w + h >= 24) {
          const int s = LeftCol(0) * 5 + AboveRow(-1) * 6 + AboveRow(0) * 5;
          LeftCol(-1) = AboveRow(-1) = (s + 8) >> 4;
        }
        if (b.haveAbove) {
          FilterEdge(
              above_,
              std::min(w, MaxX(b.plane) - b.x + 1) + (pAngle < 90 ? h : 0) + 1,
              Strength(b.filterType, pAngle - 90));
        }
        if (b.haveLeft) {
          FilterEdge(
              left_,
              std::min(h, MaxY(b.plane) - b.y + 1) + (pAngle > 180 ? w : 0) + 1,
              Strength(b.filterType, pAngle - 180));
        }
      }
      upsampleAbove = UseUpsample(b.filterType, pAngle - 90);
      if (upsampleAbove) UpsampleEdge(above_, w + (pAngle < 90 ? h : 0));
      upsampleLeft = UseUpsample(b.filterType, pAngle - 180);
      if (upsampleLeft) UpsampleEdge(left_, h + (pAngle > 180 ? w : 0));
    }
    if (pAngle == 90 || pAngle == 180) {
      for (int i = 0; i < h; ++i) {
        for (int j = 0; j < w; ++j) {
          Set(i, j, pAngle == 90 ? AboveRow(j) : LeftCol(i));
        }
      }
      return;
    }
    const int dx = pAngle < 90    ? kDirectionStep[pAngle]
                   : pAngle < 180 ? kDirectionStep[180 - pAngle]
                                  : 0;
    const int dy = pAngle > 180  ? kDirectionStep[270 - pAngle]
                   : pAngle > 90 ? kDirectionStep[pAngle - 90]
                                 : 0;
    for (int i = 0; i < h; ++i) {
      for (int j = 0; j < w; ++j) {
        Set(i, j,
            DirectionalSample(pAngle, i, j, dx, dy, upsampleAbove,
                              upsampleLeft));
      }
    }
  }

  int Between(int& first, int& second, int shift) {
    return (first * (32 - shift) + second * shift + 16) >> 5;
  }

  int DirectionalSample(int pAngle, int i, int j, int dx, int dy,
                        int upsampleAbove, int upsampleLeft) {
    if (pAngle < 90) {
      const int idx = (i + 1) * dx;
      const int base = (idx >> (6 - upsampleAbove)) + (j << upsampleAbove);
      const int shift = ((idx << upsampleAbove) >> 1) & 0x1F;
      const int maxBaseX = (w + h - 1) << upsampleAbove;
      return base < maxBaseX
                 ? Between(AboveRow(base), AboveRow(base + 1), shift)
                 : AboveRow(maxBaseX);
    }
    if (pAngle < 180) {
      int idx = (j << 6) - (i + 1) * dx;
      int base = idx >> (6 - upsampleAbove);
      if (base >= -(1 << upsampleAbove)) {
        const int shift = ((idx << upsampleAbove) >> 1) & 0x1F;
        return Between(AboveRow(base), AboveRow(base + 1), shift);
      }
      idx = (i << 6) - (j + 1) * dy;
      base = idx >> (6 - upsampleLeft);
      const int shift = ((idx << upsampleLeft) >> 1) & 0x1F;
      return Between(LeftCol(base), LeftCol(base + 1), shift);
    }
    const int idx = (j + 1) * dy;
    const int base = (idx >> (6 - upsampleLeft)) + (i << upsampleLeft);
    const int shift = ((idx << upsampleLeft) >> 1) & 0x1F;
    return Between(LeftCol(base), LeftCol(base + 1), shift);
  }

  GuardedFrame<Sample>& curr_;
  const int mi_cols_;
  const int mi_rows_;
  const bool edge_filter_;
  int w = 0;
  int h = 0;
  Edge above_;
  Edge left_;
};

}  // namespace perdix::av1

#endif  // PERDIX_TESTS_KERNELS_AV1_SPEC_INTRA_H_
