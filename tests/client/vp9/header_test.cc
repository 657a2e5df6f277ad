// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/vp9/header.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "client/bitstream/vp9/compressed_header.h"
#include "tests/client/vp9/header_writer.h"

namespace perdix::client::vp9 {
namespace {

class HeaderParserTest : public testing::Test {
 protected:
  Status Parse(const TestHeader& header) {
    return parser_.Parse(WriteFrame(header), &header_);
  }
  void ExpectParses(const TestHeader& header) {
    const Status status = Parse(header);
    EXPECT_TRUE(status.ok()) << status.message();
  }
  void ExpectFails(const TestHeader& header, const std::string& text) {
    const Status status = Parse(header);
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.message().find(text), std::string::npos)
        << "'" << status.message() << "' has no '" << text << "'";
  }
  static TestHeader Inter() {
    TestHeader header;
    header.key_frame = false;
    return header;
  }
  static TestHeader IntraOnly() {
    TestHeader header;
    header.key_frame = false;
    header.shown = false;
    header.intra_only = true;
    return header;
  }
  const v4l2_ctrl_vp9_frame& control() const { return header_.control; }

  HeaderParser parser_;
  FrameHeader header_;
};

TEST_F(HeaderParserTest, FillsAKeyFrame) {
  const TestHeader key;
  ExpectParses(key);
  EXPECT_TRUE(header_.intra);
  EXPECT_TRUE(header_.shown);
  EXPECT_EQ(header_.refresh_frame_flags, 0xff);
  EXPECT_EQ(header_.format, (FrameFormat{64, 48, 8, 1, 1}));
  EXPECT_EQ(control().flags, uint32_t(V4L2_VP9_FRAME_FLAG_KEY_FRAME |
                                      V4L2_VP9_FRAME_FLAG_SHOW_FRAME |
                                      V4L2_VP9_FRAME_FLAG_REFRESH_FRAME_CTX |
                                      V4L2_VP9_FRAME_FLAG_X_SUBSAMPLING |
                                      V4L2_VP9_FRAME_FLAG_Y_SUBSAMPLING));
  EXPECT_EQ(control().frame_width_minus_1, 63);
  EXPECT_EQ(control().render_height_minus_1, 47);
  EXPECT_EQ(control().quant.base_q_idx, 60);
  EXPECT_EQ(control().uncompressed_header_size, WriteHeader(key).size());
  EXPECT_EQ(control().compressed_header_size, 4);
  EXPECT_EQ(control().bit_depth, 8);
}

TEST_F(HeaderParserTest, StartsWithDefaultDeltasAndProbabilities) {
  ExpectParses(TestHeader());
  const int8_t ref_deltas[] = {1, 0, -1, -1};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(control().lf.ref_deltas[i], ref_deltas[i]);
  }
  for (const uint8_t probability : control().seg.tree_probs) {
    EXPECT_EQ(probability, 255);
  }
  for (const uint8_t probability : control().seg.pred_probs) {
    EXPECT_EQ(probability, 255);
  }
}

TEST_F(HeaderParserTest, FillsAnInterFrame) {
  ExpectParses(TestHeader());
  TestHeader inter = Inter();
  inter.references[2] = 5;
  inter.sign_bias[2] = 1;
  inter.refresh = 0x12;
  inter.size_from = 1;
  inter.frame_context = 3;
  ExpectParses(inter);
  EXPECT_FALSE(header_.intra);
  EXPECT_EQ(header_.refresh_frame_flags, 0x12);
  EXPECT_EQ(header_.references[2], 5);
  EXPECT_EQ(header_.format.width, 64u);
  EXPECT_EQ(control().ref_frame_sign_bias, V4L2_VP9_SIGN_BIAS_ALT);
  EXPECT_EQ(control().frame_context_idx, 3);
  EXPECT_TRUE(control().flags & V4L2_VP9_FRAME_FLAG_ALLOW_HIGH_PREC_MV);
  EXPECT_EQ(control().interpolation_filter, V4L2_VP9_INTERP_FILTER_SWITCHABLE);
}

TEST_F(HeaderParserTest, MapsTheInterpolationLiterals) {
  ExpectParses(TestHeader());
  const uint8_t types[] = {
      V4L2_VP9_INTERP_FILTER_EIGHTTAP_SMOOTH, V4L2_VP9_INTERP_FILTER_EIGHTTAP,
      V4L2_VP9_INTERP_FILTER_EIGHTTAP_SHARP, V4L2_VP9_INTERP_FILTER_BILINEAR};
  for (uint32_t literal = 0; literal < 4; ++literal) {
    TestHeader inter = Inter();
    inter.interpolation = literal;
    ExpectParses(inter);
    EXPECT_EQ(control().interpolation_filter, types[literal]);
  }
}

TEST_F(HeaderParserTest, MapsResetFrameContext) {
  ExpectParses(TestHeader());
  const uint8_t resets[] = {
      V4L2_VP9_RESET_FRAME_CTX_NONE, V4L2_VP9_RESET_FRAME_CTX_NONE,
      V4L2_VP9_RESET_FRAME_CTX_SPEC, V4L2_VP9_RESET_FRAME_CTX_ALL};
  for (uint32_t reset = 0; reset < 4; ++reset) {
    TestHeader inter = Inter();
    inter.reset_frame_context = reset;
    ExpectParses(inter);
    EXPECT_EQ(control().reset_frame_context, resets[reset]);
  }
}

TEST_F(HeaderParserTest, ErrorResilientFramesDecodeInParallelMode) {
  TestHeader key;
  key.error_resilient = true;
  ExpectParses(key);
  EXPECT_TRUE(control().flags & V4L2_VP9_FRAME_FLAG_PARALLEL_DEC_MODE);
  EXPECT_FALSE(control().flags & V4L2_VP9_FRAME_FLAG_REFRESH_FRAME_CTX);
}

TEST_F(HeaderParserTest, KeepsLoopFilterDeltasUntilAReset) {
  TestHeader key;
  key.loop_filter = [](BitWriter& out) {
    out.Bits(20, 6).Bits(5, 3).Bits(1, 1).Bits(1, 1);  // enabled, update
    out.Bits(1, 1).Bits(9, 6).Bits(1, 1).Bits(0, 3);   // ref_deltas[0] = -9
    out.Bits(0, 1).Bits(1, 1).Bits(63, 6).Bits(0, 1);  // mode_deltas[1] = 63
  };
  ExpectParses(key);
  EXPECT_EQ(control().lf.level, 20);
  EXPECT_EQ(control().lf.sharpness, 5);
  EXPECT_EQ(control().lf.flags, V4L2_VP9_LOOP_FILTER_FLAG_DELTA_ENABLED |
                                    V4L2_VP9_LOOP_FILTER_FLAG_DELTA_UPDATE);
  ExpectParses(Inter());
  EXPECT_EQ(control().lf.flags, 0);
  EXPECT_EQ(control().lf.ref_deltas[0], -9);
  EXPECT_EQ(control().lf.mode_deltas[1], 63);
  TestHeader resilient = Inter();
  resilient.error_resilient = true;
  ExpectParses(resilient);
  EXPECT_EQ(control().lf.ref_deltas[0], 1);
  EXPECT_EQ(control().lf.mode_deltas[1], 0);
}

// enabled, map with tree_probs[0] = 77 and pred_probs[2] = 88, data with an
// absolute quantizer of 200 in segment 0 and skip in segment 7
void WriteSegmentation(BitWriter& out) {
  out.Bits(1, 1).Bits(1, 1).Bits(1, 1).Bits(77, 8).Bits(0, 6);
  out.Bits(1, 1).Bits(0, 2).Bits(1, 1).Bits(88, 8);
  out.Bits(1, 1).Bits(1, 1);
  out.Bits(1, 1).Bits(200, 8).Bits(0, 1).Bits(0, 3);
  for (int segment = 1; segment < 7; ++segment) out.Bits(0, 4);
  out.Bits(1, 4);
}

TEST_F(HeaderParserTest, FillsSegmentation) {
  TestHeader key;
  key.segmentation = WriteSegmentation;
  ExpectParses(key);
  const v4l2_vp9_segmentation& seg = control().seg;
  EXPECT_EQ(seg.flags, 0x1f);
  EXPECT_EQ(seg.tree_probs[0], 77);
  EXPECT_EQ(seg.tree_probs[1], 255);
  EXPECT_EQ(seg.pred_probs[2], 88);
  EXPECT_EQ(seg.feature_enabled[0],
            V4L2_VP9_SEGMENT_FEATURE_ENABLED(V4L2_VP9_SEG_LVL_ALT_Q));
  EXPECT_EQ(seg.feature_data[0][V4L2_VP9_SEG_LVL_ALT_Q], 200);
  EXPECT_EQ(seg.feature_enabled[7],
            V4L2_VP9_SEGMENT_FEATURE_ENABLED(V4L2_VP9_SEG_LVL_SKIP));
}

TEST_F(HeaderParserTest, KeepsSegmentFeaturesUntilAReset) {
  TestHeader key;
  key.segmentation = WriteSegmentation;
  ExpectParses(key);
  TestHeader inter = Inter();
  inter.segmentation = [](BitWriter& out) { out.Bits(4, 3); };
  ExpectParses(inter);
  EXPECT_EQ(control().seg.flags,
            V4L2_VP9_SEGMENTATION_FLAG_ENABLED |
                V4L2_VP9_SEGMENTATION_FLAG_ABS_OR_DELTA_UPDATE);
  EXPECT_EQ(control().seg.feature_data[0][V4L2_VP9_SEG_LVL_ALT_Q], 200);
  ExpectParses(IntraOnly());
  EXPECT_EQ(control().seg.flags, 0);
  EXPECT_EQ(control().seg.feature_enabled[0], 0);
}

TEST_F(HeaderParserTest, ReadsTheNumberOfTiles) {
  TestHeader key;
  key.width = 4097;  // 65 superblocks: at least 2 tile columns, at most 16
  key.tiles = [](BitWriter& out) { out.Bits(6, 3).Bits(3, 2); };
  ExpectParses(key);
  EXPECT_EQ(control().tile_cols_log2, 3);
  EXPECT_EQ(control().tile_rows_log2, 2);
  key.width = 65536;  // 1024: 16 to 256, V4L2 allows 64
  key.tiles = [](BitWriter& out) { out.Bits(6, 3).Bits(0, 1); };
  ExpectParses(key);
  EXPECT_EQ(control().tile_cols_log2, 6);
}

TEST_F(HeaderParserTest, RefusesMoreThan64TileColumns) {
  TestHeader key;
  key.width = 65536;
  key.tiles = [](BitWriter& out) { out.Bits(14, 4).Bits(0, 1); };
  ExpectFails(key, "tile_cols_log2 is 7, allowed: 0 to 6");
}

TEST_F(HeaderParserTest, ReadsEachProfile) {
  TestHeader key;
  key.profile = 1;
  ExpectParses(key);
  EXPECT_EQ(header_.format, (FrameFormat{64, 48, 8, 0, 0}));
  key.profile = 2;
  ExpectParses(key);
  EXPECT_EQ(header_.format, (FrameFormat{64, 48, 10, 1, 1}));
  key.profile = 3;
  key.twelve_bit = true;
  key.subsampling_y = 1;
  ExpectParses(key);
  EXPECT_EQ(header_.format, (FrameFormat{64, 48, 12, 0, 1}));
  EXPECT_EQ(control().profile, 3);
  key.color_space = 7;
  ExpectParses(key);
  EXPECT_EQ(header_.format, (FrameFormat{64, 48, 12, 0, 0}));
  EXPECT_TRUE(control().flags & V4L2_VP9_FRAME_FLAG_COLOR_RANGE_FULL_SWING);
}

TEST_F(HeaderParserTest, IntraOnlyOfProfile0Is420) {
  TestHeader key;
  key.profile = 1;
  ExpectParses(key);
  TestHeader intra = IntraOnly();
  intra.refresh = 2;
  ExpectParses(intra);
  EXPECT_EQ(header_.format, (FrameFormat{64, 48, 8, 1, 1}));
  EXPECT_EQ(header_.refresh_frame_flags, 2);
  EXPECT_TRUE(control().flags & V4L2_VP9_FRAME_FLAG_INTRA_ONLY);
  // Slot 1 has another format than slot 0 now.
  TestHeader inter = Inter();
  ExpectFails(inter, "format of reference 0");
  inter.references[0] = inter.references[1] = inter.references[2] = 1;
  ExpectParses(inter);
}

TEST_F(HeaderParserTest, TakesTheSizeFromTheReferenceNamed) {
  ExpectParses(TestHeader());
  TestHeader intra = IntraOnly();
  intra.refresh = 4;
  intra.width = 96;
  ExpectParses(intra);
  TestHeader inter = Inter();
  inter.references[1] = 2;
  inter.size_from = 1;
  ExpectParses(inter);
  EXPECT_EQ(header_.format.width, 96u);
}

TEST_F(HeaderParserTest, OneReferenceOfAUsableSizeIsEnough) {
  ExpectParses(TestHeader());
  TestHeader inter = Inter();
  inter.width = 31;
  ExpectFails(inter, "frame size is 31x48");
  inter.width = 32;
  ExpectParses(inter);  // now in slot 0
  inter.references[1] = inter.references[2] = 1;
  inter.width = 16;
  ExpectParses(inter);
  inter.width = 16 * 64 + 1;
  inter.references[0] = 1;
  ExpectFails(inter, "frame size is 1025x48");
}

TEST_F(HeaderParserTest, ShowsAnExistingFrame) {
  TestHeader intra = IntraOnly();
  intra.refresh = 8;
  ExpectParses(intra);
  ASSERT_TRUE(parser_.Parse(WriteShowExisting(3), &header_).ok());
  EXPECT_TRUE(header_.show_existing_frame);
  EXPECT_EQ(header_.frame_to_show, 3);
  EXPECT_EQ(header_.uncompressed_bytes, 1u);
  const Status status = parser_.Parse(WriteShowExisting(2), &header_);
  EXPECT_EQ(status.message(),
            "frame_to_show_map_idx is 2, allowed: a slot that holds a frame");
}

TEST_F(HeaderParserTest, RefusesAStreamThatStartsWithAnInterFrame) {
  ExpectFails(Inter(), "ref_frame_idx[0] is 0");
}

TEST_F(HeaderParserTest, NamesFieldValueAndWhatIsAllowed) {
  TestHeader key;
  key.color_space = 7;
  ExpectFails(key, "color_space is 7, allowed: 0 to 6");
  key = TestHeader();
  key.profile = 1;
  key.subsampling_x = key.subsampling_y = 1;
  ExpectFails(key, "subsampling is 4:2:0");
  key = TestHeader();
  key.compressed_bytes = 0;
  ExpectFails(key, "header_size_in_bytes is 0, allowed: 1 to 1");
  std::vector<uint8_t> frame = WriteFrame(TestHeader());
  frame[0] ^= 0x40;
  EXPECT_EQ(parser_.Parse(frame, &header_).message(),
            "frame_marker is 3, allowed: 2");
  frame = WriteFrame(TestHeader());
  frame[2] = 0x11;
  EXPECT_EQ(parser_.Parse(frame, &header_).message(),
            "frame_sync_code byte is 17, allowed: 131");
}

TEST_F(HeaderParserTest, AFailedFrameChangesNothing) {
  ExpectParses(TestHeader());
  TestHeader bad;
  bad.profile = 1;
  bad.compressed_bytes = 0;
  bad.loop_filter = [](BitWriter& out) {
    out.Bits(0, 9).Bits(3, 2).Bits(1, 1).Bits(9, 7).Bits(0, 5);
  };
  ExpectFails(bad, "header_size_in_bytes");
  ExpectParses(Inter());
  EXPECT_EQ(header_.format.subsampling_x, 1u);
  EXPECT_EQ(control().lf.ref_deltas[0], 1);
}

TEST_F(HeaderParserTest, RefusesEveryTruncation) {
  ExpectParses(TestHeader());
  TestHeader segmented;
  segmented.segmentation = WriteSegmentation;
  for (const TestHeader& header : {segmented, Inter(), IntraOnly()}) {
    const std::vector<uint8_t> whole = WriteHeader(header);
    for (size_t size = 0; size < whole.size(); ++size) {
      const Status status =
          parser_.Parse(std::span(whole).first(size), &header_);
      EXPECT_EQ(status.message(),
                "uncompressed header needs more than the frame's " +
                    std::to_string(size) + " bytes");
    }
    // All there, but no room for the compressed header.
    EXPECT_FALSE(parser_.Parse(whole, &header_).ok());
  }
}

// Whatever is accepted keeps the promises that later code relies on.
TEST_F(HeaderParserTest, SurvivesRandomBits) {
  std::mt19937 random(1);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<uint8_t> frame = WriteFrame(i % 3 == 0   ? TestHeader()
                                            : i % 3 == 1 ? Inter()
                                                         : IntraOnly());
    for (int change = 0; change < i % 4; ++change) {
      frame[random() % frame.size()] ^= uint8_t(1 << random() % 8);
    }
    if (!parser_.Parse(frame, &header_).ok()) continue;
    ++accepted;
    if (header_.show_existing_frame) continue;
    EXPECT_LE(header_.uncompressed_bytes + control().compressed_header_size,
              frame.size());
    EXPECT_GE(header_.format.width, 1u);
    EXPECT_LE(header_.format.height, 65536u);
    EXPECT_LE(control().tile_cols_log2, 6);
    v4l2_ctrl_vp9_compressed_hdr compressed;
    (void)ParseCompressedHeader(frame, &header_.control, &compressed);
  }
  EXPECT_GT(accepted, 5'000);
}

}  // namespace
}  // namespace perdix::client::vp9
