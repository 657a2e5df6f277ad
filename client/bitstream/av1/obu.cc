// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/obu.h"

#include <algorithm>
#include <string>

#include "client/bitstream/av1/sequence_header.h"
#include "client/bitstream/av1/syntax.h"

namespace perdix::client::av1 {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr uint8_t kForbiddenBit = 0x80;
constexpr uint8_t kExtensionBit = 0x04;
constexpr uint8_t kSizeBit = 0x02;

// obu_header() and obu_size, which need not be true yet. False: not all there.
bool ReadHeader(Bytes bytes, Obu* obu, uint32_t* size) {
  if (bytes.empty()) return false;
  obu->type = ObuType(bytes[0] >> 3 & 15);
  obu->has_extension = (bytes[0] & kExtensionBit) != 0;
  obu->has_size = (bytes[0] & kSizeBit) != 0;
  obu->header_bytes = obu->has_extension ? 2 : 1;
  if (bytes.size() < obu->header_bytes) return false;
  if (obu->has_extension) {
    obu->temporal_id = bytes[1] >> 5;
    obu->spatial_id = bytes[1] >> 3 & 3;
  }
  if (!obu->has_size) return true;
  size_t size_bytes = 0;
  if (!ReadLeb128(bytes.subspan(obu->header_bytes), size, &size_bytes)) {
    return false;
  }
  obu->header_bytes += size_bytes;
  return true;
}

std::string Number(size_t value) { return std::to_string(value); }

// Takes a leb128() and as many bytes as it says off <*rest>.
Status TakeSized(const char* name, Bytes* rest, Bytes* taken) {
  uint32_t size = 0;
  size_t size_bytes = 0;
  if (!ReadLeb128(*rest, &size, &size_bytes)) {
    return Invalid(std::string(name) +
                   " is no leb128() of at most 8 bytes and 32 bits");
  }
  const size_t room = rest->size() - size_bytes;
  if (size > room) {
    return Invalid(name, size, "0 to " + Number(room) + ", which follow");
  }
  *taken = rest->subspan(size_bytes, size);
  *rest = rest->subspan(size_bytes + size);
  return Status::Ok();
}

void AppendLeb128(size_t value, std::vector<uint8_t>* bytes) {
  for (; value >= 0x80; value >>= 7) bytes->push_back(uint8_t(value | 0x80));
  bytes->push_back(uint8_t(value));
}

// The OBU with an obu_size.
void AppendObu(Bytes whole, const Obu& obu, std::vector<uint8_t>* units) {
  units->push_back(uint8_t(whole[0] | kSizeBit));
  if (obu.has_extension) units->push_back(whole[1]);
  AppendLeb128(obu.payload.size(), units);
  units->insert(units->end(), obu.payload.begin(), obu.payload.end());
}

// begin: where the temporal unit's OBUs begin in <*units>. A temporal delimiter
// behind it delimits nothing, since the unit's size does: it is left out.
Status AppendFrameUnit(Bytes frame_unit, size_t begin,
                       std::vector<uint8_t>* units) {
  while (!frame_unit.empty()) {
    Bytes whole;
    Status status = TakeSized("obu_length", &frame_unit, &whole);
    if (!status.ok()) return status;
    if (whole.empty()) return Invalid("obu_length", 0, "1 or more");
    Obu obu;
    Bytes rest = whole;
    status = TakeObu(&rest, &obu);
    if (!status.ok()) return status;
    if (!rest.empty()) {
      return Invalid("obu_size is " + Number(obu.payload.size()) +
                     ", which leaves " + Number(rest.size()) +
                     " of the bytes that obu_length, " + Number(whole.size()) +
                     ", gives it; allowed: 0");
    }
    if (obu.type != ObuType::kTemporalDelimiter || units->size() == begin) {
      AppendObu(whole, obu, units);
    }
  }
  return Status::Ok();
}

// Whether a stream may begin with it: with a temporal delimiter (7.5) or, if
// that was cut off, with the sequence header behind it.
bool MayBegin(const Obu& obu) {
  if (obu.type == ObuType::kTemporalDelimiter) return obu.payload.empty();
  SequenceHeader sequence;
  return obu.type == ObuType::kSequenceHeader &&
         ParseSequenceHeader(obu.payload, &sequence).ok();
}

// A leb128() at the beginning of <*bytes>, taken off; 0: there is none.
uint32_t TakeLeb128(Bytes* bytes) {
  uint32_t value = 0;
  size_t size = 0;
  if (!ReadLeb128(*bytes, &value, &size)) return 0;
  *bytes = bytes->subspan(size);
  return value;
}

// Sizes that fit into each other around the first OBU.
bool LooksLikeAnnexB(Bytes bytes) {
  const size_t all = bytes.size();
  const size_t unit = TakeLeb128(&bytes);
  const size_t unit_at = all - bytes.size();
  const size_t frame = TakeLeb128(&bytes);
  const size_t frame_at = all - bytes.size();
  const size_t obu = TakeLeb128(&bytes);
  const size_t obu_at = all - bytes.size();
  if (unit == 0 || frame == 0 || obu == 0) return false;
  if (frame_at - unit_at + frame > unit) return false;
  if (obu_at - frame_at + obu > frame || obu > bytes.size()) return false;
  Bytes rest = bytes.first(obu);
  Obu first;
  return TakeObu(&rest, &first).ok() && rest.empty() && MayBegin(first);
}

bool LooksLikeLowOverhead(Bytes bytes) {
  Obu first;
  if (bytes.empty() || !TakeObu(&bytes, &first).ok()) return false;
  if (!first.has_size || !MayBegin(first)) return false;
  // The next one, if there is any, has a size too.
  return bytes.empty() ||
         ((bytes[0] & kSizeBit) != 0 && (bytes[0] & kForbiddenBit) == 0);
}

}  // namespace

Status TakeObu(std::span<const uint8_t>* rest, Obu* obu) {
  Obu read;
  uint32_t size = 0;
  if (!ReadHeader(*rest, &read, &size)) {
    return Invalid("the header of an OBU is not complete in the " +
                   Number(rest->size()) + " bytes that are left");
  }
  if ((rest->front() & kForbiddenBit) != 0) {
    return Invalid("obu_forbidden_bit", 1, "0");
  }
  const size_t room = rest->size() - read.header_bytes;
  if (!read.has_size) size = uint32_t(room);
  if (size > room) {
    return Invalid("obu_size", size, "0 to " + Number(room) + ", which follow");
  }
  read.payload = rest->subspan(read.header_bytes, size);
  *rest = rest->subspan(read.header_bytes + size);
  *obu = read;
  return Status::Ok();
}

bool IsDropped(const Obu& obu, uint32_t operating_point_idc) {
  if (obu.type == ObuType::kSequenceHeader ||
      obu.type == ObuType::kTemporalDelimiter || operating_point_idc == 0 ||
      !obu.has_extension) {
    return false;
  }
  const bool in_temporal = operating_point_idc >> obu.temporal_id & 1;
  const bool in_spatial = operating_point_idc >> (obu.spatial_id + 8) & 1;
  return !in_temporal || !in_spatial;
}

Status FromAnnexB(std::span<const uint8_t> temporal_unit,
                  std::vector<uint8_t>* units) {
  const size_t begin = units->size();
  while (!temporal_unit.empty()) {
    Bytes frame_unit;
    Status status = TakeSized("frame_unit_size", &temporal_unit, &frame_unit);
    if (status.ok()) status = AppendFrameUnit(frame_unit, begin, units);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

ObuFormat ProbeObuFormat(std::span<const uint8_t> first_bytes) {
  if (LooksLikeLowOverhead(first_bytes)) return ObuFormat::kLowOverhead;
  if (LooksLikeAnnexB(first_bytes)) return ObuFormat::kAnnexB;
  return ObuFormat::kNone;
}

std::vector<uint8_t> ConfigurationObus(std::span<const uint8_t> av1c) {
  constexpr size_t kFixedBytes = 4;
  constexpr uint8_t kMarkerAndVersion = 0x81;
  if (av1c.size() < kFixedBytes || av1c[0] != kMarkerAndVersion) return {};
  const Bytes obus = av1c.subspan(kFixedBytes);
  for (Bytes rest = obus; !rest.empty();) {
    Obu obu;
    if (!TakeObu(&rest, &obu).ok() || !obu.has_size) return {};
  }
  return {obus.begin(), obus.end()};
}

}  // namespace perdix::client::av1
