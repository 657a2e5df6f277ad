// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/recipe_setter.h"

#include <utility>

#include "engine/recipe_store.h"

namespace perdix {

RecipeSetter::RecipeSetter(const Config& config, Engine& engine,
                           CallQueue& loop)
    : store_(config.recipes),
      gpu_(config.engine.gpu),
      aim_(config.gpu_aim),
      engine_(engine),
      loop_(loop) {}

void RecipeSetter::Set(const std::string& text, Done done) {
  Start([this, text](Recipe* recipe) { return Parse(text, recipe); },
        std::move(done));
}

void RecipeSetter::SetStored(Done done) {
  Start(
      [this](Recipe* recipe) {
        return LoadRecipe(store_, ThisMachine(gpu_, aim_), recipe);
      },
      std::move(done));
}

void RecipeSetter::LookForGpu(bool may_load, Done done) {
  Start(
      [this, may_load](Recipe* recipe) {
        const bool loaded =
            may_load &&
            LoadRecipe(store_, ThisMachine(gpu_, aim_), recipe).ok();
        if (!loaded) *recipe = engine_.recipe();
        return Status::Ok();
      },
      std::move(done));
}

void RecipeSetter::Start(Choose choose, Done done) {
  thread_ =
      std::jthread([this, choose = std::move(choose), done = std::move(done),
                    before = std::move(thread_)]() mutable {
        if (before.joinable()) before.join();
        Recipe recipe;
        Status status = choose(&recipe);
        if (status.ok()) status = Use(recipe);
        loop_.Post([done = std::move(done), status, recipe] {  //
          done(status, recipe);
        });
      });
}

Status RecipeSetter::Parse(const std::string& text, Recipe* recipe) const {
  if (text.empty())
    return Status(StatusCode::kInvalidArgument,
                  "recipe: empty, want auto, scalar, simd, vulkan or "
                  "kernel=variant,...");
  if (text == "auto") {
    std::string ignored;
    *recipe = AutoRecipe(store_, gpu_, aim_, &ignored);
    return Status::Ok();
  }
  const bool changes_some = text.find('=') != text.npos;
  return Recipe::Parse(
      changes_some ? engine_.recipe().ToString() + "," + text : text, recipe);
}

Status RecipeSetter::Use(const Recipe& recipe) {
  const Recipe before = engine_.recipe();
  engine_.SetRecipe(recipe);
  if (!recipe.Uses(Variant::kVulkan)) return Status::Ok();
  if (engine_.gpu() != nullptr && !engine_.GpuLost()) return Status::Ok();
  // The CPU would decode all the same, but nobody asked for that.
  if (recipe.ToString() != before.ToString()) engine_.SetRecipe(before);
  return Status(StatusCode::kInvalidArgument,
                "recipe: " + recipe.ToString() + ": " +
                    (engine_.GpuLost() ? "the GPU was lost"
                                       : "there is no GPU, see the log") +
                    ", allowed: scalar, simd");
}

}  // namespace perdix
