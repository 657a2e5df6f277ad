// SPDX-License-Identifier: BSD-2-Clause
#include "tests/frame/guarded_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace perdix {
namespace {

constexpr uint32_t kGuardBytes = 64;  // left and right of each line
constexpr uint32_t kGuardLines = 16;  // above and below

uint32_t RoundUp(uint32_t value, uint32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

GuardedPicture GuardedPicture::ForTarget(const FrameParams& params) {
  return GuardedPicture(params, params.width, params.height,
                        RoundUp(params.width, 8), RoundUp(params.height, 8));
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
        RoundUp(static_cast<uint32_t>(line_bytes), 16) + 2 * kGuardBytes;
    plane.origin =
        bytes_.size() + size_t{kGuardLines} * plane.stride_bytes + kGuardBytes;
    const size_t lines = static_cast<size_t>(plane.height) + 2 * kGuardLines;
    bytes_.resize(bytes_.size() + lines * plane.stride_bytes);
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
  const uint8_t* bytes = &bytes_[Offset(plane, x, y, component)];
  if (view_.bit_depth == 8) return *bytes;
  uint16_t sample;
  std::memcpy(&sample, bytes, sizeof(sample));
  return sample;
}

void GuardedPicture::Set(uint32_t plane, int x, int y, int component,
                         int value) {
  uint8_t* bytes = &bytes_[Offset(plane, x, y, component)];
  if (view_.bit_depth == 8) {
    *bytes = static_cast<uint8_t>(value);
    return;
  }
  const uint16_t sample = static_cast<uint16_t>(value);
  std::memcpy(bytes, &sample, sizeof(sample));
}

template <typename Visit>
void GuardedPicture::ForEachSample(uint32_t plane, const Visit& visit) const {
  for (int y = 0; y < Height(plane); ++y) {
    for (int x = 0; x < Width(plane); ++x) {
      for (int c = 0; c < (plane == kLuma ? 1 : 2); ++c) visit(x, y, c);
    }
  }
}

void GuardedPicture::UseUpperBits() {
  view_.shift = 16 - view_.bit_depth;
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    ForEachSample(plane, [&](int x, int y, int c) {
      Set(plane, x, y, c, Get(plane, x, y, c) << view_.shift);
    });
  }
}

void GuardedPicture::Fill(Content content, TestRandom& random) {
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    if (content != Content::kSteps) {
      FillPlane(plane, content, random);
      continue;
    }
    for (int y = 0; y < Height(plane); y += 8) {
      for (int x = 0; x < Width(plane); x += 8) FillCell(plane, x, y, random);
    }
  }
}

void GuardedPicture::FillPlane(uint32_t plane, Content content,
                               TestRandom& random) {
  const int max_sample = (1 << view_.bit_depth) - 1;
  const int scale = 1 << (view_.bit_depth - 8);
  int level = random.Uniform(0, max_sample);
  ForEachSample(plane, [&](int x, int y, int c) {
    int value = 0;
    switch (content) {
      case Content::kRandom:
        value = random.Uniform(0, max_sample);
        break;
      case Content::kMaximum:
        value = max_sample;
        break;
      case Content::kExtremes:
        value = random.OneIn(2) ? max_sample : 0;
        break;
      case Content::kNatural:
        if (random.OneIn(64)) level = random.Uniform(0, max_sample);
        value =
            std::clamp(level + (x + y) * scale / 4 + random.Uniform(-1, scale),
                       0, max_sample);
        break;
      default:
        break;
    }
    Set(plane, x, y, c, value);
  });
}

// Steps between cells are of up to what the highest level still filters.
void GuardedPicture::FillCell(uint32_t plane, int left, int top,
                              TestRandom& random) {
  const int scale = 1 << (view_.bit_depth - 8);
  const int step =
      random.OneIn(2) ? random.Uniform(-40, 40) : random.Uniform(-4, 4);
  const int roughness = (random.OneIn(4) ? 3 : 1) * scale;
  for (int y = top; y < std::min(top + 8, Height(plane)); ++y) {
    for (int x = left; x < std::min(left + 8, Width(plane)); ++x) {
      for (int c = 0; c < (plane == kLuma ? 1 : 2); ++c) {
        Set(plane, x, y, c,
            (128 + step) * scale + random.Uniform(0, roughness));
      }
    }
  }
}

void GuardedPicture::FillWith(int value) {
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    ForEachSample(plane,
                  [&](int x, int y, int c) { Set(plane, x, y, c, value); });
  }
}

void GuardedPicture::SetGuard(uint8_t guard) {
  guard_ = guard;
  std::vector<uint8_t> guarded(bytes_.size());
  for (size_t i = 0; i < guarded.size(); ++i) {
    guarded[i] = static_cast<uint8_t>(guard + i % 5);
  }
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    const size_t line_bytes =
        static_cast<size_t>(Width(plane)) * PixelBytes(plane);
    for (int y = 0; y < Height(plane); ++y) {
      const auto line = static_cast<ptrdiff_t>(Offset(plane, 0, y, 0));
      std::copy_n(bytes_.begin() + line, line_bytes, guarded.begin() + line);
    }
  }
  bytes_ = std::move(guarded);
}

bool GuardedPicture::GuardsIntact() const {
  GuardedPicture expected = *this;
  expected.SetGuard(guard_);
  return expected.bytes_ == bytes_;
}

PictureView GuardedPicture::View() {
  PictureView view = view_;
  if (bytes_.empty()) return view;
  for (uint32_t i = 0; i < kPlaneCount; ++i) {
    view.planes[i].data = &bytes_[planes_[i].origin];
  }
  return view;
}

PlaneOffsets GuardedPicture::layout() const {
  return {static_cast<uint32_t>(planes_[kLuma].origin),
          static_cast<uint32_t>(planes_[kChroma].origin),
          planes_[kLuma].stride_bytes, planes_[kChroma].stride_bytes};
}

void GuardedPicture::ExpectEqual(const GuardedPicture& expected,
                                 const GuardedPicture& actual) {
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    bool equal = true;
    expected.ForEachSample(plane, [&](int x, int y, int c) {
      const int want = expected.Get(plane, x, y, c);
      const int got = actual.Get(plane, x, y, c);
      if (!equal || want == got) return;
      equal = false;
      ADD_FAILURE() << "plane " << plane << " component " << c << " x " << x
                    << " y " << y << ": " << got << ", not " << want;
    });
    if (!equal) return;
  }
}

}  // namespace perdix
