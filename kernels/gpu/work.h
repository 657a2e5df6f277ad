// SPDX-License-Identifier: BSD-2-Clause
// The GPU's work on a frame, as data: what shaders read, how much scratch
// memory they need, and the dispatches with the barriers between them. Kernels
// of kernels/gpu write it; kernels/vulkan executes it; a model of a GPU and
// tests read it. No Vulkan here.
#ifndef PERDIX_KERNELS_GPU_WORK_H_
#define PERDIX_KERNELS_GPU_WORK_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "kernels/gpu/frame_input.h"
#include "kernels/gpu/program.h"
#include "kernels/shared/dispatch.h"

namespace perdix::gpu {

// What is bound for a dispatch besides the staged sections and the scratch
// memory.
struct Bindings {
  PictureId target = PictureId::kTarget;     // PERDIX_BINDING_TARGET
  PictureId reference = PictureId::kTarget;  // PERDIX_BINDING_REFERENCE
  // PERDIX_BINDING_PARTIALS and RESULTS in place of scratch and frame tables.
  bool metrics = false;
  // Which buffers of its own work on quality has (QualityBuffers); else 0.
  uint8_t quality = 0;

  bool operator==(const Bindings&) const = default;
};

// What comes behind it sees all that was written before.
struct Barrier {};

// Workgroups of a program.
struct Dispatch {
  Program program = {};
  Bindings bindings = {};
  uint32_t groups_x = 0;
  uint32_t groups_y = 1;
  // Each workgroup in x takes as many records, and the constants begin with
  // <uint first>, the first record: so a dispatch of more workgroups than a
  // device takes at once can be split. 0: it is never split.
  uint32_t records = 0;
  // Push constants, in Work::constants(); set by Work.
  uint32_t constants_at = 0;  // words
  uint32_t constants_bytes = 0;
};

// What was recorded since the last one is a stage of the frame.
struct EndOfStage {
  // Barriers of the stage itself, without those of its checksum: how often it
  // waits. What that costs is the least that the stage can take.
  uint32_t steps = 0;
  uint32_t dispatches = 0;  // of the stage itself
};

// Calls visit(groups, constants) for each part of a dispatch of which at most
// <most> workgroups in x may run at once; constants: its own, of which <first>
// counts the records of the parts before.
template <typename Visit>
void ForEachPart(const Dispatch& dispatch, std::span<const uint32_t> constants,
                 uint32_t most, const Visit& visit) {
  std::array<uint32_t, PERDIX_PUSH_CONSTANT_BYTES / sizeof(uint32_t)> words;
  std::copy(constants.begin(), constants.end(), words.begin());
  if (dispatch.records == 0) most = dispatch.groups_x;
  for (uint32_t rest = dispatch.groups_x; rest > 0;) {
    const uint32_t groups = std::min(rest, most);
    visit(groups, std::span<const uint32_t>(words).first(constants.size()));
    words[0] += groups * dispatch.records;
    rest -= groups;
  }
}

using Command = std::variant<Barrier, Dispatch, EndOfStage>;

// Reused from frame to frame: keeps its memory.
class Work {
 public:
  // Writes a part of a section, each byte once and in order: the memory may be
  // uncached.
  using Writer = std::function<void(uint8_t* at)>;
  struct Part {
    uint32_t binding;
    size_t offset;  // bytes, in the section of the binding
    size_t bytes;
    Writer write;
  };
  // Eight bytes of a section: where shaders find a byte of a picture's memory.
  // Whoever executes the work knows.
  struct Address {
    uint32_t binding;
    size_t offset;  // bytes, in the section of the binding
    PictureId picture;
    uint32_t at;  // bytes, in the picture's memory
  };

  // Nothing but a barrier: the frame waits for what was submitted before.
  void Clear();

  // ---- written by kernels ----

  // Appends a part to the binding's section and returns its offset, in bytes: a
  // multiple of <alignment>, as shaders count in records of the part. What
  // <write> reads must stay until the work is executed.
  size_t Stage(uint32_t binding, size_t bytes, size_t alignment, Writer write);
  // Appends one value, which is copied, where the value before ends.
  template <typename Value>
  size_t StageValue(uint32_t binding, const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    return Stage(binding, sizeof(value), alignof(Value), [value](uint8_t* at) {
      std::memcpy(at, &value, sizeof(value));
    });
  }
  // Appends items, which are read when the work is executed.
  template <typename Item>
  size_t StageItems(uint32_t binding, std::span<const Item> items) {
    return Stage(binding, items.size_bytes(), sizeof(Item),
                 [items](uint8_t* at) {
                   std::memcpy(at, items.data(), items.size_bytes());
                 });
  }
  // Appends an Address: for kernels that say so (GpuKernel::needs_addresses).
  // The picture has memory.
  size_t StageAddress(uint32_t binding, PictureId picture, uint32_t at);
  bool IsStaged(uint32_t binding) const { return staged_[binding] != 0; }

  // Where a table of the frame begins in PERDIX_BINDING_FRAME_TABLES, in bytes,
  // a multiple of kTableAlignment: staged as the CPU has written it, unless it
  // is there.
  static constexpr size_t kTableAlignment = 16;  // a shader's uvec4
  size_t StageTable(const FrameTables& tables, uint32_t table);
  // Room for it instead, which dispatches fill: those behind read that. Before
  // any kernel reads the table.
  size_t MakeTable(const FrameTables& tables, uint32_t table);

  // PERDIX_BINDING_SCRATCH holds at least as many bytes,
  // PERDIX_BINDING_PARTIALS as many sums.
  void NeedScratch(size_t bytes);
  void NeedPartials(uint32_t sums);

  // None, if nothing was dispatched since the last one.
  void AddBarrier();
  template <typename Constants>
  void AddDispatch(Dispatch dispatch, const Constants& constants) {
    static_assert(sizeof(Constants) % sizeof(uint32_t) == 0 &&
                  sizeof(Constants) <= PERDIX_PUSH_CONSTANT_BYTES);
    std::array<uint32_t, sizeof(Constants) / sizeof(uint32_t)> words;
    std::memcpy(words.data(), &constants, sizeof(constants));
    Append(dispatch, words);
  }
  void EndStage(const EndOfStage& stage);

  // ---- read by who executes it ----

  std::span<const Part> parts() const { return parts_; }
  std::span<const Address> addresses() const { return addresses_; }
  size_t staged_bytes(uint32_t binding) const { return staged_[binding]; }
  size_t scratch_bytes() const { return scratch_bytes_; }
  uint32_t partials() const { return partials_; }
  std::span<const Command> commands() const { return commands_; }
  std::span<const uint32_t> ConstantsOf(const Dispatch& dispatch) const {
    return std::span(constants_)
        .subspan(dispatch.constants_at,
                 dispatch.constants_bytes / sizeof(uint32_t));
  }
  uint32_t barriers() const { return barriers_; }      // so far
  uint32_t dispatches() const { return dispatches_; }  // so far

 private:
  void Append(Dispatch dispatch, std::span<const uint32_t> constants);

  std::vector<Part> parts_;
  std::vector<Address> addresses_;
  std::array<size_t, PERDIX_BINDING_COUNT> staged_ = {};  // bytes
  std::array<std::optional<size_t>, kMaxTables> tables_;  // where they begin
  size_t scratch_bytes_ = 0;
  uint32_t partials_ = 0;
  std::vector<Command> commands_;
  std::vector<uint32_t> constants_;
  bool dispatched_ = false;  // since the last barrier
  uint32_t barriers_ = 0;
  uint32_t dispatches_ = 0;
};

}  // namespace perdix::gpu

#endif  // PERDIX_KERNELS_GPU_WORK_H_
