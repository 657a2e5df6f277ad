// SPDX-License-Identifier: BSD-2-Clause
// Random AV1 headers as a stateless client sends them: every field within its
// range and fitting the others, so that the engine accepts the frame.
#ifndef PERDIX_TESTS_FUZZ_AV1_HEADERS_H_
#define PERDIX_TESTS_FUZZ_AV1_HEADERS_H_

#include <cstdint>
#include <vector>

#include "codec/av1/v4l2_controls.h"
#include "tests/fuzz/damage.h"

namespace perdix {

struct Av1Headers {
  v4l2_ctrl_av1_sequence sequence;
  v4l2_ctrl_av1_frame frame;
  v4l2_ctrl_av1_film_grain grain;
  std::vector<v4l2_ctrl_av1_tile_group_entry> tiles;

  bool intra() const;
  size_t tile_count() const {
    return size_t{frame.tile_info.tile_cols} * frame.tile_info.tile_rows;
  }
};

// In luma samples, as the frame is shown.
struct Av1Size {
  uint32_t width = 0;
  uint32_t height = 0;
};

v4l2_ctrl_av1_sequence RandomSequence(Random& random);

// Each side from 1 to <most>; a third of them at most 72.
Av1Size RandomSize(Random& random, uint32_t most);

// The first frame of a stream is a key frame that all slots take.
Av1Headers RandomHeaders(Random& random, const v4l2_ctrl_av1_sequence& sequence,
                         const Av1Size& size, bool first);

// Every tile gets its part of so many bytes, as equal as may be: at least one
// for each tile.
void PlaceTiles(size_t bytes, Av1Headers* headers);

// The records that a FrameRequest carries.
std::vector<uint8_t> ToControls(const Av1Headers& headers);

// Bytes of one record's value get another value; seldom, all of them do, or the
// record is cut out or has another size.
void DamageControls(Random& random, std::vector<uint8_t>* controls);

}  // namespace perdix

#endif  // PERDIX_TESTS_FUZZ_AV1_HEADERS_H_
