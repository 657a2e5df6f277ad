// SPDX-License-Identifier: BSD-2-Clause
#include "engine/cell_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "codec/codec.h"
#include "codec/vp9/frame_state.h"
#include "tests/engine/pass_model.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {
namespace {

// ---- tables ----

constexpr uint32_t kReconstruct = 0;
constexpr uint32_t kFilter = 1;

std::span<const Pass> Vp9Passes() {
  return FindCodec(PERDIX_CODEC_VP9)->passes;
}

// Passes like AV1's: intra prediction looks above right, intra block copy
// further, and the filters keep the lines that the ones before them change.
enum Av1Pass : uint32_t {
  kAv1Reconstruct,
  kAv1ReconstructCopies,
  kAv1Deblock,
  kAv1Cdef,
  kAv1SuperRes,
  kAv1LoopRestoration,
  kAv1Publish,
};
constexpr After kAv1AfterReconstruct[] = {{kAv1Reconstruct, -1, 1}};
constexpr After kAv1AfterCopies[] = {{kAv1Reconstruct, 0, 0},
                                     {kAv1ReconstructCopies, -1, 5}};
constexpr After kAv1Deblocks[] = {{kAv1ReconstructCopies, 0, 0},
                                  {kAv1Deblock, -1, 0}};
constexpr After kAv1Cdefs[] = {{kAv1Deblock, 0, 0}};
constexpr After kAv1SuperReses[] = {{kAv1Cdef, 0, 0}};
constexpr After kAv1Restores[] = {{kAv1SuperRes, 0, 0}, {kAv1SuperRes, -1, 0}};
constexpr After kAv1Publishes[] = {{kAv1LoopRestoration, 0, 0}};
constexpr Pass kAv1Passes[] = {
    {.name = "reconstruct",
     .kernels = {},
     .after = kAv1AfterReconstruct,
     .within_tiles = true},
    {.name = "reconstruct with copies",
     .kernels = {},
     .after = kAv1AfterCopies,
     .within_tiles = true},
    {.name = "deblock",
     .kernels = {},
     .after = kAv1Deblocks,
     .whole_rows = true},
    {.name = "cdef", .kernels = {}, .after = kAv1Cdefs, .whole_rows = true},
    {.name = "super-resolution",
     .kernels = {},
     .after = kAv1SuperReses,
     .whole_rows = true},
    {.name = "loop restoration",
     .kernels = {},
     .after = kAv1Restores,
     .whole_rows = true},
    {.name = "publish",
     .kernels = {},
     .after = kAv1Publishes,
     .whole_rows = true,
     .output = true},
};

// Keeps the rules of pass.h.
struct RandomTable {
  explicit RandomTable(std::mt19937& random) {
    const auto below = [&](uint32_t end) { return uint32_t(random() % end); };
    const uint32_t count = 2 + below(4);
    after.resize(count);
    for (uint32_t i = 0; i < count; ++i) {
      const bool whole_rows = below(3) == 0;
      if (i > 0) after[i].push_back({i - 1, int(below(3)), int(below(4))});
      if (below(3) != 0) {
        if (below(2) == 0) after[i].push_back({i, -1 - int(below(2)), 0});
        after[i].push_back({i, -1, int(below(6))});
      }
      if (i > 1 && below(2) == 0) {
        after[i].push_back({below(i), int(below(4)) - 1, int(below(7)) - 3});
      }
      passes.push_back({.name = "",
                        .kernels = {},
                        .after = after[i],
                        .whole_rows = whole_rows,
                        .within_tiles = below(2) == 0});
    }
  }

  std::vector<std::vector<After>> after;
  std::vector<Pass> passes;
};

bool TilesMayGoTheirOwnWay(const CellGrid::Shape& shape) {
  uint32_t first = 0;
  while ((shape.at_work >> first & 1) == 0) ++first;
  uint32_t last = first;
  for (uint32_t i = first; i < shape.passes.size(); ++i) {
    if (shape.at_work >> i & 1) last = i;
  }
  return shape.passes[first].ByTile() && !shape.passes[last].ByTile();
}

std::string NameOf(const CellGrid::Shape& shape) {
  std::string name = std::to_string(shape.rows) + " rows, " +
                     std::to_string(shape.columns) + " columns, tiles";
  for (const uint32_t begin : shape.tile_begins) {
    name += " " + std::to_string(begin);
  }
  return name + ", " + std::to_string(shape.chunks) + " chunks, passes " +
         std::to_string(shape.at_work);
}

// ---- order of work ----

// Works off all cells, and meets all conditions from outside, whichever is
// next, and looks at what each cell comes after.
class Work {
 public:
  Work(const CellGrid::Shape& shape, uint32_t seed)
      : shape_(shape), random_(seed), model_(shape) {
    grid_.Reset(shape);
    starts_.resize(grid_.tiles());
    rows_.resize(grid_.tiles() * shape.rows);
    for (uint32_t pass = 0; pass < shape.passes.size(); ++pass) {
      EXPECT_EQ(grid_.Chunks(pass) != 0, (shape.at_work >> pass & 1) != 0);
      left_ += size_t{shape.rows} * grid_.Chunks(pass);
    }
    AddEvents();
  }

  // exact: nothing starts late, either.
  void RunAll(bool exact) {
    while (!todo_.empty()) {
      std::swap(todo_[random_() % todo_.size()], todo_.back());
      const std::function<void()> next = std::move(todo_.back());
      todo_.pop_back();
      next();
      if (exact) ExpectReadyIfAllowed();
    }
    EXPECT_EQ(left_, 0u);
  }

 private:
  void AddEvents() {
    todo_.push_back([this] {
      parsed_ = true;
      Meet(grid_.last());
    });
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      todo_.push_back([this, tile] {
        starts_[tile] = true;
        for (uint32_t row = 0; row < shape_.rows; ++row)
          Meet(grid_.RowBegin(row, tile));
      });
      for (uint32_t row = 0; row < shape_.rows; ++row) {
        for (uint32_t i = 0; i < shape_.row_conditions; ++i) {
          todo_.push_back([this, tile, row] {
            ++rows_[tile * shape_.rows + row];
            Meet(grid_.RowBegin(row, tile));
          });
        }
      }
    }
  }

  bool Allowed(Cell cell) const {
    if (grid_.IsLast(cell) && (!parsed_ || left_ > 1)) return false;
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      const Cell begin = grid_.RowBegin(cell.row, tile);
      if (begin.pass != cell.pass || begin.chunk != cell.chunk) continue;
      if (rows_[tile * shape_.rows + cell.row] < shape_.row_conditions ||
          !starts_[tile]) {
        return false;
      }
    }
    return model_.MayRun(cell, grid_.Columns(cell));
  }

  size_t KeyOf(Cell cell) const {
    return (size_t{cell.pass} * shape_.rows + cell.row) * shape_.columns +
           cell.chunk;
  }

  void Meet(Cell cell) {
    if (grid_.Meet(cell)) AddReady(cell);
  }
  void AddReady(Cell cell) {
    EXPECT_TRUE(Allowed(cell))
        << cell.pass << " " << cell.row << " " << cell.chunk << " starts early";
    EXPECT_TRUE(ready_.insert(KeyOf(cell)).second) << "starts twice";
    todo_.push_back([this, cell] { Run(cell); });
  }
  void Run(Cell cell) {
    --left_;
    EXPECT_EQ(grid_.IsLast(cell), left_ == 0);
    model_.Run(cell, grid_.Columns(cell));
    if (grid_.IsLast(cell)) return;
    grid_.End(cell, [this](Cell next) { AddReady(next); });
  }

  void ExpectReadyIfAllowed() const {
    for (uint32_t pass = 0; pass < shape_.passes.size(); ++pass) {
      for (uint32_t row = 0; row < shape_.rows; ++row) {
        for (uint32_t chunk = 0; chunk < grid_.Chunks(pass); ++chunk) {
          const Cell cell = {pass, row, chunk};
          EXPECT_EQ(ready_.contains(KeyOf(cell)), Allowed(cell))
              << pass << " " << row << " " << chunk << " starts late";
        }
      }
    }
  }

  const CellGrid::Shape shape_;
  std::mt19937 random_;
  CellGrid grid_;
  PassModel model_;
  std::vector<std::function<void()>> todo_;
  std::set<size_t> ready_;      // also those that ran
  std::vector<bool> starts_;    // [tile]
  std::vector<uint32_t> rows_;  // conditions met, [tile][row]
  bool parsed_ = false;
  size_t left_ = 0;  // cells
};

void WorkOff(const CellGrid::Shape& shape, uint32_t seed, bool exact) {
  SCOPED_TRACE(NameOf(shape) + ", seed " + std::to_string(seed));
  Work(shape, seed).RunAll(exact);
}

// Tile columns of any widths.
std::vector<uint32_t> RandomTiles(uint32_t columns, std::mt19937& random) {
  std::vector<uint32_t> begins = {0};
  for (uint32_t column = 1; column < columns; ++column) {
    if (random() % 4 == 0) begins.push_back(column);
  }
  return begins;
}

constexpr uint32_t kOneTile[] = {0};

TEST(CellGridTest, Vp9CellsComeOnceAfterWhatTheyReadAndNotLater) {
  for (uint32_t rows = 1; rows <= 5; ++rows) {
    for (uint32_t chunks = 1; chunks <= 4; ++chunks) {
      for (const uint32_t at_work : {1u, 2u, 3u}) {
        for (uint32_t seed = 0; seed < 4; ++seed) {
          WorkOff({Vp9Passes(), at_work, rows, 13, kOneTile, chunks,
                   at_work == 2 ? 0 : seed % 3},
                  seed, true);
        }
      }
    }
  }
}

TEST(CellGridTest, Vp9TilesComeWithoutEachOther) {
  const std::vector<uint32_t> tiles[] = {{0, 4}, {0, 4, 9}, {0, 1, 2, 9}};
  for (const std::vector<uint32_t>& begins : tiles) {
    for (uint32_t rows = 1; rows <= 4; ++rows) {
      for (uint32_t chunks = 1; chunks <= 3; ++chunks) {
        for (uint32_t seed = 0; seed < 4; ++seed) {
          WorkOff({Vp9Passes(), 3, rows, 13, begins, chunks, seed % 3}, seed,
                  true);
        }
      }
    }
  }
}

TEST(CellGridTest, Av1CellsComeOnceAfterWhatTheyReadAndNotLater) {
  for (const uint32_t at_work : {0x7du, 0x7eu}) {
    for (uint32_t seed = 0; seed < 12; ++seed) {
      std::mt19937 random(seed);
      const std::vector<uint32_t> tiles = RandomTiles(12, random);
      WorkOff({kAv1Passes, at_work, 1 + seed % 5, 12, tiles, 1 + seed % 3,
               seed % 3},
              seed, true);
      WorkOff({kAv1Passes, at_work, 1 + seed % 5, 12, kOneTile, 1 + seed % 7,
               seed % 3},
              seed, true);
    }
  }
}

TEST(CellGridTest, Av1PassesThatAreLeftOutHandOnWhatTheyComeAfter) {
  for (uint32_t at_work = 1; at_work < 1u << std::size(kAv1Passes); ++at_work) {
    for (uint32_t seed = 0; seed < 6; ++seed) {
      std::mt19937 random(seed);
      const std::vector<uint32_t> tiles = RandomTiles(12, random);
      CellGrid::Shape shape = {kAv1Passes, at_work,      1 + seed % 5, 12,
                               kOneTile,   1 + seed % 3, seed % 3};
      if (TilesMayGoTheirOwnWay(shape)) shape.tile_begins = tiles;
      WorkOff(shape, seed, false);
    }
  }
}

void ExpectTheRulesKept(std::span<const Pass> passes) {
  ASSERT_FALSE(passes.empty());
  ASSERT_LE(passes.size(), kMaxPasses);
  for (uint32_t i = 0; i < passes.size(); ++i) {
    SCOPED_TRACE(passes[i].name);
    const auto comes_after = [&](uint32_t pass, int rows) {
      return std::ranges::any_of(passes[i].after, [&](const After& after) {
        return after.pass == pass && after.columns >= 0 &&
               (rows < 0 ? after.rows == -1 : after.rows >= 0);
      });
    };
    for (const After& after : passes[i].after) {
      EXPECT_TRUE(after.pass < i || (after.pass == i && after.rows < 0));
    }
    EXPECT_TRUE(i == 0 || comes_after(i - 1, 0));
    EXPECT_TRUE(passes[i].whole_rows || !passes[i].RowsInOrder(i) ||
                comes_after(i, -1));
  }
}

TEST(CellGridTest, EveryCodecKeepsTheRules) {
  for (const CodecRow* codec : Codecs()) {
    SCOPED_TRACE(codec->name);
    ExpectTheRulesKept(codec->passes);
  }
  ExpectTheRulesKept(kAv1Passes);
}

TEST(CellGridTest, AnyTableThatKeepsTheRulesGivesAnOrder) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const RandomTable table(random);
    const uint32_t choices = 1u << table.passes.size();
    const uint32_t columns = 1 + random() % 12;
    const std::vector<uint32_t> tiles = RandomTiles(columns, random);
    CellGrid::Shape shape = {table.passes,
                             choices - 1,
                             1 + uint32_t(random() % 5),
                             columns,
                             kOneTile,
                             1 + uint32_t(random() % 5),
                             uint32_t(random() % 3)};
    if (TilesMayGoTheirOwnWay(shape)) shape.tile_begins = tiles;
    WorkOff(shape, seed, true);
    for (int i = 0; i < 4; ++i) {
      shape.tile_begins = kOneTile;
      shape.at_work = 1 + uint32_t(random() % (choices - 1));
      if (TilesMayGoTheirOwnWay(shape)) shape.tile_begins = tiles;
      WorkOff(shape, seed, false);
    }
  }
}

TEST(CellGridTest, ATileIsReconstructedWhateverTheOthersDo) {
  constexpr uint32_t kRows = 3;
  constexpr uint32_t kTiles[] = {0, 4, 8, 12};
  CellGrid grid;
  grid.Reset({Vp9Passes(), 3, kRows, 16, kTiles, 2, 1});
  std::vector<Cell> waiting;
  const auto add = [&](Cell cell) { waiting.push_back(cell); };
  const auto meet = [&](Cell cell) {
    if (grid.Meet(cell)) add(cell);
  };
  for (uint32_t row = 0; row < kRows; ++row) {
    meet(grid.RowBegin(row, 2));  // the start
    meet(grid.RowBegin(row, 2));
  }
  uint32_t reconstructed = 0;
  while (!waiting.empty()) {
    const Cell cell = waiting.back();
    waiting.pop_back();
    EXPECT_EQ(cell.pass, kReconstruct);  // the filter goes from left to right
    const Range ended = grid.EndedTiles(cell);
    EXPECT_EQ(ended.begin, 2u);
    EXPECT_EQ(ended.end, cell.chunk % 2 == 0 ? 2u : 3u);
    ++reconstructed;
    grid.End(cell, add);
  }
  EXPECT_EQ(reconstructed, kRows * 2);
}

// ---- cells ----

TEST(CellGridTest, ChunksAreTheTileColumnsIfThereAreAsMany) {
  for (uint32_t columns = 1; columns <= 256; ++columns) {
    for (int log2 = 0; (4u << log2) <= columns && log2 <= 6; ++log2) {
      CellGrid grid;
      grid.Reset({Vp9Passes(), 3, 1, columns, kOneTile, 1u << log2, 1});
      for (uint32_t i = 0; i < 1u << log2; ++i) {
        const Range range = grid.Columns({kReconstruct, 0, i});
        EXPECT_EQ(range.begin, vp9::TileOffset(i, columns, log2));
        EXPECT_EQ(range.end, vp9::TileOffset(i + 1, columns, log2));
      }
    }
  }
}

TEST(CellGridTest, CellsCoverEachTileAndNoneLiesInTwo) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const uint32_t columns = 1 + random() % 40;
    const uint32_t chunks = 1 + random() % 6;
    std::vector<uint32_t> begins = RandomTiles(columns, random);
    CellGrid grid;
    grid.Reset({kAv1Passes, 0x7f, 2, columns, begins, chunks, 1});
    begins.push_back(columns);
    uint32_t chunk = 0;
    for (uint32_t tile = 0; tile + 1 < begins.size(); ++tile) {
      EXPECT_EQ(grid.RowBegin(1, tile).chunk, chunk);
      uint32_t column = begins[tile];
      const uint32_t width = begins[tile + 1] - column;
      for (uint32_t i = std::min(chunks, width); i > 0; --i) {
        const Cell cell = {kAv1Reconstruct, 1, chunk++};
        EXPECT_EQ(grid.Columns(cell).begin, column);
        EXPECT_LT(column, grid.Columns(cell).end);
        column = grid.Columns(cell).end;
        const Range ended = grid.EndedTiles(cell);
        EXPECT_EQ(ended.begin, tile);
        EXPECT_EQ(ended.end, i == 1 ? tile + 1 : tile);
        EXPECT_EQ(grid.EndsRow(cell), column == columns);
      }
      EXPECT_EQ(column, begins[tile + 1]);
    }
    EXPECT_EQ(grid.Chunks(kAv1Reconstruct), chunk);
    const Cell row = {kAv1Cdef, 1, 0};
    EXPECT_EQ(grid.Chunks(kAv1Cdef), 1u);
    EXPECT_EQ(grid.Columns(row).begin, 0u);
    EXPECT_EQ(grid.Columns(row).end, columns);
    EXPECT_TRUE(grid.EndsRow(row));
    EXPECT_EQ(grid.EndedTiles(row).begin, 0u);
    EXPECT_EQ(grid.EndedTiles(row).end, begins.size() - 1);
  }
}

}  // namespace
}  // namespace perdix
