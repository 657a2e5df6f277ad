// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/av1/features.h"

#include <algorithm>
#include <iterator>

namespace perdix::make_stream::av1 {
namespace {

using client::av1::FrameHeader;
using client::av1::SequenceHeader;

class FeatureList {
 public:
  FeatureList(const SequenceHeader& sequence, const FrameHeader& header,
              const client::av1::Slots& slots)
      : sequence_(sequence),
        header_(header),
        control_(header.control),
        slots_(slots) {}

  std::set<std::string> Make() {
    OfSequence();
    if (header_.show_existing_frame) {
      Add("shown again", true);
      return features_;
    }
    OfFrame();
    if (!header_.intra) OfReferences();
    OfQuantizers();
    OfFilters();
    return features_;
  }

 private:
  void Add(const std::string& name, bool on) {
    if (on) features_.insert(name);
  }
  void AddFlag(const char* name, uint32_t flag) {
    Add(name, control_.flags & flag);
  }

  void OfSequence() {
    const client::FrameFormat& samples = sequence_.samples;
    Add(std::to_string(samples.bit_depth) + " bit", true);
    Add(samples.monochrome           ? "4:0:0"
        : samples.subsampling_x == 0 ? "4:4:4"
        : samples.subsampling_y == 0 ? "4:2:2"
                                     : "4:2:0",
        true);
    Add("superblocks of 128",
        sequence_.Has(V4L2_AV1_SEQUENCE_FLAG_USE_128X128_SUPERBLOCK));
    Add("frame ids", sequence_.frame_id_numbers_present);
    Add("order hints of 1 to 3 bits",
        sequence_.order_hint_bits >= 1 && sequence_.order_hint_bits <= 3);
    Add("no order hints", sequence_.order_hint_bits == 0);
    Add("layers", sequence_.operating_points[0].idc != 0);
  }

  void OfFrame() {
    constexpr const char* kTypes[] = {"key frame", "inter frame", "intra-only",
                                      "switch frame"};
    Add(kTypes[control_.frame_type], true);
    Add("hidden", !header_.shown);
    AddFlag("error resilient", V4L2_AV1_FRAME_FLAG_ERROR_RESILIENT_MODE);
    AddFlag("superres", V4L2_AV1_FRAME_FLAG_USE_SUPERRES);
    AddFlag("size of its own", V4L2_AV1_FRAME_FLAG_FRAME_SIZE_OVERRIDE);
    AddFlag("intrabc", V4L2_AV1_FRAME_FLAG_ALLOW_INTRABC);
    AddFlag("no cdf update", V4L2_AV1_FRAME_FLAG_DISABLE_CDF_UPDATE);
    AddFlag("reduced tx set", V4L2_AV1_FRAME_FLAG_REDUCED_TX_SET);
    Add("tile columns", control_.tile_info.tile_cols > 1);
    Add("tile rows", control_.tile_info.tile_rows > 1);
    Add("film grain",
        header_.saved.film_grain.flags & V4L2_AV1_FILM_GRAIN_FLAG_APPLY_GRAIN);
  }

  void OfReferences() {
    Add("primary reference", control_.primary_ref_frame != 7);
    AddFlag("ref mvs", V4L2_AV1_FRAME_FLAG_USE_REF_FRAME_MVS);
    AddFlag("skip mode", V4L2_AV1_FRAME_FLAG_SKIP_MODE_PRESENT);
    AddFlag("integer mv", V4L2_AV1_FRAME_FLAG_FORCE_INTEGER_MV);
    AddFlag("short signaling", V4L2_AV1_FRAME_FLAG_FRAME_REFS_SHORT_SIGNALING);
    Add("global motion",
        std::ranges::any_of(control_.global_motion.type, [](auto type) {
          return type != V4L2_AV1_WARP_MODEL_IDENTITY;
        }));
    Add("scaled reference",
        std::ranges::any_of(control_.ref_frame_idx, [&](int8_t slot) {
          const client::FrameFormat& format = slots_[uint8_t(slot)].format;
          return format.width != control_.frame_width_minus_1 + 1u ||
                 format.height != control_.frame_height_minus_1 + 1u;
        }));
  }

  void OfQuantizers() {
    const v4l2_av1_quantization& quantization = control_.quantization;
    const v4l2_av1_segmentation& segmentation = control_.segmentation;
    Add("matrices",
        quantization.flags & V4L2_AV1_QUANTIZATION_FLAG_USING_QMATRIX);
    Add("delta q",
        quantization.flags & V4L2_AV1_QUANTIZATION_FLAG_DELTA_Q_PRESENT);
    Add("delta lf", control_.loop_filter.flags &
                        V4L2_AV1_LOOP_FILTER_FLAG_DELTA_LF_PRESENT);
    Add("no quantiser", quantization.base_q_idx == 0);
    Add("segmentation",
        segmentation.flags & V4L2_AV1_SEGMENTATION_FLAG_ENABLED);
    Add("temporal segment map",
        segmentation.flags & V4L2_AV1_SEGMENTATION_FLAG_TEMPORAL_UPDATE);
    constexpr const char* kNames[] = {
        "segment alt_q",    "segment alt_lf_y_v", "segment alt_lf_y_h",
        "segment alt_lf_u", "segment alt_lf_v",   "segment ref_frame",
        "segment skip",     "segment globalmv"};
    uint32_t enabled = 0;
    for (const uint8_t of_segment : segmentation.feature_enabled)
      enabled |= of_segment;
    for (size_t i = 0; i < std::size(kNames); ++i)
      Add(kNames[i], enabled >> i & 1);
  }

  void OfFilters() {
    const v4l2_av1_loop_filter& filter = control_.loop_filter;
    Add("deblocking", filter.level[0] != 0 || filter.level[1] != 0);
    const v4l2_av1_cdef& cdef = control_.cdef;
    const auto any = [](const auto& strengths) {
      return std::ranges::any_of(strengths, [](auto s) { return s != 0; });
    };
    Add("cdef", any(cdef.y_pri_strength) || any(cdef.y_sec_strength) ||
                    any(cdef.uv_pri_strength) || any(cdef.uv_sec_strength));
    Add("restoration", control_.loop_restoration.flags != 0);
  }

  const SequenceHeader& sequence_;
  const FrameHeader& header_;
  const v4l2_ctrl_av1_frame& control_;
  const client::av1::Slots& slots_;
  std::set<std::string> features_;
};

}  // namespace

std::set<std::string> FeaturesOf(const SequenceHeader& sequence,
                                 const FrameHeader& header,
                                 const client::av1::Slots& slots) {
  return FeatureList(sequence, header, slots).Make();
}

void AddFeaturesOf(const Coverage& tiles, std::set<std::string>* features) {
  struct Feature {
    const char *name, *symbol;
    int64_t value;
  };
  constexpr Feature kFeatures[] = {
      {"palette", "palette_y_mode (2)", 1},
      {"chroma palette", "palette_uv_mode (2)", 1},
      {"filter intra", "filter_intra (2)", 1},
      {"block copy", "intrabc (2)", 1},
      {"chroma from luma", "uv_mode_cfl_allowed (14)", 13},
      {"compound", "comp_mode (2)", 1},
      {"wedge", "compound_type (2)", 0},
      {"difference mask", "compound_type (2)", 1},
      {"distance weights", "compound_idx (2)", 0},
      {"inter-intra", "inter_intra (2)", 1},
      {"overlapped", "motion_mode (3)", 1},
      {"overlapped", "use_obmc (2)", 1},
      {"local warp", "motion_mode (3)", 2},
      {"wiener", "use_wiener (2)", 1},
      {"self-guided", "use_sgrproj (2)", 1},
      {"switchable wiener", "restoration_type (3)", 1},
      {"switchable self-guided", "restoration_type (3)", 2},
      {"transforms of 64", "tx_64x64 (3)", 0},
      {"transform trees", "txfm_split (2)", 1},
  };
  for (const Feature& feature : kFeatures) {
    if (tiles.Has("symbol", feature.symbol, feature.value))
      features->insert(feature.name);
  }
}

}  // namespace perdix::make_stream::av1
