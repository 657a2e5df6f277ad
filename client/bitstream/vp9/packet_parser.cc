// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/vp9/packet_parser.h"

#include <linux/v4l2-controls.h>

#include "client/bitstream/vp9/header.h"
#include "client/bitstream/vp9/superframe.h"
#include "codec/controls.h"

namespace perdix::client::vp9 {
namespace {

CodedFrame ToCodedFrame(const FrameHeader& header,
                        std::span<const uint8_t> data) {
  CodedFrame frame;
  if (header.show_existing_frame) {
    frame.shows_slot = header.frame_to_show;
    return frame;
  }
  frame.refresh = header.refresh_frame_flags;
  frame.shown = header.shown;
  frame.key_frame = header.control.flags & V4L2_VP9_FRAME_FLAG_KEY_FRAME;
  frame.format = header.format;
  if (!header.intra) {
    frame.reference_slots.assign(header.references.begin(),
                                 header.references.end());
  }
  AppendControl(V4L2_CID_STATELESS_VP9_FRAME, header.control, &frame.controls);
  frame.data = data;
  return frame;
}

class Parser : public PacketParser {
 public:
  std::unique_ptr<PacketParser> Clone() const override {
    return std::make_unique<Parser>(*this);
  }

 private:
  void BeginPacket(std::span<const uint8_t> packet) override {
    frames_.clear();
    next_ = 0;
    status_ = SplitSuperframe(packet, &frames_);
    indexed_ = frames_.size() > 1 ||
               (status_.ok() && frames_[0].size() < packet.size());
  }

  Status NextFrame(CodedFrame* frame, bool* end) override {
    if (!status_.ok()) return status_;
    *end = next_ == frames_.size();
    if (*end) return Status::Ok();
    const std::span<const uint8_t> data = frames_[next_++];
    FrameHeader header;
    Status status = headers_.Parse(data, &header);
    if (!status.ok()) return status;
    *frame = ToCodedFrame(header, data);
    if (header.show_existing_frame && !indexed_) {
      KeepRest(data.subspan(header.uncompressed_bytes));
    } else if (!indexed_) {
      frame->parser_behind = Clone();
    }
    return Status::Ok();
  }

  // Without an index another frame may follow one that ends by itself, after
  // zeros (libvpx, decoder_decode).
  void KeepRest(std::span<const uint8_t> rest) {
    while (!rest.empty() && rest.front() == 0) rest = rest.subspan(1);
    if (!rest.empty()) frames_.push_back(rest);
  }

  HeaderParser headers_;
  // What the packet holds:
  std::vector<std::span<const uint8_t>> frames_;
  size_t next_ = 0;  // index of the frame that comes next
  bool indexed_ = false;
  Status status_;  // of splitting it
};

}  // namespace

std::unique_ptr<PacketParser> OpenPacketParser() {
  return std::make_unique<Parser>();
}

}  // namespace perdix::client::vp9
