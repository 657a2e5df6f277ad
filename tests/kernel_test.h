// SPDX-License-Identifier: BSD-2-Clause
// Harness of the kernel tests: inputs with guarded pictures, and the comparison
// of every variant in the table of kernels with the scalar reference.
// tests/kernels/<codec>/<stem>_test.cc supply inputs and hard cases.
#ifndef PERDIX_TESTS_KERNEL_TEST_H_
#define PERDIX_TESTS_KERNEL_TEST_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/kernel.h"

namespace perdix {

// The same numbers for the same seed, everywhere.
class TestRandom {
 public:
  explicit TestRandom(uint32_t seed) : engine_(seed) {}

  // lowest..highest, both included.
  int Uniform(int lowest, int highest);
  bool OneIn(int n) { return Uniform(0, n - 1) == 0; }

 private:
  std::mt19937 engine_;
};

enum class Content { kRandom, kMinimum, kMaximum, kNatural };
inline constexpr Content kAllContents[] = {
    Content::kRandom, Content::kMinimum, Content::kMaximum, Content::kNatural};

// A picture whose planes hold an area that kernels may use and guard bytes
// all around it.
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

  // Of the area, in pixels. Zero for a picture that is not there.
  int Width(uint32_t plane) const { return planes_[plane].width; }
  int Height(uint32_t plane) const { return planes_[plane].height; }
  // component: 0 Y or U, 1 V.
  int Get(uint32_t plane, int x, int y, int component) const;
  void Set(uint32_t plane, int x, int y, int component, int value);

  // Samples of two bytes get their value into the upper bits, as in P010.
  void UseUpperBits();

  PictureView View();

  // Fails the test, naming the first sample of the area that differs.
  static void ExpectEqual(const GuardedPicture& expected,
                          const GuardedPicture& actual);

 private:
  struct GuardedPlane {
    std::vector<uint8_t> memory;
    size_t origin = 0;  // of the area, bytes
    uint32_t stride_bytes = 0;
    int width = 0;  // of the area, pixels
    int height = 0;
  };

  GuardedPicture(const FrameParams& params, uint32_t width, uint32_t height,
                 uint32_t area_width, uint32_t area_height);
  size_t Offset(uint32_t plane, int x, int y, int component) const;
  size_t PixelBytes(uint32_t plane) const;

  GuardedPlane planes_[kPlaneCount];
  PictureView view_;  // without pointers
  uint8_t guard_ = 0;
};

// One list of records, to be filled by a test.
template <typename Record>
class TestList {
 public:
  explicit TestList(std::vector<RecordBytes>& records) : records_(records) {}

  void push_back(const Record& record) {
    records_.emplace_back();
    new (&records_.back()) Record(record);
  }
  size_t size() const { return records_.size(); }
  Record& operator[](size_t index) const {
    return reinterpret_cast<Record&>(records_[index]);
  }
  Record& back() const { return (*this)[size() - 1]; }

 private:
  std::vector<RecordBytes>& records_;
};

// What a kernel is called with. Copies are independent.
struct KernelInput {
  FrameParams params = {};
  CodecParams codec_params;
  std::array<std::vector<RecordBytes>, kMaxLists> lists;
  std::vector<int16_t> coefficients;
  TableMemory tables;
  GuardedPicture target;
  GuardedPicture references[PERDIX_MAX_REFERENCES];
  uint32_t item_count = 0;  // work items

  template <typename Record>
  TestList<Record> Of(List<Record> list) {
    return TestList<Record>(lists[list.index]);
  }
  // Pointers into this object.
  KernelArgs Args();
};

// One way to run a row of the table.
struct KernelVariant {
  KernelId id;
  Variant variant;
  uint32_t bit_depth;
  int64_t target = 0;  // of Highway, for kSimd

  KernelFunction function() const;
};

// All that exist for the kernel, at 8, 10 and 12 bit, on each Highway target
// that this CPU has: parameters of a suite.
std::vector<KernelVariant> VariantsOf(KernelId id);
std::string VariantName(const ::testing::TestParamInfo<KernelVariant>& info);

class KernelTest : public ::testing::TestWithParam<KernelVariant> {
 protected:
  uint32_t bit_depth() const { return GetParam().bit_depth; }
  int max_sample() const { return (1 << bit_depth()) - 1; }

  // Parameters of a frame of this size and the variant's bit depth.
  FrameParams Params(uint32_t width, uint32_t height, uint32_t subsampling_x,
                     uint32_t subsampling_y) const;

  // Runs the variant over all work items.
  void Run(KernelInput& input) const;

  // Runs the scalar reference and the variant, the latter item by item (from
  // the last one on, if their order does not matter) if split is set, on copies
  // of input whose guard bytes differ: the results must be the same and the
  // guard bytes untouched.
  void ExpectSameAsReference(const KernelInput& input, bool split) const;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_KERNEL_TEST_H_
