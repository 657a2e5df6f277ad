// SPDX-License-Identifier: BSD-2-Clause
// Pictures of the daemon's own, for frames that are not shown as later frames
// refer to them: film grain, chroma other than 4:2:0. They lie where the engine
// wants pictures of their format that the CPU must reach, perhaps in memory of
// the GPU. Counted as memory that their client takes.
#ifndef PERDIX_DAEMON_PRIVATE_PICTURES_H_
#define PERDIX_DAEMON_PRIVATE_PICTURES_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "codec/picture.h"
#include "daemon/limits.h"
#include "engine/engine.h"
#include "kernels/status.h"

namespace perdix {

struct PrivateFormat {
  const CodecRow* codec = nullptr;
  uint32_t width = 0;   // luma samples, multiple of 8
  uint32_t height = 0;  // lines, multiple of 8
  uint32_t bit_depth = 8;
  uint32_t subsampling_x = 1;
  uint32_t subsampling_y = 1;

  bool operator==(const PrivateFormat&) const = default;
};

// The private pictures of one session. Each picture keeps it alive.
class PrivatePictures : public std::enable_shared_from_this<PrivatePictures> {
 public:
  // The engine outlives this.
  PrivatePictures(Engine& engine, std::shared_ptr<Quota> memory)
      : engine_(engine), memory_(std::move(memory)) {}

  // A new picture in memory that nobody else uses; it comes back with
  // the picture's last owner, on any thread. Fails with kOutOfMemory.
  Status Take(const PrivateFormat& format, PicturePtr* picture);
  // Frees one that nobody uses, if there is one: for a frame that needs none.
  void Shrink();

  uint64_t bytes() const;  // in use or not

 private:
  struct Block;
  using BlockPtr = std::shared_ptr<Block>;

  // What blocks in free_ have in common.
  struct Kind {
    PrivateFormat format;
    bool for_gpu = false;

    bool operator==(const Kind&) const = default;
  };

  Status NewBlock(const Kind& kind, BlockPtr* block);
  void Give(BlockPtr block);

  Engine& engine_;
  const std::shared_ptr<Quota> memory_;
  std::atomic<uint64_t> bytes_{0};  // before its blocks, which count there
  std::mutex mutex_;
  std::vector<BlockPtr> free_;  // all alike
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_PRIVATE_PICTURES_H_
