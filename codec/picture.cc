// SPDX-License-Identifier: BSD-2-Clause
#include "codec/picture.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace perdix {
namespace {

constexpr size_t kRowAlignment = 64;  // bytes
constexpr size_t kHugePage = 2u << 20;
// Larger pictures do without: in a guest whose host takes back free memory,
// zeroing whole huge pages waits for the host longer than their faults save.
constexpr size_t kLargestInHugePages = 8u << 20;

size_t AlignUp(size_t value, size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::string Size(uint32_t width, uint32_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

// Zeroed, and begins with a cache line. A picture of some MiB lies in few pages
// where the kernel takes the hint: it is zeroed with fewer faults, and a TLB
// holds it. Throws std::bad_alloc.
PictureMemory NewHeapMemory(size_t size) {
  const bool large = size >= kHugePage;
  void* const block = large ? std::calloc(kHugePage + size, 1)
                            : std::aligned_alloc(kRowAlignment, size);
  if (block == nullptr) throw std::bad_alloc();
  PictureMemory memory;
  memory.owner = std::shared_ptr<const void>(block, std::free);
  memory.data = static_cast<uint8_t*>(block);
  memory.size = size;
  if (large) {
    memory.data += -reinterpret_cast<uintptr_t>(block) % kHugePage;
    if (size <= kLargestInHugePages) madvise(memory.data, size, MADV_HUGEPAGE);
  } else {
    std::memset(memory.data, 0, size);
  }
  return memory;
}

void PointAtMemory(Picture& picture) {
  uint8_t* const data = picture.memory.data;
  if (data == nullptr) return;
  picture.view.planes[kLuma].data = data + picture.layout.luma_offset;
  picture.view.planes[kChroma].data = data + picture.layout.chroma_offset;
}

}  // namespace

PictureLayout LayOutPicture(uint32_t width, uint32_t height, uint32_t bit_depth,
                            uint32_t subsampling_x, uint32_t subsampling_y,
                            size_t* size) {
  const size_t sample_bytes = bit_depth > 8 ? 2 : 1;
  PictureLayout layout;
  layout.max_width = uint32_t(AlignUp(width, 8));
  layout.max_height = uint32_t(AlignUp(height, 8));
  layout.stride_bytes =
      uint32_t(AlignUp(layout.max_width * sample_bytes, kRowAlignment));
  layout.chroma_stride_bytes = uint32_t(AlignUp(
      (layout.max_width >> subsampling_x) * 2 * sample_bytes, kRowAlignment));
  layout.chroma_offset = size_t{layout.stride_bytes} * layout.max_height;
  *size = layout.chroma_offset + size_t{layout.chroma_stride_bytes} *
                                     (layout.max_height >> subsampling_y);
  return layout;
}

PicturePtr NewHeapPicture(uint32_t width, uint32_t height, uint32_t bit_depth,
                          uint32_t subsampling_x, uint32_t subsampling_y) {
  auto picture = std::make_shared<Picture>();
  size_t size = 0;
  picture->layout = LayOutPicture(width, height, bit_depth, subsampling_x,
                                  subsampling_y, &size);
  picture->memory = NewHeapMemory(size);
  return picture;
}

Status SetView(Picture& picture, uint32_t width, uint32_t height,
               uint32_t bit_depth, uint32_t subsampling_x,
               uint32_t subsampling_y) {
  const PictureLayout& layout = picture.layout;
  const size_t sample_bytes = bit_depth > 8 ? 2 : 1;
  const size_t padded_width = AlignUp(width, 8);
  const size_t padded_height = AlignUp(height, 8);
  if (padded_width > layout.max_width || padded_height > layout.max_height) {
    return {StatusCode::kInvalidArgument,
            "frame size " + Size(width, height) +
                " does not fit the target of " +
                Size(layout.max_width, layout.max_height)};
  }
  const size_t chroma_row = (padded_width >> subsampling_x) * 2 * sample_bytes;
  const size_t chroma_rows = padded_height >> subsampling_y;
  const size_t luma_end =
      layout.luma_offset + padded_height * layout.stride_bytes;
  const size_t chroma_end =
      layout.chroma_offset + chroma_rows * layout.chroma_stride_bytes;
  if (layout.stride_bytes < padded_width * sample_bytes ||
      layout.chroma_stride_bytes < chroma_row ||
      luma_end > picture.memory.size || chroma_end > picture.memory.size) {
    return {StatusCode::kInvalidArgument,
            "target memory has " + std::to_string(picture.memory.size) +
                " bytes, a frame of " + Size(width, height) + " needs " +
                std::to_string(luma_end > chroma_end ? luma_end : chroma_end)};
  }

  PictureView& view = picture.view;
  view.planes[kLuma] = {nullptr, layout.stride_bytes, width, height};
  view.planes[kChroma] = {nullptr, layout.chroma_stride_bytes,
                          (width + subsampling_x) >> subsampling_x,
                          (height + subsampling_y) >> subsampling_y};
  PointAtMemory(picture);
  view.width = width;
  view.height = height;
  view.bit_depth = bit_depth;
  view.shift = bit_depth > 8 ? layout.shift : 0;
  view.subsampling_x = subsampling_x;
  view.subsampling_y = subsampling_y;
  return Status::Ok();
}

void TakeMemory(Picture& picture) {
  if (!picture.take_memory) return;
  picture.memory = picture.take_memory();
  PointAtMemory(picture);
}

}  // namespace perdix
