// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/packet_parser.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "client/bitstream/av1/codec.h"
#include "client/bitstream/av1/edits.h"
#include "codec/av1/private_controls.h"
#include "codec/av1/v4l2_controls.h"
#include "codec/controls.h"
#include "tests/client/av1/stream_writer.h"

namespace perdix::client::av1 {
namespace {

class PacketParserTest : public testing::Test {
 protected:
  // The frames as text: "s" shown, "h" hidden, "3" slot 3 shown again; a point
  // where it is not output; "!" a failure.
  std::string Parse(const Bytes& packet) {
    packet_ = packet;
    parser_->Begin(packet_);
    frames_.clear();
    std::string log;
    for (;;) {
      CodedFrame frame;
      bool end = false;
      const Status status = parser_->Next(&frame, &end);
      message_ = status.message();
      if (end) return log;
      if (!status.ok()) return log + "!";
      if (frame.shows_slot) {
        log += std::to_string(*frame.shows_slot) + (frame.shown ? "" : ".");
      } else {
        log += frame.shown ? "s" : "h";
      }
      frames_.push_back(std::move(frame));
    }
  }
  Bytes Sequence() const {
    return WriteObu(ObuType::kSequenceHeader, WriteSequence(sequence_));
  }
  Bytes Frame(const TestFrame& frame) const {
    return WriteFrame(sequence_, frame);
  }
  Bytes LayerFrame(const TestFrame& frame, TestLayer layer) const {
    return WriteObu(ObuType::kFrame,
                    Join({WriteFrameHeader(sequence_, frame), {0x80}}), layer);
  }
  static Bytes Show(uint32_t slot) {
    return WriteObu(ObuType::kFrameHeader, WriteShowExisting(slot));
  }

  TestSequence sequence_;
  std::unique_ptr<PacketParser> parser_ = OpenPacketParser();
  Bytes packet_;
  std::vector<CodedFrame> frames_;
  std::string message_;
};

const Bytes kDelimiter = {0x12, 0};

TEST_F(PacketParserTest, GivesControlsAndTheTiles) {
  ASSERT_EQ(Parse(Join({kDelimiter, Sequence(), Frame({})})), "s");
  const CodedFrame& frame = frames_[0];
  EXPECT_TRUE(frame.key_frame);
  EXPECT_TRUE(frame.intra());
  EXPECT_EQ(frame.refresh, 0xffu);
  EXPECT_FALSE(frame.separate_display);
  v4l2_ctrl_av1_tile_group_entry entry;
  ASSERT_TRUE(ReadControl(frame.controls,
                          V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY, &entry)
                  .ok());
  EXPECT_EQ(entry.tile_size, 1u);
  EXPECT_EQ(frame.data[entry.tile_offset], 0x80);
}

TEST_F(PacketParserTest, AnInterFrameNamesAllSlots) {
  Parse(Join({Sequence(), Frame({})}));
  ASSERT_EQ(Parse(Frame({.type = 1, .refresh = 2})), "s");
  EXPECT_EQ(frames_[0].reference_slots,
            (std::vector<uint8_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  std::vector<NodeControl> controls;
  const std::vector<uint64_t> timestamps = {10, 11, 12, 13, 14, 15, 16, 17};
  ASSERT_TRUE(NodeControls(kCodec, frames_[0], &controls).ok());
  ASSERT_EQ(controls.size(), 4u);
  ASSERT_TRUE(kCodec.set_timestamps(timestamps, controls).ok());
  v4l2_ctrl_av1_frame control;
  ASSERT_EQ(controls[0].value.size(), sizeof(control));
  std::memcpy(&control, controls[0].value.data(), sizeof(control));
  EXPECT_EQ(control.reference_frame_ts[7], 17u);
}

TEST_F(PacketParserTest, NeedsASequenceHeader) {
  EXPECT_EQ(Parse(Frame({})), "!");
  EXPECT_EQ(message_, "frame before the first sequence header");
}

TEST_F(PacketParserTest, ShowsAHiddenFrame) {
  Parse(Join({Sequence(), Frame({})}));
  EXPECT_EQ(
      Parse(Join({Frame({.type = 1, .shown = false, .refresh = 8}), Show(3)})),
      "h3");
  EXPECT_EQ(frames_[1].refresh, 0u);
}

TEST_F(PacketParserTest, AKeyFrameThatIsShownAgainTakesAllSlots) {
  Parse(Join({Sequence(), Frame({})}));
  EXPECT_EQ(Parse(Join({Frame({.shown = false, .order_hint = 9, .refresh = 8}),
                        Show(3)})),
            "h3");
  EXPECT_EQ(frames_[0].refresh, 8u);
  EXPECT_EQ(frames_[1].refresh, 0xffu);
  ASSERT_EQ(Parse(Frame({.type = 1, .order_hint = 10})), "s");
  v4l2_ctrl_av1_frame control;
  ASSERT_TRUE(
      ReadControl(frames_[0].controls, V4L2_CID_STATELESS_AV1_FRAME, &control)
          .ok());
  EXPECT_EQ(control.order_hints[1], 9u);  // of slot 0
}

// Two tiles in two groups, and a copy of the header between them.
class TileGroupTest : public PacketParserTest {
 protected:
  TileGroupTest() {
    sequence_.width = 128;
    TestFrame frame;
    // increment_tile_cols_log2, context_update_tile_id, one byte for a size
    frame.tiles = [](BitWriter& bits) {
      bits.Bits(3, 2).Bits(0, 1).Bits(0, 2);
    };
    header_ = WriteFrameHeader(sequence_, frame);
    header_.push_back(0x80);  // trailing bits
  }
  Bytes Header(ObuType type) const { return WriteObu(type, header_); }
  // flag, tg_start, tg_end
  static Bytes Group(uint32_t start, uint32_t end, const Bytes& data) {
    const Bytes head =
        BitWriter().Bits(1, 1).Bits(start, 1).Bits(end, 1).bytes();
    return WriteObu(ObuType::kTileGroup, Join({head, data}));
  }
  Bytes header_;
};

TEST_F(TileGroupTest, AFrameEndsWithItsLastTile) {
  ASSERT_EQ(Parse(Join(
                {Sequence(), Header(ObuType::kFrameHeader), Group(0, 0, {1, 2}),
                 Header(ObuType::kRedundantFrameHeader), Group(1, 1, {3})})),
            "s");
  std::span<const uint8_t> value;
  ASSERT_TRUE(FindControl(frames_[0].controls,
                          V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY, &value)
                  .ok());
  v4l2_ctrl_av1_tile_group_entry entries[2];
  ASSERT_EQ(value.size(), sizeof(entries));
  std::memcpy(entries, value.data(), sizeof(entries));
  EXPECT_EQ(entries[0].tile_size, 2u);
  EXPECT_EQ(frames_[0].data[entries[0].tile_offset], 1);
  EXPECT_EQ(entries[1].tile_col, 1u);
  EXPECT_EQ(frames_[0].data[entries[1].tile_offset], 3);
}

TEST_F(TileGroupTest, SizesOfAllTilesButTheLastAreCoded) {
  const Bytes data = {1, 7, 8, 9};  // tile_size_minus_1, two bytes; the rest
  ASSERT_EQ(Parse(Join({Sequence(), Header(ObuType::kFrameHeader),
                        Group(0, 1, data)})),
            "s");
  EXPECT_EQ(Parse(Join({Header(ObuType::kFrameHeader), Group(0, 1, {9, 1})})),
            "!");
  EXPECT_EQ(message_, "tile 0 has 10 bytes, allowed: 1 to 1");
}

// The control has 8 bits for it, a record of ours 32.
TEST_F(PacketParserTest, AnyTileMayHaveTheContextsThatAreKept) {
  sequence_.width = 64 * 32;
  sequence_.height = 64 * 16;
  for (const uint32_t id : {255u, 256u, 511u}) {
    TestFrame frame;
    frame.tiles = [id](BitWriter& bits) {
      // uniform; 5 and 4 increments; context_update_tile_id; bytes of a size
      bits.Bits(1, 1).Bits(31, 5).Bits(15, 4).Bits(id, 9).Bits(0, 2);
    };
    Bytes payload = WriteFrameHeader(sequence_, frame);
    payload.push_back(0);  // no numbers of tiles, so all
    for (int tile = 0; tile < 511; ++tile)
      payload.insert(payload.end(), {0, 1});  // a size less 1; the tile
    payload.push_back(1);
    ASSERT_EQ(Parse(Join({Sequence(), WriteObu(ObuType::kFrame, payload)})),
              "s")
        << message_;
    perdix::av1::ContextTileControl context;
    const bool found = ReadControl(frames_[0].controls,
                                   perdix::av1::kContextTileControl, &context)
                           .ok();
    ASSERT_EQ(found, id > 255);
    if (found) {
      EXPECT_EQ(context.id, id);
    }
  }
}

TEST_F(TileGroupTest, ATileMustNotBeMissing) {
  EXPECT_EQ(Parse(Join(
                {Sequence(), Header(ObuType::kFrameHeader), Group(1, 1, {1})})),
            "!");
  EXPECT_EQ(message_, "tg_start is 1, allowed: 0, the next tile");
  EXPECT_EQ(Parse(Join({Header(ObuType::kFrameHeader), Group(0, 0, {1})})),
            "!");
  EXPECT_EQ(message_, "frame ends after 1 of its 2 tiles");
}

TEST_F(PacketParserTest, AFrameThatFailsChangesNothing) {
  Parse(Join({Sequence(), Frame({.order_hint = 4})}));
  Bytes cut = Frame({.type = 1, .order_hint = 5, .refresh = 1});
  cut.pop_back();
  cut[1]--;
  EXPECT_EQ(Parse(cut), "!");
  ASSERT_EQ(Parse(Frame({.type = 1, .order_hint = 6})), "s");
  v4l2_ctrl_av1_frame control;
  ASSERT_TRUE(
      ReadControl(frames_[0].controls, V4L2_CID_STATELESS_AV1_FRAME, &control)
          .ok());
  EXPECT_EQ(control.order_hints[1], 4u);
}

TEST_F(PacketParserTest, AnotherSequenceForgetsTheSlots) {
  Parse(Join({Sequence(), Frame({})}));
  EXPECT_EQ(Parse(Join({Sequence(), Frame({.type = 1})})), "s");
  sequence_.width = 65;
  EXPECT_EQ(Parse(Join({Sequence(), Frame({.type = 1})})), "!");
}

TEST_F(PacketParserTest, RefusesLargeScaleTiles) {
  EXPECT_EQ(Parse(WriteObu(ObuType::kTileList, {0})), "!");
  EXPECT_TRUE(message_.starts_with("OBU_TILE_LIST: large scale tile"));
}

TEST_F(PacketParserTest, GrainMakesASeparateDisplay) {
  sequence_.film_grain = true;
  TestFrame frame;
  frame.grain = [](BitWriter& bits) {
    bits.Bits(1, 1).Bits(7, 16).Bits(1, 4).Bits(0, 8).Bits(20, 8);
    bits.Bits(0, 1);             // chroma_scaling_from_luma
    bits.Bits(0, 4).Bits(0, 4);  // chroma points
    bits.Bits(0, 4).Bits(0, 4).Bits(0, 2);
  };
  const Bytes packet = Join({Sequence(), Frame(frame)});
  ASSERT_EQ(Parse(packet), "s") << message_;
  EXPECT_TRUE(frames_[0].separate_display);
  parser_ = OpenPacketParser();
  parser_->SetOptions({.edit = &RemoveGrain});
  ASSERT_EQ(Parse(packet), "s");
  EXPECT_FALSE(frames_[0].separate_display);
  v4l2_ctrl_av1_film_grain grain;
  ASSERT_TRUE(ReadControl(frames_[0].controls,
                          V4L2_CID_STATELESS_AV1_FILM_GRAIN, &grain)
                  .ok());
  EXPECT_EQ(grain.flags, 0);
}

// Operating point 0 has both spatial layers, 1 the lower one.
class LayerTest : public PacketParserTest {
 protected:
  LayerTest() { sequence_.operating_points = {0x301, 0x101}; }
  Bytes Both() const {
    return Join({Sequence(), LayerFrame({}, {}),
                 LayerFrame({.type = 1}, {.spatial_id = 1})});
  }
};

TEST_F(LayerTest, OnlyTheHighestIsOutput) {
  EXPECT_EQ(Parse(Both()), "hs");
  EXPECT_EQ(Parse(Join({kDelimiter, LayerFrame({.type = 1}, {})})), "s");
}

TEST_F(LayerTest, TwoTemporalUnitsInAPacketOutputTwo) {
  EXPECT_EQ(Parse(Join({Both(), kDelimiter, LayerFrame({.type = 1}, {})})),
            "hss");
}

TEST_F(LayerTest, AllAreOutputOnRequest) {
  parser_->SetOptions({.all_layers = true});
  EXPECT_EQ(Parse(Both()), "ss");
}

TEST_F(LayerTest, OthersThanTheOperatingPointsAreDropped) {
  parser_->SetOptions({.operating_point = 1});
  EXPECT_EQ(Parse(Both()), "s");
}

TEST_F(LayerTest, WhereTheOperatingPointIsNotThereTheFirstIsDecoded) {
  parser_->SetOptions({.operating_point = 2});
  EXPECT_EQ(Parse(Both()), "hs");
}

TEST_F(LayerTest, EachSequenceHasItsOperatingPoints) {
  parser_->SetOptions({.operating_point = 1});
  const Bytes both = Both();
  sequence_.operating_points = {0};
  sequence_.width = 65;
  EXPECT_EQ(Parse(Join({Sequence(), Frame({})})), "s");
  EXPECT_EQ(Parse(both), "s");
}

// A second delimiter in a temporal unit of Annex B is not there any more.
TEST_F(LayerTest, FrameUnitsOfAnAnnexBUnitOutputOne) {
  const auto frame_unit = [](const Bytes& obus) {
    Bytes unit = {1, 0x10};  // a delimiter
    for (std::span<const uint8_t> rest = obus; !rest.empty();) {
      const std::span<const uint8_t> begin = rest;
      Obu obu;
      EXPECT_TRUE(TakeObu(&rest, &obu).ok());
      const size_t size = begin.size() - rest.size();
      unit.push_back(uint8_t(size));
      unit.insert(unit.end(), begin.begin(), begin.begin() + ptrdiff_t(size));
    }
    return Join({{uint8_t(unit.size())}, unit});
  };
  Bytes units;
  ASSERT_TRUE(
      FromAnnexB(Join({frame_unit(Join({Sequence(), LayerFrame({}, {})})),
                       frame_unit(LayerFrame({.type = 1}, {.spatial_id = 1}))}),
                 &units)
          .ok());
  EXPECT_EQ(Parse(units), "hs");
}

}  // namespace
}  // namespace perdix::client::av1
