// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/codec.h"

#include "client/base/no_throw.h"
#include "client/bitstream/av1/codec.h"
#include "client/bitstream/vp9/codec.h"

namespace perdix::client {
namespace {

constexpr const ClientCodec* kCodecs[] = {&vp9::kCodec, &av1::kCodec};

}  // namespace

void PacketParser::Begin(std::span<const uint8_t> packet) noexcept {
  begun_ = NoThrow([&] {
    BeginPacket(packet);
    return Status::Ok();
  });
}

Status PacketParser::Next(CodedFrame* frame, bool* end) noexcept {
  if (!begun_.ok()) return begun_;
  return NoThrow([&] {
    Status status = NextFrame(frame, end);
    if (status.ok() && !*end && options_.edit) options_.edit(frame);
    return status;
  });
}

std::span<const ClientCodec* const> ClientCodecs() noexcept { return kCodecs; }

const ClientCodec* FindClientCodec(const char* ClientCodec::*id,
                                   std::string_view value) noexcept {
  for (const ClientCodec* codec : kCodecs) {
    if (codec->*id == value) return codec;
  }
  return nullptr;
}

Status OpenParser(const ClientCodec& codec, const ParserOptions& options,
                  std::unique_ptr<PacketParser>* parser) noexcept {
  return NoThrow([&] {
    *parser = codec.open();
    (*parser)->SetOptions(options);
    return Status::Ok();
  });
}

Status NodeControls(const ClientCodec& codec, const CodedFrame& frame,
                    std::vector<NodeControl>* controls) noexcept {
  return NoThrow([&] { return codec.node_controls(frame, controls); });
}

std::string ListClientCodecs(const char* ClientCodec::*id) {
  std::string list;
  for (const ClientCodec* codec : kCodecs) {
    list += (list.empty() ? "" : ", ") + std::string(codec->*id);
  }
  return list;
}

}  // namespace perdix::client
