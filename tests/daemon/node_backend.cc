// SPDX-License-Identifier: BSD-2-Clause
#include "tests/daemon/node_backend.h"

#include <linux/videodev2.h>
#include <poll.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "client/bitstream/vp9/codec.h"

namespace perdix {
namespace {

// Unlike the width, so that a mistake shows.
constexpr uint32_t kExtraStride = 64;
constexpr size_t kBitstreamBuffers = 4;
constexpr std::chrono::seconds kPatience{600};  // with all of a clip

ChannelEvent NewEvent(uint32_t type, uint32_t session) {
  ChannelEvent event;
  event.event.type = type;
  event.event.session = session;
  return event;
}

uint32_t AlignUp8(uint32_t value) { return (value + 7) / 8 * 8; }

// The client's own mapping of a picture.
class ClientPicture {
 public:
  ClientPicture(int fd, const client::FrameFormat& format)
      : format_(format),
        stride_(Stride(format)),
        rows_(AlignUp8(format.height)) {
    data_ = static_cast<uint8_t*>(
        mmap(nullptr, bytes(), PROT_READ, MAP_SHARED, fd, 0));
  }
  ClientPicture(const ClientPicture&) = delete;
  ClientPicture& operator=(const ClientPicture&) = delete;
  ~ClientPicture() { munmap(data_, bytes()); }

  static size_t Bytes(const client::FrameFormat& format) {
    return size_t{Stride(format)} * AlignUp8(format.height) * 3 / 2;
  }
  static uint32_t Stride(const client::FrameFormat& format) {
    const uint32_t sample_bytes = format.bit_depth > 8 ? 2 : 1;
    return AlignUp8(format.width) * sample_bytes + kExtraStride;
  }
  size_t bytes() const { return Bytes(format_); }
  uint32_t stride() const { return stride_; }
  uint32_t rows() const { return rows_; }
  const client::FrameFormat& format() const { return format_; }

  PictureView view() const {
    PictureView view;
    view.planes[kLuma] = {data_, stride_, format_.width, format_.height};
    view.planes[kChroma] = {data_ + size_t{stride_} * rows_, stride_,
                            (format_.width + 1) / 2, (format_.height + 1) / 2};
    view.width = format_.width;
    view.height = format_.height;
    view.bit_depth = format_.bit_depth;
    return view;
  }

 private:
  const client::FrameFormat format_;
  const uint32_t stride_;
  const uint32_t rows_;
  uint8_t* data_;
};

}  // namespace

NodeHost::NodeHost(const EngineOptions& options, bool checksum)
    : engine_(options), checksum_(checksum) {
  Restart();
}

NodeHost::NodeHost(int threads)
    : NodeHost(EngineOptions{.threads = threads, .recipe = {}, .measure = {}}) {
}

void NodeHost::Restart() {
  node_.reset();
  ++life_;
  node_ = std::make_unique<Node>(SessionResources{.channel = channel_,
                                                  .completions = completions_,
                                                  .engine = engine_,
                                                  .log = log_,
                                                  .statistics = statistics_,
                                                  .limits = {},
                                                  .checksum = checksum_});
}

void NodeHost::Pump() {
  do {
    (void)node_->TakeEvents();
  } while (!channel_->empty());
}

std::optional<Answer> NodeHost::AnswerTo(uint64_t job) const {
  return channel_->AnswerTo(job);
}

// For a frame that is awaited, or a little; aborts after <end>, as a job was
// lost.
void NodeHost::WaitUntil(SteadyTime end) const {
  if (std::chrono::steady_clock::now() > end) abort();
  pollfd wait = {completions_->poll_fd(), POLLIN, 0};
  poll(&wait, 1, 2);
}

void NodeHost::PumpUntilAnswered(uint64_t job) {
  const SteadyTime end = std::chrono::steady_clock::now() + kPatience;
  for (Pump(); !AnswerTo(job); Pump()) WaitUntil(end);
}

void NodeHost::PumpUntilFrames(uint64_t frames) {
  const SteadyTime end = std::chrono::steady_clock::now() + kPatience;
  for (Pump(); node_->Totals().frames < frames; Pump()) WaitUntil(end);
}

// Pictures of the current format that no frame holds.
struct NodeBackend::Pool {
  std::map<uint32_t, std::shared_ptr<ClientPicture>> pictures;  // all, by id
  std::vector<uint32_t> free;
};

class HostFrame final : public client::DecodedFrame {
 public:
  HostFrame(NodeHost& host, std::shared_ptr<NodeBackend::Pool> pool,
            uint32_t buffer, uint64_t job)
      : host_(host),
        pool_(std::move(pool)),
        picture_(pool_->pictures.at(buffer)),
        buffer_(buffer),
        job_(job) {}
  ~HostFrame() override {
    host_.PumpUntilAnswered(job_);  // a client gets its buffer back first
    pool_->free.push_back(buffer_);
  }

  Status Wait() override {
    host_.PumpUntilAnswered(job_);
    return host_.AnswerTo(job_)->failed
               ? Status(StatusCode::kInvalidBitstream, "flagged")
               : Status::Ok();
  }
  Status Map(client::Image* image) override {
    const client::FrameFormat& format = picture_->format();
    *image = {picture_->view(),
              format.bit_depth > 8 ? 16 - format.bit_depth : 0,
              format.monochrome};
    return Status::Ok();
  }

  // What the module knows by now: whether no frame may refer to it.
  bool IsLost() const {
    const std::optional<Answer> answer = host_.AnswerTo(job_);
    return answer && answer->failed && !answer->damaged;
  }
  const ClientPicture& picture() const { return *picture_; }
  uint32_t buffer() const { return buffer_; }
  uint64_t job() const { return job_; }

 private:
  NodeHost& host_;
  const std::shared_ptr<NodeBackend::Pool> pool_;
  const std::shared_ptr<ClientPicture> picture_;
  const uint32_t buffer_;
  const uint64_t job_;
};

}  // namespace perdix

template class perdix::client::BackendOf<perdix::HostFrame>;

namespace perdix {

NodeBackend::NodeBackend(NodeHost& host)
    : NodeBackend(host, client::vp9::kCodec) {}

NodeBackend::NodeBackend(NodeHost& host, const client::ClientCodec& codec)
    : BackendOf(codec),
      host_(host),
      session_(host.NewId()),
      pool_(std::make_shared<Pool>()) {}

NodeBackend::~NodeBackend() {
  host_.Pump();  // what was sent names the buffers
  for (const auto& [id, picture] : pool_->pictures) SendGone(id);
  for (const Bitstream& bitstream : bitstreams_) SendGone(bitstream.buffer);
  host_.channel().Send(NewEvent(PERDIX_EVENT_SESSION_GONE, session_));
  host_.Pump();
}

void NodeBackend::Announce() {
  if (announced_in_life_ == host_.life()) return;
  announced_in_life_ = host_.life();
  ChannelEvent event = NewEvent(PERDIX_EVENT_SESSION_NEW, session_);
  event.event.pid = kClientPid;
  std::ranges::copy(std::string_view(kClientName), event.event.comm);
  host_.channel().Send(std::move(event));
}

void NodeBackend::SendGone(uint32_t buffer) {
  ChannelEvent event = NewEvent(PERDIX_EVENT_BUFFER_GONE, session_);
  event.event.buffer = buffer;
  host_.channel().Send(std::move(event));
  host_.channel().RemoveBuffer(buffer);
}

void NodeBackend::Scribble(uint32_t bitstream, uint32_t bytes) {
  const int fd = host_.channel().buffer_fd(bitstream);
  for (int i = 0; i < 200; ++i) {
    const uint32_t noise = random_();
    const off_t at = random_() % bytes;
    if (pwrite(fd, &noise, std::min<size_t>(4, bytes - at), at) <= 0) abort();
  }
}

// A new one each time, as small as it can be; the oldest goes.
uint32_t NodeBackend::TakeBitstream(std::span<const uint8_t> data,
                                    uint64_t job) {
  if (bitstreams_.size() == kBitstreamBuffers) {
    host_.PumpUntilAnswered(bitstreams_.front().job);
    SendGone(bitstreams_.front().buffer);
    bitstreams_.erase(bitstreams_.begin());
  }
  const uint32_t id = host_.NewId();
  host_.channel().AddBuffer(id, data.size());
  ++bitstreams_sent_;
  bitstreams_.push_back({id, job});
  const int fd = host_.channel().buffer_fd(id);
  if (pwrite(fd, data.data(), data.size(), 0) != ssize_t(data.size())) abort();
  return id;
}

std::shared_ptr<HostFrame> NodeBackend::NewFrame(
    const client::FrameFormat& format) {
  while (!pool_->free.empty()) {
    const uint32_t id = pool_->free.back();
    pool_->free.pop_back();
    if (pool_->pictures.at(id)->format() == format)
      return std::make_shared<HostFrame>(host_, pool_, id, NextJob());
    pool_->pictures.erase(id);
    SendGone(id);
  }
  const uint32_t id = host_.NewId();
  host_.channel().AddBuffer(id, ClientPicture::Bytes(format));
  ++pictures_sent_;
  pool_->pictures[id] =
      std::make_shared<ClientPicture>(host_.channel().buffer_fd(id), format);
  return std::make_shared<HostFrame>(host_, pool_, id, NextJob());
}

Status NodeBackend::Decode(const client::SubmittedFrame& coded,
                           const References& references,
                           std::shared_ptr<HostFrame>* frame) {
  Announce();
  const auto taken = NewFrame(coded.format);
  ChannelEvent event = NewEvent(PERDIX_EVENT_JOB, session_);
  event.controls = coded.controls;
  std::vector<uint8_t> data(coded.data.begin(), coded.data.end());
  if (rewrite_) rewrite_(&event.controls, &data);
  perdix_job& job = event.event.job;
  job.id = taken->job();
  job.timestamp = job.id;
  job.codec = codec().id;
  job.bitstream = TakeBitstream(data, job.id);
  job.bitstream_bytes = std::min(static_cast<uint32_t>(data.size()), truncate_);
  bytes_ += job.bitstream_bytes;
  job.target = taken->buffer();
  job.pixelformat =
      coded.format.bit_depth > 8 ? V4L2_PIX_FMT_P010 : V4L2_PIX_FMT_NV12;
  job.width = AlignUp8(coded.format.width);
  job.height = taken->picture().rows();
  job.stride = taken->picture().stride();
  for (int i = 0; i < kMaxReferences; ++i) {
    const std::shared_ptr<HostFrame>& reference = references[i];
    if (reference && !reference->IsLost())
      job.references[i] = reference->buffer();
  }
  const uint32_t bitstream = job.bitstream;
  host_.channel().Send(std::move(event));
  host_.Pump();
  if (scribbles_) Scribble(bitstream, uint32_t(data.size()));
  *frame = taken;
  return Status::Ok();
}

}  // namespace perdix
