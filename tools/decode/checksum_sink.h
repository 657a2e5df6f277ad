// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_TOOLS_DECODE_CHECKSUM_SINK_H_
#define PERDIX_TOOLS_DECODE_CHECKSUM_SINK_H_

#include <cstdio>
#include <string>

#include "client/output.h"
#include "kernels/metrics/shown_checksum.h"

namespace perdix::client {

// "CHECKSUM  N frames  name" of all frames together, on Finish(): the frames
// are read where they lie.
class ChecksumSink : public FrameSink {
 public:
  ChecksumSink(std::FILE* file, std::string name);
  Status Write(const Image& image) override;
  Status Finish() override;

 private:
  std::FILE* const file_;
  const std::string name_;
  ShownChecksum checksum_;
};

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_DECODE_CHECKSUM_SINK_H_
