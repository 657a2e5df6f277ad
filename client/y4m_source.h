// SPDX-License-Identifier: BSD-2-Clause
// The frames of a Y4M file: a header of one line, then planes Y, U, V without
// padding, each frame behind a line of its own. Read from first to last: a pipe
// will do.
#ifndef PERDIX_CLIENT_Y4M_SOURCE_H_
#define PERDIX_CLIENT_Y4M_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/base/coded_frame.h"
#include "client/container/input_file.h"
#include "client/frame_source.h"
#include "kernels/status.h"

namespace perdix::client {

struct Y4mHeader {
  FrameFormat format;
  FrameRate rate;
};

// line: the file's first, without its end. 4:2:0, 4:2:2, 4:4:4 and monochrome
// of 8, 10 or 12 bit. What it says of interlacing and of the place of chroma
// samples does not matter here.
Status ParseY4mHeader(std::string_view line, Y4mHeader* header);

class Y4mSource : public FrameSource {
 public:
  // first: the file's first bytes.
  static bool IsY4m(std::string_view first);
  // file: at its beginning.
  static Status Open(InputFile file, std::unique_ptr<FrameSource>* source);

  // A failure names the frame. It is the last one that is there.
  Status Next(ShownFrame* frame, bool* end) override;
  FrameRate frame_rate() const override { return header_.rate; }

 private:
  // A picture and its memory.
  struct Buffer {
    Image image;
    std::unique_ptr<uint8_t[]> bytes;
  };

  Y4mSource(InputFile file, const Y4mHeader& header)
      : file_(std::move(file)), header_(header) {}

  Status ReadFrame(const Buffer& buffer, bool* end);
  Status ReadLuma(const Plane& plane);
  Status ReadChroma(const Plane& plane, uint32_t component);
  template <typename Sample>
  Status ReadSamples(uint32_t count, Sample* samples);
  Status CutShort() const;
  std::shared_ptr<Buffer> TakeBuffer();

  const InputFile file_;
  const Y4mHeader header_;
  uint64_t number_ = 0;  // of the frame that is read, from 1
  bool is_over_ = false;
  std::vector<uint16_t> row_;  // of one chroma component; holds bytes too
  // Those that nobody else holds are used again.
  std::vector<std::shared_ptr<Buffer>> buffers_;
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_Y4M_SOURCE_H_
