// SPDX-License-Identifier: BSD-2-Clause
// The symbol decoder (8.2).
#ifndef PERDIX_CODEC_AV1_SYMBOL_DECODER_H_
#define PERDIX_CODEC_AV1_SYMBOL_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/av1/cdf.h"

namespace perdix::av1 {

class SymbolDecoder {
 public:
  // 8.2.2. Adapts CDFs unless disable_update (disable_cdf_update). False: no
  // data.
  bool Init(std::span<const uint8_t> data, bool disable_update);

  // 8.2.6: 0..N - 1; adapts the CDF.
  template <int N>
  uint32_t Read(Cdf<N>& cdf);
  // The same of two values.
  bool ReadBool(Cdf<2>& cdf) { return Read(cdf) != 0; }

  uint32_t ReadBit();               // 8.2.3: half and half
  uint32_t ReadLiteral(int count);  // 8.2.5: L(n), 0..31 bits
  uint32_t ReadNs(uint32_t n);      // NS(n), 4.10.10
  int32_t ReadSu(int count);        // L(n) with a sign, as in 5.11

  // 8.2.4: false where padding is not as it must be (which no decoder minds).
  // True once symbols were read of which the data holds nothing at all.
  bool Overrun() const;
};

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_SYMBOL_DECODER_H_
