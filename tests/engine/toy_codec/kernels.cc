// SPDX-License-Identifier: BSD-2-Clause
#include "tests/engine/toy_codec/kernels.h"

#include <algorithm>

#include "kernels/decoded_area.h"

namespace perdix {
namespace toy {
namespace {

// One plane as bytes. U and V lie side by side: a row of chroma has as many
// bytes as one of luma, and x counts them in both.
struct Bytes {
  Bytes(const KernelArgs& args, const PictureView& view, uint32_t plane_index)
      : plane(view.planes[plane_index]),
        shift(plane_index),
        step(1 + int(plane_index)),
        width(int(DecodedSize(args.params->width))),
        height(PlaneDecodedArea(*args.params, plane_index).height) {}

  uint8_t& At(int x, int y) const { return plane.Row<uint8_t>(uint32_t(y))[x]; }
  // <otherwise> beyond the frame.
  uint8_t Get(int x, int y, uint8_t otherwise) const {
    const bool inside = x >= 0 && y >= 0 && x < width && y < height;
    return inside ? At(x, y) : otherwise;
  }

  const Plane& plane;
  uint32_t shift;  // of luma lines
  int step;        // bytes of a pixel
  int width;       // bytes
  int height;      // lines
};

// Bytes and lines of a plane.
struct Area {
  int x, y, end_x, end_y;
};

Area AreaOf(const Bytes& bytes, int x, int y, int width, int height) {
  return {x, y >> bytes.shift, std::min(x + width, bytes.width),
          std::min((y + height) >> bytes.shift, bytes.height)};
}

template <typename Visit>
void ForEach(const Area& area, const Visit& visit) {
  for (int y = area.y; y < area.end_y; ++y) {
    for (int x = area.x; x < area.end_x; ++x) visit(x, y);
  }
}

// Calls visit(bytes of the target, area, row, superblock) for both planes of
// each superblock.
template <typename Visit>
void ForEachSuperblock(const KernelArgs& args, Range items,
                       const Visit& visit) {
  for (uint32_t sb = items.begin; sb < items.end; ++sb) {
    const uint32_t row = sb / args.params->sb_cols;
    const uint32_t column = sb % args.params->sb_cols;
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      const Bytes bytes(args, args.target, plane);
      visit(bytes,
            AreaOf(bytes, int(column * kSbSize), int(row * kSbSize), kSbSize,
                   kSbSize),
            row, sb);
    }
  }
}

void Copy(const KernelArgs& args, Range items) {
  for (uint32_t i = items.begin; i < items.end; ++i) {
    const CopyBlock& block = args.lists.Of(kCopies)[i];
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      const Bytes to(args, args.target, plane);
      const Plane& from = args.references[block.reference].planes[plane];
      ForEach(AreaOf(to, block.x, block.y, block.size, block.size), [&](int x,
                                                                        int y) {
        const int pixel =
            std::clamp((x + block.mv_x) >> plane, 0, int(from.width) - 1);
        const int line =
            std::clamp(y + (block.mv_y >> plane), 0, int(from.height) - 1);
        to.At(x, y) =
            from.Row<uint8_t>(uint32_t(line))[pixel * to.step + x % to.step];
      });
    }
  }
}

// Above right only from the superblock row above, and only within the tile:
// what lies there in this row may not be decoded yet.
void Fill(const KernelArgs& args, Range items) {
  const int tile_begin = int(args.lists.columns.begin * kSbSize);
  const int tile_end = int(args.lists.columns.end * kSbSize);
  for (uint32_t i = items.begin; i < items.end; ++i) {
    const FillBlock& block = args.lists.Of(kFills)[i];
    const bool tops_row = block.y % kSbSize == 0;
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      const Bytes to(args, args.target, plane);
      const Area area = AreaOf(to, block.x, block.y, block.size, block.size);
      ForEach(area, [&](int x, int y) {
        const int left = area.x - to.step;
        const int right = x + block.size;
        const uint8_t above = to.Get(x, area.y - 1, 1);
        to.At(x, y) = uint8_t(block.value + x * y + 3 * above +
                              (left < tile_begin ? 2 : to.At(left, y)) +
                              5 * (tops_row && right < tile_end
                                       ? to.Get(right, area.y - 1, 3)
                                       : above));
      });
    }
  }
}

// Across the left and the upper edge of a superblock; then saves the line above
// it, which no other edge changes.
void Edges(const KernelArgs& args, Range items) {
  const auto saved = args.tables.Of(kBufferedLines);
  ForEachSuperblock(
      args, items,
      [&](const Bytes& bytes, const Area& area, uint32_t row, uint32_t sb) {
        const uint8_t strength = args.tables.Of(kStrengths)[sb];
        const auto blend = [&](uint8_t& a, uint8_t& b) {
          const uint8_t sum = uint8_t((a + b + strength) / 2);
          a = uint8_t((a + sum) / 2);
          b = uint8_t((b + sum) / 2);
        };
        const int lines = int(kEdgeLines >> bytes.shift);
        if (area.x > 0) {
          ForEach({0, area.y, lines * bytes.step, area.end_y},
                  [&](int x, int y) {
                    blend(bytes.At(area.x - bytes.step - x, y),
                          bytes.At(area.x + x, y));
                  });
        }
        if (area.y == 0) return;
        ForEach({area.x, 0, area.end_x, lines}, [&](int x, int y) {
          blend(bytes.At(x, area.y - 1 - y), bytes.At(x, area.y + y));
        });
        for (int x = area.x; x < area.end_x; ++x) {
          saved[(row * kPlaneCount + bytes.shift) * size_t(bytes.width) +
                size_t(x)] = bytes.At(x, area.y - 1);
        }
      });
}

// Between the lines above and below as they were: the one above the row, which
// is smooth already, was saved.
void Smooth(const KernelArgs& args, Range items) {
  const auto saved = args.tables.Of(kBufferedLines);
  ForEachSuperblock(
      args, items,
      [&](const Bytes& bytes, const Area& area, uint32_t row, uint32_t) {
        for (int x = area.x; x < area.end_x; ++x) {
          const size_t line = row * kPlaneCount + bytes.shift;
          uint8_t above = row == 0
                              ? uint8_t{0}
                              : saved[line * size_t(bytes.width) + size_t(x)];
          for (int y = area.y; y < area.end_y; ++y) {
            const uint8_t here = bytes.At(x, y);
            bytes.At(x, y) =
                uint8_t((above + 2 * here + bytes.Get(x, y + 1, here) + 1) / 4);
            above = here;
          }
        }
      });
}

// In raster order: left, above and above right are sharp, right and below are
// not.
void Sharpen(const KernelArgs& args, Range items) {
  ForEachSuperblock(
      args, items,
      [&](const Bytes& bytes, const Area& area, uint32_t row, uint32_t) {
        const uint32_t sum = args.tables.Of(kRowSums)[row];
        ForEach(area, [&](int x, int y) {
          const uint8_t here = bytes.At(x, y);
          const auto near = [&](int pixels, int lines) {
            return bytes.Get(x + pixels * bytes.step, y + lines, here);
          };
          bytes.At(x, y) = uint8_t(
              sum + here + ((near(-1, 0) ^ near(0, -1) ^ near(1, -1)) & 7) +
              ((near(1, 0) ^ near(0, 1)) & 3));
        });
      });
}

// A few lines behind: those that the next row's sharpening reads are not
// touched.
void Publish(const KernelArgs& args, Range items) {
  ForEachSuperblock(
      args, items,
      [&](const Bytes& bytes, const Area& area, uint32_t row, uint32_t) {
        Area behind = area;
        const int lag = int(kPublishLag >> bytes.shift);
        if (row > 0) behind.y -= lag;
        if (row + 1 < args.params->sb_rows) behind.end_y -= lag;
        ForEach(behind, [&](int x, int y) {
          bytes.At(x, y) ^=
              uint8_t(args.codec->As<Params>().seed + uint32_t(y));
        });
      });
}

void Output(const KernelArgs& args, Range items) {
  ForEachSuperblock(
      args, items,
      [&](const Bytes& bytes, const Area& area, uint32_t, uint32_t) {
        const Bytes display(args, args.display, bytes.shift);
        const int seed = int(args.codec->As<Params>().seed & 31);
        ForEach(area, [&](int x, int y) {
          display.At(x, y) =
              uint8_t(bytes.At(x, y) + ((7 * x + 13 * y + seed) & 31));
        });
      });
}

}  // namespace
}  // namespace toy

std::span<const KernelRow> KernelTable() {
  using enum ItemOrder;
  static constexpr KernelRow kTable[] = {
      {.name = "ToyCopy",
       .key = "toy_copy",
       .cpu = {{toy::Copy}},
       .list = toy::kCopies.index,
       .order = kAny},
      {.name = "ToyFill",
       .key = "toy_fill",
       .cpu = {{toy::Fill}},
       .list = toy::kFills.index,
       .order = kDecoding},
      {.name = "ToyEdges",
       .key = "toy_edges",
       .cpu = {{toy::Edges}},
       .list = kSuperblocks,
       .order = kDecoding},
      {.name = "ToySmooth",
       .key = "toy_smooth",
       .cpu = {{toy::Smooth}},
       .list = kSuperblocks,
       .order = kDecoding},
      {.name = "ToySharpen",
       .key = "toy_sharpen",
       .cpu = {{toy::Sharpen}},
       .list = kSuperblocks,
       .order = kDecoding},
      {.name = "ToyPublish",
       .key = "toy_publish",
       .cpu = {{toy::Publish}},
       .list = kSuperblocks,
       .order = kAny},
      {.name = "ToyOutput",
       .key = "toy_output",
       .cpu = {{toy::Output}},
       .list = kSuperblocks,
       .order = kAny,
       .picture = WrittenPicture::kDisplay},
  };
  return kTable;
}

}  // namespace perdix
