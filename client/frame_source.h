// SPDX-License-Identifier: BSD-2-Clause
// Shown frames that are pulled, one after the other: those of a coded stream
// (decoded_source.h), or of a Y4M file (y4m_source.h).
#ifndef PERDIX_CLIENT_FRAME_SOURCE_H_
#define PERDIX_CLIENT_FRAME_SOURCE_H_

#include <memory>

#include "client/base/image.h"
#include "client/container/container.h"
#include "client/stream/backend.h"
#include "kernels/status.h"

namespace perdix::client {

struct ShownFrame {
  Image image;
  // Keeps the pixels, which nobody changes as long as it is held.
  std::shared_ptr<const void> owner;
  DecodedFramePtr decoded = nullptr;  // the owner, if a backend decoded it
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;

  // The next frame; *end is set instead when there is none left. A failure
  // stands for frames that are missing; what is behind it may be asked for.
  virtual Status Next(ShownFrame* frame, bool* end) = 0;

  virtual FrameRate frame_rate() const = 0;
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_FRAME_SOURCE_H_
