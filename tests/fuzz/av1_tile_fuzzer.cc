// SPDX-License-Identifier: BSD-2-Clause
// libFuzzer: tile bytes behind headers that the engine accepts. The first byte
// of the input chooses one of 256 sets of headers, of one to three frames; the
// rest is shared out among the frames, and among the tiles of each.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/av1_cases.h"

namespace perdix {
namespace {

constexpr uint32_t kMostSize = 136;  // luma samples: two superblocks, just

// The same headers for a choice, whatever the bytes are.
std::vector<Av1Headers> ChosenHeaders(uint8_t choice) {
  Random random(choice);
  const v4l2_ctrl_av1_sequence sequence = RandomSequence(random);
  const Av1Size size = RandomSize(random, kMostSize);
  std::vector<Av1Headers> frames;
  const size_t count = 1 + choice % 3;
  for (size_t i = 0; i < count; ++i)
    frames.push_back(RandomHeaders(random, sequence, size, i == 0));
  return frames;
}

void DecodeOne(uint8_t choice, std::span<const uint8_t> bytes) {
  static Engine engine({.threads = 1, .recipe = {}});
  std::vector<Av1Headers> frames = ChosenHeaders(choice);
  std::vector<Av1Request> requests;
  for (size_t i = 0; i < frames.size(); ++i) {
    const size_t begin = bytes.size() * i / frames.size();
    const size_t end = bytes.size() * (i + 1) / frames.size();
    Bytes data(bytes.begin() + ptrdiff_t(begin),
               bytes.begin() + ptrdiff_t(end));
    data.resize(std::max(data.size(), frames[i].tile_count()));
    PlaceTiles(data.size(), &frames[i]);
    requests.push_back(ToRequest(frames[i], std::move(data)));
    requests.back().grain = (choice & 4) != 0;
  }
  DecodeRequests(engine, requests);
}

}  // namespace
}  // namespace perdix

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 1) perdix::DecodeOne(data[0], {data + 1, size - 1});
  return 0;
}
