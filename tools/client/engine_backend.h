// SPDX-License-Identifier: BSD-2-Clause
// Decodes in this process, through perdix::Decoder into pictures of the engine.
#ifndef PERDIX_TOOLS_CLIENT_ENGINE_BACKEND_H_
#define PERDIX_TOOLS_CLIENT_ENGINE_BACKEND_H_

#include <memory>

#include "codec/decoder.h"
#include "tools/client/backend.h"

namespace perdix::client {

class PicturePool;

class EngineBackend : public Backend {
 public:
  // The engine must outlive the backend. pixels: whether images are read; those
  // that only the GPU reaches are copied then.
  EngineBackend(Engine& engine, bool pixels);
  ~EngineBackend() override;

  Status Submit(const CodedFrame& coded, DecodedFramePtr* frame) override;
  // One waits, so that the engine never does.
  size_t depth() const override { return engine_.frames_in_flight() + 1; }
  const Decoder& decoder() const { return decoder_; }

 private:
  Engine& engine_;
  const bool pixels_;
  const std::shared_ptr<PicturePool> pool_;
  Decoder decoder_;
};

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_CLIENT_ENGINE_BACKEND_H_
