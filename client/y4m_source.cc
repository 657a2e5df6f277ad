// SPDX-License-Identifier: BSD-2-Clause
#include "client/y4m_source.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <new>

namespace perdix::client {
namespace {

static_assert(std::endian::native == std::endian::little,
              "samples are read as they lie in memory");

constexpr std::string_view kMagic = "YUV4MPEG2";
constexpr std::string_view kFrame = "FRAME";
constexpr size_t kMaxLine = 1024;
constexpr uint32_t kMaxSide = 65536;  // of a frame of AV1 or VP9
constexpr uint32_t kAlignment = 64;   // of rows, in bytes

// The number that is all of <text>.
template <typename Number>
bool ParseNumber(std::string_view text, Number* number) {
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && last == end;
}

Status ParseSide(std::string_view field, uint32_t* side) {
  if (ParseNumber(field.substr(1), side) && *side >= 1 && *side <= kMaxSide) {
    return Status::Ok();
  }
  return InvalidFile("the header says " + std::string(field) +
                     ", allowed: 1 to " + std::to_string(kMaxSide));
}

// The rate of a field such as F30000:1001. One that says nothing is left out.
void ParseRate(std::string_view field, FrameRate* rate) {
  const size_t colon = field.find(':');
  if (colon == std::string_view::npos) return;
  FrameRate said;
  if (ParseNumber(field.substr(1, colon - 1), &said.numerator) &&
      ParseNumber(field.substr(colon + 1), &said.denominator) &&
      said.numerator > 0 && said.denominator > 0) {
    *rate = said;
  }
}

// Reads the samples of a field such as C420p10.
Status ParseSamples(std::string_view field, FrameFormat* format) {
  struct Tag {
    std::string_view name;
    uint32_t subsampling_x, subsampling_y;
    std::string_view depth;  // what stands before a depth above 8
  };
  static constexpr Tag kTags[] = {
      {"420jpeg", 1, 1, "420p"},  {"420mpeg2", 1, 1, "420p"},
      {"420paldv", 1, 1, "420p"}, {"420", 1, 1, "420p"},
      {"422", 1, 0, "422p"},      {"444", 0, 0, "444p"},
      {"mono", 1, 1, "mono"}};
  const std::string_view said = field.substr(1);
  for (const Tag& tag : kTags) {
    const std::string above(tag.depth);
    const uint32_t depth = said == tag.name       ? 8
                           : said == above + "10" ? 10
                           : said == above + "12" ? 12
                                                  : 0;
    if (depth == 0) continue;
    format->bit_depth = depth;
    format->subsampling_x = tag.subsampling_x;
    format->subsampling_y = tag.subsampling_y;
    format->monochrome = tag.name == "mono";
    return Status::Ok();
  }
  return InvalidFile("the header says " + std::string(field) +
                     ", allowed: 420, 422, 444 and mono, of 8, 10 or 12 bit");
}

Status ParseField(std::string_view field, Y4mHeader* header) {
  switch (field.front()) {
    case 'W':
      return ParseSide(field, &header->format.width);
    case 'H':
      return ParseSide(field, &header->format.height);
    case 'C':
      return ParseSamples(field, &header->format);
    case 'F':
      ParseRate(field, &header->rate);
  }
  return Status::Ok();
}

// Up to the end of the line, which is taken too. False: none is found.
bool ReadLine(std::FILE* file, std::string* line) {
  line->clear();
  while (line->size() < kMaxLine) {
    const int c = std::fgetc(file);
    if (c == EOF) return false;
    if (c == '\n') return true;
    line->push_back(char(c));
  }
  return false;
}

uint32_t SampleBytes(const FrameFormat& format) {
  return format.bit_depth > 8 ? 2 : 1;
}

uint32_t StrideOf(uint32_t samples, const FrameFormat& format) {
  const uint32_t bytes = samples * SampleBytes(format);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// The picture of a frame; its planes have no memory.
PictureView ViewOf(const FrameFormat& format) {
  PictureView view;
  view.width = format.width;
  view.height = format.height;
  view.bit_depth = format.bit_depth;
  view.subsampling_x = format.subsampling_x;
  view.subsampling_y = format.subsampling_y;
  view.planes[kLuma] = {nullptr, StrideOf(format.width, format), format.width,
                        format.height};
  const uint32_t chroma_width =
      (format.width + format.subsampling_x) >> format.subsampling_x;
  view.planes[kChroma] = {
      nullptr, StrideOf(2 * chroma_width, format), chroma_width,
      (format.height + format.subsampling_y) >> format.subsampling_y};
  return view;
}

}  // namespace

Status ParseY4mHeader(std::string_view line, Y4mHeader* header) {
  Y4mHeader parsed;
  line.remove_prefix(kMagic.size());
  while (!line.empty()) {
    const std::string_view field = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), field.size() + 1));
    if (field.empty()) continue;
    Status status = ParseField(field, &parsed);
    if (!status.ok()) return status;
  }
  if (parsed.format.width == 0 || parsed.format.height == 0) {
    return InvalidFile(
        std::string("the header lacks ") +
        (parsed.format.width == 0 ? "W, the width" : "H, the height"));
  }
  *header = parsed;
  return Status::Ok();
}

bool Y4mSource::IsY4m(std::string_view first) {
  return first.starts_with(kMagic);
}

Status Y4mSource::Open(InputFile file, std::unique_ptr<FrameSource>* source) {
  std::string line;
  if (!ReadLine(file.get(), &line)) {
    return InvalidFile("the header's line does not end within " +
                       std::to_string(kMaxLine) + " bytes");
  }
  Y4mHeader header;
  Status status = ParseY4mHeader(line, &header);
  if (!status.ok()) return status;
  source->reset(new Y4mSource(std::move(file), header));
  return Status::Ok();
}

Status Y4mSource::Next(ShownFrame* frame, bool* end) {
  *frame = {};
  *end = is_over_;
  if (*end) return Status::Ok();
  ++number_;
  Status status;
  try {
    std::shared_ptr<Buffer> buffer = TakeBuffer();
    status = ReadFrame(*buffer, end);
    if (status.ok() && !*end) *frame = {buffer->image, std::move(buffer)};
  } catch (const std::bad_alloc&) {
    status = {StatusCode::kOutOfMemory,
              "no memory for a frame of " +
                  std::to_string(header_.format.width) + "x" +
                  std::to_string(header_.format.height)};
  }
  is_over_ = *end || !status.ok();
  return status;
}

Status Y4mSource::ReadFrame(const Buffer& buffer, bool* end) {
  const int first = std::fgetc(file_.get());
  *end = first == EOF && !std::ferror(file_.get());
  if (*end) return Status::Ok();
  std::ungetc(first, file_.get());
  std::string line;
  if (!ReadLine(file_.get(), &line) && std::feof(file_.get())) {
    return CutShort();
  }
  if (!line.starts_with(kFrame)) {
    return InvalidFile("frame " + std::to_string(number_) + " begins with " +
                       line.substr(0, kFrame.size()) + ", allowed: FRAME");
  }
  const PictureView& view = buffer.image.view;
  Status status = ReadLuma(view.planes[kLuma]);
  if (header_.format.monochrome) return status;
  for (uint32_t component = 0; component < 2 && status.ok(); ++component) {
    status = ReadChroma(view.planes[kChroma], component);
  }
  return status;
}

Status Y4mSource::ReadLuma(const Plane& plane) {
  Status status;
  for (uint32_t y = 0; y < plane.height && status.ok(); ++y) {
    status = SampleBytes(header_.format) == 2
                 ? ReadSamples(plane.width, plane.Row<uint16_t>(y))
                 : ReadSamples(plane.width, plane.Row<uint8_t>(y));
  }
  return status;
}

// Every second sample of the plane.
Status Y4mSource::ReadChroma(const Plane& plane, uint32_t component) {
  row_.resize(plane.width);
  const auto read = [&]<typename Sample>(Sample* row) -> Status {
    for (uint32_t y = 0; y < plane.height; ++y) {
      Status status = ReadSamples(plane.width, row);
      if (!status.ok()) return status;
      Sample* const to = plane.Row<Sample>(y) + component;
      for (uint32_t x = 0; x < plane.width; ++x) to[2 * x] = row[x];
    }
    return Status::Ok();
  };
  return SampleBytes(header_.format) == 2
             ? read(row_.data())
             : read(reinterpret_cast<uint8_t*>(row_.data()));
}

template <typename Sample>
Status Y4mSource::ReadSamples(uint32_t count, Sample* samples) {
  if (std::fread(samples, sizeof(Sample), count, file_.get()) != count) {
    return CutShort();
  }
  if constexpr (sizeof(Sample) == 2) {
    const uint32_t peak = (1u << header_.format.bit_depth) - 1;
    uint32_t bits = 0;
    for (uint32_t x = 0; x < count; ++x) bits |= samples[x];
    if (bits > peak) {
      return InvalidFile("frame " + std::to_string(number_) +
                         " has a sample above " + std::to_string(peak) +
                         ", the most of " +
                         std::to_string(header_.format.bit_depth) + " bit");
    }
  }
  return Status::Ok();
}

Status Y4mSource::CutShort() const {
  const std::string frame = "frame " + std::to_string(number_);
  if (std::ferror(file_.get())) {
    return InvalidFile(frame + ": cannot read: " + std::strerror(errno));
  }
  return InvalidFile(frame + " is cut short by the end of the file");
}

std::shared_ptr<Y4mSource::Buffer> Y4mSource::TakeBuffer() {
  for (const std::shared_ptr<Buffer>& buffer : buffers_) {
    if (buffer.use_count() == 1) return buffer;
  }
  auto buffer = std::make_shared<Buffer>();
  PictureView& view = buffer->image.view;
  view = ViewOf(header_.format);
  Plane& luma = view.planes[kLuma];
  Plane& chroma = view.planes[kChroma];
  const size_t luma_bytes = size_t{luma.stride_bytes} * luma.height;
  const size_t chroma_bytes = size_t{chroma.stride_bytes} * chroma.height;
  // not cleared: memory that the file does not fill is never there
  buffer->bytes =
      std::make_unique_for_overwrite<uint8_t[]>(luma_bytes + chroma_bytes);
  luma.data = buffer->bytes.get();
  chroma.data = luma.data + luma_bytes;
  buffer->image.monochrome = header_.format.monochrome;
  buffers_.push_back(buffer);
  return buffer;
}

}  // namespace perdix::client
