// SPDX-License-Identifier: BSD-2-Clause
// From an AV1 frame's controls to FrameState: what the headers say, checked,
// and what follows from it (5.9).
#ifndef PERDIX_CODEC_AV1_FRAME_SETUP_H_
#define PERDIX_CODEC_AV1_FRAME_SETUP_H_

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "codec/av1/frame_state.h"
#include "codec/controls.h"
#include "codec/frame_request.h"
#include "kernels/status.h"

namespace perdix::av1 {

// What the picture carries, if it is there and its frame had a header.
std::shared_ptr<const PictureData> DataOf(const PicturePtr& picture);

// Reads sequence and frame controls and checks every value that is used later.
// Sets frame->sequence, ->header, in which the frame's width is derived.
Status ReadControls(const FrameRequest& request, FrameState* frame);

// All of "derived from the two", segments, global motion and tiles. References'
// order hints come from the pictures, by reference name; null: from the
// control.
Status DeriveFrame(const std::array<std::shared_ptr<const PictureData>,
                                    kTotalRefs>& references,
                   FrameState* frame);

// FrameParams and Params, but for references.
void SetUpParams(const FrameState& frame, FrameParams* params, Params* av1);

// Without the passes of a LeaveOutControl, if there is one.
void LeaveOutPasses(Controls controls, Params* av1);

// The scale of a reference of that size (7.11.3.3), and whether the frame may
// refer to it.
bool SetUpReference(const FrameParams& params, uint32_t width, uint32_t height,
                    ReferenceScale* scale);

// Each tile's bytes, by tile row and column, from the entries of the tile
// groups.
Status FindTiles(const FrameRequest& request, const FrameState& frame,
                 std::vector<std::span<const uint8_t>>* tiles);

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_FRAME_SETUP_H_
