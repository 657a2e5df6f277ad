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
#include "codec/codec.h"
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

CapturedPicture Capture(const Picture& picture) {
  return {picture.layout, picture.view, picture.memory.size};
}

CapturedFrame Capture(const FrameJob& job, const CodecRow& codec,
                      uint64_t number) {
  CapturedFrame frame;
  frame.codec = &codec;
  frame.number = number;
  frame.params = job.params;
  for (uint32_t i = 0; i < job.tile_cols; ++i) {
    frame.tiles.push_back(Capture(job.tiles[i]));
  }
  frame.codec_params = job.codec_params;
  frame.tables = job.tables;
  frame.filter_lag = job.filter_lag;
  frame.coded_planes = job.coded_planes;
  frame.target = Capture(*job.request.target);
  if (job.request.display) frame.display = Capture(*job.request.display);
  ForEachReference(job.params, [&](uint32_t i) {
    frame.references[i] = job.request.references[i];
  });
  frame.plan = job.plan;
  return frame;
}

// The same picture with memory.
PicturePtr NewPicture(const CapturedPicture& captured) {
  const PictureLayout& layout = captured.layout;
  const PictureView& view = captured.view;
  PicturePtr picture =
      NewHeapPicture(layout.max_width, layout.max_height, view.bit_depth,
                     view.subsampling_x, view.subsampling_y);
  uint8_t* const memory = picture->memory.data;
  picture->view = view;
  picture->view.planes[kLuma].data = memory + layout.luma_offset;
  picture->view.planes[kChroma].data = memory + layout.chroma_offset;
  return picture;
}

Bytes Poison(const CapturedPicture& picture) {
  return std::make_shared<std::vector<uint8_t>>(picture.bytes, kPoison);
}

bool WritesDisplay(KernelId kernel) {
  return RowOf(kernel).picture == WrittenPicture::kDisplay;
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

bool CapturedFrame::StaysOnCpu(const PlannedStage& stage) const {
  return codec->passes[stage.pass].on_cpu;
}

const CapturedPicture& CapturedFrame::WrittenBy(KernelId kernel) const {
  return WritesDisplay(kernel) ? *display : target;
}

const std::vector<uint8_t>& FrameState::WrittenBy(KernelId kernel) const {
  return WritesDisplay(kernel) ? *display : *target;
}

CpuFrame::CpuFrame(const CapturedFrame& frame)
    : frame_(frame),
      target_(NewPicture(frame.target)),
      display_(frame.display ? NewPicture(*frame.display) : nullptr) {}

void CpuFrame::Fill(const FrameState& state) {
  std::ranges::copy(*state.target, target_->memory.data);
  if (display_) std::ranges::copy(*state.display, display_->memory.data);
  tables_ = state.tables;
}

std::vector<uint8_t> CpuFrame::Read(KernelId kernel) const {
  const Picture& picture = WritesDisplay(kernel) ? *display_ : *target_;
  const uint8_t* const begin = picture.memory.data;
  return {begin, begin + picture.memory.size};
}

void CpuFrame::Run(const PlannedStage& stage, KernelFunction function) {
  KernelArgs args;
  args.params = &frame_.params;
  args.codec = &frame_.codec_params;
  args.tables = tables_.View();
  args.filter_lag = frame_.filter_lag;
  args.coded_planes = frame_.coded_planes;
  args.target = target_->view;
  if (display_ != nullptr) args.display = display_->view;
  ForEachReference(frame_.params, [&](uint32_t i) {
    args.references[i] = frame_.references[i]->view;
  });
  std::vector<WorkLists> tiles;
  for (const CapturedTile& tile : frame_.tiles) tiles.push_back(tile.View());
  RunWholeFrame(stage.kernel, function, args, tiles);
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
  std::unique_ptr<client::Container> container;
  Status status = client::Container::Open(file, &container);
  if (!status.ok()) return status;
  const CodecRow& codec = *FindCodec(container->codec().id);
  uint64_t total = 0;
  status = ObserveFrames(file, Recipe(), [&](const FrameJob&) { ++total; });
  if (!status.ok()) return status;
  std::set<uint64_t> wanted;
  for (int i = 0; i < count; ++i) {
    wanted.insert(i * (total - 1) / std::max(count - 1, 1));
  }
  std::vector<CapturedFrame> captured;
  uint64_t number = 0;
  status = ObserveFrames(file, Recipe(), [&](const FrameJob& job) {
    if (wanted.contains(number))
      captured.push_back(Capture(job, codec, number));
    ++number;
  });
  if (!status.ok()) return status;
  if (captured.empty()) {
    return {StatusCode::kInvalidBitstream, "no frame in the file"};
  }
  *frames = std::move(captured);
  return status;
}

FrameStates ScalarStates(const CapturedFrame& frame) {
  CpuFrame on_cpu(frame);
  FrameStates states = {{Poison(frame.target),
                         frame.display ? Poison(*frame.display) : nullptr,
                         frame.tables}};
  on_cpu.Fill(states[0]);
  for (uint32_t i = 0; i < frame.plan.stage_count; ++i) {
    const PlannedStage& stage = frame.plan.stages[i];
    on_cpu.Run(stage, stage.function);
    FrameState after = states.back();
    (WritesDisplay(stage.kernel) ? after.display : after.target) =
        std::make_shared<std::vector<uint8_t>>(on_cpu.Read(stage.kernel));
    after.tables = on_cpu.tables();
    states.push_back(std::move(after));
  }
  return states;
}

bool SameDecodedArea(const CapturedPicture& picture,
                     std::span<const uint8_t> bytes,
                     std::span<const uint8_t> expected) {
  const PictureView& view = picture.view;
  const uint32_t sample_bytes = view.bit_depth > 8 ? 2 : 1;
  for (const uint32_t plane : {kLuma, kChroma}) {
    const bool luma = plane == kLuma;
    const size_t columns =
        DecodedSize(view.width) >> (luma ? 0 : view.subsampling_x);
    const size_t rows =
        DecodedSize(view.height) >> (luma ? 0 : view.subsampling_y);
    const size_t row_bytes = columns * sample_bytes * (luma ? 1 : 2);
    const size_t offset =
        luma ? picture.layout.luma_offset : picture.layout.chroma_offset;
    for (size_t y = 0; y < rows; ++y) {
      const size_t at = offset + y * view.planes[plane].stride_bytes;
      if (std::memcmp(&bytes[at], &expected[at], row_bytes) != 0) return false;
    }
  }
  return true;
}

}  // namespace perdix::bench
