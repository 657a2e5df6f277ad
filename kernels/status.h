// SPDX-License-Identifier: BSD-2-Clause
// The outcome of an operation that can fail on input: no exceptions on the
// decoding path, no output written unless ok().
#ifndef PERDIX_KERNELS_STATUS_H_
#define PERDIX_KERNELS_STATUS_H_

#include <string>
#include <utility>

namespace perdix {

enum class StatusCode {
  kOk,
  kInvalidBitstream,  // the coded data or the controls break the format
  kMissingReference,  // a block predicts from a frame that is not intact
  kUnsupported,       // valid, but outside what this build decodes
  kInvalidArgument,   // the caller's buffers do not fit the request
  kOutOfMemory,       // for what the frame's size asks for
  kDeviceLost,        // the GPU is gone; what it worked on is undefined
  kCancelled,         // the session or its client is gone
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : code_(code), message_(std::move(message)) {}

  static Status Ok() { return {}; }
  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  // Names the field, the value got and the values allowed.
  const std::string& message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

}  // namespace perdix

#endif  // PERDIX_KERNELS_STATUS_H_
