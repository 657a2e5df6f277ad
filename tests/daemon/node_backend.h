// SPDX-License-Identifier: BSD-2-Clause
// A client's stream through the daemon's Node: plays the client's buffers and
// the module's part in one thread, on a fake channel.
#ifndef PERDIX_TESTS_DAEMON_NODE_BACKEND_H_
#define PERDIX_TESTS_DAEMON_NODE_BACKEND_H_

#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "client/stream/backend.h"
#include "daemon/node.h"
#include "tests/daemon/fake_channel.h"

namespace perdix {

// Who every session says it is.
inline constexpr uint32_t kClientPid = 4711;
inline constexpr const char* kClientName = "player";

// The daemon's side, replaceable as after a restart.
class NodeHost {
 public:
  // checksum: sessions sum what they show.
  explicit NodeHost(const EngineOptions& options, bool checksum = false);
  explicit NodeHost(int threads);

  void Restart();  // loses every session; what is in flight ends first
  void Pump();     // once; waits for nothing
  void PumpUntilAnswered(uint64_t job);
  void PumpUntilFrames(uint64_t frames);  // have ended, in this life
  std::optional<Answer> AnswerTo(uint64_t job) const;

  FakeChannel& channel() { return *channel_; }
  const Node& node() const { return *node_; }
  Engine& engine() { return engine_; }
  Statistics& statistics() { return statistics_; }
  uint32_t NewId() { return ++last_id_; }
  int life() const { return life_; }  // counts restarts

 private:
  void WaitUntil(SteadyTime end) const;

  Engine engine_;
  const bool checksum_;
  const Log log_{LogSink::kStderr, LOG_EMERG};
  const std::shared_ptr<FakeChannel> channel_ = std::make_shared<FakeChannel>();
  const std::shared_ptr<CompletionQueue> completions_ =
      std::make_shared<CompletionQueue>();
  Statistics statistics_;
  std::unique_ptr<Node> node_;
  uint32_t last_id_ = 0;
  int life_ = 0;
};

class HostFrame;
}  // namespace perdix

extern template class perdix::client::BackendOf<perdix::HostFrame>;

namespace perdix {

// One V4L2 context. A picture is a target again as soon as it is decoded and
// the client lets go of it, newest first: often while a frame in flight reads
// it.
class NodeBackend final : public client::BackendOf<HostFrame> {
 public:
  explicit NodeBackend(NodeHost& host);  // VP9
  NodeBackend(NodeHost& host, const client::ClientCodec& codec);
  ~NodeBackend() override;

  size_t depth() const override { return 3; }

  uint32_t session() const { return session_; }
  // What was sent.
  uint64_t frames() const { return last_job_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t bitstreams() const { return bitstreams_sent_; }  // buffers, ever
  uint64_t pictures() const { return pictures_sent_; }      // buffers, ever
  // From now on, writes noise over each frame's bytes while they are decoded.
  void set_scribbles() { scribbles_ = true; }
  // From now on, each frame as another client sends it: may change its controls
  // and bytes.
  using Rewrite = std::function<void(std::vector<uint8_t>* controls,
                                     std::vector<uint8_t>* bytes)>;
  void set_rewrite(Rewrite rewrite) { rewrite_ = std::move(rewrite); }
  // From now on, only that much of each frame's bytes.
  void set_truncate(uint32_t bytes) { truncate_ = bytes; }

 private:
  struct Bitstream {
    uint32_t buffer;
    uint64_t job;
  };
  friend HostFrame;
  struct Pool;

  Status Decode(const client::SubmittedFrame& coded,
                const References& references,
                std::shared_ptr<HostFrame>* frame) override;

  void Announce();
  // The jobs of a session follow each other one by one.
  uint64_t NextJob() { return uint64_t{session_} << 32 | ++last_job_; }
  void SendGone(uint32_t buffer);
  void Scribble(uint32_t bitstream, uint32_t bytes);
  uint32_t TakeBitstream(std::span<const uint8_t> data, uint64_t job);
  std::shared_ptr<HostFrame> NewFrame(const client::FrameFormat& format);

  NodeHost& host_;
  const uint32_t session_;
  const std::shared_ptr<Pool> pool_;
  uint32_t last_job_ = 0;
  uint64_t bytes_ = 0;
  uint64_t bitstreams_sent_ = 0;
  uint64_t pictures_sent_ = 0;
  uint32_t truncate_ = ~0u;
  bool scribbles_ = false;
  Rewrite rewrite_;
  std::minstd_rand random_;
  int announced_in_life_ = -1;
  std::vector<Bitstream> bitstreams_;  // oldest first
};

}  // namespace perdix

#endif  // PERDIX_TESTS_DAEMON_NODE_BACKEND_H_
