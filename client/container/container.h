// SPDX-License-Identifier: BSD-2-Clause
// The packets of a file's first stream of a codec that the client knows
// (codec.h). Nothing is decoded here.
#ifndef PERDIX_CLIENT_CONTAINER_CONTAINER_H_
#define PERDIX_CLIENT_CONTAINER_CONTAINER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "client/bitstream/codec.h"
#include "client/container/open_file.h"
#include "kernels/status.h"

namespace perdix::client {

// One packet; the bytes live as long as owner.
struct Packet {
  std::span<const uint8_t> data;  // may be empty
  std::shared_ptr<const void> owner;
  // False: it is decoded, since later packets may need it, but not output.
  bool output = true;
};

struct FrameRate {
  int64_t numerator = 30;
  int64_t denominator = 1;
};

class Container {
 public:
  // IVF, WebM, Matroska, AV1's OBUs alone and, where libavformat is there, MP4.
  // The file is told by its content, its name does not matter; "-" is the
  // standard input, which need not seek. Fails with kInvalidBitstream, saying
  // what it holds and what is allowed.
  static Status Open(const std::string& path,
                     std::unique_ptr<Container>* container);
  // file: at its beginning.
  static Status Open(InputFile file, std::unique_ptr<Container>* container);
  virtual ~Container() = default;

  virtual const ClientCodec& codec() const = 0;

  // The next packet; *end is set instead when there is none left.
  virtual Status Next(Packet* packet, bool* end) = 0;

  // After Next() has failed: goes on at the next place where packets seem to
  // begin. False: none is found, or the container has no such places.
  virtual bool Resync() { return false; }

  // The rate that the container says; 30 frames per second if it says none.
  virtual FrameRate frame_rate() const = 0;
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_CONTAINER_CONTAINER_H_
