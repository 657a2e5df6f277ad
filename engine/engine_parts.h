// SPDX-License-Identifier: BSD-2-Clause
// What the streams of an engine share while they decode. Each part can be used
// without the others, and none calls another.
#ifndef PERDIX_ENGINE_ENGINE_PARTS_H_
#define PERDIX_ENGINE_ENGINE_PARTS_H_

#include <cstddef>
#include <functional>

#include "engine/engine.h"
#include "engine/engine_counters.h"
#include "engine/gpu_owner.h"
#include "engine/recipe_in_force.h"
#include "engine/self_check.h"
#include "engine/streams.h"
#include "engine/thread_pool.h"
#include "engine/tracer.h"

namespace perdix {

struct EngineParts {
  explicit EngineParts(const EngineOptions& options);

  // See Engine::SetRecipe and Engine::frames_in_flight.
  void SetRecipe(const Recipe& wanted);
  size_t FramesInFlight() const;

  Tracer tracer;  // the workers report to it
  ThreadPool pool;
  GpuOwner gpu;  // goes before the pool: it posts there
  RecipeInForce recipe;
  Streams streams;
  Counters counters;
  SelfCheckTurns self_checks;
  const LumaWatchOptions watch;
  const std::function<void(const FrameJob&)> observer;  // EngineOptions'
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_ENGINE_PARTS_H_
