// SPDX-License-Identifier: BSD-2-Clause
#include "tools/decode/checksum_sink.h"

#include <cinttypes>
#include <utility>

namespace perdix::client {

ChecksumSink::ChecksumSink(std::FILE* file, std::string name)
    : file_(file), name_(std::move(name)) {}

Status ChecksumSink::Write(const Image& image) {
  PictureView view = image.view;
  view.shift = image.shift;  // a node's picture has it there only
  checksum_.Add(view.width, view.height, VisibleSum(view, image.monochrome));
  return Status::Ok();
}

Status ChecksumSink::Finish() {
  std::fprintf(file_, "%016" PRIx64 "  %" PRIu64 " frames  %s\n",
               checksum_.value(), checksum_.pictures(), name_.c_str());
  return Status::Ok();  // nothing follows: main() looks whether it arrived
}

}  // namespace perdix::client
