// SPDX-License-Identifier: BSD-2-Clause
#include "codec/frame_job.h"

#include <utility>

namespace perdix {
namespace {

// Most that one 64x64 superblock can hold.
constexpr size_t kMiPerSuperblock = 64;
constexpr size_t k4x4PerSuperblock = 256;

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
}

WorkLists TileLists::View() const {
  return {inter_blocks.Reserved(), inter_transforms.Reserved(),
          intra_blocks.Reserved(), intra_transforms.Reserved(),
          coefficients.Reserved()};
}

Range TileLists::Items(uint32_t SuperblockIndex::*list, uint32_t sb_row,
                       uint32_t col_begin, uint32_t col_end) const {
  const size_t first = size_t{sb_row} * columns() + col_begin - sb_col_begin;
  return {index[first].*list, index[first + col_end - col_begin].*list};
}

void FrameJob::Fail(Status status) {
  std::lock_guard lock(mutex_);
  if (failed_.load(std::memory_order_relaxed)) return;
  status_ = std::move(status);
  failed_.store(true, std::memory_order_release);
}

void FrameJob::ResetStatus() {
  status_ = Status::Ok();
  failed_.store(false, std::memory_order_relaxed);
}

KernelArgs FrameJob::Args(const TileLists* tile) const {
  KernelArgs args;
  args.params = &params;
  if (tile != nullptr) args.lists = tile->View();
  args.edges = edges;
  args.target = request.target->view;
  for (int i = 0; i < PERDIX_VP9_REFS; ++i) args.references[i] = references[i];
  return args;
}

}  // namespace perdix
