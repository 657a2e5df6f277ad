// SPDX-License-Identifier: BSD-2-Clause
#include "tests/client/node/allocations.h"

#include <cstdlib>
#include <new>
#include <utility>

namespace perdix::client {
namespace {

constexpr int kNever = -1;
thread_local int allocations_left = kNever;

bool Fails() {
  if (allocations_left == kNever) return false;
  return allocations_left-- == 0;  // and is kNever then
}

}  // namespace

FailAllocation::FailAllocation(int count) { allocations_left = count; }
FailAllocation::~FailAllocation() { allocations_left = kNever; }
bool FailAllocation::failed() const { return allocations_left == kNever; }

EnoughMemory::EnoughMemory() : left_(std::exchange(allocations_left, kNever)) {}
EnoughMemory::~EnoughMemory() { allocations_left = left_; }

void* Allocate(size_t size) {
  void* const memory = Fails() ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace perdix::client

void* operator new(size_t size) { return perdix::client::Allocate(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
