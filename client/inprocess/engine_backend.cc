// SPDX-License-Identifier: BSD-2-Clause
#include "client/inprocess/engine_backend.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "codec/codec.h"
#include "engine/frames_in_flight.h"
#include "engine/read_picture.h"

namespace perdix::client {
namespace {

static_assert(kReferenceSlots == kMaxReferences);
constexpr uint32_t kAllSlots = (1u << kReferenceSlots) - 1;

// Whether a packet can go on with <rest>: its headers are right, as far as they
// are found without decoding.
bool IsFrame(const PacketParser& parser_behind, std::span<const uint8_t> rest) {
  const std::unique_ptr<PacketParser> parser = parser_behind.Clone();
  parser->Begin(rest);
  for (;;) {
    CodedFrame frame;
    bool end = false;
    if (!parser->Next(&frame, &end).ok()) return false;
    if (end || frame.parser_behind) return true;
  }
}

// Frames whose pixels nobody reads wait in numbers, and the client is called
// when so few are left: a call for each, tens of microseconds in a guest, was
// 6 % of two threads' CPU time at 800x332. Of large ones fewer wait.
constexpr size_t kFewWaiting = 1;
constexpr size_t kLeastDepth = 4, kMostDepth = 24;
constexpr size_t kWaitingBytes = 128 << 10;

}  // namespace

// The client waits here, for whichever frame.
struct EngineBackend::Client {
  std::mutex mutex;
  std::condition_variable called;
};

class EngineFrame : public DecodedFrame {
 public:
  EngineFrame(Engine& engine, bool pixels, bool stays_in_gpu, bool monochrome,
              std::shared_ptr<EngineBackend::Client> client)
      : engine_(engine),
        pixels_(pixels),
        stays_in_gpu_(stays_in_gpu),
        monochrome_(monochrome),
        client_(std::move(client)) {}

  Status Wait() override {
    std::unique_lock lock(client_->mutex);
    client_->called.wait(lock, [this] { return done_; });
    return status_;
  }
  // Empty unless pixels are read.
  Status Map(Image* image) override {
    if (!stays_in_gpu_) return Read(image);
    *image = ImageOf(held_);
    return Status::Ok();
  }
  // Map, wherever the pixels are.
  Status Read(Image* image) {
    *image = {};
    if (held_ != nullptr && held_->memory.data == nullptr && copy_ == nullptr) {
      Status status = ReadPicture(*engine_.gpu(), *held_, &copy_);
      if (!status.ok()) return status;
    }
    *image = ImageOf(copy_ ? copy_ : held_);
    return Status::Ok();
  }
  // What is shown. Null unless pixels are read.
  const PicturePtr& held() const { return held_; }

  std::span<const uint8_t> rest() const override { return rest_; }
  void SetRest(std::span<const uint8_t> rest) { rest_ = rest; }

  // What later frames refer to. Null until the engine takes the frame.
  PicturePtr picture() const { return picture_.lock(); }
  // Whether the GPU reached the picture when the engine took the frame.
  bool gpu_reaches() const { return gpu_reaches_; }
  // display: what is shown, perhaps the same picture
  void SetPictures(const PicturePtr& picture, const PicturePtr& display) {
    picture_ = picture;
    gpu_reaches_ = GpuReaches(*picture);
    if (pixels_) held_ = display;
  }

  // Once. call: what the client waits for may be this or a frame before.
  void Done(const Status& status, bool call) {
    {
      const std::lock_guard lock(client_->mutex);
      status_ = status;
      done_ = true;
    }
    if (call) client_->called.notify_all();
  }

 private:
  Image ImageOf(const PicturePtr& picture) const {
    if (picture == nullptr) return {};
    return {picture->view, picture->view.shift, monochrome_};
  }

  Engine& engine_;
  const bool pixels_;
  const bool stays_in_gpu_;
  const bool monochrome_;
  const std::shared_ptr<EngineBackend::Client> client_;
  std::weak_ptr<Picture> picture_;
  bool gpu_reaches_ = false;
  PicturePtr held_;  // for who reads pixels
  PicturePtr copy_;  // of a picture that only the GPU reaches
  std::span<const uint8_t> rest_;
  bool done_ = false;
  Status status_;
};

template class BackendOf<EngineFrame>;

// Picture memory, used again once neither stream nor engine holds it.
class PicturePool : public std::enable_shared_from_this<PicturePool> {
 public:
  PicturePool(Engine& engine, const CodecRow& codec)
      : engine_(engine), codec_(codec) {}

  PictureMemory Take(const FrameFormat& format, bool needs_cpu) {
    const Kind kind = {
        format, engine_.HomeOf(codec_, format.bit_depth, format.subsampling_x,
                               format.subsampling_y)};
    if (needs_cpu && kind.home == PictureHome::kGpu) {
      return Make(format, true)->memory;  // not like the others: not kept
    }
    const PicturePtr picture = TakePicture(kind);
    PictureMemory memory = picture->memory;
    memory.owner = std::shared_ptr<const void>(
        picture.get(), [pool = shared_from_this(), picture, kind](const void*) {
          pool->Give(picture, kind);
        });
    return memory;
  }

 private:
  struct Kind {
    bool operator==(const Kind&) const = default;

    FrameFormat format;
    PictureHome home = PictureHome::kHeap;
  };

  PicturePtr Make(const FrameFormat& format, bool needs_cpu) {
    return engine_.NewPicture(codec_, format.width, format.height,
                              format.bit_depth, format.subsampling_x,
                              format.subsampling_y, needs_cpu);
  }

  PicturePtr TakePicture(const Kind& kind) {
    const std::lock_guard lock(mutex_);
    if (kind != kind_) {
      free_.clear();
      kind_ = kind;
    }
    if (free_.empty()) return Make(kind.format, kind.home != PictureHome::kGpu);
    PicturePtr picture = std::move(free_.back());
    free_.pop_back();
    return picture;
  }

  void Give(PicturePtr picture, const Kind& kind) {
    const std::lock_guard lock(mutex_);
    if (kind == kind_) free_.push_back(std::move(picture));
  }

  Engine& engine_;
  const CodecRow& codec_;
  std::mutex mutex_;
  Kind kind_;  // of what is in free_
  std::vector<PicturePtr> free_;
};

EngineBackend::EngineBackend(Engine& engine, const ClientCodec& codec,
                             bool pixels)
    : BackendOf(codec),
      engine_(engine),
      pixels_(pixels),
      client_(std::make_shared<Client>()),
      pool_(std::make_shared<PicturePool>(engine, *FindCodec(codec.id))),
      frame_parallel_(FindCodec(codec.id)->frame_parallel_parsing),
      decoder_(engine, *FindCodec(codec.id)) {}

// Frames that nobody will ask for any more are not begun.
EngineBackend::~EngineBackend() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
  }
  decoder_.Drain();
}

Status EngineBackend::Decode(const SubmittedFrame& coded,
                             const References& references,
                             std::shared_ptr<EngineFrame>* frame) {
  const auto decoded = std::make_shared<EngineFrame>(
      engine_, pixels_, leaves_in_gpu_, coded.format.monochrome, client_);
  *frame = decoded;
  const std::lock_guard lock(mutex_);
  waiting_.push_back({coded, references, decoded});
  waiting_bytes_ += coded.data.size();
  StartFrames();
  return Status::Ok();
}

void EngineBackend::CopySlot(uint8_t slot, uint32_t refresh) {
  Waiting copy;
  copy.coded.shows_slot = slot;
  copy.coded.refresh = refresh;
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(copy));
  StartFrames();
}

void EngineBackend::FramesAreLost() {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({});
  StartFrames();
}

void EngineBackend::Rewind() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
  waiting_bytes_ = 0;
  end_is_open_ = false;
}

// So many wait that the engine never does; of pixels one is looked at.
size_t EngineBackend::depth() const {
  if (pixels_) return engine_.frames_in_flight() + 2;
  const std::lock_guard lock(mutex_);
  if (waiting_bytes_ < kWaitingBytes) return running_ + kMostDepth;
  return running_ + std::clamp(waiting_.size(), kLeastDepth, kMostDepth);
}

size_t EngineBackend::InFlight(const FrameFormat& format) const {
  if (engine_.gpu() != nullptr) return engine_.frames_in_flight();
  return CpuFramesInFlight(format.width, format.height, engine_.threads(),
                           frame_parallel_);
}

void EngineBackend::StartFrames() {
  while (!waiting_.empty() && !end_is_open_ &&
         running_ < InFlight(waiting_.front().coded.format)) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= next.coded.data.size();
    Start(std::move(next));
  }
}

PicturePtr EngineBackend::NewPicture(const FrameFormat& format, bool upper_bits,
                                     bool needs_cpu) {
  auto picture = std::make_shared<Picture>();
  picture->layout = LayOutPicture(format.width, format.height, format.bit_depth,
                                  format.subsampling_x, format.subsampling_y,
                                  &picture->memory.size);
  if (upper_bits) picture->layout.shift = 16 - format.bit_depth;
  if (engine_.gpu() != nullptr) {
    picture->memory = pool_->Take(format, needs_cpu);
  } else {
    picture->take_memory = [pool = pool_, format] {
      return pool->Take(format, true);
    };
  }
  return picture;
}

void EngineBackend::Refresh(uint32_t slots, const PicturePtr& picture) {
  for (int i = 0; i < kReferenceSlots; ++i) {
    if (slots >> i & 1) slots_[i] = picture;
  }
}

void EngineBackend::Start(Waiting waiting) {
  SubmittedFrame& coded = waiting.coded;
  if (coded.shows_slot) {
    Refresh(coded.refresh, PicturePtr(slots_[*coded.shows_slot]));
    return;
  }
  if (waiting.frame == nullptr) return StartLost();
  const FrameFormat& format = coded.format;
  const std::shared_ptr<EngineFrame> decoded = std::move(waiting.frame);
  // What is predicted from the heap is the CPU's work, too.
  const bool needs_cpu =
      coded.needs_cpu ||
      std::ranges::any_of(waiting.references, [](const auto& frame) {
        return frame != nullptr && !frame->gpu_reaches();
      });
  PicturePtr target, display;
  try {
    target =
        NewPicture(format, upper_bits_ && !coded.separate_display, needs_cpu);
    if (coded.separate_display) {
      display = NewPicture(format, upper_bits_, needs_cpu);
    }
  } catch (const std::bad_alloc&) {
    Refresh(coded.refresh, nullptr);
    decoded->Done({StatusCode::kUnsupported,
                   "no memory for a frame of " + std::to_string(format.width) +
                       "x" + std::to_string(format.height)},
                  true);
    return;
  }

  decoded->SetPictures(target, display ? display : target);

  FrameRequest request;
  request.controls = std::move(coded.controls);
  request.bitstream = coded.data;
  request.bitstream_owner = std::move(coded.owner);
  request.target = target;
  request.display = display;
  for (int i = 0; i < kReferenceSlots; ++i) {
    if (waiting.references[i] == nullptr) continue;
    request.references[i] = waiting.references[i]->picture();
  }
  Refresh(coded.refresh, target);
  if (coded.parser_behind != nullptr) {
    end_is_open_ = true;
    request.parsed = [this, decoded, parser = std::move(coded.parser_behind)](
                         std::span<const uint8_t> rest) {
      return Parsed(*decoded, *parser, rest);
    };
  }
  request.done = [this, decoded](const Status& status) {
    bool call = false;
    {
      const std::lock_guard lock(mutex_);
      --running_;
      StartFrames();
      call = pixels_ || waiting_.size() <= kFewWaiting;
    }
    const PicturePtr picture = decoded->picture();
    const bool ignored =
        ignores_damage_ && picture != nullptr && picture->damaged;
    decoded->Done(ignored ? Status::Ok() : status, call);
  };
  ++running_;
  decoder_.Submit(std::move(request));
}

// A frame without anything: the engine learns that some are missing.
void EngineBackend::StartLost() {
  Refresh(kAllSlots, nullptr);
  FrameRequest request;
  request.target = std::make_shared<Picture>();
  request.done = [this](const Status&) {
    const std::lock_guard lock(mutex_);
    --running_;
    StartFrames();
  };
  ++running_;
  decoder_.Submit(std::move(request));
}

bool EngineBackend::Parsed(EngineFrame& frame,
                           const PacketParser& parser_behind,
                           std::span<const uint8_t> rest) {
  if (!rest.empty() && IsFrame(parser_behind, rest)) {
    frame.SetRest(rest);
    return true;
  }
  const std::lock_guard lock(mutex_);
  end_is_open_ = false;
  StartFrames();
  return false;
}

gpu::Picture InGpuMemory(const DecodedFrame& frame) {
  const auto* const decoded = dynamic_cast<const EngineFrame*>(&frame);
  if (decoded == nullptr || decoded->held() == nullptr) return {};
  return perdix::InGpuMemory(*decoded->held());
}

Status ReadBack(DecodedFrame& frame, Image* image) {
  auto* const decoded = dynamic_cast<EngineFrame*>(&frame);
  return decoded != nullptr ? decoded->Read(image) : frame.Map(image);
}

}  // namespace perdix::client
