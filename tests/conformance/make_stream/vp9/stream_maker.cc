// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/vp9/stream_maker.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tests/conformance/make_stream/vp9/draw_header.h"
#include "tests/conformance/make_stream/vp9/frame_maker.h"
#include "tests/conformance/make_stream/vp9/random.h"

namespace perdix::vp9 {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kMostFramesOfPacket = 8;

void AppendLittleEndian(uint64_t value, size_t count, Bytes* to) {
  for (size_t i = 0; i < count; ++i) to->push_back(uint8_t(value >> 8 * i));
}

class IvfFile {
 public:
  explicit IvfFile(const Size& size) {
    const std::string magic = "DKIF", fourcc = "VP90";
    file_.insert(file_.end(), magic.begin(), magic.end());
    AppendLittleEndian(0, 2, &file_);   // version
    AppendLittleEndian(32, 2, &file_);  // bytes of this header
    file_.insert(file_.end(), fourcc.begin(), fourcc.end());
    AppendLittleEndian(size.width, 2, &file_);
    AppendLittleEndian(size.height, 2, &file_);
    AppendLittleEndian(30, 4, &file_);  // frames
    AppendLittleEndian(1, 4, &file_);   // in a second
    AppendLittleEndian(0, 8, &file_);
  }
  void Append(const Bytes& packet) {
    AppendLittleEndian(packet.size(), 4, &file_);
    AppendLittleEndian(packets_++, 8, &file_);
    file_.insert(file_.end(), packet.begin(), packet.end());
  }
  Bytes Take() { return std::move(file_); }

 private:
  Bytes file_;
  uint64_t packets_ = 0;
};

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
  Packets(const Size& size, Random& random, Coverage& coverage)
      : file_(size), random_(random), coverage_(coverage) {}

  void Append(Bytes frame, bool shown) {
    frames_.push_back(std::move(frame));
    if (shown || frames_.size() == kMostFramesOfPacket || random_.OneIn(12)) {
      End();
    }
  }
  Bytes Take() {
    if (!frames_.empty()) End();
    return file_.Take();
  }

 private:
  void End() {
    if (frames_.size() > 1 || random_.OneIn(16)) {
      size_t largest = 0, size_bytes = 1;
      for (const Bytes& frame : frames_) {
        largest = std::max(largest, frame.size());
      }
      while (largest >> 8 * size_bytes > 0) ++size_bytes;
      size_bytes += random_.Below(uint32_t(5 - size_bytes));
      coverage_.Field("frames_in_superframe", int64_t(frames_.size()));
      coverage_.Field("bytes_per_framesize", int64_t(size_bytes));
      file_.Append(Superframe(frames_, size_bytes));
    } else {
      file_.Append(frames_.front());
    }
    frames_.clear();
  }

  IvfFile file_;
  Random& random_;
  Coverage& coverage_;
  std::vector<Bytes> frames_;
};

}  // namespace

Status MakeStream(uint64_t seed, uint32_t most_frames, Coverage& coverage,
                  std::vector<uint8_t>* file) {
  Random random(seed);
  const StreamStyle style = DrawStream(random);
  const uint32_t frames =
      std::min(uint32_t(random.Logarithmic(1, 16)), most_frames);
  FrameMaker maker(random, coverage);
  // Packets do not change what is drawn for frames: fewer are the same ones.
  Random packing(seed + 1);
  Packets packets(style.size, packing, coverage);
  for (uint32_t i = 0; i < frames; ++i) {
    const Header header = DrawHeader(style, maker.slots(), i == 0, random);
    Bytes frame;
    Status status = maker.Make(header, DrawStyle(random), &frame);
    if (!status.ok()) {
      return {status.code(), "seed " + std::to_string(seed) + ", frame " +
                                 std::to_string(i) + ": " + status.message()};
    }
    packets.Append(std::move(frame), header.show_existing || header.shown);
  }
  *file = packets.Take();
  return Status::Ok();
}

}  // namespace perdix::vp9
