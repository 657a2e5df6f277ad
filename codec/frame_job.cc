// SPDX-License-Identifier: BSD-2-Clause
#include "codec/frame_job.h"

#include <utility>

namespace perdix {
namespace {

// Most that one 64x64 superblock can hold.
constexpr size_t kMiPerSuperblock = 64;
constexpr size_t k4x4PerSuperblock = 256;

vulkan::GpuPicture InGpuMemory(const Picture& picture) {
  const PictureLayout& layout = picture.layout;
  return {picture.view,
          {uint32_t(layout.luma_offset), uint32_t(layout.chroma_offset),
           layout.stride_bytes, layout.chroma_stride_bytes},
          picture.memory.gpu};
}

}  // namespace

void TileLists::Reset(const FrameParams& params, uint32_t begin, uint32_t end) {
  sb_col_begin = begin;
  sb_col_end = end;
  const size_t superblocks = size_t{columns()} * params.sb_rows;
  const uint32_t shift = params.subsampling_x + params.subsampling_y;
  const size_t chroma_4x4 = k4x4PerSuperblock >> shift;
  const size_t transforms = k4x4PerSuperblock + 2 * chroma_4x4;
  const size_t units = params.bit_depth > 8 ? 2 : 1;  // of a coefficient

  // below 8x8: four luma records and one for each 4x4 of chroma
  inter_blocks.Reset(superblocks * kMiPerSuperblock * (4 + (4 >> shift)));
  inter_transforms.Reset(superblocks * transforms);
  intra_transforms.Reset(superblocks * transforms);
  intra_blocks.Reset(superblocks * (k4x4PerSuperblock + chroma_4x4));
  coefficients.Reset(superblocks * transforms * 16 * units);
  index.assign(superblocks + 1, {});
  row_begins.assign(params.sb_rows, {});
  kept_rows = params.sb_rows;
}

void TileLists::BeginRow(uint32_t sb_row) {
  const size_t rows = row_begins.size();
  if (kept_rows < rows) {
    const auto seek = [&](auto&... lists) {
      (lists.Seek(lists.capacity() / rows * (sb_row % kept_rows)), ...);
    };
    seek(inter_blocks, inter_transforms, intra_blocks, intra_transforms,
         coefficients);
  }
  row_begins[sb_row] = {uint32_t(inter_blocks.size()),
                        uint32_t(inter_transforms.size()),
                        uint32_t(intra_blocks.size())};
}

WorkLists TileLists::View() const {
  return {inter_blocks.Reserved(), inter_transforms.Reserved(),
          intra_blocks.Reserved(), intra_transforms.Reserved(),
          coefficients.Reserved()};
}

WorkLists TileLists::Written() const {
  return {inter_blocks.Written(), inter_transforms.Written(),
          intra_blocks.Written(), intra_transforms.Written(),
          coefficients.Written()};
}

Range TileLists::Items(uint32_t SuperblockIndex::*list, uint32_t sb_row,
                       uint32_t col_begin, uint32_t col_end) const {
  const size_t first = size_t{sb_row} * columns() + col_begin - sb_col_begin;
  const SuperblockIndex& begin =
      col_begin == sb_col_begin ? row_begins[sb_row] : index[first];
  return {begin.*list, index[first + col_end - col_begin].*list};
}

void FrameJob::Fail(Status status) {
  std::lock_guard lock(mutex_);
  if (failed_.load(std::memory_order_relaxed)) return;
  status_ = std::move(status);
  failed_.store(true, std::memory_order_release);
}

void FrameJob::Reset(FrameRequest next_request) {
  request = std::move(next_request);
  status_ = Status::Ok();
  failed_.store(false, std::memory_order_relaxed);
  segment = 0;
  check = {};
  previous = nullptr;
  times = {};
  gate_open = false;
  may_be_followed.store(false, std::memory_order_relaxed);
  begun = passed = false;
  final_lines = 0;
  follower = nullptr;
  follows = false;
  followed_references = 0;
  when_oldest = WhenOldest::kNothing;
}

KernelArgs FrameJob::Args(const TileLists* tile) const {
  KernelArgs args;
  args.params = &params;
  if (tile != nullptr) args.lists = tile->View();
  args.edges = edges;
  args.target = request.target->view;
  for (int i = 0; i < PERDIX_VP9_REFS; ++i) {
    if (params.references[i].valid) {
      args.references[i] = request.references[i]->view;
    }
  }
  return args;
}

vulkan::GpuFrameInput FrameJob::GpuInput() {
  gpu_tiles.clear();
  for (uint32_t i = 0; i < tile_cols; ++i) {
    gpu_tiles.push_back(tiles[i].Written());
  }
  vulkan::GpuFrameInput input;
  input.params = &params;
  input.tiles = gpu_tiles;
  input.edges = edges;
  input.target = InGpuMemory(*request.target);
  for (int i = 0; i < PERDIX_VP9_REFS; ++i) {
    if (params.references[i].valid) {
      input.references[i] = InGpuMemory(*request.references[i]);
    }
  }
  if (MeasuresMotion()) input.previous = InGpuMemory(*previous);
  input.checksums = check.on;
  // a check runs the frame once more, after its last segment
  input.begun =
      segment < plan.segment_count && times.gpu[segment].submitted != 0;
  return input;
}

}  // namespace perdix
