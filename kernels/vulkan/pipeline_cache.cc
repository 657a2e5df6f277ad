// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/pipeline_cache.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

namespace perdix::vulkan {
namespace {

// Before what the driver gives.
struct FileHeader {
  char magic[8];
  uint64_t size;  // of the content
  uint64_t hash;  // likewise
};

constexpr char kMagic[8] = {'p', 'e', 'r', 'd', 'i', 'x', 'P', '1'};

// FNV-1a.
uint64_t HashOf(std::span<const uint8_t> bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

FileHeader HeaderFor(std::span<const uint8_t> content) {
  FileHeader header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.size = content.size();
  header.hash = HashOf(content);
  return header;
}

bool IsFrom(std::span<const uint8_t> content,
            const VkPhysicalDeviceProperties& device) {
  VkPipelineCacheHeaderVersionOne header;
  if (content.size() < sizeof(header)) return false;
  std::memcpy(&header, content.data(), sizeof(header));
  return header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
         header.vendorID == device.vendorID &&
         header.deviceID == device.deviceID &&
         std::memcmp(header.pipelineCacheUUID, device.pipelineCacheUUID,
                     VK_UUID_SIZE) == 0;
}

}  // namespace

std::vector<uint8_t> LoadPipelineCache(
    const std::string& file, const VkPhysicalDeviceProperties& device) {
  std::ifstream in(file, std::ios::binary);
  std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(in), {});
  if (bytes.size() < sizeof(FileHeader)) return {};
  const std::vector<uint8_t> content(bytes.begin() + sizeof(FileHeader),
                                     bytes.end());
  const FileHeader expected = HeaderFor(content);
  if (std::memcmp(bytes.data(), &expected, sizeof(expected)) != 0 ||
      !IsFrom(content, device)) {
    return {};
  }
  return content;
}

bool StorePipelineCache(const std::string& file,
                        std::span<const uint8_t> content) {
  const std::string temporary = file + "." + std::to_string(getpid());
  const FileHeader header = HeaderFor(content);
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(&header), sizeof(header));
  out.write(reinterpret_cast<const char*>(content.data()),
            static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out || std::rename(temporary.c_str(), file.c_str()) != 0) {
    std::remove(temporary.c_str());
    return false;
  }
  return true;
}

}  // namespace perdix::vulkan
