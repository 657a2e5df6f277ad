// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/references.h"

#include <gtest/gtest.h>

namespace perdix::client::av1 {
namespace {

TEST(OrderHintsTest, DistanceWrapsAround) {
  const OrderHints hints = {.bits = 3};
  EXPECT_EQ(hints.Distance(1, 7), 2);
  EXPECT_EQ(hints.Distance(7, 1), -2);
  EXPECT_EQ(hints.Distance(4, 0), -4);
  EXPECT_EQ(hints.Distance(5, 5), 0);
}

TEST(OrderHintsTest, DistanceIsZeroWithoutHints) {
  EXPECT_EQ(OrderHints().Distance(0, 9), 0);
}

TEST(OrderHintsTest, OneBitKnowsSameAndBefore) {
  const OrderHints hints = {.bits = 1};
  EXPECT_EQ(hints.Distance(0, 1), -1);
  EXPECT_EQ(hints.Distance(1, 0), -1);
}

// In all: LAST, LAST2, LAST3, GOLDEN, BWDREF, ALTREF2, ALTREF.

TEST(SetFrameRefsTest, TakesTheNearestOnBothSides) {
  const OrderHints hints = {
      .bits = 7, .current = 10, .slots = {2, 4, 6, 8, 12, 16, 14, 0}};
  EXPECT_EQ(SetFrameRefs(hints, 3, 0), (SlotOfReference{3, 2, 1, 0, 4, 6, 5}));
}

TEST(SetFrameRefsTest, BackwardOnesBecomeForwardIfThereAreNone) {
  const OrderHints hints = {
      .bits = 7, .current = 9, .slots = {1, 2, 3, 4, 5, 6, 7, 8}};
  EXPECT_EQ(SetFrameRefs(hints, 7, 0), (SlotOfReference{7, 6, 5, 0, 4, 3, 2}));
}

TEST(SetFrameRefsTest, OfEqualsTheLaterSlotIsTheLatest) {
  const OrderHints hints = {
      .bits = 7, .current = 6, .slots = {1, 5, 5, 3, 3, 3, 3, 3}};
  const SlotOfReference slots = SetFrameRefs(hints, 3, 4);
  EXPECT_EQ(slots[1], 2);
  EXPECT_EQ(slots[2], 1);
}

TEST(SetFrameRefsTest, WhatIsLeftTakesTheEarliest) {
  const OrderHints hints = {
      .bits = 7, .current = 5, .slots = {1, 2, 9, 9, 9, 9, 9, 9}};
  EXPECT_EQ(SetFrameRefs(hints, 1, 0), (SlotOfReference{1, 0, 0, 0, 2, 3, 7}));
}

TEST(SkipModeTest, TakesTheNearestBeforeAndBehind) {
  const OrderHints hints = {
      .bits = 7, .current = 10, .slots = {2, 4, 6, 8, 12, 16, 14, 0}};
  const auto frames = SkipModeFrames(hints, {0, 1, 2, 3, 5, 6, 4});
  ASSERT_TRUE(frames);
  EXPECT_EQ((*frames)[0], 4);  // GOLDEN_FRAME, slot 3
  EXPECT_EQ((*frames)[1], 7);  // ALTREF_FRAME, slot 4
}

TEST(SkipModeTest, TakesTheTwoNearestBeforeIfNoneIsBehind) {
  const OrderHints hints = {
      .bits = 7, .current = 10, .slots = {2, 4, 6, 8, 8, 8, 8, 8}};
  const auto frames = SkipModeFrames(hints, {3, 0, 2, 3, 3, 1, 3});
  ASSERT_TRUE(frames);
  EXPECT_EQ((*frames)[0], 1);  // LAST_FRAME, slot 3
  EXPECT_EQ((*frames)[1], 3);  // LAST3_FRAME, slot 2
}

TEST(SkipModeTest, IsNotAllowedOtherwise) {
  OrderHints hints = {.bits = 7, .current = 10, .slots = {8, 8, 8, 8, 8, 8, 8}};
  EXPECT_FALSE(SkipModeFrames(hints, {}));  // one before, none behind
  hints.current = 3;
  EXPECT_FALSE(SkipModeFrames(hints, {}));  // all behind
}

}  // namespace
}  // namespace perdix::client::av1
