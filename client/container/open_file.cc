// SPDX-License-Identifier: BSD-2-Clause
#include "client/container/open_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "client/bitstream/av1/obu.h"

namespace perdix::client {
namespace {

Status CannotOpen() {
  return {StatusCode::kInvalidBitstream,
          "cannot open: " + std::string(std::strerror(errno))};
}

}  // namespace

Status OpenFile(const std::string& path, InputFile* file) {
  file->reset(path == "-" ? fdopen(dup(STDIN_FILENO), "rb")
                          : std::fopen(path.c_str(), "rb"));
  return *file == nullptr ? CannotOpen() : Status::Ok();
}

// A pipe cannot seek, but glibc's stdio takes back as many as one gives it.
Status PeekFile(std::FILE* file, std::string* first) {
  char bytes[av1::kObuProbeBytes];
  const size_t size = std::fread(bytes, 1, sizeof(bytes), file);
  if (size == 0 && std::ferror(file)) return CannotOpen();
  for (size_t i = size; i > 0; --i) std::ungetc(uint8_t(bytes[i - 1]), file);
  first->assign(bytes, size);
  return Status::Ok();
}

}  // namespace perdix::client
