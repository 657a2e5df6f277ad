// SPDX-License-Identifier: BSD-2-Clause
// Random frames for the in-loop filters: the kernels' input, and the same as
// the specification's state; and the orders in which the engine may run the
// passes.
#ifndef PERDIX_TESTS_KERNELS_AV1_FILTER_FRAME_H_
#define PERDIX_TESTS_KERNELS_AV1_FILTER_FRAME_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/av1/kernels.h"
#include "tests/frame/guarded_picture.h"
#include "tests/frame/random.h"
#include "tests/kernels/av1/spec_filters.h"

namespace perdix::av1 {

// A test for each variant of the kernels: the scalar one, and each target of
// Highway that this CPU has. What FilterFrame runs is the variant's.
class FilterTest : public ::testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override;
  void TearDown() override;
};
inline constexpr int64_t kScalarTarget = 0;
std::vector<int64_t> FilterTargets();
// Whether the test at hand is one of a target of Highway.
bool TestsSimd();
std::string FilterTargetName(const ::testing::TestParamInfo<int64_t>& info);

struct FilterOptions {
  int width = 64;  // UpscaledWidth
  int height = 64;
  int bit_depth = 8;
  int subsampling_x = 1;
  int subsampling_y = 1;
  bool monochrome = false;
  int sb_log2 = 6;
  int superres_denom = 8;
  bool deblock = false;
  bool cdef = false;
  bool restoration = false;

  std::string Text() const;
};

// Random sizes up to <largest>, depths and so on; the filters are up to the
// caller.
FilterOptions RandomOptions(TestRandom& random, int largest);

enum FilterPass {
  kDeblockPass,
  kCdefPass,
  kSuperResPass,
  kLoopRestorationPass,
  kFilterPasses  // how many
};

// When the passes run their rows.
enum class FilterOrder {
  kPassByPass,  // each pass all rows, then the next
  kRowByRow,    // as early as possible, first rows first
  kUpwards,     // each pass all rows, last rows first where they may
  kRandom,      // any that may run
};

class FilterFrame {
 public:
  FilterFrame(const FilterOptions& options, TestRandom& random);

  const SpecState& state() const { return state_; }
  // The picture before the filters.
  const SpecFrame& reconstructed() const { return reconstructed_; }
  int sb_rows() const { return static_cast<int>(params_.sb_rows); }

  // Puts the picture into the target, between guards.
  void Reset();
  // pass: FilterPass.
  void RunPass(int pass, int row);
  bool Needs(int pass) const;
  // All passes.
  void Run(FilterOrder order, TestRandom& random);
  // All passes, each on two threads, as far as others let them go on.
  void RunOnThreads();

  // Fails the test where the target differs from <expected> in the upscaled
  // frame, or in all that is decoded, or where a guard byte is changed.
  void ExpectEqual(const SpecFrame& expected, bool decoded_area) const;

  // To make special pictures and tables: call Pack after changes to state.
  SpecState& mutable_state() { return state_; }
  SpecFrame& mutable_reconstructed() { return reconstructed_; }
  void Pack();

 private:
  std::vector<int> NeededPasses() const;
  template <typename Done>
  bool MayRun(std::span<const int> passes, size_t i, int row,
              const Done& done) const;
  void MakeEdges(TestRandom& random);
  void MakeCdef(TestRandom& random);
  void MakeRestoration(TestRandom& random);
  void MakePicture(TestRandom& random);
  void PackEdges();
  void PackUnits();
  KernelArgs Args();
  int PlaneWidth(int plane) const;   // decoded
  int PlaneHeight(int plane) const;  // decoded
  // plane: 0 Y, 1 U, 2 V.
  int Get(int plane, int x, int y) const;

  FilterOptions options_;
  SpecState state_ = {};
  SpecFrame reconstructed_;
  FrameParams params_ = {};
  CodecParams codec_;
  TableMemory tables_;
  GuardedPicture picture_;
};

// Filters <frame> in each order, and expects what the specification gives.
void ExpectLikeSpec(FilterFrame& frame, TestRandom& random);

}  // namespace perdix::av1

#endif  // PERDIX_TESTS_KERNELS_AV1_FILTER_FRAME_H_
