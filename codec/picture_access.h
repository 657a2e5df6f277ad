// SPDX-License-Identifier: BSD-2-Clause
// A frame's target and references before CPU or GPU touch them: who reaches
// them, and what makes their bytes there and seen.
#ifndef PERDIX_CODEC_PICTURE_ACCESS_H_
#define PERDIX_CODEC_PICTURE_ACCESS_H_

#include "codec/frame_job.h"
#include "codec/picture.h"
#include "kernels/status.h"

namespace perdix {

// Whether <reach> (CpuReaches, GpuReaches) is so of all the pictures that the
// frame needs.
bool AllReached(const FrameJob& job, bool (*reach)(const Picture&));

// The failure of a frame for whose size there was not enough memory.
Status NoMemory(const FrameParams& params);

// Reconstruction on the CPU is about to start: the target's memory is taken,
// and BeginReferences().
Status BeginPictures(const FrameJob& job);

// The CPU is about to read the references: of those that the GPU wrote its
// caches may hold older bytes. They must be whole: every frame before is over.
// kMissingReference: there was no memory for one.
Status BeginReferences(const FrameJob& job);

// The frame is over, and so are those before it: fails when one that it
// predicts from was found to be broken only after it had begun.
Status CheckReferences(const FrameJob& job);

// Tells the request's owner that the CPU begins to use the target, or has
// ended.
Status AccessTarget(const FrameJob& job, CpuAccess access);

}  // namespace perdix

#endif  // PERDIX_CODEC_PICTURE_ACCESS_H_
