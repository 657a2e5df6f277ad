// SPDX-License-Identifier: BSD-2-Clause
#include "engine/scheduler.h"

namespace perdix {

Scheduler::Scheduler(EngineParts& engine, const CodecRow& codec)
    : meter_(engine, codec.name),
      frames_(engine, codec, meter_, owners_),
      parse_(engine, codec, meter_, owners_),
      cells_(engine, codec, meter_, owners_),
      gpu_(engine, codec, meter_, owners_) {
  owners_ = {&frames_, &parse_, &cells_, &gpu_};
}

}  // namespace perdix
