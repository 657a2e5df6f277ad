// SPDX-License-Identifier: BSD-2-Clause
// Two ways in. As a dma-buf, where the driver takes those. Else as memory of
// the host that is mapped here: for drivers on a CPU, and for GPUs that see the
// host's memory coherently.
#include "kernels/vulkan/dma_buf.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <memory>
#include <string>
#include <utility>

#include "kernels/vulkan/memory.h"

namespace perdix::vulkan {
namespace {

Status Refused(const Device& device, const std::string& why) {
  return {StatusCode::kUnsupported,
          device.identity.name + " refused a dma-buf: " + why};
}

// What the driver is given, and the buffer has the first bytes of.
struct Source {
  VkExternalMemoryHandleTypeFlagBits handle_type;
  const void* import;  // the structure that names it, for the allocation
  uint32_t type_bits;  // memory types it can be
  size_t bytes;
};

// After a failure buffer->memory says whether the driver has taken the source.
Status MakeImported(const Device& device, const Source& source, size_t size,
                    Buffer* buffer) {
  VkExternalMemoryBufferCreateInfo external = {};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = source.handle_type;
  buffer->size = size;
  if (Status status =
          MakeBufferHandle(device, size, &external, &buffer->handle);
      !status.ok()) {
    return status;
  }
  VkMemoryRequirements needed;
  vkGetBufferMemoryRequirements(device.handle, buffer->handle.get(), &needed);
  const uint32_t type_bits = source.type_bits & needed.memoryTypeBits;
  if (type_bits == 0) return Refused(device, "it has no memory type for it");
  if (needed.size > source.bytes) {
    return Refused(device, "bytes: got " + std::to_string(source.bytes) +
                               ", needed " + std::to_string(needed.size));
  }
  const VkMemoryAllocateFlagsInfo flags = AllocateFlags(device, source.import);
  VkMemoryAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &flags;
  info.allocationSize = source.bytes;
  info.memoryTypeIndex = static_cast<uint32_t>(std::countr_zero(type_bits));
  Status status = Make(device.handle, "vkAllocateMemory", vkAllocateMemory,
                       info, &buffer->memory);
  if (status.ok()) {
    status = ToStatus(vkBindBufferMemory(device.handle, buffer->handle.get(),
                                         buffer->memory.get(), 0),
                      "vkBindBufferMemory");
  }
  if (!status.ok()) return Refused(device, status.message());
  device.Name(VK_OBJECT_TYPE_BUFFER,
              reinterpret_cast<uint64_t>(buffer->handle.get()), "dma-buf");
  return status;
}

// ---- as a dma-buf ----

Status ImportFd(const Device& device, int fd, size_t fd_bytes, size_t size,
                gpu::MemoryPtr* memory) {
  constexpr auto kType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
  const auto properties_of = reinterpret_cast<PFN_vkGetMemoryFdPropertiesKHR>(
      vkGetDeviceProcAddr(device.handle, "vkGetMemoryFdPropertiesKHR"));
  VkMemoryFdPropertiesKHR properties = {};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR;
  const VkResult result = properties_of(device.handle, kType, fd, &properties);
  if (result != VK_SUCCESS) {
    return Refused(device,
                   ToStatus(result, "vkGetMemoryFdPropertiesKHR").message());
  }
  VkImportMemoryFdInfoKHR import = {};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR;
  import.handleType = kType;
  import.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (import.fd < 0) return Refused(device, "no file descriptor is left");
  Buffer buffer;
  const Status status = MakeImported(
      device, {kType, &import, properties.memoryTypeBits, fd_bytes}, size,
      &buffer);
  if (buffer.memory.get() == VK_NULL_HANDLE) close(import.fd);
  if (!status.ok()) return status;
  *memory = std::make_shared<Memory>(std::move(buffer), size, false, nullptr);
  return status;
}

// ---- as memory of the host ----

class Mapping {
 public:
  Mapping(int fd, size_t size)
      : data_(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)),
        size_(size) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (ok()) munmap(data_, size_);
  }
  bool ok() const { return data_ != MAP_FAILED; }
  void* data() const { return data_; }

 private:
  void* const data_;
  const size_t size_;
};

// Those that the CPU and the device see alike, nothing to be flushed.
uint32_t CoherentTypes(const VkPhysicalDeviceMemoryProperties& memory) {
  uint32_t types = 0;
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    if (memory.memoryTypes[i].propertyFlags &
        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) {
      types |= 1u << i;
    }
  }
  return types;
}

Status ImportMapping(const Device& device, int fd, size_t fd_bytes, size_t size,
                     gpu::MemoryPtr* memory) {
  constexpr auto kType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  auto mapping = std::make_shared<Mapping>(fd, fd_bytes);
  if (!mapping->ok()) return Refused(device, "it cannot be mapped");
  const auto properties_of =
      reinterpret_cast<PFN_vkGetMemoryHostPointerPropertiesEXT>(
          vkGetDeviceProcAddr(device.handle,
                              "vkGetMemoryHostPointerPropertiesEXT"));
  VkMemoryHostPointerPropertiesEXT properties = {};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  const VkResult result =
      properties_of(device.handle, kType, mapping->data(), &properties);
  if (result != VK_SUCCESS) {
    return Refused(
        device,
        ToStatus(result, "vkGetMemoryHostPointerPropertiesEXT").message());
  }
  VkImportMemoryHostPointerInfoEXT import = {};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  import.handleType = kType;
  import.pHostPointer = mapping->data();
  Buffer buffer;
  if (Status status = MakeImported(
          device,
          {kType, &import,
           properties.memoryTypeBits & CoherentTypes(device.memory), fd_bytes},
          size, &buffer);
      !status.ok()) {
    return status;
  }
  *memory = std::make_shared<Memory>(std::move(buffer), size, false,
                                     std::move(mapping));
  return Status::Ok();
}

}  // namespace

Status ImportDmaBuf(const Device& device, int fd, size_t size,
                    gpu::MemoryPtr* memory) {
  const off_t end = lseek(fd, 0, SEEK_END);
  const size_t fd_bytes = end < 0 ? 0 : static_cast<size_t>(end);
  if (size == 0 || fd_bytes < size) {
    return {StatusCode::kInvalidArgument,
            "bytes of a dma-buf: got " + std::to_string(fd_bytes) +
                ", needed " + std::to_string(size)};
  }
  Status status = Refused(device, "it has no extension for them");
  if (device.imports_dma_bufs) {
    status = ImportFd(device, fd, fd_bytes, size, memory);
  }
  if (!status.ok() && device.imports_host_memory) {
    status = ImportMapping(device, fd, fd_bytes, size, memory);
  }
  return status;
}

}  // namespace perdix::vulkan
