// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_TOOLS_CLIENT_WEBM_FILE_H_
#define PERDIX_TOOLS_CLIENT_WEBM_FILE_H_

#include <memory>

#include "tools/client/container.h"
#include "tools/client/input_file.h"

namespace perdix::client {

// WebM and Matroska, parsed by libwebm.
class WebmFile : public Container {
 public:
  // file: at its beginning.
  static Status Open(InputFile file, std::unique_ptr<Container>* container);
};

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_CLIENT_WEBM_FILE_H_
