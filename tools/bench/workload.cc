// SPDX-License-Identifier: BSD-2-Clause
#include "tools/bench/workload.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "kernels/vp9/decoded_area.h"
#include "tools/client/container.h"
#include "tools/client/engine_backend.h"
#include "tools/client/stream.h"

namespace perdix::bench {
namespace {

constexpr uint8_t kPoison = 0xa5;

template <typename T>
std::vector<T> Copy(std::span<const T> list) {
  return {list.begin(), list.end()};
}

CapturedTile Capture(const TileLists& tile) {
  CapturedTile captured;
  captured.sb_col_begin = tile.sb_col_begin;
  captured.sb_col_end = tile.sb_col_end;
  captured.inter_blocks = Copy(tile.inter_blocks.Written());
  captured.inter_transforms = Copy(tile.inter_transforms.Written());
  captured.intra_blocks = Copy(tile.intra_blocks.Written());
  captured.intra_transforms = Copy(tile.intra_transforms.Written());
  captured.index = tile.index;
  const std::span<const int16_t> coefficients = tile.coefficients.Written();
  captured.coefficient_count = coefficients.size();
  captured.coefficients.resize((coefficients.size() + 7) / 8);
  if (!coefficients.empty()) {
    std::memcpy(captured.coefficients.data(), coefficients.data(),
                coefficients.size_bytes());
  }
  return captured;
}

CapturedFrame Capture(const FrameJob& job, uint64_t number) {
  CapturedFrame frame;
  frame.number = number;
  frame.params = job.params;
  for (uint32_t i = 0; i < job.tile_cols; ++i) {
    frame.tiles.push_back(Capture(job.tiles[i]));
  }
  frame.edges = job.edges;
  frame.layout = job.request.target->layout;
  frame.view = job.request.target->view;
  frame.target_bytes = job.request.target->memory.size;
  for (int i = 0; i < PERDIX_VP9_REFS; ++i) {
    if (job.params.references[i].valid) {
      frame.references[i] = job.request.references[i];
    }
  }
  frame.plan = job.plan;
  return frame;
}

// Decodes the file on one thread with the scalar kernels.
Status DecodeFile(const std::string& file,
                  const std::function<void(const FrameJob&)>& observer) {
  std::unique_ptr<client::Container> container;
  Status status = client::Container::Open(file, &container);
  if (!status.ok()) return status;
  EngineOptions options;
  options.threads = 1;
  options.observer = observer;
  Engine engine(options);
  client::EngineBackend backend(engine, container->codec(), false);
  client::Stream stream(
      backend, {.shown = [](const client::Image&) { return true; },
                .failed =
                    [&](const client::Position&, const Status& failure) {
                      status = failure;
                      return false;
                    }});
  bool more = true;
  while (more) {
    client::Packet packet;
    bool end = false;
    const Status read = container->Next(&packet, &end);
    if (!read.ok()) return read;
    if (end) break;
    more = stream.Decode(packet.data, packet.owner);
  }
  if (more) stream.Flush();
  return status;
}

PictureView ViewIn(const CapturedFrame& frame, uint8_t* memory) {
  PictureView view = frame.view;
  view.planes[kLuma].data = memory + frame.layout.luma_offset;
  view.planes[kChroma].data = memory + frame.layout.chroma_offset;
  return view;
}

}  // namespace

WorkLists CapturedTile::View() const {
  return {inter_blocks, inter_transforms, intra_blocks, intra_transforms,
          std::span(reinterpret_cast<const int16_t*>(coefficients.data()),
                    coefficient_count)};
}

Range CapturedTile::Row(uint32_t SuperblockIndex::*list,
                        uint32_t sb_row) const {
  const size_t columns = sb_col_end - sb_col_begin;
  const size_t first = sb_row * columns;
  return {index[first].*list, index[first + columns].*list};
}

bool CapturedFrame::HasWork(const PlannedStage& stage) const {
  if (stage.list_end == nullptr) return true;
  return std::ranges::any_of(tiles, [&](const CapturedTile& tile) {
    return tile.index.back().*stage.list_end != 0;
  });
}

Status CaptureFrames(const std::string& file, int count,
                     std::vector<CapturedFrame>* frames) {
  uint64_t total = 0;
  Status status = DecodeFile(file, [&](const FrameJob&) { ++total; });
  if (!status.ok()) return status;
  std::set<uint64_t> wanted;
  for (int i = 0; i < count; ++i) {
    wanted.insert(i * (total - 1) / std::max(count - 1, 1));
  }
  std::vector<CapturedFrame> captured;
  uint64_t number = 0;
  status = DecodeFile(file, [&](const FrameJob& job) {
    if (wanted.contains(number)) captured.push_back(Capture(job, number));
    ++number;
  });
  if (!status.ok()) return status;
  if (captured.empty()) {
    return {StatusCode::kInvalidBitstream, "no frame in the file"};
  }
  *frames = std::move(captured);
  return status;
}

PicturePtr NewTarget(const CapturedFrame& frame) {
  const PictureView& view = frame.view;
  auto picture =
      NewHeapPicture(frame.layout.max_width, frame.layout.max_height,
                     view.bit_depth, view.subsampling_x, view.subsampling_y);
  picture->view = ViewIn(frame, picture->memory.data);
  return picture;
}

void RunOnCpu(const CapturedFrame& frame, const PlannedStage& stage,
              KernelFunction function, const PictureView& target) {
  KernelArgs args;
  args.params = &frame.params;
  args.edges = frame.edges;
  args.target = target;
  for (int i = 0; i < PERDIX_VP9_REFS; ++i) {
    if (frame.references[i]) args.references[i] = frame.references[i]->view;
  }
  if (stage.list_end == nullptr) {
    function(args, {0, frame.params.sb_cols * frame.params.sb_rows});
    return;
  }
  for (uint32_t row = 0; row < frame.params.sb_rows; ++row) {
    for (const CapturedTile& tile : frame.tiles) {
      const Range range = tile.Row(stage.list_end, row);
      if (range.begin == range.end) continue;
      args.lists = tile.View();
      function(args, range);
    }
  }
}

TargetStates ScalarStates(const CapturedFrame& frame) {
  const PicturePtr target = NewTarget(frame);
  const std::span<uint8_t> bytes(target->memory.data, target->memory.size);
  std::ranges::fill(bytes, kPoison);
  TargetStates states = {{bytes.begin(), bytes.end()}};
  for (uint32_t i = 0; i < frame.plan.stage_count; ++i) {
    const PlannedStage& stage = frame.plan.stages[i];
    RunOnCpu(frame, stage, stage.function, target->view);
    states.emplace_back(bytes.begin(), bytes.end());
  }
  return states;
}

bool SameDecodedArea(const CapturedFrame& frame,
                     const std::vector<uint8_t>& bytes,
                     const std::vector<uint8_t>& expected) {
  const uint32_t sample_bytes = frame.view.bit_depth > 8 ? 2 : 1;
  for (const uint32_t plane : {kLuma, kChroma}) {
    const vp9::DecodedArea area = vp9::PlaneDecodedArea(frame.params, plane);
    const size_t row_bytes =
        size_t(area.width) * sample_bytes * (plane == kLuma ? 1 : 2);
    const size_t offset =
        plane == kLuma ? frame.layout.luma_offset : frame.layout.chroma_offset;
    const size_t stride = frame.view.planes[plane].stride_bytes;
    for (int y = 0; y < area.height; ++y) {
      const size_t at = offset + size_t(y) * stride;
      if (std::memcmp(&bytes[at], &expected[at], row_bytes) != 0) return false;
    }
  }
  return true;
}

}  // namespace perdix::bench
