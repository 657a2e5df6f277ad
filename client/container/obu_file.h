// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_CLIENT_CONTAINER_OBU_FILE_H_
#define PERDIX_CLIENT_CONTAINER_OBU_FILE_H_

#include <memory>

#include "client/bitstream/av1/obu.h"
#include "client/container/container.h"
#include "client/container/input_file.h"

namespace perdix::client {

// AV1 without a container: OBUs in the low-overhead format (5.2), or length
// delimited (Annex B). A packet is a temporal unit, in the low-overhead format.
// Read from first to last: a pipe will do.
class ObuFile {
 public:
  // file: at its beginning; format: what ProbeObuFormat says of it, not kNone.
  static Status Open(InputFile file, av1::ObuFormat format,
                     std::unique_ptr<Container>* container);
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_CONTAINER_OBU_FILE_H_
