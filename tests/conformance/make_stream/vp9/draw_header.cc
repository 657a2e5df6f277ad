// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/vp9/draw_header.h"

#include <algorithm>

namespace perdix::vp9 {
namespace {

constexpr uint32_t kRgb = 7;
constexpr uint32_t kFrames = 16;  // StreamStyle counts so many of
constexpr uint32_t kMostPixels = 96 * 1024;

// Profile and depth are given, or are those of the format before.
void DrawSamples(Format& format, Random& random) {
  format.color_space = random.Below(kRgb);
  format.full_range = random.Flag();
  format.subsampling_x = format.subsampling_y = 1;
  if (format.profile % 2 == 0) return;
  const uint32_t kind = random.Below(4);  // 4:4:4, 4:4:0, 4:2:2, RGB
  format.subsampling_x = kind == 2;
  format.subsampling_y = kind == 1;
  if (kind == 3) format.color_space = kRgb;
}

Format DrawFormat(Random& random) {
  Format format;
  format.profile = random.Of({0u, 0u, 0u, 1u, 2u, 3u});
  format.twelve_bit = random.Flag();
  DrawSamples(format, random);
  return format;
}

Format Reformat(Format format, Random& random) {
  format.profile ^= random.Below(2);
  DrawSamples(format, random);
  return format;
}

uint32_t DrawLength(Random& random) {
  switch (random.Below(8)) {
    case 0:
      return uint32_t(random.Between(1, 16));
    case 1:
      return 8 * uint32_t(random.Between(1, 40));
    case 2:
    case 3:
    case 4:
      return uint32_t(random.Between(17, 130));
    default:
      return uint32_t(random.Between(64, 400));
  }
}

Size DrawSize(Random& random) {
  Size size = {DrawLength(random), DrawLength(random)};
  if (random.OneIn(8)) {  // several tile columns, if need be
    size.width = uint32_t(random.OneIn(8) ? random.Between(4097, 4600)
                                          : random.Between(449, 1100));
  }
  size.height = std::min(size.height, kMostPixels / size.width);
  return size;
}

// ---- sizes and references ----

bool CanScale(const Size& reference, const Size& size) {
  return reference.width <= 2 * size.width &&
         reference.height <= 2 * size.height &&
         size.width <= 16 * reference.width &&
         size.height <= 16 * reference.height;
}

// How many references a frame of that size can predict from.
int64_t Usable(const Header& header, const Slots& slots, const Size& size) {
  return std::ranges::count_if(header.references, [&](uint32_t slot) {
    return CanScale(slots[slot], size);
  });
}

// Half to twice the length of a reference, or anything that may be.
Size DrawScaledSize(const Size& from, Random& random) {
  const auto length = [&random](uint32_t reference) {
    const uint32_t least = (reference + 1) / 2;
    const uint32_t most = random.OneIn(4) ? 16 * reference : 2 * reference;
    if (random.OneIn(6)) return least;
    if (random.OneIn(8)) return reference;
    if (random.OneIn(8)) return std::min(most, 600u);
    return uint32_t(random.Between(int(least), int(std::min(most, 600u))));
  };
  return {length(from.width), length(from.height)};
}

// The size of an inter frame: a reference's, or one that they fit: all of them,
// or at least the one that VP9 7.2.5 asks for.
void SetInterSize(const StreamStyle& style, const Slots& slots, Header& header,
                  Random& random) {
  const int64_t needed = random.Flag() ? 1 : 3;
  const auto usable = [&](const Size& size) {
    return size.width > 0 && size.width * size.height <= kMostPixels &&
           Usable(header, slots, size) >= needed;
  };
  for (int tries = 0; tries < 8 && random.Below(kFrames) < style.resized;
       ++tries) {
    const Size size =
        DrawScaledSize(slots[header.references[random.Below(3)]], random);
    if (!usable(size)) continue;
    header.size = size;
    return;
  }
  const uint32_t first = random.Below(3);
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t index = (first + i) % 3;
    header.size = slots[header.references[index]];
    header.size_from = index;
    if (usable(header.size)) return;
  }
  header.references.fill(header.references[0]);
  header.size = slots[header.references[0]];
  header.size_from = 0;
}

// A slot that holds a frame.
uint32_t DrawSlot(const Slots& slots, Random& random) {
  uint32_t slot = random.Below(8);
  while (slots[slot].width == 0) slot = (slot + 1) % 8;
  return slot;
}

void DrawReferences(const Slots& slots, Header& header, Random& random) {
  for (uint32_t& slot : header.references) slot = DrawSlot(slots, random);
  // Mostly of one size, so that motion vectors of the frame before are used.
  const int most_tries = random.OneIn(4) ? 0 : 4;
  const Size& size = slots[header.references[0]];
  for (uint32_t& slot : header.references) {
    for (int tries = 0; tries < most_tries && slots[slot] != size; ++tries) {
      slot = DrawSlot(slots, random);
    }
  }
  for (bool& bias : header.sign_bias) bias = random.Flag();
}

// ---- the rest ----

std::optional<int> MaybeSigned(uint32_t one_in, int most, Random& random) {
  if (!random.OneIn(one_in)) return std::nullopt;
  return random.Flag() ? random.Between(-most, most)
                       : random.Logarithmic(0, most) * random.Of({1, -1});
}

LoopFilterFields DrawLoopFilter(Random& random) {
  LoopFilterFields fields;
  fields.level = random.OneIn(6) ? 0 : random.Below(64);
  fields.sharpness = random.Flag() ? 0 : random.Below(8);
  fields.delta_enabled = random.Flag();
  fields.delta_update = random.Flag();
  for (auto& delta : fields.ref_deltas) delta = MaybeSigned(3, 63, random);
  for (auto& delta : fields.mode_deltas) delta = MaybeSigned(3, 63, random);
  return fields;
}

void DrawQuantization(Header& header, Random& random) {
  header.base_q_idx = random.Below(256);
  if (random.OneIn(10)) header.base_q_idx = random.Below(3);
  const uint32_t one_in = random.Of({2u, 8u, 100u});
  for (auto& delta : header.delta_q) delta = MaybeSigned(one_in, 15, random);
  if (random.OneIn(12)) {  // lossless
    header.base_q_idx = 0;
    header.delta_q = {};
  }
}

template <typename Probabilities>
void DrawProbabilities(Probabilities& probabilities, Random& random) {
  const uint32_t one_in = random.Of({1u, 2u, 8u});
  for (auto& probability : probabilities) {
    probability.reset();
    if (random.OneIn(one_in)) probability = random.Below(256);
  }
}

SegmentationFields DrawSegmentation(Random& random) {
  constexpr int kMost[4] = {255, 63, 3, 0};
  SegmentationFields fields;
  fields.enabled = true;
  fields.update_map = random.Below(4) < 3;
  DrawProbabilities(fields.tree_probs, random);
  fields.temporal_update = random.Flag();
  DrawProbabilities(fields.pred_probs, random);
  fields.update_data = random.Below(4) < 3;
  fields.absolute = random.Flag();
  const uint32_t one_in[4] = {random.Of({2u, 4u}), random.Of({2u, 4u}),
                              random.Of({3u, 100u}), random.Of({4u, 100u})};
  for (auto& segment : fields.features) {
    for (uint32_t i = 0; i < 4; ++i) {
      if (!random.OneIn(one_in[i])) continue;
      segment[i] = i < 2 ? random.Between(-kMost[i], kMost[i])
                         : int(random.Below(uint32_t(kMost[i]) + 1));
    }
  }
  return fields;
}

// No segment tells a block its reference, which may not be one that can be
// used.
void KeepToBlocksReferences(SegmentationFields& fields) {
  constexpr size_t kReference = 2;
  fields.update_data = true;
  for (auto& segment : fields.features) segment[kReference].reset();
}

void DrawTiles(Header& header, Random& random) {
  header.tile_cols_log2 =
      uint32_t(random.Between(int(MinTileColsLog2(header.size.width)),
                              int(MaxTileColsLog2(header.size.width))));
  header.tile_rows_log2 = random.OneIn(3) ? random.Below(3) : 0;
}

void DrawIntra(const StreamStyle& style, Header& header, bool first,
               Random& random) {
  header.size = first || !random.OneIn(4) ? style.size : DrawSize(random);
  header.refresh = header.key_frame ? 0xff : random.Below(256);
  if (first) header.refresh |= 1u << random.Below(8);
}

void DrawInter(const StreamStyle& style, const Slots& slots, Header& header,
               Random& random) {
  header.refresh = random.Below(256);
  DrawReferences(slots, header, random);
  SetInterSize(style, slots, header, random);
  header.high_precision_mv = random.Flag();
  if (random.Flag()) header.interpolation = random.Below(4);
}

void DrawContexts(Header& header, bool first, Random& random) {
  header.reset_frame_context = header.key_frame ? 0 : random.Below(4);
  if (first) header.reset_frame_context = 3;  // there are none yet
  header.refresh_frame_context = !header.error_resilient && random.Flag();
  header.parallel = header.error_resilient || random.OneIn(3);
  header.frame_context = random.OneIn(3) ? random.Below(4) : 0;
}

}  // namespace

StreamStyle DrawStream(Random& random) {
  StreamStyle style;
  style.format = DrawFormat(random);
  style.reformats = random.OneIn(32);
  style.size = DrawSize(random);
  style.frames = uint32_t(random.Between(1, random.Of({3, 8, 16})));
  style.key = random.Below(4);
  style.intra_only = random.Flag() ? random.Below(5) : 0;
  style.hidden = random.Below(9);
  style.existing = random.Below(4);
  style.resilient = random.OneIn(3) ? random.Below(10) : 0;
  style.resized = random.OneIn(3) ? random.Below(14) : 0;
  style.segmented = random.Flag() ? random.Below(17) : 0;
  return style;
}

Header DrawHeader(const StreamStyle& style, const Slots& slots, bool first,
                  Random& random) {
  const auto happens = [&random](uint32_t of_frames) {
    return random.Below(kFrames) < of_frames;
  };
  Header header;
  header.format = style.format;
  if (!first && happens(style.existing)) {
    header.show_existing = DrawSlot(slots, random);
    return header;
  }
  header.intra_only = first ? random.OneIn(16) : happens(style.intra_only);
  header.key_frame = !header.intra_only && (first || happens(style.key));
  header.shown = !header.intra_only && !happens(style.hidden);
  header.error_resilient = happens(style.resilient);
  if (header.key_frame && !first && style.reformats) {
    header.format = Reformat(header.format, random);
  }
  if (header.intra()) {
    DrawIntra(style, header, first, random);
  } else {
    DrawInter(style, slots, header, random);
  }
  if (random.OneIn(6)) header.render_size = DrawSize(random);
  DrawContexts(header, first, random);
  header.loop_filter = DrawLoopFilter(random);
  DrawQuantization(header, random);
  if (happens(style.segmented)) {
    header.segmentation = DrawSegmentation(random);
  }
  if (!header.intra() && Usable(header, slots, header.size) < 3) {
    KeepToBlocksReferences(header.segmentation);
  }
  DrawTiles(header, random);
  return header;
}

}  // namespace perdix::vp9
