// SPDX-License-Identifier: BSD-2-Clause
// What crosses from the CPU to every shader besides the work lists: bindings,
// where a picture lies, how many stages a frame has at most, the common
// specialisation constants. What a codec's shaders have of their own is in
// kernels/shared/<codec>/dispatch.h. Writer: kernels/gpu. Readers: shaders/.
#ifndef PERDIX_KERNELS_SHARED_DISPATCH_H_
#define PERDIX_KERNELS_SHARED_DISPATCH_H_

#include "kernels/shared/types.h"

#ifdef __cplusplus
namespace perdix {
#endif

// ---- bindings of set 0: one layout for every shader ----

#define PERDIX_BINDING_FRAME 0      // uniform buffer: the codec's, of a frame
#define PERDIX_BINDING_TABLES 1     // uniform buffer: the codec's constants
#define PERDIX_BINDING_TARGET 2     // the picture that is written
#define PERDIX_BINDING_REFERENCE 3  // one picture that is read
#define PERDIX_BINDING_RECORDS 4    // in the order of the dispatches
#define PERDIX_BINDING_COEFFICIENTS 5  // 16-bit units
#define PERDIX_BINDING_SCRATCH 6       // from one dispatch to a later one
#define PERDIX_BINDING_FRAME_TABLES 7  // FrameTables that shaders read or fill
#define PERDIX_BINDING_COUNT 8

// Metrics (kernels/shared/metrics.h) use a set of their own, of the same
// layout: the target, the previous frame as reference, and in place of buffers
// that they do not read:
#define PERDIX_BINDING_PARTIALS PERDIX_BINDING_SCRATCH      // of MetricsSum
#define PERDIX_BINDING_RESULTS PERDIX_BINDING_FRAME_TABLES  // MetricsResults

// ---- stages ----

// The most kernels in the passes of a codec, each of which is a stage of the
// frames that need it.
#define PERDIX_MAX_STAGES 16

// ---- pictures ----

// A picture in its buffer. Offsets and strides are multiples of 16 bytes.
struct PlaneOffsets {
  uint luma_offset;  // bytes
  uint chroma_offset;
  uint luma_stride;  // bytes
  uint chroma_stride;
};

// ---- push constants ----

// Each shader has a struct of its own, of at most so many bytes: what every
// device has. A dispatch that may be split begins it with <uint first>, the
// first record.
#define PERDIX_PUSH_CONSTANT_BYTES 128

// final_shift.comp: a plane of the target. Units of 16 bytes.
struct FinalShiftConstants {
  uint offset;
  uint stride;
  uint samples;  // of a row; U and V are two
  uint rows;
  uint shift;  // PictureView::shift
};

// ---- specialisation constants ----

#define PERDIX_CONSTANT_SUBGROUP_SIZE 0  // 0: use no subgroup operations
// From here on each shader has its own.
#define PERDIX_CONSTANT_OWN 1
#define PERDIX_CONSTANT_LANES 3  // of a workgroup, of every codec's shaders

// final_shift.comp: items of a workgroup side by side.
#define PERDIX_SHIFT_COLUMNS 16

#ifdef __cplusplus
inline constexpr uint kMaxStages = PERDIX_MAX_STAGES;

static_assert(sizeof(PlaneOffsets) == 16);
}  // namespace perdix
#endif

#endif  // PERDIX_KERNELS_SHARED_DISPATCH_H_
