// SPDX-License-Identifier: BSD-2-Clause
// The ordered list's kernel on vectors, for all targets that this CPU has,
// against the scalar one, on random records of all kinds: every mode, angle,
// size, side, depth and subsampling; blocks that stick out of the frame.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/av1/intra/intra_tables.h"
#include "kernels/av1/kernels.h"
#include "tests/frame/random.h"
#include "tests/kernels/av1/guarded_frame.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kSeed = 20251125;

struct Format {
  int bit_depth;
  uint32_t sub_x;
  uint32_t sub_y;
};

// A block of a plane: position and size, pixels.
struct Block {
  uint32_t plane;  // PlaneIndex
  int x;
  int y;
  int width_log2;
  int height_log2;
};

// A frame of random samples with records to decode.
template <typename Sample>
class RandomFrame {
 public:
  RandomFrame(const Format& format, uint32_t seed)
      : format_(format),
        random_(seed),
        frame_(150, 131, format.sub_x, format.sub_y,
               static_cast<uint32_t>(format.bit_depth)) {
    const int max = (1 << format.bit_depth) - 1;
    const bool extreme = random_.OneIn(4);
    frame_.Fill([&] {
      return extreme ? random_.Uniform(0, 1) * max : random_.Uniform(0, max);
    });
    frame_.params().filters_intra_edges = !random_.OneIn(4);
  }

  GuardedFrame<Sample>& frame() { return frame_; }
  const std::string& records() const { return records_; }

  void AddRecord() {
    const uint32_t plane = random_.OneIn(2) ? kLuma : kChroma;
    switch (random_.Uniform(0, 9)) {
      case 0:
        return AddPalette(plane);
      case 1:
        return AddCopy(plane);
      case 2:
        return AddChromaFromLuma();
      case 3:
        return AddInterIntra(plane);
      case 4:
        return AddFilterIntra();
      case 5:
        return AddResidualAlone(plane);
      default:
        return AddPrediction(plane);
    }
  }

 private:
  // At a multiple of its size.
  Block BlockOf(uint32_t plane, int width_log2, int height_log2) {
    const auto at = [&](int size, int log2) {
      return random_.Uniform(0, (size - 1) >> log2) << log2;
    };
    const int x = at(frame_.Width(plane), width_log2);
    const int y = at(frame_.Height(plane), height_log2);
    return {plane, x, y, width_log2, height_log2};
  }

  // One of the transforms up to 1 << most: none is eight times as wide as high.
  Block TransformBlockOf(uint32_t plane, int most) {
    const int width_log2 = random_.Uniform(2, most);
    const int height_log2 = random_.Uniform(std::max(2, width_log2 - 2),
                                            std::min(most, width_log2 + 2));
    return BlockOf(plane, width_log2, height_log2);
  }

  // residual0, residual1: of the component, or nothing, by chance.
  void Add(const Block& b, uint32_t kind, uint32_t payload,
           uint32_t residual0 = PERDIX_NO_RESIDUAL,
           uint32_t residual1 = PERDIX_NO_RESIDUAL) {
    uint32_t have = 0;
    if (b.x > 0 && !random_.OneIn(4)) have |= PERDIX_INTRA_HAVE_LEFT;
    if (b.y > 0 && !random_.OneIn(4)) have |= PERDIX_INTRA_HAVE_ABOVE;
    frame_.Add(
        kIntraBlocks,
        IntraBlock{
            Position(b),
            PackIntraShape(kind, b.plane, static_cast<uint32_t>(b.width_log2),
                           static_cast<uint32_t>(b.height_log2), have, payload),
            residual0, residual1});
    records_ += "\nkind " + std::to_string(kind) + " payload " +
                std::to_string(payload) + " plane " + std::to_string(b.plane) +
                " at " + std::to_string(b.x) + "," + std::to_string(b.y) +
                " size " + std::to_string(1 << b.width_log2) + "x" +
                std::to_string(1 << b.height_log2) + " have " +
                std::to_string(have);
  }

  void AddWithResidual(const Block& b, uint32_t kind, uint32_t payload) {
    const uint32_t residual0 = random_.OneIn(2)
                                   ? Residual(b, b.plane == kLuma ? 0 : 1)
                                   : PERDIX_NO_RESIDUAL;
    const uint32_t residual1 = b.plane == kChroma && random_.OneIn(2)
                                   ? Residual(b, 2)
                                   : PERDIX_NO_RESIDUAL;
    Add(b, kind, payload, residual0, residual1);
  }

  static uint32_t Position(const Block& b) {
    return PackPosition(static_cast<uint32_t>(b.x / 4),
                        static_cast<uint32_t>(b.y / 4));
  }

  // component: 0 Y, 1 U, 2 V.
  uint32_t Residual(const Block& b, uint32_t component) {
    std::vector<int> coefficients(32 * 32);
    for (int i = 0; i < 10; ++i) {
      coefficients[static_cast<size_t>(random_.Uniform(0, 15))] =
          random_.Uniform(-2000, 2000);
    }
    const std::vector<int16_t> narrow(coefficients.begin(), coefficients.end());
    const uint32_t at =
        sizeof(Sample) == 1
            ? frame_.AddToArena(narrow.data(), 2 * narrow.size())
            : frame_.AddToArena(coefficients.data(), 4 * coefficients.size());
    return frame_.Add(
        kIntraTransforms,
        TransformBlock{
            Position(b),
            PackTransformShape(component, static_cast<uint32_t>(b.width_log2),
                               static_cast<uint32_t>(b.height_log2), 0, 0, 0),
            at, 9});
  }

  void AddPrediction(uint32_t plane) {
    const Block b = TransformBlockOf(plane, 6);
    const auto mode = static_cast<uint32_t>(random_.Uniform(0, kPaethPred));
    const bool turns = mode >= kVPred && mode <= kD67Pred;
    AddWithResidual(
        b, PERDIX_INTRA_PREDICT,
        PackPredict(mode, turns ? random_.Uniform(-3, 3) : 0,
                    static_cast<uint32_t>(random_.Uniform(0, 1)),
                    random_.OneIn(2) ? (1u << b.width_log2) / 4 : 0,
                    random_.OneIn(2) ? (1u << b.height_log2) / 4 : 0));
  }

  void AddFilterIntra() {
    AddWithResidual(TransformBlockOf(kLuma, 5), PERDIX_INTRA_FILTER,
                    static_cast<uint32_t>(random_.Uniform(0, 4)));
  }

  void AddResidualAlone(uint32_t plane) {
    AddWithResidual(TransformBlockOf(plane, 6), PERDIX_INTRA_RESIDUAL, 0);
  }

  // A block of luma by a palette, in parts of which some may stick out of the
  // frame and must be remembered; then its chroma.
  void AddChromaFromLuma() {
    const int sub_x = static_cast<int>(format_.sub_x);
    const int sub_y = static_cast<int>(format_.sub_y);
    const int width_log2 = random_.Uniform(3, 5);
    // Chroma has no transform that is eight times as high as wide either.
    const int height_log2 =
        random_.Uniform(std::max(3, width_log2 - 2),
                        std::min(5, width_log2 - sub_x + sub_y + 2));
    const Block luma = BlockOf(kLuma, width_log2, height_log2);
    if (random_.OneIn(2)) Add(luma, PERDIX_INTRA_PALETTE, 0, Palette(luma));
    AddWithResidual(luma, PERDIX_INTRA_RESIDUAL, 0);
    const auto units = [&](int log2) {
      return static_cast<uint32_t>(2 * random_.Uniform(1, 1 << (log2 - 3)));
    };
    const uint32_t width4 = units(width_log2);
    const uint32_t height4 = units(height_log2);
    const Block chroma = {kChroma, luma.x >> sub_x, luma.y >> sub_y,
                          width_log2 - sub_x, height_log2 - sub_y};
    AddWithResidual(chroma, PERDIX_INTRA_CFL,
                    PackCfl(random_.Uniform(-16, 16), random_.Uniform(-16, 16),
                            width4, height4));
  }

  // Returns its place in the arena.
  uint32_t Palette(const Block& b) {
    const int max = (1 << format_.bit_depth) - 1;
    std::vector<int16_t> palette(b.plane == kLuma ? 8 : 16);
    for (int16_t& colour : palette) {
      colour = static_cast<int16_t>(random_.Uniform(0, max));
    }
    const size_t colours = palette.size();
    palette.resize(colours + (size_t{1} << (b.width_log2 + b.height_log2)) / 2);
    for (size_t i = colours; i < palette.size(); ++i) {
      palette[i] = static_cast<int16_t>(random_.Uniform(0, 7) |
                                        random_.Uniform(0, 7) << 8);
    }
    return frame_.AddToArena(palette.data(), 2 * palette.size());
  }

  void AddPalette(uint32_t plane) {
    const Block b = TransformBlockOf(plane, 6);
    Add(b, PERDIX_INTRA_PALETTE, 0, Palette(b));
  }

  // From above the block, also from outside of the frame.
  void AddCopy(uint32_t plane) {
    const Block b =
        BlockOf(plane, random_.Uniform(2, 6), random_.Uniform(2, 6));
    const int height = (1 << b.height_log2)
                       << (plane == kLuma ? 0 : format_.sub_y);
    const int row = -8 * (height + 1 + random_.Uniform(0, 80));
    Add(b, PERDIX_INTRA_COPY, 0, PackMv(row, 8 * random_.Uniform(-200, 200)));
  }

  void AddInterIntra(uint32_t plane) {
    const int width_log2 = random_.Uniform(3, 5);
    const int height_log2 = random_.Uniform(std::max(3, width_log2 - 1),
                                            std::min(5, width_log2 + 1));
    const bool chroma = plane == kChroma;
    const Block b = BlockOf(
        plane, width_log2 - (chroma ? static_cast<int>(format_.sub_x) : 0),
        height_log2 - (chroma ? static_cast<int>(format_.sub_y) : 0));
    const int wedge = random_.OneIn(2) ? 0 : random_.Uniform(1, 16);
    Add(b, PERDIX_INTRA_INTER,
        PackInterIntra(static_cast<uint32_t>(random_.Uniform(0, 3)),
                       static_cast<uint32_t>(wedge)));
  }

  const Format format_;
  TestRandom random_;
  GuardedFrame<Sample> frame_;
  std::string records_;
};

class Av1IntraPredTest : public ::testing::TestWithParam<Format> {};

template <typename Sample>
void Decode(KernelFunction function, GuardedFrame<Sample>& frame) {
  const KernelArgs args = frame.Args();
  const auto count = args.lists.Of(kIntraBlocks).size();
  function(args, {0, static_cast<uint32_t>(count)});
}

template <typename Sample>
void ExpectSame(const Format& format, uint32_t seed) {
  RandomFrame<Sample> random(format, seed);
  for (int i = 0; i < 8; ++i) random.AddRecord();
  GuardedFrame<Sample> expected = random.frame();
  Decode(IntraPred<Sample>, expected);
  ASSERT_TRUE(expected.HasGuardOf(random.frame()))
      << "seed " << seed << random.records();
  ForEachTarget([&](const char* target) {
    GuardedFrame<Sample> frame = random.frame();
    Decode(IntraPredSimd<Sample>, frame);
    ASSERT_EQ(frame.Difference(expected), "")
        << target << " seed " << seed << random.records();
  });
}

TEST_P(Av1IntraPredTest, VectorsDoAsScalar) {
  for (uint32_t i = 0; i < 1500 && !HasFatalFailure(); ++i) {
    if (GetParam().bit_depth == 8) {
      ExpectSame<uint8_t>(GetParam(), kSeed + i);
    } else {
      ExpectSame<uint16_t>(GetParam(), kSeed + i);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Av1IntraPredTest,
                         ::testing::Values(Format{8, 1, 1}, Format{10, 1, 1},
                                           Format{12, 1, 1}, Format{8, 1, 0},
                                           Format{10, 1, 0}, Format{8, 0, 0},
                                           Format{12, 0, 0}),
                         [](const auto& info) {
                           return "Depth" +
                                  std::to_string(info.param.bit_depth) +
                                  "Subsampling" +
                                  std::to_string(info.param.sub_x) +
                                  std::to_string(info.param.sub_y);
                         });

// 7.11.2: what stands for pixels that do not exist.
TEST(Av1IntraPredEdgesTest, WithoutNeighboursAreAroundTheMiddle) {
  constexpr int kPairs[4][2] = {
      {kDcPred, 128}, {kVPred, 127}, {kHPred, 129}, {kPaethPred, 128}};
  for (const auto& [mode, sample] : kPairs) {
    GuardedFrame<uint8_t> frame(64, 64, 1, 1, 8);
    frame.Add(kIntraBlocks,
              IntraBlock{PackPosition(1, 1),
                         PackIntraShape(PERDIX_INTRA_PREDICT, kLuma, 3, 3, 0,
                                        PackPredict(static_cast<uint32_t>(mode),
                                                    0, 0, 0, 0)),
                         PERDIX_NO_RESIDUAL, PERDIX_NO_RESIDUAL});
    Decode(IntraPred<uint8_t>, frame);
    EXPECT_EQ(frame.At(0, 4, 4), sample) << mode;
    EXPECT_EQ(frame.At(0, 11, 11), sample) << mode;
    EXPECT_EQ(frame.At(0, 12, 11), 0) << mode;
  }
}

}  // namespace
}  // namespace perdix::av1
