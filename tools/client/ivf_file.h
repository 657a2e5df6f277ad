// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_TOOLS_CLIENT_IVF_FILE_H_
#define PERDIX_TOOLS_CLIENT_IVF_FILE_H_

#include <memory>

#include "tools/client/container.h"
#include "tools/client/input_file.h"

namespace perdix::client {

// IVF, libvpx's own: a header of 32 bytes, then packets, each behind its size
// (4 bytes) and time (8). Little endian. Read from first to last: a pipe will
// do.
class IvfFile : public Container {
 public:
  // file: at its beginning.
  static Status Open(InputFile file, std::unique_ptr<Container>* container);

  Status Next(Packet* packet, bool* end) override;
  const ClientCodec& codec() const override { return codec_; }
  FrameRate frame_rate() const override { return frame_rate_; }

 private:
  IvfFile(InputFile file, const ClientCodec& codec, FrameRate frame_rate)
      : file_(std::move(file)), codec_(codec), frame_rate_(frame_rate) {}

  const InputFile file_;
  const ClientCodec& codec_;
  const FrameRate frame_rate_;
};

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_CLIENT_IVF_FILE_H_
