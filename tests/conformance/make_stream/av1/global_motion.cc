// SPDX-License-Identifier: BSD-2-Clause
// global_motion_params() (5.9.24 to 5.9.28).
#include <algorithm>

#include "tests/conformance/make_stream/av1/frame_params.h"

namespace perdix::make_stream::av1 {
namespace {

constexpr int kPrecBits = perdix::av1::kWarpedModelPrecBits;
// GM_ABS_*_BITS, GM_*_PREC_BITS of section 3
constexpr int kAbsAlphaBits = 12, kAlphaPrecBits = 15;
constexpr int kAbsTransOnlyBits = 9, kTransOnlyPrecBits = 3;
constexpr int kAbsTransBits = 12, kTransPrecBits = 6;

// decode_subexp
void WriteSubexp(FieldWriter& to, int symbols, int value) {
  constexpr int k = 3;
  int least = 0;  // mk
  for (int i = 0;; ++i) {
    const int bits = i > 0 ? k + i - 1 : k;
    const int values = 1 << bits;
    if (symbols <= least + 3 * values) {
      to.NonSymmetric("subexp_final_bits", uint32_t(symbols - least),
                      uint32_t(value - least));
      return;
    }
    if (!to.Flag("subexp_more_bits", value >= least + values)) {
      to.Bits("subexp_bits", bits, uint32_t(value - least));
      return;
    }
    least += values;
  }
}

// What inverse_recenter makes <x> of.
int Recenter(int r, int x) {
  if (x > 2 * r) return x;
  return x >= r ? 2 * (x - r) : 2 * (r - x) - 1;
}

// decode_signed_subexp_with_ref(-limit, limit + 1, r)
void WriteSignedSubexp(FieldWriter& to, int limit, int r, int value) {
  const int symbols = 2 * limit + 1;
  r += limit;
  value += limit;
  const int v = r << 1 <= symbols
                    ? Recenter(r, value)
                    : Recenter(symbols - 1 - r, symbols - 1 - value);
  WriteSubexp(to, symbols, v);
}

// read_global_param
void WriteParam(Random& random, FieldWriter& to, bool translation_only,
                bool high_precision, int index, int32_t previous) {
  int abs_bits = kAbsAlphaBits, prec_bits = kAlphaPrecBits;
  if (index < 2 && translation_only) {
    abs_bits = kAbsTransOnlyBits - !high_precision;
    prec_bits = kTransOnlyPrecBits - !high_precision;
  } else if (index < 2) {
    abs_bits = kAbsTransBits;
    prec_bits = kTransPrecBits;
  }
  const int shift = kPrecBits - prec_bits;
  const bool diagonal = index % 3 == 2;
  const int32_t sub = diagonal ? 1 << prec_bits : 0;
  const int limit = 1 << abs_bits;
  const int r = std::clamp((previous >> shift) - sub, -limit, limit);
  const int most =
      random.Percent(5) ? limit : 1 << random.Below(uint32_t(abs_bits));
  const int value = random.Between(-most, most);
  WriteSignedSubexp(to, limit, r, value);
}

}  // namespace

void WriteGlobalMotion(Random& random, FieldWriter& to, bool high_precision,
                       uint32_t any, const client::av1::GmParams& previous) {
  for (size_t ref = perdix::av1::LAST_FRAME; ref <= perdix::av1::ALTREF_FRAME;
       ++ref) {
    if (!to.Flag("is_global", random.Percent(any))) continue;
    const bool rot_zoom = to.Flag("is_rot_zoom", random.Percent(40));
    const bool translation =
        !rot_zoom && to.Flag("is_translation", random.Percent(30));
    const auto write = [&](size_t index) {
      WriteParam(random, to, translation, high_precision, int(index),
                 previous[ref][index]);
    };
    if (!translation) {
      write(2);
      write(3);
      if (!rot_zoom) {
        write(4);
        write(5);
      }
    }
    write(0);
    write(1);
  }
}

}  // namespace perdix::make_stream::av1
