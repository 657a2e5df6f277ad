// SPDX-License-Identifier: BSD-2-Clause
// One frame as a codec's parser sees it: the request, and what entropy decoding
// writes for the kernels. Knows nothing of the order of work.
#ifndef PERDIX_CODEC_PARSED_FRAME_H_
#define PERDIX_CODEC_PARSED_FRAME_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "codec/frame_request.h"
#include "codec/tile_lists.h"
#include "kernels/kernel.h"
#include "kernels/status.h"

namespace perdix {

class ParsedFrame {
 public:
  FrameRequest request;

  // Written by CodecState::Begin, read-only afterwards.
  FrameParams params = {};
  CodecParams codec_params;
  uint32_t tile_cols = 0;
  std::vector<TileLists> tiles;  // at least tile_cols, from left to right
  uint32_t filter_lag = 0;       // KernelArgs::filter_lag
  uint32_t coded_planes = kPlaneCount;  // KernelArgs::coded_planes
  bool shown = false;  // as it is decoded, not by a later frame's header

  // The frames that the parsing of this one goes on from, named by the pictures
  // that they write. Set by CodecState::Begin, where
  // CodecRow::frame_parallel_parsing.
  struct ParseSources {
    PicturePtr whole;                // Continue comes after all of its frame
    std::vector<PicturePtr> by_row;  // a row comes after the same lines of them
    bool empty() const { return whole == nullptr && by_row.empty(); }
  };
  ParseSources parse_sources;

  // The references that some block is predicted from (bit: index in
  // params.references); by CodecState::End. All, if the codec does not say.
  uint32_t used_references = kAllReferences;
  static constexpr uint32_t kAllReferences = UINT32_MAX;

  // What follows the frame in the request's bitstream, for
  // FrameRequest::parsed. Set by CodecState::ParseRow.
  std::span<const uint8_t> rest;

  // Sized by CodecState::Begin, written by ParseRow, a superblock row at a
  // time, and by kernels that leave something for others.
  TableMemory tables;

  // The target's samples are shifted once they are final (PictureView::shift).
  bool IsShifted() const { return request.target->view.shift != 0; }

  // Sticky: the first failure counts. Any thread.
  void Fail(Status status);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  // What is decoded is not what was coded: the data is damaged, or something
  // that the frame goes on from is. Decoding goes on. Sticky, any thread.
  void MarkDamaged(Status status);
  bool damaged() const { return damaged_.load(std::memory_order_acquire); }
  // Why the frame failed, or else why it is damaged.
  const Status& status() const { return status_; }

 protected:
  // For the next frame: no failure.
  void Reset(FrameRequest next_request);

 private:
  std::mutex mutex_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> damaged_{false};
  Status status_;
};

}  // namespace perdix

#endif  // PERDIX_CODEC_PARSED_FRAME_H_
