// SPDX-License-Identifier: BSD-2-Clause
// A file that is open, told by its first bytes.
#ifndef PERDIX_CLIENT_CONTAINER_OPEN_FILE_H_
#define PERDIX_CLIENT_CONTAINER_OPEN_FILE_H_

#include <cstdio>
#include <memory>
#include <string>

#include "kernels/status.h"

namespace perdix::client {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using InputFile = std::unique_ptr<std::FILE, CloseFile>;

// path "-": the standard input, which need not seek; it stays open behind the
// file.
Status OpenFile(const std::string& path, InputFile* file);

// The first bytes, enough to tell what it holds; fewer if it has no more. The
// file gives them again.
Status PeekFile(std::FILE* file, std::string* first);

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_CONTAINER_OPEN_FILE_H_
