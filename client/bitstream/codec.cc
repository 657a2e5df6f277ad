// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/codec.h"

#include "client/bitstream/av1/codec.h"
#include "client/bitstream/vp9/codec.h"

namespace perdix::client {
namespace {

constexpr const ClientCodec* kCodecs[] = {&vp9::kCodec, &av1::kCodec};

}  // namespace

std::span<const ClientCodec* const> ClientCodecs() { return kCodecs; }

const ClientCodec* FindClientCodec(const char* ClientCodec::*id,
                                   std::string_view value) {
  for (const ClientCodec* codec : kCodecs) {
    if (codec->*id == value) return codec;
  }
  return nullptr;
}

std::string ListClientCodecs(const char* ClientCodec::*id) {
  std::string list;
  for (const ClientCodec* codec : kCodecs) {
    list += (list.empty() ? "" : ", ") + std::string(codec->*id);
  }
  return list;
}

}  // namespace perdix::client
