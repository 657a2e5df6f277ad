// SPDX-License-Identifier: BSD-2-Clause
#include "codec/codec.h"

#include "codec/av1/codec_row.h"
#include "codec/vp9/codec_row.h"

namespace perdix {
namespace {

constexpr const CodecRow* kCodecs[] = {&vp9::kCodecRow, &av1::kCodecRow};

}  // namespace

Status CodecState::Continue(ParsedFrame&) { return Status::Ok(); }
void CodecState::EndRow(ParsedFrame&, uint32_t) {}

std::span<const CodecRow* const> Codecs() { return kCodecs; }

const CodecRow* FindCodec(uint32_t id) {
  for (const CodecRow* row : kCodecs) {
    if (row->id == id) return row;
  }
  return nullptr;
}

}  // namespace perdix
