// SPDX-License-Identifier: BSD-2-Clause
// For client::Backends of tests that decode into pictures of their own.
#ifndef PERDIX_TESTS_ENGINE_PICTURE_FRAME_H_
#define PERDIX_TESTS_ENGINE_PICTURE_FRAME_H_

#include <future>
#include <utility>

#include "client/bitstream/vp9/codec.h"
#include "client/stream/backend.h"
#include "codec/codec.h"

namespace perdix {

// A frame that is decoded into a picture.
class PictureFrame : public client::DecodedFrame {
 public:
  explicit PictureFrame(PicturePtr picture) : picture_(std::move(picture)) {}
  Status Wait() override { return done_.get_future().get(); }
  Status Map(client::Image* image) override {
    *image = {picture_->view, 0};
    return Status::Ok();
  }

  const PicturePtr& picture() const { return picture_; }
  void Done(const Status& status) { done_.set_value(status); }

 private:
  const PicturePtr picture_;
  std::promise<Status> done_;
};

using PictureBackend = client::BackendOf<PictureFrame>;

// All but done. coded outlives the call of Decoder::Submit.
inline FrameRequest RequestOf(const client::SubmittedFrame& coded,
                              const PictureBackend::References& references,
                              const PicturePtr& target) {
  FrameRequest request;
  request.controls = coded.controls;
  request.bitstream = coded.data;
  request.bitstream_owner = coded.owner;
  request.target = target;
  for (int i = 0; i < kMaxReferences; ++i) {
    if (references[i]) request.references[i] = references[i]->picture();
  }
  return request;
}

}  // namespace perdix

#endif  // PERDIX_TESTS_ENGINE_PICTURE_FRAME_H_
