// SPDX-License-Identifier: BSD-2-Clause
#include "tests/fuzz/av1_headers.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "codec/av1/private_controls.h"
#include "codec/controls.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {
namespace {

constexpr uint8_t kNoPrimary = 7;  // PRIMARY_REF_NONE

bool OneIn(Random& random, size_t n) { return Below(random, n) == 0; }

int Between(Random& random, int least, int most) {
  return least + int(Below(random, size_t(most - least) + 1));
}

// ---- size and tiles ----

void SetSize(Random& random, const Av1Size& size, v4l2_ctrl_av1_frame* frame) {
  constexpr uint32_t kUnscaled = 8, kMostScaled = 16, kLeastWidth = 16;
  const uint32_t width = size.width;
  const bool superres = OneIn(random, 3);
  const uint32_t denominator =
      superres ? uint32_t(Between(random, 9, kMostScaled)) : kUnscaled;
  const uint32_t scaled =
      std::max((width * kUnscaled + denominator / 2) / denominator,
               std::min(width, kLeastWidth));
  frame->upscaled_width = width;
  frame->superres_denom = uint8_t(denominator);
  if (superres) frame->flags |= V4L2_AV1_FRAME_FLAG_USE_SUPERRES;
  frame->frame_width_minus_1 = scaled - 1;
  frame->frame_height_minus_1 = size.height - 1;
  frame->render_width_minus_1 = uint16_t(width - 1);
  frame->render_height_minus_1 = uint16_t(size.height - 1);
}

// Cuts so many superblocks into tiles; returns how many.
uint8_t CutTiles(Random& random, uint32_t superblocks, uint32_t* minus_1) {
  const bool one = OneIn(random, 2);
  uint8_t tiles = 0;
  while (superblocks > 0) {
    const uint32_t size =
        one ? superblocks : 1 + uint32_t(Below(random, superblocks));
    minus_1[tiles++] = size - 1;
    superblocks -= size;
  }
  return tiles;
}

void SetTiles(Random& random, const v4l2_ctrl_av1_sequence& sequence,
              v4l2_ctrl_av1_frame* frame) {
  const uint32_t size =
      sequence.flags & V4L2_AV1_SEQUENCE_FLAG_USE_128X128_SUPERBLOCK ? 128 : 64;
  v4l2_av1_tile_info& info = frame->tile_info;
  info.tile_cols = CutTiles(random, frame->frame_width_minus_1 / size + 1,
                            info.width_in_sbs_minus_1);
  info.tile_rows = CutTiles(random, frame->frame_height_minus_1 / size + 1,
                            info.height_in_sbs_minus_1);
  info.context_update_tile_id =
      uint8_t(Below(random, size_t{info.tile_cols} * info.tile_rows));
  info.tile_size_bytes = 4;
}

// ---- quantisers, segments, filters ----

int8_t RandomDeltaQ(Random& random) {
  return OneIn(random, 4) ? int8_t(Between(random, -64, 63)) : int8_t{0};
}

void SetQuantization(Random& random, v4l2_av1_quantization* quantization) {
  quantization->flags = uint8_t(Below(random, 8));
  quantization->base_q_idx =
      OneIn(random, 8) ? uint8_t{0} : uint8_t(Below(random, 256));
  const bool lossless = quantization->base_q_idx == 0 && OneIn(random, 2);
  for (int8_t* const delta :
       {&quantization->delta_q_y_dc, &quantization->delta_q_u_dc,
        &quantization->delta_q_u_ac, &quantization->delta_q_v_dc,
        &quantization->delta_q_v_ac}) {
    *delta = lossless ? int8_t{0} : RandomDeltaQ(random);
  }
  for (uint8_t* const level :
       {&quantization->qm_y, &quantization->qm_u, &quantization->qm_v}) {
    *level = uint8_t(Below(random, 16));
  }
  quantization->delta_q_res = uint8_t(Below(random, 4));
}

void SetSegmentation(Random& random, v4l2_av1_segmentation* segmentation) {
  constexpr int kMost[] = {255, 63, 63, 63, 63, 7, 0, 0};
  constexpr int kSignedFeatures = 5;
  if (!OneIn(random, 3)) return;
  segmentation->flags =
      uint8_t(Below(random, 32)) | V4L2_AV1_SEGMENTATION_FLAG_ENABLED;
  for (int i = 0; i < V4L2_AV1_MAX_SEGMENTS; ++i) {
    segmentation->feature_enabled[i] = uint8_t(random() & random());
    for (int j = 0; j < V4L2_AV1_SEG_LVL_MAX; ++j) {
      const int least = j < kSignedFeatures ? -kMost[j] : 0;
      segmentation->feature_data[i][j] =
          int16_t(Between(random, least, kMost[j]));
    }
    if (segmentation->feature_enabled[i] != 0)
      segmentation->last_active_seg_id = uint8_t(i);
  }
}

void SetLoopFilter(Random& random, v4l2_av1_loop_filter* filter) {
  filter->flags = uint8_t(Below(random, 16));
  const bool filters = !OneIn(random, 4);
  for (uint8_t& level : filter->level)
    level = filters ? uint8_t(Below(random, 64)) : uint8_t{0};
  filter->sharpness = uint8_t(Below(random, 8));
  filter->delta_lf_res = uint8_t(Below(random, 4));
  for (int8_t& delta : filter->ref_deltas)
    delta = int8_t(Between(random, -64, 63));
  for (int8_t& delta : filter->mode_deltas)
    delta = int8_t(Between(random, -64, 63));
}

void SetCdef(Random& random, v4l2_av1_cdef* cdef) {
  constexpr uint8_t kSecondary[] = {0, 1, 2, 4};
  cdef->damping_minus_3 = uint8_t(Below(random, 4));
  cdef->bits = uint8_t(Below(random, 4));
  for (int i = 0; i < V4L2_AV1_CDEF_MAX; ++i) {
    cdef->y_pri_strength[i] = uint8_t(Below(random, 16));
    cdef->y_sec_strength[i] = kSecondary[Below(random, 4)];
    cdef->uv_pri_strength[i] = uint8_t(Below(random, 16));
    cdef->uv_sec_strength[i] = kSecondary[Below(random, 4)];
  }
}

// 5.9.20: units of 64 to 256; chroma's are luma's or half of them.
void SetRestoration(Random& random, const v4l2_ctrl_av1_sequence& sequence,
                    v4l2_av1_loop_restoration* restoration) {
  const bool sb128 =
      sequence.flags & V4L2_AV1_SEQUENCE_FLAG_USE_128X128_SUPERBLOCK;
  const uint32_t size = 64u << Between(random, sb128, 2);
  const bool halves = (sequence.flags & V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X) &&
                      (sequence.flags & V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_Y) &&
                      OneIn(random, 2);
  for (int i = 0; i < V4L2_AV1_NUM_PLANES_MAX; ++i) {
    restoration->frame_restoration_type[i] =
        v4l2_av1_frame_restoration_type(Below(random, 4));
    restoration->loop_restoration_size[i] = size >> (halves && i > 0);
  }
}

// ---- references ----

void SetGlobalMotion(Random& random, v4l2_av1_global_motion* motion) {
  constexpr int kOne = 1 << 16;  // WARPEDMODEL_PREC_BITS
  for (int ref = 0; ref < V4L2_AV1_TOTAL_REFS_PER_FRAME; ++ref) {
    int32_t* const params = motion->params[ref];
    params[2] = params[5] = kOne;
    if (ref == 0 || OneIn(random, 2)) continue;
    motion->type[ref] = v4l2_av1_warp_model(Below(random, 4));
    const int spread = OneIn(random, 4) ? 1 << 13 : 1 << 9;
    for (int i = 0; i < 6; ++i)
      params[i] += Between(random, -spread, spread) * (i < 2 ? 64 : 1);
    if (motion->type[ref] == V4L2_AV1_WARP_MODEL_ROTZOOM) {
      params[4] = -params[3];
      params[5] = params[2];
    }
  }
}

void SetReferences(Random& random, const v4l2_ctrl_av1_sequence& sequence,
                   v4l2_ctrl_av1_frame* frame) {
  const uint32_t hints = 1u << sequence.order_hint_bits;
  frame->order_hint = uint32_t(Below(random, hints));
  frame->primary_ref_frame =
      OneIn(random, 3) ? kNoPrimary : uint8_t(Below(random, 7));
  for (uint32_t& hint : frame->order_hints)
    hint = uint32_t(Below(random, hints));
  for (int8_t& index : frame->ref_frame_idx) index = int8_t(Below(random, 8));
  for (uint8_t& name : frame->skip_mode_frame)
    name = uint8_t(Between(random, 1, 7));
  frame->refresh_frame_flags = uint8_t(random() & random());
  SetGlobalMotion(random, &frame->global_motion);
}

v4l2_av1_frame_type RandomType(Random& random) {
  switch (Below(random, 8)) {
    case 0:
      return V4L2_AV1_KEY_FRAME;
    case 1:
      return V4L2_AV1_INTRA_ONLY_FRAME;
    case 2:
      return V4L2_AV1_SWITCH_FRAME;
    default:
      return V4L2_AV1_INTER_FRAME;
  }
}

// Seldom, for they rule out much else, and errors would be the rule.
uint32_t RandomFlags(Random& random) {
  constexpr uint32_t kSeldom = V4L2_AV1_FRAME_FLAG_ERROR_RESILIENT_MODE |
                               V4L2_AV1_FRAME_FLAG_DISABLE_CDF_UPDATE |
                               V4L2_AV1_FRAME_FLAG_ALLOW_INTRABC |
                               V4L2_AV1_FRAME_FLAG_USE_SUPERRES;
  uint32_t flags = uint32_t(random()) & 0xfffff & ~kSeldom;
  if (OneIn(random, 4)) flags |= uint32_t(random()) & kSeldom;
  return flags & ~uint32_t{V4L2_AV1_FRAME_FLAG_USE_SUPERRES};
}

// ---- film grain ----

uint8_t SetPoints(Random& random, int most, uint8_t* values, uint8_t* scaling) {
  const int count = Between(random, 0, most);
  int value = 0;
  int set = 0;
  for (; set < count && value < 256; ++set) {
    values[set] = uint8_t(value);
    scaling[set] = uint8_t(random());
    value += Between(random, 1, 40);
  }
  return uint8_t(set);
}

void SetGrain(Random& random, const v4l2_ctrl_av1_sequence& sequence,
              v4l2_ctrl_av1_film_grain* grain) {
  grain->flags =
      uint8_t(Below(random, 32)) | V4L2_AV1_FILM_GRAIN_FLAG_APPLY_GRAIN;
  grain->grain_seed = uint16_t(random());
  grain->num_y_points =
      SetPoints(random, 14, grain->point_y_value, grain->point_y_scaling);
  const bool subsampled =
      (sequence.flags & V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X) &&
      (sequence.flags & V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_Y);
  const bool chroma =
      !(sequence.flags & V4L2_AV1_SEQUENCE_FLAG_MONO_CHROME) &&
      !(grain->flags & V4L2_AV1_FILM_GRAIN_FLAG_CHROMA_SCALING_FROM_LUMA) &&
      !(subsampled && grain->num_y_points == 0);
  if (chroma) {
    grain->num_cb_points =
        SetPoints(random, 10, grain->point_cb_value, grain->point_cb_scaling);
    grain->num_cr_points =
        SetPoints(random, 10, grain->point_cr_value, grain->point_cr_scaling);
  }
  grain->grain_scaling_minus_8 = uint8_t(Below(random, 4));
  grain->ar_coeff_lag = uint8_t(Below(random, 4));
  grain->ar_coeff_shift_minus_6 = uint8_t(Below(random, 4));
  grain->grain_scale_shift = uint8_t(Below(random, 4));
  for (int i = 0; i < V4L2_AV1_AR_COEFFS_SIZE; ++i) {
    grain->ar_coeffs_y_plus_128[i] = uint8_t(random());
    grain->ar_coeffs_cb_plus_128[i] = uint8_t(random());
    grain->ar_coeffs_cr_plus_128[i] = uint8_t(random());
  }
  grain->cb_mult = uint8_t(random());
  grain->cr_mult = uint8_t(random());
  grain->cb_luma_mult = uint8_t(random());
  grain->cr_luma_mult = uint8_t(random());
  grain->cb_offset = uint16_t(Below(random, 512));
  grain->cr_offset = uint16_t(Below(random, 512));
}

// ---- records ----

struct Record {
  size_t value;  // where it begins
  size_t bytes;
};

std::vector<Record> Records(const std::vector<uint8_t>& controls) {
  constexpr size_t kAlignment = 8;
  std::vector<Record> records;
  size_t at = 0;
  while (at + sizeof(perdix_control) <= controls.size()) {
    perdix_control header;
    std::memcpy(&header, controls.data() + at, sizeof(header));
    at += sizeof(header);
    if (header.bytes > controls.size() - at) break;
    records.push_back({at, header.bytes});
    at += (header.bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return records;
}

}  // namespace

bool Av1Headers::intra() const {
  return frame.frame_type == V4L2_AV1_KEY_FRAME ||
         frame.frame_type == V4L2_AV1_INTRA_ONLY_FRAME;
}

v4l2_ctrl_av1_sequence RandomSequence(Random& random) {
  constexpr uint8_t kDepths[] = {8, 8, 10, 12};
  constexpr uint32_t kSubsampling = V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X |
                                    V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_Y;
  v4l2_ctrl_av1_sequence sequence = {};
  sequence.flags = uint32_t(random()) & 0xfffff & ~kSubsampling &
                   ~uint32_t{V4L2_AV1_SEQUENCE_FLAG_MONO_CHROME};
  if (OneIn(random, 8)) {
    sequence.flags |= V4L2_AV1_SEQUENCE_FLAG_MONO_CHROME | kSubsampling;
  } else if (!OneIn(random, 4)) {
    sequence.flags |= kSubsampling;
  } else if (OneIn(random, 2)) {
    sequence.flags |= V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X;
  }
  sequence.seq_profile = uint8_t(Below(random, 3));
  sequence.bit_depth = kDepths[Below(random, std::size(kDepths))];
  if (sequence.flags & V4L2_AV1_SEQUENCE_FLAG_ENABLE_ORDER_HINT)
    sequence.order_hint_bits = uint8_t(Between(random, 1, 8));
  return sequence;
}

Av1Size RandomSize(Random& random, uint32_t most) {
  constexpr uint32_t kSmall = 72;
  const auto side = [&] {
    const uint32_t bound = OneIn(random, 3) ? std::min(kSmall, most) : most;
    return 1 + uint32_t(Below(random, bound));
  };
  const uint32_t width = side();
  return {width, side()};
}

Av1Headers RandomHeaders(Random& random, const v4l2_ctrl_av1_sequence& sequence,
                         const Av1Size& size, bool first) {
  Av1Headers headers = {};
  headers.sequence = sequence;
  v4l2_ctrl_av1_frame& frame = headers.frame;
  frame.frame_type = first ? V4L2_AV1_KEY_FRAME : RandomType(random);
  frame.flags = RandomFlags(random);
  SetSize(random, size, &frame);
  SetTiles(random, sequence, &frame);
  SetQuantization(random, &frame.quantization);
  SetSegmentation(random, &frame.segmentation);
  SetLoopFilter(random, &frame.loop_filter);
  SetCdef(random, &frame.cdef);
  SetRestoration(random, sequence, &frame.loop_restoration);
  frame.interpolation_filter = v4l2_av1_interpolation_filter(Below(random, 5));
  frame.tx_mode = v4l2_av1_tx_mode(Below(random, 3));
  SetReferences(random, sequence, &frame);
  if (first) {
    frame.primary_ref_frame = kNoPrimary;
    frame.refresh_frame_flags = 0xff;
  }
  SetGrain(random, sequence, &headers.grain);
  return headers;
}

void PlaceTiles(size_t bytes, Av1Headers* headers) {
  const size_t count = headers->tile_count();
  headers->tiles.clear();
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = bytes * i / count, end = bytes * (i + 1) / count;
    headers->tiles.push_back(
        {.tile_offset = uint32_t(begin),
         .tile_size = uint32_t(end - begin),
         .tile_row = uint32_t(i / headers->frame.tile_info.tile_cols),
         .tile_col = uint32_t(i % headers->frame.tile_info.tile_cols)});
  }
}

std::vector<uint8_t> ToControls(const Av1Headers& headers) {
  std::vector<uint8_t> controls;
  AppendControl(V4L2_CID_STATELESS_AV1_SEQUENCE, headers.sequence, &controls);
  AppendControl(V4L2_CID_STATELESS_AV1_FRAME, headers.frame, &controls);
  AppendBytes(V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY,
              {reinterpret_cast<const uint8_t*>(headers.tiles.data()),
               headers.tiles.size() * sizeof(headers.tiles[0])},
              &controls);
  AppendControl(V4L2_CID_STATELESS_AV1_FILM_GRAIN, headers.grain, &controls);
  const av1::ColorConfigControl color = {headers.frame.order_hint % 4 == 0
                                             ? av1::kMatrixIdentity
                                             : av1::kMatrixUnspecified};
  AppendControl(av1::kColorConfigControl, color, &controls);
  const av1::ContextTileControl context = {
      headers.frame.tile_info.context_update_tile_id};
  if (headers.frame.order_hint % 4 == 1)
    AppendControl(av1::kContextTileControl, context, &controls);
  return controls;
}

void DamageControls(Random& random, std::vector<uint8_t>* controls) {
  const std::vector<Record> records = Records(*controls);
  if (records.empty()) return;
  const Record record = records[Below(random, records.size())];
  const std::span<uint8_t> value(controls->data() + record.value, record.bytes);
  switch (Below(random, 16)) {
    case 0:
      for (uint8_t& byte : value) byte = uint8_t(random());
      return;
    case 1:
      controls->resize(Below(random, controls->size() + 1));
      return;
    case 2:  // what says the id and the size
      DamageBytes(random,
                  std::span<uint8_t>(controls->data() + record.value - 8, 8));
      return;
    default:
      DamageBytes(random, value);
  }
}

}  // namespace perdix
