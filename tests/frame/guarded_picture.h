// SPDX-License-Identifier: BSD-2-Clause
// Pictures with guard bytes, for tests of kernels and shaders.
#ifndef PERDIX_TESTS_FRAME_GUARDED_PICTURE_H_
#define PERDIX_TESTS_FRAME_GUARDED_PICTURE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/shared/dispatch.h"
#include "tests/frame/random.h"

namespace perdix {

using Bytes = std::vector<uint8_t>;

enum class Content {
  kRandom,
  kMinimum,
  kMaximum,
  kNatural,   // slopes with a little noise and a step now and then
  kExtremes,  // each sample is the lowest or the highest
  kSteps,     // 8x8 pixels that are all but flat, or rougher: all deblocking
};
inline constexpr Content kAllContents[] = {
    Content::kRandom,  Content::kMinimum,  Content::kMaximum,
    Content::kNatural, Content::kExtremes, Content::kSteps};

// A picture in one buffer, whose planes hold an area that kernels may use and
// guard bytes all around it. Strides and offsets are as shaders need them.
class GuardedPicture {
 public:
  GuardedPicture() = default;

  // The area of a picture to decode into: the frame rounded up to 8.
  static GuardedPicture ForTarget(const FrameParams& params);
  // The area of a reference frame: no more than its pixels.
  static GuardedPicture ForReference(const FrameParams& params, uint32_t width,
                                     uint32_t height);

  void Fill(Content content, TestRandom& random);
  void FillWith(int value);
  // Rewrites all guard bytes: about this value, but not flat, as a filter would
  // leave that alone. GuardsIntact looks for them.
  void SetGuard(uint8_t guard);
  bool GuardsIntact() const;

  // The area's size in pixels. Zero for a picture that is not there.
  int Width(uint32_t plane) const { return planes_[plane].width; }
  int Height(uint32_t plane) const { return planes_[plane].height; }
  // component: 0 Y or U, 1 V.
  int Get(uint32_t plane, int x, int y, int component) const;
  void Set(uint32_t plane, int x, int y, int component, int value);

  // Says how far samples of two bytes are to be shifted once they are final.
  void SetShift(uint32_t shift) { view_.shift = shift; }
  // Samples of two bytes get their value into the upper bits, as in P010.
  void UseUpperBits();

  PictureView View();
  Bytes& bytes() { return bytes_; }
  const Bytes& bytes() const { return bytes_; }
  PlaneOffsets layout() const;

  // Fails the test, naming the first sample of the area that differs.
  static void ExpectEqual(const GuardedPicture& expected,
                          const GuardedPicture& actual);

 private:
  struct GuardedPlane {
    size_t origin = 0;  // of the area, in bytes_
    uint32_t stride_bytes = 0;
    int width = 0;  // of the area, pixels
    int height = 0;
  };

  GuardedPicture(const FrameParams& params, uint32_t width, uint32_t height,
                 uint32_t area_width, uint32_t area_height);
  size_t Offset(uint32_t plane, int x, int y, int component) const;
  size_t PixelBytes(uint32_t plane) const;
  // visit(x, y, component) of each sample of the area.
  template <typename Visit>
  void ForEachSample(uint32_t plane, const Visit& visit) const;
  void FillPlane(uint32_t plane, Content content, TestRandom& random);
  void FillCell(uint32_t plane, int left, int top, TestRandom& random);

  Bytes bytes_;
  GuardedPlane planes_[kPlaneCount];
  PictureView view_;  // without pointers
  uint8_t guard_ = 0;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_FRAME_GUARDED_PICTURE_H_
