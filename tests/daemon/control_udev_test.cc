// SPDX-License-Identifier: BSD-2-Clause
// What the daemon does about GPUs that come and go, and what it knows of the
// module's nodes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "daemon/control.h"
#include "engine/recipe_store.h"
#include "tests/daemon/fake_udev.h"
#include "tests/daemon/node_backend.h"
#include "tests/engine/fake_gpu.h"

namespace perdix {
namespace {

constexpr const char* kGpuNode = "/dev/dri/renderD200";  // the fake GPU's

class ControlUdevTest : public testing::Test {
 protected:
  ~ControlUdevTest() override {
    recipes_.reset();  // its thread posts calls
    FakeGpu().absent = false;
    std::filesystem::remove(config_.recipes);
  }

  // source: where the recipe comes from, as D-Bus has it.
  Control& NewControl(const char* source, const std::string& recipe) {
    config_.recipes = testing::TempDir() + "perdix_udev_" +
                      std::to_string(getpid()) + ".recipes";
    EngineOptions options{.threads = 1, .recipe = {}};
    options.wait_for_gpu = true;
    EXPECT_TRUE(Recipe::Parse(recipe, &options.recipe).ok());
    host_.emplace(options);
    recipes_.emplace(config_, host_->engine(), calls_);
    calibration_.emplace(config_, *recipes_, log_, nullptr);
    control_.emplace(Control::Parts{.engine = host_->engine(),
                                    .log = log_,
                                    .statistics = host_->statistics(),
                                    .calibration = *calibration_,
                                    .recipes = *recipes_,
                                    .node = [this] { return &host_->node(); },
                                    .recipe_source = source});
    control_->set_events({.changed = [this](Statistics::Change) { ++changes_; },
                          .watched = nullptr,
                          .calibration_progress = nullptr,
                          .calibration_finished = nullptr});
    return *control_;
  }

  // A node is added; returns what is known when the search for a GPU is over.
  Snapshot Add(const char* path) {
    const int before = changes_;
    control_->GpuNodeAdded(path);
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (changes_ == before && std::chrono::steady_clock::now() < end)
      calls_.Run();
    EXPECT_GT(changes_, before);
    return control_->Look();
  }

  void Store(const std::string& text) {
    Recipe recipe;
    EXPECT_TRUE(Recipe::Parse(text, &recipe).ok());
    EXPECT_TRUE(StoreRecipe(config_.recipes,
                            ThisMachine(config_.engine.gpu, GpuAim::kSpeed),
                            recipe)
                    .ok());
  }

  FakeUdev udev_;
  Log log_{LogSink::kStderr, LOG_EMERG};
  Config config_;
  CallQueue calls_;
  int changes_ = 0;
  std::optional<NodeHost> host_;
  std::optional<RecipeSetter> recipes_;
  std::optional<Calibration> calibration_;
  std::optional<Control> control_;
};

TEST_F(ControlUdevTest, AGpuThatComesIsUsedByTheRecipeThatIsStoredForIt) {
  FakeGpu().absent = true;
  Control& control = NewControl("default", "simd");
  FakeGpu().absent = false;
  Store("vulkan");
  const Snapshot now = Add(kGpuNode);
  EXPECT_STREQ(now.recipe_source, "stored");
  EXPECT_TRUE(now.recipe.Uses(Variant::kVulkan));
  EXPECT_EQ(now.gpu.node.path, kGpuNode);
  EXPECT_STREQ(control.Look().gpu_state, "ready");
}

TEST_F(ControlUdevTest, AGpuThatComesChangesNoRecipeThatSomebodyChose) {
  FakeGpu().absent = true;
  NewControl("set", "simd");
  FakeGpu().absent = false;
  Store("vulkan");
  const Snapshot now = Add(kGpuNode);
  EXPECT_STREQ(now.recipe_source, "set");
  EXPECT_FALSE(now.recipe.Uses(Variant::kVulkan));
  EXPECT_STREQ(now.gpu_state, "none");
}

TEST_F(ControlUdevTest, WithoutAStoredRecipeTheOneInUseStays) {
  FakeGpu().absent = true;
  NewControl("default", "simd");
  FakeGpu().absent = false;
  const Snapshot now = Add(kGpuNode);
  EXPECT_STREQ(now.recipe_source, "default");
  EXPECT_FALSE(now.recipe.Uses(Variant::kVulkan));
}

TEST_F(ControlUdevTest, ANodeThatIsNoGpuForUsChangesNothing) {
  FakeGpu().absent = true;
  NewControl("configured", "vulkan");
  const Snapshot now = Add("/dev/dri/renderD131");
  EXPECT_STREQ(now.recipe_source, "configured");
  EXPECT_STREQ(now.gpu_state, "none");
  EXPECT_TRUE(now.recipe.Uses(Variant::kVulkan)) << "it waits for one";
}

TEST_F(ControlUdevTest, AGpuIsLostOnceWithItsNode) {
  Control& control = NewControl("configured", "vulkan");
  EXPECT_STREQ(control.Look().gpu_state, "ready");
  control.GpuNodeRemoved(kGpuNode);
  control.GpuNodeRemoved(kGpuNode);
  EXPECT_EQ(changes_, 1);
  const Snapshot now = control.Look();
  EXPECT_STREQ(now.gpu_state, "lost");
  EXPECT_EQ(now.gpu.name, "fake");
  EXPECT_EQ(now.gpu.node.path, "");
  control.GpuNodeAdded(kGpuNode);
  EXPECT_STREQ(control.Look().gpu_state, "lost") << "until a new start";
}

TEST_F(ControlUdevTest, WithoutAGpuNoNodeIsMissed) {
  Control& control = NewControl("configured", "simd");
  control.GpuNodeRemoved(kGpuNode);
  EXPECT_EQ(changes_, 0);
}

TEST_F(ControlUdevTest, AnotherGpuBesideTheOneInUseIsLeftAlone) {
  Control& control = NewControl("configured", "vulkan");
  control.GpuNodeAdded("/dev/dri/renderD201");
  control.GpuNodeRemoved("/dev/dri/renderD201");
  EXPECT_EQ(changes_, 0);
  EXPECT_STREQ(control.Look().gpu_state, "ready");
}

TEST_F(ControlUdevTest, NamesTheModulesNodes) {
  udev_.found = {{"video4linux", {"/sys/video7"}}, {"media", {"/sys/media3"}}};
  udev_.devices = {{"/sys/video7", {"/dev/video7", nullptr}},
                   {"/sys/media3", {"/dev/media3", nullptr}}};
  const Snapshot now = NewControl("configured", "simd").Look();
  EXPECT_EQ(now.video_node, "/dev/video7");
  EXPECT_EQ(now.media_node, "/dev/media3");
}

TEST_F(ControlUdevTest, ANodeThatIsNotThereYetHasNoName) {
  udev_.found = {{"video4linux", {"/sys/video7"}}, {"media", {"/sys/media3"}}};
  udev_.devices = {{"/sys/video7", {nullptr, nullptr}}};
  const Snapshot now = NewControl("configured", "simd").Look();
  EXPECT_EQ(now.video_node + now.media_node, "");
}

TEST_F(ControlUdevTest, WithoutUdevNodesHaveNoNames) {
  udev_.has_context = false;
  const Snapshot now = NewControl("configured", "simd").Look();
  EXPECT_TRUE(now.connected);
  EXPECT_EQ(now.video_node + now.media_node, "");
}

}  // namespace
}  // namespace perdix
