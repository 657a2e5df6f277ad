// SPDX-License-Identifier: BSD-2-Clause
#include "tests/frame/av1/random_intra.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/av1/intra/intra_tables.h"
#include "kernels/av1/lists.h"
#include "kernels/decoded_area.h"

namespace perdix::av1 {
namespace {

constexpr int kSuperblock = 64;

// A block of a plane: position and size, pixels.
struct Block {
  uint32_t plane;  // PlaneIndex
  int x;
  int y;
  int width_log2;
  int height_log2;

  int width() const { return 1 << width_log2; }
  int height() const { return 1 << height_log2; }
  uint32_t position() const {
    return PackPosition(static_cast<uint32_t>(x / 4),
                        static_cast<uint32_t>(y / 4));
  }
};

// Which 4x4 of a plane have been decoded, beyond the frame, too.
class DecodedCells {
 public:
  void Resize(int width, int height) {
    width_ = width;
    height_ = height;
    cells_.assign(static_cast<size_t>(width * height), false);
  }
  void Mark(const Block& b) {
    for (int y = b.y / 4; y < std::min((b.y + b.height()) / 4, height_); ++y) {
      for (int x = b.x / 4; x < std::min((b.x + b.width()) / 4, width_); ++x) {
        cells_[static_cast<size_t>(y * width_ + x)] = true;
      }
    }
  }
  // All of an area, 4x4 cells.
  bool Has(int x, int y, int width, int height) const {
    if (x < 0 || y < 0 || x + width > width_ || y + height > height_) {
      return false;
    }
    for (int j = y; j < y + height; ++j) {
      for (int i = x; i < x + width; ++i) {
        if (!cells_[static_cast<size_t>(j * width_ + i)]) return false;
      }
    }
    return true;
  }

 private:
  int width_ = 0;
  int height_ = 0;
  std::vector<bool> cells_;
};

class RandomRecords {
 public:
  RandomRecords(TestRandom& random, const IntraChoice& choice,
                KernelInput* input)
      : random_(random), choice_(choice), input_(*input) {
    const auto cols = static_cast<int>(input_.params.sb_cols);
    const auto rows = static_cast<int>(input_.params.sb_rows);
    for (const uint32_t plane : {kLuma, kChroma}) {
      areas_[plane] = PlaneDecodedArea(input_.params, plane);
      const int cells = kSuperblock / 4 >> (plane == kLuma ? 0 : 1);
      decoded_[plane].Resize(cols * cells, rows * cells);
    }
  }

  // Splits a block of luma at random.
  void Split(const Block& b) {
    if (b.x >= areas_[kLuma].width || b.y >= areas_[kLuma].height) return;
    const int w = b.width_log2;
    const int h = b.height_log2;
    const bool wide = w > 3 && (random_.OneIn(2) || w > h + 2);
    const bool high = h > 3 && (random_.OneIn(2) || h > w + 2);
    if (!wide && !high) return Add(b);
    const int half_w = wide ? w - 1 : w;
    const int half_h = high ? h - 1 : h;
    for (int y = b.y; y < b.y + b.height(); y += 1 << half_h) {
      for (int x = b.x; x < b.x + b.width(); x += 1 << half_w) {
        Split({kLuma, x, y, half_w, half_h});
      }
    }
  }

 private:
  // A block with its chroma.
  void Add(const Block& luma) {
    const Block chroma = {kChroma, luma.x / 2, luma.y / 2, luma.width_log2 - 1,
                          luma.height_log2 - 1};
    const int longest = std::max(luma.width_log2, luma.height_log2);
    if (random_.OneIn(8)) {
      AddInter(luma, longest <= 5 && random_.OneIn(2));
      if (!choice_.gray) AddInter(chroma, last_is_blended_);
      return;
    }
    Block transform = luma;
    Shrink(&transform.width_log2, luma.width_log2);
    Shrink(&transform.height_log2, luma.height_log2);
    FixRatio(&transform);
    AddLuma(luma, transform);
    if (choice_.gray) return;
    if (longest <= 5 && !random_.OneIn(3)) return AddFromLuma(luma, transform);
    if (random_.OneIn(8)) {
      AddPalette(chroma);
      AddRecord(chroma, PERDIX_INTRA_RESIDUAL, 0);
    } else {
      AddPrediction(chroma);
    }
    decoded_[kChroma].Mark(chroma);
  }

  void Shrink(int* log2, int most) {
    while (*log2 > 2 && random_.OneIn(3)) --*log2;
    *log2 = std::min(*log2, most);
  }
  static void FixRatio(Block* b) {
    b->width_log2 = std::min(b->width_log2, b->height_log2 + 2);
    b->height_log2 = std::min(b->height_log2, b->width_log2 + 2);
  }

  template <typename Visit>
  void ForEachTransform(const Block& b, const Block& transform,
                        const Visit& visit) {
    for (int y = b.y; y < b.y + b.height(); y += transform.height()) {
      for (int x = b.x; x < b.x + b.width(); x += transform.width()) {
        if (x >= areas_[b.plane].width || y >= areas_[b.plane].height) continue;
        const Block part = {b.plane, x, y, transform.width_log2,
                            transform.height_log2};
        visit(part);
        decoded_[b.plane].Mark(part);
      }
    }
  }

  void AddLuma(const Block& luma, const Block& transform) {
    const int longest = std::max(transform.width_log2, transform.height_log2);
    const uint32_t kind = random_.Below(8);
    const uint32_t filter = random_.Below(5);
    if (kind == 0) AddPalette(luma);
    ForEachTransform(luma, transform, [&](const Block& part) {
      if (kind == 0) {
        AddRecord(part, PERDIX_INTRA_RESIDUAL, 0);
      } else if (kind == 1 && longest <= 5) {
        AddRecord(part, PERDIX_INTRA_FILTER, filter);
      } else {
        AddPrediction(part);
      }
    });
    decoded_[kLuma].Mark(luma);
  }

  void AddFromLuma(const Block& luma, const Block& transform) {
    const auto coded = [](int at, int size, int area, int step) {
      const int inside = std::min(size, area - at);
      return static_cast<uint32_t>((inside + step - 1) / step * step / 4);
    };
    const Block chroma = {kChroma, luma.x / 2, luma.y / 2, luma.width_log2 - 1,
                          luma.height_log2 - 1};
    AddRecord(chroma, PERDIX_INTRA_CFL,
              PackCfl(random_.Uniform(-16, 16), random_.Uniform(-16, 16),
                      coded(luma.x, luma.width(), areas_[kLuma].width,
                            transform.width()),
                      coded(luma.y, luma.height(), areas_[kLuma].height,
                            transform.height())));
    decoded_[kChroma].Mark(chroma);
  }

  // An inter block, whose prediction is in place, or an inter-intra block.
  void AddInter(const Block& b, bool blends) {
    const int ratio = b.width_log2 - b.height_log2;
    const bool may_wedge = ratio >= -1 && ratio <= 1;
    blends = blends && (ratio >= -1 && ratio <= 1);
    if (b.plane == kLuma) {
      last_is_blended_ = blends;
      inter_intra_ = PackInterIntra(
          random_.Below(4),
          may_wedge && random_.OneIn(2) ? 1 + random_.Below(16) : 0);
    }
    if (blends) {
      Append(b, PERDIX_INTRA_INTER, inter_intra_, PERDIX_NO_RESIDUAL,
             PERDIX_NO_RESIDUAL);
      AddRecord(b, PERDIX_INTRA_RESIDUAL, 0);
    }
    decoded_[b.plane].Mark(b);
  }

  void AddPrediction(const Block& b) {
    const uint32_t mode = random_.Below(kPaethPred + 1);
    const bool turns = mode >= kVPred && mode <= kD67Pred;
    const DecodedCells& decoded = decoded_[b.plane];
    const int w4 = b.width() / 4;
    const int h4 = b.height() / 4;
    const bool right = decoded.Has(b.x / 4 + w4, b.y / 4 - 1, w4, 1);
    const bool below = decoded.Has(b.x / 4 - 1, b.y / 4 + h4, 1, h4);
    AddRecord(
        b, PERDIX_INTRA_PREDICT,
        PackPredict(mode, turns ? random_.Uniform(-3, 3) : 0, random_.Below(2),
                    right ? static_cast<uint32_t>(w4) : 0,
                    below ? static_cast<uint32_t>(h4) : 0));
  }

  void AddPalette(const Block& b) {
    std::vector<int16_t>& arena = input_.coefficients;
    const auto offset = static_cast<uint32_t>(arena.size());
    const uint32_t colours =
        PERDIX_PALETTE_COLOURS * (b.plane == kLuma ? 1 : 2);
    for (uint32_t i = 0; i < colours; ++i) {
      arena.push_back(
          static_cast<int16_t>(random_.Below(1u << input_.params.bit_depth)));
    }
    // Indices of damaged streams may be anything.
    const int most = random_.OneIn(2) ? 7 : 255;
    for (int i = 0; i < b.width() * b.height() / 2; ++i) {
      arena.push_back(static_cast<int16_t>(random_.Uniform(0, most) |
                                           random_.Uniform(0, most) << 8));
    }
    Append(b, PERDIX_INTRA_PALETTE, 0, offset, PERDIX_NO_RESIDUAL);
  }

  // With a residual by chance.
  void AddRecord(const Block& b, uint32_t kind, uint32_t payload) {
    const auto residual = [&](uint32_t component) {
      return choice_.residual && random_.OneIn(2) ? Residual(b, component)
                                                  : PERDIX_NO_RESIDUAL;
    };
    const uint32_t first = residual(b.plane == kLuma ? 0 : 1);
    const uint32_t second = b.plane == kLuma ? PERDIX_NO_RESIDUAL : residual(2);
    Append(b, kind, payload, first, second);
  }

  void Append(const Block& b, uint32_t kind, uint32_t payload,
              uint32_t residual0, uint32_t residual1) {
    const DecodedCells& decoded = decoded_[b.plane];
    uint32_t have = 0;
    if (decoded.Has(b.x / 4 - 1, b.y / 4, 1, 1) && !random_.OneIn(9)) {
      have |= PERDIX_INTRA_HAVE_LEFT;
    }
    if (decoded.Has(b.x / 4, b.y / 4 - 1, 1, 1) && !random_.OneIn(9)) {
      have |= PERDIX_INTRA_HAVE_ABOVE;
    }
    input_.Of(kIntraBlocks)
        .push_back({b.position(),
                    PackIntraShape(
                        kind, b.plane, static_cast<uint32_t>(b.width_log2),
                        static_cast<uint32_t>(b.height_log2), have, payload),
                    residual0, residual1});
  }

  // A DCT of few coefficients. Returns its index.
  uint32_t Residual(const Block& b, uint32_t component) {
    constexpr size_t kStored = 4 * 4;
    const bool wide = input_.params.bit_depth > 8;
    std::vector<int16_t>& arena = input_.coefficients;
    const size_t at = arena.size();
    arena.resize(at + kStored * (wide ? 2 : 1));
    for (int i = 0; i < 4; ++i) {
      const size_t place = random_.Below(8);
      const int value =
          random_.Uniform(-choice_.magnitude, choice_.magnitude - 1);
      if (wide) {
        arena[at + 2 * place] = static_cast<int16_t>(value & 0xffff);
        arena[at + 2 * place + 1] = static_cast<int16_t>(value >> 16);
      } else {
        arena[at + place] = static_cast<int16_t>(value);
      }
    }
    input_.Of(kIntraTransforms)
        .push_back(
            {b.position(),
             PackTransformShape(component, static_cast<uint32_t>(b.width_log2),
                                static_cast<uint32_t>(b.height_log2), 0, 0, 0),
             static_cast<uint32_t>(at), 16});
    return static_cast<uint32_t>(input_.Of(kIntraTransforms).size() - 1);
  }

  TestRandom& random_;
  const IntraChoice& choice_;
  KernelInput& input_;
  std::array<DecodedArea, kPlaneCount> areas_;
  std::array<DecodedCells, kPlaneCount> decoded_;
  bool last_is_blended_ = false;
  uint32_t inter_intra_ = 0;  // payload
};

}  // namespace

KernelInput RandomIntraInput(TestRandom& random, uint32_t width,
                             uint32_t height, uint32_t bit_depth,
                             const IntraChoice& choice) {
  KernelInput input;
  input.params = TestFrameParams(width, height, bit_depth, 1, 1);
  Params& av1 = input.codec_params.As<Params>();
  av1.mi_cols = DecodedSize(width) / 4;
  av1.mi_rows = DecodedSize(height) / 4;
  av1.upscaled_width = width;
  av1.superres_denom = 8;
  av1.monochrome = choice.gray ? 1 : 0;
  av1.filters_intra_edges = choice.filters_edges ? 1 : 0;
  input.target = GuardedPicture::ForTarget(input.params);
  RandomRecords records(random, choice, &input);
  for (int y = 0; y < static_cast<int>(height); y += kSuperblock) {
    for (int x = 0; x < static_cast<int>(width); x += kSuperblock) {
      records.Split({kLuma, x, y, 6, 6});
    }
  }
  return input;
}

}  // namespace perdix::av1
