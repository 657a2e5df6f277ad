// SPDX-License-Identifier: BSD-2-Clause
#include "tests/fuzz/av1_cases.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "tests/fuzz/damage_obus.h"
#include "tests/fuzz/session.h"

namespace perdix {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostPackets = 8;
constexpr uint32_t kMostSize = 160;  // luma samples a side: enough tiles, fast

// Inter, scaled, 4:4:4, superres, grain, layers, 12 bit, intrabc, hidden
// frames: what the seeds have in less than 2 KB only.
constexpr const char* kVectors[] = {
    "av1-8-bit-size/av1-1-b8-01-size-66x66.ivf",
    "av1-8-bit-size/av1-1-b8-01-size-196x210.ivf",
    "av1-8-bit-data/00000611.ivf",
    "av1-8-bit-data/00000862.ivf",
    "av1-8-bit-data/00000528.ivf",
    "av1-8-bit-data/00000661.ivf",
    "av1-10-bit-data/00000944.ivf",
    "av1-10-bit-data/00000681.ivf",
    "av1-12-bit-data/00000744.ivf",
    "av1-features/309_odd_width.ivf",
    "av1-features/av1-1-b8-22-svc-L1T2.ivf",
    "av1-features/av1-1-b8-22-svc-L2T1.ivf",
    "av1-argon/test15240.obu",
};

bool OneIn(Random& random, size_t n) { return Below(random, n) == 0; }

fs::path VectorFolder() {
  const char* const folder = std::getenv("PERDIX_VECTORS");
  if (folder != nullptr) return fs::path(folder) / "av1";
  return fs::path(PERDIX_SOURCE_DIR).parent_path() / "shared/vectors/av1";
}

std::vector<fs::path> Av1Files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(CorpusPath("av1")))
    files.push_back(entry.path());
  std::ranges::sort(files);
  for (const char* const name : kVectors) {
    const fs::path file = VectorFolder() / name;
    if (fs::exists(file)) files.push_back(file);
  }
  return files;
}

// Random, or as an encoder would never write it. ample: they seldom end too
// early.
Bytes RandomTileBytes(Random& random, size_t tiles, bool ample) {
  constexpr size_t kAmple = 6000, kFew = 80;
  Bytes bytes(tiles + (ample ? kAmple : Below(random, kFew * tiles)));
  const size_t kind = Below(random, 8);
  const uint8_t same = uint8_t(random());
  for (uint8_t& byte : bytes) {
    byte = uint8_t(random());
    if (kind == 0) byte = same;
    if (kind == 1) byte &= uint8_t(random() & random());
    if (kind == 2) byte |= uint8_t(random() | random());
  }
  return bytes;
}

}  // namespace

std::vector<Packets> ReadAv1Streams() {
  std::vector<Packets> streams;
  for (const fs::path& file : Av1Files())
    streams.push_back(ReadPackets(file.string(), kMostPackets));
  std::erase_if(streams,
                [](const Packets& packets) { return packets.empty(); });
  return streams;
}

Packets ReadAnyPackets(const std::string& path) {
  constexpr size_t kFileHeader = 32, kPacketHeader = 12;
  Packets packets = ReadPackets(path, SIZE_MAX);
  if (!packets.empty()) return packets;
  const Bytes bytes = ReadFile(path);
  for (size_t at = kFileHeader; at + kPacketHeader <= bytes.size();) {
    const size_t size = bytes[at] | size_t{bytes[at + 1]} << 8 |
                        size_t{bytes[at + 2]} << 16 |
                        size_t{bytes[at + 3]} << 24;
    at += kPacketHeader;
    if (size > bytes.size() - at) break;
    const auto begin = bytes.begin() + ptrdiff_t(at);
    packets.emplace_back(begin, begin + ptrdiff_t(size));
    at += size;
  }
  return packets;
}

Packets DamagedStream(Random& random, const std::vector<Packets>& streams) {
  Packets packets = streams[Below(random, streams.size())];
  if (OneIn(random, 3)) {
    DamagePackets(random, &packets);
  } else {
    DamageObus(random, streams[Below(random, streams.size())], &packets);
  }
  return packets;
}

Av1Request ToRequest(const Av1Headers& headers, Bytes data) {
  const uint32_t flags = headers.sequence.flags;
  Av1Request request;
  request.controls = ToControls(headers);
  request.data = std::move(data);
  request.width = headers.frame.upscaled_width;
  request.height = headers.frame.frame_height_minus_1 + 1;
  request.bit_depth = headers.sequence.bit_depth;
  request.subsampling_x = (flags & V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X) != 0;
  request.subsampling_y = (flags & V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_Y) != 0;
  request.monochrome = (flags & V4L2_AV1_SEQUENCE_FLAG_MONO_CHROME) != 0;
  request.refresh = headers.frame.refresh_frame_flags;
  return request;
}

std::vector<Av1Request> RandomRequests(Random& random) {
  const v4l2_ctrl_av1_sequence sequence = RandomSequence(random);
  const Av1Size usual = RandomSize(random, kMostSize);
  std::vector<Av1Request> requests;
  const size_t frames = 1 + Below(random, 5);
  for (size_t i = 0; i < frames; ++i) {
    const Av1Size size =
        OneIn(random, 4) ? RandomSize(random, kMostSize) : usual;
    Av1Headers headers = RandomHeaders(
        random, OneIn(random, 16) ? RandomSequence(random) : sequence, size,
        i == 0);
    // Mostly there is something to refer to.
    const bool ample = i == 0 ? !OneIn(random, 8) : OneIn(random, 2);
    const bool damaged = i == 0 ? OneIn(random, 8) : OneIn(random, 2);
    Bytes data = RandomTileBytes(random, headers.tile_count(), ample);
    PlaceTiles(data.size(), &headers);
    Av1Request request = ToRequest(headers, std::move(data));
    request.grain = OneIn(random, 2);
    if (OneIn(random, 4)) request.missing = uint8_t(random());
    if (OneIn(random, 32)) request.height = 1 + request.height / 2;
    if (damaged) DamageControls(random, &request.controls);
    requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace perdix
