// SPDX-License-Identifier: BSD-2-Clause
#include "engine/recipe_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/engine/fake_gpu.h"

namespace perdix {
namespace {

const MachineKey kPi = {"V3D 7.1", "V3DV 25.0", "Cortex-A76"};
const MachineKey kPc = {"GeForce", "NVIDIA 580", "Ryzen"};

Recipe Parsed(const std::string& text) {
  Recipe recipe;
  EXPECT_TRUE(Recipe::Parse(text, &recipe).ok());
  return recipe;
}

class RecipeStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "perdix_recipes_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/recipes";
  }
  void TearDown() override {
    FakeGpu().absent = false;
    std::filesystem::remove_all(folder_);
  }

  // What is stored for the machine; empty: nothing.
  std::string Stored(const MachineKey& machine) const {
    Recipe recipe;
    return LoadRecipe(path_, machine, &recipe).ok() ? recipe.ToString() : "";
  }
  void Write(const std::string& text) const { std::ofstream(path_) << text; }

  std::string folder_;
  std::string path_;
};

TEST_F(RecipeStoreTest, KeepsARecipeForEachMachine) {
  const Recipe vulkan = Parsed("vulkan");
  const Recipe mixed = Parsed("scalar,vp9_loop_filter=vulkan");
  EXPECT_EQ(Stored(kPi), "");
  ASSERT_TRUE(StoreRecipe(path_, kPi, vulkan).ok());
  ASSERT_TRUE(StoreRecipe(path_, kPc, mixed).ok());
  EXPECT_EQ(Stored(kPi), vulkan.ToString());
  EXPECT_EQ(Stored(kPc), mixed.ToString());
}

TEST_F(RecipeStoreTest, TheLastRecipeOfAMachineCounts) {
  ASSERT_TRUE(StoreRecipe(path_, kPi, Parsed("vulkan")).ok());
  ASSERT_TRUE(StoreRecipe(path_, kPi, Parsed("scalar")).ok());
  EXPECT_EQ(Stored(kPi), Parsed("scalar").ToString());
}

TEST_F(RecipeStoreTest, AnotherDriverIsAnotherMachine) {
  ASSERT_TRUE(StoreRecipe(path_, kPi, Parsed("vulkan")).ok());
  MachineKey updated = kPi;
  updated.driver = "V3DV 26.0";
  EXPECT_EQ(Stored(updated), "");
}

TEST_F(RecipeStoreTest, EachAimHasARecipeOfItsOwn) {
  MachineKey to_free_the_cpu = kPi;
  to_free_the_cpu.aim = GpuAim::kCpu;
  ASSERT_TRUE(StoreRecipe(path_, kPi, Parsed("scalar")).ok());
  Recipe recipe;
  const Status status = LoadRecipe(path_, to_free_the_cpu, &recipe);
  EXPECT_NE(status.message().find("for the aim 'cpu'"), std::string::npos);
  ASSERT_TRUE(StoreRecipe(path_, to_free_the_cpu, Parsed("vulkan")).ok());
  EXPECT_EQ(Stored(kPi), Parsed("scalar").ToString());
  EXPECT_EQ(Stored(to_free_the_cpu), Parsed("vulkan").ToString());
}

TEST_F(RecipeStoreTest, TwoEqualGpusAreToldApartByTheirPlace) {
  MachineKey first = kPc;
  MachineKey second = kPc;
  first.gpu_place = "pci-0000:01:00.0";
  second.gpu_place = "pci-0000:41:00.0";
  ASSERT_TRUE(StoreRecipe(path_, first, Parsed("vulkan")).ok());
  EXPECT_EQ(Stored(second), "");
  ASSERT_TRUE(StoreRecipe(path_, second, Parsed("scalar")).ok());
  EXPECT_EQ(Stored(first), Parsed("vulkan").ToString());
  EXPECT_EQ(Stored(second), Parsed("scalar").ToString());
}

TEST_F(RecipeStoreTest, ThisMachineHasThePlaceOfItsGpuNotItsNode) {
  EXPECT_EQ(ThisMachine({}, GpuAim::kSpeed).gpu_place, "pci-0000:01:00.0");
  ASSERT_TRUE(
      StoreRecipe(path_, ThisMachine({}, GpuAim::kSpeed), Parsed("vulkan"))
          .ok());
  std::ifstream file(path_);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text.find("renderD"), std::string::npos) << text;
}

TEST_F(RecipeStoreTest, ADamagedFileIsRefusedAndReplaced) {
  ASSERT_TRUE(StoreRecipe(path_, kPi, Parsed("vulkan")).ok());
  std::ifstream file(path_);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& bad :
       {std::string(), good.substr(0, good.size() / 2), std::string("[1, 2]"),
        std::string("{\"format\": 2, \"recipes\": []}"),
        std::string("{\"format\": 1, \"recipes\": {}}"),
        std::string("\xff\xfe\0", 3)}) {
    Write(bad);
    Recipe recipe = Parsed("scalar");
    const Status status = LoadRecipe(path_, kPi, &recipe);
    EXPECT_FALSE(status.ok()) << bad;
    EXPECT_NE(status.message().find(path_), std::string::npos);
    EXPECT_EQ(recipe.ToString(), Parsed("scalar").ToString());
  }
  ASSERT_TRUE(StoreRecipe(path_, kPc, Parsed("vulkan")).ok());
  EXPECT_EQ(Stored(kPc), Parsed("vulkan").ToString());
}

TEST_F(RecipeStoreTest, ADamagedRecordIsRefused) {
  const std::string machine =
      "{\"gpu\": \"V3D 7.1\", \"driver\": \"V3DV 25.0\", \"cpu\": "
      "\"Cortex-A76\"}";
  for (const std::string& recipe :
       {std::string("7"), std::string("\"no_such_kernel=scalar\""),
        std::string("null")}) {
    Write("{\"format\": 1, \"recipes\": [3, {\"machine\": " + machine +
          ", \"recipe\": " + recipe + "}]}");
    EXPECT_EQ(Stored(kPi), "") << recipe;
  }
}

TEST_F(RecipeStoreTest, LeavesNothingElseBehind) {
  ASSERT_TRUE(StoreRecipe(path_, kPi, Parsed("vulkan")).ok());
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    ++files;
    EXPECT_EQ(entry.path(), path_);
  }
  EXPECT_EQ(files, 1u);
  EXPECT_FALSE(StoreRecipe(folder_ + "/no/such", kPi, Parsed("scalar")).ok());
}

TEST_F(RecipeStoreTest, AutoIsWhatIsStoredForThisMachine) {
  std::string why;
  const std::string fastest = Parsed("auto").ToString();
  EXPECT_EQ(AutoRecipe(path_, {}, GpuAim::kSpeed, &why).ToString(), fastest);
  EXPECT_NE(why.find(path_), std::string::npos);
  const Recipe vulkan = Parsed("vulkan");
  ASSERT_TRUE(StoreRecipe(path_, ThisMachine({}, GpuAim::kSpeed), vulkan).ok());
  EXPECT_EQ(AutoRecipe(path_, {}, GpuAim::kSpeed, &why).ToString(),
            vulkan.ToString());
  EXPECT_EQ(why, "");
  FakeGpu().absent = true;  // another machine
  EXPECT_EQ(AutoRecipe(path_, {}, GpuAim::kSpeed, &why).ToString(), fastest);
  EXPECT_NE(why, "");
}

}  // namespace
}  // namespace perdix
