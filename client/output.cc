// SPDX-License-Identifier: BSD-2-Clause
#include "client/output.h"

#include <bit>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <utility>

namespace perdix::client {
namespace {

static_assert(std::endian::native == std::endian::little,
              "samples are written as they lie in memory");

// Row by row; Samples of <plane> at first, first + step, ...
template <typename Sample>
uint8_t* CopyPlane(const Plane& plane, uint32_t first, uint32_t step,
                   uint32_t shift, uint8_t* out) {
  for (uint32_t y = 0; y < plane.height; ++y) {
    const Sample* row = plane.Row<Sample>(y) + first;
    if (step == 1 && shift == 0) {
      std::memcpy(out, row, plane.width * sizeof(Sample));
    } else {
      Sample* const to = reinterpret_cast<Sample*>(out);
      for (uint32_t x = 0; x < plane.width; ++x) {
        to[x] = Sample(row[x * step] >> shift);
      }
    }
    out += plane.width * sizeof(Sample);
  }
  return out;
}

template <typename Sample>
void CopyPlanes(const Image& image, uint8_t* out) {
  const PictureView& view = image.view;
  out = CopyPlane<Sample>(view.planes[kLuma], 0, 1, image.shift, out);
  if (image.monochrome) return;
  out = CopyPlane<Sample>(view.planes[kChroma], 0, 2, image.shift, out);
  CopyPlane<Sample>(view.planes[kChroma], 1, 2, image.shift, out);
}

std::string Describe(const FrameFormat& format) {
  return std::to_string(format.width) + "x" + std::to_string(format.height) +
         " at " + std::to_string(format.bit_depth) + " bit";
}

// The colour space tag of a Y4M header, as vpxdec writes it.
std::string Y4mColorSpace(const FrameFormat& format) {
  if (format.monochrome) {
    return format.bit_depth > 8 ? "mono" + std::to_string(format.bit_depth)
                                : "mono";
  }
  std::string tag = format.subsampling_x == 0   ? "444"
                    : format.subsampling_y == 0 ? "422"
                                                : "420";
  if (format.bit_depth > 8) {
    const std::string depth = std::to_string(format.bit_depth);
    return tag + "p" + depth + " XYSCSS=" + tag + "P" + depth;
  }
  if (tag == "420") return "420jpeg";
  return tag;
}

}  // namespace

void ToPlanar(const Image& image, PlanarFrame* frame) {
  const PictureView& view = image.view;
  const Plane& luma = view.planes[kLuma];
  const Plane& chroma = view.planes[kChroma];
  frame->format = {view.width,         view.height,        view.bit_depth,
                   view.subsampling_x, view.subsampling_y, image.monochrome};
  size_t samples = size_t{luma.width} * luma.height;
  if (!image.monochrome) samples += size_t{2} * chroma.width * chroma.height;
  frame->bytes.resize(samples * (view.bit_depth > 8 ? 2 : 1));
  if (view.bit_depth > 8) {
    CopyPlanes<uint16_t>(image, frame->bytes.data());
  } else {
    CopyPlanes<uint8_t>(image, frame->bytes.data());
  }
}

Md5::Md5() { MD5Init(&context_); }

void Md5::Update(const std::vector<uint8_t>& bytes) {
  MD5Update(&context_, bytes.data(), bytes.size());
}

std::string Md5::Hex() {
  char hex[MD5_DIGEST_STRING_LENGTH];
  MD5End(&context_, hex);
  MD5Init(&context_);
  return hex;
}

StreamMd5Sink::StreamMd5Sink(std::FILE* file, std::string name)
    : file_(file), name_(std::move(name)) {}

Status StreamMd5Sink::Write(const PlanarFrame& frame) {
  md5_.Update(frame.bytes);
  return Status::Ok();
}

Status StreamMd5Sink::Finish() {
  std::fprintf(file_, "%s  %s\n", md5_.Hex().c_str(), name_.c_str());
  return Status::Ok();  // nothing follows: main() looks whether it arrived
}

Status FrameMd5Sink::Write(const PlanarFrame& frame) {
  md5_.Update(frame.bytes);
  const int printed = std::fprintf(file_, "%s  %ux%u\n", md5_.Hex().c_str(),
                                   frame.format.width, frame.format.height);
  if (printed >= 0) return Status::Ok();
  return {StatusCode::kInvalidArgument,
          std::string("cannot write checksums: ") + std::strerror(errno)};
}

FileSink::FileSink(File file, std::string path, FileFormat format,
                   FrameRate rate)
    : file_(std::move(file)),
      path_(std::move(path)),
      file_format_(format),
      rate_(rate) {}

Status FileSink::Open(const std::string& path, FileFormat format,
                      FrameRate rate, std::unique_ptr<Sink>* sink) {
  File file = path == "-" ? File(stdout, std::fflush)
                          : File(std::fopen(path.c_str(), "wb"), std::fclose);
  if (file == nullptr) {
    return {StatusCode::kInvalidArgument,
            "cannot write " + path + ": " + std::strerror(errno)};
  }
  sink->reset(new FileSink(std::move(file),
                           path == "-" ? "the standard output" : path, format,
                           rate));
  return Status::Ok();
}

Status FileSink::WriteError() const {
  return {StatusCode::kInvalidArgument,
          "cannot write " + path_ + ": " + std::strerror(errno)};
}

Status FileSink::WriteY4mHeader(const PlanarFrame& frame) {
  const FrameFormat& format = frame.format;
  if (format.subsampling_x == 0 && format.subsampling_y == 1) {
    return {StatusCode::kInvalidArgument,
            "Y4M knows no 4:4:0, raw output does"};
  }
  if (first_.width == 0) {
    first_ = format;
    std::fprintf(file_.get(),
                 "YUV4MPEG2 W%u H%u F%" PRId64 ":%" PRId64 " Ip C%s\n",
                 format.width, format.height, rate_.numerator,
                 rate_.denominator, Y4mColorSpace(format).c_str());
  }
  if (format != first_) {
    return {StatusCode::kInvalidArgument,
            "frame is " + Describe(format) + ", the Y4M file " +
                Describe(first_) + "; raw output may change"};
  }
  std::fputs("FRAME\n", file_.get());
  return Status::Ok();
}

Status FileSink::Write(const PlanarFrame& frame) {
  if (file_format_ == FileFormat::kY4m) {
    Status status = WriteY4mHeader(frame);
    if (!status.ok()) return status;
  }
  const size_t written =
      std::fwrite(frame.bytes.data(), 1, frame.bytes.size(), file_.get());
  return written == frame.bytes.size() ? Status::Ok() : WriteError();
}

Status FileSink::Finish() {
  const bool failed = std::ferror(file_.get()) != 0;
  return std::fflush(file_.get()) != 0 || failed ? WriteError() : Status::Ok();
}

}  // namespace perdix::client
