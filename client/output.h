// SPDX-License-Identifier: BSD-2-Clause
// Shown frames on their way out of the program: into files and checksums, which
// are planar.
#ifndef PERDIX_CLIENT_OUTPUT_H_
#define PERDIX_CLIENT_OUTPUT_H_

#include <md5.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "client/base/coded_frame.h"
#include "client/base/image.h"
#include "client/container/container.h"
#include "client/planar.h"
#include "kernels/status.h"

namespace perdix::client {

// Takes shown frames, in order.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  // The image is valid during the call.
  virtual Status Write(const Image& image) = 0;
  virtual Status Finish() = 0;  // after the last frame, failure or not
};

// A FrameSink for frames made planar.
class PlanarSink {
 public:
  virtual ~PlanarSink() = default;
  virtual Status Write(const PlanarFrame& frame) = 0;
  virtual Status Finish() = 0;
};

// Makes each frame planar once, for all of its sinks.
class PlanarSinks : public FrameSink {
 public:
  void Add(std::unique_ptr<PlanarSink> sink);
  Status Write(const Image& image) override;
  // Finishes all; the first failure.
  Status Finish() override;

 private:
  std::vector<std::unique_ptr<PlanarSink>> sinks_;
  PlanarFrame planar_;
};

class Md5 {
 public:
  Md5();
  void Update(const std::vector<uint8_t>& bytes);
  std::string Hex();  // and starts again

 private:
  MD5_CTX context_;
};

// "MD5  name" of all frames together, on Finish().
class StreamMd5Sink : public PlanarSink {
 public:
  StreamMd5Sink(std::FILE* file, std::string name);
  Status Write(const PlanarFrame& frame) override;
  Status Finish() override;

 private:
  std::FILE* const file_;
  const std::string name_;
  Md5 md5_;
};

// "MD5  WxH", a line for each frame.
class FrameMd5Sink : public PlanarSink {
 public:
  explicit FrameMd5Sink(std::FILE* file) : file_(file) {}
  Status Write(const PlanarFrame& frame) override;
  Status Finish() override { return Status::Ok(); }

 private:
  std::FILE* const file_;
  Md5 md5_;
};

enum class FileFormat { kY4m, kRaw };

// The frames themselves. Y4M has one header and so allows one frame format.
class FileSink : public PlanarSink {
 public:
  // path "-": the standard output
  static Status Open(const std::string& path, FileFormat format, FrameRate rate,
                     std::unique_ptr<PlanarSink>* sink);
  Status Write(const PlanarFrame& frame) override;
  Status Finish() override;

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  FileSink(File file, std::string path, FileFormat format, FrameRate rate);
  Status WriteY4mHeader(const PlanarFrame& frame);
  Status WriteError() const;

  File file_;
  const std::string path_;
  const FileFormat file_format_;
  const FrameRate rate_;
  FrameFormat first_;  // of the first frame; width 0 before it
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_OUTPUT_H_
