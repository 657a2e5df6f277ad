// SPDX-License-Identifier: BSD-2-Clause
// The engine decodes a codec that it does not know: what its kernels make of
// whole frames, one after the other, is the model.
#include "tests/engine/toy_codec/toy_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/decoder.h"
#include "engine/engine.h"
#include "kernels/whole_frame.h"

namespace perdix {
namespace {

using namespace std::chrono_literals;
using toy::CodedFrame;

// ---- what is decoded ----

constexpr uint8_t kAll = 0x3f;
constexpr uint32_t kNever = UINT32_MAX;

constexpr uint8_t Without(std::initializer_list<toy::PassIndex> passes) {
  uint8_t mask = kAll;
  for (const toy::PassIndex pass : passes) mask &= uint8_t(~(1u << pass));
  return mask;
}

// Seed, size, where tiles begin, passes, references, what fails. Some are wide
// enough for several cells in a row, some are high enough that each of 2 or 8
// threads has rows of its own.
constexpr CodedFrame kFrames[] = {
    {1, 700, 300, 0b001101, kAll, 0, kNever},
    {2, 700, 300, 0b010011, kAll, 0b1, kNever},
    {3, 333, 421, 0b000111, Without({toy::kSmooth}), 0b11, kNever},
    {4, 1100, 270, 0b100001001, kAll, 0b101, kNever},
    {5, 1030, 780, 0b001000001, Without({toy::kOutput}), 0b1, kNever},
    {6, 1030, 780, 0b000000001, kAll, 0b11, kNever},
    {7, 520, 775, 0b10111, Without({toy::kEdges, toy::kPublish}), 0b1, kNever},
    {8, 130, 3080, 0b11, kAll, 0b1, kNever},
    {9, 130, 3080, 0b01, Without({toy::kSharpen}), 0b11, kNever},
    {10, 64, 3077, 0b1, kAll, 0b1000011, kNever},
    {11, 9, 7, 0b1, kAll, 0b1, kNever},
    {12, 640, 400, 0b11111, Without({toy::kPublish, toy::kOutput}), 0b1,
     kNever},
    {13, 640, 400, 0b10101, 1u << toy::kReconstruct, 0b10000001, kNever},
    {14, 640, 400, 0b10101, 1u << toy::kEdges, 0b1, kNever},
};
constexpr size_t kRounds = 3;

std::vector<CodedFrame> Intact() {
  std::vector<CodedFrame> frames;
  for (size_t i = 0; i < kRounds; ++i) {
    frames.insert(frames.end(), std::begin(kFrames), std::end(kFrames));
  }
  return frames;
}

// Some rows fail, and with them the frames that refer to those.
std::vector<CodedFrame> WithFailures() {
  std::vector<CodedFrame> frames = Intact();
  const size_t count = std::size(kFrames);
  frames[6].failing_row = 2;
  frames[count].failing_row = 1;
  frames[count + 3].references = 0;
  frames[count + 8].failing_row = 3;
  frames[count + 12].references = 0;
  frames[2 * count + 5].failing_row = 6;
  frames[2 * count + 7].references = 0;
  return frames;
}

// Each frame goes on from one of those before, by rows of others, or of none.
std::vector<CodedFrame> SideBySide() {
  constexpr uint8_t kOnes[] = {0b1, 0b11, 0b100, 0b101, 0b1000001};
  std::vector<CodedFrame> frames = Intact();
  for (size_t i = 1; i < frames.size(); ++i) {
    CodedFrame& frame = frames[i];
    frame.references = i < 7 ? 0b1 : uint8_t(kOnes[i % 5] | 1u << i % 7);
    frame.whole = uint8_t(i % 3 == 0 ? 0 : 1 + i % std::min<size_t>(i, 7));
    if (i % 4 != 0) frame.by_row = frame.references;
  }
  return frames;
}

std::vector<CodedFrame> SideBySideWithFailures() {
  std::vector<CodedFrame> frames = SideBySide();
  frames[3].failing_row = toy::kBegin;
  frames[9].failing_row = 1;
  frames[17].failing_row = toy::kBegin;
  frames[18].failing_row = toy::kBegin;
  frames[30].failing_row = 0;
  for (size_t i : {5, 13, 14, 22, 23, 24, 34}) {
    frames[i].references = frames[i].whole = frames[i].by_row = 0;
  }
  return frames;
}

struct Decoded {
  StatusCode code = StatusCode::kOk;
  PicturePtr target;
  PicturePtr display;  // may be null
};

// All of a frame but its done(): reference i is the target of the frame that is
// i + 1 before it.
FrameRequest RequestOf(const CodedFrame& coded, std::vector<Decoded>& frames) {
  const auto picture = [&coded] {
    return NewHeapPicture(coded.width, coded.height, 8, 1, 1);
  };
  FrameRequest request;
  request.bitstream = {reinterpret_cast<const uint8_t*>(&coded), sizeof(coded)};
  request.target = picture();
  if (coded.passes >> toy::kOutput & 1) request.display = picture();
  for (size_t i = 0; i < std::min(frames.size(), size_t{kMaxReferences}); ++i) {
    request.references[i] = frames[frames.size() - 1 - i].target;
  }
  frames.push_back({StatusCode::kOk, request.target, request.display});
  return request;
}

// ---- the model ----

Status Parse(CodecState& state, ParsedFrame& frame) {
  Status status = state.Begin(frame);
  if (status.ok()) status = state.Continue(frame);
  if (!status.ok()) return status;
  for (uint32_t row = 0; row < frame.params.sb_rows; ++row) {
    for (uint32_t tile = 0; tile < frame.tile_cols; ++tile) {
      frame.tiles[tile].BeginRow(row);
      status = state.ParseRow(frame, tile, row);
      if (!status.ok()) return status;
    }
    state.EndRow(frame, row);
  }
  return status;
}

void Reconstruct(ParsedFrame& frame) {
  KernelArgs args;
  args.params = &frame.params;
  args.codec = &frame.codec_params;
  args.tables = frame.tables.View();
  args.target = frame.request.target->view;
  if (frame.request.display) args.display = frame.request.display->view;
  ForEachReference(frame.params, [&](uint32_t i) {
    args.references[i] = frame.request.references[i]->view;
  });
  std::vector<WorkLists> tiles;
  for (uint32_t i = 0; i < frame.tile_cols; ++i) {
    tiles.push_back(frame.tiles[i].Written());
  }
  for (const Pass& pass : toy::kCodecRow.passes) {
    if (pass.needed != nullptr && !pass.needed(frame)) continue;
    for (const KernelId kernel : pass.kernels) {
      RunWholeFrame(kernel, RowOf(kernel).cpu[0][0], args, tiles);
    }
  }
}

// A frame may begin before it is known that one of its references is broken.
Status CheckReferences(const ParsedFrame& frame) {
  bool broken = false;
  const auto check = [&broken](const PicturePtr& picture) {
    broken |= picture != nullptr && picture->broken;
  };
  ForEachReference(frame.params,
                   [&](uint32_t i) { check(frame.request.references[i]); });
  check(frame.parse_sources.whole);
  if (!broken) return Status::Ok();
  return {StatusCode::kMissingReference, "a reference failed"};
}

std::vector<Decoded> Model(const CodecRow& codec,
                           const std::vector<CodedFrame>& stream) {
  std::vector<Decoded> frames;
  const std::unique_ptr<CodecState> state = codec.open();
  for (const CodedFrame& coded : stream) {
    ParsedFrame frame;
    frame.request = RequestOf(coded, frames);
    Status status = Parse(*state, frame);
    if (status.ok()) status = CheckReferences(frame);
    frames.back().code = status.code();
    if (!status.ok()) frame.Fail(std::move(status));
    state->End(frame);
    frame.request.target->broken = frame.failed();
    if (!frame.failed()) Reconstruct(frame);
  }
  return frames;
}

// ---- the engine ----

std::vector<Decoded> Decode(const CodecRow& codec,
                            const std::vector<CodedFrame>& stream,
                            int threads) {
  std::vector<Decoded> frames;
  std::vector<StatusCode> done;  // by the engine, in the order of frames
  Engine engine({.threads = threads});
  Decoder decoder(engine, codec);
  for (const CodedFrame& coded : stream) {
    FrameRequest request = RequestOf(coded, frames);
    // The others queue up behind the first one.
    request.done = [&done](const Status& status) {
      if (done.empty()) std::this_thread::sleep_for(20ms);
      done.push_back(status.code());
    };
    decoder.Submit(std::move(request));
  }
  decoder.Drain();
  EXPECT_EQ(done.size(), frames.size());
  for (size_t i = 0; i < done.size(); ++i) frames[i].code = done[i];
  return frames;
}

// ---- that they agree ----

void ExpectSamePixels(const Picture& got, const Picture& expected) {
  ASSERT_EQ(got.view.width, expected.view.width);
  ASSERT_EQ(got.view.height, expected.view.height);
  for (uint32_t i = 0; i < kPlaneCount; ++i) {
    const Plane& plane = got.view.planes[i];
    for (uint32_t y = 0; y < plane.height; ++y) {
      const auto line = [&](const Picture& picture) {
        const uint8_t* const bytes =
            picture.view.planes[i].Row<const uint8_t>(y);
        return std::span(bytes, size_t{plane.width} * (1 + i));
      };
      ASSERT_TRUE(std::ranges::equal(line(got), line(expected)))
          << "plane " << i << ", line " << y;
    }
  }
}

auto Count(const std::vector<Decoded>& frames, StatusCode code) {
  return std::ranges::count(frames, code, &Decoded::code);
}

class ToyCodecTest : public testing::TestWithParam<int> {
 protected:
  static void ExpectModel(const CodecRow& codec,
                          const std::vector<CodedFrame>& stream) {
    const std::vector<Decoded> expected = Model(codec, stream);
    const std::vector<Decoded> got = Decode(codec, stream, GetParam());
    for (size_t i = 0; i < stream.size(); ++i) {
      SCOPED_TRACE("frame " + std::to_string(i));
      ASSERT_EQ(got[i].code, expected[i].code);
      ASSERT_EQ(got[i].target->broken, expected[i].code != StatusCode::kOk);
      if (expected[i].code != StatusCode::kOk) continue;
      ASSERT_NO_FATAL_FAILURE(
          ExpectSamePixels(*got[i].target, *expected[i].target));
      if (expected[i].display == nullptr) continue;
      ASSERT_NO_FATAL_FAILURE(
          ExpectSamePixels(*got[i].display, *expected[i].display));
    }
  }
};

TEST_P(ToyCodecTest, DecodesAsTheModelDoes) {
  ExpectModel(toy::kCodecRow, Intact());
}

TEST_P(ToyCodecTest, ParsesFramesSideBySide) {
  ExpectModel(toy::kApartCodecRow, SideBySide());
}

// Whoever waits for one of these must not wait for ever, even if it is the
// last.
TEST_P(ToyCodecTest, ParsesBesideFramesThatFail) {
  const std::vector<CodedFrame> stream = SideBySideWithFailures();
  const std::vector<Decoded> expected = Model(toy::kApartCodecRow, stream);
  EXPECT_EQ(Count(expected, StatusCode::kInvalidBitstream), 5);
  EXPECT_GE(Count(expected, StatusCode::kMissingReference), 8);
  EXPECT_GE(Count(expected, StatusCode::kOk), 12);
  ExpectModel(toy::kApartCodecRow, stream);
  ASSERT_EQ(stream[3].failing_row, toy::kBegin);
  ASSERT_EQ(stream[4].whole, 1);
  ExpectModel(toy::kApartCodecRow, {stream.begin(), stream.begin() + 5});
}

TEST_P(ToyCodecTest, GoesOnBehindFramesThatFail) {
  const std::vector<CodedFrame> stream = WithFailures();
  const std::vector<Decoded> expected = Model(toy::kCodecRow, stream);
  EXPECT_EQ(Count(expected, StatusCode::kInvalidBitstream), 4);
  EXPECT_GE(Count(expected, StatusCode::kMissingReference), 4);
  EXPECT_GE(Count(expected, StatusCode::kOk), 16);
  ExpectModel(toy::kCodecRow, stream);
}

// Shows each frame in one of these memories in turn, which are there from the
// start or are taken.
void ShowIn(const std::vector<PictureMemory>& memories, bool taken,
            int threads) {
  std::vector<CodedFrame> stream(16, {1, 384, 780, 0b101, kAll, 0b1, kNever});
  stream[0].references = 0;
  const std::vector<Decoded> expected = Model(toy::kCodecRow, stream);
  std::vector<Decoded> frames;
  std::atomic<size_t> done{0};  // frames, in order
  Engine engine({.threads = threads});
  Decoder decoder(engine, toy::kCodecRow);
  for (size_t i = 0; i < stream.size(); ++i) {
    FrameRequest request = RequestOf(stream[i], frames);
    const PicturePtr display = request.display;
    display->memory = memories[i % memories.size()];
    if (taken) {
      display->take_memory = [&done, memory = display->memory, i] {
        EXPECT_GE(done + 1, i) << "two frames before were not done";
        return memory;
      };
      display->memory.data = nullptr;
    }
    request.done = [&done, &expected, i, display](const Status& status) {
      EXPECT_TRUE(status.ok()) << status.message();
      ExpectSamePixels(*display, *expected[i].display);
      ++done;
    };
    decoder.Submit(std::move(request));
  }
  decoder.Drain();
  EXPECT_EQ(done, stream.size());
}

PictureMemory NewMemory() { return NewHeapPicture(384, 780, 8, 1, 1)->memory; }

TEST_P(ToyCodecTest, ShowsFramesInTheSameMemory) {
  ShowIn({NewMemory()}, false, GetParam());
}

TEST_P(ToyCodecTest, TakesMemoryOnceAllFramesButOneAreDone) {
  ShowIn({NewMemory(), NewMemory()}, true, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Threads, ToyCodecTest, testing::Values(1, 2, 3, 8),
                         [](const auto& info) {
                           return std::to_string(info.param);
                         });

}  // namespace
}  // namespace perdix
