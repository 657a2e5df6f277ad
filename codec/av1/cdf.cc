// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/cdf.h"

#include <array>

#include "codec/av1/default_cdfs/tables.h"

namespace perdix::av1 {
namespace {

template <int N>
void Clear(Cdf<N>& cdf) {
  cdf.values[Cdf<N>::kLanes - 1] = 0;
}
template <typename Array, size_t kSize>
void Clear(Array (&array)[kSize]) {
  for (Array& element : array) Clear(element);
}
template <typename... Cdfs>
void ClearAll(Cdfs&... cdfs) {
  (Clear(cdfs), ...);
}

void Clear(MvCdfs& mv) {
  Clear(mv.mv_joint);
  for (MvComponentCdfs& c : mv.components) {
    ClearAll(c.mv_class, c.mv_class0_bit, c.mv_class0_fr, c.mv_class0_hp,
             c.mv_sign, c.mv_bit, c.mv_fr, c.mv_hp);
  }
}

void Clear(CoefficientCdfs& c) {
  ClearAll(c.txb_skip, c.eob_pt_16, c.eob_pt_32, c.eob_pt_64, c.eob_pt_128,
           c.eob_pt_256, c.eob_pt_512, c.eob_pt_1024, c.eob_extra, c.dc_sign,
           c.coeff_base_eob, c.coeff_base, c.coeff_br);
}

// The index of init_coeff_cdfs (6.8.2).
size_t QuantiserContext(int base_q_idx) {
  return base_q_idx <= 20    ? 0
         : base_q_idx <= 60  ? 1
         : base_q_idx <= 120 ? 2
                             : 3;
}

}  // namespace

const CdfContext& DefaultCdfs(int base_q_idx) {
  static const std::array<CdfContext, 4> defaults = [] {
    std::array<CdfContext, 4> all;
    for (size_t i = 0; i < all.size(); ++i) {
      all[i] = kDefaultCdfs;
      all[i].coefficients = kDefaultCoefficientCdfs[i];
    }
    return all;
  }();
  return defaults[QuantiserContext(base_q_idx)];
}

void ClearCounters(CdfContext* cdfs) {
  CdfContext& c = *cdfs;
  ClearAll(c.intra_frame_y_mode, c.y_mode, c.uv_mode_cfl_not_allowed,
           c.uv_mode_cfl_allowed, c.angle_delta, c.intrabc, c.partition_w8,
           c.partition_w16, c.partition_w32, c.partition_w64, c.partition_w128,
           c.tx_8x8, c.tx_16x16, c.tx_32x32, c.tx_64x64, c.txfm_split,
           c.filter_intra_mode, c.filter_intra, c.segment_id,
           c.segment_id_predicted, c.new_mv, c.zero_mv, c.ref_mv, c.drl_mode,
           c.is_inter, c.comp_mode, c.skip_mode, c.skip, c.comp_ref,
           c.comp_bwd_ref, c.single_ref, c.compound_mode, c.interp_filter,
           c.motion_mode, c.palette_y_size, c.palette_uv_size,
           c.palette_size_2_y_color, c.palette_size_3_y_color,
           c.palette_size_4_y_color, c.palette_size_5_y_color,
           c.palette_size_6_y_color, c.palette_size_7_y_color,
           c.palette_size_8_y_color, c.palette_size_2_uv_color,
           c.palette_size_3_uv_color, c.palette_size_4_uv_color,
           c.palette_size_5_uv_color, c.palette_size_6_uv_color,
           c.palette_size_7_uv_color, c.palette_size_8_uv_color,
           c.palette_y_mode, c.palette_uv_mode, c.delta_q, c.delta_lf,
           c.delta_lf_multi, c.intra_tx_type_set1, c.intra_tx_type_set2,
           c.inter_tx_type_set1, c.inter_tx_type_set2, c.inter_tx_type_set3,
           c.compound_idx, c.comp_group_idx, c.compound_type, c.inter_intra,
           c.inter_intra_mode, c.wedge_index, c.wedge_inter_intra, c.use_obmc,
           c.comp_ref_type, c.uni_comp_ref, c.cfl_sign, c.cfl_alpha,
           c.use_wiener, c.use_sgrproj, c.restoration_type);
  for (MvCdfs& mv : c.mv) Clear(mv);
  Clear(c.coefficients);
}

}  // namespace perdix::av1
