// SPDX-License-Identifier: BSD-2-Clause
#include "engine/frame_job.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace perdix {
namespace {

vulkan::GpuPicture InGpuMemory(const Picture& picture) {
  const PictureLayout& layout = picture.layout;
  return {picture.view,
          {uint32_t(layout.luma_offset), uint32_t(layout.chroma_offset),
           layout.stride_bytes, layout.chroma_stride_bytes},
          picture.memory.gpu};
}

}  // namespace

Range ParseOrder::Release(const FrameJob& job) {
  int parsed = std::numeric_limits<int>::max();
  for (const FrameJob* other : by_row)
    parsed = std::min(parsed, other->queued.parse.lines);
  const FrameParams& params = job.params;
  const uint32_t begin = rows;
  while (rows < params.sb_rows &&
         int(std::min((rows + 1) << params.sb_log2, params.height)) <= parsed) {
    ++rows;
  }
  return {begin, rows};
}

void FrameJob::Reset(FrameRequest next_request) {
  ParsedFrame::Reset(std::move(next_request));
  segment = 0;
  check = {};
  previous = nullptr;
  times = {};
  gate_open = false;
  queued = {};
  follows = false;
  followed_references = 0;
}

KernelArgs FrameJob::Args() {
  KernelArgs args;
  args.params = &params;
  args.codec = &codec_params;
  args.tables = tables.View();
  args.target = request.target->view;
  args.not_final = not_final;
  args.coded_planes = coded_planes;
  if (request.display) args.display = request.display->view;
  ForEachReference(params, [&](uint32_t i) {
    args.references[i] = request.references[i]->view;
  });
  return args;
}

vulkan::GpuFrameInput FrameJob::GpuInput() {
  gpu.tiles.clear();
  for (uint32_t i = 0; i < tile_cols; ++i) {
    gpu.tiles.push_back(tiles[i].Written());
  }
  vulkan::GpuFrameInput input;
  input.params = &params;
  input.codec = &codec_params;
  input.tiles = gpu.tiles;
  input.tables = tables.View();
  input.target = InGpuMemory(*request.target);
  if (request.display) input.display = InGpuMemory(*request.display);
  ForEachReference(params, [&](uint32_t i) {
    input.references[i] = InGpuMemory(*request.references[i]);
  });
  if (MeasuresMotion()) input.previous = InGpuMemory(*previous);
  input.checksums = check.on;
  // a check runs the frame once more, after its last segment
  input.begun =
      segment < plan.segment_count && times.gpu[segment].submitted != 0;
  return input;
}

}  // namespace perdix
