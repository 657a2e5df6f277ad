// SPDX-License-Identifier: BSD-2-Clause
#include "engine/read_picture.h"

namespace perdix {

gpu::Picture InGpuMemory(const Picture& picture) {
  const PictureLayout& layout = picture.layout;
  return {picture.view,
          {uint32_t(layout.luma_offset), uint32_t(layout.chroma_offset),
           layout.stride_bytes, layout.chroma_stride_bytes},
          picture.memory.gpu};
}

Status ReadPicture(vulkan::Gpu& gpu, const Picture& picture, PicturePtr* copy) {
  const PictureView& view = picture.view;
  const PicturePtr read =
      NewHeapPicture(picture.layout.max_width, picture.layout.max_height,
                     view.bit_depth, view.subsampling_x, view.subsampling_y);
  read->layout.shift = picture.layout.shift;
  Status status =
      gpu.Read(*picture.memory.gpu, 0, {read->memory.data, read->memory.size});
  if (!status.ok()) return status;
  status = SetView(*read, view.width, view.height, view.bit_depth,
                   view.subsampling_x, view.subsampling_y);
  if (!status.ok()) return status;
  *copy = read;
  return status;
}

}  // namespace perdix
