// SPDX-License-Identifier: BSD-2-Clause
// Harness of the kernel tests: inputs with guarded pictures, and the comparison
// of every variant in the table of kernels with the scalar reference.
// tests/kernels/<codec>/<stem>_test.cc supply inputs and hard cases.
#ifndef PERDIX_TESTS_KERNEL_TEST_H_
#define PERDIX_TESTS_KERNEL_TEST_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "tests/frame/guarded_picture.h"
#include "tests/frame/random.h"

namespace perdix {

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
  int64_t target = 0;  // Highway's, for kSimd

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
