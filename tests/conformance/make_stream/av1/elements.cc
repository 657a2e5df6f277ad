// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/av1/elements.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "codec/av1/cdf.h"

namespace perdix::make_stream::av1 {
namespace {

using perdix::av1::CdfContext;
using perdix::av1::MvCdfs;

class ElementList {
 public:
  std::vector<Element> Take() && {
    std::ranges::sort(elements_, {}, &Element::begin);
    elements_.push_back({"split_or_horz_or_vert", 2, sizeof(CdfContext), 1, 1});
    return std::move(elements_);
  }

  // A Cdf, or an array of them.
  template <typename Cdfs>
  void Add(const std::string& name, const Cdfs& cdfs) {
    using Cdf = std::remove_all_extents_t<Cdfs>;
    const size_t begin = size_t(reinterpret_cast<const char*>(&cdfs) -
                                reinterpret_cast<const char*>(&cdfs_));
    elements_.push_back(
        {name, Cdf::kSymbols, begin, sizeof(cdfs), sizeof(Cdf)});
  }
  void AddMv(const MvCdfs& mv, const std::string& suffix) {
    Add("mv_joint" + suffix, mv.mv_joint);
    for (int i = 0; i < 2; ++i) {
      const auto& from = mv.components[i];
      const std::string of = (i == 0 ? ", row" : ", column") + suffix;
      Add("mv_class" + of, from.mv_class);
      Add("mv_class0_bit" + of, from.mv_class0_bit);
      Add("mv_class0_fr" + of, from.mv_class0_fr);
      Add("mv_class0_hp" + of, from.mv_class0_hp);
      Add("mv_sign" + of, from.mv_sign);
      Add("mv_bit" + of, from.mv_bit);
      Add("mv_fr" + of, from.mv_fr);
      Add("mv_hp" + of, from.mv_hp);
    }
  }
  const CdfContext& cdfs() const { return cdfs_; }

 private:
  const CdfContext cdfs_ = {};
  std::vector<Element> elements_;
};

std::vector<Element> MakeElements() {
  ElementList list;
  const CdfContext& c = list.cdfs();
#define ADD(name) list.Add(#name, c.name)
  ADD(intra_frame_y_mode);
  ADD(y_mode);
  ADD(uv_mode_cfl_not_allowed);
  ADD(uv_mode_cfl_allowed);
  ADD(angle_delta);
  ADD(intrabc);
  ADD(partition_w8);
  ADD(partition_w16);
  ADD(partition_w32);
  ADD(partition_w64);
  ADD(partition_w128);
  ADD(tx_8x8);
  ADD(tx_16x16);
  ADD(tx_32x32);
  ADD(tx_64x64);
  ADD(txfm_split);
  ADD(filter_intra_mode);
  ADD(filter_intra);
  ADD(segment_id);
  ADD(segment_id_predicted);
  ADD(new_mv);
  ADD(zero_mv);
  ADD(ref_mv);
  ADD(drl_mode);
  ADD(is_inter);
  ADD(comp_mode);
  ADD(skip_mode);
  ADD(skip);
  ADD(comp_ref);
  ADD(comp_bwd_ref);
  ADD(single_ref);
  ADD(compound_mode);
  ADD(interp_filter);
  ADD(motion_mode);
  ADD(palette_y_size);
  ADD(palette_uv_size);
  ADD(palette_size_2_y_color);
  ADD(palette_size_3_y_color);
  ADD(palette_size_4_y_color);
  ADD(palette_size_5_y_color);
  ADD(palette_size_6_y_color);
  ADD(palette_size_7_y_color);
  ADD(palette_size_8_y_color);
  ADD(palette_size_2_uv_color);
  ADD(palette_size_3_uv_color);
  ADD(palette_size_4_uv_color);
  ADD(palette_size_5_uv_color);
  ADD(palette_size_6_uv_color);
  ADD(palette_size_7_uv_color);
  ADD(palette_size_8_uv_color);
  ADD(palette_y_mode);
  ADD(palette_uv_mode);
  ADD(delta_q);
  ADD(delta_lf);
  ADD(delta_lf_multi);
  ADD(intra_tx_type_set1);
  ADD(intra_tx_type_set2);
  ADD(inter_tx_type_set1);
  ADD(inter_tx_type_set2);
  ADD(inter_tx_type_set3);
  ADD(compound_idx);
  ADD(comp_group_idx);
  ADD(compound_type);
  ADD(inter_intra);
  ADD(inter_intra_mode);
  ADD(wedge_index);
  ADD(wedge_inter_intra);
  ADD(use_obmc);
  ADD(comp_ref_type);
  ADD(uni_comp_ref);
  ADD(cfl_sign);
  ADD(cfl_alpha);
  ADD(use_wiener);
  ADD(use_sgrproj);
  ADD(restoration_type);
#undef ADD
#define ADD(name) list.Add(#name, c.coefficients.name)
  ADD(txb_skip);
  ADD(eob_pt_16);
  ADD(eob_pt_32);
  ADD(eob_pt_64);
  ADD(eob_pt_128);
  ADD(eob_pt_256);
  ADD(eob_pt_512);
  ADD(eob_pt_1024);
  ADD(eob_extra);
  ADD(dc_sign);
  ADD(coeff_base_eob);
  ADD(coeff_base);
  ADD(coeff_br);
#undef ADD
  list.AddMv(c.mv[0], "");
  list.AddMv(c.mv[1], " of intrabc");
  return std::move(list).Take();
}

// By half of an offset: CDFs have two elements at least.
std::vector<uint16_t> MakeIndex() {
  const std::vector<Element>& elements = Elements();
  std::vector<uint16_t> index(sizeof(CdfContext) / 4,
                              uint16_t(elements.size() - 1));
  for (size_t i = 0; i + 1 < elements.size(); ++i) {
    const Element& element = elements[i];
    std::fill_n(index.begin() + ptrdiff_t(element.begin / 4), element.bytes / 4,
                uint16_t(i));
  }
  return index;
}

}  // namespace

const std::vector<Element>& Elements() {
  static const std::vector<Element> elements = MakeElements();
  return elements;
}

size_t ElementAt(size_t offset) {
  static const std::vector<uint16_t> index = MakeIndex();
  return offset < sizeof(CdfContext) ? index[offset / 4]
                                     : Elements().size() - 1;
}

size_t ElementOf(std::string_view name) {
  const std::vector<Element>& elements = Elements();
  const auto found = std::ranges::find(elements, name, &Element::name);
  if (found == elements.end()) {
    throw std::out_of_range("no syntax element " + std::string(name));
  }
  return size_t(found - elements.begin());
}

}  // namespace perdix::make_stream::av1
