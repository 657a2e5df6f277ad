// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/motion_field.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace perdix::av1 {
namespace {

TEST(Av1MotionFieldTest, ANumberHasTheVectorAndItsDistance) {
  EXPECT_EQ(MotionFieldMv(), MotionFieldMv({0, 0}, 0));
  for (const int row : {0, 1, -1, 100, -100, kRefMvsLimit, -kRefMvsLimit}) {
    for (const int col : {0, 1, -1, 200, -200, kRefMvsLimit, -kRefMvsLimit}) {
      for (const int distance : {0, 1, 17, kMaxFrameDistance}) {
        const Mv mv = {int16_t(row), int16_t(col)};
        const MotionFieldMv field(mv, distance);
        EXPECT_EQ(field.mv(), mv) << row << ',' << col;
        EXPECT_EQ(field.distance(), distance) << row << ',' << col;
      }
    }
  }
}

TEST(Av1MotionFieldTest, ProjectionScalesByFrames) {
  EXPECT_EQ(ProjectMv({100, -100}, 1, kDivMult[2]), (Mv{50, -50}));
  EXPECT_EQ(ProjectMv({100, -100}, -3, kDivMult[1]), (Mv{-300, 300}));
  EXPECT_EQ(ProjectMv({4095, -4095}, 31, kDivMult[31]), (Mv{4091, -4091}));
}

TEST(Av1MotionFieldTest, ProjectionRoundsAHalfAwayFromZero) {
  EXPECT_EQ(ProjectMv({1, -1}, 1, kDivMult[2]), (Mv{1, -1}));
  EXPECT_EQ(ProjectMv({3, -3}, 1, kDivMult[2]), (Mv{2, -2}));
}

TEST(Av1MotionFieldTest, ProjectionIsLimited) {
  EXPECT_EQ(ProjectMv({4095, -4095}, 31, kDivMult[1]), (Mv{16383, -16383}));
  EXPECT_EQ(ProjectMv({-4095, 1}, 31, kDivMult[1]), (Mv{-16383, 31}));
}

// 7.19 stores vectors where get_relative_dist( reference, frame ) is negative;
// 7.9.2 projects them where get_relative_dist( frame, reference ) is 1 to 31.
TEST(Av1MotionFieldTest, ADistanceIsStoredIfItIsOneBothWays) {
  FrameState frame = {};
  for (frame.order_hint_bits = 0; frame.order_hint_bits <= 8;
       ++frame.order_hint_bits) {
    const int hints = 1 << frame.order_hint_bits;
    for (frame.order_hint = 0; frame.order_hint < hints; ++frame.order_hint) {
      for (int hint = 0; hint < hints; ++hint) {
        const int offset = RelativeDistance(frame, frame.order_hint, hint);
        const bool stored = RelativeDistance(frame, hint, frame.order_hint) < 0;
        const bool projected = offset > 0 && offset <= kMaxFrameDistance;
        EXPECT_EQ(StoredDistance(frame, hint), !stored     ? -1
                                               : projected ? offset
                                                           : 0)
            << frame.order_hint_bits << " bits, " << hint << " and "
            << frame.order_hint;
      }
    }
  }
}

// A 128x128 frame, the tenth, and its references; the vectors of each go over 2
// frames, and lead from one 8x8 alone.
class Av1MotionFieldFrame : public testing::Test {
 protected:
  static constexpr int kSize8 = 16;

  Av1MotionFieldFrame() {
    frame_.mi_rows = frame_.mi_cols = 2 * kSize8;
    frame_.order_hint_bits = 6;
    frame_.order_hint = 10;
    frame_.use_ref_frame_mvs = true;
    frame_.motion_field.Resize(2 * kSize8, 32);  // all rows
    const int hints[] = {0, 9, 8, 7, 6, 11, 12, 13};
    for (int ref = LAST_FRAME; ref <= ALTREF_FRAME; ++ref) {
      frame_.order_hints[ref] = hints[ref];
      auto& picture = pictures_[size_t(ref)];
      picture = std::make_shared<PictureData>();
      picture->frame_type = V4L2_AV1_INTER_FRAME;
      picture->mi_rows = picture->mi_cols = 2 * kSize8;
      picture->mvs.resize(kSize8 * kSize8);
    }
  }

  void Put(RefFrame name, int y8, int x8, Mv mv) {
    pictures_[name]->mvs[size_t(y8 * kSize8 + x8)] = {mv, 2};
  }
  void FillAtRandom() {
    std::mt19937 random(1);
    const auto below = [&](int limit) {
      return int(random() % uint32_t(limit));
    };
    for (auto& picture : pictures_) {
      if (picture == nullptr) continue;
      for (MotionFieldMv& saved : picture->mvs) {
        const int distance = below(36) - 4;
        const Mv mv = {int16_t(below(600) - 300), int16_t(below(3000) - 1500)};
        saved = {mv, std::max(distance, 0)};
      }
    }
  }
  void Estimate() {
    FindSources();
    EstimateMotionField({0, kSize8}, {0, kSize8}, &frame_);
  }
  void FindSources() {
    frame_.motion_sources.clear();
    std::array<std::shared_ptr<const PictureData>, kTotalRefs> references;
    std::ranges::copy(pictures_, references.begin());
    FindMotionSources(references, &frame_);
  }
  const MotionFieldMv& At(int y8, int x8) const {
    return frame_.motion_field.Row(y8)[x8];
  }
  std::vector<MotionFieldMv> All() const {
    std::vector<MotionFieldMv> all;
    for (int i = 0; i < kSize8 * kSize8; ++i)
      all.push_back(At(i / kSize8, i % kSize8));
    return all;
  }
  int Count() const {
    int count = 0;
    for (const MotionFieldMv& field : All()) count += field.distance() != 0;
    return count;
  }

  FrameState frame_ = {};
  std::array<std::shared_ptr<PictureData>, kTotalRefs> pictures_;
};

TEST_F(Av1MotionFieldFrame, VectorsOfThePastGoOnIntoTheFrame) {
  Put(LAST_FRAME, 2, 8, {-128, 256});  // in 2 frames; 1 more to this one
  Estimate();
  ASSERT_EQ(Count(), 1);
  EXPECT_EQ(At(3, 6).mv(), (Mv{-128, 256}));
  EXPECT_EQ(At(3, 6).distance(), 2);
}

TEST_F(Av1MotionFieldFrame, VectorsOfTheFuturePassThroughTheFrame) {
  Put(BWDREF_FRAME, 3, 8, {-128, 256});
  Estimate();
  ASSERT_EQ(Count(), 1);
  EXPECT_EQ(At(2, 10).distance(), 2);
}

TEST_F(Av1MotionFieldFrame, LaterReferencesReplaceEarlierOnes) {
  Put(LAST_FRAME, 4, 4, {1, 1});
  Put(BWDREF_FRAME, 4, 4, {2, 2});
  Estimate();
  EXPECT_EQ(At(4, 4).mv(), (Mv{2, 2}));
}

TEST_F(Av1MotionFieldFrame, TwoReferencesOfTheFutureAreEnough) {
  Put(BWDREF_FRAME, 0, 0, {});
  Put(ALTREF2_FRAME, 0, 1, {});
  Put(ALTREF_FRAME, 0, 2, {});
  Put(LAST2_FRAME, 0, 3, {});
  Estimate();
  EXPECT_EQ(Count(), 2);
  pictures_[BWDREF_FRAME]->frame_type = V4L2_AV1_KEY_FRAME;
  Estimate();
  EXPECT_EQ(At(0, 2).distance(), 2);
  EXPECT_EQ(Count(), 2);
  pictures_[ALTREF_FRAME] = nullptr;
  Estimate();
  EXPECT_EQ(At(0, 3).distance(), 2);
}

TEST_F(Av1MotionFieldFrame, LastIsLeftOutIfItsAltrefIsOurGolden) {
  Put(LAST_FRAME, 0, 0, {});
  pictures_[LAST_FRAME]->order_hints[ALTREF_FRAME] =
      uint32_t(frame_.order_hints[GOLDEN_FRAME]);
  Estimate();
  EXPECT_EQ(Count(), 0);
}

TEST_F(Av1MotionFieldFrame, VectorsStayInTheir64RowsAndNear64Columns) {
  Put(LAST_FRAME, 7, 0, {-128, 0});   // to row 8
  Put(LAST_FRAME, 6, 7, {0, -2048});  // 16 to the right: column 23
  Put(LAST_FRAME, 5, 7, {0, -1024});  // column 15 is the last
  Put(LAST_FRAME, 4, 0, {0, 128});    // column -1
  Estimate();
  EXPECT_EQ(Count(), 1);
  EXPECT_EQ(At(5, 15).distance(), 2);
}

TEST_F(Av1MotionFieldFrame, SourcesOfAnotherSizeAreNotUsed) {
  Put(LAST_FRAME, 0, 0, {});
  pictures_[LAST_FRAME]->mi_rows += 2;
  Estimate();
  EXPECT_EQ(Count(), 0);
}

TEST_F(Av1MotionFieldFrame, TilesAndRowsOneByOneGiveTheSame) {
  FillAtRandom();
  Estimate();
  const std::vector<MotionFieldMv> all = All();
  for (const uint32_t row : {8, 0}) {
    for (const uint32_t col : {8, 0})
      EstimateMotionField({row, row + 8}, {col, col + 8}, &frame_);
  }
  EXPECT_EQ(
      std::memcmp(All().data(), all.data(), all.size() * sizeof(MotionFieldMv)),
      0);
}

TEST_F(Av1MotionFieldFrame, EveryKindOfVectorsGivesTheSame) {
  FillAtRandom();
  Estimate();
  const std::vector<MotionFieldMv> all = All();
  for (int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0;
       targets &= targets - 1) {
    const int64_t target = targets & -targets;
    hwy::SetSupportedTargetsForTest(target);
    EstimateMotionField({0, kSize8}, {0, kSize8}, &frame_);
    hwy::SetSupportedTargetsForTest(0);
    EXPECT_EQ(std::memcmp(All().data(), all.data(),
                          all.size() * sizeof(MotionFieldMv)),
              0)
        << hwy::TargetName(target);
  }
}

// MotionFieldMvs of 7.9.2, by reference, as the specification keeps them.
TEST_F(Av1MotionFieldFrame, IsWhatTheSpecificationKeepsForEachReference) {
  FillAtRandom();
  Estimate();
  constexpr int kNone = -32768;
  std::vector<std::array<Mv, kTotalRefs>> fields(kSize8 * kSize8);
  for (auto& field : fields) field.fill({kNone, kNone});
  const auto project = [&](RefFrame src, int sign) {
    const PictureData& picture = *pictures_[src];
    for (int y = 0; y < kSize8; ++y) {
      for (int x = 0; x < kSize8; ++x) {
        const MotionFieldMv& saved = picture.mvs[size_t(y * kSize8 + x)];
        if (saved.distance() == 0) continue;
        const int to_cur = frame_.order_hints[src] - frame_.order_hint;
        const int scale = kDivMult[saved.distance()];
        const Mv moved = ProjectMv(saved.mv(), to_cur * sign, scale);
        const auto go = [&](int v8, int delta) {
          const int blocks = std::abs(delta) >> 6;
          return v8 + sign * (delta >= 0 ? blocks : -blocks);
        };
        const int to_y = go(y, moved.row), to_x = go(x, moved.col);
        if (to_y < 0 || to_y >= kSize8 || to_y / 8 != y / 8 || to_x < 0 ||
            to_x >= kSize8 || to_x < x / 8 * 8 - 8 || to_x >= x / 8 * 8 + 16)
          continue;
        for (size_t dst = LAST_FRAME; dst < kTotalRefs; ++dst) {
          fields[size_t(to_y * kSize8 + to_x)][dst] = ProjectMv(
              saved.mv(), frame_.order_hint - frame_.order_hints[dst], scale);
        }
      }
    }
  };
  project(LAST_FRAME, -1);
  project(BWDREF_FRAME, 1);
  project(ALTREF2_FRAME, 1);
  for (size_t i = 0; i < fields.size(); ++i) {
    const MotionFieldMv& field = At(int(i) / kSize8, int(i) % kSize8);
    ASSERT_EQ(field.distance() == 0, fields[i][LAST_FRAME].row == kNone) << i;
    if (field.distance() == 0) continue;
    for (size_t dst = LAST_FRAME; dst < kTotalRefs; ++dst) {
      EXPECT_EQ(
          ProjectMv(field.mv(), frame_.order_hint - frame_.order_hints[dst],
                    kDivMult[field.distance()]),
          fields[i][dst]);
    }
  }
}

}  // namespace
}  // namespace perdix::av1
