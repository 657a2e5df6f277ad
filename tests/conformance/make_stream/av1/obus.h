// SPDX-License-Identifier: BSD-2-Clause
// Puts headers and tiles into OBUs (5.3, 5.11.1).
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_OBUS_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_OBUS_H_

#include <cstdint>
#include <vector>

#include "client/bitstream/av1/frame_header.h"
#include "client/bitstream/av1/obu.h"
#include "tests/conformance/make_stream/av1/field_writer.h"
#include "tests/conformance/make_stream/coverage.h"
#include "tests/conformance/make_stream/random.h"

namespace perdix::make_stream::av1 {

class ObuWriter {
 public:
  // unit: what is written to. has_extension: of the OBUs of frames.
  ObuWriter(Random& random, Coverage& coverage, bool has_extension,
            std::vector<uint8_t>* unit)
      : random_(random),
        coverage_(coverage),
        has_extension_(has_extension),
        unit_(unit) {}

  void SetLayer(int temporal_id, int spatial_id) {
    temporal_id_ = uint8_t(temporal_id);
    spatial_id_ = uint8_t(spatial_id);
  }
  void Append(client::av1::ObuType type, const std::vector<uint8_t>& payload);
  // What decoders pass over.
  void AppendPassedOver();
  // False: a tile is too long for tile_size_bytes.
  bool AppendFrame(const FieldWriter& fields,
                   const client::av1::FrameHeader& header,
                   const std::vector<std::vector<uint8_t>>& tiles);

 private:
  using Bytes = std::vector<uint8_t>;

  bool TileGroup(const client::av1::FrameHeader& header,
                 const std::vector<Bytes>& tiles, size_t begin, size_t end,
                 bool in_one, Bytes* group);

  Random& random_;
  Coverage& coverage_;
  const bool has_extension_;
  std::vector<uint8_t>* unit_;
  uint8_t temporal_id_ = 0, spatial_id_ = 0;
};

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_OBUS_H_
