// SPDX-License-Identifier: BSD-2-Clause
#include "codec/reference_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "codec/frame_job.h"
#include "kernels/vp9/block_interpolation.h"
#include "tests/codec/decode_clip.h"

namespace perdix {
namespace {

void ExpectRange(const Range& range, uint32_t begin, uint32_t end) {
  EXPECT_EQ(range.begin, begin);
  EXPECT_EQ(range.end, end);
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

// The least rows of a reference of which a block reads nothing that the filter
// of the row after them may still change.
uint32_t RowsOf(const FrameJob& job, const InterBlock& block, uint32_t ref,
                uint32_t mv) {
  const Picture& picture = *job.request.references[ref];
  const uint32_t rows = (picture.view.height + 63) / 64;
  uint32_t needed = 0;
  for (uint32_t p = 0; p < 2; ++p) {
    const vp9::PlaneBlock located = vp9::LocateBlock(job.params, block, p);
    if ((InterPlanes(block.shape) >> p & 1) == 0 || located.y.size <= 0)
      continue;
    const ReferenceParams& reference = job.params.references[ref];
    const vp9::Axis y = vp9::ReferenceAxis(located.y, MvRow(mv),
                                           reference.y_scale, reference.y_step);
    const int last = std::max(y.FirstPixel() + y.SourceSize(), 0);
    const int row_lines = 64 >> located.y.subsampling;
    uint32_t row = 1;
    while (row < rows && last > int(row) * row_lines - 9) ++row;
    needed = std::max(needed, row);
  }
  return needed;
}

class RowsReadTest : public testing::TestWithParam<const char*> {};

TEST_P(RowsReadTest, AreAllThatInterpolationReadsAndHardlyMore) {
  uint64_t blocks = 0, reads = 0, exact = 0;
  Decode(GetParam(),
         {.threads = 2, .observer = [&](const FrameJob& job) {
            for (uint32_t row = 0; row < job.params.sb_rows; ++row) {
              EXPECT_EQ(RowsRead(job, row, 0), 0u);
              for (uint32_t ref = 0; ref < PERDIX_VP9_REFS; ++ref) {
                uint32_t expected = 0;
                bool scaled = false;
                for (uint32_t i = 0; i < job.tile_cols; ++i) {
                  const TileLists& tile = job.tiles[i];
                  const Range range =
                      tile.Items(&SuperblockIndex::inter_blocks, row,
                                 tile.sb_col_begin, tile.sb_col_end);
                  for (uint32_t item = range.begin; item < range.end; ++item) {
                    const InterBlock& block = tile.View().inter_blocks[item];
                    ++blocks;
                    for (const auto& [number, mv] :
                         {std::pair(InterRef0(block.shape), block.mv0),
                          std::pair(InterRef1(block.shape), block.mv1)}) {
                      if (number != ref) continue;
                      expected =
                          std::max(expected, RowsOf(job, block, ref, mv));
                      scaled =
                          job.params.references[ref].y_scale != vp9::kNotScaled;
                    }
                  }
                }
                const uint32_t rows = RowsRead(job, row, 1u << ref);
                EXPECT_GE(rows, expected)
                    << "row " << row << ", reference " << ref;
                if (scaled) continue;
                EXPECT_LE(rows, expected + 1)
                    << "row " << row << ", reference " << ref;
                ++reads;
                if (rows == expected) ++exact;
              }
            }
          }});
  EXPECT_GT(blocks, 0u);
  EXPECT_GE(exact * 10, reads * 9);
}

INSTANTIATE_TEST_SUITE_P(Clips, RowsReadTest,
                         testing::Values("demo.webm", "odd_99x57.webm",
                                         "tiles_512x288.webm",
                                         "resize_640x360.webm"),
                         &ClipName);

}  // namespace
}  // namespace perdix
