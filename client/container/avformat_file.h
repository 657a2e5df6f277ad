// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_CLIENT_CONTAINER_AVFORMAT_FILE_H_
#define PERDIX_CLIENT_CONTAINER_AVFORMAT_FILE_H_

#include <memory>

#include "client/container/container.h"
#include "client/container/input_file.h"

namespace perdix::client {

// MP4 and QuickTime, parsed by libavformat. It is loaded when the first such
// file comes, because it brings a hundred libraries that nothing else here
// wants (docs/decisions/0006-libwebm.md). Its decoders are never called.
class AvformatFile : public Container {
 public:
  // file: at its beginning. Fails, with a message that says so, also where
  // perdix was built without libavformat, or it is not there.
  static Status Open(InputFile file, std::unique_ptr<Container>* container);
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_CONTAINER_AVFORMAT_FILE_H_
