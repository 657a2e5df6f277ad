// SPDX-License-Identifier: BSD-2-Clause
// The adaptive probabilities of AV1 (8.3): one set for each tile, loaded from
// the frame's and saved with the picture. Members have the names of the
// specification's arrays (Default_<Name>_Cdf), indices in its order.
#ifndef PERDIX_CODEC_AV1_CDF_H_
#define PERDIX_CODEC_AV1_CDF_H_

#include <cstddef>
#include <cstdint>

#include "codec/av1/constants.h"

namespace perdix::av1 {

// The CDF of a symbol with N values: 32768 - the specification's cdf, for all
// but the last value, which is always 0; zeros up to the last element, which
// counts the symbols that were read. 2, 4, 8 or 16 elements, so that a vector
// holds it.
constexpr int CdfLanes(int n) {
  return n <= 2 ? 2 : n <= 4 ? 4 : n <= 8 ? 8 : 16;
}
template <int N>
struct alignas(2 * CdfLanes(N)) Cdf {
  static_assert(N >= 2 && N <= 16);
  static constexpr int kSymbols = N;
  static constexpr int kLanes = CdfLanes(N);
  uint16_t values[kLanes];
};

// One component of motion vectors; MvCtx 0 of inter blocks, 1 of intrabc.
struct MvComponentCdfs {
  Cdf<11> mv_class;
  Cdf<2> mv_class0_bit;
  Cdf<4> mv_class0_fr[2];
  Cdf<2> mv_class0_hp;
  Cdf<2> mv_sign;
  Cdf<2> mv_bit[10];
  Cdf<4> mv_fr;
  Cdf<2> mv_hp;
};
struct MvCdfs {
  Cdf<4> mv_joint;
  MvComponentCdfs components[2];  // row, column
};

// Set by base_q_idx where no reference's are loaded (init_coeff_cdfs).
struct CoefficientCdfs {
  Cdf<2> txb_skip[5][13];
  Cdf<5> eob_pt_16[2][2];  // [plane type][context]
  Cdf<6> eob_pt_32[2][2];
  Cdf<7> eob_pt_64[2][2];
  Cdf<8> eob_pt_128[2][2];
  Cdf<9> eob_pt_256[2][2];
  Cdf<10> eob_pt_512[2];
  Cdf<11> eob_pt_1024[2];
  Cdf<2> eob_extra[5][2][9];
  Cdf<2> dc_sign[2][3];
  Cdf<3> coeff_base_eob[5][2][4];
  Cdf<4> coeff_base[5][2][42];
  Cdf<4> coeff_br[5][2][21];
};

struct CdfContext {
  Cdf<13> intra_frame_y_mode[5][5];
  Cdf<13> y_mode[4];
  Cdf<13> uv_mode_cfl_not_allowed[13];
  Cdf<14> uv_mode_cfl_allowed[13];
  Cdf<7> angle_delta[8];
  Cdf<2> intrabc;
  Cdf<4> partition_w8[4];
  Cdf<10> partition_w16[4];
  Cdf<10> partition_w32[4];
  Cdf<10> partition_w64[4];
  Cdf<8> partition_w128[4];
  Cdf<2> tx_8x8[3];
  Cdf<3> tx_16x16[3];
  Cdf<3> tx_32x32[3];
  Cdf<3> tx_64x64[3];
  Cdf<2> txfm_split[21];
  Cdf<5> filter_intra_mode;
  Cdf<2> filter_intra[kBlockSizes];
  Cdf<8> segment_id[3];
  Cdf<2> segment_id_predicted[3];
  MvCdfs mv[2];  // [MvCtx]
  Cdf<2> new_mv[6];
  Cdf<2> zero_mv[2];
  Cdf<2> ref_mv[6];
  Cdf<2> drl_mode[3];
  Cdf<2> is_inter[4];
  Cdf<2> comp_mode[5];
  Cdf<2> skip_mode[3];
  Cdf<2> skip[3];
  Cdf<2> comp_ref[3][3];
  Cdf<2> comp_bwd_ref[3][2];
  Cdf<2> single_ref[3][6];
  Cdf<8> compound_mode[8];
  Cdf<3> interp_filter[16];
  Cdf<3> motion_mode[kBlockSizes];
  Cdf<7> palette_y_size[7];
  Cdf<7> palette_uv_size[7];
  Cdf<2> palette_size_2_y_color[5];
  Cdf<3> palette_size_3_y_color[5];
  Cdf<4> palette_size_4_y_color[5];
  Cdf<5> palette_size_5_y_color[5];
  Cdf<6> palette_size_6_y_color[5];
  Cdf<7> palette_size_7_y_color[5];
  Cdf<8> palette_size_8_y_color[5];
  Cdf<2> palette_size_2_uv_color[5];
  Cdf<3> palette_size_3_uv_color[5];
  Cdf<4> palette_size_4_uv_color[5];
  Cdf<5> palette_size_5_uv_color[5];
  Cdf<6> palette_size_6_uv_color[5];
  Cdf<7> palette_size_7_uv_color[5];
  Cdf<8> palette_size_8_uv_color[5];
  Cdf<2> palette_y_mode[7][3];
  Cdf<2> palette_uv_mode[2];
  Cdf<4> delta_q;
  Cdf<4> delta_lf;
  Cdf<4> delta_lf_multi[kFrameLfCount];
  Cdf<7> intra_tx_type_set1[2][13];
  Cdf<5> intra_tx_type_set2[3][13];
  Cdf<16> inter_tx_type_set1[2];
  Cdf<12> inter_tx_type_set2;
  Cdf<2> inter_tx_type_set3[4];
  Cdf<2> compound_idx[6];
  Cdf<2> comp_group_idx[6];
  Cdf<2> compound_type[kBlockSizes];
  Cdf<2> inter_intra[3];
  Cdf<4> inter_intra_mode[3];
  Cdf<16> wedge_index[kBlockSizes];
  Cdf<2> wedge_inter_intra[kBlockSizes];
  Cdf<2> use_obmc[kBlockSizes];
  Cdf<2> comp_ref_type[5];
  Cdf<2> uni_comp_ref[3][3];
  Cdf<8> cfl_sign;
  Cdf<16> cfl_alpha[6];
  Cdf<2> use_wiener;
  Cdf<2> use_sgrproj;
  Cdf<3> restoration_type;
  CoefficientCdfs coefficients;
};

// init_non_coeff_cdfs and init_coeff_cdfs (base_q_idx 0..255), counters 0.
const CdfContext& DefaultCdfs(int base_q_idx);

// Sets every counter to 0 (load_previous's clear in 6.8.2, and 8.2.4's when a
// tile's are saved). Idempotent.
void ClearCounters(CdfContext* cdfs);

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_CDF_H_
