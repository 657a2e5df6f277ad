// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/work.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace perdix::gpu {
namespace {

struct TwoWords {
  uint32_t first;
  uint32_t second;
};

// A letter for each command.
std::string CommandsOf(const Work& work) {
  std::string letters;
  for (const Command& command : work.commands()) {
    letters += std::holds_alternative<Barrier>(command)    ? 'b'
               : std::holds_alternative<Dispatch>(command) ? 'd'
                                                           : 'e';
  }
  return letters;
}

class WorkTest : public testing::Test {
 protected:
  WorkTest() { work_.Clear(); }
  void AddDispatch(uint32_t first = 0) {
    work_.AddDispatch({.groups_x = 1}, TwoWords{first, 7});
  }
  // All that is staged for the binding.
  std::vector<uint8_t> Section(uint32_t binding) const {
    std::vector<uint8_t> bytes(work_.staged_bytes(binding));
    for (const Work::Part& part : work_.parts()) {
      if (part.binding == binding) part.write(bytes.data() + part.offset);
    }
    return bytes;
  }

  Work work_;
};

TEST_F(WorkTest, BeginsWithABarrierForEarlierSubmits) {
  EXPECT_EQ(CommandsOf(work_), "b");
  EXPECT_EQ(work_.barriers(), 1u);
}

TEST_F(WorkTest, LeavesRoomForAddresses) {
  work_.StageValue(PERDIX_BINDING_RECORDS, uint32_t{1});
  work_.StageValue(PERDIX_BINDING_RECORDS, uint32_t{2});
  EXPECT_EQ(
      work_.StageAddress(PERDIX_BINDING_RECORDS, PictureId::kPrevious, 256),
      8u);
  EXPECT_EQ(work_.StageValue(PERDIX_BINDING_RECORDS, uint32_t{3}), 16u);
  ASSERT_EQ(work_.addresses().size(), 1u);
  const Work::Address& address = work_.addresses()[0];
  EXPECT_EQ(address.binding, uint32_t{PERDIX_BINDING_RECORDS});
  EXPECT_EQ(address.offset, 8u);
  EXPECT_EQ(address.picture, PictureId::kPrevious);
  EXPECT_EQ(address.at, 256u);
  work_.Clear();
  EXPECT_TRUE(work_.addresses().empty());
}

TEST_F(WorkTest, HasABarrierOnlyBehindDispatches) {
  work_.AddBarrier();
  AddDispatch();
  AddDispatch();
  work_.AddBarrier();
  work_.AddBarrier();
  work_.EndStage({2, 2});
  AddDispatch();
  EXPECT_EQ(CommandsOf(work_), "bddbed");
  EXPECT_EQ(work_.barriers(), 2u);
}

TEST_F(WorkTest, KeepsTheConstantsOfEachDispatch) {
  AddDispatch(3);
  AddDispatch(4);
  std::vector<uint32_t> firsts;
  for (const Command& command : work_.commands()) {
    if (const auto* const dispatch = std::get_if<Dispatch>(&command)) {
      const auto words = work_.ConstantsOf(*dispatch);
      ASSERT_EQ(words.size(), 2u);
      EXPECT_EQ(words[1], 7u);
      firsts.push_back(words[0]);
    }
  }
  EXPECT_EQ(firsts, (std::vector<uint32_t>{3, 4}));
}

TEST_F(WorkTest, PutsThePartsOfASectionBehindEachOther) {
  constexpr uint32_t kBinding = PERDIX_BINDING_RECORDS;
  const std::vector<uint8_t> items = {1, 2, 3};
  EXPECT_FALSE(work_.IsStaged(kBinding));
  EXPECT_EQ(work_.StageItems(kBinding, std::span(items)), 0u);
  EXPECT_EQ(work_.StageItems(kBinding, std::span(items).first(0)), 3u);
  EXPECT_EQ(work_.StageValue(kBinding, uint8_t{9}), 3u);
  EXPECT_TRUE(work_.IsStaged(kBinding));
  EXPECT_FALSE(work_.IsStaged(PERDIX_BINDING_COEFFICIENTS));
  EXPECT_EQ(Section(kBinding), (std::vector<uint8_t>{1, 2, 3, 9}));
}

// Shaders count records of 8 bytes from the section's begin, for one.
TEST_F(WorkTest, APartBeginsWhereItsRecordsAreCounted) {
  constexpr uint32_t kBinding = PERDIX_BINDING_RECORDS;
  const std::vector<uint32_t> words = {1, 2, 3};
  const std::vector<std::array<uint32_t, 2>> pairs = {{4, 5}};
  EXPECT_EQ(work_.StageItems(kBinding, std::span(words)), 0u);
  EXPECT_EQ(work_.StageItems(kBinding, std::span(pairs)), 16u);
  EXPECT_EQ(work_.Stage(kBinding, 48, 48, [](uint8_t*) {}), 48u);
  EXPECT_EQ(work_.staged_bytes(kBinding), 96u);
}

TEST_F(WorkTest, HasATableOnce) {
  std::array<std::byte, 5> bytes;
  bytes.fill(std::byte{7});
  FrameTables tables;
  tables.bytes[2] = bytes;
  tables.bytes[3] = std::span(bytes).first(2);
  EXPECT_EQ(work_.StageTable(tables, 2), 0u);
  EXPECT_EQ(work_.MakeTable(tables, 3), 16u);
  EXPECT_EQ(work_.StageTable(tables, 2), 0u);
  EXPECT_EQ(work_.StageTable(tables, 3), 16u);
  std::vector<uint8_t> section(18);
  std::fill_n(section.begin(), 5, uint8_t{7});
  EXPECT_EQ(Section(PERDIX_BINDING_FRAME_TABLES), section);
  work_.Clear();
  EXPECT_EQ(work_.StageTable(tables, 3), 0u);
}

TEST_F(WorkTest, NeedsTheMostOfAllThatIsAskedFor) {
  work_.NeedScratch(100);
  work_.NeedScratch(30);
  work_.NeedPartials(2);
  work_.NeedPartials(5);
  EXPECT_EQ(work_.scratch_bytes(), 100u);
  EXPECT_EQ(work_.partials(), 5u);
}

TEST_F(WorkTest, PartsOfADispatchCountTheRecordsOfThoseBefore) {
  Dispatch dispatch = {.groups_x = 7, .records = 4};
  const uint32_t constants[] = {100, 7};
  struct Part {
    uint32_t groups, first, second;
    bool operator==(const Part&) const = default;
  };
  const auto parts = [&](uint32_t most) {
    std::vector<Part> found;
    ForEachPart(dispatch, constants, most,
                [&](uint32_t groups, std::span<const uint32_t> words) {
                  found.push_back({groups, words[0], words[1]});
                });
    return found;
  };
  EXPECT_EQ(parts(3),
            (std::vector<Part>{{3, 100, 7}, {3, 112, 7}, {1, 124, 7}}));
  EXPECT_EQ(parts(7), (std::vector<Part>{{7, 100, 7}}));
  dispatch.records = 0;
  EXPECT_EQ(parts(3), (std::vector<Part>{{7, 100, 7}}));
}

TEST_F(WorkTest, ForgetsTheFrameBefore) {
  AddDispatch();
  work_.EndStage({1, 1});
  work_.StageValue(PERDIX_BINDING_FRAME, uint32_t{1});
  work_.NeedScratch(8);
  work_.NeedPartials(8);
  work_.Clear();
  EXPECT_EQ(CommandsOf(work_), "b");
  EXPECT_TRUE(work_.parts().empty());
  EXPECT_EQ(work_.staged_bytes(PERDIX_BINDING_FRAME), 0u);
  EXPECT_EQ(work_.scratch_bytes(), 0u);
  EXPECT_EQ(work_.partials(), 0u);
}

}  // namespace
}  // namespace perdix::gpu
