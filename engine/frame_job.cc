// SPDX-License-Identifier: BSD-2-Clause
#include "engine/frame_job.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace perdix {
Range ParseOrder::Release(const FrameJob& job) {
  int parsed = std::numeric_limits<int>::max();
  for (const FrameJob* other : by_row)
    parsed = std::min(parsed, other->queued.parse.lines);
  const FrameParams& params = job.params;
  const uint32_t begin = rows;
  while (rows < params.sb_rows &&
         int(std::min((rows + 1) << params.sb_log2, params.height)) <= parsed) {
    ++rows;
  }
  return {begin, rows};
}

void FrameJob::Reset(FrameRequest next_request) {
  ParsedFrame::Reset(std::move(next_request));
  segment = 0;
  previous = nullptr;
  times = {};
  gate_open = false;
  queued = {};
  follows = false;
  followed_references = 0;
}

KernelArgs FrameJob::Args() {
  KernelArgs args;
  args.params = &params;
  args.codec = &codec_params;
  args.tables = tables.View();
  args.target = request.target->view;
  args.not_final = not_final;
  args.coded_planes = coded_planes;
  if (request.display) args.display = request.display->view;
  ForEachReference(params, [&](uint32_t i) {
    args.references[i] = request.references[i]->view;
  });
  return args;
}

}  // namespace perdix
