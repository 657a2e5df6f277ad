// SPDX-License-Identifier: BSD-2-Clause
// The orders in which the in-loop filters may go over a frame.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <ranges>
#include <span>
#include <thread>
#include <vector>

#include "tests/kernels/av1/filter_frame.h"

namespace perdix::av1 {

// Deblock goes from top to bottom, the others in any order: after the pass
// before, and loop restoration after superresolution of the row above, too.
// done(pass, row): whether that is done, of passes that the frame needs.
template <typename Done>
bool FilterFrame::MayRun(std::span<const int> passes, size_t i, int row,
                         const Done& done) const {
  if (passes[i] == kDeblockPass && row > 0 && !done(i, row - 1)) return false;
  if (i == 0) return true;
  const bool above = passes[i] == kLoopRestorationPass && row > 0;
  return done(i - 1, row) && (!above || done(i - 1, row - 1));
}

// Two for each pass, one with the even and one with the odd rows.
void FilterFrame::RunOnThreads() {
  const std::vector<int> passes = NeededPasses();
  std::vector<std::atomic<bool>> rows(passes.size() * size_t(sb_rows()));
  const auto at = [&](size_t i, int row) -> std::atomic<bool>& {
    return rows[i * size_t(sb_rows()) + size_t(row)];
  };
  const auto done = [&](size_t i, int row) { return at(i, row).load(); };
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < 2 * passes.size(); ++thread) {
    threads.emplace_back([&, i = thread / 2, first = int(thread % 2)] {
      for (int row = first; row < sb_rows(); row += 2) {
        while (!MayRun(passes, i, row, done)) std::this_thread::yield();
        RunPass(passes[i], row);
        at(i, row) = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void FilterFrame::Run(FilterOrder order, TestRandom& random) {
  struct Step {
    size_t i;
    int row;
  };
  const std::vector<int> passes = NeededPasses();
  std::vector<std::vector<bool>> rows(passes.size(),
                                      std::vector<bool>(size_t(sb_rows())));
  const auto done = [&](size_t i, int row) -> bool {
    return rows[i][size_t(row)];
  };
  const auto pick = [&] {
    std::vector<Step> ready;
    for (size_t i = 0; i < passes.size(); ++i) {
      for (int row = 0; row < sb_rows(); ++row) {
        if (!done(i, row) && MayRun(passes, i, row, done))
          ready.push_back({i, row});
      }
    }
    const auto last_of = [&](size_t i) {
      return *std::ranges::find(std::views::reverse(ready), i, &Step::i);
    };
    if (order == FilterOrder::kPassByPass) return ready.front();
    if (order == FilterOrder::kUpwards) return last_of(ready.front().i);
    if (order == FilterOrder::kRowByRow)
      return *std::ranges::find(ready, ready.back().i, &Step::i);
    return ready[size_t(random.Uniform(0, int(ready.size()) - 1))];
  };
  for (size_t left = passes.size() * size_t(sb_rows()); left > 0; --left) {
    const Step step = pick();
    RunPass(passes[step.i], step.row);
    rows[step.i][size_t(step.row)] = true;
  }
}

void ExpectLikeSpec(FilterFrame& frame, TestRandom& random) {
  const SpecFrame expected =
      SpecFilterFrame(frame.state(), frame.reconstructed());
  for (const FilterOrder order :
       {FilterOrder::kPassByPass, FilterOrder::kRowByRow, FilterOrder::kUpwards,
        FilterOrder::kRandom}) {
    frame.Reset();
    frame.Run(order, random);
    frame.ExpectEqual(expected, false);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace perdix::av1
