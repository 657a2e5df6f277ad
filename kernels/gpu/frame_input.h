// SPDX-License-Identifier: BSD-2-Clause
// What the GPU's stages of a frame work on: the CPU's FrameArgs, with pictures
// that lie in the GPU's memory. No Vulkan type appears here.
#ifndef PERDIX_KERNELS_GPU_FRAME_INPUT_H_
#define PERDIX_KERNELS_GPU_FRAME_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/kernel.h"
#include "kernels/shared/dispatch.h"

namespace perdix::gpu {

// Memory that shaders read and write. Freed with its last owner.
class Memory {
 public:
  virtual ~Memory() = default;
  // What the CPU may read and write in bulk while no submitted frame uses it;
  // null for memory of the device, and for imported memory, whose owner has
  // mapped it.
  virtual uint8_t* data() const = 0;
  virtual size_t size() const = 0;
  // Whether the CPU reads data() through its caches, not far slower.
  virtual bool cached() const { return true; }
};
using MemoryPtr = std::shared_ptr<Memory>;

// A picture, and the memory its planes lie in.
struct Picture {
  PictureView view;      // pointers and strides are not read
  PlaneOffsets offsets;  // in memory; see PlaneOffsets for alignment
  MemoryPtr memory;      // null: no picture
};

// Which picture of a frame.
enum class PictureId : uint8_t {
  kTarget,
  kDisplay,
  kPrevious,
  kReference0,  // from here on the references
};
constexpr PictureId ReferenceId(uint32_t index) {
  return static_cast<PictureId>(uint32_t(PictureId::kReference0) + index);
}

struct FrameInput : FrameArgs<Picture> {
  std::span<const WorkLists> tiles;  // complete; spans hold what was written
  // After the last stage, of the target: LumaSums, whose level fits a sample,
  // and whose other picture is <previous>, of the same size, bit depth and
  // shift; may be null.
  bool sums_luma = false;
  uint32_t dark_level = 0;
  Picture previous;
  bool checksums = false;  // after each stage, of the picture that it wrote
  bool begun = false;      // tell when the first stage began

  const Picture& Of(PictureId id) const {
    switch (id) {
      case PictureId::kTarget:
        return target;
      case PictureId::kDisplay:
        return display;
      case PictureId::kPrevious:
        return previous;
      default:
        return references[uint32_t(id) - uint32_t(PictureId::kReference0)];
    }
  }
};

}  // namespace perdix::gpu

#endif  // PERDIX_KERNELS_GPU_FRAME_INPUT_H_
