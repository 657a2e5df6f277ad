// SPDX-License-Identifier: BSD-2-Clause
#include "tools/client/engine_backend.h"

#include <condition_variable>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "codec/codec.h"
#include "v4l2/perdix_uapi.h"

namespace perdix::client {
namespace {

class EngineFrame : public DecodedFrame {
 public:
  explicit EngineFrame(PicturePtr picture) : picture_(std::move(picture)) {}

  Status Wait() override {
    std::unique_lock lock(mutex_);
    done_condition_.wait(lock, [this] { return done_; });
    return status_;
  }
  Image image() const override { return {picture_->view, 0}; }

  const PicturePtr& picture() const { return picture_; }

  // From a worker thread of the engine, once.
  void Done(const Status& status) {
    const std::lock_guard lock(mutex_);
    status_ = status;
    done_ = true;
    done_condition_.notify_all();
  }

 private:
  const PicturePtr picture_;
  std::mutex mutex_;
  std::condition_variable done_condition_;
  bool done_ = false;
  Status status_;
};

}  // namespace

// Picture memory, used again once neither stream nor engine holds it.
class PicturePool : public std::enable_shared_from_this<PicturePool> {
 public:
  PicturePtr Take(const FrameFormat& format) {
    auto picture = std::make_shared<Picture>();
    const PicturePtr memory = TakeMemory(format);
    picture->layout = memory->layout;
    picture->memory.data = memory->memory.data;
    picture->memory.size = memory->memory.size;
    picture->memory.owner = std::shared_ptr<const void>(
        memory->memory.data, [pool = shared_from_this(), memory, format](
                                 const void*) { pool->Give(memory, format); });
    return picture;
  }

 private:
  PicturePtr TakeMemory(const FrameFormat& format) {
    const std::lock_guard lock(mutex_);
    if (format != format_) {
      free_.clear();
      format_ = format;
    }
    if (free_.empty()) {
      return NewHeapPicture(format.width, format.height, format.bit_depth,
                            format.subsampling_x, format.subsampling_y);
    }
    PicturePtr memory = std::move(free_.back());
    free_.pop_back();
    return memory;
  }

  void Give(PicturePtr memory, const FrameFormat& format) {
    const std::lock_guard lock(mutex_);
    if (format == format_) free_.push_back(std::move(memory));
  }

  std::mutex mutex_;
  FrameFormat format_;  // of what is in free_
  std::vector<PicturePtr> free_;
};

EngineBackend::EngineBackend(Engine& engine)
    : pool_(std::make_shared<PicturePool>()),
      decoder_(engine, *FindCodec(PERDIX_CODEC_VP9)) {}

EngineBackend::~EngineBackend() = default;

Status EngineBackend::Submit(const CodedFrame& coded, DecodedFramePtr* frame) {
  const FrameFormat& format = coded.header.format;
  PicturePtr picture;
  try {
    picture = pool_->Take(format);
  } catch (const std::bad_alloc&) {
    return {StatusCode::kUnsupported, "no memory for a frame of " +
                                          std::to_string(format.width) + "x" +
                                          std::to_string(format.height)};
  }
  const auto decoded = std::make_shared<EngineFrame>(picture);

  FrameRequest request;
  request.controls = {reinterpret_cast<const uint8_t*>(&coded.header.control),
                      sizeof(coded.header.control)};
  request.bitstream = coded.data;
  request.bitstream_owner = coded.owner;
  request.target = picture;
  for (int i = 0; i < kReferencesPerFrame; ++i) {
    if (coded.references[i] == nullptr) continue;
    request.references[i] =
        static_cast<const EngineFrame&>(*coded.references[i]).picture();
  }
  request.done = [decoded](const Status& status) { decoded->Done(status); };
  decoder_.Submit(std::move(request));
  *frame = decoded;
  return Status::Ok();
}

}  // namespace perdix::client
