// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_CLIENT_CONTAINER_WEBM_FILE_H_
#define PERDIX_CLIENT_CONTAINER_WEBM_FILE_H_

#include <memory>

#include "client/container/container.h"
#include "client/container/input_file.h"

namespace perdix::client {

// WebM and Matroska, parsed by libwebm.
class WebmFile : public Container {
 public:
  // file: at its beginning.
  static Status Open(InputFile file, std::unique_ptr<Container>* container);
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_CONTAINER_WEBM_FILE_H_
