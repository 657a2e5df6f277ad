// SPDX-License-Identifier: BSD-2-Clause
#include "tests/kernels/av1/filter_frame.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>

#include "kernels/av1/line_buffers.h"
#include "tests/frame/av1/random_sizes.h"

namespace perdix::av1 {
namespace {

// Set by FilterTest.
bool simd_kernels = false;

}  // namespace

void FilterTest::SetUp() {
  simd_kernels = GetParam() != kScalarTarget;
  if (simd_kernels) hwy::SetSupportedTargetsForTest(GetParam());
}
void FilterTest::TearDown() {
  simd_kernels = false;
  hwy::SetSupportedTargetsForTest(0);
}

bool TestsSimd() { return simd_kernels; }

std::vector<int64_t> FilterTargets() {
  std::vector<int64_t> targets = {kScalarTarget};
  for (int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0;
       left &= left - 1) {
    targets.push_back(left & -left);
  }
  return targets;
}

std::string FilterTargetName(const ::testing::TestParamInfo<int64_t>& info) {
  return info.param == kScalarTarget ? "Scalar" : hwy::TargetName(info.param);
}

std::string FilterOptions::Text() const {
  return std::to_string(width) + "x" + std::to_string(height) + " depth " +
         std::to_string(bit_depth) + " subsampling " +
         std::to_string(subsampling_x) + std::to_string(subsampling_y) +
         (monochrome ? " mono" : "") + " sb " + std::to_string(sb_log2) +
         " denom " + std::to_string(superres_denom) +
         (deblock ? " deblock" : "") + (cdef ? " cdef" : "") +
         (restoration ? " restoration" : "");
}

FilterOptions RandomOptions(TestRandom& random, int largest) {
  FilterOptions options;
  options.width = random.Uniform(1, largest);
  options.height = random.Uniform(1, largest);
  options.bit_depth = 8 + 2 * random.Uniform(0, 2);
  const int layout = random.Uniform(0, 2);
  options.subsampling_x = layout > 0;
  options.subsampling_y = layout > 1;
  options.monochrome = random.OneIn(8);
  options.sb_log2 = random.Uniform(6, 7);
  return options;
}

FilterFrame::FilterFrame(const FilterOptions& options, TestRandom& random)
    : options_(options) {
  SpecState& s = state_;
  s.UpscaledWidth = options.width;
  s.FrameWidth =
      (options.width * 8 + options.superres_denom / 2) / options.superres_denom;
  s.FrameHeight = options.height;
  s.MiCols = 2 * ((s.FrameWidth + 7) >> 3);
  s.MiRows = 2 * ((s.FrameHeight + 7) >> 3);
  s.BitDepth = options.bit_depth;
  s.subsampling_x = options.subsampling_x;
  s.subsampling_y = options.subsampling_y;
  s.NumPlanes = options.monochrome ? 1 : 3;
  s.loop_filter_sharpness = random.Uniform(0, 7);
  MakePicture(random);
  MakeEdges(random);
  MakeCdef(random);
  MakeRestoration(random);
  Pack();
  FrameParams shown = params_;
  shown.width = uint32_t(s.UpscaledWidth);
  picture_ = GuardedPicture::ForTarget(shown);
  Reset();
}

int FilterFrame::PlaneWidth(int plane) const {
  return state_.MiCols * 4 >> (plane == 0 ? 0 : state_.subsampling_x);
}
int FilterFrame::PlaneHeight(int plane) const {
  return state_.MiRows * 4 >> (plane == 0 ? 0 : state_.subsampling_y);
}

void FilterFrame::MakePicture(TestRandom& random) {
  const int scale = 1 << (state_.BitDepth - 8);
  const int highest = (1 << state_.BitDepth) - 1;
  for (int plane = 0; plane < 3; ++plane) {
    SpecPlane& samples = reconstructed_.planes[plane];
    const int width = PlaneWidth(plane);
    const int height = PlaneHeight(plane);
    samples.assign(size_t(height), std::vector<int>(size_t(width)));
    const int level = random.Uniform(0, highest);
    for (int y0 = 0; y0 < height; y0 += 8) {
      for (int x0 = 0; x0 < width; x0 += 8) {
        // Flat, rough, or with a line across.
        const int step = random.Uniform(-8, 8) * scale;
        const int noise = random.OneIn(4) ? highest : random.Uniform(0, 3);
        const int dx = random.Uniform(-12, 12);
        const int dy = random.Uniform(-12, 12);
        for (int y = y0; y < std::min(y0 + 8, height); ++y) {
          for (int x = x0; x < std::min(x0 + 8, width); ++x) {
            int value = level + step + random.Uniform(-noise, noise);
            if (noise == 3) value += (x * dx + y * dy) % 16 * 4 * scale;
            samples[size_t(y)][size_t(x)] = std::clamp(value, 0, highest);
          }
        }
      }
    }
  }
}

void FilterFrame::MakeEdges(TestRandom& random) {
  SpecState& s = state_;
  if (options_.deblock) {
    for (int& level : s.loop_filter_level) level = random.Uniform(0, 1);
    s.loop_filter_level[random.Uniform(0, 1)] = 1;
  }
  for (int plane = 0; plane < 3; ++plane) {
    const int shift_x = plane == 0 ? 0 : s.subsampling_x;
    const int shift_y = plane == 0 ? 0 : s.subsampling_y;
    const int rows = s.MiRows >> shift_y;
    const int cols = s.MiCols >> shift_x;
    const TransformSizes sizes =
        RandomTransformSizes(random, rows, cols, 16 >> shift_y, 16 >> shift_x);
    for (int pass = 0; pass < 2; ++pass) {
      auto& edges = s.edges[plane][pass];
      edges.assign(size_t(rows), std::vector<SpecEdge>(size_t(cols)));
      // Edges of U and V have the same sizes.
      if (plane == 2) edges = s.edges[1][pass];
      const auto& size = pass == 0 ? sizes.width : sizes.height;
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
          SpecEdge& edge = edges[size_t(r)][size_t(c)];
          edge.level = random.OneIn(6) ? 0 : random.Uniform(1, 63);
          if (plane == 2) continue;
          const int at = pass == 0 ? c : r;
          const int here = size[size_t(r)][size_t(c)];
          if (at == 0 || at * 4 % here != 0 || random.OneIn(8)) continue;
          const int before = pass == 0 ? size[size_t(r)][size_t(c - 1)]
                                       : size[size_t(r - 1)][size_t(c)];
          edge.filter_size =
              std::min(plane == 0 ? 16 : 8, std::min(here, before));
        }
      }
    }
  }
}

void FilterFrame::MakeCdef(TestRandom& random) {
  SpecState& s = state_;
  s.cdef_on = options_.cdef;
  s.CdefDamping = random.Uniform(3, 6);
  const auto secondary = [&random] {
    const int coded = random.Uniform(0, 3);
    return coded == 3 ? 4 : coded;
  };
  for (int i = 0; i < 8; ++i) {
    s.cdef_y_pri_strength[i] = random.OneIn(3) ? 0 : random.Uniform(0, 15);
    s.cdef_y_sec_strength[i] = secondary();
    s.cdef_uv_pri_strength[i] = random.OneIn(3) ? 0 : random.Uniform(0, 15);
    s.cdef_uv_sec_strength[i] = secondary();
  }
  s.cdef_idx.assign(size_t((s.MiRows + 15) / 16),
                    std::vector<int>(size_t((s.MiCols + 15) / 16)));
  for (auto& line : s.cdef_idx) {
    for (int& idx : line) idx = random.Uniform(-1, 7);
  }
  const int skipped = random.Uniform(2, 6);
  s.skip.assign(size_t(s.MiRows / 2), std::vector<int>(size_t(s.MiCols / 2)));
  for (auto& line : s.skip) {
    for (int& skip : line) skip = random.OneIn(skipped);
  }
}

void FilterFrame::MakeRestoration(TestRandom& random) {
  SpecState& s = state_;
  const int luma_size = 64 << random.Uniform(0, 2);
  const int uv_shift =
      s.subsampling_x && s.subsampling_y ? random.Uniform(0, 1) : 0;
  for (int plane = 0; plane < 3; ++plane) {
    s.FrameRestorationType[plane] = options_.restoration && !random.OneIn(5);
    s.LoopRestorationSize[plane] = luma_size >> (plane > 0 ? uv_shift : 0);
    const int shift_x = plane == 0 ? 0 : s.subsampling_x;
    const int shift_y = plane == 0 ? 0 : s.subsampling_y;
    const int rows = SpecUnitsInFrame(s.LoopRestorationSize[plane],
                                      (s.FrameHeight + shift_y) >> shift_y);
    const int cols = SpecUnitsInFrame(s.LoopRestorationSize[plane],
                                      (s.UpscaledWidth + shift_x) >> shift_x);
    s.units[plane].assign(size_t(rows), std::vector<SpecUnit>(size_t(cols)));
    for (auto& line : s.units[plane]) {
      for (SpecUnit& unit : line) {
        unit.type = random.Uniform(0, 2);
        for (auto& taps : unit.wiener) {
          const auto tap = [&](int lowest, int highest) {
            if (random.OneIn(4)) return random.OneIn(3) ? lowest : highest;
            return random.Uniform(lowest, highest);
          };
          taps[0] = plane > 0 || random.OneIn(3) ? 0 : tap(-5, 10);
          taps[1] = tap(-23, 8);
          taps[2] = tap(-17, 46);
        }
        unit.set = random.Uniform(0, 15);
        unit.xqd[0] = random.Uniform(-96, 31);
        unit.xqd[1] = random.Uniform(-32, 95);
      }
    }
  }
  if (options_.restoration) s.FrameRestorationType[0] = 1;
}

// ---- the kernels' records ----

void FilterFrame::Pack() {
  const SpecState& s = state_;
  params_.width = uint32_t(s.FrameWidth);
  params_.height = uint32_t(s.FrameHeight);
  params_.sb_log2 = uint32_t(options_.sb_log2);
  const uint32_t sb = 1u << options_.sb_log2;
  params_.sb_cols = (params_.width + sb - 1) / sb;
  params_.sb_rows = (params_.height + sb - 1) / sb;
  params_.bit_depth = uint32_t(s.BitDepth);
  params_.subsampling_x = uint32_t(s.subsampling_x);
  params_.subsampling_y = uint32_t(s.subsampling_y);
  Params& av1 = codec_.As<Params>();
  av1 = {};
  av1.mi_cols = uint32_t(s.MiCols);
  av1.mi_rows = uint32_t(s.MiRows);
  av1.upscaled_width = uint32_t(s.UpscaledWidth);
  av1.superres_denom = uint32_t(options_.superres_denom);
  av1.monochrome = s.NumPlanes == 1;
  for (int i = 0; i < 4; ++i)
    av1.loop_filter_level[i] = uint32_t(s.loop_filter_level[i]);
  av1.loop_filter_sharpness = uint32_t(s.loop_filter_sharpness);
  av1.cdef_damping = uint32_t(s.CdefDamping);
  av1.cdef_on = s.cdef_on;
  for (int i = 0; i < 8; ++i) {
    av1.cdef_y_strength[i] = PackCdefStrength(
        uint32_t(s.cdef_y_pri_strength[i]), uint32_t(s.cdef_y_sec_strength[i]));
    av1.cdef_uv_strength[i] =
        PackCdefStrength(uint32_t(s.cdef_uv_pri_strength[i]),
                         uint32_t(s.cdef_uv_sec_strength[i]));
  }
  PackEdges();
  PackUnits();
  tables_.Resize(kCdefLines, CdefLinesBytes(params_, av1));
  tables_.Resize(kRestorationLines, RestorationLinesBytes(params_, av1));
}

void FilterFrame::PackEdges() {
  const SpecState& s = state_;
  const auto luma =
      tables_.Resize(kLumaEdges, size_t(s.MiRows) * size_t(s.MiCols));
  for (int r = 0; r < s.MiRows; ++r) {
    for (int c = 0; c < s.MiCols; ++c) {
      uint32_t size[2];
      uint32_t level[2];
      for (int pass = 0; pass < 2; ++pass) {
        const SpecEdge& edge = s.edges[0][pass][size_t(r)][size_t(c)];
        level[pass] = uint32_t(edge.level);
        size[pass] = edge.level == 0 ? 0 : uint32_t(edge.filter_size / 4);
        if (size[pass] == 4) size[pass] = 3;
      }
      luma[size_t(r) * size_t(s.MiCols) + size_t(c)] = static_cast<uint16_t>(
          PackLumaEdges(size[0], size[1], level[0], level[1]));
    }
  }
  const int rows = s.MiRows >> s.subsampling_y;
  const int cols = s.MiCols >> s.subsampling_x;
  const auto chroma = tables_.Resize(kChromaEdges, size_t(rows) * size_t(cols));
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      const auto edge = [&](int plane, int pass) {
        return s.edges[plane][pass][size_t(r)][size_t(c)];
      };
      chroma[size_t(r) * size_t(cols) + size_t(c)] = PackChromaEdges(
          uint32_t(edge(1, 0).filter_size / 4),
          uint32_t(edge(1, 1).filter_size / 4), uint32_t(edge(1, 0).level),
          uint32_t(edge(1, 1).level), uint32_t(edge(2, 0).level),
          uint32_t(edge(2, 1).level));
    }
  }
}

void FilterFrame::PackUnits() {
  const SpecState& s = state_;
  const size_t cols = s.cdef_idx[0].size();
  const auto blocks = tables_.Resize(kCdefBlocks, s.cdef_idx.size() * cols);
  for (size_t r = 0; r < s.cdef_idx.size(); ++r) {
    for (size_t c = 0; c < cols; ++c) {
      uint32_t filtered[2] = {};
      for (size_t i = 0; i < 64; ++i) {
        const size_t row = r * 8 + i / 8;
        const size_t col = c * 8 + i % 8;
        if (row >= s.skip.size() || col >= s.skip[0].size()) continue;
        if (!s.skip[row][col]) filtered[i / 32] |= 1u << (i % 32);
      }
      const int idx = s.cdef_idx[r][c];
      blocks[r * cols + c] = {idx < 0 ? PERDIX_NO_CDEF : uint32_t(idx), 0,
                              filtered[0], filtered[1]};
    }
  }
  std::vector<RestorationUnit> units;
  Params& av1 = codec_.As<Params>();
  for (int plane = 0; plane < s.NumPlanes; ++plane) {
    RestorationPlane& to = av1.restoration[plane];
    to.type = uint32_t(s.FrameRestorationType[plane]);
    to.unit_size = uint32_t(s.LoopRestorationSize[plane]);
    to.unit_rows = uint32_t(s.units[plane].size());
    to.unit_cols = uint32_t(s.units[plane][0].size());
    to.first = uint32_t(units.size());
    for (const auto& line : s.units[plane]) {
      for (const SpecUnit& unit : line) units.push_back(PackUnit(unit));
    }
  }
  std::ranges::copy(units,
                    tables_.Resize(kRestorationUnits, units.size()).begin());
}

// ---- the target ----

int FilterFrame::Get(int plane, int x, int y) const {
  return picture_.Get(plane > 0, x, y, plane == 2);
}

void FilterFrame::Reset() {
  picture_.SetGuard(0x5a);
  for (int plane = 0; plane < 3; ++plane) {
    for (int y = 0; y < PlaneHeight(plane); ++y) {
      for (int x = 0; x < PlaneWidth(plane); ++x) {
        picture_.Set(plane > 0, x, y, plane == 2,
                     reconstructed_.planes[plane][size_t(y)][size_t(x)]);
      }
    }
  }
  for (const auto table : {kCdefLines, kRestorationLines}) {
    std::ranges::fill(tables_.View().Of(table), uint8_t{0xa5});
  }
}

KernelArgs FilterFrame::Args() {
  KernelArgs args;
  args.params = &params_;
  args.codec = &codec_;
  args.tables = tables_.View();
  args.target = picture_.View();
  return args;
}

bool FilterFrame::Needs(int pass) const {
  const Params& av1 = codec_.As<Params>();
  if (pass == kDeblockPass)
    return av1.loop_filter_level[0] != 0 || av1.loop_filter_level[1] != 0 ||
           NeedsLineBuffers(av1);
  if (pass == kCdefPass) return av1.cdef_on != 0;
  if (pass == kSuperResPass) return UsesSuperRes(params_, av1);
  return UsesRestoration(av1);
}

void FilterFrame::RunPass(int pass, int row) {
  static constexpr KernelFunction kKernels[kFilterPasses][2][2] = {
      {{&Deblock<uint8_t>, &Deblock<uint16_t>},
       {&DeblockSimd<uint8_t>, &DeblockSimd<uint16_t>}},
      {{&Cdef<uint8_t>, &Cdef<uint16_t>},
       {&CdefSimd<uint8_t>, &CdefSimd<uint16_t>}},
      {{&SuperRes<uint8_t>, &SuperRes<uint16_t>},
       {&SuperResSimd<uint8_t>, &SuperResSimd<uint16_t>}},
      {{&LoopRestoration<uint8_t>, &LoopRestoration<uint16_t>},
       {&LoopRestorationSimd<uint8_t>, &LoopRestorationSimd<uint16_t>}}};
  const uint32_t first = uint32_t(row) * params_.sb_cols;
  kKernels[pass][simd_kernels][state_.BitDepth > 8](
      Args(), {first, first + params_.sb_cols});
}

std::vector<int> FilterFrame::NeededPasses() const {
  std::vector<int> passes;
  for (int pass = 0; pass < kFilterPasses; ++pass) {
    if (Needs(pass)) passes.push_back(pass);
  }
  return passes;
}

void FilterFrame::ExpectEqual(const SpecFrame& expected,
                              bool decoded_area) const {
  for (int plane = 0; plane < 3; ++plane) {
    // Planes that a monochrome frame does not have stay as they are.
    const SpecPlane& samples =
        (plane < state_.NumPlanes ? expected : reconstructed_).planes[plane];
    const int shift_x = plane == 0 ? 0 : state_.subsampling_x;
    const int shift_y = plane == 0 ? 0 : state_.subsampling_y;
    const bool all = decoded_area || plane >= state_.NumPlanes;
    const int width =
        all ? PlaneWidth(plane) : (state_.UpscaledWidth + shift_x) >> shift_x;
    const int height =
        all ? PlaneHeight(plane) : (state_.FrameHeight + shift_y) >> shift_y;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        ASSERT_EQ(samples[size_t(y)][size_t(x)], Get(plane, x, y))
            << options_.Text() << " plane " << plane << " x " << x << " y "
            << y;
      }
    }
  }
  ASSERT_TRUE(picture_.GuardsIntact()) << options_.Text() << " guard";
}

}  // namespace perdix::av1
