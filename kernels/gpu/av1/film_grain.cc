// SPDX-License-Identifier: BSD-2-Clause
// AV1's film grain synthesis on the GPU, in one step: the target with noise
// becomes the display. The CPU draws the random numbers of all blocks, because
// each follows from the one before.
#include "kernels/av1/grain/film_grain.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/grain/film_grain_walk.h"
#include "kernels/gpu/av1/kernels.h"
#include "kernels/shared/av1/film_grain_dispatch.h"

namespace perdix::av1 {
namespace {

using Tables = FilmGrainTables;
static_assert(Tables::kRows == PERDIX_LUMA_GRAIN_ROWS &&
              Tables::kColumns == PERDIX_LUMA_GRAIN_COLUMNS);

constexpr uint32_t kItemSamples = 4;

gpu::Program ProgramFor(const gpu::DeviceTraits& traits, uint32_t bit_depth,
                        uint32_t plane) {
  const uint32_t lanes =
      gpu::HasLargeSubgroups(traits) ? 64 : gpu::kLanesOfOneWorkgroup;
  return {bit_depth > 8 ? "av1/film_grain_10" : "av1/film_grain",
          {plane, 0, lanes},
          lanes};
}

uint32_t Parts(uint32_t whole, uint32_t part) {
  return (whole + part - 1) / part;
}

uint32_t PairOf(int low, int high) {
  return (static_cast<uint32_t>(low) & 0xffff) |
         (static_cast<uint32_t>(high) << 16);
}

// How a component gets noise. component: 0 Y, 1 U, 2 V.
GrainComponent ComponentOf(const Tables& tables, uint32_t bit_depth,
                           uint32_t component) {
  if (!tables.applies[component]) {
    return {0, 0, static_cast<float>((1 << bit_depth) - 1), 0, 0, 0};
  }
  GrainComponent made = {};
  made.factor = std::ldexp(1.0f, -tables.scaling_shift);
  made.lowest = static_cast<float>(tables.min_value);
  made.highest = static_cast<float>(tables.max_value[component]);
  if (component == 0) return made;
  made.luma_mult = static_cast<float>(tables.luma_mult[component - 1]);
  made.mult = static_cast<float>(tables.mult[component - 1]);
  made.offset = static_cast<float>(tables.offset[component - 1]);
  return made;
}

class FilmGrainWork final : public gpu::KernelWork {
 public:
  explicit FilmGrainWork(const gpu::DeviceTraits& traits) : traits_(traits) {}

  Status Build(const gpu::FrameInput& input, gpu::Work* work) override {
    const std::span<const uint8_t> table = input.tables.Of(kFilmGrain);
    if (table.size() != sizeof(Tables)) {
      return {StatusCode::kInvalidArgument,
              "film grain's table in bytes: got " +
                  std::to_string(table.size()) + ", needed " +
                  std::to_string(sizeof(Tables))};
    }
    const Tables& tables = *reinterpret_cast<const Tables*>(table.data());
    SetNumbers(input.display.view, tables);
    SetTables(tables, input.params->bit_depth);
    const Staged staged = {
        WordOf(work->StageItems(PERDIX_BINDING_RECORDS, AsSpan(numbers_))),
        WordOf(work->StageItems(PERDIX_BINDING_FRAME_TABLES, AsSpan(tables_)))};
    work->AddBarrier();
    for (uint32_t plane = 0; plane < PlaneCount(input.codec->As<Params>());
         ++plane) {
      AddPlane(input, tables, plane, staged, work);
    }
    return Status::Ok();
  }

 private:
  // Words, where they begin.
  struct Staged {
    uint32_t records;
    uint32_t tables;
  };
  static uint32_t WordOf(size_t bytes) {
    return static_cast<uint32_t>(bytes / sizeof(uint32_t));
  }
  static std::span<const uint32_t> AsSpan(const std::vector<uint32_t>& words) {
    return words;
  }

  // The random numbers of all blocks.
  void SetNumbers(const PictureView& display, const Tables& tables) {
    numbers_.clear();
    const uint32_t columns = Parts(display.width, kGrainBlock);
    const uint32_t rows = Parts(display.height, kGrainBlock);
    for (uint32_t row = 0; row < rows; ++row) {
      GrainRandom random = StripeRandom(tables, row);
      GrainRandom random_above = StripeRandom(tables, row - 1);
      BlockNumbers numbers = {};
      for (uint32_t column = 0; column < columns; ++column) {
        numbers = {random.Next(8), numbers.here, random_above.Next(8),
                   numbers.above};
        numbers_.push_back(PackGrainNumbers(numbers.here, numbers.left,
                                            numbers.above, numbers.above_left));
      }
    }
  }

  // Luma's grain, chroma's, and the scaling functions.
  void SetTables(const Tables& tables, uint32_t bit_depth) {
    tables_.clear();
    const int16_t* const luma = tables.grain[0][0];
    constexpr size_t kSamples = size_t{Tables::kRows} * Tables::kColumns;
    static_assert(kSamples % 2 == 0);
    tables_.push_back(PairOf(0, luma[0]));
    for (size_t i = 1; i + 1 < kSamples; i += 2) {
      tables_.push_back(PairOf(luma[i], luma[i + 1]));
    }
    tables_.push_back(PairOf(luma[kSamples - 1], 0));
    chroma_at_ = static_cast<uint32_t>(tables_.size());
    for (size_t y = 0; y < PERDIX_CHROMA_GRAIN_ROWS; ++y) {
      for (size_t x = 0; x < PERDIX_CHROMA_GRAIN_COLUMNS; ++x) {
        tables_.push_back(PairOf(tables.grain[1][y][x], tables.grain[2][y][x]));
      }
    }
    scaling_at_ = static_cast<uint32_t>(tables_.size());
    scaling_words_ = (1u << bit_depth) / sizeof(uint32_t);
    tables_.resize(tables_.size() + 3 * scaling_words_);
    for (uint32_t i = 0; i < 3; ++i) {
      std::memcpy(tables_.data() + scaling_at_ + i * scaling_words_,
                  tables.scaling[i], scaling_words_ * sizeof(uint32_t));
    }
  }

  void AddPlane(const gpu::FrameInput& input, const Tables& tables,
                uint32_t plane, const Staged& staged, gpu::Work* work) const {
    const gpu::Program program =
        ProgramFor(traits_, input.params->bit_depth, plane);
    FilmGrainConstants constants = ConstantsOf(input, tables, plane);
    constants.records = staged.records;
    constants.grain = staged.tables + (plane == kLuma ? 0 : chroma_at_);
    constants.scaling =
        staged.tables + scaling_at_ + (plane == kLuma ? 0 : scaling_words_);
    work->AddDispatch({.program = program,
                       .bindings = {.target = gpu::PictureId::kDisplay,
                                    .reference = gpu::PictureId::kTarget},
                       .groups_x = Parts(constants.samples,
                                         kItemSamples * PERDIX_GRAIN_COLUMNS),
                       .groups_y = Parts(constants.lines,
                                         program.lanes / PERDIX_GRAIN_COLUMNS)},
                      constants);
  }

  // All but what is staged.
  static FilmGrainConstants ConstantsOf(const gpu::FrameInput& input,
                                        const Tables& tables, uint32_t plane) {
    const PlaneOffsets& from = input.target.offsets;
    const PlaneOffsets& to = input.display.offsets;
    const PictureView& view = input.display.view;
    const bool luma = plane == kLuma;
    FilmGrainConstants constants;
    constants.from = (luma ? from.luma_offset : from.chroma_offset) / 4;
    constants.from_stride = (luma ? from.luma_stride : from.chroma_stride) / 4;
    constants.to = (luma ? to.luma_offset : to.chroma_offset) / 4;
    constants.to_stride = (luma ? to.luma_stride : to.chroma_stride) / 4;
    constants.luma = from.luma_offset / 4;
    constants.luma_stride = from.luma_stride / 4;
    constants.luma_width = view.width;
    constants.samples = luma ? view.width : 2 * Parts(view.width, 2);
    constants.lines = luma ? view.height : Parts(view.height, 2);
    constants.blocks = Parts(view.width, kGrainBlock);
    constants.overlap = tables.overlap;
    constants.shift = view.shift;
    constants.grain_min = static_cast<float>(tables.grain_min);
    constants.grain_max = static_cast<float>(tables.grain_max);
    for (uint32_t i = 0; i < 2; ++i) {
      constants.components[i] =
          ComponentOf(tables, input.params->bit_depth, luma ? 0 : 1 + i);
    }
    return constants;
  }

  const gpu::DeviceTraits traits_;
  // Kept from frame to frame: PackGrainNumbers, and what film_grain_dispatch.h
  // has of tables.
  std::vector<uint32_t> numbers_;
  std::vector<uint32_t> tables_;
  // Words of tables_.
  uint32_t chroma_at_ = 0;
  uint32_t scaling_at_ = 0;
  uint32_t scaling_words_ = 0;  // of a component
};

}  // namespace

std::vector<gpu::Program> FilmGrainPrograms(const gpu::DeviceTraits& traits,
                                            uint32_t bit_depth) {
  return {ProgramFor(traits, bit_depth, kLuma),
          ProgramFor(traits, bit_depth, kChroma)};
}

std::unique_ptr<gpu::KernelWork> MakeFilmGrain(
    const gpu::DeviceTraits& traits) {
  return std::make_unique<FilmGrainWork>(traits);
}

}  // namespace perdix::av1
