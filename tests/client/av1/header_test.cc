// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include <string>

#include "client/bitstream/av1/frame_header.h"
#include "client/bitstream/av1/sequence_header.h"
#include "codec/av1/film_grain_control.h"
#include "tests/client/av1/stream_writer.h"

namespace perdix::client::av1 {
namespace {

TEST(SequenceHeaderTest, SaysWhatTheBitsSay) {
  SequenceHeader sequence;
  ASSERT_TRUE(ParseSequenceHeader(WriteSequence({.width = 65536, .height = 1}),
                                  &sequence)
                  .ok());
  EXPECT_EQ(sequence.max_frame_width, 65536u);
  EXPECT_EQ(sequence.max_frame_height, 1u);
  EXPECT_EQ(sequence.order_hint_bits, 7);
  EXPECT_EQ(sequence.force_screen_content_tools, 0);
  EXPECT_EQ(sequence.force_integer_mv, kSelect);
  EXPECT_EQ(sequence.samples, FrameFormat());
  const v4l2_ctrl_av1_sequence control = ToControl(sequence);
  EXPECT_EQ(control.max_frame_width_minus_1, 65535);
  EXPECT_EQ(control.bit_depth, 8);
  EXPECT_EQ(control.flags, V4L2_AV1_SEQUENCE_FLAG_ENABLE_ORDER_HINT |
                               V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X |
                               V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_Y);
}

TEST(SequenceHeaderTest, SamplesFollowFromTheProfile) {
  const auto samples = [](const TestSequence& test) {
    SequenceHeader sequence;
    EXPECT_TRUE(ParseSequenceHeader(WriteSequence(test), &sequence).ok());
    return sequence.samples;
  };
  FrameFormat expected;
  expected.bit_depth = 10;
  EXPECT_EQ(samples({.high_bitdepth = true}), expected);
  expected.subsampling_y = 0;
  EXPECT_EQ(samples({.profile = 2, .high_bitdepth = true}), expected);
  expected.subsampling_x = 0;
  EXPECT_EQ(samples({.profile = 1, .high_bitdepth = true}), expected);
  FrameFormat gray;
  gray.monochrome = true;
  EXPECT_EQ(samples({.monochrome = true}), gray);
}

TEST(SequenceHeaderTest, RefusesAReservedProfile) {
  SequenceHeader sequence;
  const Status status = ParseSequenceHeader(Bytes{0x60, 0}, &sequence);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(status.message(),
            "seq_profile is 3, allowed: 0 to 2 (Main, High, Professional)");
}

TEST(SequenceHeaderTest, RefusesEveryPrefix) {
  const Bytes whole = WriteSequence({});
  for (size_t size = 0; size < whole.size(); ++size) {
    SequenceHeader sequence;
    EXPECT_FALSE(
        ParseSequenceHeader(std::span(whole).first(size), &sequence).ok());
  }
}

class FrameHeaderTest : public testing::Test {
 protected:
  // Parses the header of an OBU_FRAME, which needs no trailing bits.
  Status Parse(const TestFrame& frame) {
    EXPECT_TRUE(
        ParseSequenceHeader(WriteSequence(test_sequence_), &sequence_).ok());
    payload_ = WriteFrameHeader(test_sequence_, frame);
    Obu obu;
    obu.type = ObuType::kFrame;
    obu.payload = payload_;
    return ParseFrameHeader(obu, sequence_, slots_, &header_);
  }
  void FillSlots() {
    for (SavedFrame& slot : slots_) {
      slot.format.width = 64;
      slot.format.height = 48;
    }
  }

  TestSequence test_sequence_;
  SequenceHeader sequence_;
  Slots slots_;
  Bytes payload_;
  FrameHeader header_;
};

TEST_F(FrameHeaderTest, OfAShownKeyFrame) {
  ASSERT_TRUE(Parse({.order_hint = 5}).ok());
  EXPECT_EQ(header_.bytes, payload_.size());
  EXPECT_TRUE(header_.shown);
  EXPECT_TRUE(header_.intra);
  EXPECT_EQ(header_.refresh, 0xff);
  EXPECT_EQ(header_.saved.format.width, 64u);
  EXPECT_EQ(header_.saved.format.height, 48u);
  EXPECT_EQ(header_.saved.order_hint, 5u);
  const v4l2_ctrl_av1_frame& control = header_.control;
  EXPECT_EQ(control.flags,
            V4L2_AV1_FRAME_FLAG_SHOW_FRAME |
                V4L2_AV1_FRAME_FLAG_ERROR_RESILIENT_MODE |
                V4L2_AV1_FRAME_FLAG_DISABLE_CDF_UPDATE |
                V4L2_AV1_FRAME_FLAG_FORCE_INTEGER_MV |
                V4L2_AV1_FRAME_FLAG_DISABLE_FRAME_END_UPDATE_CDF);
  EXPECT_EQ(control.primary_ref_frame, 7);
  EXPECT_EQ(control.superres_denom, 8);
  EXPECT_EQ(control.upscaled_width, 64u);
  EXPECT_EQ(control.frame_width_minus_1, 63u);
  EXPECT_EQ(control.tx_mode, V4L2_AV1_TX_MODE_LARGEST);
  EXPECT_EQ(control.quantization.base_q_idx, 100);
  EXPECT_EQ(control.tile_info.tile_cols, 1);
  EXPECT_EQ(control.tile_info.tile_rows, 1);
  EXPECT_EQ(control.tile_info.mi_col_starts[1], 16u);
  EXPECT_EQ(control.tile_info.mi_row_starts[1], 12u);
  EXPECT_EQ(control.loop_filter.ref_deltas[0], 1);
  EXPECT_EQ(control.loop_filter.ref_deltas[4], -1);
  EXPECT_EQ(control.global_motion.params[1][2], 1 << 16);
}

TEST_F(FrameHeaderTest, OfAnInterFrameTakesHintsOfItsSlots) {
  FillSlots();
  slots_[6].order_hint = 99;
  TestFrame frame = {.type = 1, .order_hint = 100, .refresh = 4};
  frame.references[2] = 6;
  ASSERT_TRUE(Parse(frame).ok());
  EXPECT_FALSE(header_.intra);
  EXPECT_EQ(header_.refresh, 4);
  EXPECT_EQ(header_.control.ref_frame_idx[2], 6);
  EXPECT_EQ(header_.control.order_hints[3], 99u);
  EXPECT_EQ(header_.control.interpolation_filter,
            V4L2_AV1_INTERPOLATION_FILTER_SWITCHABLE);
}

TEST_F(FrameHeaderTest, RefusesAnEmptySlot) {
  FillSlots();
  slots_[5] = {};
  TestFrame frame = {.type = 1};
  frame.references[3] = 5;
  EXPECT_EQ(Parse(frame).message(),
            "ref_frame_idx[3] is 5, allowed: a slot that holds a frame");
}

TEST_F(FrameHeaderTest, RefusesAReferenceOfAnUnusableSize) {
  FillSlots();
  slots_[5].format.width = 129;
  TestFrame frame = {.type = 1};
  frame.references[3] = 5;
  EXPECT_EQ(Parse(frame).message(),
            "reference 3 is 129x48, allowed: 1/16 to 2 times the frame's "
            "64x48");
  slots_[5].format.width = 128;
  EXPECT_TRUE(Parse(frame).ok());
}

TEST_F(FrameHeaderTest, RefusesAReferenceOfOtherSamples) {
  FillSlots();
  slots_[0].format.bit_depth = 10;
  EXPECT_EQ(Parse({.type = 1}).message(),
            "reference 0 has 10 bit with subsampling 1,1, allowed: 8 bit with "
            "subsampling 1,1");
}

TEST_F(FrameHeaderTest, LoadsDeltasAndFeaturesOfThePrimaryReference) {
  FillSlots();
  slots_[2].loop_filter.ref_deltas[0] = -7;
  slots_[2].segmentation.feature_enabled[3] = 1 << 6;
  TestFrame frame = {.type = 1, .primary_ref = 1};
  frame.references[1] = 2;
  frame.segmentation = [](BitWriter& bits) {
    bits.Bits(1, 1).Bits(0, 1).Bits(0, 1);  // enabled, no map, no data
  };
  ASSERT_TRUE(Parse(frame).ok());
  EXPECT_EQ(header_.control.loop_filter.ref_deltas[0], -7);
  const v4l2_av1_segmentation& segmentation = header_.control.segmentation;
  EXPECT_EQ(segmentation.feature_enabled[3], 1 << 6);
  EXPECT_EQ(segmentation.last_active_seg_id, 3);
  EXPECT_EQ(segmentation.flags, V4L2_AV1_SEGMENTATION_FLAG_ENABLED |
                                    V4L2_AV1_SEGMENTATION_FLAG_SEG_ID_PRE_SKIP);
  EXPECT_EQ(header_.saved.segmentation.feature_enabled[3], 1 << 6);
}

TEST_F(FrameHeaderTest, FeaturesAreClippedAndSigned) {
  TestFrame frame;
  frame.segmentation = [](BitWriter& bits) {
    bits.Bits(1, 1);
    bits.Bits(1, 1).Bits(0x100, 9);  // ALT_Q: -256
    bits.Bits(1, 1).Bits(0x7f, 7);   // ALT_LF_Y_V: -1
    bits.Bits(0, 6);
    for (int i = 1; i < 8; ++i) bits.Bits(0, 8);
  };
  ASSERT_TRUE(Parse(frame).ok());
  EXPECT_EQ(header_.control.segmentation.feature_data[0][0], -255);
  EXPECT_EQ(header_.control.segmentation.feature_data[0][1], -1);
}

TEST_F(FrameHeaderTest, GlobalMotionOfZeroDifferenceIsThePrevious) {
  FillSlots();
  slots_[0].gm_params[1] = {0, 0, (1 << 16) + 20, -30, 30, (1 << 16) + 20};
  TestFrame frame = {.type = 1, .primary_ref = 0};
  frame.global_motion = [](BitWriter& bits) {
    bits.Bits(3, 2);  // LAST: ROTZOOM
    for (int i = 0; i < 4; ++i) bits.Bits(0, 1).Bits(0, 3);
    bits.Bits(0, 6);
  };
  ASSERT_TRUE(Parse(frame).ok());
  EXPECT_EQ(header_.control.global_motion.type[1], V4L2_AV1_WARP_MODEL_ROTZOOM);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(header_.control.global_motion.params[1][i],
              slots_[0].gm_params[1][i]);
  }
}

TEST_F(FrameHeaderTest, ReadsNonUniformTiles) {
  test_sequence_.width = 64 * 5;
  test_sequence_.height = 64;
  TestFrame frame;
  frame.tiles = [](BitWriter& bits) {
    bits.Bits(0, 1);             // uniform_tile_spacing_flag
    bits.Bits(1, 2);             // ns(5): 1, so 2 superblocks
    bits.Bits(3, 2).Bits(0, 0);  // ns(3): 3 in 2 bits is 2, so 3
    bits.Bits(1, 1).Bits(2, 2);  // context_update_tile_id, bytes
  };
  ASSERT_TRUE(Parse(frame).ok());
  const v4l2_av1_tile_info& info = header_.control.tile_info;
  EXPECT_EQ(info.tile_cols, 2);
  EXPECT_EQ(info.mi_col_starts[1], 32u);
  EXPECT_EQ(info.mi_col_starts[2], 80u);
  EXPECT_EQ(info.width_in_sbs_minus_1[1], 2u);
  EXPECT_EQ(info.context_update_tile_id, 1);
  EXPECT_EQ(info.tile_size_bytes, 3);
  EXPECT_EQ(header_.tile_numbers.bits, 1);
  EXPECT_EQ(header_.tile_numbers.context, 1u);
}

TEST_F(FrameHeaderTest, GrainMayBeThatOfAReferenceWithAnotherSeed) {
  test_sequence_.film_grain = true;
  FillSlots();
  slots_[4].film_grain.flags = V4L2_AV1_FILM_GRAIN_FLAG_APPLY_GRAIN;
  slots_[4].film_grain.num_y_points = 2;
  TestFrame frame = {.type = 1};
  uint32_t slot = 4;
  frame.grain = [&](BitWriter& bits) {
    bits.Bits(1, 1).Bits(0x1234, 16).Bits(0, 1).Bits(slot, 3);
  };
  EXPECT_EQ(Parse(frame).message(),
            "film_grain_params_ref_idx is 4, allowed: a slot in ref_frame_idx");
  frame.references[6] = 4;
  ASSERT_TRUE(Parse(frame).ok());
  EXPECT_EQ(header_.saved.film_grain.grain_seed, 0x1234);
  EXPECT_EQ(header_.saved.film_grain.num_y_points, 2);
  EXPECT_TRUE(perdix::av1::HasGrain(header_.saved.film_grain));
}

TEST_F(FrameHeaderTest, GrainRefusesPointsThatDoNotRise) {
  test_sequence_.film_grain = true;
  TestFrame frame;
  frame.grain = [](BitWriter& bits) {
    bits.Bits(1, 1).Bits(7, 16).Bits(2, 4);
    bits.Bits(9, 8).Bits(1, 8).Bits(9, 8).Bits(1, 8).Bits(0, 16);
  };
  EXPECT_EQ(Parse(frame).message(),
            "point_y_value[1] is 9, allowed: more than 9, the one before");
}

TEST_F(FrameHeaderTest, RefusesEveryPrefix) {
  FillSlots();
  ASSERT_TRUE(Parse({.type = 1}).ok());
  for (size_t size = 0; size < payload_.size(); ++size) {
    Obu obu;
    obu.type = ObuType::kFrame;
    obu.payload = std::span(payload_).first(size);
    EXPECT_FALSE(ParseFrameHeader(obu, sequence_, slots_, &header_).ok());
  }
}

}  // namespace
}  // namespace perdix::client::av1
