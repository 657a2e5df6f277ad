// SPDX-License-Identifier: BSD-2-Clause
#include "client/output.h"

#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <utility>

namespace perdix::client {
namespace {

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

void PlanarSinks::Add(std::unique_ptr<PlanarSink> sink) {
  sinks_.push_back(std::move(sink));
}

Status PlanarSinks::Write(const Image& image) {
  if (!sinks_.empty()) ToPlanar(image, &planar_);
  for (const auto& sink : sinks_) {
    Status status = sink->Write(planar_);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status PlanarSinks::Finish() {
  Status first;
  for (const auto& sink : sinks_) {
    Status status = sink->Finish();
    if (first.ok()) first = std::move(status);
  }
  return first;
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
                      FrameRate rate, std::unique_ptr<PlanarSink>* sink) {
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
