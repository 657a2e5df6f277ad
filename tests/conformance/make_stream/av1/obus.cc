// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/av1/obus.h"

namespace perdix::make_stream::av1 {

using client::av1::FrameHeader;
using client::av1::ObuType;

void ObuWriter::Append(ObuType type, const Bytes& payload) {
  const bool belongs_to_layer =
      type != ObuType::kSequenceHeader && type != ObuType::kTemporalDelimiter;
  const bool extension = has_extension_ && belongs_to_layer;
  coverage_.Field("obu_type", int(type));
  unit_->push_back(uint8_t(int(type) << 3 | extension << 2 | 2));
  if (extension)
    unit_->push_back(uint8_t(temporal_id_ << 5 | spatial_id_ << 3));
  AppendLeb128(payload.size(), random_.Percent(5) ? 1 + random_.Below(4) : 1,
               unit_);
  unit_->insert(unit_->end(), payload.begin(), payload.end());
}

void ObuWriter::AppendPassedOver() {
  switch (random_.Below(3)) {
    case 0: {
      Bytes padding(random_.Below(9), uint8_t(random_.Bits(8)));
      padding.push_back(0x80);
      return Append(ObuType::kPadding, padding);
    }
    case 1:  // METADATA_TYPE_HDR_CLL
      return Append(ObuType::kMetadata, {1, 0, 100, 0, 50, 0x80});
    default:
      return Append(ObuType(random_.Between(9, 14)), {0x12, 0x80});
  }
}

// tile_group_obu()
bool ObuWriter::TileGroup(const FrameHeader& header,
                          const std::vector<Bytes>& tiles, size_t begin,
                          size_t end, bool in_one, Bytes* group) {
  const size_t size_bytes = header.control.tile_info.tile_size_bytes;
  FieldWriter fields;
  if (tiles.size() > 1) {
    const bool all = begin == 0 && end == tiles.size();
    if (fields.Flag("tile_start_and_end_present_flag",
                    !all || (!in_one && random_.Percent(30)))) {
      fields.Bits("tg_start", header.tile_numbers.bits, uint32_t(begin));
      fields.Bits("tg_end", header.tile_numbers.bits, uint32_t(end - 1));
    }
  }
  fields.Count(&coverage_);
  const Bytes start = fields.Bytes(false);
  group->insert(group->end(), start.begin(), start.end());
  for (size_t i = begin; i < end; ++i) {
    const size_t less_1 = tiles[i].size() - 1;
    if (i + 1 < end) {
      if (less_1 >> (8 * size_bytes) != 0) return false;
      for (size_t byte = 0; byte < size_bytes; ++byte)
        group->push_back(uint8_t(less_1 >> (8 * byte)));
    }
    group->insert(group->end(), tiles[i].begin(), tiles[i].end());
  }
  return true;
}

bool ObuWriter::AppendFrame(const FieldWriter& fields,
                            const FrameHeader& header,
                            const std::vector<Bytes>& tiles) {
  const bool in_one = random_.Percent(60);  // OBU_FRAME: all tiles (6.10.1)
  const uint32_t cut = in_one ? 0 : random_.Of({0u, 20u, 60u});
  if (!in_one) Append(ObuType::kFrameHeader, fields.Bytes(true));
  size_t begin = 0;
  while (begin < tiles.size()) {
    size_t end = begin + 1;
    while (end < tiles.size() && !random_.Percent(cut)) ++end;
    Bytes group;
    if (begin == 0 && in_one) group = fields.Bytes(false);
    if (!TileGroup(header, tiles, begin, end, in_one, &group)) return false;
    Append(begin == 0 && in_one ? ObuType::kFrame : ObuType::kTileGroup, group);
    begin = end;
    if (begin == tiles.size()) break;
    // libaom compares it with the first one, byte by byte
    if (!in_one && random_.Percent(10))
      Append(ObuType::kRedundantFrameHeader, fields.Bytes(true));
    if (random_.Percent(5)) AppendPassedOver();
  }
  return true;
}

}  // namespace perdix::make_stream::av1
