// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/av1/frame_tiles.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "codec/av1/private_controls.h"
#include "codec/av1/tables.h"
#include "codec/controls.h"
#include "codec/parsed_frame.h"

namespace perdix::av1 {
inline namespace maker {
std::unique_ptr<TileParser> NewTileDecoder();  // in codec/av1/tile.cc
}
}  // namespace perdix::av1

namespace perdix::make_stream::av1 {
namespace {

using client::av1::FrameHeader;
using client::av1::SequenceHeader;

// Without memory: nothing is drawn into it.
PicturePtr NewPicture(const client::FrameFormat& format) {
  auto picture = std::make_shared<Picture>();
  picture->layout = LayOutPicture(format.width, format.height, format.bit_depth,
                                  format.subsampling_x, format.subsampling_y,
                                  &picture->memory.size);
  return picture;
}

// The largest step of the quantiser anywhere in the frame (7.12.2).
uint32_t LargestQuantiser(const FrameHeader& header, uint32_t bit_depth) {
  const v4l2_av1_quantization& quantization = header.control.quantization;
  const v4l2_av1_segmentation& segmentation = header.control.segmentation;
  int index = quantization.base_q_idx;
  for (int i = 0; i < V4L2_AV1_MAX_SEGMENTS; ++i) {
    if (segmentation.feature_enabled[i] &
        V4L2_AV1_SEGMENT_FEATURE_ENABLED(V4L2_AV1_SEG_LVL_ALT_Q)) {
      index = std::max(
          index, quantization.base_q_idx +
                     segmentation.feature_data[i][V4L2_AV1_SEG_LVL_ALT_Q]);
    }
  }
  if (quantization.flags & V4L2_AV1_QUANTIZATION_FLAG_DELTA_Q_PRESENT)
    index = 255;
  const int delta = std::max(
      {0, int(quantization.delta_q_y_dc), int(quantization.delta_q_u_dc),
       int(quantization.delta_q_u_ac), int(quantization.delta_q_v_dc),
       int(quantization.delta_q_v_ac)});
  const size_t at = size_t(std::clamp(index + delta, 0, 255));
  const size_t depth = (bit_depth - 8) / 2;
  const uint32_t most = std::max(perdix::av1::kAcQlookup[depth][at],
                                 perdix::av1::kDcQlookup[depth][at]);
  // weights of matrices are at most 255 / 32
  const bool matrices =
      quantization.flags & V4L2_AV1_QUANTIZATION_FLAG_USING_QMATRIX;
  return matrices ? most * 8 : most;
}

// What this frame's symbols cannot be.
void SetLimits(const SequenceHeader& sequence, const FrameHeader& header,
               Style& style) {
  for (ElementStyle& element : style.elements) element.banned = 0;
  const uint32_t last = header.control.segmentation.last_active_seg_id;
  style.Ban("segment_id", ~((2u << last) - 1));
  const client::FrameFormat& samples = sequence.samples;
  if (samples.subsampling_x == 1 && samples.subsampling_y == 0) {
    // PARTITION_VERT, _VERT_A, _VERT_B, _VERT_4: no size of chroma
    constexpr uint32_t kVertical = 1u << 2 | 1u << 6 | 1u << 7 | 1u << 9;
    for (const char* const name :
         {"partition_w8", "partition_w16", "partition_w32", "partition_w64",
          "partition_w128"}) {
      style.Ban(name, kVertical);
    }
  }
  // Sums within the columns' range, which is BitDepth + 6 bits from 10 bit on,
  // are within that of the rows even if an identity makes them four times as
  // large (7.13.2.15, 7.13.3).
  style.level_budget = (1u << (5 + samples.bit_depth)) /
                       LargestQuantiser(header, samples.bit_depth);
}

}  // namespace

class TileMaker::Frame : public ParsedFrame {
 public:
  using ParsedFrame::Reset;
};

TileMaker::TileMaker()
    : state_(&perdix::av1::maker::NewTileDecoder),
      frame_(std::make_unique<Frame>()) {}
TileMaker::~TileMaker() = default;

bool TileMaker::Make(const SequenceHeader& sequence, const FrameHeader& header,
                     const Pictures& references, Random& random, Style* style) {
  constexpr int kMostAttempts = 600;
  SetLimits(sequence, header, *style);
  const v4l2_av1_tile_info& info = header.control.tile_info;
  Style calm = *style;
  Calm(&calm);
  NewWriters(size_t{info.tile_cols} * info.tile_rows, random, style, &calm);
  size_t back = 1, furthest = 0;  // choices of the tile that failed
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const int failed = Read(header, Request(sequence, header, references));
    if (failed < 0) return true;
    // what made it impossible may lie further and further back
    const size_t size = writers_[size_t(failed)]->size();
    back = size > furthest || back >= size ? 1 : 2 * back;
    furthest = size;
    for (const auto& writer : writers_) writer->Keep(writer->size());
    writers_[size_t(failed)]->Keep(size - std::min(back, size));
  }
  return false;
}

void TileMaker::NewWriters(size_t tiles, Random& random, const Style* style,
                           const Style* calm) {
  writers_.clear();
  data_.clear();
  for (size_t i = 0; i < tiles; ++i) {
    writers_.push_back(
        std::make_unique<TileWriter>(style, calm, random.Next()));
    data_.push_back(writers_.back().get());
  }
}

FrameRequest TileMaker::Request(const SequenceHeader& sequence,
                                const FrameHeader& header,
                                const Pictures& references) {
  FrameRequest request;
  AppendControl(V4L2_CID_STATELESS_AV1_SEQUENCE, ToControl(sequence),
                &request.controls);
  AppendControl(V4L2_CID_STATELESS_AV1_FRAME, header.control,
                &request.controls);
  std::vector<v4l2_ctrl_av1_tile_group_entry> entries(data_.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    entries[i].tile_offset = uint32_t(i * sizeof(TileWriter*));
    entries[i].tile_size = sizeof(TileWriter*);
    entries[i].tile_row = uint32_t(i) / header.control.tile_info.tile_cols;
    entries[i].tile_col = uint32_t(i) % header.control.tile_info.tile_cols;
  }
  AppendBytes(V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY,
              {reinterpret_cast<const uint8_t*>(entries.data()),
               entries.size() * sizeof(entries[0])},
              &request.controls);
  request.bitstream = {reinterpret_cast<const uint8_t*>(data_.data()),
                       data_.size() * sizeof(TileWriter*)};
  picture_ = NewPicture(header.saved.format);
  request.target = picture_;
  if (!header.intra) request.references = references;
  return request;
}

int TileMaker::Read(const FrameHeader& header, FrameRequest request) {
  const auto check = [](const Status& status) {
    if (!status.ok()) throw std::logic_error(status.message());
  };
  frame_->Reset(std::move(request));
  check(state_.Begin(*frame_));
  check(state_.Continue(*frame_));
  const v4l2_av1_tile_info& info = header.control.tile_info;
  uint32_t sb_row = 0;
  for (uint32_t row = 0; row < info.tile_rows; ++row) {
    const uint32_t end = sb_row + info.height_in_sbs_minus_1[row] + 1;
    for (; sb_row < end; ++sb_row) {
      for (uint32_t col = 0; col < info.tile_cols; ++col) {
        const Status status = state_.ParseRow(*frame_, col, sb_row);
        if (status.ok()) continue;
        frame_->Fail(status);
        failure_ = status.message();
        state_.End(*frame_);
        return int(row * info.tile_cols + col);
      }
      state_.EndRow(*frame_, sb_row);
    }
  }
  state_.End(*frame_);
  return -1;
}

std::vector<std::vector<uint8_t>> TileMaker::Bytes(Random& random) {
  std::vector<std::vector<uint8_t>> tiles;
  for (const auto& writer : writers_) {
    const size_t padding = random.Percent(5) ? random.Below(4) : 0;
    tiles.push_back(writer->Finish(padding));
  }
  return tiles;
}

void TileMaker::Count(Coverage* coverage) const {
  for (const auto& writer : writers_) writer->Count(coverage);
}

}  // namespace perdix::make_stream::av1
