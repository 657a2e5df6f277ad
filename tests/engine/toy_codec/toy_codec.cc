// SPDX-License-Identifier: BSD-2-Clause
#include "tests/engine/toy_codec/toy_codec.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/engine/toy_codec/kernels.h"

namespace perdix::toy {
namespace {

constexpr uint32_t kLeastBlock = 32;  // luma samples
constexpr int kMostMotion = 60;       // luma samples

// ---- parsing ----

uint32_t Next(uint32_t& state) {
  state = state * 1664525 + 1013904223;
  return state >> 8;
}

// What a picture of kApartCodecRow carries.
struct ToyData {
  std::vector<uint32_t> row_sums;  // as kRowSums, row after row
};
std::shared_ptr<const ToyData> DataOf(const PicturePtr& picture) {
  return std::static_pointer_cast<const ToyData>(picture->codec_data);
}

class ToyState final : public CodecState {
 public:
  explicit ToyState(bool apart) : apart_(apart) {}
  Status Begin(ParsedFrame& frame) override;
  Status Continue(ParsedFrame& frame) override;
  Status ParseRow(ParsedFrame& frame, uint32_t tile_col,
                  uint32_t sb_row) override;
  void EndRow(ParsedFrame& frame, uint32_t sb_row) override;
  void End(ParsedFrame& frame) override;

 private:
  Status SetUpReferences(ParsedFrame& frame);
  void SetUpTiles(ParsedFrame& frame);
  Status SetUpApart(ParsedFrame& frame);
  void ParseBlock(const ParsedFrame& frame, TileLists& tile, uint32_t& random,
                  uint32_t x, uint32_t y, uint32_t size);

  const bool apart_;
  CodedFrame coded_;
  std::shared_ptr<ToyData> data_;      // of the target, where apart_
  std::vector<uint32_t> randoms_;      // of each tile column, row after row
  std::vector<uint32_t> usable_refs_;  // indices
  uint32_t context_ = 0;               // what the frame before left
};

Status ToyState::Begin(ParsedFrame& frame) {
  const FrameRequest& request = frame.request;
  if (request.bitstream.size() < sizeof(coded_)) {
    return {StatusCode::kInvalidBitstream, "the frame is cut"};
  }
  std::memcpy(&coded_, request.bitstream.data(), sizeof(coded_));
  frame.filter_lag = std::max(kPublishLag, kEdgeLines);
  for (const PicturePtr& picture : {request.target, request.display}) {
    if (picture == nullptr) continue;
    Status status = SetView(*picture, coded_.width, coded_.height, 8, 1, 1);
    if (!status.ok()) return status;
  }
  frame.params = {.width = coded_.width,
                  .height = coded_.height,
                  .sb_cols = (coded_.width + kSbSize - 1) / kSbSize,
                  .sb_rows = (coded_.height + kSbSize - 1) / kSbSize,
                  .sb_log2 = kSbLog2,
                  .bit_depth = 8,
                  .subsampling_x = 1,
                  .subsampling_y = 1,
                  .references = {}};
  frame.codec_params.As<Params>() = {.seed = coded_.seed};
  Status status = SetUpReferences(frame);
  if (!status.ok()) return status;
  SetUpTiles(frame);
  const uint32_t rows = frame.params.sb_rows;
  frame.tables.Resize(kStrengths, size_t{rows} * frame.params.sb_cols);
  frame.tables.Resize(kRowSums, rows);
  frame.tables.Resize(kBufferedLines, size_t{rows} * kPlaneCount *
                                          DecodedSize(frame.params.width));
  return apart_ ? SetUpApart(frame) : status;
}

Status ToyState::SetUpApart(ParsedFrame& frame) {
  const auto& references = frame.request.references;
  if (coded_.whole != 0)
    frame.parse_sources.whole = references[coded_.whole - 1u];
  for (const uint32_t i : usable_refs_) {
    if (coded_.by_row >> i & 1)
      frame.parse_sources.by_row.push_back(references[i]);
  }
  data_ = std::make_shared<ToyData>();
  data_->row_sums.resize(frame.params.sb_rows);
  frame.request.target->codec_data = data_;
  if (coded_.failing_row != kBegin) return Status::Ok();
  return {StatusCode::kInvalidBitstream, "the frame is to fail at once"};
}

Status ToyState::Continue(ParsedFrame& frame) {
  if (apart_) {
    context_ = 0;
    if (const PicturePtr& whole = frame.parse_sources.whole) {
      if (whole->broken)
        return {StatusCode::kMissingReference, "the frame before failed"};
      context_ = DataOf(whole)->row_sums.back();
    }
  }
  for (uint32_t i = 0; i < frame.tile_cols; ++i)
    randoms_[i] = coded_.seed + context_ + i;
  return Status::Ok();
}

Status ToyState::SetUpReferences(ParsedFrame& frame) {
  usable_refs_.clear();
  for (uint32_t i = 0; i < kMaxReferences; ++i) {
    if ((coded_.references >> i & 1) == 0) continue;
    const Picture* const picture = frame.request.references[i].get();
    // whether one is broken that is still being parsed nobody knows yet
    const bool intact = picture != nullptr && (apart_ || !picture->broken);
    if (!intact || (apart_ && picture->codec_data == nullptr)) {
      return {StatusCode::kMissingReference, "a reference is not intact"};
    }
    const PictureView& view = picture->view;
    frame.params.references[i] = {view.width, view.height, 1, 0};
    usable_refs_.push_back(i);
  }
  return Status::Ok();
}

void ToyState::SetUpTiles(ParsedFrame& frame) {
  std::vector<uint32_t> begins;
  for (uint32_t column = 0; column < frame.params.sb_cols; ++column) {
    if (coded_.tile_begins >> column & 1) begins.push_back(column);
  }
  frame.tile_cols = uint32_t(begins.size());
  begins.push_back(frame.params.sb_cols);
  if (frame.tiles.size() < frame.tile_cols) {
    frame.tiles.resize(frame.tile_cols);
  }
  constexpr size_t kBlocks = (kSbSize / kLeastBlock) * (kSbSize / kLeastBlock);
  TileLists::Capacity most;
  most.records[kCopies.index] = most.records[kFills.index] = kBlocks;
  randoms_.resize(frame.tile_cols);
  for (uint32_t i = 0; i < frame.tile_cols; ++i) {
    frame.tiles[i].Reset(frame.params.sb_rows, {begins[i], begins[i + 1]},
                         most);
  }
}

Status ToyState::ParseRow(ParsedFrame& frame, uint32_t tile_col,
                          uint32_t sb_row) {
  if (sb_row == coded_.failing_row) {
    return {StatusCode::kInvalidBitstream, "the row is to fail"};
  }
  TileLists& tile = frame.tiles[tile_col];
  uint32_t& random = randoms_[tile_col];
  for (const PicturePtr& picture : frame.parse_sources.by_row) {
    const std::vector<uint32_t>& sums = DataOf(picture)->row_sums;
    random += sums[std::min(size_t{sb_row}, sums.size() - 1)];
  }
  const Range columns = tile.columns();
  for (uint32_t column = columns.begin; column < columns.end; ++column) {
    frame.tables.View().Of(kStrengths)[sb_row * frame.params.sb_cols + column] =
        uint8_t(Next(random));
    const uint32_t size = kLeastBlock << Next(random) % 3;
    for (uint32_t y = 0; y < kSbSize; y += size) {
      for (uint32_t x = 0; x < kSbSize; x += size) {
        ParseBlock(frame, tile, random, column * kSbSize + x,
                   sb_row * kSbSize + y, size);
      }
    }
    tile.EndSuperblock(sb_row, column);
  }
  return Status::Ok();
}

void ToyState::ParseBlock(const ParsedFrame& frame, TileLists& tile,
                          uint32_t& random, uint32_t x, uint32_t y,
                          uint32_t size) {
  const uint32_t choice = Next(random);
  if (x >= frame.params.width || y >= frame.params.height) return;
  if (usable_refs_.empty() || choice % 3 == 0) {
    tile.Of(kFills).Append({.x = uint16_t(x),
                            .y = uint16_t(y),
                            .size = uint16_t(size),
                            .value = uint16_t(choice),
                            .padding = {}});
    return;
  }
  const auto motion = [&random] {
    return int16_t(int(Next(random) % (2 * kMostMotion)) - kMostMotion);
  };
  tile.Of(kCopies).Append(
      {.x = uint16_t(x),
       .y = uint16_t(y),
       .size = uint16_t(size),
       .reference = uint16_t(usable_refs_[choice % usable_refs_.size()]),
       .mv_x = motion(),
       .mv_y = motion(),
       .padding = 0});
}

void ToyState::EndRow(ParsedFrame& frame, uint32_t sb_row) {
  const FrameTables tables = frame.tables.View();
  const std::span<uint32_t> sums = tables.Of(kRowSums);
  uint32_t sum = sb_row == 0 ? context_ : 31 * sums[sb_row - 1];
  const size_t columns = frame.params.sb_cols;
  for (const uint8_t strength :
       tables.Of(kStrengths).subspan(sb_row * columns, columns)) {
    sum += strength;
  }
  sums[sb_row] = sum;
  if (apart_) data_->row_sums[sb_row] = sum;
}

void ToyState::End(ParsedFrame& frame) {
  data_ = nullptr;
  if (!frame.failed()) context_ = frame.tables.View().Of(kRowSums).back();
}

// ---- passes ----

template <uint32_t kPasses>
bool Needs(const ParsedFrame& frame) {
  CodedFrame coded;
  std::memcpy(&coded, frame.request.bitstream.data(), sizeof(coded));
  return (coded.passes & kPasses) == kPasses;
}

bool HasDisplay(const ParsedFrame& frame) {
  return frame.request.display != nullptr;
}

constexpr KernelId kReconstructKernels[] = {kCopyKernel, kFillKernel};
constexpr KernelId kEdgesKernels[] = {kEdgesKernel};
constexpr KernelId kSmoothKernels[] = {kSmoothKernel};
constexpr KernelId kSharpenKernels[] = {kSharpenKernel};
constexpr KernelId kPublishKernels[] = {kPublishKernel};
constexpr KernelId kOutputKernels[] = {kOutputKernel};

// Filling looks above right at pixels that no edge has changed; edges, smooth
// and sharp pixels each look at the line below the row; what is shown has the
// lines that are published with the next row.
constexpr After kAfterReconstruct[] = {{kReconstruct, -1, 1}};
constexpr After kAfterEdges[] = {{kReconstruct, 1, 0}, {kEdges, -1, 0}};
constexpr After kAfterSmooth[] = {{kEdges, 1, 0}, {kSmooth, -1, 0}};
constexpr After kAfterSharpen[] = {{kSmooth, 1, 0}, {kSharpen, -1, 1}};
constexpr After kAfterPublish[] = {{kSharpen, 0, 0}};
constexpr After kAfterOutput[] = {{kPublish, 1, 0}, {kOutput, -1, 0}};

constexpr Pass kPasses[] = {
    {.name = "reconstruct",
     .kernels = kReconstructKernels,
     .after = kAfterReconstruct,
     .within_tiles = true},
    {.name = "edges",
     .kernels = kEdgesKernels,
     .after = kAfterEdges,
     .needed = &Needs<1u << kEdges>,
     .whole_rows = true},
    {.name = "smooth",
     .kernels = kSmoothKernels,
     .after = kAfterSmooth,
     .needed = &Needs<1u << kEdges | 1u << kSmooth>,
     .whole_rows = true},
    {.name = "sharpen",
     .kernels = kSharpenKernels,
     .after = kAfterSharpen,
     .needed = &Needs<1u << kSharpen>},
    {.name = "publish",
     .kernels = kPublishKernels,
     .after = kAfterPublish,
     .needed = &Needs<1u << kPublish>,
     .whole_rows = true},
    {.name = "output",
     .kernels = kOutputKernels,
     .after = kAfterOutput,
     .needed = &HasDisplay,
     .output = true},
};

// ---- the row ----

LowestLines FindLowestLines(const ParsedFrame& frame, uint32_t sb_row) {
  LowestLines lowest;
  lowest.fill(kNotRead);
  for (uint32_t i = 0; i < frame.tile_cols; ++i) {
    const WorkLists tile = frame.tiles[i].View();
    const Range items =
        RowOf(kCopyKernel)
            .Items(tile, frame.params, sb_row, {0, frame.params.sb_cols});
    for (uint32_t item = items.begin; item < items.end; ++item) {
      const CopyBlock& block = tile.Of(kCopies)[item];
      int& lines = lowest[block.reference];
      lines = std::max(lines, block.y + block.size + block.mv_y);
    }
  }
  return lowest;
}

template <bool kApart>
std::unique_ptr<CodecState> Open() {
  return std::make_unique<ToyState>(kApart);
}

StreamFormat Format(std::span<const uint8_t>) { return {}; }

}  // namespace

constinit const CodecRow kCodecRow = {
    .name = "toy",
    .id = UINT32_MAX,
    .pixelformat = 0,
    .open = &Open<false>,
    .format = &Format,
    .passes = kPasses,
    .lowest_lines = &FindLowestLines,
};

constinit const CodecRow kApartCodecRow = {
    .name = "apart",
    .id = UINT32_MAX - 1,
    .pixelformat = 0,
    .open = &Open<true>,
    .frame_parallel_parsing = true,
    .format = &Format,
    .passes = kPasses,
    .lowest_lines = &FindLowestLines,
};

}  // namespace perdix::toy
