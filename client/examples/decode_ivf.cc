// SPDX-License-Identifier: BSD-2-Clause
// decode_ivf /dev/videoN FILE.ivf >PLANES: decodes through a V4L2 stateless
// node; the shown frames, as planes Y, U, V, go to the standard output.
#include <cstdio>

#include "client/perdix_client.h"

using namespace perdix::client;  // NOLINT(google-build-using-namespace)
using perdix::Status;

class Player {
 public:
  Status Open(const char* node, const ClientCodec& codec) {
    codec_ = &codec;
    Status status = OpenParser(codec, {}, &parser_);
    return status.ok() ? Session::Open(node, codec, {}, &session_) : status;
  }

  Status Play(std::span<const uint8_t> packet) {
    parser_->Begin(packet);
    for (;;) {
      CodedFrame coded;
      bool end = false;
      Status status = parser_->Next(&coded, &end);
      if (status.ok() && !end) status = Decode(coded);
      if (!status.ok() || end) return status;
    }
  }

 private:
  Status Decode(const CodedFrame& coded) {
    SurfacePtr surface;
    Status status;
    if (coded.shows_slot) {
      surface = slots_[*coded.shows_slot];
    } else {
      status = Submit(coded, &surface);
    }
    if (!status.ok() || surface == nullptr) return status;
    for (int i = 0; i < kReferenceSlots; ++i) {
      if (coded.refresh >> i & 1) slots_[i] = surface;
    }
    return coded.shown || coded.shows_slot ? Show(*surface) : status;
  }

  Status Submit(const CodedFrame& coded, SurfacePtr* target) {
    NodeFrame frame;
    Status status = NodeControls(*codec_, coded, &frame.controls);
    if (status.ok() && coded.format != session_->format()) {
      surfaces_.clear();
      status =
          session_->SetFormat(coded.format, frame.controls, coded.key_frame);
    }
    if (status.ok()) status = TakeSurface(target);
    if (!status.ok()) return status;
    frame.target = *target;
    for (const uint8_t slot : coded.reference_slots) {
      frame.references.push_back(slots_[slot]);
    }
    frame.data = coded.data;
    return session_->Submit(std::move(frame));
  }

  // One that is neither in a slot nor in flight.
  Status TakeSurface(SurfacePtr* surface) {
    for (const SurfacePtr& one : surfaces_) {
      if (one.use_count() == 1) *surface = one;
    }
    if (*surface != nullptr) return Status::Ok();
    Status status = session_->NewSurface(surface);
    if (status.ok()) surfaces_.push_back(*surface);
    return status;
  }

  Status Show(Surface& surface) {
    Image image;
    Status status = session_->Wait(surface);
    if (status.ok()) status = surface.Map(&image);
    if (!status.ok()) return status;
    PlanarFrame planar;
    ToPlanar(image, &planar);
    std::fwrite(planar.bytes.data(), 1, planar.bytes.size(), stdout);
    return status;
  }

  const ClientCodec* codec_ = nullptr;
  std::unique_ptr<PacketParser> parser_;
  std::unique_ptr<Session> session_;
  std::vector<SurfacePtr> surfaces_;  // of the present format
  SurfacePtr slots_[kReferenceSlots];
};

// IVF: a header of 32 bytes, then packets, each behind its size and its time.
int main(int argc, char** argv) {
  std::FILE* const file = argc == 3 ? std::fopen(argv[2], "rb") : nullptr;
  uint8_t header[32];
  if (file == nullptr || std::fread(header, 1, 32, file) != 32) return 1;
  const std::string fourcc(header + 8, header + 12);
  const ClientCodec* const codec = FindClientCodec(&ClientCodec::ivf, fourcc);
  if (codec == nullptr) return 1;
  Player player;
  Status status = player.Open(argv[1], *codec);
  while (status.ok() && std::fread(header, 1, 12, file) == 12) {
    std::vector<uint8_t> packet(header[0] | header[1] << 8 | header[2] << 16);
    packet.resize(std::fread(packet.data(), 1, packet.size(), file));
    status = player.Play(packet);
  }
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
