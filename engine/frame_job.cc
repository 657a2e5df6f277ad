// SPDX-License-Identifier: BSD-2-Clause
#include "engine/frame_job.h"

#include <string>
#include <utility>

namespace perdix {

void FrameJob::Reset(FrameRequest next_request) {
  ParsedFrame::Reset(std::move(next_request));
  segment = 0;
  times = {};
}

void FrameJob::TakeRest() {
  if (failed()) rest = {};
  const bool is_frame = request.parsed && request.parsed(rest);
  if (rest.empty() || is_frame) return;
  MarkDamaged({StatusCode::kInvalidBitstream,
               "damaged data: byte " +
                   std::to_string(rest.data() - request.bitstream.data()) +
                   " of " + std::to_string(request.bitstream.size()) +
                   ", behind the frame's end, is not 0"});
}

FrameRequest FrameJob::LetGo() {
  FrameRequest over = std::move(request);
  over.references = {};  // done() may want the memory for another frame
  request = {};
  parse_sources = {};
  return over;
}

KernelArgs FrameJob::Args() {
  KernelArgs args;
  args.params = &params;
  args.codec = &codec_params;
  args.tables = tables.View();
  args.target = request.target->view;
  args.filter_lag = filter_lag;
  args.coded_planes = coded_planes;
  if (request.display) args.display = request.display->view;
  ForEachReference(params, [&](uint32_t i) {
    args.references[i] = request.references[i]->view;
  });
  return args;
}

}  // namespace perdix
