// SPDX-License-Identifier: BSD-2-Clause
// AV1 as GStreamer and FFmpeg send it, who differ in what they fill in and how:
// the same frames come out. And what they should not send fails, and nothing
// else does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "client/bitstream/av1/codec.h"
#include "client/inprocess/engine_backend.h"
#include "codec/av1/v4l2_controls.h"
#include "codec/controls.h"
#include "tests/daemon/node_backend.h"
#include "tests/daemon/playback.h"

namespace perdix {
namespace {

using Bytes = std::vector<uint8_t>;

// Calls change(value) for each element of a control.
template <typename Value, typename Change>
void Rewrite(uint32_t id, Bytes* controls, Change change) {
  std::span<const uint8_t> found;
  ASSERT_TRUE(FindControl(*controls, id, &found).ok());
  uint8_t* const at = controls->data() + (found.data() - controls->data());
  for (size_t i = 0; i + sizeof(Value) <= found.size(); i += sizeof(Value)) {
    Value value;
    memcpy(&value, at + i, sizeof(Value));
    change(value);
    memcpy(at + i, &value, sizeof(Value));
  }
}

template <typename Change>
void RewriteFrame(Bytes* controls, Change change) {
  Rewrite<v4l2_ctrl_av1_frame>(V4L2_CID_STATELESS_AV1_FRAME, controls, change);
}
template <typename Change>
void RewriteTiles(Bytes* controls, Change change) {
  Rewrite<v4l2_ctrl_av1_tile_group_entry>(
      V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY, controls, change);
}

// A coded strength of 3 means 4.
void SetSecondaryStrengths(uint8_t from, uint8_t to, v4l2_av1_cdef& cdef) {
  for (int i = 0; i < V4L2_AV1_CDEF_MAX; ++i) {
    for (uint8_t* value : {&cdef.y_sec_strength[i], &cdef.uv_sec_strength[i]})
      if (*value == from) *value = to;
  }
}

// Whole OBUs in the buffer, the frame header's bits included; timestamps and
// orders of slots that are not used are whatever they are.
void AsGStreamer(Bytes* controls, Bytes* bytes) {
  constexpr uint32_t kHeader = 13;
  bytes->insert(bytes->begin(), kHeader, 0xa5);
  RewriteTiles(controls, [](v4l2_ctrl_av1_tile_group_entry& tile) {
    tile.tile_offset += kHeader;
  });
  RewriteFrame(controls, [](v4l2_ctrl_av1_frame& frame) {
    SetSecondaryStrengths(3, 4, frame.cdef);
    frame.flags |= V4L2_AV1_FRAME_FLAG_SKIP_MODE_ALLOWED;
    frame.loop_restoration.flags &= V4L2_AV1_LOOP_RESTORATION_FLAG_USES_LR;
    frame.order_hints[0] = 77;
    frame.tile_info.tile_size_bytes = 200;
    frame.render_width_minus_1 = 5;
  });
}

// Starts of tiles count superblocks; nothing says whether skip mode may be.
void AsFfmpeg(Bytes* controls, Bytes*) {
  RewriteFrame(controls, [](v4l2_ctrl_av1_frame& frame) {
    SetSecondaryStrengths(4, 3, frame.cdef);
    frame.flags &= ~uint32_t{V4L2_AV1_FRAME_FLAG_SKIP_MODE_ALLOWED};
    for (uint32_t& start : frame.tile_info.mi_col_starts) start /= 16;
    for (uint32_t& start : frame.tile_info.mi_row_starts) start /= 16;
    frame.global_motion.invalid = 0xff;
    frame.segmentation.flags &=
        uint8_t(~V4L2_AV1_SEGMENTATION_FLAG_UPDATE_DATA);
  });
}

struct Client {
  const char* name;
  void (*rewrite)(Bytes* controls, Bytes* bytes);
};

class Av1ClientTest
    : public ::testing::TestWithParam<std::tuple<Client, const char*>> {};

std::vector<size_t> Play(client::Backend& backend, const std::string& clip,
                         int* failures) {
  Playback run(backend, clip);
  run.Finish();
  *failures = run.failures();
  return run.frames();
}

TEST_P(Av1ClientTest, GetsTheSameFrames) {
  const auto& [as, clip] = GetParam();
  int failures = 0;
  Engine engine(EngineOptions{.threads = 1, .recipe = {}, .measure = {}});
  client::EngineBackend in_process(engine, client::av1::kCodec, true);
  const std::vector<size_t> expected = Play(in_process, clip, &failures);
  ASSERT_FALSE(expected.empty());
  NodeHost host(2);
  NodeBackend backend(host, client::av1::kCodec);
  backend.set_rewrite(as.rewrite);
  EXPECT_EQ(Play(backend, clip, &failures), expected);
  EXPECT_EQ(failures, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Clients, Av1ClientTest,
    ::testing::Combine(::testing::Values(Client{"GStreamer", &AsGStreamer},
                                         Client{"FFmpeg", &AsFfmpeg}),
                       ::testing::Values("av1/inter_352x144.webm",
                                         "av1/modes_256x128.ivf",
                                         "av1/tiles_256x160.obu",
                                         "av1/grain10_176x72.ivf",
                                         "av1/svt_480x200.ivf")),
    [](const auto& info) {
      const std::string clip = std::get<1>(info.param);
      return std::string(std::get<0>(info.param).name) + "_" +
             clip.substr(4, clip.find('_') - 4);
    });

// Which of the client's eight slots have frames with grain.
class GrainSlots {
 public:
  // One that the frame refers to; -1: none.
  int Find(const v4l2_ctrl_av1_frame& frame) const {
    if (frame.frame_type != V4L2_AV1_INTER_FRAME) return -1;
    for (const int8_t slot : frame.ref_frame_idx)
      if (has_grain_[size_t(slot)]) return slot;
    return -1;
  }
  void Refresh(const v4l2_ctrl_av1_frame& frame, bool has_grain) {
    for (size_t slot = 0; slot < std::size(has_grain_); ++slot)
      if (frame.refresh_frame_flags >> slot & 1) has_grain_[slot] = has_grain;
  }

 private:
  bool has_grain_[8] = {};
};

// All frames of the clip have the same parameters, but for the seed.
TEST(Av1GrainClientTest, NamesAFrameThatHasItsParameters) {
  const std::string clip = "av1/grain_176x72.ivf";
  int failures = 0;
  NodeHost host(2);
  NodeBackend backend(host, client::av1::kCodec);
  const std::vector<size_t> expected = Play(backend, clip, &failures);
  GrainSlots slots;
  int named = 0;
  backend.set_rewrite([&](Bytes* controls, Bytes*) {
    v4l2_ctrl_av1_frame frame;
    RewriteFrame(controls,
                 [&](const v4l2_ctrl_av1_frame& value) { frame = value; });
    const int slot = slots.Find(frame);
    bool has_grain = false;
    Rewrite<v4l2_ctrl_av1_film_grain>(
        V4L2_CID_STATELESS_AV1_FILM_GRAIN, controls,
        [&](v4l2_ctrl_av1_film_grain& grain) {
          has_grain = grain.flags != 0;
          if (!has_grain || slot < 0) return;
          const uint16_t seed = grain.grain_seed;
          grain = {};
          grain.flags = V4L2_AV1_FILM_GRAIN_FLAG_APPLY_GRAIN;
          grain.grain_seed = seed;
          grain.film_grain_params_ref_idx = uint8_t(slot);
          ++named;
        });
    slots.Refresh(frame, has_grain);
  });
  EXPECT_EQ(Play(backend, clip, &failures), expected);
  EXPECT_EQ(failures, 0);
  EXPECT_GT(named, 5);
}

// What the frames of a clip come to where the client spoils each.
int Failures(void (*rewrite)(Bytes* controls, Bytes* bytes)) {
  NodeHost host(2);
  NodeBackend backend(host, client::av1::kCodec);
  backend.set_rewrite(rewrite);
  int failures = 0;
  EXPECT_TRUE(Play(backend, "av1/tiles_256x160.obu", &failures).empty());
  return failures;
}

TEST(Av1BadClientTest, OneEntryOfZeroesIsAFrameWithoutTiles) {
  EXPECT_GT(Failures([](Bytes* controls, Bytes*) {
              RewriteTiles(controls, [](v4l2_ctrl_av1_tile_group_entry& tile) {
                tile = {};
              });
            }),
            0);
}

// FFmpeg with several tile groups: every entry has the newest offset.
TEST(Av1BadClientTest, TilesBesideTheBufferFail) {
  EXPECT_GT(Failures([](Bytes* controls, Bytes*) {
              RewriteTiles(controls, [](v4l2_ctrl_av1_tile_group_entry& tile) {
                tile.tile_offset += 1u << 31;
              });
            }),
            0);
}

TEST(Av1BadClientTest, ADepthThatTheBufferHasNotFails) {
  EXPECT_GT(
      Failures([](Bytes* controls, Bytes*) {
        Rewrite<v4l2_ctrl_av1_sequence>(
            V4L2_CID_STATELESS_AV1_SEQUENCE, controls,
            [](v4l2_ctrl_av1_sequence& sequence) { sequence.bit_depth = 10; });
      }),
      0);
}

// Whether <shown> is <all> without some of its frames.
bool AreAmong(const std::vector<size_t>& shown,
              const std::vector<size_t>& all) {
  auto at = all.begin();
  for (const size_t frame : shown) {
    at = std::find(at, all.end(), frame);
    if (at == all.end()) return false;
    ++at;
  }
  return true;
}

// The module names no picture where a client's reference is lost: those frames
// fail, none is shown that is wrong, and the next key frame ends it.
TEST(Av1BadClientTest, FramesWithoutTheirReferencesFailUntilTheNextKeyFrame) {
  const std::string clip = "av1/inter_352x144.webm";
  int failures = 0;
  NodeHost host(2);
  NodeBackend backend(host, client::av1::kCodec);
  const std::vector<size_t> all = Play(backend, clip, &failures);
  ASSERT_EQ(failures, 0);
  int sent = 0;
  backend.set_rewrite([&sent](Bytes* controls, Bytes*) {
    if (++sent != 4) return;
    RewriteTiles(controls,
                 [](v4l2_ctrl_av1_tile_group_entry& tile) { tile = {}; });
  });
  const std::vector<size_t> shown = Play(backend, clip, &failures);
  EXPECT_GT(failures, 1);
  EXPECT_FALSE(shown.empty());
  EXPECT_TRUE(AreAmong(shown, all));
  EXPECT_EQ(Play(backend, clip, &failures), all);
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace perdix
