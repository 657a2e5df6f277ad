// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/vp9/make.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/make_stream/vp9/draw_header.h"
#include "tests/conformance/make_stream/vp9/frame_maker.h"
#include "tests/conformance/make_stream/vp9/random.h"

namespace perdix::vp9 {
namespace {

using make_stream::Coverage;
using make_stream::Stream;
using Bytes = std::vector<uint8_t>;

constexpr size_t kMostFramesOfPacket = 8;

void AppendLittleEndian(uint64_t value, size_t count, Bytes* to) {
  for (size_t i = 0; i < count; ++i) to->push_back(uint8_t(value >> 8 * i));
}

// VP9 Annex B: the frames, and an index of their sizes in <size_bytes> each.
Bytes Superframe(const std::vector<Bytes>& frames, size_t size_bytes) {
  const uint8_t marker =
      uint8_t(0xc0 | (size_bytes - 1) << 3 | (frames.size() - 1));
  Bytes packet;
  for (const Bytes& frame : frames) {
    packet.insert(packet.end(), frame.begin(), frame.end());
  }
  packet.push_back(marker);
  for (const Bytes& frame : frames) {
    AppendLittleEndian(frame.size(), size_bytes, &packet);
  }
  packet.push_back(marker);
  return packet;
}

// Gathers frames until a shown one ends the packet.
class Packets {
 public:
  Packets(uint64_t seed, Stream& stream) : random_(seed, 1), stream_(stream) {}

  void Append(Bytes frame, bool shown) {
    frames_.push_back(std::move(frame));
    if (shown || frames_.size() == kMostFramesOfPacket || random_.OneIn(12)) {
      End();
    }
  }
  void End() {
    if (frames_.empty()) return;
    stream_.packets.push_back(frames_.size() > 1 || random_.OneIn(16)
                                  ? MakeSuperframe()
                                  : frames_.front());
    frames_.clear();
  }

 private:
  Bytes MakeSuperframe() {
    size_t largest = 0, size_bytes = 1;
    for (const Bytes& frame : frames_) {
      largest = std::max(largest, frame.size());
    }
    while (largest >> 8 * size_bytes > 0) ++size_bytes;
    size_bytes += random_.Below(uint32_t(5 - size_bytes));
    stream_.coverage.Field("frames_in_superframe", int64_t(frames_.size()));
    stream_.coverage.Field("bytes_per_framesize", int64_t(size_bytes));
    return Superframe(frames_, size_bytes);
  }

  // Its own: what is drawn for frames does not depend on how many there are.
  Random random_;
  Stream& stream_;
  std::vector<Bytes> frames_;
};

}  // namespace

Stream MakeStream(uint64_t seed, uint32_t most_frames) {
  Random random(seed);
  StreamStyle style = DrawStream(random);
  const uint32_t frames = std::min(style.frames, most_frames);
  Stream stream;
  stream.width = style.size.width;
  stream.height = style.size.height;
  FrameMaker maker(random, stream.coverage);
  Packets packets(seed, stream);
  for (uint32_t i = 0; i < frames; ++i) {
    const Header header = DrawHeader(style, maker.slots(), i == 0, random);
    Bytes frame;
    const Status status = maker.Make(header, DrawStyle(random), &frame);
    if (!status.ok()) {
      throw std::logic_error("frame " + std::to_string(i) + ": " +
                             status.message());
    }
    if (header.key_frame) style.format = header.format;
    packets.Append(std::move(frame), header.show_existing || header.shown);
  }
  packets.End();
  return stream;
}

}  // namespace perdix::vp9
