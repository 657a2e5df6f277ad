// SPDX-License-Identifier: BSD-2-Clause
// Functions are in the order of the syntax tables of VP9 6.2. What the text
// leaves to the decoder (references of other formats, missing references) is
// decided as libvpx does.
#include "client/bitstream/vp9/header.h"

#include <algorithm>
#include <string>

#include "client/bitstream/bit_reader.h"
#include "client/bitstream/vp9/params.h"

namespace perdix::client::vp9 {
namespace {

constexpr uint32_t kFrameMarker = 2;
constexpr uint32_t kSyncCode[] = {0x49, 0x83, 0x42};
constexpr uint32_t kColorSpaceRgb = 7;
constexpr int kMaxTileColsLog2 = 6;

std::string Size(const FrameFormat& format) {
  return std::to_string(format.width) + "x" + std::to_string(format.height);
}

std::string Samples(const FrameFormat& format) {
  return std::to_string(format.bit_depth) + " bit with subsampling " +
         std::to_string(format.subsampling_x) + "," +
         std::to_string(format.subsampling_y);
}

// VP9 8.5.2.3: at most twice as large, at most 16 times smaller.
bool CanScale(const FrameFormat& reference, const FrameFormat& frame) {
  return reference.width <= 2 * frame.width &&
         reference.height <= 2 * frame.height &&
         frame.width <= 16 * reference.width &&
         frame.height <= 16 * reference.height;
}

// The header of one frame while it is read.
class FrameParser {
 public:
  FrameParser(std::span<const uint8_t> frame, HeaderState& state,
              FrameHeader& header)
      : frame_(frame),
        reader_(frame),
        state_(state),
        header_(header),
        control_(header.control) {}

  Status Parse();

 private:
  Status Invalid(const std::string& field, const std::string& got,
                 const std::string& allowed) const;
  Status Invalid(const std::string& field, uint32_t got,
                 const std::string& allowed) const {
    return Invalid(field, std::to_string(got), allowed);
  }
  Status Truncated() const;

  Status Profile();
  Status ShowExistingFrame();
  Status CodedFrame();
  Status KeyFrame();
  Status NonKeyFrame();
  Status IntraOnlyFrame();
  Status InterFrame();
  Status SyncCode();
  Status ColorConfig();
  Status Subsampling(bool rgb);
  void FrameSize();
  void RenderSize();
  Status References();
  Status FrameSizeWithRefs();
  Status CheckReferences() const;
  void InterpolationFilter();
  void FrameContexts();
  Status HeaderSizes();
  void Finish();

  const FrameFormat& Reference(int index) const {
    return state_.slots[header_.references[index]];
  }
  void SetFlag(uint32_t flag, bool on) {
    if (on) control_.flags |= flag;
  }
  bool error_resilient() const {
    return control_.flags & V4L2_VP9_FRAME_FLAG_ERROR_RESILIENT;
  }

  const std::span<const uint8_t> frame_;
  BitReader reader_;
  HeaderState& state_;
  FrameHeader& header_;
  v4l2_ctrl_vp9_frame& control_;
};

Status FrameParser::Invalid(const std::string& field, const std::string& got,
                            const std::string& allowed) const {
  if (reader_.Overrun()) return Truncated();
  return {StatusCode::kInvalidBitstream,
          field + " is " + got + ", allowed: " + allowed};
}

Status FrameParser::Truncated() const {
  return {StatusCode::kInvalidBitstream,
          "uncompressed header needs more than the frame's " +
              std::to_string(frame_.size()) + " bytes"};
}

Status FrameParser::Parse() {
  const uint32_t marker = reader_.Bits(2);
  if (marker != kFrameMarker) return Invalid("frame_marker", marker, "2");
  Status status = Profile();
  if (!status.ok()) return status;
  header_.show_existing_frame = reader_.Flag();
  return header_.show_existing_frame ? ShowExistingFrame() : CodedFrame();
}

Status FrameParser::Profile() {
  const uint32_t low = reader_.Flag();
  const uint32_t high = reader_.Flag();
  control_.profile = uint8_t(high << 1 | low);
  if (control_.profile == V4L2_VP9_PROFILE_MAX && reader_.Flag()) {
    return Invalid("profile", "4 or more", "0 to 3");
  }
  return Status::Ok();
}

Status FrameParser::ShowExistingFrame() {
  header_.frame_to_show = uint8_t(reader_.Bits(3));
  header_.uncompressed_bytes = reader_.bytes_read();
  if (reader_.Overrun()) return Truncated();
  if (state_.slots[header_.frame_to_show].width == 0) {
    return Invalid("frame_to_show_map_idx", header_.frame_to_show,
                   "a slot that holds a frame");
  }
  return Status::Ok();
}

Status FrameParser::CodedFrame() {
  const bool key_frame = !reader_.Flag();
  header_.shown = reader_.Flag();
  SetFlag(V4L2_VP9_FRAME_FLAG_KEY_FRAME, key_frame);
  SetFlag(V4L2_VP9_FRAME_FLAG_SHOW_FRAME, header_.shown);
  SetFlag(V4L2_VP9_FRAME_FLAG_ERROR_RESILIENT, reader_.Flag());
  Status status = key_frame ? KeyFrame() : NonKeyFrame();
  if (!status.ok()) return status;

  FrameContexts();
  ReadLoopFilter(reader_, state_.loop_filter);
  ReadQuantization(reader_, control_.quant);
  ReadSegmentation(reader_, state_.segmentation);
  ReadTileInfo(reader_, header_.format.width, control_);
  if (control_.tile_cols_log2 > kMaxTileColsLog2) {
    return Invalid("tile_cols_log2", control_.tile_cols_log2, "0 to 6");
  }
  status = HeaderSizes();
  if (!status.ok()) return status;
  Finish();
  return Status::Ok();
}

Status FrameParser::KeyFrame() {
  header_.intra = true;
  header_.refresh_frame_flags = 0xff;
  Status status = SyncCode();
  if (!status.ok()) return status;
  status = ColorConfig();
  if (!status.ok()) return status;
  FrameSize();
  RenderSize();
  return Status::Ok();
}

Status FrameParser::NonKeyFrame() {
  header_.intra = !header_.shown && reader_.Flag();
  SetFlag(V4L2_VP9_FRAME_FLAG_INTRA_ONLY, header_.intra);
  // 0 and 1 reset nothing, 2 this frame's context, 3 all.
  const uint32_t reset = error_resilient() ? 0 : reader_.Bits(2);
  control_.reset_frame_context = uint8_t(reset < 2 ? 0 : reset - 1);
  return header_.intra ? IntraOnlyFrame() : InterFrame();
}

Status FrameParser::IntraOnlyFrame() {
  Status status = SyncCode();
  if (!status.ok()) return status;
  if (control_.profile > 0) {
    status = ColorConfig();
    if (!status.ok()) return status;
  } else {
    state_.samples = FrameFormat();  // 8 bit 4:2:0, whatever was before
    state_.full_range = false;
  }
  header_.refresh_frame_flags = uint8_t(reader_.Bits(8));
  FrameSize();
  RenderSize();
  return Status::Ok();
}

Status FrameParser::InterFrame() {
  header_.refresh_frame_flags = uint8_t(reader_.Bits(8));
  Status status = References();
  if (!status.ok()) return status;
  status = FrameSizeWithRefs();
  if (!status.ok()) return status;
  SetFlag(V4L2_VP9_FRAME_FLAG_ALLOW_HIGH_PREC_MV, reader_.Flag());
  InterpolationFilter();
  return Status::Ok();
}

Status FrameParser::SyncCode() {
  for (const uint32_t expected : kSyncCode) {
    const uint32_t byte = reader_.Bits(8);
    if (byte != expected) {
      return Invalid("frame_sync_code byte", byte, std::to_string(expected));
    }
  }
  return Status::Ok();
}

Status FrameParser::ColorConfig() {
  const uint32_t profile = control_.profile;
  state_.samples = FrameFormat();
  if (profile >= 2) state_.samples.bit_depth = reader_.Flag() ? 12 : 10;
  const bool rgb = reader_.Bits(3) == kColorSpaceRgb;
  state_.full_range = rgb || reader_.Flag();
  if (profile == 1 || profile == 3) return Subsampling(rgb);
  if (rgb) return Invalid("color_space", kColorSpaceRgb, "0 to 6 in 4:2:0");
  return Status::Ok();
}

Status FrameParser::Subsampling(bool rgb) {
  FrameFormat& samples = state_.samples;
  samples.subsampling_x = rgb ? 0 : reader_.Flag();
  samples.subsampling_y = rgb ? 0 : reader_.Flag();
  if (samples.subsampling_x == 1 && samples.subsampling_y == 1) {
    return Invalid("subsampling", "4:2:0",
                   "4:2:2, 4:4:0 and 4:4:4 in profiles 1 and 3");
  }
  if (reader_.Flag()) return Invalid("reserved_zero", 1, "0");
  return Status::Ok();
}

void FrameParser::FrameSize() {
  header_.format = state_.samples;
  header_.format.width = reader_.Bits(16) + 1u;
  header_.format.height = reader_.Bits(16) + 1u;
}

void FrameParser::RenderSize() {
  control_.render_width_minus_1 = uint16_t(header_.format.width - 1);
  control_.render_height_minus_1 = uint16_t(header_.format.height - 1);
  if (!reader_.Flag()) return;
  control_.render_width_minus_1 = reader_.Bits(16);
  control_.render_height_minus_1 = reader_.Bits(16);
}

Status FrameParser::References() {
  constexpr uint8_t kSignBias[kReferencesPerFrame] = {V4L2_VP9_SIGN_BIAS_LAST,
                                                      V4L2_VP9_SIGN_BIAS_GOLDEN,
                                                      V4L2_VP9_SIGN_BIAS_ALT};
  for (int i = 0; i < kReferencesPerFrame; ++i) {
    header_.references[i] = uint8_t(reader_.Bits(3));
    if (reader_.Flag()) control_.ref_frame_sign_bias |= kSignBias[i];
    if (Reference(i).width == 0) {
      return Invalid("ref_frame_idx[" + std::to_string(i) + "]",
                     header_.references[i], "a slot that holds a frame");
    }
  }
  return Status::Ok();
}

Status FrameParser::FrameSizeWithRefs() {
  bool found = false;
  for (int i = 0; i < kReferencesPerFrame && !found; ++i) {
    found = reader_.Flag();
    if (found) header_.format = Reference(i);
  }
  if (!found) FrameSize();
  Status status = CheckReferences();
  if (!status.ok()) return status;
  RenderSize();
  return Status::Ok();
}

// One reference of a usable size is enough: the decoder fails only blocks
// that predict from another one.
Status FrameParser::CheckReferences() const {
  bool scalable = false;
  for (int i = 0; i < kReferencesPerFrame; ++i) {
    scalable |= CanScale(Reference(i), header_.format);
    if (!Reference(i).SameSamples(state_.samples)) {
      return Invalid("format of reference " + std::to_string(i),
                     Samples(Reference(i)), Samples(state_.samples));
    }
  }
  if (!scalable) {
    return Invalid(
        "frame size", Size(header_.format),
        "1/2 to 16 times that of a reference, like " + Size(Reference(0)));
  }
  return Status::Ok();
}

void FrameParser::InterpolationFilter() {
  constexpr uint8_t kLiteralToType[] = {
      V4L2_VP9_INTERP_FILTER_EIGHTTAP_SMOOTH, V4L2_VP9_INTERP_FILTER_EIGHTTAP,
      V4L2_VP9_INTERP_FILTER_EIGHTTAP_SHARP, V4L2_VP9_INTERP_FILTER_BILINEAR};
  const bool switchable = reader_.Flag();
  control_.interpolation_filter = switchable ? V4L2_VP9_INTERP_FILTER_SWITCHABLE
                                             : kLiteralToType[reader_.Bits(2)];
}

// frame_context_idx stays as coded, the decoder needs it for
// reset_frame_context 2; that intra and error-resilient frames then use context
// 0 is its business.
void FrameParser::FrameContexts() {
  const bool resilient = error_resilient();
  SetFlag(V4L2_VP9_FRAME_FLAG_REFRESH_FRAME_CTX, !resilient && reader_.Flag());
  SetFlag(V4L2_VP9_FRAME_FLAG_PARALLEL_DEC_MODE, resilient || reader_.Flag());
  control_.frame_context_idx = uint8_t(reader_.Bits(2));
  if (!header_.intra && !resilient) return;
  ResetLoopFilterDeltas(state_.loop_filter);
  ResetSegmentFeatures(state_.segmentation);
}

Status FrameParser::HeaderSizes() {
  control_.compressed_header_size = reader_.Bits(16);
  if (reader_.Overrun()) return Truncated();
  header_.uncompressed_bytes = reader_.bytes_read();
  control_.uncompressed_header_size = uint16_t(header_.uncompressed_bytes);
  const size_t room = frame_.size() - header_.uncompressed_bytes;
  if (control_.compressed_header_size == 0 ||
      control_.compressed_header_size > room) {
    return Invalid("header_size_in_bytes", control_.compressed_header_size,
                   "1 to " + std::to_string(room));
  }
  return Status::Ok();
}

void FrameParser::Finish() {
  const FrameFormat& format = header_.format;
  control_.lf = state_.loop_filter;
  control_.seg = state_.segmentation;
  control_.frame_width_minus_1 = uint16_t(format.width - 1);
  control_.frame_height_minus_1 = uint16_t(format.height - 1);
  control_.bit_depth = uint8_t(format.bit_depth);
  SetFlag(V4L2_VP9_FRAME_FLAG_X_SUBSAMPLING, format.subsampling_x);
  SetFlag(V4L2_VP9_FRAME_FLAG_Y_SUBSAMPLING, format.subsampling_y);
  SetFlag(V4L2_VP9_FRAME_FLAG_COLOR_RANGE_FULL_SWING, state_.full_range);
  for (int i = 0; i < kReferenceSlots; ++i) {
    if (header_.refresh_frame_flags >> i & 1) state_.slots[i] = format;
  }
}

}  // namespace

HeaderParser::HeaderParser() {
  ResetLoopFilterDeltas(state_.loop_filter);
  ResetSegmentFeatures(state_.segmentation);
}

Status HeaderParser::Parse(std::span<const uint8_t> frame,
                           FrameHeader* header) {
  HeaderState state = state_;
  FrameHeader result;
  Status status = FrameParser(frame, state, result).Parse();
  if (!status.ok()) return status;
  state_ = state;
  *header = result;
  return Status::Ok();
}

}  // namespace perdix::client::vp9
