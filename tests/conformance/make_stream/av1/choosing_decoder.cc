// SPDX-License-Identifier: BSD-2-Clause
// The symbol decoder that chooses: parser/codec/av1/symbol_decoder.h.
#include <bit>
#include <cstring>

#include "codec/av1/symbol_decoder.h"
#include "tests/conformance/make_stream/av1/adaptation.h"

namespace perdix::av1 {
inline namespace PERDIX_PARSER {

bool SymbolDecoder::Init(std::span<const uint8_t> data, bool disable_update) {
  if (data.size() != sizeof(writer_)) return false;
  std::memcpy(&writer_, data.data(), sizeof(writer_));
  const auto end = reinterpret_cast<uintptr_t>(this + 1);
  constexpr uintptr_t kAlignment = alignof(CdfContext);
  cdfs_ = reinterpret_cast<const CdfContext*>((end + kAlignment - 1) /
                                              kAlignment * kAlignment);
  adapts_ = !disable_update;
  writer_->Begin();
  return true;
}

uint32_t SymbolDecoder::ReadOf(uint16_t* values, int n) {
  const uintptr_t offset =
      reinterpret_cast<uintptr_t>(values) - reinterpret_cast<uintptr_t>(cdfs_);
  const uint32_t symbol = writer_->Symbol(offset, values, n);
  if (adapts_) make_stream::av1::Adapt(values, n, symbol);
  return symbol;
}

uint32_t SymbolDecoder::ReadNs(uint32_t n) {  // 4.10.10
  const int width = int(std::bit_width(n));
  const uint32_t shorter = (uint32_t{1} << width) - n;
  const uint32_t value = ReadLiteral(width - 1);
  if (value < shorter) return value;
  return (value << 1) - shorter + ReadBit();
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
