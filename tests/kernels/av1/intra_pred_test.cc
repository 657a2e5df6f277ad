// SPDX-License-Identifier: BSD-2-Clause
// The ordered list's kernel, plain and on vectors for all targets that this CPU
// has, against the text of 7.11 (spec_intra.h): every mode, angle, size, side,
// depth and subsampling; blocks that stick out of the frame.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/av1/inter/masks.h"
#include "kernels/av1/kernels.h"
#include "tests/frame/random.h"
#include "tests/kernels/av1/spec_intra.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kSeed = 20251125;
constexpr int kSizes[19][2] = {{2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6},
                               {2, 3}, {3, 2}, {3, 4}, {4, 3}, {4, 5},
                               {5, 4}, {5, 6}, {6, 5}, {2, 4}, {4, 2},
                               {3, 5}, {5, 3}, {4, 6}, {6, 4}};

// A frame to decode into, and the specification's, which has 64 more pixels.
template <typename Sample>
class Scene {
 public:
  Scene(int bit_depth, uint32_t sub_x, uint32_t sub_y, uint32_t seed)
      : random_(seed),
        frame_(kWidth, kHeight, sub_x, sub_y, static_cast<uint32_t>(bit_depth)),
        before_(frame_),
        curr_(kWidth + 128, kHeight + 128, sub_x, sub_y,
              static_cast<uint32_t>(bit_depth)) {
    const bool extreme = OneIn(4);
    const int max = (1 << bit_depth) - 1;
    frame_.Fill(
        [&] { return extreme ? Uniform(0, 1) * max : Uniform(0, max); });
    filters_ = !OneIn(4);
    frame_.params().filters_intra_edges = filters_;
    before_ = frame_;
    ForVisible([&](uint32_t c, int x, int y) {
      curr_.At(c, x, y) = frame_.At(c, x, y);
    });
    spec_ = std::make_unique<SpecIntra<Sample>>(
        curr_, static_cast<int>(frame_.params().mi_cols),
        static_cast<int>(frame_.params().mi_rows), filters_);
  }

  int Uniform(int low, int high) { return random_.Uniform(low, high); }
  bool OneIn(int n) { return Uniform(1, n) == 1; }

  GuardedFrame<Sample>& frame() { return frame_; }
  GuardedFrame<Sample>& curr() { return curr_; }
  SpecIntra<Sample>& spec() { return *spec_; }

  // A block of this size somewhere, at a multiple of its size, of plane 0 or 1,
  // with random sides. first_x, first_y: the least position, pixels.
  SpecBlock RandomBlock(uint32_t plane, const int (&size)[2]) {
    SpecBlock b = {plane, 0, 0, size[0], size[1]};
    const uint32_t index = plane == 0 ? kLuma : kChroma;
    b.x = Uniform(0, (frame_.Width(index) - 1) >> size[0]) << size[0];
    b.y = Uniform(0, (frame_.Height(index) - 1) >> size[1]) << size[1];
    b.haveLeft = b.x > 0 && !OneIn(4);
    b.haveAbove = b.y > 0 && !OneIn(4);
    b.haveAboveRight = b.haveAbove && OneIn(2);
    b.haveBelowLeft = b.haveLeft && OneIn(2);
    b.filterType = OneIn(2);
    return b;
  }

  static uint32_t Position(const SpecBlock& b) {
    return PackPosition(static_cast<uint32_t>(b.x / 4),
                        static_cast<uint32_t>(b.y / 4));
  }
  static uint32_t Shape(const SpecBlock& b, uint32_t kind, uint32_t payload) {
    return PackIntraShape(kind, b.plane == 0 ? kLuma : kChroma,
                          static_cast<uint32_t>(b.log2W),
                          static_cast<uint32_t>(b.log2H),
                          (b.haveLeft ? PERDIX_INTRA_HAVE_LEFT : 0) |
                              (b.haveAbove ? PERDIX_INTRA_HAVE_ABOVE : 0),
                          payload);
  }
  static uint32_t PredictPayload(const SpecBlock& b) {
    return PackPredict(b.mode, b.angleDelta, b.filterType,
                       b.haveAboveRight ? (1u << b.log2W) / 4 : 0,
                       b.haveBelowLeft ? (1u << b.log2H) / 4 : 0);
  }

  // A random residual of the block for the frame; the specification's frame
  // gets the same by the kernel that has its own test.
  uint32_t AddResidual(const SpecBlock& b) {
    std::vector<int> coefficients(32 * 32);
    for (int i = 0; i < 10; ++i) {
      coefficients[static_cast<size_t>(Uniform(0, 15))] = Uniform(-2000, 2000);
    }
    const std::vector<int16_t> narrow(coefficients.begin(), coefficients.end());
    const void* data = sizeof(Sample) == 1
                           ? static_cast<const void*>(narrow.data())
                           : coefficients.data();
    const size_t bytes = coefficients.size() * (sizeof(Sample) == 1 ? 2 : 4);
    TransformBlock block = {
        Position(b),
        PackTransformShape(b.plane, static_cast<uint32_t>(b.log2W),
                           static_cast<uint32_t>(b.log2H), 0, 0, 0),
        curr_.AddToArena(data, bytes), 9};
    residuals_.push_back(curr_.Add(kInterTransforms, block));
    block.coefficients = frame_.AddToArena(data, bytes);
    return frame_.Add(kIntraTransforms, block);
  }
  // Adds the oldest that was not added.
  void ApplyResidual() {
    const uint32_t index = residuals_.front();
    residuals_.erase(residuals_.begin());
    InverseTransform<Sample>(curr_.Args(), {index, index + 1});
  }

  // The prediction of both components of a plane by the specification.
  void Predict(SpecBlock b) {
    for (uint32_t c = b.plane; c <= (b.plane == 0 ? 0u : 2u); ++c) {
      b.plane = c;
      spec_->Predict(b);
      spec_->Write(b);
    }
  }

  void Add(const IntraBlock& block) { frame_.Add(kIntraBlocks, block); }

  // All variants.
  void RunAndCompare(const std::string& what) {
    const GuardedFrame<Sample> input = frame_;
    ForVisible([&](uint32_t c, int x, int y) {
      before_.At(c, x, y) = curr_.At(c, x, y);
    });
    Run(IntraPred<Sample>, what + " scalar");
    for (int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
         targets != 0 && !::testing::Test::HasFatalFailure();
         targets &= targets - 1) {
      const int64_t target = targets & -targets;
      frame_ = input;
      hwy::SetSupportedTargetsForTest(target);
      Run(IntraPredSimd<Sample>, what + " " + hwy::TargetName(target));
      hwy::SetSupportedTargetsForTest(0);
    }
  }

  static std::string Name(const SpecBlock& b) {
    return "plane " + std::to_string(b.plane) + " " + std::to_string(b.x) +
           "," + std::to_string(b.y) + " " + std::to_string(1 << b.log2W) +
           "x" + std::to_string(1 << b.log2H) + " mode " +
           std::to_string(b.mode) + " delta " + std::to_string(b.angleDelta) +
           " have " + std::to_string(b.haveLeft) + std::to_string(b.haveAbove) +
           std::to_string(b.haveAboveRight) + std::to_string(b.haveBelowLeft) +
           " smooth " + std::to_string(b.filterType);
  }

 private:
  void Run(KernelFunction function, const std::string& what) {
    const KernelArgs args = frame_.Args();
    function(args,
             {0, static_cast<uint32_t>(args.lists.Of(kIntraBlocks).size())});
    ASSERT_TRUE(frame_ == before_)
        << what << " depth " << frame_.bit_depth() << " subsampling "
        << frame_.frame().subsampling_x << frame_.frame().subsampling_y
        << " filters " << filters_ << " seed " << kSeed << Difference();
  }

  static constexpr int kWidth = 150;  // 152 are decoded
  static constexpr int kHeight = 131;

  template <typename Visit>
  void ForVisible(const Visit& visit) {
    for (uint32_t c = 0; c < 3; ++c) {
      const uint32_t plane = c == 0 ? kLuma : kChroma;
      for (int y = 0; y < frame_.Height(plane); ++y) {
        for (int x = 0; x < frame_.Width(plane); ++x) visit(c, x, y);
      }
    }
  }

  std::string Difference() {
    std::string text;
    ForVisible([&](uint32_t c, int x, int y) {
      if (!text.empty() || frame_.At(c, x, y) == before_.At(c, x, y)) return;
      text = " component " + std::to_string(c) + " at " + std::to_string(x) +
             "," + std::to_string(y) + ": " +
             std::to_string(frame_.At(c, x, y)) + " for " +
             std::to_string(before_.At(c, x, y));
    });
    return text.empty() ? " in the guard" : text;
  }

  TestRandom random_;
  GuardedFrame<Sample> frame_;
  GuardedFrame<Sample> before_;
  GuardedFrame<Sample> curr_;
  bool filters_ = true;
  std::unique_ptr<SpecIntra<Sample>> spec_;
  std::vector<uint32_t> residuals_;
};

struct Format {
  int bit_depth;
  uint32_t sub_x;
  uint32_t sub_y;
};

class Av1IntraPredTest : public ::testing::TestWithParam<Format> {
 protected:
  // Calls test(scene) with scenes of the parameter's format.
  template <typename Test>
  void ForScenes(int count, const Test& test) {
    const Format& f = GetParam();
    for (int i = 0; i < count && !HasFatalFailure(); ++i) {
      const uint32_t seed = kSeed + static_cast<uint32_t>(i);
      if (f.bit_depth == 8) {
        Scene<uint8_t> scene(8, f.sub_x, f.sub_y, seed);
        test(scene);
      } else {
        Scene<uint16_t> scene(f.bit_depth, f.sub_x, f.sub_y, seed);
        test(scene);
      }
    }
  }
};

// One block in a scene, with a residual or without.
template <typename S>
void CheckPrediction(S& scene, const SpecBlock& b, uint32_t kind,
                     uint32_t payload) {
  IntraBlock record = {S::Position(b), S::Shape(b, kind, payload),
                       PERDIX_NO_RESIDUAL, PERDIX_NO_RESIDUAL};
  scene.Predict(b);
  if (scene.OneIn(3)) {
    record.residual0 = scene.AddResidual(b);
    scene.ApplyResidual();
  }
  if (b.plane == 1 && scene.OneIn(3)) {
    SpecBlock v = b;
    v.plane = 2;
    record.residual1 = scene.AddResidual(v);
    scene.ApplyResidual();
  }
  scene.Add(record);
  scene.RunAndCompare(S::Name(b));
}

TEST_P(Av1IntraPredTest, ModesAreAsSpecified) {
  int variant = 0;
  ForScenes(19 * (5 + 8 * 7), [&](auto& scene) {
    const int(&size)[2] = kSizes[variant % 19];
    const int mode = variant / 19 % (5 + 8 * 7);
    ++variant;
    SpecBlock b = scene.RandomBlock(scene.OneIn(2), size);
    if (mode < 5) {
      b.mode =
          mode == 0 ? kDcPred : kSmoothPred + static_cast<uint32_t>(mode - 1);
    } else {
      b.mode = kVPred + static_cast<uint32_t>((mode - 5) / 7);
      b.angleDelta = (mode - 5) % 7 - 3;
    }
    CheckPrediction(scene, b, PERDIX_INTRA_PREDICT,
                    std::decay_t<decltype(scene)>::PredictPayload(b));
  });
}

TEST_P(Av1IntraPredTest, FilterIntraIsAsSpecified) {
  int variant = 0;
  ForScenes(19 * 5 * 2, [&](auto& scene) {
    const int(&size)[2] = kSizes[variant % 19];
    SpecBlock b = scene.RandomBlock(0, size);
    b.filter_intra_mode = variant++ / 19 % 5;
    if (size[0] == 6 || size[1] == 6) return;
    CheckPrediction(scene, b, PERDIX_INTRA_FILTER,
                    static_cast<uint32_t>(b.filter_intra_mode));
  });
}

// Paints the specification's frame with a palette and gives the record its own.
template <typename S>
uint32_t AddPalette(S& scene, const SpecBlock& b) {
  const int max = (1 << scene.curr().bit_depth()) - 1;
  const int components = b.plane == 0 ? 1 : 2;
  std::vector<int16_t> arena(static_cast<size_t>(8 * components));
  for (int16_t& colour : arena) {
    colour = static_cast<int16_t>(scene.Uniform(0, max));
  }
  const int w = 1 << b.log2W;
  const int h = 1 << b.log2H;
  std::vector<uint8_t> map(static_cast<size_t>(w * h));
  for (uint8_t& index : map) index = static_cast<uint8_t>(scene.Uniform(0, 7));
  for (int i = 0; i < h; ++i) {
    for (int j = 0; j < w; ++j) {
      for (int c = 0; c < components; ++c) {
        scene.curr().At(b.plane + static_cast<uint32_t>(c), b.x + j, b.y + i) =
            static_cast<std::decay_t<decltype(scene.curr().At(0, 0, 0))>>(
                arena[static_cast<size_t>(
                    8 * c + map[static_cast<size_t>(i * w + j)])]);
      }
    }
  }
  std::vector<uint8_t> bytes(arena.size() * 2 + map.size());
  std::memcpy(bytes.data(), arena.data(), arena.size() * 2);
  std::memcpy(bytes.data() + arena.size() * 2, map.data(), map.size());
  return scene.frame().AddToArena(bytes.data(), bytes.size());
}

TEST_P(Av1IntraPredTest, PalettesAreAsSpecified) {
  int variant = 0;
  ForScenes(19 * 4, [&](auto& scene) {
    using S = std::decay_t<decltype(scene)>;
    const SpecBlock b =
        scene.RandomBlock(scene.OneIn(2), kSizes[variant++ % 19]);
    const uint32_t palette = AddPalette(scene, b);
    scene.Add(
        {S::Position(b), S::Shape(b, PERDIX_INTRA_PALETTE, 0), palette, 0});
    const uint32_t residual = scene.AddResidual(b);
    scene.ApplyResidual();
    scene.Add({S::Position(b), S::Shape(b, PERDIX_INTRA_RESIDUAL, 0), residual,
               PERDIX_NO_RESIDUAL});
    scene.RunAndCompare(S::Name(b));
  });
}

// A block of luma in four transform blocks, by prediction or palette, then its
// chroma: what sticks out of the frame must be remembered.
TEST_P(Av1IntraPredTest, ChromaFromLumaIsAsSpecified) {
  const uint32_t sub_x = GetParam().sub_x;
  const uint32_t sub_y = GetParam().sub_y;
  ForScenes(600, [&](auto& scene) {
    using S = std::decay_t<decltype(scene)>;
    const int w_log2 = scene.Uniform(3, 5);
    const int h_log2 = scene.Uniform(std::max(3, w_log2 - 2), 5);
    const SpecBlock luma = scene.RandomBlock(0, {w_log2, h_log2});
    const int tx_w = scene.Uniform(std::max(2, w_log2 - 1), w_log2);
    // No transform is eight times as wide as high.
    const int tx_h = scene.Uniform(std::max({2, h_log2 - 1, tx_w - 2}),
                                   std::min(h_log2, tx_w + 2));
    const bool palette = scene.OneIn(3);
    if (palette) {
      scene.Add({S::Position(luma), S::Shape(luma, PERDIX_INTRA_PALETTE, 0),
                 AddPalette(scene, luma), 0});
    }
    int max_luma_w = 0;
    int max_luma_h = 0;
    for (int y = 0; y < 1 << h_log2; y += 1 << tx_h) {
      for (int x = 0; x < 1 << w_log2; x += 1 << tx_w) {
        SpecBlock tx = luma;
        tx.x += x;
        tx.y += y;
        tx.log2W = tx_w;
        tx.log2H = tx_h;
        if (tx.x >= scene.frame().Width(kLuma)) continue;
        if (tx.y >= scene.frame().Height(kLuma)) continue;
        max_luma_w = tx.x + (1 << tx_w);
        max_luma_h = tx.y + (1 << tx_h);
        tx.haveLeft = tx.x > 0;
        tx.haveAbove = tx.y > 0;
        tx.haveAboveRight = tx.haveBelowLeft = false;
        tx.mode = static_cast<uint32_t>(scene.Uniform(0, 12));
        IntraBlock record = {S::Position(tx), 0, PERDIX_NO_RESIDUAL,
                             PERDIX_NO_RESIDUAL};
        record.shape =
            palette ? S::Shape(tx, PERDIX_INTRA_RESIDUAL, 0)
                    : S::Shape(tx, PERDIX_INTRA_PREDICT, S::PredictPayload(tx));
        if (!palette) scene.Predict(tx);
        if (scene.OneIn(2)) {
          record.residual0 = scene.AddResidual(tx);
          scene.ApplyResidual();
        }
        scene.Add(record);
      }
    }
    SpecBlock chroma = luma;
    chroma.plane = 1;
    chroma.x >>= sub_x;
    chroma.y >>= sub_y;
    chroma.log2W -= static_cast<int>(sub_x);
    chroma.log2H -= static_cast<int>(sub_y);
    const int alphas[2] = {scene.Uniform(-16, 16), scene.Uniform(-16, 16)};
    for (uint32_t c = 1; c <= 2; ++c) {
      chroma.plane = c;
      scene.spec().Predict(chroma);
      scene.spec().Write(chroma);
      scene.spec().ChromaFromLuma(chroma, alphas[c - 1], max_luma_w,
                                  max_luma_h);
    }
    scene.Add(
        {S::Position(chroma),
         S::Shape(chroma, PERDIX_INTRA_CFL,
                  PackCfl(alphas[0], alphas[1],
                          static_cast<uint32_t>(max_luma_w - luma.x) / 4,
                          static_cast<uint32_t>(max_luma_h - luma.y) / 4)),
         PERDIX_NO_RESIDUAL, PERDIX_NO_RESIDUAL});
    scene.RunAndCompare(S::Name(luma) + " tx " + std::to_string(1 << tx_w) +
                        "x" + std::to_string(1 << tx_h));
  });
}

TEST_P(Av1IntraPredTest, BlockCopyIsAsSpecified) {
  ForScenes(400, [&](auto& scene) {
    using S = std::decay_t<decltype(scene)>;
    SpecBlock b = scene.RandomBlock(scene.OneIn(2),
                                    {scene.Uniform(2, 6), scene.Uniform(2, 6)});
    // Above the block, also outside of the frame.
    const int height = (1 << b.log2H) << (b.plane ? GetParam().sub_y : 0);
    const int row = -8 * (height + 1 + scene.Uniform(0, 80));
    const int col = 8 * scene.Uniform(-200, 200);
    scene.Add({S::Position(b), S::Shape(b, PERDIX_INTRA_COPY, 0),
               PackMv(row, col), 0});
    for (uint32_t c = b.plane; c <= (b.plane == 0 ? 0u : 2u); ++c) {
      SpecBlock one = b;
      one.plane = c;
      scene.spec().IntraBlockCopy(one, row, col);
      scene.spec().Write(one);
    }
    scene.RunAndCompare(S::Name(b) + " mv " + std::to_string(row) + "," +
                        std::to_string(col));
  });
}

// By interintra_mode.
constexpr IntraMode kInterIntraModes[4] = {kDcPred, kVPred, kHPred,
                                           kSmoothPred};

TEST_P(Av1IntraPredTest, InterIntraIsAsSpecified) {
  const Format& f = GetParam();
  ForScenes(400, [&](auto& scene) {
    using S = std::decay_t<decltype(scene)>;
    const int w_log2 = scene.Uniform(3, 5);
    const int h_log2 =
        scene.Uniform(std::max(3, w_log2 - 1), std::min(5, w_log2 + 1));
    const uint32_t plane = scene.OneIn(2);
    const int sub_x = plane ? static_cast<int>(f.sub_x) : 0;
    const int sub_y = plane ? static_cast<int>(f.sub_y) : 0;
    SpecBlock b = scene.RandomBlock(plane, {w_log2 - sub_x, h_log2 - sub_y});
    const auto ii_mode = static_cast<uint32_t>(scene.Uniform(0, 3));
    const auto wedge =
        static_cast<uint32_t>(scene.OneIn(2) ? 0 : scene.Uniform(1, 16));
    b.mode = kInterIntraModes[ii_mode];
    scene.Add({S::Position(b),
               S::Shape(b, PERDIX_INTRA_INTER, PackInterIntra(ii_mode, wedge)),
               0, 0});
    const int w = 1 << b.log2W;
    const int h = 1 << b.log2H;
    std::vector<uint8_t> smooth(static_cast<size_t>(w * h));
    SmoothMask(ii_mode, w, h, 1, smooth.data());
    const uint8_t* mask =
        wedge == 0 ? nullptr
                   : WedgeMask(static_cast<uint32_t>(w_log2),
                               static_cast<uint32_t>(h_log2), 0, wedge - 1);
    for (uint32_t c = plane; c <= (plane == 0 ? 0u : 2u); ++c) {
      b.plane = c;
      scene.spec().Predict(b);
      for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
          int m = smooth[static_cast<size_t>(y * w + x)];
          if (mask != nullptr) {
            m = 0;
            for (int dy = 0; dy <= sub_y; ++dy) {
              for (int dx = 0; dx <= sub_x; ++dx) {
                m += mask[((y << sub_y) + dy) * kWedgeStride + (x << sub_x) +
                          dx];
              }
            }
            m = (m + ((1 << (sub_x + sub_y)) >> 1)) >> (sub_x + sub_y);
          }
          auto& sample = scene.curr().At(c, b.x + x, b.y + y);
          sample = static_cast<std::decay_t<decltype(sample)>>(
              (m * scene.spec().pred[y][x] + (64 - m) * sample + 32) >> 6);
        }
      }
    }
    scene.RunAndCompare(S::Name(b) + " wedge " + std::to_string(wedge));
  });
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

}  // namespace
}  // namespace perdix::av1
