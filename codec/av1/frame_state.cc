// SPDX-License-Identifier: BSD-2-Clause
// How a frame begins and ends: what it takes from the pictures that it refers
// to, and what it leaves with its own.
#include "codec/av1/frame_state.h"

#include <algorithm>
#include <string>
#include <utility>

#include "codec/av1/film_grain_setup.h"
#include "codec/av1/frame_setup.h"
#include "codec/av1/motion_field.h"
#include "codec/av1/tile_parser.h"
#include "kernels/av1/line_buffers.h"

namespace perdix::av1 {

Av1State::Av1State(NewParser new_parser)
    : new_parser_(new_parser != nullptr ? new_parser : &NewTileParser) {}
Av1State::~Av1State() = default;

namespace {

// Deblocking changes 6 lines above the next row; CDEF and restoration lag by 8.
constexpr uint32_t kFilterLag = 8;

Status PrimaryNotIntact() {
  return {StatusCode::kMissingReference,
          "the primary reference, which has the probabilities that the frame "
          "begins with, is not intact"};
}

}  // namespace

// ---- begin ----

Status Av1State::Begin(ParsedFrame& parsed) {
  parsed.request.target->codec_data = nullptr;
  Status status = ReadControls(parsed.request, &frame_);
  if (!status.ok()) return status;
  parsed.shown = (frame_.header.flags & V4L2_AV1_FRAME_FLAG_SHOW_FRAME) != 0;
  const References references = FindReferences(parsed.request);
  status = DeriveFrame(references, &frame_);
  if (!status.ok()) return status;
  frame_.film_grain = FindFilmGrain(parsed.request, frame_);
  Params& av1 = parsed.codec_params.As<Params>();
  SetUpParams(frame_, &parsed.params, &av1);
  LeaveOutPasses(parsed.request.controls, &av1);
  status = SetUpPictures(parsed);
  if (!status.ok()) return status;
  status = FindParseSources(references, parsed);
  if (!status.ok()) return status;
  status = SetUpReferences(parsed);
  if (!status.ok()) return status;
  status = FindTiles(parsed.request, frame_, &tile_data_);
  if (!status.ok()) return status;
  status = SetUpFilmGrain(parsed, frame_);
  if (!status.ok()) return status;
  NewPictureData();
  SetUpTables(parsed);
  SetUpTileColumns(parsed);
  parsed.request.target->codec_data = data_;
  return status;
}

Av1State::References Av1State::FindReferences(
    const FrameRequest& request) const {
  References references = {};
  const v4l2_ctrl_av1_frame& header = frame_.header;
  if (header.frame_type == V4L2_AV1_KEY_FRAME ||
      header.frame_type == V4L2_AV1_INTRA_ONLY_FRAME) {
    return references;
  }
  for (size_t i = 0; i < kRefsPerFrame; ++i) {
    references[i + LAST_FRAME] =
        DataOf(request.references[size_t(header.ref_frame_idx[i])]);
  }
  return references;
}

// Sets the views of what is written.
Status Av1State::SetUpPictures(ParsedFrame& parsed) {
  for (const PicturePtr& picture :
       {parsed.request.target, parsed.request.display}) {
    if (picture == nullptr) continue;
    const Status status =
        SetView(*picture, frame_.header.upscaled_width, parsed.params.height,
                parsed.params.bit_depth, parsed.params.subsampling_x,
                parsed.params.subsampling_y);
    if (!status.ok()) return status;
  }
  if (parsed.request.display != nullptr && parsed.IsShifted()) {
    return {StatusCode::kInvalidArgument,
            "film grain needs a target whose samples are not shifted"};
  }
  // Blocks are copied from anywhere above, where samples must not be shifted.
  const bool stays = frame_.allow_intrabc && parsed.IsShifted();
  parsed.filter_lag = stays ? parsed.params.height : kFilterLag;
  parsed.coded_planes = frame_.num_planes > 1 ? 2 : 1;
  return Status::Ok();
}

// From the client's eight slots to the seven names, which records use.
Status Av1State::SetUpReferences(ParsedFrame& parsed) {
  std::fill(std::begin(frame_.reference_valid),
            std::end(frame_.reference_valid), false);
  const auto slots = std::exchange(parsed.request.references, {});
  if (frame_.frame_is_intra) return Status::Ok();
  bool any = false;
  for (size_t i = 0; i < kRefsPerFrame; ++i) {
    const PicturePtr& picture = slots[size_t(frame_.header.ref_frame_idx[i])];
    if (DataOf(picture) == nullptr) continue;
    const PictureView& view = picture->view;
    if (view.bit_depth != parsed.params.bit_depth ||
        view.subsampling_x != parsed.params.subsampling_x ||
        view.subsampling_y != parsed.params.subsampling_y ||
        !SetUpReference(parsed.params, view.width, view.height,
                        &parsed.codec_params.As<Params>().references[i])) {
      continue;
    }
    parsed.request.references[i] = picture;
    parsed.params.references[i] = {view.width, view.height, 1, 0};
    frame_.reference_valid[i + LAST_FRAME] = true;
    any = true;
  }
  if (any) return Status::Ok();
  return {StatusCode::kMissingReference,
          "none of the seven reference frames is intact and of a usable size"};
}

// The pictures that are named must have begun. Whether they are intact is seen
// by Continue, or when the frame is over.
Status Av1State::FindParseSources(const References& references,
                                  ParsedFrame& parsed) {
  const auto picture = [&](size_t name) {
    return parsed.request
        .references[size_t(frame_.header.ref_frame_idx[name - LAST_FRAME])];
  };
  frame_.motion_sources.clear();
  if (frame_.use_ref_frame_mvs) {
    FindMotionSources(references, &frame_);
    frame_.motion_field.Resize(frame_.mi_cols, frame_.sb_size4);
    for (const MotionSource& source : frame_.motion_sources)
      parsed.parse_sources.by_row.push_back(picture(source.name));
  }
  const uint8_t primary_ref_frame = frame_.header.primary_ref_frame;
  if (primary_ref_frame == kPrimaryRefNone) return Status::Ok();
  const size_t primary = size_t(primary_ref_frame) + LAST_FRAME;
  if (references[primary] == nullptr) return PrimaryNotIntact();
  parsed.parse_sources.whole = picture(primary);
  return Status::Ok();
}

// load_cdfs, load_previous_segment_ids and their opposites (5.9.2, 6.8.2).
Status Av1State::Continue(ParsedFrame& parsed) {
  frame_.prev_segment_ids = nullptr;
  const PicturePtr& picture = parsed.parse_sources.whole;
  if (picture == nullptr) {
    frame_.cdfs = DefaultCdfs(frame_.header.quantization.base_q_idx);
    return Status::Ok();
  }
  // Without its probabilities every symbol would be read wrong.
  if (picture->broken.load(std::memory_order_acquire))
    return PrimaryNotIntact();
  const std::shared_ptr<const PictureData> primary = DataOf(picture);
  frame_.cdfs = primary->cdfs;
  if (frame_.segmentation_enabled && primary->mi_cols == frame_.mi_cols &&
      primary->mi_rows == frame_.mi_rows) {
    frame_.prev_segment_ids = primary->segment_ids;
  }
  return Status::Ok();
}

void Av1State::SetUpTables(ParsedFrame& parsed) {
  const Params& av1 = parsed.codec_params.As<Params>();
  const size_t cells = size_t{av1.mi_cols} * av1.mi_rows;
  parsed.tables.Resize(kLumaEdges, cells);
  if (frame_.num_planes > 1) {
    const uint32_t ss_y = parsed.params.subsampling_y;
    parsed.tables.Resize(
        kChromaEdges,
        size_t{ChromaEdgeCols(av1.mi_cols, parsed.params.subsampling_x)} *
            ((av1.mi_rows + ss_y) >> ss_y));
  }
  parsed.tables.Resize(
      kCdefBlocks, size_t{(av1.mi_cols + 15) / 16} * ((av1.mi_rows + 15) / 16));
  size_t units = 0;
  for (const RestorationPlane& plane : av1.restoration)
    units += size_t{plane.unit_cols} * plane.unit_rows;
  // a unit that no superblock codes restores nothing
  std::ranges::fill(parsed.tables.Resize(kRestorationUnits, units),
                    RestorationUnit{});
  parsed.tables.Resize(kCdefLines, CdefLinesBytes(parsed.params, av1));
  parsed.tables.Resize(kRestorationLines,
                       RestorationLinesBytes(parsed.params, av1));

  frame_.grid.Resize(frame_.mi_cols, frame_.sb_size4);
  if (frame_.segmentation_enabled) frame_.segment_ids.assign(cells, 0);
}

void Av1State::SetUpTileColumns(ParsedFrame& parsed) {
  const uint32_t columns = uint32_t(frame_.tile_cols);
  parsed.tile_cols = columns;
  if (parsed.tiles.size() < columns) parsed.tiles.resize(columns);
  while (tiles_.size() < columns) tiles_.push_back(new_parser_());
  const TileLists::Capacity most = MostRecords(parsed.params);
  const auto superblock = [this](int mi) {
    return uint32_t((mi + frame_.sb_size4 - 1) / frame_.sb_size4);
  };
  for (uint32_t i = 0; i < columns; ++i) {
    const Range range = {superblock(frame_.mi_col_starts[i]),
                         superblock(frame_.mi_col_starts[i + 1])};
    parsed.tiles[i].Reset(parsed.params.sb_rows, range, most);
    tiles_[i]->BeginFrame(&frame_, &parsed, int(i));
  }
}

// ---- rows ----

Status Av1State::ParseRow(ParsedFrame& parsed, uint32_t tile_col,
                          uint32_t sb_row) {
  TileParser& tile = *tiles_[tile_col];
  const auto& starts = frame_.mi_row_starts;
  const int mi_row = int(sb_row) * frame_.sb_size4;
  const auto rows_end = starts.begin() + frame_.tile_rows;
  const int tile_row =
      int(std::upper_bound(starts.begin(), rows_end, mi_row) - starts.begin()) -
      1;
  const size_t index = size_t(tile_row) * size_t(frame_.tile_cols) + tile_col;
  const auto message = [&](const std::string& what) {
    return Status(StatusCode::kInvalidBitstream,
                  "tile " + std::to_string(tile_row) + "," +
                      std::to_string(tile_col) + ": " + what);
  };
  if (mi_row == starts[size_t(tile_row)] &&
      !tile.BeginTile(tile_row, tile_data_[index])) {
    return message("no data");
  }
  Status status = tile.DecodeRow(sb_row);
  if (!status.ok() || mi_row + frame_.sb_size4 < starts[size_t(tile_row) + 1])
    return status;
  const bool saves = index == frame_.context_update_tile_id;
  status = tile.EndTile(saves ? &data_->cdfs : nullptr);
  if (!status.ok()) parsed.MarkDamaged(message(status.message()));
  return Status::Ok();
}

void Av1State::EndRow(ParsedFrame& parsed, uint32_t sb_row) {
  for (uint32_t i = 1; i < parsed.tile_cols; ++i)
    tiles_[i]->JoinTileBefore(sb_row);
}

// ---- end ----

std::shared_ptr<PictureData> PictureDataPool::Take() {
  std::unique_ptr<PictureData> data;
  {
    std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      data = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (data == nullptr) data = std::make_unique<PictureData>();
  const auto give_back = [pool = shared_from_this()](PictureData* gone) {
    pool->Return(std::unique_ptr<PictureData>(gone));
  };
  return {data.release(), give_back};
}

void PictureDataPool::Return(std::unique_ptr<PictureData> data) {
  data->segment_ids = nullptr;
  std::lock_guard lock(mutex_);
  if (spare_.size() < kMostSpare) spare_.push_back(std::move(data));
}

// 7.20, as far as the header says it; the vectors are written by tiles.
void Av1State::NewPictureData() {
  data_ = pool_->Take();
  data_->frame_type = frame_.header.frame_type;
  data_->mi_cols = frame_.mi_cols;
  data_->mi_rows = frame_.mi_rows;
  data_->order_hint = uint32_t(frame_.order_hint);
  data_->film_grain = frame_.film_grain;
  for (size_t i = 0; i < kTotalRefs; ++i)
    data_->order_hints[i] = uint32_t(frame_.order_hints[i]);
  const size_t blocks = size_t(frame_.mi_cols / 2) * size_t(frame_.mi_rows / 2);
  data_->mvs.resize(frame_.frame_is_intra ? 0 : blocks);
  frame_.saved_mvs = frame_.frame_is_intra ? nullptr : data_->mvs.data();
}

// 7.4 and 7.20. A frame that failed leaves no more than that: its picture is
// broken.
void Av1State::End(ParsedFrame& parsed) {
  frame_.motion_sources.clear();  // pictures may go
  if (data_ != nullptr && !parsed.failed()) {
    CompletePictureData();
    parsed.used_references = 0;
    for (uint32_t i = 0; i < parsed.tile_cols; ++i)
      parsed.used_references |= tiles_[i]->used_references();
  }
  data_ = nullptr;
}

void Av1State::CompletePictureData() {
  const v4l2_ctrl_av1_frame& header = frame_.header;
  const bool updates =
      (header.flags & V4L2_AV1_FRAME_FLAG_DISABLE_FRAME_END_UPDATE_CDF) == 0 &&
      !frame_.disable_cdf_update;
  // else context_update_tile_id has left its own
  if (!updates) data_->cdfs = frame_.cdfs;
  if (!frame_.segmentation_enabled) return;
  if (frame_.segmentation_update_map) {
    data_->segment_ids = std::make_shared<const std::vector<uint8_t>>(
        std::move(frame_.segment_ids));
  } else {
    data_->segment_ids = frame_.prev_segment_ids;
  }
}

}  // namespace perdix::av1
