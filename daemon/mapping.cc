// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/mapping.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <limits>
#include <mutex>
#include <string>

namespace perdix {

// One place in the list that the handler reads. It is never freed, only used
// again, because the handler may read it at any moment.
struct GuardedRange {
  std::atomic<uint8_t*> begin{nullptr};  // null: not used
  std::atomic<size_t> bytes{0};
  std::atomic<bool> faulted{false};
  GuardedRange* next = nullptr;       // of the list
  GuardedRange* next_free = nullptr;  // under the lock of Ranges
};

namespace {

static_assert(std::atomic<uint8_t*>::is_always_lock_free &&
              std::atomic<size_t>::is_always_lock_free);

std::atomic<GuardedRange*> ranges{nullptr};

// Async-signal-safe.
GuardedRange* FindRange(const uint8_t* address) {
  for (GuardedRange* range = ranges; range; range = range->next) {
    const uint8_t* const begin = range->begin;
    if (begin && address >= begin && address < begin + range->bytes)
      return range;
  }
  return nullptr;
}

// Async-signal-safe. Not by mmap(), which ThreadSanitizer takes for a write
// that races with every other thread's.
bool PutZeros(const GuardedRange& range) {
  return syscall(SYS_mmap, range.begin.load(), range.bytes.load(),
                 PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1L, 0L) != -1;
}

// The thread that raised the signal uses the mapping, so nobody unmaps it.
void OnSigbus(int signal, siginfo_t* info, void*) {
  const int saved_errno = errno;
  GuardedRange* const range =
      info->si_code > 0 ? FindRange(static_cast<uint8_t*>(info->si_addr))
                        : nullptr;  // else a process sent it
  if (range && PutZeros(*range)) {
    range->faulted = true;
    errno = saved_errno;
    return;
  }
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  raise(signal);  // when this returns
}

void InstallHandler() {
  struct sigaction action = {};
  action.sa_sigaction = OnSigbus;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

std::mutex ranges_mutex;
GuardedRange* free_ranges = nullptr;

GuardedRange& AddRange(std::span<uint8_t> bytes) {
  const std::lock_guard lock(ranges_mutex);
  GuardedRange* range = free_ranges;
  if (range) {
    free_ranges = range->next_free;
  } else {
    range = new GuardedRange;
    range->next = ranges;
    ranges = range;
  }
  range->faulted = false;
  range->bytes = bytes.size();
  range->begin = bytes.data();
  return *range;
}

void RemoveRange(GuardedRange& range) {
  const std::lock_guard lock(ranges_mutex);
  range.begin = nullptr;
  range.next_free = free_ranges;
  free_ranges = &range;
}

}  // namespace

Mapping::Mapping(std::span<uint8_t> bytes)
    : bytes_(bytes), range_(AddRange(bytes)) {}

Mapping::~Mapping() {
  RemoveRange(range_);
  munmap(bytes_.data(), bytes_.size());
}

bool Mapping::faulted() const { return range_.faulted; }

Status Mapping::Map(int fd, uint64_t size, std::unique_ptr<Mapping>* mapping) {
  static std::once_flag once;
  std::call_once(once, InstallHandler);
  if (size == 0 || size > std::numeric_limits<size_t>::max() / 2)
    return Status(StatusCode::kInvalidArgument,
                  "size " + std::to_string(size) + " cannot be mapped");
  void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED)
    return Status(StatusCode::kInvalidArgument,
                  std::string("mmap: ") + strerror(errno));
  mapping->reset(new Mapping({static_cast<uint8_t*>(at), size}));
  return Status::Ok();
}

}  // namespace perdix
