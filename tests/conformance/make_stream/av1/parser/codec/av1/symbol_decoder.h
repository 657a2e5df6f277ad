// SPDX-License-Identifier: BSD-2-Clause
// Instead of the product's file of this name: a symbol decoder that lets a
// TileWriter choose what is read. The tile's data is the writer's address.
#ifndef PERDIX_CODEC_AV1_SYMBOL_DECODER_H_
#define PERDIX_CODEC_AV1_SYMBOL_DECODER_H_

#include <cstdint>
#include <span>

#include "codec/av1/cdf.h"
#include "codec/av1/parser_target.h"
#include "tests/conformance/make_stream/av1/tile_writer.h"

namespace perdix::av1 {
inline namespace PERDIX_PARSER {

// Copies are of a pointer: whichever copy reads, the same tile is written.
class SymbolDecoder {
 public:
  // The CDFs must follow the decoder in memory, as in TileDecoder: by where one
  // lies among them it is known which element is read.
  bool Init(std::span<const uint8_t> data, bool disable_update);

  template <int N>
  uint32_t Read(Cdf<N>& cdf) {
    return ReadOf(cdf.values, N);
  }
  bool ReadBool(Cdf<2>& cdf) { return ReadOf(cdf.values, 2) != 0; }
  template <int N>
  uint32_t ReadInLine(Cdf<N>& cdf) {
    return ReadOf(cdf.values, N);
  }
  uint32_t ReadBit() { return writer_->Bit(); }
  uint32_t ReadLiteral(int count) { return writer_->Literal(count); }
  uint32_t ReadNs(uint32_t n);

  bool Overrun() const { return false; }
  bool EndsWithPadding() const { return true; }

 private:
  uint32_t ReadOf(uint16_t* values, int n);

  make_stream::av1::TileWriter* writer_ = nullptr;
  const CdfContext* cdfs_ = nullptr;
  bool adapts_ = true;
};

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_SYMBOL_DECODER_H_
