// SPDX-License-Identifier: BSD-2-Clause
// What kernels are called with, owned by a test.
#ifndef PERDIX_TESTS_FRAME_KERNEL_INPUT_H_
#define PERDIX_TESTS_FRAME_KERNEL_INPUT_H_

#include <array>
#include <cstdint>
#include <new>
#include <vector>

#include "kernels/kernel.h"
#include "tests/frame/guarded_picture.h"

namespace perdix {

// One list of records, to be filled by a test.
template <typename Record>
class TestList {
 public:
  explicit TestList(std::vector<RecordBytes>& records) : records_(records) {}

  void push_back(const Record& record) const {
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

// The records of one tile.
struct TestLists {
  std::array<std::vector<RecordBytes>, kMaxLists> lists;
  std::vector<int16_t> coefficients;

  template <typename Record>
  TestList<Record> Of(List<Record> list) {
    return TestList<Record>(lists[list.index]);
  }
  // Pointers into this object.
  WorkLists View() const;
};

// What a kernel is called with. Copies are independent.
struct KernelInput : TestLists {
  FrameParams params = {};
  CodecParams codec_params;
  TableMemory tables;
  GuardedPicture target;
  GuardedPicture display;  // if a kernel writes that
  uint32_t coded_planes = kPlaneCount;
  GuardedPicture references[PERDIX_MAX_REFERENCES];

  // Pointers into this object.
  KernelArgs Args();
};

// Work items that the kernel has in these lists, or in this frame.
uint32_t ItemCount(const KernelArgs& args, KernelId kernel);

// Parameters of a frame without references, of superblocks of 64x64.
FrameParams TestFrameParams(uint32_t width, uint32_t height, uint32_t bit_depth,
                            uint32_t subsampling_x, uint32_t subsampling_y);

}  // namespace perdix

#endif  // PERDIX_TESTS_FRAME_KERNEL_INPUT_H_
