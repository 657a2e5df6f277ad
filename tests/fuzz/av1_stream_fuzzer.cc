// SPDX-License-Identifier: BSD-2-Clause
// libFuzzer: bytes as a stream of OBUs, through the client's parser and the
// engine, scalar. The inputs are files that perdix-decode can read.
#include <cstddef>
#include <cstdint>

#include "client/bitstream/av1/codec.h"
#include "client/bitstream/av1/obu.h"
#include "client/inprocess/engine_backend.h"
#include "tests/fuzz/session.h"

namespace perdix {
namespace {

// More only takes time.
constexpr uint64_t kMaxPixels = 512 * 512;
constexpr size_t kMaxUnits = 16;

// Temporal units; what cannot be read as OBUs belongs to the last one.
Packets Units(std::span<const uint8_t> stream) {
  Packets units;
  while (!stream.empty() && units.size() <= kMaxUnits) {
    std::span<const uint8_t> rest = stream;
    client::av1::Obu obu;
    const bool readable = client::av1::TakeObu(&rest, &obu).ok();
    if (!readable) rest = {};
    if (units.empty() ||
        (readable && obu.type == client::av1::ObuType::kTemporalDelimiter)) {
      units.emplace_back();
    }
    units.back().insert(units.back().end(), stream.begin(),
                        stream.end() - ptrdiff_t(rest.size()));
    stream = rest;
  }
  return units;
}

void DecodeOne(std::span<const uint8_t> stream) {
  static Engine engine({.threads = 1, .recipe = {}});
  client::EngineBackend backend(engine, client::av1::kCodec, true);
  GuardedBackend guarded(backend, {.max_pixels = kMaxPixels});
  DecodePackets(guarded, Units(stream));
}

}  // namespace
}  // namespace perdix

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  perdix::DecodeOne({data, size});
  return 0;
}
