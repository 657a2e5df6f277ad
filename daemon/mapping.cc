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

#include "daemon/guarded_range.h"

namespace perdix {

// One place in the list that the handler reads. It is never freed, only used
// again, because the handler may read it at any moment.
struct GuardedMapping {
  GuardedRange range;
  std::atomic<bool> faulted{false};
  GuardedMapping* next = nullptr;       // of the list
  GuardedMapping* next_free = nullptr;  // under mappings_mutex
};

namespace {

std::atomic<GuardedMapping*> mappings{nullptr};

// Async-signal-safe. Not by mmap(), which ThreadSanitizer takes for a write
// that races with every other thread's.
bool PutZeros(const GuardedRange::Values& at) {
  return syscall(SYS_mmap, at.begin, at.bytes, at.protection,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1L, 0L) != -1;
}

// Async-signal-safe. The caller uses the mapping that has this address, so
// nobody unmaps it: a range that changes is not its.
bool Replace(const uint8_t* address) {
  for (GuardedMapping* mapping = mappings; mapping; mapping = mapping->next) {
    const GuardedRange::Values at = mapping->range.Get();
    if (!at.begin || address < at.begin || address >= at.begin + at.bytes)
      continue;
    if (!PutZeros(at)) return false;
    mapping->faulted = true;
    return true;
  }
  return false;
}

void OnSigbus(int signal, siginfo_t* info, void*) {
  const int saved_errno = errno;
  const bool from_kernel = info->si_code > 0;  // else a process sent it
  if (from_kernel && Replace(static_cast<uint8_t*>(info->si_addr))) {
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

std::mutex mappings_mutex;
GuardedMapping* free_mappings = nullptr;

GuardedMapping& AddMapping(const GuardedRange::Values& at) {
  const std::lock_guard lock(mappings_mutex);
  GuardedMapping* mapping = free_mappings;
  if (mapping) {
    free_mappings = mapping->next_free;
  } else {
    mapping = new GuardedMapping;
    mapping->next = mappings;
    mappings = mapping;
  }
  mapping->faulted = false;
  mapping->range.Set(at);
  return *mapping;
}

void RemoveMapping(GuardedMapping& mapping) {
  const std::lock_guard lock(mappings_mutex);
  mapping.range.Set({});
  mapping.next_free = free_mappings;
  free_mappings = &mapping;
}

}  // namespace

Mapping::Mapping(std::span<uint8_t> bytes, int protection)
    : bytes_(bytes),
      guarded_(AddMapping({bytes.data(), bytes.size(), protection})) {}

Mapping::~Mapping() {
  RemoveMapping(guarded_);
  munmap(bytes_.data(), bytes_.size());
}

bool Mapping::faulted() const { return guarded_.faulted; }

Status Mapping::Map(int fd, uint64_t size, BufferAccess access,
                    std::unique_ptr<Mapping>* mapping) {
  static std::once_flag once;
  std::call_once(once, InstallHandler);
  if (size == 0 || size > std::numeric_limits<size_t>::max() / 2)
    return Status(StatusCode::kInvalidArgument,
                  "size " + std::to_string(size) + " cannot be mapped");
  const int protection =
      access == BufferAccess::kRead ? PROT_READ : PROT_READ | PROT_WRITE;
  void* at = mmap(nullptr, size, protection, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED)
    return Status(StatusCode::kInvalidArgument,
                  std::string("mmap: ") + strerror(errno));
  mapping->reset(new Mapping({static_cast<uint8_t*>(at), size}, protection));
  return Status::Ok();
}

}  // namespace perdix
