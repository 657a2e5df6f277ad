// SPDX-License-Identifier: BSD-2-Clause
#include "tools/bench/workload.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "client/container/container.h"
#include "client/inprocess/engine_backend.h"
#include "client/stream/stream.h"
#include "kernels/decoded_area.h"
#include "kernels/whole_frame.h"

namespace perdix::bench {
namespace {

constexpr uint8_t kPoison = 0xa5;

template <typename T>
std::vector<T> Copy(std::span<const T> list) {
  return {list.begin(), list.end()};
}

CapturedTile Capture(const TileLists& tile) {
  CapturedTile captured;
  const WorkLists lists = tile.Written();
  captured.columns = lists.columns;
  for (size_t i = 0; i < kMaxLists; ++i) {
    const WorkLists::Records& from = lists.lists[i];
    captured.records[i].resize(from.size);
    if (from.size == 0) continue;
    std::memcpy(captured.records[i].data(), from.data,
                from.size * kRecordBytes);
  }
  captured.row_begins = Copy(lists.row_begins);
  captured.ends = Copy(lists.ends);
  const std::span<const int16_t> coefficients = lists.coefficients;
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
  frame.codec_params = job.codec_params;
  frame.tables = job.tables;
  frame.layout = job.request.target->layout;
  frame.view = job.request.target->view;
  frame.target_bytes = job.request.target->memory.size;
  ForEachReference(job.params, [&](uint32_t i) {
    frame.references[i] = job.request.references[i];
  });
  frame.plan = job.plan;
  return frame;
}

PictureView ViewIn(const CapturedFrame& frame, uint8_t* memory) {
  PictureView view = frame.view;
  view.planes[kLuma].data = memory + frame.layout.luma_offset;
  view.planes[kChroma].data = memory + frame.layout.chroma_offset;
  return view;
}

}  // namespace

WorkLists CapturedTile::View() const {
  WorkLists lists;
  for (size_t i = 0; i < kMaxLists; ++i) {
    lists.lists[i] = {records[i].data(), records[i].size()};
  }
  lists.coefficients = {reinterpret_cast<const int16_t*>(coefficients.data()),
                        coefficient_count};
  lists.columns = columns;
  lists.row_begins = row_begins;
  lists.ends = ends;
  return lists;
}

bool CapturedFrame::HasWork(const PlannedStage& stage) const {
  const KernelRow& kernel = RowOf(stage.kernel);
  if (!kernel.ReadsList()) return true;
  return std::ranges::any_of(tiles, [&](const CapturedTile& tile) {
    return !tile.records[kernel.list].empty();
  });
}

Status ObserveFrames(const std::string& file, const Recipe& recipe,
                     const std::function<void(const FrameJob&)>& observer) {
  std::unique_ptr<client::Container> container;
  Status status = client::Container::Open(file, &container);
  if (!status.ok()) return status;
  EngineOptions options;
  options.threads = 1;
  options.recipe = recipe;
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

Status CaptureFrames(const std::string& file, int count,
                     std::vector<CapturedFrame>* frames) {
  uint64_t total = 0;
  Status status =
      ObserveFrames(file, Recipe(), [&](const FrameJob&) { ++total; });
  if (!status.ok()) return status;
  std::set<uint64_t> wanted;
  for (int i = 0; i < count; ++i) {
    wanted.insert(i * (total - 1) / std::max(count - 1, 1));
  }
  std::vector<CapturedFrame> captured;
  uint64_t number = 0;
  status = ObserveFrames(file, Recipe(), [&](const FrameJob& job) {
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
              KernelFunction function, const PictureView& target,
              const FrameTables& tables) {
  KernelArgs args;
  args.params = &frame.params;
  args.codec = &frame.codec_params;
  args.tables = tables;
  args.target = target;
  ForEachReference(frame.params, [&](uint32_t i) {
    args.references[i] = frame.references[i]->view;
  });
  std::vector<WorkLists> tiles;
  for (const CapturedTile& tile : frame.tiles) tiles.push_back(tile.View());
  RunWholeFrame(stage.kernel, function, args, tiles);
}

TargetStates ScalarStates(const CapturedFrame& frame) {
  const PicturePtr target = NewTarget(frame);
  const std::span<uint8_t> bytes(target->memory.data, target->memory.size);
  std::ranges::fill(bytes, kPoison);
  TableMemory tables = frame.tables;
  TargetStates states = {{bytes.begin(), bytes.end()}};
  for (uint32_t i = 0; i < frame.plan.stage_count; ++i) {
    const PlannedStage& stage = frame.plan.stages[i];
    RunOnCpu(frame, stage, stage.function, target->view, tables.View());
    states.emplace_back(bytes.begin(), bytes.end());
  }
  return states;
}

bool SameDecodedArea(const CapturedFrame& frame,
                     const std::vector<uint8_t>& bytes,
                     const std::vector<uint8_t>& expected) {
  const uint32_t sample_bytes = frame.view.bit_depth > 8 ? 2 : 1;
  for (const uint32_t plane : {kLuma, kChroma}) {
    const DecodedArea area = PlaneDecodedArea(frame.params, plane);
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
