// SPDX-License-Identifier: BSD-2-Clause
// Changes the engine's recipe while it decodes, on a thread of its own: asking
// which GPU there is, and opening it for the first recipe that uses it, takes
// longer than the event loop may stand still.
#ifndef PERDIX_DAEMON_RECIPE_SETTER_H_
#define PERDIX_DAEMON_RECIPE_SETTER_H_

#include <functional>
#include <string>
#include <thread>

#include "daemon/call_queue.h"
#include "daemon/config.h"
#include "engine/engine.h"
#include "engine/recipe_store.h"

namespace perdix {

class RecipeSetter {
 public:
  // On the event loop's thread, later: the recipe in use now, or why the one
  // that was asked for is not, and what is allowed.
  using Done = std::function<void(const Status&, const Recipe&)>;

  // config: where recipes are stored, and the GPU. Engine and loop (calls into
  // the event loop) outlive this.
  RecipeSetter(const Config& config, Engine& engine, CallQueue& loop);

  // All of these on one thread, one after the other, from the next frame on.
  // text: auto, scalar, simd, vulkan, or "kernel=variant,..." over what is in
  // use.
  void Set(const std::string& text, Done done);
  void SetStored(Done done);  // for this machine, by perdix-bench
  // Looks for a GPU again, for the recipe that is in use; or, if may_load, for
  // the one that is stored for this machine with the GPU that it has now.
  void LookForGpu(bool may_load, Done done);

 private:
  using Choose = std::function<Status(Recipe*)>;

  void Start(Choose choose, Done done);
  // The thread's.
  Status Parse(const std::string& text, Recipe* recipe) const;
  Status Use(const Recipe& recipe);

  const std::string store_;
  const vulkan::GpuOptions gpu_;
  const GpuAim aim_;
  Engine& engine_;
  CallQueue& loop_;
  std::jthread thread_;  // the last one
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_RECIPE_SETTER_H_
