// SPDX-License-Identifier: BSD-2-Clause
// What a frame needs of the pictures that it refers to.
#include "codec/av1/frame_state.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "codec/controls.h"
#include "codec/parsed_frame.h"
#include "codec/picture.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kSize = 64;
constexpr uint8_t kTile[16] = {};

PicturePtr Intact() {
  PicturePtr picture = NewHeapPicture(kSize, kSize, 8, 1, 1);
  EXPECT_TRUE(SetView(*picture, kSize, kSize, 8, 1, 1).ok());
  picture->codec_data = std::make_shared<const PictureData>();
  return picture;
}

class TestFrame : public ParsedFrame {
 public:
  // An inter frame whose LAST_FRAME is in slot 0, all others in slot 1.
  explicit TestFrame(uint8_t primary_ref_frame, uint8_t bit_depth = 8)
      : TestFrame(InterHeader(primary_ref_frame), bit_depth) {}

  explicit TestFrame(const v4l2_ctrl_av1_frame& header, uint8_t bit_depth = 8) {
    v4l2_ctrl_av1_sequence sequence = {};
    sequence.bit_depth = bit_depth;
    sequence.flags = V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X |
                     V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_Y;
    AppendControl(V4L2_CID_STATELESS_AV1_SEQUENCE, sequence, &request.controls);
    AppendControl(V4L2_CID_STATELESS_AV1_FRAME, header, &request.controls);
    v4l2_ctrl_av1_tile_group_entry tile = {};
    tile.tile_size = sizeof(kTile);
    AppendControl(V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY, tile,
                  &request.controls);
    request.bitstream = kTile;
    request.target = NewHeapPicture(kSize, kSize, bit_depth, 1, 1);
    request.references[1] = Intact();
  }

  static v4l2_ctrl_av1_frame InterHeader(uint8_t primary_ref_frame) {
    v4l2_ctrl_av1_frame header = {};
    header.frame_type = V4L2_AV1_INTER_FRAME;
    header.upscaled_width = kSize;
    header.frame_width_minus_1 = header.frame_height_minus_1 = kSize - 1;
    header.superres_denom = 8;
    header.primary_ref_frame = primary_ref_frame;
    header.tile_info.tile_cols = header.tile_info.tile_rows = 1;
    for (int i = 1; i < kRefsPerFrame; ++i) header.ref_frame_idx[i] = 1;
    return header;
  }
};

StatusCode Begin(TestFrame& frame) {
  Av1State state;
  const StatusCode code = state.Begin(frame).code();
  return code == StatusCode::kOk ? state.Continue(frame).code() : code;
}

// The kernel looks samples up in a table.
TEST(Av1StateTest, GrainIsNotAddedToSamplesThatAreShifted) {
  TestFrame frame(kPrimaryRefNone, 10);
  frame.request.display = NewHeapPicture(kSize, kSize, 10, 1, 1);
  EXPECT_EQ(Begin(frame), StatusCode::kMissingReference);
  frame.request.target->layout.shift = 6;
  EXPECT_EQ(Begin(frame), StatusCode::kInvalidArgument);
}

// The width that is decoded of one that is shown 16 wide.
uint32_t WidthOf16(uint32_t flags, uint8_t denominator, uint32_t clients) {
  v4l2_ctrl_av1_frame header = TestFrame::InterHeader(kPrimaryRefNone);
  header.frame_type = V4L2_AV1_KEY_FRAME;
  header.flags = flags;
  header.upscaled_width = 16;
  header.superres_denom = denominator;
  header.frame_width_minus_1 = clients - 1;
  TestFrame frame(header);
  EXPECT_EQ(Begin(frame), StatusCode::kOk);
  return frame.params.width;
}

// 5.9.8 makes 12 of 16 here, as GStreamer does; libaom keeps 16 (FFmpeg).
TEST(Av1StateTest, TheWidthUnderSuperresIsNotTheClients) {
  for (const uint32_t clients : {12, 16, 0, 4711})
    EXPECT_EQ(WidthOf16(V4L2_AV1_FRAME_FLAG_USE_SUPERRES, 11, clients), 16u);
}

// 5.9.8: SUPERRES_NUM, which is not coded.
TEST(Av1StateTest, TheDenominatorWithoutSuperresIsNotTheClients) {
  for (const uint8_t denominator : {0, 8, 16})
    EXPECT_EQ(WidthOf16(0, denominator, 16), 16u);
}

TEST(Av1StateTest, AFrameGoesOnWithoutAReferenceThatItNames) {
  TestFrame frame(kPrimaryRefNone);
  EXPECT_EQ(Begin(frame), StatusCode::kOk);
  EXPECT_EQ(frame.params.references[0].valid, 0u);
  EXPECT_EQ(frame.params.references[1].valid, 1u);
}

// Without that reference probabilities are not known: every pixel would be
// wrong, and nobody told.
TEST(Av1StateTest, AFrameFailsWithoutItsPrimaryReference) {
  TestFrame missing(0);
  EXPECT_EQ(Begin(missing), StatusCode::kMissingReference);
  TestFrame broken(0);
  broken.request.references[0] = Intact();
  broken.request.references[0]->broken = true;
  EXPECT_EQ(Begin(broken), StatusCode::kMissingReference);
  TestFrame intact(0);
  intact.request.references[0] = Intact();
  EXPECT_EQ(Begin(intact), StatusCode::kOk);
}

}  // namespace
}  // namespace perdix::av1
