// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/session_job.h"

#include <errno.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <string>

#include "codec/controls.h"
#include "daemon/job_layout.h"
#include "daemon/present.h"
#include "kernels/metrics/shown_checksum.h"

namespace perdix {

static_assert(PERDIX_MAX_REFERENCES == kMaxReferences);

namespace {

// How long a thread that all sessions share waits for another device, which may
// be showing a reference picture: a display's frame or two.
constexpr std::chrono::milliseconds kDeviceTime{40};

StreamFormat FormatOf(const CodecRow* codec, Controls controls) {
  return codec ? codec->format(controls) : StreamFormat();
}

Outcome OutcomeOf(const Status& status, int answer_error) {
  if (status.code() == StatusCode::kCancelled || answer_error == -ENOENT)
    return Outcome::kDropped;
  return status.ok() && !answer_error ? Outcome::kDecoded : Outcome::kFailed;
}

Status Named(const std::string& what, const Status& status) {
  if (status.ok()) return status;
  return Status(status.code(), what + ": " + status.message());
}

}  // namespace

Status Cancelled() {
  return Status(StatusCode::kCancelled, "the client took the frame back");
}

SessionJob::SessionJob(const JobResources& shared, const perdix_job& job,
                       std::vector<uint8_t> controls)
    : shared_(shared),
      job_(job),
      controls_(std::move(controls)),
      codec_(FindCodec(job.codec)),
      format_(FormatOf(codec_, controls_)),
      arrived_(std::chrono::steady_clock::now()) {}

bool SessionJob::p010() const { return job_.pixelformat == V4L2_PIX_FMT_P010; }

void SessionJob::Import(BufferTable& buffers) {
  refused_ = FindBuffers(buffers);
}

Status SessionJob::FindBuffers(BufferTable& buffers) {
  if (!codec_)
    return Status(StatusCode::kUnsupported,
                  "codec " + std::to_string(job_.codec) + " is not known");
  Status status =
      buffers.Find(job_.bitstream, BufferAccess::kRead, &bitstream_);
  if (!status.ok()) return status;
  status = CheckBitstream(job_, bitstream_->bytes().size());
  if (!status.ok()) return status;
  status = buffers.Find(job_.target, BufferAccess::kReadWrite, &target_buffer_);
  if (!status.ok()) return status;
  status = CheckMemory();
  if (!status.ok()) return status;
  status = TargetLayout(job_, target_buffer_->bytes().size(), &layout_);
  if (!status.ok()) return status;
  // 0: controls that cannot be read, of which the decoder will say more
  return format_.bit_depth == 0 ? status
                                : SetShift(job_, format_.bit_depth, &layout_);
}

void SessionJob::TakePrivate(PrivatePictures& pictures) {
  const PrivateFormat format = {codec_,
                                layout_.max_width,
                                layout_.max_height,
                                format_.bit_depth,
                                format_.subsampling_x,
                                format_.subsampling_y};
  Status status = pictures.Take(format, &private_);
  if (status.ok() && format_.film_grain && !format_.Is420())
    status = pictures.Take(format, &grained_);
  if (!status.ok()) Refuse(status);
}

FrameRequest SessionJob::NewRequest(BufferReferences references) {
  FrameRequest request;
  request.controls = controls_;
  request.done = [self = shared_from_this()](const Status& decoded) {
    self->Decoded(decoded);
  };
  if (!refused_.ok()) return request;
  references_ = std::move(references);
  for (int i = 0; i < kMaxReferences; ++i)
    request.references[i] = references_[i].picture;
  request.bitstream = bitstream_->bytes().first(job_.bitstream_bytes);
  request.bitstream_owner = bitstream_;
  request.cpu_access = [self = shared_from_this()](const Picture& picture,
                                                   CpuAccess access) {
    return self->AccessPicture(picture, access);
  };
  const std::span<uint8_t> pixels = target_buffer_->bytes();
  shown_ = std::make_shared<Picture>();
  shown_->memory.owner = target_buffer_;
  shown_->memory.data = pixels.data();
  shown_->memory.size = pixels.size();
  shown_->layout = layout_;
  if (private_)
    target_ = {private_, nullptr};
  else
    target_ = {shown_, target_buffer_};
  request.target = target_.picture;
  if (format_.film_grain) request.display = grained_ ? grained_ : shown_;
  return request;
}

void SessionJob::Begin(FrameRequest& request) {
  begun_ = refused_.ok() ? BeginAccess() : refused_;
  if (begun_.ok()) {
    if (format_.monochrome)
      FillNeutralChroma(layout_, p010(), target_buffer_->bytes());
    // The CPU makes what is shown of a picture with more chroma.
    if (format_.Is420())
      shown_->memory.gpu = target_buffer_->InGpu(shared_.engine);
    return;
  }
  // Later frames may refer to the picture already.
  if (target_.picture) target_.picture->broken = true;
  request.bitstream = {};
  request.references = {};
  request.target = std::make_shared<Picture>();
  request.display = nullptr;
}

Status SessionJob::BeginAccess() {
  // Not to the references, which may still be decoded: the decoder does that,
  // once it needs to.
  if (stop_->stopped()) return Cancelled();
  Status status = bitstream_->BeginAccess(BufferAccess::kRead, *stop_);
  if (!status.ok()) return Named("bitstream", status);
  status = target_buffer_->BeginAccess(BufferAccess::kReadWrite, *stop_);
  if (!status.ok()) (void)bitstream_->EndAccess(BufferAccess::kRead);
  return Named("target", status);
}

// For the decoder, on a thread that all sessions share: it must not wait long
// for a client's fence. A client may still attach one between the two calls;
// that wait ends when the job is stopped.
Status SessionJob::AccessPicture(const Picture& picture, CpuAccess access) {
  const bool is_target = shown_.get() == &picture;
  const Buffer* const found = is_target ? target_buffer_.get() : Of(picture);
  if (!found) return Status::Ok();  // the daemon's own memory
  const Buffer& buffer = *found;
  const auto mode = is_target ? BufferAccess::kReadWrite : BufferAccess::kRead;
  const std::string name = is_target ? "target" : "reference";
  if (access == CpuAccess::kEnd) return Named(name, buffer.EndAccess(mode));
  if (!buffer.WaitForDevices(mode, kDeviceTime))
    return Status(StatusCode::kInvalidArgument,
                  name + ": a device used it while it was decoded");
  return Named(name, buffer.BeginAccess(mode, *stop_));
}

const Buffer* SessionJob::Of(const Picture& reference) const {
  const auto* const found = std::ranges::find_if(
      references_,
      [&](const BufferPicture& of) { return of.picture.get() == &reference; });
  return found == references_.end() ? nullptr : found->buffer.get();
}

Status SessionJob::CheckMemory() const {
  const auto check = [](const char* name, const Buffer& buffer) {
    if (!buffer.faulted()) return Status::Ok();
    return Status(StatusCode::kInvalidArgument,
                  std::string(name) +
                      ": the buffer's memory is gone (SIGBUS), as when the "
                      "device that it belongs to was removed");
  };
  Status status = check("bitstream", *bitstream_);
  if (status.ok()) status = check("target", *target_buffer_);
  for (const BufferPicture& reference : references_)
    if (reference.buffer && status.ok())
      status = check("reference", *reference.buffer);
  return status;
}

void SessionJob::Decoded(const Status& result) {
  if (!begun_.ok()) return Complete(begun_);
  const Status memory = CheckMemory();
  if (!memory.ok()) target_.picture->broken = true;
  const Status decoded = result.ok() ? memory : result;
  // A large picture takes milliseconds: not on a thread that others need.
  if (!target_.picture->broken && !format_.Is420())
    return shared_.thread.Post([self = shared_from_this(), decoded] {
      self->ShowAndEndAccess(decoded);
    });
  if (!shown_->gpu_wrote) {
    // Nor does the sum of one. It is made in order, as all tasks there are.
    if (decoded.ok() && Sums())
      return shared_.thread.Post(
          [self = shared_from_this()] { self->EndAccess(Status::Ok()); });
    return EndAccess(decoded);
  }
  // The client's CPU must not find cached lines from before the GPU wrote. The
  // start of an access drops them, but it waits for fences.
  shared_.thread.Post([self = shared_from_this(), decoded] {
    const Status seen =
        self->target_buffer_->BeginAccess(BufferAccess::kRead, *self->stop_);
    if (seen.ok()) self->shown_->gpu_wrote = false;
    self->EndAccess(decoded.ok() ? Named("target", seen) : decoded);
  });
}

void SessionJob::ShowAndEndAccess(const Status& decoded) {
  const Picture& picture = grained_ ? *grained_ : *private_;
  ShowAs420(picture.view, layout_, target_buffer_->bytes());
  const Status has_view =
      SetView(*shown_, picture.view.width, picture.view.height,
              picture.view.bit_depth, 1, 1);
  Status status = decoded.ok() ? CheckMemory() : decoded;
  EndAccess(status.ok() ? has_view : std::move(status));
}

void SessionJob::EndAccess(Status status) {
  if (status.ok() && Sums()) {
    const PictureView& view = shown_->view;
    shown_sum_ = {view.width, view.height,
                  VisibleSum(view, format_.monochrome)};
    status = CheckMemory();
  }
  Status ended = bitstream_->EndAccess(BufferAccess::kRead);
  if (status.ok()) status = Named("bitstream", ended);
  ended = target_buffer_->EndAccess(BufferAccess::kReadWrite);
  if (status.ok()) status = Named("target", ended);
  Complete(std::move(status));
}

perdix_result SessionJob::ResultOf(const Status& status) const {
  if (status.ok()) return PERDIX_DECODED;
  const Picture* const target = target_.picture.get();
  return target != nullptr && target->damaged && !target->broken
             ? PERDIX_DAMAGED
             : PERDIX_FAILED;
}

void SessionJob::Complete(Status status) {
  // The kernel first, so that nobody closes the channel in between.
  const int error = shared_.channel->Complete(job_.id, ResultOf(status));
  // What the client takes back it may overwrite, and then it does not decode.
  if (error == -ENOENT && !status.ok()) status = Cancelled();
  const EndedFrame ended = Ended(OutcomeOf(status, error));
  shared_.completions->Push(
      {shared_.session, job_.id, std::move(status), error, ended, shown_sum_});
}

EndedFrame SessionJob::Ended(Outcome outcome) const {
  EndedFrame ended;
  ended.outcome = outcome;
  ended.bytes = job_.bitstream_bytes;
  ended.ended = std::chrono::steady_clock::now();
  ended.latency = ended.ended - arrived_;
  ended.codec = codec_;
  ended.format = format_;
  const Picture* const picture = target_.picture.get();
  if (outcome == Outcome::kDecoded && picture && picture->seen)
    ended.luma = ToShownLuma(*picture->seen, picture->view);
  return ended;
}

}  // namespace perdix
