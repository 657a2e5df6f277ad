// SPDX-License-Identifier: BSD-2-Clause
// A picture: the pixels of one coded frame, where they live, and whether they
// can be trusted. Created for each decoded frame; the memory behind it may be
// an imported DMA-BUF that many pictures use one after the other.
#ifndef PERDIX_CODEC_PICTURE_H_
#define PERDIX_CODEC_PICTURE_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "kernels/luma_sums.h"
#include "kernels/plane.h"
#include "kernels/status.h"

namespace perdix {

namespace gpu {
class Memory;
}  // namespace gpu

// Linear memory a picture can lie in. The bytes live as long as owner.
struct PictureMemory {
  std::shared_ptr<const void> owner;
  uint8_t* data = nullptr;  // null: only the GPU reaches it
  size_t size = 0;
  std::shared_ptr<perdix::gpu::Memory> gpu;  // the same bytes; null: none
};

// Where the two planes lie in a PictureMemory, in bytes.
struct PictureLayout {
  size_t luma_offset = 0;
  size_t chroma_offset = 0;
  uint32_t stride_bytes = 0;         // luma
  uint32_t chroma_stride_bytes = 0;  // of rows of U, V pairs
  uint32_t max_width = 0;   // luma samples there is room for, multiple of 8
  uint32_t max_height = 0;  // lines there is room for, multiple of 8
  uint32_t shift = 0;       // of samples of more than 8 bit: PictureView::shift
};

// What was seen of the luma of a picture that was shown, without film grain.
struct SeenLuma {
  LumaSums sums;
  bool compared = false;  // the difference is to the picture shown before
};

struct Picture {
  PictureMemory memory;
  PictureLayout layout;
  PictureView view;  // set by the decoder when the frame is accepted
  // Null: the memory is there, and may be written while the frame before, which
  // neither reads nor writes it, is being decoded. Otherwise the decoder calls
  // it, once, from any thread, when the first pixel is about to be written: of
  // the frames before, the last one at most is not done. Returns memory of
  // memory.size bytes that the CPU reaches and no other picture has; throws
  // std::bad_alloc. It must not call the decoder.
  std::function<PictureMemory()> take_memory;
  // What the codec keeps with the picture for frames that refer to it (such as
  // probabilities, motion vectors, segment ids), of a type that it alone knows.
  // Set by its state before done(), read by its state only; goes with the
  // picture.
  std::shared_ptr<const void> codec_data;
  // Set by the decoder before done(), where luma is watched
  // (EngineOptions::watch) and the frame is shown.
  std::optional<SeenLuma> seen;
  // Set by the decoder before done() when the frame failed: nothing may be
  // predicted from it.
  std::atomic<bool> broken{false};
  // Set instead when the frame is decoded, but not as it was coded. What is
  // predicted from it is damaged, too.
  std::atomic<bool> damaged{false};
  // The GPU was told to write it, and the CPU has begun no access since.
  std::atomic<bool> gpu_wrote{false};
};

using PicturePtr = std::shared_ptr<Picture>;

// Also true of a picture whose memory is still to be taken.
inline bool CpuReaches(const Picture& picture) {
  return picture.take_memory || picture.memory.data != nullptr;
}
inline bool GpuReaches(const Picture& picture) {
  return !picture.take_memory && picture.memory.gpu != nullptr;
}

// A layout with room for width x height (rounded up to 8; rows aligned to 64
// bytes), and the bytes it takes. bit_depth above 8 takes two bytes a sample.
PictureLayout LayOutPicture(uint32_t width, uint32_t height, uint32_t bit_depth,
                            uint32_t subsampling_x, uint32_t subsampling_y,
                            size_t* size);

// A picture on the heap with that layout, zeroed.
PicturePtr NewHeapPicture(uint32_t width, uint32_t height, uint32_t bit_depth,
                          uint32_t subsampling_x, uint32_t subsampling_y);

// Points picture->view at width x height in its memory, if that is there. Fails
// when the layout has no room or does not lie inside the memory.
Status SetView(Picture& picture, uint32_t width, uint32_t height,
               uint32_t bit_depth, uint32_t subsampling_x,
               uint32_t subsampling_y);

// Calls picture.take_memory, if there is one, and points the view there. Throws
// std::bad_alloc.
void TakeMemory(Picture& picture);

}  // namespace perdix

#endif  // PERDIX_CODEC_PICTURE_H_
