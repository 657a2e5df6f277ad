// SPDX-License-Identifier: BSD-2-Clause
#include "client/container/avformat_file.h"

namespace perdix::client {

Status AvformatFile::Open(InputFile, std::unique_ptr<Container>*) {
  return InvalidFile(
      "cannot open: MP4 needs libavformat, without which perdix was built; "
      "ffmpeg -i FILE -c copy NEW.webm makes WebM of it");
}

}  // namespace perdix::client
