// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/vp9/make.h"

#include <gtest/gtest.h>
#include <linux/v4l2-controls.h>

#include <algorithm>

#include "client/bitstream/vp9/header.h"
#include "tests/conformance/make_stream/vp9/draw_header.h"
#include "tests/conformance/make_stream/vp9/random.h"

namespace perdix::vp9 {
namespace {

using client::vp9::FrameHeader;
using client::vp9::HeaderParser;

constexpr uint64_t kSeed = 20260101;

void ExpectDelta(const std::optional<int>& written, int read) {
  if (!written) return;
  EXPECT_EQ(read, *written);
}

void ExpectLoopFilter(const LoopFilterFields& written,
                      const v4l2_vp9_loop_filter& read) {
  EXPECT_EQ(read.level, written.level);
  EXPECT_EQ(read.sharpness, written.sharpness);
  if (!written.delta_enabled || !written.delta_update) return;
  for (size_t i = 0; i < 4; ++i)
    ExpectDelta(written.ref_deltas[i], read.ref_deltas[i]);
  for (size_t i = 0; i < 2; ++i)
    ExpectDelta(written.mode_deltas[i], read.mode_deltas[i]);
}

void ExpectSegmentation(const SegmentationFields& written,
                        const v4l2_vp9_segmentation& read) {
  const auto has = [&read](uint8_t flag) { return (read.flags & flag) != 0; };
  EXPECT_EQ(has(V4L2_VP9_SEGMENTATION_FLAG_ENABLED), written.enabled);
  if (!written.enabled) return;
  EXPECT_EQ(has(V4L2_VP9_SEGMENTATION_FLAG_UPDATE_MAP), written.update_map);
  for (size_t i = 0; i < 7 && written.update_map; ++i)
    EXPECT_EQ(read.tree_probs[i], written.tree_probs[i].value_or(255));
  EXPECT_EQ(has(V4L2_VP9_SEGMENTATION_FLAG_TEMPORAL_UPDATE),
            written.update_map && written.temporal_update);
  EXPECT_EQ(has(V4L2_VP9_SEGMENTATION_FLAG_UPDATE_DATA), written.update_data);
  if (!written.update_data) return;
  EXPECT_EQ(has(V4L2_VP9_SEGMENTATION_FLAG_ABS_OR_DELTA_UPDATE),
            written.absolute);
  for (size_t i = 0; i < 8; ++i) {
    for (size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(read.feature_enabled[i] >> j & 1,
                written.features[i][j].has_value());
      EXPECT_EQ(read.feature_data[i][j], written.features[i][j].value_or(0));
    }
  }
}

void ExpectReferences(const Header& written, const FrameHeader& read) {
  constexpr uint8_t kInterpolation[] = {
      V4L2_VP9_INTERP_FILTER_EIGHTTAP_SMOOTH, V4L2_VP9_INTERP_FILTER_EIGHTTAP,
      V4L2_VP9_INTERP_FILTER_EIGHTTAP_SHARP, V4L2_VP9_INTERP_FILTER_BILINEAR,
      V4L2_VP9_INTERP_FILTER_SWITCHABLE};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read.references[i], written.references[i]);
    EXPECT_EQ(read.control.ref_frame_sign_bias >> i & 1, written.sign_bias[i]);
  }
  EXPECT_EQ(read.control.interpolation_filter,
            kInterpolation[written.interpolation.value_or(4)]);
}

void ExpectEqual(const Header& written, const FrameHeader& read) {
  const v4l2_ctrl_vp9_frame& control = read.control;
  const auto has = [&control](uint32_t flag) {
    return (control.flags & flag) != 0;
  };
  EXPECT_EQ(has(V4L2_VP9_FRAME_FLAG_KEY_FRAME), written.key_frame);
  EXPECT_EQ(has(V4L2_VP9_FRAME_FLAG_INTRA_ONLY), written.intra_only);
  EXPECT_EQ(has(V4L2_VP9_FRAME_FLAG_ERROR_RESILIENT), written.error_resilient);
  EXPECT_EQ(has(V4L2_VP9_FRAME_FLAG_PARALLEL_DEC_MODE), written.parallel);
  EXPECT_EQ(has(V4L2_VP9_FRAME_FLAG_REFRESH_FRAME_CTX),
            written.refresh_frame_context);
  EXPECT_EQ(read.shown, written.shown);
  EXPECT_EQ(control.profile, written.format.profile);
  EXPECT_EQ(read.format.bit_depth, written.format.bit_depth());
  EXPECT_EQ(read.format.width, written.size.width);
  EXPECT_EQ(read.format.height, written.size.height);
  EXPECT_EQ(read.refresh_frame_flags, written.refresh);
  EXPECT_EQ(control.frame_context_idx, written.frame_context);
  EXPECT_EQ(control.quant.base_q_idx, written.base_q_idx);
  EXPECT_EQ(control.quant.delta_q_y_dc, written.delta_q[0].value_or(0));
  EXPECT_EQ(control.quant.delta_q_uv_dc, written.delta_q[1].value_or(0));
  EXPECT_EQ(control.quant.delta_q_uv_ac, written.delta_q[2].value_or(0));
  EXPECT_EQ(control.tile_cols_log2, written.tile_cols_log2);
  EXPECT_EQ(control.tile_rows_log2, written.tile_rows_log2);
  EXPECT_EQ(control.compressed_header_size, written.compressed_bytes);
  ExpectLoopFilter(written.loop_filter, control.lf);
  ExpectSegmentation(written.segmentation, control.seg);
  if (!read.intra) ExpectReferences(written, read);
}

TEST(Vp9MakerTest, HeadersAreReadAsTheyWereWritten) {
  Random random(kSeed);
  for (int stream = 0; stream < 300; ++stream) {
    StreamStyle style = DrawStream(random);
    HeaderParser parser;
    Slots slots = {};
    for (int i = 0; i < 20 && !HasFailure(); ++i) {
      Header header = DrawHeader(style, slots, i == 0, random);
      header.compressed_bytes = 1 + random.Below(65535);
      std::vector<uint8_t> bytes = WriteHeader(header);
      const size_t header_bytes = bytes.size();
      bytes.resize(bytes.size() + header.compressed_bytes + 1);
      FrameHeader read;
      const Status status = parser.Parse(bytes, &read);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(read.uncompressed_bytes, header_bytes);
      EXPECT_EQ(read.show_existing_frame, header.show_existing.has_value());
      if (header.show_existing) continue;
      ExpectEqual(header, read);
      if (header.key_frame) style.format = header.format;
      for (size_t slot = 0; slot < slots.size(); ++slot) {
        if (header.refresh >> slot & 1) slots[slot] = header.size;
      }
    }
    ASSERT_FALSE(HasFailure()) << "stream " << stream << ", seed " << kSeed;
  }
}

TEST(Vp9MakerTest, ASeedMakesOneStreamWhoseBeginningIsTheShorterOne) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const make_stream::Stream whole = MakeStream(seed);
    EXPECT_EQ(whole.packets, MakeStream(seed).packets);
    const make_stream::Stream part = MakeStream(seed, 2);
    ASSERT_LE(part.packets.size(), whole.packets.size());
    // the last one may lack frames
    EXPECT_TRUE(std::equal(part.packets.begin(), part.packets.end() - 1,
                           whole.packets.begin()))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace perdix::vp9
