// SPDX-License-Identifier: BSD-2-Clause
// What crosses from the CPU to AV1's shaders of super-resolution. Writer:
// kernels/gpu/av1/super_res.cc. Readers: shaders/av1/super_res*.comp.
#ifndef PERDIX_KERNELS_SHARED_AV1_SUPER_RES_DISPATCH_H_
#define PERDIX_KERNELS_SHARED_AV1_SUPER_RES_DISPATCH_H_

#include "kernels/shared/dispatch.h"

#ifdef __cplusplus
namespace perdix::av1 {
#endif

// ---- tables of the frame ----

// Upscale_Filter: of each phase eight taps, two a word.
#define PERDIX_UPSCALE_PHASES 64
#define PERDIX_UPSCALE_WORDS 4  // of a phase

// ---- push constants ----

// Where lines are, in 32-bit words of their memory.
struct UpscaleLinesAt {
  uint begin;
  uint stride;  // from line to line
  uint slot;    // from line to the fourth behind it
};

// super_res.comp: a plane of the frame, or its saved lines.
struct SuperResConstants {
  UpscaleLinesAt from;  // of the target, or of the frame's tables
  UpscaleLinesAt to;    // of the scratch memory, or of the frame's tables
  uint words;           // of an upscaled line
  uint lines;
  uint taps;  // words of the frame's tables, where the filters begin
  // srcX of 7.16: of pixel 0, and from pixel to pixel.
  int position;
  int step;
  int last_source;  // pixel of a line that is there
};

// super_res_copy.comp: a plane. Units of 16 bytes.
struct SuperResCopyConstants {
  uint from;  // of the scratch memory
  uint from_stride;
  uint to;  // of the target
  uint to_stride;
  uint bytes;  // of a line
  uint lines;
};

// ---- specialisation constants, from PERDIX_CONSTANT_OWN on ----

#define PERDIX_CONSTANT_UPSCALE_PLANE 1  // PlaneIndex
#define PERDIX_CONSTANT_UPSCALE_SAVED 2  // 1: saved lines, 0: the target's
// Both shaders: items of a workgroup side by side.
#define PERDIX_UPSCALE_COLUMNS 16

#ifdef __cplusplus
static_assert(sizeof(SuperResConstants) == 48);
}  // namespace perdix::av1
#endif

#endif  // PERDIX_KERNELS_SHARED_AV1_SUPER_RES_DISPATCH_H_
