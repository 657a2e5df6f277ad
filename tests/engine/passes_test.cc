// SPDX-License-Identifier: BSD-2-Clause
// The scheduler works off any table of passes, and tells the codec's state of
// each row: VP9's kernels in other passes than VP9's.
#include <gtest/gtest.h>

#include <atomic>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "client/bitstream/vp9/codec.h"
#include "codec/vp9/codec_row.h"
#include "codec/vp9/frame_state.h"
#include "engine/decoder.h"
#include "tests/engine/decode_clip.h"
#include "tests/engine/picture_frame.h"

namespace perdix {
namespace {

// ---- tables ----

bool IsFiltered(const ParsedFrame& frame) {
  return frame.codec_params.As<vp9::Params>().loop_filter_level != 0;
}

constexpr KernelId kInter[] = {KernelId::kVp9InterPred};
constexpr KernelId kResidual[] = {KernelId::kVp9InverseTransform};
constexpr KernelId kIntra[] = {KernelId::kVp9IntraPred};
constexpr KernelId kReconstruct[] = {kInter[0], kResidual[0], kIntra[0]};
constexpr KernelId kFilter[] = {KernelId::kVp9LoopFilter};

constexpr After kAfterSelf[] = {{0, -1, 0}};

// Passes like AV1's: they look above right, and filter whole rows.
constexpr After kAfterAboveRight[] = {{0, -1, 1}};
constexpr After kFiltersRows[] = {{0, 1, 0}, {1, -1, 0}};
constexpr Pass kRowFilter[] = {
    {.name = "reconstruct",
     .kernels = kReconstruct,
     .after = kAfterAboveRight,
     .within_tiles = true},
    {.name = "filter",
     .kernels = kFilter,
     .after = kFiltersRows,
     .needed = &IsFiltered,
     .whole_rows = true},
};

// A pass for each kernel.
constexpr After kAfterInter[] = {{0, 0, 0}, {1, -1, 0}};
constexpr After kAfterResidual[] = {{1, 0, 0}, {2, -1, 0}};
constexpr After kAfterIntra[] = {{2, 1, 1}, {3, -1, 1}};
constexpr Pass kPassesOfOne[] = {
    {.name = "inter",
     .kernels = kInter,
     .after = kAfterSelf,
     .within_tiles = true},
    {.name = "residual",
     .kernels = kResidual,
     .after = kAfterInter,
     .within_tiles = true},
    {.name = "intra",
     .kernels = kIntra,
     .after = kAfterResidual,
     .within_tiles = true},
    {.name = "filter",
     .kernels = kFilter,
     .after = kAfterIntra,
     .needed = &IsFiltered},
};

// Rows and cells by turns.
constexpr After kAfterIntraRows[] = {{2, 1, 0}, {3, -1, 1}};
constexpr Pass kMixedPasses[] = {
    {.name = "inter",
     .kernels = kInter,
     .after = kAfterSelf,
     .within_tiles = true},
    {.name = "residual",
     .kernels = kResidual,
     .after = kAfterInter,
     .whole_rows = true},
    {.name = "intra",
     .kernels = kIntra,
     .after = kAfterResidual,
     .whole_rows = true},
    {.name = "filter",
     .kernels = kFilter,
     .after = kAfterIntraRows,
     .needed = &IsFiltered},
};

constexpr std::span<const Pass> kTables[] = {kRowFilter, kPassesOfOne,
                                             kMixedPasses};

// ---- rows ----

std::atomic<uint32_t> rows_ended;

// Rows are told once, in order, when all tiles have them.
class WatchingState : public vp9::Vp9State {
 public:
  Status Begin(ParsedFrame& job) override {
    Status status = Vp9State::Begin(job);
    if (!status.ok()) return status;
    parsed_ = std::vector<std::atomic<uint32_t>>(job.params.sb_rows);
    ended_ = 0;
    return status;
  }
  Status ParseRow(ParsedFrame& job, uint32_t tile_col,
                  uint32_t sb_row) override {
    Status status = Vp9State::ParseRow(job, tile_col, sb_row);
    ++parsed_[sb_row];
    return status;
  }
  void EndRow(ParsedFrame& job, uint32_t sb_row) override {
    EXPECT_EQ(sb_row, ended_);
    EXPECT_EQ(parsed_[sb_row], job.tile_cols);
    ++ended_;
    ++rows_ended;
  }
  void End(ParsedFrame& job) override {
    EXPECT_EQ(ended_, job.failed() ? ended_.load() : job.params.sb_rows);
    Vp9State::End(job);
  }

 private:
  std::vector<std::atomic<uint32_t>> parsed_;  // tiles, [row]
  std::atomic<uint32_t> ended_{0};
};

class TableBackend : public PictureBackend {
 public:
  TableBackend(Engine& engine, const CodecRow& codec)
      : PictureBackend(client::vp9::kCodec),
        engine_(engine),
        codec_(codec),
        decoder_(engine, codec) {}

  Status Decode(const client::SubmittedFrame& coded,
                const References& references,
                std::shared_ptr<PictureFrame>* frame) override {
    const client::FrameFormat& format = coded.format;
    const auto decoded = std::make_shared<PictureFrame>(engine_.NewPicture(
        codec_, format.width, format.height, format.bit_depth,
        format.subsampling_x, format.subsampling_y));
    FrameRequest request = RequestOf(coded, references, decoded->picture());
    request.done = [decoded](const Status& status) { decoded->Done(status); };
    decoder_.Submit(std::move(request));
    *frame = decoded;
    return Status::Ok();
  }
  size_t depth() const override { return 4; }

 private:
  Engine& engine_;
  const CodecRow& codec_;
  Decoder decoder_;
};

// gpu: bit i: stage i is there.
Decoded DecodeWith(std::span<const Pass> passes, const std::string& clip,
                   int threads, uint32_t gpu) {
  CodecRow codec = vp9::kCodecRow;
  codec.passes = passes;
  codec.open = []() -> std::unique_ptr<CodecState> {
    return std::make_unique<WatchingState>();
  };
  Engine engine(
      {.threads = threads, .recipe = MixedRecipe(gpu), .wait_for_gpu = true});
  Decoded decoded;
  {
    TableBackend backend(engine, codec);
    Play(clip, backend, &decoded);
  }
  decoded.counters = engine.counters();
  return decoded;
}

class PassesTest
    : public testing::TestWithParam<std::tuple<const char*, uint32_t>> {};

TEST_P(PassesTest, OfAnotherTableGiveTheSamePictures) {
  const auto [clip, table] = GetParam();
  const Decoded expected = Decode(clip, {.threads = 1});
  for (const int threads : {1, 2, 3, 8}) {
    for (const uint32_t gpu : {0u, 2u, 4u, 5u, 8u}) {
      if (gpu != 0 && threads != 3) continue;
      SCOPED_TRACE(std::to_string(threads) + " threads, on the GPU " +
                   std::to_string(gpu));
      rows_ended = 0;
      const Decoded decoded = DecodeWith(kTables[table], clip, threads, gpu);
      EXPECT_EQ(decoded.failures, 0);
      EXPECT_EQ(decoded.frames, expected.frames);
      EXPECT_GE(rows_ended, expected.frames.size());
      EXPECT_EQ(decoded.counters.gpu_frames != 0, gpu != 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Clips, PassesTest,
    testing::Combine(testing::Values("demo.webm", "odd_99x57.webm",
                                     "tiles_512x288.webm"),
                     testing::Range(0u, uint32_t(std::size(kTables)))),
    [](const auto& info) {
      const std::string clip = std::get<0>(info.param);
      return clip.substr(0, clip.find('.')) + "_" +
             std::to_string(std::get<1>(info.param));
    });

}  // namespace
}  // namespace perdix
