// SPDX-License-Identifier: BSD-2-Clause
// Open bitstream units (5.3), and the length-delimited format that packs them
// into frame units (Annex B).
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_OBU_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_OBU_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/status.h"

namespace perdix::client::av1 {

// obu_type (6.2.2); the others are reserved and ignored.
enum class ObuType : uint8_t {
  kSequenceHeader = 1,
  kTemporalDelimiter = 2,
  kFrameHeader = 3,
  kTileGroup = 4,
  kMetadata = 5,
  kFrame = 6,
  kRedundantFrameHeader = 7,
  kTileList = 8,
  kPadding = 15,
};

struct Obu {
  ObuType type = ObuType::kPadding;
  bool has_extension = false;
  bool has_size = false;
  uint8_t temporal_id = 0;
  uint8_t spatial_id = 0;
  size_t header_bytes = 0;  // before the payload, with obu_size
  std::span<const uint8_t> payload;
};

// Takes the first OBU off <*rest>, which must not be empty. One without
// obu_has_size_field reaches to the end.
Status TakeObu(std::span<const uint8_t>* rest, Obu* obu);

// drop_obu() of 5.3.1; operating_point_idc: of the one that is decoded
bool IsDropped(const Obu& obu, uint32_t operating_point_idc);

// The OBUs of a temporal_unit() of Annex B as the low-overhead format (5.2) has
// them: one after the other, each with obu_size, and no temporal delimiter but
// the first. Appended to *units.
Status FromAnnexB(std::span<const uint8_t> temporal_unit,
                  std::vector<uint8_t>* units);

// What a file of OBUs alone is, by its first bytes (kObuProbeBytes of them, or
// all there are): both begin with a temporal delimiter, or a sequence header of
// not more than that.
enum class ObuFormat { kNone, kLowOverhead, kAnnexB };
inline constexpr size_t kObuProbeBytes = 1024;
ObuFormat ProbeObuFormat(std::span<const uint8_t> first_bytes);

// The OBUs in the codec configuration of WebM's CodecPrivate and MP4's av1C:
// often the sequence header. Empty if it is no such record, or the OBUs in it
// cannot be told apart.
std::vector<uint8_t> ConfigurationObus(std::span<const uint8_t> av1c);

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_OBU_H_
