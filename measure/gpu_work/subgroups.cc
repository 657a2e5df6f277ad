// SPDX-License-Identifier: BSD-2-Clause
#include "measure/gpu_work/subgroups.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

#include "kernels/shared/av1/dispatch.h"
#include "kernels/shared/av1/inter_dispatch.h"
#include "kernels/shared/av1/intra_dispatch.h"
#include "kernels/shared/av1/residual_dispatch.h"
#include "kernels/shared/av1/work_lists.h"

namespace perdix::measure {
namespace {

constexpr uint32_t kSubgroup = 16;  // lanes

// One dispatch, and the records of its frame.
class Counter {
 public:
  Counter(const gpu::Work& work, const gpu::Dispatch& dispatch,
          const std::vector<uint8_t>& records)
      : constants_(work.ConstantsOf(dispatch)),
        dispatch_(dispatch),
        records_(records) {}

  // Lines of a unit. record_bytes: of a unit; shape: word of its shape.
  SubgroupCounts Units(size_t record_bytes, size_t shape) const {
    const auto constants = Constants<av1::PredictConstants>();
    const size_t begin = size_t{constants.records} * 16;
    return Longest(
        constants.first, constants.end, kSubgroup / PERDIX_PREDICT_UNIT_WORDS,
        [&](uint32_t unit) {
          return av1::UnitLines(Word(begin + unit * record_bytes, shape));
        });
  }

  // Lines of a cell. words: of a record.
  SubgroupCounts Cells(size_t words) const {
    const auto constants = Constants<av1::RestorationConstants>();
    const uint32_t cell_lanes =
        PERDIX_RESTORATION_CELL / 4 >> dispatch_.program.constants[0];
    const uint32_t cell = 4 * cell_lanes;  // pixels
    const uint32_t last = (constants.width - 1) / cell;
    const auto at = [&](uint32_t record) {
      return 4 * (constants.records + record * words);
    };
    return Each(constants.first, constants.end, kSubgroup / cell_lanes,
                [&](uint32_t first, uint32_t end) {
                  uint32_t lines = 0;
                  bool border = false;
                  for (uint32_t record = first; record < end; ++record) {
                    const uint32_t column =
                        av1::RestorationColumn(Word(at(record), 0));
                    border |= column == 0 || column == last;
                    lines = std::max(
                        lines, av1::RestorationLineCount(Word(at(record), 1)));
                  }
                  return std::to_string(lines) + (border ? " border" : "");
                });
  }

  // Fours of rows of a block that has only the DC.
  SubgroupCounts DcRows() const {
    const auto constants = Constants<av1::ResidualConstants>();
    const uint32_t end =
        constants.first + dispatch_.groups_x * dispatch_.records;
    return Longest(constants.first, end, kSubgroup, [&](uint32_t number) {
      const uint32_t item = Word(size_t{number} * 4, 0);
      const size_t block =
          size_t{constants.blocks + av1::ResidualItemBlock(item)} *
          sizeof(av1::ResidualBlock);
      const uint32_t rows = 1u << av1::TransformHeightLog2(Word(block, 1));
      return std::min<uint32_t>(rows, PERDIX_RESIDUAL_DC_ROWS) / 4;
    });
  }

  SubgroupCounts IntraBlocks() const {
    const auto constants = Constants<av1::IntraConstants>();
    const uint32_t program =
        dispatch_.program.constants[0] % PERDIX_INTRA_CHROMA;
    return Each(
        constants.first, constants.end, 1, [&](uint32_t first, uint32_t) {
          return IntraBlock(program, size_t{first} * sizeof(av1::IntraItem));
        });
  }

 private:
  template <typename T>
  T Constants() const {
    T constants;
    std::memcpy(&constants, constants_.data(), sizeof(constants));
    return constants;
  }

  // at: byte of the records.
  uint32_t Word(size_t at, size_t word) const {
    uint32_t value = 0;
    at += word * sizeof(value);
    if (at + sizeof(value) <= records_.size()) {
      std::memcpy(&value, records_.data() + at, sizeof(value));
    }
    return value;
  }

  // what(first, end) says what the subgroup with these records does. Those that
  // fill up the last workgroup are "none".
  template <typename What>
  SubgroupCounts Each(uint32_t first, uint32_t end, uint32_t records,
                      const What& what) const {
    SubgroupCounts counts;
    uint64_t number = 0;
    for (uint32_t record = first; record < end; record += records) {
      ++counts[what(record, std::min(record + records, end))];
      ++number;
    }
    const uint64_t all =
        uint64_t{dispatch_.groups_x} * dispatch_.program.lanes / kSubgroup;
    if (all > number) counts["none"] = all - number;
    return counts;
  }

  // By the most of a subgroup's records.
  SubgroupCounts Longest(
      uint32_t first, uint32_t end, uint32_t records,
      const std::function<uint32_t(uint32_t record)>& length) const {
    return Each(first, end, records, [&](uint32_t begin, uint32_t last) {
      uint32_t most = 0;
      for (uint32_t i = begin; i < last; ++i) most = std::max(most, length(i));
      return std::to_string(most);
    });
  }

  // at: byte of the item.
  std::string IntraBlock(uint32_t program, size_t at) const {
    const uint32_t shape = Word(at, 1);
    const uint32_t detail = Word(at, 2);
    std::string text = std::to_string(1u << av1::IntraWidthLog2(shape)) + "x" +
                       std::to_string(1u << av1::IntraHeightLog2(shape));
    if (program == PERDIX_INTRA_PROGRAM_PLAIN) {
      static constexpr std::string_view kModes[] = {
          "dc",          "v",           "h",           "directional",
          "directional", "directional", "directional", "directional",
          "directional", "smooth",      "smooth",      "smooth",
          "paeth"};
      const uint32_t mode = av1::IntraPlainMode(detail);
      text += std::string(" ") + std::string(kModes[std::min(mode, 12u)]);
      if (av1::IntraKind(shape) == PERDIX_INTRA_INTER) text += " blended";
    } else if (program == PERDIX_INTRA_PROGRAM_DIRECTIONAL &&
               (av1::DirectionUpsamples(detail, 0) |
                av1::DirectionUpsamples(detail, 1)) != 0) {
      text += " upsampled";
    }
    const bool has_residual =
        (Word(at, 3) &
         (PERDIX_INTRA_ITEM_RESIDUAL0 | PERDIX_INTRA_ITEM_RESIDUAL1)) != 0;
    return text + (has_residual ? " residual" : "");
  }

  const std::span<const uint32_t> constants_;
  const gpu::Dispatch& dispatch_;
  const std::vector<uint8_t>& records_;
};

SubgroupCounts CountAv1(const Counter& counter, std::string_view program,
                        const gpu::Program& of) {
  if (program.starts_with("inter_blend")) {
    return counter.Units(sizeof(av1::BlendUnit), 1);
  }
  if (program.starts_with("inter_")) {
    const bool warped = of.constants[1] == PERDIX_PREDICT_WARP;
    return counter.Units(
        warped ? sizeof(av1::WarpUnit) : sizeof(av1::PredictUnit), 3);
  }
  if (program.starts_with("wiener") || program.starts_with("self_guided")) {
    return counter.Cells(sizeof(av1::RestorationItem) / 4);
  }
  if (program.starts_with("restoration_copy")) {
    return counter.Cells(sizeof(av1::RestorationCopy) / 4);
  }
  if (program.starts_with("residual_dc")) return counter.DcRows();
  if (program.starts_with("intra_pred")) return counter.IntraBlocks();
  return {};
}

}  // namespace

Records::Records(const gpu::Work& work)
    : work_(work), bytes_(work.staged_bytes(PERDIX_BINDING_RECORDS)) {
  for (const gpu::Work::Part& part : work.parts()) {
    if (part.binding != PERDIX_BINDING_RECORDS) continue;
    part.write(bytes_.data() + part.offset);
  }
}

SubgroupCounts Records::CountSubgroups(const gpu::Dispatch& dispatch) const {
  constexpr std::string_view kAv1 = "av1/";
  std::string_view program = dispatch.program.shader;
  if (!program.starts_with(kAv1)) return {};
  program.remove_prefix(kAv1.size());
  return CountAv1(Counter(work_, dispatch, bytes_), program, dispatch.program);
}

}  // namespace perdix::measure
