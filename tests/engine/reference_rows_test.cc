// SPDX-License-Identifier: BSD-2-Clause
#include "engine/reference_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "codec/codec.h"
#include "engine/frame_job.h"
#include "kernels/vp9/block_interpolation.h"
#include "tests/engine/decode_clip.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {
namespace {

constexpr uint32_t kFilterLag = 16;  // VP9's

const CodecRow& Codec() { return *FindCodec(PERDIX_CODEC_VP9); }

void ExpectRange(const Range& range, uint32_t begin, uint32_t end) {
  EXPECT_EQ(range.begin, begin);
  EXPECT_EQ(range.end, end);
}

TEST(ReferenceRowsTest, LinesAreFinalButForThoseThatTheNextRowFilters) {
  FrameJob frame;
  frame.filter_lag = kFilterLag;
  frame.params.sb_rows = 3;
  frame.params.sb_log2 = 6;
  EXPECT_EQ(FinalLines(frame, 0), 64 - 16);
  EXPECT_EQ(FinalLines(frame, 1), 128 - 16);
  EXPECT_EQ(FinalLines(frame, 2), kAllRead);
  frame.params.sb_log2 = 7;
  EXPECT_EQ(FinalLines(frame, 0), 128 - 16);
}

TEST(FinalRowsTest, CountsFromTheFirstRowOn) {
  FinalRows rows;
  rows.Reset(4);
  EXPECT_FALSE(rows.Add(1));
  EXPECT_FALSE(rows.Add(2));
  EXPECT_EQ(rows.count(), 0u);
  EXPECT_TRUE(rows.Add(0));
  EXPECT_EQ(rows.count(), 3u);
  EXPECT_TRUE(rows.Add(3));
  EXPECT_EQ(rows.count(), 4u);
  rows.Reset(1);
  EXPECT_EQ(rows.count(), 0u);
}

TEST(ReferenceRowsTest, RowsGoOnOnceAndInOrder) {
  ReferenceRows rows;
  rows.Reset(4, 1);
  ExpectRange(rows.Need(1), 0, 1);
  ExpectRange(rows.Need(3), 1, 1);
  ExpectRange(rows.Need(2), 1, 1);  // comes after the row above it
  ExpectRange(rows.Have(2), 1, 1);
  ExpectRange(rows.Have(3), 1, 3);
  ExpectRange(rows.Have(4), 3, 3);
  ExpectRange(rows.Need(4), 3, 4);
  rows.Reset(1, 0);
  ExpectRange(rows.Need(0), 0, 1);
}

// The least rows of a reference of which the block's prediction reads nothing
// that the filter of the row after them may still change.
uint32_t RowsOf(const FrameJob& job, const vp9::InterBlock& block, uint32_t ref,
                uint32_t mv) {
  const uint32_t height = job.request.references[ref]->view.height;
  const uint32_t rows = (height + 63) / 64;
  const vp9::ReferenceScale& reference =
      job.codec_params.As<vp9::Params>().references[ref];
  uint32_t needed = 0;
  for (uint32_t plane = 0; plane < 2; ++plane) {
    const vp9::BlockAxis axis = vp9::LocateBlock(job.params, block, plane).y;
    if ((vp9::InterPlanes(block.shape) >> plane & 1) == 0 || axis.size <= 0)
      continue;
    const vp9::Axis y = vp9::ReferenceAxis(axis, vp9::MvRow(mv),
                                           reference.y_scale, reference.y_step);
    const int last = std::max(y.FirstPixel() + y.SourceSize(), 0);
    const int row_lines = 64 >> axis.subsampling;
    uint32_t row = 1;
    while (row < rows && last > int(row) * row_lines - 9) ++row;
    needed = std::max(needed, row);
  }
  return needed;
}

// The lines that all blocks of a row need.
uint32_t RowsOf(const FrameJob& job, uint32_t sb_row, uint32_t ref) {
  uint32_t needed = 0;
  for (uint32_t i = 0; i < job.tile_cols; ++i) {
    const WorkLists lists = job.tiles[i].View();
    const Range range =
        RowOf(KernelId::kVp9InterPred)
            .Items(lists, job.params, sb_row, {0, job.params.sb_cols});
    for (uint32_t item = range.begin; item < range.end; ++item) {
      const vp9::InterBlock& block = lists.Of(vp9::kInterBlocks)[item];
      if (vp9::InterRef0(block.shape) == ref)
        needed = std::max(needed, RowsOf(job, block, ref, block.mv0));
      if (vp9::InterRef1(block.shape) == ref)
        needed = std::max(needed, RowsOf(job, block, ref, block.mv1));
    }
  }
  return needed;
}

// The rows of the reference that must be filtered before <sb_row> goes on.
uint32_t RowsRead(const FrameJob& job, uint32_t sb_row, uint32_t ref) {
  const int lines = LinesRead(Codec(), job, sb_row, 1u << ref);
  if (lines == 0) return 0;
  FrameJob reference;
  reference.filter_lag = kFilterLag;
  reference.params.sb_log2 = 6;
  reference.params.sb_rows =
      (job.request.references[ref]->view.height + 63) / 64;
  uint32_t row = 0;
  while (FinalLines(reference, row) < lines) ++row;
  return row + 1;
}

class RowsReadTest : public testing::TestWithParam<const char*> {};

TEST_P(RowsReadTest, AreAllThatInterpolationReadsAndHardlyMore) {
  uint64_t reads = 0, exact = 0;
  const auto check = [&](const FrameJob& job, uint32_t row, uint32_t ref) {
    const uint32_t rows = RowsRead(job, row, ref);
    const uint32_t needed = RowsOf(job, row, ref);
    EXPECT_GE(rows, needed) << "row " << row << ", reference " << ref;
    if (job.codec_params.As<vp9::Params>().references[ref].y_scale !=
        vp9::kNotScaled)
      return;
    EXPECT_LE(rows, needed + 1) << "row " << row << ", reference " << ref;
    if (rows != 0) ++reads;
    if (rows != 0 && rows == needed) ++exact;
  };
  EngineOptions options;
  options.threads = 2;
  options.observer = [&](const FrameJob& job) {
    for (uint32_t row = 0; row < job.params.sb_rows; ++row) {
      EXPECT_EQ(LinesRead(Codec(), job, row, 0), 0);
      for (uint32_t ref = 0; ref < PERDIX_VP9_REFS; ++ref) check(job, row, ref);
    }
  };
  Decode(GetParam(), options);
  EXPECT_GT(reads, 0u);
  EXPECT_GE(exact * 10, reads * 9);
}

INSTANTIATE_TEST_SUITE_P(Clips, RowsReadTest,
                         testing::Values("demo.webm", "odd_99x57.webm",
                                         "tiles_512x288.webm",
                                         "resize_640x360.webm"),
                         &ClipName);

}  // namespace
}  // namespace perdix
