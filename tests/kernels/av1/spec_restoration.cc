// SPDX-License-Identifier: BSD-2-Clause
// 7.16 and 7.17 as written.
#include <algorithm>
#include <array>

#include "kernels/av1/super_res/upscale_filter.h"
#include "tests/kernels/av1/spec_filters.h"

namespace perdix::av1 {
namespace {

int64_t Round2(int64_t x, int n) {
  return n == 0 ? x : (x + (int64_t{1} << (n - 1))) >> n;
}
int Clip3(int low, int high, int value) {
  return value < low ? low : (value > high ? high : value);
}

constexpr int Sgr_Params[16][4] = {
    {2, 12, 1, 4},  {2, 15, 1, 6},  {2, 18, 1, 8},  {2, 21, 1, 9},
    {2, 24, 1, 10}, {2, 29, 1, 11}, {2, 36, 1, 12}, {2, 45, 1, 13},
    {2, 56, 1, 14}, {2, 68, 1, 15}, {0, 0, 1, 5},   {0, 0, 1, 8},
    {0, 0, 1, 11},  {0, 0, 1, 14},  {2, 30, 0, 0},  {2, 75, 0, 0}};

class Restoration {
 public:
  Restoration(const SpecState& state, const SpecFrame& curr,
              const SpecFrame& cdef)
      : s(state),
        UpscaledCurrFrame(curr),
        UpscaledCdefFrame(cdef),
        LrFrame(cdef) {}

  SpecFrame Run() {
    for (int y = 0; y < s.FrameHeight; y += 4) {
      for (int x = 0; x < s.UpscaledWidth; x += 4) {
        for (int plane = 0; plane < s.NumPlanes; plane++) {
          if (s.FrameRestorationType[plane] != 0) Block(plane, y >> 2, x >> 2);
        }
      }
    }
    return LrFrame;
  }

 private:
  void Block(int plane, int row, int col) {
    const int lumaY = row * 4;
    const int stripeNum = (lumaY + 8) / 64;
    const int subX = plane == 0 ? 0 : s.subsampling_x;
    const int subY = plane == 0 ? 0 : s.subsampling_y;
    StripeStartY = (-8 + stripeNum * 64) >> subY;
    StripeEndY = StripeStartY + (64 >> subY) - 1;
    const int unitSize = s.LoopRestorationSize[plane];
    const int unitRows =
        SpecUnitsInFrame(unitSize, int(Round2(s.FrameHeight, subY)));
    const int unitCols =
        SpecUnitsInFrame(unitSize, int(Round2(s.UpscaledWidth, subX)));
    const int unitRow =
        std::min(unitRows - 1, ((row * 4 + 8) >> subY) / unitSize);
    const int unitCol = std::min(unitCols - 1, ((col * 4) >> subX) / unitSize);
    PlaneEndX = int(Round2(s.UpscaledWidth, subX)) - 1;
    PlaneEndY = int(Round2(s.FrameHeight, subY)) - 1;
    const int x = (col * 4) >> subX;
    const int y = (row * 4) >> subY;
    const int w = std::min(4 >> subX, PlaneEndX - x + 1);
    const int h = std::min(4 >> subY, PlaneEndY - y + 1);
    const SpecUnit& unit = s.units[plane][size_t(unitRow)][size_t(unitCol)];
    if (unit.type == 1) Wiener(plane, unit, x, y, w, h);
    if (unit.type == 2) SelfGuided(plane, unit, x, y, w, h);
  }

  int get_source_sample(int plane, int x, int y) const {
    x = std::min(PlaneEndX, x);
    x = std::max(0, x);
    y = std::min(PlaneEndY, y);
    y = std::max(0, y);
    if (y < StripeStartY) {
      y = std::max(StripeStartY - 2, y);
      return UpscaledCurrFrame.planes[plane][size_t(y)][size_t(x)];
    }
    if (y > StripeEndY) {
      y = std::min(StripeEndY + 2, y);
      return UpscaledCurrFrame.planes[plane][size_t(y)][size_t(x)];
    }
    return UpscaledCdefFrame.planes[plane][size_t(y)][size_t(x)];
  }

  static std::array<int, 7> WienerCoefficients(const int* coeff) {
    std::array<int, 7> filter;
    filter[3] = 128;
    for (size_t i = 0; i < 3; i++) {
      const int c = coeff[i];
      filter[i] = c;
      filter[6 - i] = c;
      filter[3] -= 2 * c;
    }
    return filter;
  }

  void Wiener(int plane, const SpecUnit& unit, int x, int y, int w, int h) {
    const int InterRound0 = s.BitDepth == 12 ? 5 : 3;
    const int InterRound1 = s.BitDepth == 12 ? 9 : 11;
    const std::array<int, 7> vfilter = WienerCoefficients(unit.wiener[0]);
    const std::array<int, 7> hfilter = WienerCoefficients(unit.wiener[1]);
    const int offset = 1 << (s.BitDepth + 7 - InterRound0 - 1);
    const int limit = (1 << (s.BitDepth + 1 + 7 - InterRound0)) - 1;
    int intermediate[10][4];
    for (int r = 0; r < h + 6; r++) {
      for (int c = 0; c < w; c++) {
        int sum = 0;
        for (int t = 0; t < 7; t++) {
          sum += hfilter[size_t(t)] *
                 get_source_sample(plane, x + c + t - 3, y + r - 3);
        }
        const int v = int(Round2(sum, InterRound0));
        intermediate[r][c] = Clip3(-offset, limit - offset, v);
      }
    }
    for (int r = 0; r < h; r++) {
      for (int c = 0; c < w; c++) {
        int sum = 0;
        for (int t = 0; t < 7; t++)
          sum += vfilter[size_t(t)] * intermediate[r + t][c];
        const int v = int(Round2(sum, InterRound1));
        LrFrame.planes[plane][size_t(y + r)][size_t(x + c)] =
            Clip3(0, (1 << s.BitDepth) - 1, v);
      }
    }
  }

  void SelfGuided(int plane, const SpecUnit& unit, int x, int y, int w, int h) {
    int flt0[4][4] = {};
    int flt1[4][4] = {};
    Box(plane, x, y, w, h, unit.set, 0, flt0);
    Box(plane, x, y, w, h, unit.set, 1, flt1);
    const int w0 = unit.xqd[0];
    const int w1 = unit.xqd[1];
    const int w2 = (1 << 7) - w0 - w1;
    const int r0 = Sgr_Params[unit.set][0];
    const int r1 = Sgr_Params[unit.set][2];
    for (int i = 0; i < h; i++) {
      for (int j = 0; j < w; j++) {
        const int u =
            UpscaledCdefFrame.planes[plane][size_t(y + i)][size_t(x + j)] << 4;
        int v = w1 * u;
        v += w0 * (r0 ? flt0[i][j] : u);
        v += w2 * (r1 ? flt1[i][j] : u);
        LrFrame.planes[plane][size_t(y + i)][size_t(x + j)] =
            Clip3(0, (1 << s.BitDepth) - 1, int(Round2(v, 4 + 7)));
      }
    }
  }

  void Box(int plane, int x, int y, int w, int h, int set, int pass,
           int (&F)[4][4]) {
    const int r = Sgr_Params[set][pass * 2 + 0];
    if (r == 0) return;
    const int eps = Sgr_Params[set][pass * 2 + 1];
    int64_t A[6][6];
    int64_t B[6][6];
    const int n = (2 * r + 1) * (2 * r + 1);
    const int n2e = n * n * eps;
    const int scale = ((1 << 20) + n2e / 2) / n2e;
    for (int i = -1; i < h + 1; i++) {
      for (int j = -1; j < w + 1; j++) {
        int64_t a = 0;
        int64_t b = 0;
        for (int dy = -r; dy <= r; dy++) {
          for (int dx = -r; dx <= r; dx++) {
            const int64_t c = get_source_sample(plane, x + j + dx, y + i + dy);
            a += c * c;
            b += c;
          }
        }
        a = Round2(a, 2 * (s.BitDepth - 8));
        const int64_t d = Round2(b, s.BitDepth - 8);
        const int64_t p = std::max<int64_t>(0, a * n - d * d);
        const int64_t z = Round2(p * scale, 20);
        int64_t a2 = ((z << 8) + (z / 2)) / (z + 1);
        if (z >= 255)
          a2 = 256;
        else if (z == 0)
          a2 = 1;
        const int64_t oneOverN = ((1 << 12) + (n / 2)) / n;
        const int64_t b2 = ((1 << 8) - a2) * b * oneOverN;
        A[i + 1][j + 1] = a2;
        B[i + 1][j + 1] = Round2(b2, 12);
      }
    }
    for (int i = 0; i < h; i++) {
      const int shift = pass == 0 && (i & 1) ? 4 : 5;
      for (int j = 0; j < w; j++) {
        int64_t a = 0;
        int64_t b = 0;
        for (int dy = -1; dy <= 1; dy++) {
          for (int dx = -1; dx <= 1; dx++) {
            int weight;
            if (pass == 0) {
              weight = (i + dy) & 1 ? (dx == 0 ? 6 : 5) : 0;
            } else {
              weight = dx == 0 || dy == 0 ? 4 : 3;
            }
            a += weight * A[i + dy + 1][j + dx + 1];
            b += weight * B[i + dy + 1][j + dx + 1];
          }
        }
        const int64_t v =
            a * UpscaledCdefFrame.planes[plane][size_t(y + i)][size_t(x + j)] +
            b;
        F[i][j] = int(Round2(v, 8 + shift - 4));
      }
    }
  }

  const SpecState& s;
  const SpecFrame& UpscaledCurrFrame;
  const SpecFrame& UpscaledCdefFrame;
  SpecFrame LrFrame;
  int StripeStartY = 0, StripeEndY = 0, PlaneEndX = 0, PlaneEndY = 0;
};

}  // namespace

int SpecUnitsInFrame(int unit_size, int frame_size) {
  return std::max((frame_size + (unit_size >> 1)) / unit_size, 1);
}

SpecFrame SpecUpscale(const SpecState& s, const SpecFrame& frame) {
  SpecFrame outputFrame;
  for (int plane = 0; plane < s.NumPlanes; plane++) {
    const int subX = plane > 0 ? s.subsampling_x : 0;
    const int subY = plane > 0 ? s.subsampling_y : 0;
    const int downscaledPlaneW = int(Round2(s.FrameWidth, subX));
    const int upscaledPlaneW = int(Round2(s.UpscaledWidth, subX));
    const int planeH = int(Round2(s.FrameHeight, subY));
    const int stepX =
        ((downscaledPlaneW << 14) + (upscaledPlaneW / 2)) / upscaledPlaneW;
    const int err = upscaledPlaneW * stepX - (downscaledPlaneW << 14);
    int initialSubpelX = (-((upscaledPlaneW - downscaledPlaneW) << (14 - 1)) +
                          upscaledPlaneW / 2) /
                             upscaledPlaneW +
                         (1 << (8 - 1)) - err / 2;
    initialSubpelX &= (1 << 14) - 1;
    const int miW = s.MiCols >> subX;
    const int maxX = miW * 4 - 1;
    outputFrame.planes[plane] = frame.planes[plane];
    for (int y = 0; y < planeH; y++) {
      std::vector<int>& line = outputFrame.planes[plane][size_t(y)];
      line.assign(size_t(upscaledPlaneW), 0);
      for (int x = 0; x < upscaledPlaneW; x++) {
        const int srcX = -(1 << 14) + initialSubpelX + x * stepX;
        const int srcXPx = srcX >> 14;
        const int srcXSubpel = (srcX & ((1 << 14) - 1)) >> 8;
        int sum = 0;
        for (int k = 0; k < 8; k++) {
          const int sampleX = Clip3(0, maxX, srcXPx + (k - 3));
          sum += frame.planes[plane][size_t(y)][size_t(sampleX)] *
                 kUpscaleFilter[srcXSubpel][k];
        }
        line[size_t(x)] = Clip3(0, (1 << s.BitDepth) - 1, int(Round2(sum, 7)));
      }
    }
  }
  return outputFrame;
}

SpecFrame SpecRestore(const SpecState& state, const SpecFrame& curr,
                      const SpecFrame& cdef) {
  return Restoration(state, curr, cdef).Run();
}

}  // namespace perdix::av1
