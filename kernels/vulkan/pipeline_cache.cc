// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/pipeline_cache.h"

#include <errno.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace perdix::vulkan {
namespace {

// Before what the driver gives.
struct FileHeader {
  char magic[8];
  uint64_t size;  // of the content
  uint64_t hash;  // of the content
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

Status Failed(StatusCode code, const std::string& file,
              const std::string& why) {
  return {code, "compiled shaders in " + file + ": " + why};
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

Status LoadPipelineCache(const std::string& file,
                         const VkPhysicalDeviceProperties& device,
                         std::vector<uint8_t>* content) {
  content->clear();
  if (file.empty() || access(file.c_str(), F_OK) != 0) return Status::Ok();
  std::ifstream in(file, std::ios::binary);
  const std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(in), {});
  if (!in) return Failed(StatusCode::kInvalidArgument, file, "cannot be read");
  if (bytes.size() < sizeof(FileHeader)) {
    return Failed(StatusCode::kInvalidArgument, file,
                  "damaged: got " + std::to_string(bytes.size()) +
                      " bytes, needed " + std::to_string(sizeof(FileHeader)));
  }
  std::vector<uint8_t> found(bytes.begin() + sizeof(FileHeader), bytes.end());
  const FileHeader expected = HeaderFor(found);
  if (std::memcmp(bytes.data(), &expected, sizeof(expected)) != 0) {
    return Failed(StatusCode::kInvalidArgument, file,
                  "damaged: its checksum is wrong");
  }
  if (!IsFrom(found, device)) {
    return Failed(StatusCode::kUnsupported, file,
                  "from another driver or device");
  }
  *content = std::move(found);
  return Status::Ok();
}

Status StorePipelineCache(const std::string& file,
                          std::span<const uint8_t> content) {
  const std::string temporary = file + "." + std::to_string(getpid());
  const FileHeader header = HeaderFor(content);
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(&header), sizeof(header));
  out.write(reinterpret_cast<const char*>(content.data()),
            static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out || std::rename(temporary.c_str(), file.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    std::remove(temporary.c_str());
    return Failed(StatusCode::kInvalidArgument, file,
                  "cannot be written: " + why);
  }
  return Status::Ok();
}

}  // namespace perdix::vulkan
