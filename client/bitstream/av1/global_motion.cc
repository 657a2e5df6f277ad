// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/global_motion.h"

#include <algorithm>
#include <iterator>

#include "client/bitstream/av1/syntax.h"

namespace perdix::client::av1 {
namespace {

constexpr int kPrecBits = perdix::av1::kWarpedModelPrecBits;
// GM_ABS_*_BITS, GM_*_PREC_BITS of section 3
constexpr int kAbsAlphaBits = 12, kAlphaPrecBits = 15;
constexpr int kAbsTransOnlyBits = 9, kTransOnlyPrecBits = 3;
constexpr int kAbsTransBits = 12, kTransPrecBits = 6;

// decode_subexp: 0 to symbols - 1
int ReadSubexp(BitReader& reader, int symbols) {
  constexpr int k = 3;
  int least = 0;  // mk
  for (int i = 0;; ++i) {
    const int bits = i > 0 ? k + i - 1 : k;
    const int values = 1 << bits;
    if (symbols <= least + 3 * values) {
      return int(ReadNonSymmetric(reader, uint32_t(symbols - least))) + least;
    }
    if (!reader.Flag()) return int(reader.Bits(bits)) + least;
    least += values;
  }
}

// inverse_recenter
int InverseRecenter(int r, int v) {
  if (v > 2 * r) return v;
  return (v & 1) != 0 ? r - ((v + 1) >> 1) : r + (v >> 1);
}

// decode_unsigned_subexp_with_ref: 0 to symbols - 1
int ReadUnsignedSubexp(BitReader& reader, int symbols, int r) {
  const int v = ReadSubexp(reader, symbols);
  if (r << 1 <= symbols) return InverseRecenter(r, v);
  return symbols - 1 - InverseRecenter(symbols - 1 - r, v);
}

// decode_signed_subexp_with_ref(-limit, limit + 1, r)
int ReadSignedSubexp(BitReader& reader, int limit, int r) {
  return ReadUnsignedSubexp(reader, 2 * limit + 1, r + limit) - limit;
}

// read_global_param. The parameters of an earlier frame were read with the same
// limits or narrower ones, so that r is within <limit>.
int32_t ReadParam(BitReader& reader, bool translation_only,
                  bool allow_high_precision_mv, int index, int32_t previous) {
  int abs_bits = kAbsAlphaBits, prec_bits = kAlphaPrecBits;
  if (index < 2 && translation_only) {
    abs_bits = kAbsTransOnlyBits - !allow_high_precision_mv;
    prec_bits = kTransOnlyPrecBits - !allow_high_precision_mv;
  } else if (index < 2) {
    abs_bits = kAbsTransBits;
    prec_bits = kTransPrecBits;
  }
  const int shift = kPrecBits - prec_bits;
  const bool diagonal = index % 3 == 2;
  const int32_t round = diagonal ? 1 << kPrecBits : 0;
  const int32_t sub = diagonal ? 1 << prec_bits : 0;
  const int limit = 1 << abs_bits;
  const int r = std::clamp((previous >> shift) - sub, -limit, limit);
  return ReadSignedSubexp(reader, limit, r) * (1 << shift) + round;
}

// The type in the order of the flags that say it.
v4l2_av1_warp_model ReadType(BitReader& reader, uint8_t* flags) {
  if (!reader.Flag()) return V4L2_AV1_WARP_MODEL_IDENTITY;
  *flags |= V4L2_AV1_GLOBAL_MOTION_FLAG_IS_GLOBAL;
  if (reader.Flag()) {
    *flags |= V4L2_AV1_GLOBAL_MOTION_FLAG_IS_ROT_ZOOM;
    return V4L2_AV1_WARP_MODEL_ROTZOOM;
  }
  if (!reader.Flag()) return V4L2_AV1_WARP_MODEL_AFFINE;
  *flags |= V4L2_AV1_GLOBAL_MOTION_FLAG_IS_TRANSLATION;
  return V4L2_AV1_WARP_MODEL_TRANSLATION;
}

}  // namespace

GmParams IdentityGmParams() {
  GmParams params = {};
  for (auto& of_reference : params) {
    of_reference[2] = of_reference[5] = 1 << kPrecBits;
  }
  return params;
}

void SetIdentity(v4l2_av1_global_motion& motion) {
  motion = {};
  const GmParams identity = IdentityGmParams();
  for (size_t i = 0; i < identity.size(); ++i) {
    std::copy(identity[i].begin(), identity[i].end(), motion.params[i]);
  }
}

void ReadGlobalMotion(BitReader& reader, bool allow_high_precision_mv,
                      const GmParams& previous,
                      v4l2_av1_global_motion& motion) {
  for (int ref = perdix::av1::LAST_FRAME; ref <= perdix::av1::ALTREF_FRAME;
       ++ref) {
    const v4l2_av1_warp_model type = ReadType(reader, &motion.flags[ref]);
    motion.type[ref] = type;
    const auto read = [&](int index) {
      motion.params[ref][index] =
          ReadParam(reader, type == V4L2_AV1_WARP_MODEL_TRANSLATION,
                    allow_high_precision_mv, index, previous[ref][index]);
    };
    if (type >= V4L2_AV1_WARP_MODEL_ROTZOOM) {
      read(2);
      read(3);
      if (type == V4L2_AV1_WARP_MODEL_AFFINE) {
        read(4);
        read(5);
      } else {
        motion.params[ref][4] = -motion.params[ref][3];
        motion.params[ref][5] = motion.params[ref][2];
      }
    }
    if (type >= V4L2_AV1_WARP_MODEL_TRANSLATION) {
      read(0);
      read(1);
    }
  }
}

}  // namespace perdix::client::av1
