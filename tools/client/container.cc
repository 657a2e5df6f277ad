// SPDX-License-Identifier: BSD-2-Clause
#include "tools/client/container.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "tools/client/input_file.h"
#include "tools/client/ivf_file.h"
#include "tools/client/webm_file.h"

namespace perdix::client {

Status Container::Open(const std::string& path,
                       std::unique_ptr<Container>* container) {
  InputFile file(std::fopen(path.c_str(), "rb"));
  char magic[4] = {};
  if (file == nullptr ||
      (std::fread(magic, 1, sizeof(magic), file.get()) == 0 &&
       std::ferror(file.get()))) {
    return InvalidFile("cannot open: " + std::string(std::strerror(errno)));
  }
  std::rewind(file.get());
  if (std::memcmp(magic, "DKIF", 4) == 0) {
    return IvfFile::Open(std::move(file), container);
  }
  if (std::memcmp(magic, "\x1A\x45\xDF\xA3", 4) == 0) {
    return WebmFile::Open(std::move(file), container);
  }
  return InvalidFile(
      "cannot open: neither WebM, Matroska nor IVF; what else holds " +
      ListClientCodecs(&ClientCodec::name) +
      " becomes WebM by ffmpeg -i FILE -c copy NEW.webm");
}

}  // namespace perdix::client
