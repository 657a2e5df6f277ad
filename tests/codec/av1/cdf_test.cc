// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/cdf.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace perdix::av1 {
namespace {

// Fails where a CDF is not as Cdf's comment says, with a counter of 0.
struct IsDefault {
  template <int N>
  void operator()(const Cdf<N>& cdf) const {
    int before = 32768;
    for (int i = 0; i < N - 1; ++i) {
      EXPECT_LT(cdf.values[i], before) << "N " << N << " symbol " << i;
      before = cdf.values[i];
    }
    EXPECT_GT(before, 0);
    for (int i = N - 1; i < Cdf<N>::kLanes; ++i) EXPECT_EQ(cdf.values[i], 0);
  }
};

constexpr int kMark = 0x1111;

// Fails where a CDF of marks only was not cleared, or more of it than that.
struct OnlyTheCounterIsCleared {
  template <int N>
  void operator()(const Cdf<N>& cdf) const {
    constexpr int kCounter = Cdf<N>::kLanes - 1;
    EXPECT_EQ(cdf.values[kCounter], 0) << "N " << N;
    for (int i = 0; i < kCounter; ++i) EXPECT_EQ(cdf.values[i], kMark);
  }
};

// Each of these returns the bytes of the CDFs that it checked.
template <int N, typename Test>
size_t Check(const Cdf<N>& cdf, const Test& test) {
  test(cdf);
  return sizeof(cdf);
}

template <typename Array, size_t kSize, typename Test>
size_t Check(const Array (&array)[kSize], const Test& test) {
  size_t bytes = 0;
  for (const Array& element : array) bytes += Check(element, test);
  return bytes;
}

template <typename Test>
size_t Check(const MvCdfs& mv, const Test& test) {
  size_t bytes = Check(mv.mv_joint, test);
  for (const MvComponentCdfs& c : mv.components) {
    bytes += Check(c.mv_class, test) + Check(c.mv_class0_bit, test) +
             Check(c.mv_class0_fr, test) + Check(c.mv_class0_hp, test) +
             Check(c.mv_sign, test) + Check(c.mv_bit, test) +
             Check(c.mv_fr, test) + Check(c.mv_hp, test);
  }
  return bytes;
}

template <typename Test, typename... Cdfs>
size_t CheckAll(const Test& test, const Cdfs&... cdfs) {
  return (Check(cdfs, test) + ...);
}

template <typename Test>
size_t Check(const CoefficientCdfs& c, const Test& test) {
  return CheckAll(test, c.txb_skip, c.eob_pt_16, c.eob_pt_32, c.eob_pt_64,
                  c.eob_pt_128, c.eob_pt_256, c.eob_pt_512, c.eob_pt_1024,
                  c.eob_extra, c.dc_sign, c.coeff_base_eob, c.coeff_base,
                  c.coeff_br);
}

template <typename Test>
size_t Check(const CdfContext& c, const Test& test) {
  return CheckAll(
      test, c.intra_frame_y_mode, c.y_mode, c.uv_mode_cfl_not_allowed,
      c.uv_mode_cfl_allowed, c.angle_delta, c.intrabc, c.partition_w8,
      c.partition_w16, c.partition_w32, c.partition_w64, c.partition_w128,
      c.tx_8x8, c.tx_16x16, c.tx_32x32, c.tx_64x64, c.txfm_split,
      c.filter_intra_mode, c.filter_intra, c.segment_id, c.segment_id_predicted,
      c.mv, c.new_mv, c.zero_mv, c.ref_mv, c.drl_mode, c.is_inter, c.comp_mode,
      c.skip_mode, c.skip, c.comp_ref, c.comp_bwd_ref, c.single_ref,
      c.compound_mode, c.interp_filter, c.motion_mode, c.palette_y_size,
      c.palette_uv_size, c.palette_size_2_y_color, c.palette_size_3_y_color,
      c.palette_size_4_y_color, c.palette_size_5_y_color,
      c.palette_size_6_y_color, c.palette_size_7_y_color,
      c.palette_size_8_y_color, c.palette_size_2_uv_color,
      c.palette_size_3_uv_color, c.palette_size_4_uv_color,
      c.palette_size_5_uv_color, c.palette_size_6_uv_color,
      c.palette_size_7_uv_color, c.palette_size_8_uv_color, c.palette_y_mode,
      c.palette_uv_mode, c.delta_q, c.delta_lf, c.delta_lf_multi,
      c.intra_tx_type_set1, c.intra_tx_type_set2, c.inter_tx_type_set1,
      c.inter_tx_type_set2, c.inter_tx_type_set3, c.compound_idx,
      c.comp_group_idx, c.compound_type, c.inter_intra, c.inter_intra_mode,
      c.wedge_index, c.wedge_inter_intra, c.use_obmc, c.comp_ref_type,
      c.uni_comp_ref, c.cfl_sign, c.cfl_alpha, c.use_wiener, c.use_sgrproj,
      c.restoration_type, c.coefficients);
}

// Before and after members of 32-byte vectors.
constexpr size_t kAlignment = 400;
constexpr int kQuantisers[] = {0, 20, 21, 60, 61, 120, 121, 255};

TEST(Av1CdfTest, DefaultsDescendAndHaveNotCounted) {
  for (int quantiser : kQuantisers) {
    const size_t bytes = Check(DefaultCdfs(quantiser), IsDefault());
    // No member is left out: the rest of the structure is alignment.
    EXPECT_LE(bytes, sizeof(CdfContext));
    EXPECT_GE(bytes + kAlignment, sizeof(CdfContext));
  }
}

TEST(Av1CdfTest, DefaultsHaveTheSpecificationsValues) {
  const CdfContext& c = DefaultCdfs(0);
  EXPECT_EQ(c.intra_frame_y_mode[0][0].values[0], 32768 - 15588);
  EXPECT_EQ(c.skip[0].values[0], 32768 - 31671);
  EXPECT_EQ(c.intrabc.values[0], 32768 - 30531);
  EXPECT_EQ(c.mv[1].components[1].mv_class0_hp.values[0], 32768 - 160 * 128);
  EXPECT_EQ(c.mv[0].mv_joint.values[2], 32768 - 19328);
  EXPECT_EQ(c.restoration_type.values[1], 32768 - 22581);
}

TEST(Av1CdfTest, CopiesOfOneDefaultAreEqual) {
  const CdfContext& c = DefaultCdfs(100);
  EXPECT_EQ(std::memcmp(&c.mv[0], &c.mv[1], sizeof(c.mv[0])), 0);
  EXPECT_EQ(std::memcmp(&c.mv[0].components[0], &c.mv[0].components[1],
                        sizeof(MvComponentCdfs)),
            0);
  for (const auto& cdf : c.delta_lf_multi) {
    EXPECT_EQ(std::memcmp(&cdf, &c.delta_lf, sizeof(cdf)), 0);
  }
}

TEST(Av1CdfTest, QuantiserChoosesCoefficientsOnly) {
  std::vector<int> first;
  for (int quantiser : kQuantisers) {
    const CdfContext& c = DefaultCdfs(quantiser);
    EXPECT_EQ(
        std::memcmp(&c, &DefaultCdfs(0), offsetof(CdfContext, coefficients)),
        0);
    first.push_back(32768 - c.coefficients.txb_skip[0][0].values[0]);
  }
  const std::vector<int> expected = {31849, 31849, 30371, 30371,
                                     29614, 29614, 26887, 26887};
  EXPECT_EQ(first, expected);
}

TEST(Av1CdfTest, ClearsEveryCounterAndNothingElse) {
  CdfContext cdfs;
  std::memset(&cdfs, kMark & 0xff, sizeof(cdfs));
  for (int times = 0; times < 2; ++times) {
    ClearCounters(&cdfs);
    Check(cdfs, OnlyTheCounterIsCleared());
  }
}

}  // namespace
}  // namespace perdix::av1
