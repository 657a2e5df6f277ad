// SPDX-License-Identifier: BSD-2-Clause
// Memory of a measurement that is used again for the next one.
#ifndef PERDIX_KERNELS_QUALITY_ARENA_H_
#define PERDIX_KERNELS_QUALITY_ARENA_H_

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace perdix::quality {

// What is taken n-th after one Reset lies where the n-th lay after the one
// before, if it fits: pairs of one size allocate once. Contents are undefined.
class Arena {
 public:
  void Reset() { next_ = 0; }

  // Until the next Reset; at the start of a cache line.
  template <typename T>
  T* Take(size_t count) {
    if (next_ == blocks_.size()) blocks_.emplace_back();
    Block& block = blocks_[next_++];
    const size_t bytes = count * sizeof(T);
    if (block.bytes < bytes) {
      block.memory.reset(
          static_cast<std::byte*>(::operator new(bytes, kAlignment)));
      block.bytes = bytes;
    }
    return reinterpret_cast<T*>(block.memory.get());
  }

 private:
  static constexpr std::align_val_t kAlignment{64};

  struct Free {
    void operator()(std::byte* memory) const {
      ::operator delete(memory, kAlignment);
    }
  };
  struct Block {
    std::unique_ptr<std::byte, Free> memory;
    size_t bytes = 0;
  };

  std::vector<Block> blocks_;
  size_t next_ = 0;
};

}  // namespace perdix::quality

#endif  // PERDIX_KERNELS_QUALITY_ARENA_H_
