// SPDX-License-Identifier: BSD-2-Clause
#include "tests/fuzz/av1_session.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "codec/codec.h"
#include "codec/frame_request.h"
#include "codec/picture.h"
#include "tests/fuzz/session.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {
namespace {

// A frame on its way.
struct Flight {
  PicturePtr target;
  PicturePtr display;
  bool monochrome = false;
  int times_done = 0;
  Status status;
};

PicturePtr NewPicture(Engine& engine, const Av1Request& request) {
  return engine.NewPicture(*FindCodec(PERDIX_CODEC_AV1), request.width,
                           request.height, request.bit_depth,
                           request.subsampling_x, request.subsampling_y);
}

void Check(bool holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "%s\n", what);
  std::abort();
}

Av1Result ResultOf(const Flight& flight) {
  Check(flight.times_done == 1, "a frame did not end exactly once");
  const bool ok = flight.status.ok();
  const Picture& target = *flight.target;
  Check(ok != (target.broken || target.damaged),
        "a picture is intact, or is not");
  Check(ok || !flight.status.message().empty(), "a failure has no message");
  // Random tiles are damaged, but decoded.
  Av1Result result = {.ok = !target.broken};
  if (!result.ok) return result;
  for (const PicturePtr& picture : {flight.target, flight.display}) {
    if (picture != nullptr)
      result.hash = HashPicture(result.hash, picture->view, flight.monochrome);
  }
  return result;
}

}  // namespace

std::vector<Av1Result> DecodeRequests(Engine& engine,
                                      const std::vector<Av1Request>& requests) {
  std::deque<Flight> flights;  // done() writes into them
  std::array<PicturePtr, kMaxReferences> slots;
  Decoder decoder(engine, *FindCodec(PERDIX_CODEC_AV1));
  for (const Av1Request& wanted : requests) {
    Flight& flight = flights.emplace_back();
    flight.target = NewPicture(engine, wanted);
    if (wanted.grain) flight.display = NewPicture(engine, wanted);
    flight.monochrome = wanted.monochrome;
    FrameRequest request;
    request.controls = wanted.controls;
    // A copy of its own size, so that a read beyond the end is seen.
    const auto copy = std::make_shared<const Bytes>(wanted.data);
    request.bitstream = *copy;
    request.bitstream_owner = copy;
    request.target = flight.target;
    request.display = flight.display;
    for (size_t i = 0; i < slots.size(); ++i) {
      if ((wanted.missing >> i & 1) == 0) request.references[i] = slots[i];
      if ((wanted.refresh >> i & 1) != 0) slots[i] = flight.target;
    }
    request.done = [&flight](const Status& status) {
      ++flight.times_done;
      flight.status = status;
    };
    decoder.Submit(std::move(request));
  }
  decoder.Drain();
  std::vector<Av1Result> results;
  for (const Flight& flight : flights) results.push_back(ResultOf(flight));
  return results;
}

}  // namespace perdix
