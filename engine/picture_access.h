// SPDX-License-Identifier: BSD-2-Clause
// A frame's target and references before CPU or GPU touch them: who reaches
// them, and what makes their bytes there and seen.
#ifndef PERDIX_ENGINE_PICTURE_ACCESS_H_
#define PERDIX_ENGINE_PICTURE_ACCESS_H_

#include "codec/picture.h"
#include "engine/frame_job.h"
#include "kernels/status.h"

namespace perdix {

// Whether the CPU reads the picture through its caches. Memory that the GPU has
// imported is mapped by its owner, with them.
bool CpuReadsCached(const Picture& picture);

// Whether <reach> (CpuReaches, GpuReaches, CpuReadsCached) holds for all that
// the frame writes and for every reference that it may predict from.
bool AllReached(const FrameJob& job, bool (*reach)(const Picture&));

// Whether both pictures lie in the same memory. Memory that a picture takes
// (Picture::take_memory), perhaps just now, is no other picture's.
bool SharesMemory(const Picture& a, const Picture& b);

// Whether the frame writes or reads the picture's memory.
bool Touches(const FrameJob& job, const Picture& picture);

// The status of a frame whose picture or records did not fit into memory.
Status NoMemory(const FrameParams& params);

// Call before reconstruction on the CPU starts: takes the memory of the
// target and of what is shown, then does BeginReferences().
Status BeginPictures(const FrameJob& job);

// Call before the CPU reads the references, once all frames before are over.
// Begins a CPU access to each reference that the GPU wrote, because the CPU's
// caches may hold older bytes of it. Fails with kMissingReference when a
// reference has no memory.
Status BeginReferences(const FrameJob& job);

// Call when the frame and all frames before it are over. A frame that was
// parsed or predicted from a broken picture fails; from a damaged one, it is
// damaged. Marks the target accordingly.
void CheckReferences(FrameJob& job);

// Tells the owner of the request that the CPU begins, or ends, its access to
// what the frame writes.
Status AccessTarget(const FrameJob& job, CpuAccess access);

}  // namespace perdix

#endif  // PERDIX_ENGINE_PICTURE_ACCESS_H_
