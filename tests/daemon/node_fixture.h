// SPDX-License-Identifier: BSD-2-Clause
// A Node on a fake channel, and short ways to send it what perdix.ko would.
#ifndef PERDIX_TESTS_DAEMON_NODE_FIXTURE_H_
#define PERDIX_TESTS_DAEMON_NODE_FIXTURE_H_

#include <gtest/gtest.h>
#include <linux/videodev2.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "daemon/node.h"
#include "tests/daemon/fake_channel.h"

namespace perdix {

inline constexpr uint32_t kWidth = 64;
inline constexpr uint32_t kHeight = 48;
inline constexpr size_t kPictureBytes = kWidth * kHeight * 3 / 2;
inline constexpr size_t kBitstreamBytes = 4096;

class NodeFixture : public ::testing::Test {
 protected:
  NodeFixture() { OpenNode(); }

  void OpenNode() {
    node_ = std::make_unique<Node>(SessionResources{.channel = channel_,
                                                    .completions = completions_,
                                                    .engine = engine_,
                                                    .log = log_,
                                                    .statistics = statistics_,
                                                    .limits = limits_});
  }

  void Send(uint32_t type, uint32_t session, uint32_t pid = 0) {
    ChannelEvent event;
    event.event.pid = pid;
    event.event.type = type;
    event.event.session = session;
    channel_->Send(std::move(event));
  }
  void SendGone(uint32_t session, uint32_t buffer) {
    ChannelEvent event;
    event.event.type = PERDIX_EVENT_BUFFER_GONE;
    event.event.session = session;
    event.event.buffer = buffer;
    channel_->Send(std::move(event));
    channel_->RemoveBuffer(buffer);
  }
  void SendCancel(uint32_t session, uint64_t job) {
    ChannelEvent event;
    event.event.type = PERDIX_EVENT_CANCEL;
    event.event.session = session;
    event.event.job.id = job;
    channel_->Send(std::move(event));
  }
  void SendJob(uint32_t session, const perdix_job& job,
               std::vector<uint8_t> controls) {
    ChannelEvent event;
    event.event.type = PERDIX_EVENT_JOB;
    event.event.session = session;
    event.event.job = job;
    event.controls = std::move(controls);
    channel_->Send(std::move(event));
  }

  // Well formed; what is not named is as NewJob() makes it.
  static perdix_job NewJob(uint64_t id, uint32_t bitstream, uint32_t target,
                           std::vector<uint32_t> references) {
    perdix_job job = {};
    job.id = id;
    job.timestamp = id * 1000;
    job.codec = PERDIX_CODEC_VP9;
    job.bitstream = bitstream;
    job.bitstream_bytes = 100;
    job.target = target;
    job.pixelformat = V4L2_PIX_FMT_NV12;
    job.width = kWidth;
    job.height = kHeight;
    job.stride = kWidth;
    std::ranges::copy(references, job.references);
    return job;
  }

  void AddPicture(uint32_t id) { channel_->AddBuffer(id, kPictureBytes); }
  void AddBitstream(uint32_t id) { channel_->AddBuffer(id, kBitstreamBytes); }

  // All that waits.
  void Take() {
    do {
      EXPECT_EQ(node_->TakeEvents(), 0);
    } while (!channel_->empty());
  }

  // Until that many frames have ended in the node's own accounts.
  void TakeUntilFrames(uint64_t frames) {
    const SteadyTime end =
        std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (Take(); node_->Totals().frames < frames; Take()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end)
          << "no frame ended any more";
      (void)EndIsAwaited(5);
    }
  }

  // Whether a frame ends within that many milliseconds for which the node asked
  // to be woken.
  bool EndIsAwaited(int milliseconds) {
    pollfd wait = {completions_->poll_fd(), POLLIN, 0};
    return poll(&wait, 1, milliseconds) == 1;
  }

  Log log_{LogSink::kStderr, LOG_EMERG};
  Engine engine_{EngineOptions{}};
  const std::shared_ptr<FakeChannel> channel_ = std::make_shared<FakeChannel>();
  const std::shared_ptr<CompletionQueue> completions_ =
      std::make_shared<CompletionQueue>();
  Statistics statistics_;
  Limits limits_;  // of the next OpenNode()
  std::unique_ptr<Node> node_;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_DAEMON_NODE_FIXTURE_H_
