// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_TOOLS_CLIENT_OBU_FILE_H_
#define PERDIX_TOOLS_CLIENT_OBU_FILE_H_

#include <memory>

#include "tools/client/av1/obu.h"
#include "tools/client/container.h"
#include "tools/client/input_file.h"

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

#endif  // PERDIX_TOOLS_CLIENT_OBU_FILE_H_
