// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/private_pictures.h"

#include <new>
#include <string>
#include <utility>

namespace perdix {

struct PrivatePictures::Block {
  Block(PicturePtr heap_picture, uint64_t size, const PrivateFormat& of,
        std::shared_ptr<Quota> taken_from, std::atomic<uint64_t>& bytes_in_all)
      : picture(std::move(heap_picture)),
        bytes(size),
        format(of),
        memory(std::move(taken_from)),
        all(bytes_in_all) {
    all += bytes;
  }
  ~Block() {
    all -= bytes;
    memory->Return(bytes);
  }

  const PicturePtr picture;
  const uint64_t bytes;
  const PrivateFormat format;
  const std::shared_ptr<Quota> memory;
  std::atomic<uint64_t>& all;
};

Status PrivatePictures::Take(const PrivateFormat& format, PicturePtr* picture) {
  BlockPtr block;
  std::vector<BlockPtr> others;  // freed without the lock
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty() && free_.back()->format != format) others.swap(free_);
    if (!free_.empty()) {
      block = std::move(free_.back());
      free_.pop_back();
    }
  }
  others.clear();
  if (!block) {
    const Status status = NewBlock(format, &block);
    if (!status.ok()) return status;
  }
  const Picture& heap = *block->picture;
  auto taken = std::make_shared<Picture>();
  taken->layout = heap.layout;
  taken->memory.data = heap.memory.data;
  taken->memory.size = heap.memory.size;
  taken->memory.owner = std::shared_ptr<const void>(
      block.get(),
      [self = shared_from_this(), block](const void*) { self->Give(block); });
  *picture = std::move(taken);
  return Status::Ok();
}

Status PrivatePictures::NewBlock(const PrivateFormat& format, BlockPtr* block) {
  size_t bytes = 0;
  LayOutPicture(format.width, format.height, format.bit_depth,
                format.subsampling_x, format.subsampling_y, &bytes);
  const auto failed = [&](const char* why) {
    return Status(StatusCode::kOutOfMemory,
                  "a picture of " + std::to_string(bytes) +
                      " bytes beside the client's: " + why);
  };
  if (!memory_->Take(bytes))
    return failed("more than client-memory in perdixd.conf allows");
  try {
    *block = std::make_shared<Block>(
        NewHeapPicture(format.width, format.height, format.bit_depth,
                       format.subsampling_x, format.subsampling_y),
        bytes, format, memory_, bytes_);
  } catch (const std::bad_alloc&) {
    memory_->Return(bytes);
    return failed("no memory");
  }
  return Status::Ok();
}

void PrivatePictures::Give(BlockPtr block) {
  const std::lock_guard lock(mutex_);
  if (free_.empty() || free_.back()->format == block->format)
    free_.push_back(std::move(block));
}

void PrivatePictures::Shrink() {
  BlockPtr block;
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return;
  block = std::move(free_.back());
  free_.pop_back();
}

uint64_t PrivatePictures::bytes() const { return bytes_; }

}  // namespace perdix
