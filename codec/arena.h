// SPDX-License-Identifier: BSD-2-Clause
// A list that never moves: address space for the worst case is reserved at
// once, memory is taken as it is touched. So one thread may append while others
// read what was published to them.
#ifndef PERDIX_CODEC_ARENA_H_
#define PERDIX_CODEC_ARENA_H_

#include <sys/mman.h>

#include <cassert>
#include <cstddef>
#include <new>
#include <span>
#include <utility>

namespace perdix {

template <typename T>
class Arena {
 public:
  Arena() = default;
  ~Arena() { Release(); }
  Arena(Arena&& other) noexcept { *this = std::move(other); }
  Arena& operator=(Arena&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  // Empties the list; afterwards <capacity> elements fit. Keeps its memory
  // while the capacity stays the same. Throws std::bad_alloc.
  void Reset(size_t capacity) {
    size_ = 0;
    if (capacity == capacity_) return;
    Release();
    void* memory = mmap(nullptr, capacity * sizeof(T), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(memory);
    capacity_ = capacity;
  }

  T& Append(const T& element) {
    assert(size_ < capacity_);
    return data_[size_++] = element;
  }
  // Appends <count> elements, which hold anything.
  T* Extend(size_t count) {
    assert(count <= capacity_ - size_);
    T* first = data_ + size_;
    size_ += count;
    return first;
  }

  // The next element is <index>; what lies behind it stays as it is.
  void Seek(size_t index) {
    assert(index <= capacity_);
    size_ = index;
  }

  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  T* data() { return data_; }
  std::span<const T> Written() const { return {data_, size_}; }
  // All elements that there is room for: a reader must know from elsewhere
  // which are written.
  std::span<const T> Reserved() const { return {data_, capacity_}; }

 private:
  void Release() {
    if (data_ != nullptr) munmap(data_, capacity_ * sizeof(T));
    data_ = nullptr;
    capacity_ = 0;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace perdix

#endif  // PERDIX_CODEC_ARENA_H_
