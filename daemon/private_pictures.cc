// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/private_pictures.h"

#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace perdix {
namespace {

// Zeroed, as memory of the GPU may hold what another client has decoded.
PicturePtr NewPicture(Engine& engine, const PrivateFormat& format) {
  PicturePtr picture = engine.NewPicture(
      *format.codec, format.width, format.height, format.bit_depth,
      format.subsampling_x, format.subsampling_y, true);
  if (picture->memory.gpu != nullptr)
    memset(picture->memory.data, 0, picture->memory.size);
  return picture;
}

}  // namespace

struct PrivatePictures::Block {
  Block(PicturePtr new_picture, uint64_t size, const Kind& of,
        std::shared_ptr<Quota> taken_from, std::atomic<uint64_t>& bytes_in_all)
      : picture(std::move(new_picture)),
        bytes(size),
        kind(of),
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
  const Kind kind;
  const std::shared_ptr<Quota> memory;
  std::atomic<uint64_t>& all;
};

Status PrivatePictures::Take(const PrivateFormat& format, PicturePtr* picture) {
  const Kind kind = {
      format, engine_.GpuIsFor(*format.codec, format.bit_depth,
                               format.subsampling_x, format.subsampling_y)};
  BlockPtr block;
  std::vector<BlockPtr> others;  // freed without the lock
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty() && free_.back()->kind != kind) others.swap(free_);
    if (!free_.empty()) {
      block = std::move(free_.back());
      free_.pop_back();
    }
  }
  others.clear();
  if (!block) {
    const Status status = NewBlock(kind, &block);
    if (!status.ok()) return status;
  }
  const Picture& lent = *block->picture;
  auto taken = std::make_shared<Picture>();
  taken->layout = lent.layout;
  taken->memory = lent.memory;
  taken->memory.owner = std::shared_ptr<const void>(
      block.get(),
      [self = shared_from_this(), block](const void*) { self->Give(block); });
  *picture = std::move(taken);
  return Status::Ok();
}

Status PrivatePictures::NewBlock(const Kind& kind, BlockPtr* block) {
  const PrivateFormat& format = kind.format;
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
    PicturePtr made = NewPicture(engine_, format);
    *block =
        std::make_shared<Block>(std::move(made), bytes, kind, memory_, bytes_);
  } catch (const std::bad_alloc&) {
    memory_->Return(bytes);
    return failed("no memory");
  }
  return Status::Ok();
}

void PrivatePictures::Give(BlockPtr block) {
  const std::lock_guard lock(mutex_);
  if (free_.empty() || free_.back()->kind == block->kind)
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
