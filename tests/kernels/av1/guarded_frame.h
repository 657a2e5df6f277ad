// SPDX-License-Identifier: BSD-2-Clause
// A small frame to decode into, with guard samples around what kernels may
// write, for tests that call one kernel of AV1 directly; and the targets that
// its vectors have.
#ifndef PERDIX_TESTS_KERNELS_AV1_GUARDED_FRAME_H_
#define PERDIX_TESTS_KERNELS_AV1_GUARDED_FRAME_H_

#include <hwy/targets.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "kernels/av1/lists.h"
#include "kernels/decoded_area.h"

namespace perdix::av1 {

template <typename Sample>
class GuardedFrame {
 public:
  GuardedFrame(uint32_t width, uint32_t height, uint32_t subsampling_x,
               uint32_t subsampling_y, uint32_t bit_depth) {
    frame_.width = width;
    frame_.height = height;
    frame_.sb_log2 = 6;
    frame_.sb_cols = (width + 63) / 64;
    frame_.sb_rows = (height + 63) / 64;
    frame_.bit_depth = bit_depth;
    frame_.subsampling_x = subsampling_x;
    frame_.subsampling_y = subsampling_y;
    Params& params = codec_.As<Params>();
    params.mi_cols = 2 * ((width + 7) / 8);
    params.mi_rows = 2 * ((height + 7) / 8);
    params.filters_intra_edges = 1;
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      const DecodedArea area = PlaneDecodedArea(frame_, plane);
      width_[plane] = area.width;
      height_[plane] = area.height;
      stride_[plane] = (area.width + 2 * kGuard) * (plane == kLuma ? 1 : 2);
      samples_[plane].assign(
          static_cast<size_t>(stride_[plane] * (area.height + 2 * kGuard)), 0);
    }
  }

  int Width(uint32_t plane) const { return width_[plane]; }
  int Height(uint32_t plane) const { return height_[plane]; }
  int bit_depth() const { return static_cast<int>(frame_.bit_depth); }
  Params& params() { return codec_.As<Params>(); }
  const FrameParams& frame() const { return frame_; }

  // component: 0 Y, 1 U, 2 V.
  Sample& At(uint32_t component, int x, int y) {
    const uint32_t plane = component == 0 ? kLuma : kChroma;
    const int step = plane == kLuma ? 1 : 2;
    return samples_[plane][static_cast<size_t>((y + kGuard) * stride_[plane] +
                                               (x + kGuard) * step +
                                               (component == 2 ? 1 : 0))];
  }

  // Every sample, the guard as well, from this.
  void Fill(const std::function<int()>& sample) {
    for (auto& plane : samples_) {
      for (Sample& s : plane) s = static_cast<Sample>(sample());
    }
  }

  template <typename Record>
  uint32_t Add(List<Record> list, const Record& record) {
    auto& records = lists_[list.index];
    records.emplace_back();
    std::memcpy(&records.back(), &record, sizeof(record));
    return static_cast<uint32_t>(records.size() - 1);
  }
  void ClearLists() {
    for (auto& list : lists_) list.clear();
    arena_.clear();
  }
  // The offset of what is appended, 16-bit units.
  uint32_t AddToArena(const void* data, size_t bytes) {
    const size_t offset = arena_.size();
    arena_.resize(offset + (bytes + 15) / 16 * 8);
    std::memcpy(&arena_[offset], data, bytes);
    return static_cast<uint32_t>(offset);
  }

  KernelArgs Args() {
    KernelArgs args;
    args.params = &frame_;
    args.codec = &codec_;
    for (uint32_t i = 0; i < kMaxLists; ++i) {
      args.lists.lists[i] = {lists_[i].data(), lists_[i].size()};
    }
    args.lists.coefficients = arena_;
    args.target.width = frame_.width;
    args.target.height = frame_.height;
    args.target.bit_depth = frame_.bit_depth;
    args.target.subsampling_x = frame_.subsampling_x;
    args.target.subsampling_y = frame_.subsampling_y;
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      Plane& view = args.target.planes[plane];
      view.data = reinterpret_cast<uint8_t*>(&At(plane == kLuma ? 0 : 1, 0, 0));
      view.stride_bytes =
          static_cast<uint32_t>(stride_[plane]) * sizeof(Sample);
      view.width = frame_.width >> (plane == kLuma ? 0 : frame_.subsampling_x);
      view.height =
          frame_.height >> (plane == kLuma ? 0 : frame_.subsampling_y);
    }
    return args;
  }

  bool operator==(const GuardedFrame& other) const {
    return samples_[0] == other.samples_[0] && samples_[1] == other.samples_[1];
  }

  // Nothing where all samples are the same, the guard's as well; otherwise
  // where this frame first differs from what is expected.
  std::string Difference(GuardedFrame& expected) {
    if (*this == expected) return {};
    for (uint32_t component = 0; component < 3; ++component) {
      const uint32_t plane = component == 0 ? kLuma : kChroma;
      for (int y = -kGuard; y < height_[plane] + kGuard; ++y) {
        for (int x = -kGuard; x < width_[plane] + kGuard; ++x) {
          const int sample = At(component, x, y);
          const int wanted = expected.At(component, x, y);
          if (sample == wanted) continue;
          return "component " + std::to_string(component) + " at " +
                 std::to_string(x) + "," + std::to_string(y) + ": " +
                 std::to_string(sample) + " for " + std::to_string(wanted);
        }
      }
    }
    return {};
  }

  // Whether what lies around the decoded area is the same.
  bool HasGuardOf(GuardedFrame& other) {
    GuardedFrame copy = *this;
    for (uint32_t component = 0; component < 3; ++component) {
      const uint32_t plane = component == 0 ? kLuma : kChroma;
      for (int y = 0; y < height_[plane]; ++y) {
        for (int x = 0; x < width_[plane]; ++x) {
          copy.At(component, x, y) = other.At(component, x, y);
        }
      }
    }
    return copy.Difference(other).empty();
  }

 private:
  static constexpr int kGuard = 16;

  FrameParams frame_ = {};
  CodecParams codec_;
  int width_[kPlaneCount];
  int height_[kPlaneCount];
  int stride_[kPlaneCount];
  std::vector<Sample> samples_[kPlaneCount];
  std::vector<RecordBytes> lists_[kMaxLists];
  std::vector<int16_t> arena_;
};

// Calls test(name) with each of Highway's targets that this CPU has.
template <class Test>
void ForEachTarget(const Test& test) {
  for (int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0;
       targets &= targets - 1) {
    const int64_t target = targets & -targets;
    hwy::SetSupportedTargetsForTest(target);
    test(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(0);
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_TESTS_KERNELS_AV1_GUARDED_FRAME_H_
