// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_CLIENT_CONTAINER_IVF_FILE_H_
#define PERDIX_CLIENT_CONTAINER_IVF_FILE_H_

#include <memory>
#include <optional>
#include <vector>

#include "client/container/container.h"
#include "client/container/input_file.h"

namespace perdix::client {

// IVF, libvpx's own: a header of 32 bytes, then packets, each behind its size
// (4 bytes) and time (8). Little endian. Read from first to last: a pipe will
// do.
class IvfFile : public Container {
 public:
  // file: at its beginning.
  static Status Open(InputFile file, std::unique_ptr<Container>* container);

  Status Next(Packet* packet, bool* end) override;
  bool Resync() override;
  const ClientCodec& codec() const override { return codec_; }
  FrameRate frame_rate() const override { return frame_rate_; }

 private:
  IvfFile(InputFile file, const ClientCodec& codec, FrameRate frame_rate)
      : file_(std::move(file)), codec_(codec), frame_rate_(frame_rate) {}

  size_t Read(uint8_t* bytes, size_t size);
  Status ReadPacket(size_t size, std::vector<uint8_t>* bytes);
  bool Load(size_t size);
  bool PacketsSeemAt(size_t at);

  const InputFile file_;
  const ClientCodec& codec_;
  const FrameRate frame_rate_;
  std::optional<uint64_t> time_;  // of the last packet, in the file's unit
  // Bytes that are read before those of the file: what a failure had taken.
  std::vector<uint8_t> again_;
  size_t again_at_ = 0;  // how many of them have been read
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_CONTAINER_IVF_FILE_H_
