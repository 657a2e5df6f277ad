// SPDX-License-Identifier: BSD-2-Clause
// 7.16 and 7.17 as written.
#include <algorithm>

#include "kernels/av1/restoration/restoration_block.h"
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
    Filter(plane, PackUnit(s.units[plane][size_t(unitRow)][size_t(unitCol)]), x,
           y, {w, h, s.BitDepth});
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

  void Filter(int plane, const RestorationUnit& unit, int x, int y,
              const RestorationBlock& block) {
    const auto put = [&](int i, int j, int value) {
      LrFrame.planes[plane][size_t(y + i)][size_t(x + j)] = value;
    };
    const auto at = [&](int i, int j) {
      return get_source_sample(plane, x + j, y + i);
    };
    if (unit.type == kWiener) {
      const auto line = [&](int i) {
        return [&, i](int j) { return at(i, j); };
      };
      WienerFilter(block, unit.vertical, unit.horizontal, line, put);
    } else if (unit.type == kSelfGuided) {
      SelfGuidedFilter(block, unit, at, put);
    }
  }

  const SpecState& s;
  const SpecFrame& UpscaledCurrFrame;
  const SpecFrame& UpscaledCdefFrame;
  SpecFrame LrFrame;
  int StripeStartY = 0, StripeEndY = 0, PlaneEndX = 0, PlaneEndY = 0;
};

}  // namespace

RestorationUnit PackUnit(const SpecUnit& unit) {
  RestorationUnit packed = {};
  packed.type = uint32_t(unit.type);
  if (unit.type == kWiener) {
    for (int i = 0; i < 3; ++i) {
      packed.vertical |= (uint32_t(unit.wiener[0][i]) & 0xff) << (8 * i);
      packed.horizontal |= (uint32_t(unit.wiener[1][i]) & 0xff) << (8 * i);
    }
  } else if (unit.type == kSelfGuided) {
    packed.vertical = uint32_t(unit.set);
    packed.weights =
        (uint32_t(unit.xqd[0]) & 0xffff) | (uint32_t(unit.xqd[1]) << 16);
  }
  return packed;
}

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
