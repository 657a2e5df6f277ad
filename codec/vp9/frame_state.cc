// SPDX-License-Identifier: BSD-2-Clause
#include "codec/vp9/frame_state.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "codec/controls.h"
#include "codec/vp9/tile.h"

namespace perdix::vp9 {
namespace {

constexpr uint32_t kMaxFrameSize = 16384;  // luma samples, each direction
constexpr int kScaleShift = 14;            // REF_SCALE_SHIFT

Status Invalid(const std::string& message) {
  return {StatusCode::kInvalidBitstream, message};
}

// A field out of the range the format allows.
Status OutOfRange(const char* field, int64_t got, int64_t low, int64_t high) {
  return Invalid(std::string(field) + " is " + std::to_string(got) +
                 ", allowed: " + std::to_string(low) + ".." +
                 std::to_string(high));
}

int MinTileColsLog2(uint32_t sb_cols) {
  int log2 = 0;
  while ((uint32_t{kMaxTileSuperblocks} << log2) < sb_cols) ++log2;
  return log2;
}

int MaxTileColsLog2(uint32_t sb_cols) {
  int log2 = 1;
  while ((sb_cols >> log2) >= 4) ++log2;
  return log2 - 1;
}

Status CheckHeader(const v4l2_ctrl_vp9_frame& h) {
  const bool high = h.profile >= 2;
  if (h.profile > 3) return OutOfRange("profile", h.profile, 0, 3);
  if (high ? h.bit_depth != 10 && h.bit_depth != 12 : h.bit_depth != 8) {
    return Invalid("bit depth " + std::to_string(h.bit_depth) +
                   " is not one of profile " + std::to_string(h.profile));
  }
  const uint32_t width = h.frame_width_minus_1 + 1u;
  const uint32_t height = h.frame_height_minus_1 + 1u;
  if (width > kMaxFrameSize) {
    return OutOfRange("frame width", width, 1, kMaxFrameSize);
  }
  if (height > kMaxFrameSize) {
    return OutOfRange("frame height", height, 1, kMaxFrameSize);
  }
  if (h.lf.level > 63)
    return OutOfRange("loop filter level", h.lf.level, 0, 63);
  if (h.lf.sharpness > 7) {
    return OutOfRange("loop filter sharpness", h.lf.sharpness, 0, 7);
  }
  if (h.interpolation_filter > V4L2_VP9_INTERP_FILTER_SWITCHABLE) {
    return OutOfRange("interpolation filter", h.interpolation_filter, 0, 4);
  }
  if (h.frame_context_idx > 3) {
    return OutOfRange("frame context index", h.frame_context_idx, 0, 3);
  }
  if (h.reset_frame_context > V4L2_VP9_RESET_FRAME_CTX_ALL) {
    return OutOfRange("reset frame context", h.reset_frame_context, 0, 2);
  }
  const uint32_t sb_cols = (width + 63) / 64;
  const int low = MinTileColsLog2(sb_cols),
            high_log2 = MaxTileColsLog2(sb_cols);
  if (h.tile_cols_log2 < low || h.tile_cols_log2 > high_log2) {
    return OutOfRange("tile columns (log2)", h.tile_cols_log2, low, high_log2);
  }
  if (h.tile_rows_log2 > 2) {
    return OutOfRange("tile rows (log2)", h.tile_rows_log2, 0, 2);
  }
  if (h.compressed_header_size == 0) return Invalid("no compressed header");
  return Status::Ok();
}

bool Flag(const v4l2_ctrl_vp9_frame& header, uint32_t flag) {
  return (header.flags & flag) != 0;
}

// Most that one 64x64 superblock can hold.
TileLists::Capacity MostRecords(const FrameParams& params) {
  constexpr size_t kMi = 64;
  constexpr size_t k4x4 = 256;
  const uint32_t shift = params.subsampling_x + params.subsampling_y;
  const size_t chroma_4x4 = k4x4 >> shift;
  const size_t transforms = k4x4 + 2 * chroma_4x4;
  const size_t units = params.bit_depth > 8 ? 2 : 1;  // of a coefficient
  TileLists::Capacity most;
  // below 8x8: four luma records and one for each 4x4 of chroma
  most.records[kInterBlocks.index] = kMi * (4 + (4 >> shift));
  most.records[kInterTransforms.index] = transforms;
  most.records[kIntraTransforms.index] = transforms;
  most.records[kIntraBlocks.index] = k4x4 + chroma_4x4;
  most.coefficients = transforms * 16 * units;
  return most;
}

// The filter of the next row changes 8 lines of chroma.
constexpr uint32_t kFilterLag = 2 * 8;

// 4 bytes, each loaded once: the client can write to the bitstream meanwhile,
// and the size that is checked must be the one that is used.
size_t ReadTileSize(const volatile uint8_t* bytes) {
  size_t size = 0;
  for (int i = 0; i < 4; ++i) size = size << 8 | bytes[i];
  return size;
}

std::string TileName(uint32_t row, uint32_t col) {
  return "tile " + std::to_string(row) + "," + std::to_string(col) + ": ";
}

}  // namespace

Vp9State::Vp9State() = default;
Vp9State::~Vp9State() = default;

Status Vp9State::Begin(ParsedFrame& parsed) {
  begun_ = false;
  Status status = ReadControls(parsed.request);
  if (!status.ok()) return status;
  const v4l2_ctrl_vp9_frame& header = frame_.header;
  status =
      SetView(*parsed.request.target, header.frame_width_minus_1 + 1u,
              header.frame_height_minus_1 + 1u, header.bit_depth,
              uint32_t(frame_.subsampling_x), uint32_t(frame_.subsampling_y));
  if (!status.ok()) return status;

  parsed.shown = Flag(header, V4L2_VP9_FRAME_FLAG_SHOW_FRAME);
  parsed.filter_lag = kFilterLag;
  begun_ = true;
  SetUpFrameSize(parsed);
  SetUpSegmentation();
  SetUpPastIndependence();
  status = CheckKept(parsed);
  if (!status.ok()) return status;
  status = SetUpReferences(parsed);
  if (!status.ok()) return status;
  SetUpDequant();
  SetUpFilterLevels();
  SetUpCompoundReferences();
  const auto headers =
      parsed.request.bitstream.subspan(header.uncompressed_header_size);
  status = ReadProbabilities(headers.first(header.compressed_header_size));
  if (!status.ok()) return status;
  return SetUpTiles(parsed, headers.subspan(header.compressed_header_size));
}

Status Vp9State::ReadControls(const FrameRequest& request) {
  v4l2_ctrl_vp9_frame& header = frame_.header;
  Status status =
      ReadControl(request.controls, V4L2_CID_STATELESS_VP9_FRAME, &header);
  if (!status.ok()) return status;
  status = CheckHeader(header);
  if (!status.ok()) return status;
  const size_t headers =
      size_t{header.uncompressed_header_size} + header.compressed_header_size;
  if (headers > request.bitstream.size()) {
    return Invalid("headers of " + std::to_string(headers) +
                   " bytes in a frame of " +
                   std::to_string(request.bitstream.size()));
  }

  const bool key = Flag(header, V4L2_VP9_FRAME_FLAG_KEY_FRAME);
  frame_.frame_is_intra = key || Flag(header, V4L2_VP9_FRAME_FLAG_INTRA_ONLY);
  const v4l2_vp9_quantization& quant = header.quant;
  frame_.lossless = quant.base_q_idx == 0 && quant.delta_q_y_dc == 0 &&
                    quant.delta_q_uv_dc == 0 && quant.delta_q_uv_ac == 0;
  frame_.allow_high_precision_mv =
      Flag(header, V4L2_VP9_FRAME_FLAG_ALLOW_HIGH_PREC_MV);
  frame_.count_symbols = !Flag(header, V4L2_VP9_FRAME_FLAG_ERROR_RESILIENT) &&
                         !Flag(header, V4L2_VP9_FRAME_FLAG_PARALLEL_DEC_MODE);
  frame_.interp_filter = header.interpolation_filter;
  frame_.bit_depth = header.bit_depth;
  frame_.subsampling_x = Flag(header, V4L2_VP9_FRAME_FLAG_X_SUBSAMPLING);
  frame_.subsampling_y = Flag(header, V4L2_VP9_FRAME_FLAG_Y_SUBSAMPLING);
  if (header.profile % 2 == 0 &&
      (frame_.subsampling_x == 0 || frame_.subsampling_y == 0)) {
    return Invalid("profile " + std::to_string(header.profile) +
                   " without 4:2:0 subsampling");
  }
  return Status::Ok();
}

// VP9 7.2.6 compute_image_size, with its side effects on what is kept.
void Vp9State::SetUpFrameSize(ParsedFrame& parsed) {
  FrameParams& params = parsed.params;
  params = {};
  params.width = frame_.header.frame_width_minus_1 + 1u;
  params.height = frame_.header.frame_height_minus_1 + 1u;
  params.sb_log2 = 6;
  params.sb_cols = (params.width + 63) / 64;
  params.sb_rows = (params.height + 63) / 64;
  params.bit_depth = uint32_t(frame_.bit_depth);
  params.subsampling_x = uint32_t(frame_.subsampling_x);
  params.subsampling_y = uint32_t(frame_.subsampling_y);
  Params& vp9 = parsed.codec_params.As<Params>();
  vp9 = {};
  vp9.mi_cols = (params.width + 7) / 8;
  vp9.mi_rows = (params.height + 7) / 8;
  vp9.lossless = frame_.lossless;
  vp9.loop_filter_level = frame_.header.lf.level;
  vp9.loop_filter_sharpness = frame_.header.lf.sharpness;

  frame_.mi_cols = int(vp9.mi_cols);
  frame_.mi_rows = int(vp9.mi_rows);
  const size_t mis = size_t{vp9.mi_cols} * vp9.mi_rows;
  const bool same_size =
      params.width == last_width_ && params.height == last_height_;
  frame_.use_prev_frame_mvs =
      same_size && last_show_frame_ && !last_frame_was_intra_ &&
      !Flag(frame_.header, V4L2_VP9_FRAME_FLAG_ERROR_RESILIENT);
  if (!same_size) {
    frame_.mode_infos.Reset(mis);
    frame_.prev_mode_infos.Reset(mis);
    frame_.grid.resize(mis);
    frame_.prev_grid.resize(mis);
    frame_.segment_ids.assign(mis, 0);
    frame_.prev_segment_ids.assign(mis, 0);
    Renew(kSegmentIds);
  }
  parsed.tables.Resize(kEdges, mis);
  last_width_ = params.width;
  last_height_ = params.height;
}

uint32_t Vp9State::Reads() const {
  const Segmentation& segmentation = frame_.segmentation;
  uint32_t reads = kContext << frame_.header.frame_context_idx;
  if (!frame_.frame_is_intra && frame_.use_prev_frame_mvs) reads |= kVectors;
  if (segmentation.enabled &&
      (!segmentation.update_map || segmentation.temporal_update)) {
    reads |= kSegmentIds;
  }
  return reads;
}

uint32_t Vp9State::Writes() const {
  uint32_t writes = kVectors;
  if (Flag(frame_.header, V4L2_VP9_FRAME_FLAG_REFRESH_FRAME_CTX))
    writes |= kContext << frame_.header.frame_context_idx;
  if (frame_.segmentation.enabled) writes |= kSegmentIds;
  return writes;
}

void Vp9State::Renew(uint32_t kept) {
  lost_ &= ~kept;
  damaged_ &= ~kept;
}

// Without what a frame that failed should have left, every symbol would be read
// wrong.
Status Vp9State::CheckKept(ParsedFrame& parsed) const {
  if (Reads() & lost_) {
    return {StatusCode::kMissingReference,
            "no intact frame to continue from; decoding resumes at the next "
            "key frame"};
  }
  if (Reads() & damaged_) {
    parsed.MarkDamaged({StatusCode::kMissingReference,
                        "goes on from what a damaged frame has left: "
                        "probabilities, motion vectors or segments"});
  }
  return Status::Ok();
}

Status Vp9State::SetUpReferences(ParsedFrame& parsed) {
  std::fill(std::begin(frame_.reference_valid),
            std::end(frame_.reference_valid), false);
  if (frame_.frame_is_intra) return Status::Ok();
  bool any = false;
  for (int i = 0; i < PERDIX_VP9_REFS; ++i) {
    const Picture* picture = parsed.request.references[size_t(i)].get();
    if (picture == nullptr || picture->broken.load(std::memory_order_acquire)) {
      continue;
    }
    const PictureView& view = picture->view;
    const FrameParams& params = parsed.params;
    // VP9 7.2.5: sizes between half and 16 times, and the same format
    if (view.width == 0 || view.bit_depth != params.bit_depth ||
        view.subsampling_x != params.subsampling_x ||
        view.subsampling_y != params.subsampling_y ||
        2 * params.width < view.width || 2 * params.height < view.height ||
        params.width > 16 * view.width || params.height > 16 * view.height) {
      continue;
    }
    parsed.params.references[i] = {view.width, view.height, 1, 0};
    ReferenceScale& ref = parsed.codec_params.As<Params>().references[i];
    ref.x_scale = (view.width << kScaleShift) / params.width;
    ref.y_scale = (view.height << kScaleShift) / params.height;
    ref.x_step = (16 * ref.x_scale) >> kScaleShift;
    ref.y_step = (16 * ref.y_scale) >> kScaleShift;
    frame_.reference_valid[i + LAST_FRAME] = true;
    any = true;
  }
  if (any) return Status::Ok();
  return {StatusCode::kMissingReference,
          "none of the three reference frames is intact and of a usable size"};
}

// VP9 7.2 setup_past_independence, reset_frame_context.
void Vp9State::SetUpPastIndependence() {
  v4l2_ctrl_vp9_frame& header = frame_.header;
  const bool error_resilient =
      Flag(header, V4L2_VP9_FRAME_FLAG_ERROR_RESILIENT);
  if (!frame_.frame_is_intra && !error_resilient) return;
  std::fill(frame_.prev_segment_ids.begin(), frame_.prev_segment_ids.end(),
            uint8_t{0});
  Renew(kSegmentIds);
  const FrameContext& defaults = DefaultFrameContext();
  if (!contexts_set_ || error_resilient ||
      Flag(header, V4L2_VP9_FRAME_FLAG_KEY_FRAME) ||
      header.reset_frame_context == V4L2_VP9_RESET_FRAME_CTX_ALL) {
    for (FrameContext& context : contexts_) context = defaults;
    contexts_set_ = true;
    Renew(kAllContexts);
  } else if (header.reset_frame_context == V4L2_VP9_RESET_FRAME_CTX_SPEC) {
    contexts_[header.frame_context_idx] = defaults;
    Renew(kContext << header.frame_context_idx);
  }
  header.frame_context_idx = 0;
}

void Vp9State::SetUpSegmentation() {
  const v4l2_vp9_segmentation& from = frame_.header.seg;
  Segmentation& to = frame_.segmentation;
  to.enabled = from.flags & V4L2_VP9_SEGMENTATION_FLAG_ENABLED;
  to.update_map =
      to.enabled && (from.flags & V4L2_VP9_SEGMENTATION_FLAG_UPDATE_MAP);
  to.temporal_update =
      to.update_map &&
      (from.flags & V4L2_VP9_SEGMENTATION_FLAG_TEMPORAL_UPDATE);
  to.absolute = from.flags & V4L2_VP9_SEGMENTATION_FLAG_ABS_OR_DELTA_UPDATE;
  std::memcpy(to.tree_probs, from.tree_probs, sizeof(to.tree_probs));
  std::memcpy(to.pred_probs, from.pred_probs, sizeof(to.pred_probs));
  std::memcpy(to.feature_enabled, from.feature_enabled,
              sizeof(to.feature_enabled));
  std::memcpy(to.feature_data, from.feature_data, sizeof(to.feature_data));
}

// VP9 8.6.1.
void Vp9State::SetUpDequant() {
  const v4l2_vp9_quantization& quant = frame_.header.quant;
  const Segmentation& seg = frame_.segmentation;
  const int depth = (frame_.bit_depth - 8) / 2;
  const auto clip = [](int qindex) { return std::clamp(qindex, 0, 255); };
  for (int i = 0; i < kSegments; ++i) {
    int qindex = quant.base_q_idx;
    if (seg.Active(i, V4L2_VP9_SEG_LVL_ALT_Q)) {
      const int data = seg.feature_data[i][V4L2_VP9_SEG_LVL_ALT_Q];
      qindex = clip(seg.absolute ? data : qindex + data);
    }
    int16_t(*dequant)[2] = frame_.dequant[i];
    dequant[0][0] = dc_qlookup[depth][clip(qindex + quant.delta_q_y_dc)];
    dequant[0][1] = ac_qlookup[depth][clip(qindex)];
    dequant[1][0] = dc_qlookup[depth][clip(qindex + quant.delta_q_uv_dc)];
    dequant[1][1] = ac_qlookup[depth][clip(qindex + quant.delta_q_uv_ac)];
  }
}

// VP9 8.8.1. The deltas are doubled by the frame's level, not the segment's.
void Vp9State::SetUpFilterLevels() {
  const v4l2_vp9_loop_filter& lf = frame_.header.lf;
  const Segmentation& seg = frame_.segmentation;
  const bool deltas = lf.flags & V4L2_VP9_LOOP_FILTER_FLAG_DELTA_ENABLED;
  const int scale = 1 << (lf.level >> 5);
  const auto clip = [](int level) { return uint8_t(std::clamp(level, 0, 63)); };
  for (int i = 0; i < kSegments; ++i) {
    int level = lf.level;
    if (seg.Active(i, V4L2_VP9_SEG_LVL_ALT_L)) {
      const int data = seg.feature_data[i][V4L2_VP9_SEG_LVL_ALT_L];
      level = clip(seg.absolute ? data : level + data);
    }
    for (int ref = INTRA_FRAME; ref < kRefFrames; ++ref) {
      for (int mode = 0; mode < 2; ++mode) {
        int delta = deltas ? lf.ref_deltas[ref] * scale : 0;
        if (deltas && ref > INTRA_FRAME) delta += lf.mode_deltas[mode] * scale;
        frame_.filter_level[i][ref][mode] = clip(level + delta);
      }
    }
  }
}

// VP9 7.3.6 setup_compound_reference_mode.
void Vp9State::SetUpCompoundReferences() {
  uint8_t* bias = frame_.sign_bias;
  bias[INTRA_FRAME] = 0;
  // libvpx's reset of an error-resilient frame clears them after reading
  const bool reset = Flag(frame_.header, V4L2_VP9_FRAME_FLAG_ERROR_RESILIENT);
  for (int i = 0; i < PERDIX_VP9_REFS; ++i) {
    bias[LAST_FRAME + i] =
        reset ? 0 : frame_.header.ref_frame_sign_bias >> i & 1;
  }
  const auto set = [this](int8_t fixed, int8_t var0, int8_t var1) {
    frame_.comp_fixed_ref = fixed;
    frame_.comp_var_ref[0] = var0;
    frame_.comp_var_ref[1] = var1;
  };
  if (bias[LAST_FRAME] == bias[GOLDEN_FRAME]) {
    set(ALTREF_FRAME, LAST_FRAME, GOLDEN_FRAME);
  } else if (bias[LAST_FRAME] == bias[ALTREF_FRAME]) {
    set(GOLDEN_FRAME, LAST_FRAME, ALTREF_FRAME);
  } else {
    set(LAST_FRAME, GOLDEN_FRAME, ALTREF_FRAME);
  }
}

Status Vp9State::ReadProbabilities(std::span<const uint8_t> data) {
  const uint8_t* bias = frame_.sign_bias;
  const CompressedHeaderInput input = {
      .lossless = frame_.lossless,
      .frame_is_intra = frame_.frame_is_intra,
      .switchable_interp_filter =
          frame_.interp_filter == V4L2_VP9_INTERP_FILTER_SWITCHABLE,
      .compound_reference_allowed = bias[GOLDEN_FRAME] != bias[LAST_FRAME] ||
                                    bias[ALTREF_FRAME] != bias[LAST_FRAME],
      .allow_high_precision_mv = frame_.allow_high_precision_mv,
  };
  frame_.probabilities = contexts_[frame_.header.frame_context_idx];
  const Status status = ReadCompressedHeader(data, input, &frame_.probabilities,
                                             &frame_.compressed);
  constexpr size_t kSets = sizeof(frame_.coef_probs) / 4;
  const auto* from = &frame_.probabilities.coef[0][0][0][0][0];
  auto* to = &frame_.coef_probs[0][0][0][0][0];
  for (size_t i = 0; i < kSets; ++i) {
    std::rotate_copy(from[i], from[i] + 1, from[i] + 3, to[i]);
  }
  return status;
}

// VP9 6.4: finds each tile's bytes.
Status Vp9State::SetUpTiles(ParsedFrame& parsed,
                            std::span<const uint8_t> data) {
  const FrameParams& params = parsed.params;
  tile_cols_log2_ = frame_.header.tile_cols_log2;
  tile_rows_log2_ = frame_.header.tile_rows_log2;
  const uint32_t cols = 1u << tile_cols_log2_;
  const uint32_t rows = 1u << tile_rows_log2_;
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t col = 0; col < cols; ++col) {
      size_t size = data.size();
      if (row + 1 < rows || col + 1 < cols) {
        if (data.size() < 4) return Invalid("tile size is cut off");
        size = ReadTileSize(data.data());
        data = data.subspan(4);
      }
      if (size == 0 || size > data.size()) {
        return OutOfRange("tile size", int64_t(size), 1, int64_t(data.size()));
      }
      tile_data_[row][col] = data.first(size);
      data = data.subspan(size);
    }
  }

  parsed.tile_cols = cols;
  if (parsed.tiles.size() < cols) parsed.tiles.resize(cols);
  while (tiles_.size() < cols)
    tiles_.push_back(std::make_unique<TileDecoder>());
  for (uint32_t col = 0; col < cols; ++col) {
    const Range columns = {
        TileOffset(col, params.sb_cols, tile_cols_log2_),
        TileOffset(col + 1, params.sb_cols, tile_cols_log2_)};
    parsed.tiles[col].Reset(params.sb_rows, columns, MostRecords(params));
    tiles_[col]->BeginFrame(&frame_, &parsed, col);
  }
  return Status::Ok();
}

Status Vp9State::ParseRow(ParsedFrame& parsed, uint32_t tile_col,
                          uint32_t sb_row) {
  TileDecoder& tile = *tiles_[tile_col];
  const auto begin_of = [&](uint32_t row) {
    return TileOffset(row, parsed.params.sb_rows, tile_rows_log2_);
  };
  // the last tile row that has this one: those before are empty
  uint32_t tile_row = (1u << tile_rows_log2_) - 1;
  while (begin_of(tile_row) > sb_row) --tile_row;
  if (begin_of(tile_row) == sb_row &&
      !tile.BeginTile(tile_data_[tile_row][tile_col])) {
    return Invalid(TileName(tile_row, tile_col) + "marker bit is set");
  }
  Status status = tile.DecodeRow(sb_row);
  if (status.ok() && begin_of(tile_row + 1) == sb_row + 1)
    EndTile(parsed, tile_row, tile_col);
  return status;
}

// Only zeros may follow a tile (VP9 9.2.3). Behind the last one another frame
// may lie.
void Vp9State::EndTile(ParsedFrame& parsed, uint32_t tile_row,
                       uint32_t tile_col) {
  const BoolDecoder& reader = tiles_[tile_col]->reader();
  const auto damaged = [&](const std::string& what) {
    parsed.MarkDamaged(
        Invalid(TileName(tile_row, tile_col) + "damaged data: " + what));
  };
  if (reader.MaxBits() < 0) return damaged("it ends in the last symbol");
  if (!reader.ByteEndsWithZeros())
    return damaged("a bit behind the last symbol is not 0");
  std::span<const uint8_t> rest = reader.Rest();
  const auto first =
      std::ranges::find_if(rest, [](uint8_t byte) { return byte != 0; });
  rest = rest.subspan(size_t(first - rest.begin()));
  if (tile_col + 1 == parsed.tile_cols &&
      tile_row + 1 == 1u << tile_rows_log2_) {
    parsed.rest = rest;
  } else if (!rest.empty()) {
    const std::span<const uint8_t> data = tile_data_[tile_row][tile_col];
    damaged("byte " + std::to_string(rest.data() - data.data()) + " of " +
            std::to_string(data.size()) + ", behind the last symbol, is not 0");
  }
}

SymbolCounts Vp9State::CountSymbols(const ParsedFrame& parsed) const {
  SymbolCounts counts = {};
  for (uint32_t i = 0; i < parsed.tile_cols; ++i)
    counts.Add(tiles_[i]->counts());
  return counts;
}

void Vp9State::End(ParsedFrame& parsed) {
  if (!begun_) {
    lost_ = kAllKept;
    return;
  }
  if (parsed.failed()) {
    lost_ |= Writes();
  } else {
    KeepForNext(parsed);
    Renew(Writes());
    if (parsed.damaged()) damaged_ |= Writes();
  }
  last_show_frame_ = Flag(frame_.header, V4L2_VP9_FRAME_FLAG_SHOW_FRAME);
  last_frame_was_intra_ = frame_.frame_is_intra;
  last_frame_was_key_ = Flag(frame_.header, V4L2_VP9_FRAME_FLAG_KEY_FRAME);
}

void Vp9State::KeepForNext(ParsedFrame& parsed) {
  const v4l2_ctrl_vp9_frame& header = frame_.header;
  parsed.used_references = 0;
  for (uint32_t i = 0; i < parsed.tile_cols; ++i)
    parsed.used_references |= tiles_[i]->UsedReferences();

  FrameContext& context = contexts_[header.frame_context_idx];
  if (frame_.count_symbols) {
    const AdaptationInput input = {
        .frame_is_intra = frame_.frame_is_intra,
        .last_frame_was_key = last_frame_was_key_,
        .switchable_interp_filter =
            frame_.interp_filter == V4L2_VP9_INTERP_FILTER_SWITCHABLE,
        .tx_mode_select = frame_.compressed.tx_mode == TxMode::kSelect,
        .compound_select =
            frame_.compressed.reference_mode == ReferenceMode::kSelect,
        .single_reference_used =
            frame_.compressed.reference_mode != ReferenceMode::kCompound,
        .compound_reference_used =
            frame_.compressed.reference_mode != ReferenceMode::kSingle,
        .allow_high_precision_mv = frame_.allow_high_precision_mv,
    };
    AdaptProbabilities(CountSymbols(parsed), context, input,
                       &frame_.probabilities);
  }
  if (Flag(header, V4L2_VP9_FRAME_FLAG_REFRESH_FRAME_CTX)) {
    context = frame_.probabilities;
  }

  std::swap(frame_.mode_infos, frame_.prev_mode_infos);
  std::swap(frame_.grid, frame_.prev_grid);
  if (frame_.segmentation.enabled) {
    std::swap(frame_.segment_ids, frame_.prev_segment_ids);
  }
}

}  // namespace perdix::vp9
