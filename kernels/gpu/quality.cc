// SPDX-License-Identifier: BSD-2-Clause
// Memory is planned first: the partial sums of each dispatch lie one behind the
// other, and so do the planes in each of two buffers.
#include "kernels/gpu/quality.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "kernels/gpu/input_check.h"
#include "kernels/quality/adm_scale.h"
#include "kernels/shared/metrics.h"

namespace perdix::gpu {
namespace {

constexpr uint32_t kScales = PERDIX_QUALITY_SCALES;

// ---- programs ----

// Indices: whether samples have 16 bits, for those that read pictures.
constexpr std::string_view kSse[] = {"quality/sse", "quality/sse_10"};
constexpr std::string_view kMotionBlur[] = {"quality/motion_blur",
                                            "quality/motion_blur_10"};
constexpr std::string_view kVifDown[][2] = {
    {"quality/vif_down_0", "quality/vif_down_0_10"},
    {"quality/vif_down_1", "quality/vif_down_1"},
    {"quality/vif_down_2", "quality/vif_down_2"}};
constexpr std::string_view kVifStat[][2] = {
    {"quality/vif_stat_0", "quality/vif_stat_0_10"},
    {"quality/vif_stat_1", "quality/vif_stat_1"},
    {"quality/vif_stat_2", "quality/vif_stat_2"},
    {"quality/vif_stat_3", "quality/vif_stat_3"}};

constexpr std::string_view kAdmDwt[][2] = {
    {"quality/adm_dwt_0", "quality/adm_dwt_0_10"},
    {"quality/adm_dwt_1", "quality/adm_dwt_1"},
    {"quality/adm_dwt_2", "quality/adm_dwt_2"},
    {"quality/adm_dwt_3", "quality/adm_dwt_3"}};
constexpr std::string_view kAdmMask[] = {
    "quality/adm_mask_0", "quality/adm_mask_1", "quality/adm_mask_2",
    "quality/adm_mask_3"};

constexpr Program kReduce = {"reduce_64", {}, 256};

Program TiledProgram(std::string_view shader) {
  return {shader, {0, 0, PERDIX_QUALITY_LANES}, PERDIX_QUALITY_LANES};
}

// A power of two.
Program SseProgram(const DeviceTraits& traits, uint32_t plane, bool high) {
  const uint32_t lanes = HasLargeSubgroups(traits) ? 64 : 256;
  return {kSse[high], {plane, 0, lanes}, lanes};
}

// ---- grids ----

uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

struct Grid {
  uint32_t x;
  uint32_t y;
  uint64_t groups() const { return uint64_t{x} * y; }
};

Grid TilesOf(uint32_t width, uint32_t height, uint32_t tile_width,
             uint32_t tile_height) {
  return {CeilDiv(width, tile_width), CeilDiv(height, tile_height)};
}

PlaneRegion RegionOf(const Picture& picture, uint32_t plane) {
  const PictureView& view = picture.view;
  const PlaneOffsets& offsets = picture.offsets;
  const uint32_t sample = view.bit_depth > 8 ? 2 : 1;
  if (plane == kLuma) {
    return {offsets.luma_offset, offsets.luma_stride, view.width * sample,
            view.height};
  }
  return {offsets.chroma_offset, offsets.chroma_stride,
          CeilDiv(view.width, 2) * 2 * sample, CeilDiv(view.height, 2)};
}

QualityPlane LumaOf(const Picture& picture) {
  return {picture.offsets.luma_offset / 4, picture.offsets.luma_stride / 4};
}

// ---- a pair ----

// Makes the work of one pair.
class PairWork {
 public:
  PairWork(const DeviceTraits& traits, const QualityInput& input, Work* work)
      : traits_(traits),
        input_(input),
        width_(input.reference.view.width),
        height_(input.reference.view.height),
        high_(input.reference.view.bit_depth > 8),
        gain_limit_(input.limit_gain ? 1 : PERDIX_ADM_GAIN_LIMIT),
        work_(*work) {}

  Status Build(uint64_t max_range);
  size_t plane_bytes(uint32_t buffer) const {
    return words_[buffer] * sizeof(uint32_t);
  }

 private:
  struct Scale {
    uint32_t width;
    uint32_t height;
    uint32_t samples;  // words before them
  };
  struct Bands {
    uint32_t width = 0;
    uint32_t height = 0;
    uint32_t approximation = 0;  // words before it
    uint32_t planes = 0;         // words before them
  };
  // Results that lie side by side, each of so many partial sums.
  struct Reduction {
    uint32_t results = 0;
    uint32_t partials = 0;
    uint32_t first_partial = 0;
  };
  // In the order of QualitySums; those of features that are left out have no
  // partial sums, of which the reduction makes 0.
  enum ReductionId : uint32_t {
    kVif = 0,  // and the scales behind it
    kAdm = kScales,
    kMotion = 2 * kScales,
    kLumaSse,
    kChromaSse,
    kReductions,
  };

  bool Wants(uint32_t feature) const {
    return (input_.features & feature) != 0;
  }
  // Words of what the step of a scale leaves; gives the words before them.
  uint32_t Take(uint32_t scale, uint64_t words);
  void TakePartials(uint32_t reduction, uint64_t partials);
  Grid SseTiles(uint32_t plane) const;
  Grid MotionTiles() const;
  Grid VifTiles(uint32_t scale) const;
  void Plan();
  void PlanVif();
  void PlanAdm();

  void AddStep(uint32_t step);
  void Add(const Program& program, const Grid& grid, const auto& constants);
  void AddSse(uint32_t plane);
  void AddMotion();
  VifConstants VifOf(uint32_t scale) const;
  void AddVifDown(uint32_t scale);
  void AddVifStat(uint32_t scale);
  quality::AdmScale AdmScaleOf(uint32_t scale) const;
  AdmConstants AdmOf(uint32_t scale) const;
  void AddAdmDwt(uint32_t scale);
  void AddAdmMask(uint32_t scale);
  void AddReductions();

  const DeviceTraits& traits_;
  const QualityInput& input_;
  const uint32_t width_;
  const uint32_t height_;
  const bool high_;  // samples of 16 bits
  const uint32_t gain_limit_;
  Work& work_;
  std::array<uint64_t, 2> words_ = {};  // planned in each buffer of planes
  uint64_t partials_ = 0;               // planned
  uint8_t buffers_ = 0;                 // Bindings::quality of the step
  std::array<Scale, kScales> vif_ = {};
  std::array<Bands, kScales> adm_ = {};
  std::array<Reduction, kReductions> reductions_ = {};
};

// ---- the plan ----

uint32_t PairWork::Take(uint32_t scale, uint64_t words) {
  uint64_t& planned = words_[scale % 2];
  const uint64_t at = planned;
  planned += words;
  return static_cast<uint32_t>(at);
}

void PairWork::TakePartials(uint32_t reduction, uint64_t partials) {
  Reduction& made = reductions_[reduction];
  made.partials = static_cast<uint32_t>(partials);
  made.first_partial = static_cast<uint32_t>(partials_);
  partials_ += made.results * partials;
}

Grid PairWork::SseTiles(uint32_t plane) const {
  const PlaneRegion region = RegionOf(input_.decoded, plane);
  return TilesOf(region.row_bytes, region.rows, PERDIX_METRICS_TILE_BYTES,
                 PERDIX_METRICS_TILE_ROWS);
}

Grid PairWork::MotionTiles() const {
  return TilesOf(width_, height_, PERDIX_MOTION_COLUMNS, PERDIX_MOTION_ROWS);
}

Grid PairWork::VifTiles(uint32_t scale) const {
  return TilesOf(vif_[scale].width, vif_[scale].height, PERDIX_VIF_TILE_WIDTH,
                 PERDIX_VIF_TILE_HEIGHT);
}

void PairWork::Plan() {
  for (uint32_t scale = 0; scale < kScales; ++scale) {
    reductions_[kVif + scale].results = sizeof(VifSums) / sizeof(QualityWord);
    reductions_[kAdm + scale].results = sizeof(AdmSums) / sizeof(QualityWord);
  }
  reductions_[kMotion].results = 1;
  reductions_[kLumaSse].results = 1;
  reductions_[kChromaSse].results = 2;
  if (Wants(kQualityPsnr)) {
    TakePartials(kLumaSse, SseTiles(kLuma).groups());
    TakePartials(kChromaSse, SseTiles(kChroma).groups());
  }
  if (Wants(kQualityMotion) && input_.previous.memory != nullptr) {
    TakePartials(kMotion, MotionTiles().groups());
  }
  if (Wants(kQualityVif)) PlanVif();
  if (Wants(kQualityAdm)) PlanAdm();
}

void PairWork::PlanVif() {
  for (uint32_t scale = 0; scale < kScales; ++scale) {
    Scale& made = vif_[scale];
    made = {width_ >> scale, height_ >> scale, 0};
    if (scale > 0) {
      made.samples = Take(scale - 1, uint64_t{made.width} * made.height);
    }
    TakePartials(kVif + scale, VifTiles(scale).groups());
  }
}

void PairWork::PlanAdm() {
  uint32_t width = width_;
  uint32_t height = height_;
  for (uint32_t scale = 0; scale < kScales; ++scale) {
    width = CeilDiv(width, 2);
    height = CeilDiv(height, 2);
    const uint64_t samples = uint64_t{width} * height;
    Bands& made = adm_[scale];
    made.width = width;
    made.height = height;
    made.approximation = Take(scale, scale == 0 ? samples : 2 * samples);
    made.planes = Take(
        scale, samples * (scale == 0 ? PERDIX_ADM_WORDS_0 : PERDIX_ADM_WORDS));
    TakePartials(kAdm + scale,
                 static_cast<uint32_t>(AdmScaleOf(scale).rows.size()));
  }
}

// ---- the dispatches ----

Status PairWork::Build(uint64_t max_range) {
  work_.Clear();
  Plan();
  const uint64_t bytes = std::max(
      {plane_bytes(0), plane_bytes(1), size_t{partials_ * sizeof(uint64_t)}});
  if (bytes > max_range) {
    return {StatusCode::kUnsupported,
            "memory for a pair: got " + std::to_string(bytes) +
                ", needed at most " + std::to_string(max_range)};
  }
  work_.NeedPartials(static_cast<uint32_t>(partials_));
  for (uint32_t step = 0; step < kQualitySteps; ++step) {
    const uint32_t barriers = work_.barriers();
    const uint32_t dispatches = work_.dispatches();
    work_.AddBarrier();
    const bool last = step + 1 == kQualitySteps;
    buffers_ = static_cast<uint8_t>(last ? 3 : step == 0 ? 0 : 2 - step % 2);
    AddStep(step);
    work_.EndStage(
        {work_.barriers() - barriers, work_.dispatches() - dispatches});
  }
  return Status::Ok();
}

void PairWork::AddStep(uint32_t step) {
  if (step + 1 == kQualitySteps) {
    AddReductions();
    return;
  }
  if (step == 0) {
    if (reductions_[kLumaSse].partials > 0) {
      AddSse(kLuma);
      AddSse(kChroma);
    }
    if (reductions_[kMotion].partials > 0) AddMotion();
  }
  if (Wants(kQualityVif) && step < kScales) {
    if (step + 1 < kScales) AddVifDown(step);
    AddVifStat(step);
  }
  if (Wants(kQualityAdm)) {
    if (step < kScales) AddAdmDwt(step);
    if (step > 0) AddAdmMask(step - 1);
  }
}

void PairWork::Add(const Program& program, const Grid& grid,
                   const auto& constants) {
  work_.AddDispatch({.program = program,
                     .bindings = {.quality = buffers_},
                     .groups_x = grid.x,
                     .groups_y = grid.y},
                    constants);
}

void PairWork::AddSse(uint32_t plane) {
  const uint32_t reduction = plane == kLuma ? kLumaSse : kChromaSse;
  Add(SseProgram(traits_, plane, high_), SseTiles(plane),
      MetricsConstants{
          reductions_[reduction].first_partial,
          {RegionOf(input_.decoded, plane), RegionOf(input_.reference, plane)},
          0,
          0});
}

void PairWork::AddMotion() {
  Add(TiledProgram(kMotionBlur[high_]), MotionTiles(),
      MotionBlurConstants{LumaOf(input_.reference), LumaOf(input_.previous),
                          width_, height_, input_.reference.view.bit_depth,
                          reductions_[kMotion].first_partial});
}

VifConstants PairWork::VifOf(uint32_t scale) const {
  const Scale& read = vif_[scale];
  return {.reference = LumaOf(input_.reference),
          .decoded = LumaOf(input_.decoded),
          .bit_depth = input_.reference.view.bit_depth,
          .samples = read.samples,
          .width = read.width,
          .height = read.height,
          .next_samples = scale + 1 < kScales ? vif_[scale + 1].samples : 0,
          .first_partial = reductions_[kVif + scale].first_partial,
          .gain_limit = gain_limit_};
}

void PairWork::AddVifDown(uint32_t scale) {
  const Scale& made = vif_[scale + 1];
  Add(TiledProgram(kVifDown[scale][high_]),
      TilesOf(made.width, made.height,
              PERDIX_VIF_DOWN_COLUMNS(kVifTaps[scale + 1]),
              PERDIX_VIF_DOWN_ROWS),
      VifOf(scale));
}

void PairWork::AddVifStat(uint32_t scale) {
  Add(TiledProgram(kVifStat[scale][high_]), VifTiles(scale), VifOf(scale));
}

quality::AdmScale PairWork::AdmScaleOf(uint32_t scale) const {
  return {static_cast<int>(scale), static_cast<int>(adm_[scale].width),
          static_cast<int>(adm_[scale].height), static_cast<int>(gain_limit_)};
}

AdmConstants PairWork::AdmOf(uint32_t scale) const {
  const Bands& bands = adm_[scale];
  const Bands from = scale == 0 ? Bands{width_, height_} : adm_[scale - 1];
  const quality::AdmScale shifts = AdmScaleOf(scale);
  const quality::AdmSpan columns =
      quality::AdmReach(static_cast<int>(bands.width));
  const quality::AdmSpan rows =
      quality::AdmReach(static_cast<int>(bands.height));
  return {.reference = LumaOf(input_.reference),
          .decoded = LumaOf(input_.decoded),
          .bit_depth = input_.reference.view.bit_depth,
          .from = from.approximation,
          .from_width = from.width,
          .from_height = from.height,
          .to = bands.approximation,
          .planes = bands.planes,
          .width = bands.width,
          .height = bands.height,
          .gain_limit = gain_limit_,
          .reach_left = static_cast<uint32_t>(columns.begin),
          .reach_top = static_cast<uint32_t>(rows.begin),
          .reach_right = static_cast<uint32_t>(columns.end),
          .reach_bottom = static_cast<uint32_t>(rows.end),
          .left = static_cast<uint32_t>(shifts.columns.begin),
          .top = static_cast<uint32_t>(shifts.rows.begin),
          .right = static_cast<uint32_t>(shifts.columns.end),
          .cube_shift = static_cast<uint32_t>(quality::CeilLog2(bands.width)),
          .row_shift = static_cast<uint32_t>(shifts.row_shift),
          .den_cube_shift = static_cast<uint32_t>(shifts.den_cube_shift),
          .den_row_shift = static_cast<uint32_t>(shifts.den_row_shift),
          .first_partial = reductions_[kAdm + scale].first_partial};
}

void PairWork::AddAdmDwt(uint32_t scale) {
  Add(TiledProgram(kAdmDwt[scale][high_]),
      TilesOf(adm_[scale].width, adm_[scale].height, PERDIX_ADM_TILE_COLUMNS,
              PERDIX_ADM_TILE_ROWS),
      AdmOf(scale));
}

void PairWork::AddAdmMask(uint32_t scale) {
  Add(TiledProgram(kAdmMask[scale]), {reductions_[kAdm + scale].partials, 1},
      AdmOf(scale));
}

void PairWork::AddReductions() {
  uint32_t result = 0;
  for (const Reduction& reduction : reductions_) {
    Add(kReduce, {reduction.results, 1},
        ReduceConstants{reduction.first_partial, reduction.partials, result});
    result += reduction.results;
  }
}

// ---- the pictures ----

Status CheckPair(const PictureView& view, const PictureView& other,
                 const std::string& what) {
  if (view.width == other.width && view.height == other.height &&
      view.bit_depth == other.bit_depth) {
    return Status::Ok();
  }
  const auto text = [](const PictureView& v) {
    return std::to_string(v.width) + "x" + std::to_string(v.height) + " of " +
           std::to_string(v.bit_depth) + " bit";
  };
  return {StatusCode::kInvalidArgument,
          what + ": got " + text(other) + ", needed " + text(view)};
}

Status CheckPlanes(const PictureView& view, const std::string& what) {
  if (view.subsampling_x == 1 && view.subsampling_y == 1 && view.shift == 0) {
    return Status::Ok();
  }
  return {StatusCode::kUnsupported,
          what + ": got subsampling " + std::to_string(view.subsampling_x) +
              std::to_string(view.subsampling_y) + " and shift " +
              std::to_string(view.shift) + ", needed 11 and 0"};
}

}  // namespace

Status CheckQualityInput(const QualityInput& input, uint64_t max_range) {
  const PictureView& view = input.reference.view;
  if (Status status = CheckQualitySize(view.width, view.height, view.bit_depth);
      !status.ok()) {
    return status;
  }
  const struct {
    const Picture& picture;
    const char* name;
  } pictures[] = {{input.reference, "reference"},
                  {input.decoded, "decoded picture"},
                  {input.previous, "previous reference"}};
  for (const auto& [picture, name] : pictures) {
    if (picture.memory == nullptr) {
      if (&picture == &input.previous) continue;
      return {StatusCode::kInvalidArgument,
              std::string(name) + " without memory"};
    }
    if (Status status = CheckPair(view, picture.view, name); !status.ok()) {
      return status;
    }
    if (Status status = CheckPlanes(picture.view, name); !status.ok()) {
      return status;
    }
    if (Status status =
            CheckPicture(name, picture, view.width, view.height, max_range);
        !status.ok()) {
      return status;
    }
  }
  return Status::Ok();
}

std::vector<Program> QualityPrograms(const DeviceTraits& traits,
                                     uint32_t bit_depth) {
  const bool high = bit_depth > 8;
  std::vector<Program> programs = {SseProgram(traits, kLuma, high),
                                   SseProgram(traits, kChroma, high),
                                   TiledProgram(kMotionBlur[high]), kReduce};
  for (const auto& names : kVifDown) {
    programs.push_back(TiledProgram(names[high]));
  }
  for (const auto& names : kVifStat) {
    programs.push_back(TiledProgram(names[high]));
  }
  for (const auto& names : kAdmDwt) {
    programs.push_back(TiledProgram(names[high]));
  }
  for (const std::string_view name : kAdmMask) {
    programs.push_back(TiledProgram(name));
  }
  return programs;
}

Status QualityWork::Build(const QualityInput& input, uint64_t max_range) {
  PairWork pair(traits_, input, &work_);
  if (Status status = pair.Build(max_range); !status.ok()) return status;
  plane_bytes_ = {pair.plane_bytes(0), pair.plane_bytes(1)};
  return Status::Ok();
}

}  // namespace perdix::gpu
