// SPDX-License-Identifier: BSD-2-Clause
// In which order the records of a list may be worked off where some read what
// others write: in waves, of which each reads only what earlier ones wrote.
#ifndef PERDIX_KERNELS_GPU_WAVE_GRID_H_
#define PERDIX_KERNELS_GPU_WAVE_GRID_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/plane.h"
#include "kernels/shared/frame_params.h"

namespace perdix::gpu {

// A part of a plane, in cells of 4x4 pixels. What lies outside the plane does
// not count.
struct CellArea {
  uint32_t plane;  // PlaneIndex
  int x;
  int y;
  int width;
  int height;
};

// The wave after which each cell of the planes is final; 0: from the start.
class WaveGrid {
 public:
  // Cells of the frame's decoded area. All must be 0, or the size changes.
  void Resize(const FrameParams& params);

  // The wave of a record that reads and writes such areas: the first one after
  // all cells that it reads are final. Records come in decoding order, and one
  // that writes cells again reads them.
  uint32_t Place(std::span<const CellArea> read, const CellArea& written);

  // The area's cells become 0 again.
  void Clear(const CellArea& written);

 private:
  struct Plane {
    int width = 0;
    int height = 0;
    std::vector<uint32_t> waves;
  };

  template <typename Visit>
  void ForEach(const CellArea& area, const Visit& visit);

  std::array<Plane, kPlaneCount> planes_;
};

}  // namespace perdix::gpu

#endif  // PERDIX_KERNELS_GPU_WAVE_GRID_H_
