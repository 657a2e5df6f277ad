// SPDX-License-Identifier: BSD-2-Clause
#include "codec/cell_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "codec/vp9/frame_state.h"

namespace perdix {
namespace {

TEST(CellGridTest, ChunksAreTheTileColumnsIfThereAreAsMany) {
  for (uint32_t columns = 1; columns <= 256; ++columns) {
    for (int log2 = 0; (4u << log2) <= columns && log2 <= 6; ++log2) {
      CellGrid grid;
      grid.Reset({1, columns, 1, 1u << log2, true, true, 1});
      for (uint32_t i = 0; i < 1u << log2; ++i) {
        const Range range = grid.Columns(i);
        EXPECT_EQ(range.begin, vp9::TileOffset(i, columns, log2));
        EXPECT_EQ(range.end, vp9::TileOffset(i + 1, columns, log2));
      }
    }
  }
}

size_t CellsOf(const CellGrid::Shape& shape) {
  const int stages = (shape.reconstruct ? 1 : 0) + (shape.filter ? 1 : 0);
  return size_t(stages) * shape.rows * shape.chunks;
}

using Key = std::tuple<uint32_t, uint32_t, uint32_t>;

// Works off all cells, whichever is next, and looks at what each came after.
void WorkOff(const CellGrid::Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  CellGrid grid;
  grid.Reset(shape);
  std::vector<Cell> waiting;
  std::set<Key> done;
  const auto add = [&](const ReadyCells& ready) {
    waiting.insert(waiting.end(), ready.cells, ready.cells + ready.count);
  };
  const auto meet = [&](Cell cell) {
    ReadyCells ready;
    grid.Meet(cell, &ready);
    add(ready);
  };
  const auto expect_done = [&](uint32_t stage, uint32_t row, uint32_t chunk) {
    if (row >= shape.rows || chunk >= shape.chunks) return;
    EXPECT_TRUE(done.contains({stage, row, chunk}));
  };
  meet(grid.last());
  for (uint32_t tile = 0; tile < shape.tiles; ++tile) {
    meet(grid.RowBegin(0, tile));
    for (uint32_t row = 0; row < shape.rows; ++row) {
      for (uint32_t i = 0; i < shape.row_conditions; ++i) {
        meet(grid.RowBegin(row, tile));
      }
    }
  }
  while (!waiting.empty()) {
    std::swap(waiting[random() % waiting.size()], waiting.back());
    const Cell cell = waiting.back();
    waiting.pop_back();
    const auto [stage, row, chunk] = cell;
    if (stage == kReconstruct) {
      if (!grid.BeginsTile(cell)) expect_done(stage, row, chunk - 1);
      expect_done(stage, row - 1, chunk);
    } else {
      expect_done(stage, row, chunk - 1);
      expect_done(stage, row - 1, std::min(chunk + 1, shape.chunks - 1));
      if (shape.reconstruct) {
        const uint32_t below = std::min(row + 1, shape.rows - 1);
        expect_done(kReconstruct, below, chunk + !grid.EndsTile(cell));
      }
    }
    EXPECT_TRUE(done.insert({stage, row, chunk}).second);
    EXPECT_EQ(grid.IsLast(cell),
              waiting.empty() && done.size() == CellsOf(shape));
    ReadyCells ready;
    grid.Follow(cell, &ready);
    add(ready);
  }
  EXPECT_EQ(done.size(), CellsOf(shape));
}

TEST(CellGridTest, EachCellComesOnceAfterWhatItReads) {
  for (uint32_t rows = 1; rows <= 5; ++rows) {
    for (uint32_t chunks = 1; chunks <= 4; ++chunks) {
      for (const auto& [reconstruct, filter] :
           {std::pair{true, true}, {true, false}, {false, true}}) {
        SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(chunks) +
                     " chunks" + (reconstruct ? ", reconstructed" : "") +
                     (filter ? ", filtered" : ""));
        for (uint32_t seed = 0; seed < 10; ++seed) {
          const uint32_t row_conditions = reconstruct ? seed % 3 : 0;
          WorkOff({rows, 16, 1, chunks, reconstruct, filter, row_conditions},
                  seed);
        }
      }
    }
  }
}

TEST(CellGridTest, TilesComeWithoutEachOther) {
  for (uint32_t rows = 1; rows <= 4; ++rows) {
    for (uint32_t tiles = 1; tiles <= 4; ++tiles) {
      for (uint32_t chunks = tiles; chunks <= 3 * tiles; chunks += tiles) {
        SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(tiles) +
                     " tiles, " + std::to_string(chunks) + " chunks");
        for (uint32_t seed = 0; seed < 10; ++seed) {
          WorkOff({rows, 16, tiles, chunks, true, true, seed % 3}, seed);
        }
      }
    }
  }
}

TEST(CellGridTest, ATileIsReconstructedWhateverTheOthersDo) {
  constexpr uint32_t kRows = 3;
  constexpr uint32_t kTiles = 4;
  CellGrid grid;
  grid.Reset({kRows, 16, kTiles, 2 * kTiles, true, true, 1});
  std::vector<Cell> waiting;
  const auto add = [&](const ReadyCells& ready) {
    waiting.insert(waiting.end(), ready.cells, ready.cells + ready.count);
  };
  ReadyCells begin;
  grid.Meet(grid.RowBegin(0, 2), &begin);
  for (uint32_t row = 0; row < kRows; ++row) {
    grid.Meet(grid.RowBegin(row, 2), &begin);
  }
  add(begin);
  uint32_t reconstructed = 0;
  while (!waiting.empty()) {
    const Cell cell = waiting.back();
    waiting.pop_back();
    EXPECT_EQ(cell.stage, kReconstruct);  // the filter goes from left to right
    EXPECT_EQ(grid.TileOf(cell), 2u);
    ++reconstructed;
    ReadyCells ready;
    grid.Follow(cell, &ready);
    add(ready);
  }
  EXPECT_EQ(reconstructed, kRows * 2);
}

}  // namespace
}  // namespace perdix
