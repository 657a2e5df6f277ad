// SPDX-License-Identifier: BSD-2-Clause
#include "tests/frame/guarded_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace perdix {
namespace {

constexpr uint32_t kGuardBytes = 64;  // left and right of each line
constexpr uint32_t kGuardLines = 16;  // above and below

uint32_t RoundUpTo8(uint32_t value) { return (value + 7) & ~7u; }

}  // namespace

GuardedPicture GuardedPicture::ForTarget(const FrameParams& params) {
  return GuardedPicture(params, params.width, params.height,
                        RoundUpTo8(params.width), RoundUpTo8(params.height));
}

GuardedPicture GuardedPicture::ForReference(const FrameParams& params,
                                            uint32_t width, uint32_t height) {
  return GuardedPicture(params, width, height, width, height);
}

GuardedPicture::GuardedPicture(const FrameParams& params, uint32_t width,
                               uint32_t height, uint32_t area_width,
                               uint32_t area_height) {
  view_.width = width;
  view_.height = height;
  view_.bit_depth = params.bit_depth;
  view_.subsampling_x = params.subsampling_x;
  view_.subsampling_y = params.subsampling_y;
  for (uint32_t i = 0; i < kPlaneCount; ++i) {
    const uint32_t ss_x = i == kLuma ? 0 : params.subsampling_x;
    const uint32_t ss_y = i == kLuma ? 0 : params.subsampling_y;
    GuardedPlane& plane = planes_[i];
    plane.width = static_cast<int>((area_width + ss_x) >> ss_x);
    plane.height = static_cast<int>((area_height + ss_y) >> ss_y);
    const size_t line_bytes = static_cast<size_t>(plane.width) * PixelBytes(i);
    plane.stride_bytes =
        RoundUpTo8(static_cast<uint32_t>(line_bytes)) + 2 * kGuardBytes;
    plane.origin = size_t{kGuardLines} * plane.stride_bytes + kGuardBytes;
    const size_t lines = static_cast<size_t>(plane.height) + 2 * kGuardLines;
    plane.memory.assign(lines * plane.stride_bytes, guard_);
    view_.planes[i].stride_bytes = plane.stride_bytes;
    view_.planes[i].width = (width + ss_x) >> ss_x;
    view_.planes[i].height = (height + ss_y) >> ss_y;
  }
}

size_t GuardedPicture::PixelBytes(uint32_t plane) const {
  const size_t sample_bytes = view_.bit_depth > 8 ? 2 : 1;
  return plane == kLuma ? sample_bytes : 2 * sample_bytes;
}

size_t GuardedPicture::Offset(uint32_t plane, int x, int y,
                              int component) const {
  return planes_[plane].origin +
         static_cast<size_t>(y) * planes_[plane].stride_bytes +
         static_cast<size_t>(x) * PixelBytes(plane) +
         static_cast<size_t>(component) * (view_.bit_depth > 8 ? 2 : 1);
}

int GuardedPicture::Get(uint32_t plane, int x, int y, int component) const {
  const uint8_t* bytes = &planes_[plane].memory[Offset(plane, x, y, component)];
  if (view_.bit_depth == 8) return *bytes;
  uint16_t sample;
  std::memcpy(&sample, bytes, sizeof(sample));
  return sample;
}

void GuardedPicture::Set(uint32_t plane, int x, int y, int component,
                         int value) {
  uint8_t* bytes = &planes_[plane].memory[Offset(plane, x, y, component)];
  if (view_.bit_depth == 8) {
    *bytes = static_cast<uint8_t>(value);
    return;
  }
  const uint16_t sample = static_cast<uint16_t>(value);
  std::memcpy(bytes, &sample, sizeof(sample));
}

void GuardedPicture::UseUpperBits() {
  view_.shift = 16 - view_.bit_depth;
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (int y = 0; y < Height(plane); ++y) {
      for (int x = 0; x < Width(plane); ++x) {
        for (int c = 0; c < (plane == kLuma ? 1 : 2); ++c) {
          Set(plane, x, y, c, Get(plane, x, y, c) << view_.shift);
        }
      }
    }
  }
}

void GuardedPicture::Fill(Content content, TestRandom& random) {
  const int max_sample = (1 << view_.bit_depth) - 1;
  if (content == Content::kMinimum) return FillWith(0);
  if (content == Content::kMaximum) return FillWith(max_sample);
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    // Natural: slopes with a little noise and a step now and then.
    int level = random.Uniform(0, max_sample);
    for (int y = 0; y < Height(plane); ++y) {
      for (int x = 0; x < Width(plane); ++x) {
        if (random.OneIn(64)) level = random.Uniform(0, max_sample);
        for (int c = 0; c < (plane == kLuma ? 1 : 2); ++c) {
          const int natural = level + ((x + y) << (view_.bit_depth - 8)) / 4 +
                              random.Uniform(-1, 1 << (view_.bit_depth - 8));
          Set(plane, x, y, c,
              content == Content::kRandom ? random.Uniform(0, max_sample)
                                          : std::clamp(natural, 0, max_sample));
        }
      }
    }
  }
}

void GuardedPicture::FillWith(int value) {
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (int y = 0; y < Height(plane); ++y) {
      for (int x = 0; x < Width(plane); ++x) {
        for (int c = 0; c < (plane == kLuma ? 1 : 2); ++c) {
          Set(plane, x, y, c, value);
        }
      }
    }
  }
}

void GuardedPicture::SetGuard(uint8_t guard) {
  guard_ = guard;
  for (uint32_t i = 0; i < kPlaneCount; ++i) {
    GuardedPlane& plane = planes_[i];
    std::vector<uint8_t> guarded(plane.memory.size());
    for (size_t j = 0; j < guarded.size(); ++j) {
      guarded[j] = static_cast<uint8_t>(guard + j % 5);
    }
    for (int y = 0; y < plane.height; ++y) {
      const size_t line = Offset(i, 0, y, 0);
      std::copy_n(plane.memory.begin() + static_cast<ptrdiff_t>(line),
                  static_cast<size_t>(plane.width) * PixelBytes(i),
                  guarded.begin() + static_cast<ptrdiff_t>(line));
    }
    plane.memory = std::move(guarded);
  }
}

bool GuardedPicture::GuardsIntact() const {
  GuardedPicture expected = *this;
  expected.SetGuard(guard_);
  for (uint32_t i = 0; i < kPlaneCount; ++i) {
    if (expected.planes_[i].memory != planes_[i].memory) return false;
  }
  return true;
}

PictureView GuardedPicture::View() {
  PictureView view = view_;
  for (uint32_t i = 0; i < kPlaneCount; ++i) {
    if (planes_[i].memory.empty()) continue;
    view.planes[i].data = &planes_[i].memory[planes_[i].origin];
  }
  return view;
}

void GuardedPicture::ExpectEqual(const GuardedPicture& expected,
                                 const GuardedPicture& actual) {
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (int y = 0; y < expected.Height(plane); ++y) {
      for (int x = 0; x < expected.Width(plane); ++x) {
        for (int c = 0; c < (plane == kLuma ? 1 : 2); ++c) {
          ASSERT_EQ(expected.Get(plane, x, y, c), actual.Get(plane, x, y, c))
              << "plane " << plane << " component " << c << " x " << x << " y "
              << y;
        }
      }
    }
  }
}

}  // namespace perdix
