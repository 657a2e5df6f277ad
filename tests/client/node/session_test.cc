// SPDX-License-Identifier: BSD-2-Clause
// Sessions and their surfaces, on a node that is played (fake_node.h).
#include "client/node/session.h"

#include <gtest/gtest.h>
#include <linux/v4l2-controls.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/bitstream/vp9/codec.h"
#include "client/node/v4l2_backend.h"
#include "client/stream/stream.h"
#include "tests/client/node/allocations.h"
#include "tests/client/node/fake_node.h"
#include "tests/client/vp9/header_writer.h"

namespace perdix::client {
namespace {

constexpr FrameFormat kFormat = {.width = 96, .height = 48};
constexpr FrameFormat kLarger = {.width = 192, .height = 96};

std::vector<NodeControl> Controls() {
  return {MakeNodeControl(V4L2_CID_STATELESS_VP9_FRAME, v4l2_ctrl_vp9_frame())};
}

v4l2_ctrl_vp9_frame FrameControl(const FakeNode::Job& job) {
  v4l2_ctrl_vp9_frame control = {};
  const std::string& value = job.controls.at(V4L2_CID_STATELESS_VP9_FRAME);
  EXPECT_EQ(value.size(), sizeof(control));
  std::memcpy(&control, value.data(), sizeof(control));
  return control;
}

uint64_t InodeOf(int fd) {
  struct stat memory = {};
  EXPECT_EQ(fstat(fd, &memory), 0);
  return memory.st_ino;
}

uint64_t MemoryOf(const Surface& surface) {
  int fd = -1;
  EXPECT_TRUE(surface.Export(&fd).ok());
  const uint64_t inode = InodeOf(fd);
  close(fd);
  return inode;
}

class SessionTest : public testing::Test {
 protected:
  static std::unique_ptr<Session> NewSession(FakeNode& node,
                                             SessionOptions options = {}) {
    auto session = std::make_unique<Session>(node.Open(), vp9::kCodec, options);
    const Status status = session->SetFormat(kFormat, Controls(), true);
    EXPECT_TRUE(status.ok()) << status.message();
    return session;
  }
  static SurfacePtr NewSurface(Session& session) {
    SurfacePtr surface;
    const Status status = session.NewSurface(&surface);
    EXPECT_TRUE(status.ok()) << status.message();
    return surface;
  }
  Status Submit(const SurfacePtr& target, std::vector<SurfacePtr> references) {
    return session_->Submit({target, std::move(references), Controls(), kData});
  }

  static constexpr uint8_t kData[] = {'d', 'a', 't', 'a'};
  FakeNode node_;
  const std::unique_ptr<Session> session_ = NewSession(node_);
};

TEST_F(SessionTest, DecodesIntoTheSurfaceThatTheCallerNames) {
  const SurfacePtr a = NewSurface(*session_), b = NewSurface(*session_);
  for (const SurfacePtr& target : {b, a, b}) {
    ASSERT_TRUE(Submit(target, {}).ok());
    ASSERT_TRUE(session_->Wait(*target).ok());
    EXPECT_EQ(node_.MemoryOf(node_.jobs().back().target), MemoryOf(*target));
  }
  EXPECT_EQ(node_.jobs().back().data, "data");
}

TEST_F(SessionTest, NamesReferencesByTheirTimestamps) {
  const SurfacePtr a = NewSurface(*session_), b = NewSurface(*session_),
                   c = NewSurface(*session_);
  ASSERT_TRUE(Submit(a, {}).ok());
  ASSERT_TRUE(Submit(b, {}).ok());
  ASSERT_TRUE(Submit(c, {b, nullptr, a}).ok());
  const v4l2_ctrl_vp9_frame control = FrameControl(node_.jobs()[2]);
  EXPECT_EQ(control.last_frame_ts, node_.jobs()[1].timestamp_us * 1000);
  EXPECT_EQ(control.golden_frame_ts, 0u);
  EXPECT_EQ(control.alt_frame_ts, node_.jobs()[0].timestamp_us * 1000);
}

TEST_F(SessionTest, MapsAPictureOnceItIsDecoded) {
  const SurfacePtr surface = NewSurface(*session_);
  Image image;
  EXPECT_EQ(surface->Map(&image).message(),
            "no frame was decoded into the surface");
  ASSERT_TRUE(Submit(surface, {}).ok());
  EXPECT_EQ(surface->Map(&image).message(),
            "the surface's frame is in flight: wait for it");
  ASSERT_TRUE(session_->Wait(*surface).ok());
  ASSERT_TRUE(surface->Map(&image).ok());
  EXPECT_EQ(image.view.width, kFormat.width);
  EXPECT_EQ(image.view.height, kFormat.height);
  EXPECT_EQ(*image.view.planes[kLuma].Row<uint8_t>(kFormat.height - 1), 1);
  EXPECT_EQ(*image.view.planes[kChroma].Row<uint8_t>(0), 1);
  const SurfaceLayout& layout = surface->layout();
  EXPECT_EQ(image.view.planes[kChroma].data - image.view.planes[kLuma].data,
            layout.offsets[kChroma]);
  EXPECT_EQ(layout.fourcc, uint32_t{V4L2_PIX_FMT_NV12});
  EXPECT_EQ(layout.strides[kChroma], 128u);
}

TEST_F(SessionTest, TenBitLiesInTheUpperBits) {
  FrameFormat format = kFormat;
  format.bit_depth = 10;
  ASSERT_TRUE(session_->SetFormat(format, Controls(), true).ok());
  const SurfacePtr surface = NewSurface(*session_);
  EXPECT_EQ(surface->layout().fourcc, uint32_t{V4L2_PIX_FMT_P010});
  ASSERT_TRUE(Submit(surface, {}).ok());
  ASSERT_TRUE(session_->Wait(*surface).ok());
  Image image;
  ASSERT_TRUE(surface->Map(&image).ok());
  EXPECT_EQ(image.shift, 6u);
}

TEST_F(SessionTest, RefusesReferencesThatAreNotItsOwn) {
  FakeNode other_node;
  const auto other = NewSession(other_node);
  const SurfacePtr foreign = NewSurface(*other), own = NewSurface(*session_);
  Status status = Submit(own, {own, foreign});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "reference 1 is a surface of another session");
  status = Submit(foreign, {});
  EXPECT_EQ(status.message(), "the target is a surface of another session");
  EXPECT_EQ(Submit(nullptr, {}).message(), "the frame has no target");
  EXPECT_EQ(session_->Wait(*foreign).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(node_.jobs().empty());
  EXPECT_TRUE(Submit(own, {}).ok()) << "a refusal is no end";
}

TEST_F(SessionTest, RefusesATargetThatIsInFlight) {
  const SurfacePtr surface = NewSurface(*session_);
  ASSERT_TRUE(Submit(surface, {}).ok());
  EXPECT_EQ(Submit(surface, {}).message(),
            "the target has a frame in flight: wait for it");
  ASSERT_TRUE(session_->Wait(*surface).ok());
  EXPECT_TRUE(Submit(surface, {}).ok());
}

TEST_F(SessionTest, SurfacesOfAnotherSizeGoOnBeingReferences) {
  SurfacePtr old = NewSurface(*session_);
  ASSERT_TRUE(Submit(old, {}).ok());
  ASSERT_TRUE(session_->SetFormat(kLarger, Controls(), false).ok());
  EXPECT_TRUE(Submit(old, {}).message().starts_with("the target was made for"));
  const SurfacePtr target = NewSurface(*session_);
  ASSERT_TRUE(Submit(target, {old, old, old}).ok());
  EXPECT_NE(FrameControl(node_.jobs()[1]).last_frame_ts, 0u);
  ASSERT_TRUE(session_->Wait(*target).ok());
  old = nullptr;
  EXPECT_EQ(node_.removed(), (std::vector<uint32_t>{node_.jobs()[0].target}));
}

TEST_F(SessionTest, AfterARestartSurfacesCanOnlyBeRead) {
  const SurfacePtr old = NewSurface(*session_);
  ASSERT_TRUE(Submit(old, {}).ok());
  ASSERT_TRUE(session_->SetFormat(kFormat, Controls(), true).ok());
  EXPECT_EQ(node_.decoded_buffers(), 0u);
  EXPECT_FALSE(Submit(old, {}).ok());
  const SurfacePtr target = NewSurface(*session_);
  ASSERT_TRUE(Submit(target, {old}).ok());
  EXPECT_EQ(FrameControl(node_.jobs()[1]).last_frame_ts, 0u);
  Image image;
  ASSERT_TRUE(old->Map(&image).ok());
  EXPECT_EQ(*image.view.planes[kLuma].Row<uint8_t>(0), 1);
}

TEST_F(SessionTest, DecodesIntoTheCallersDmaBufs) {
  FakeNode node;
  const auto session = NewSession(node, {.imports = true});
  const FileDescriptor memory(memfd_create("dma-buf", MFD_CLOEXEC), close);
  SurfacePtr surface;
  EXPECT_EQ(session->Import(memory.get(), &surface).message(),
            "a dma-buf of 0 bytes, a surface of the format needs 12288");
  ASSERT_EQ(ftruncate(memory.get(), off_t(session->layout().bytes)), 0);
  ASSERT_TRUE(session->Import(memory.get(), &surface).ok());
  ASSERT_TRUE(session->Submit({surface, {}, Controls(), kData}).ok());
  ASSERT_TRUE(session->Wait(*surface).ok());
  EXPECT_EQ(node.MemoryOf(node.jobs()[0].target), InodeOf(memory.get()));
  uint8_t first = 0;
  ASSERT_EQ(pread(memory.get(), &first, 1, 0), 1);
  EXPECT_EQ(first, 1);
  EXPECT_FALSE(session->NewSurface(&surface).ok());
  EXPECT_FALSE(session_->Import(memory.get(), &surface).ok());
}

TEST_F(SessionTest, TellsWhichFramesAreNotIntact) {
  const SurfacePtr a = NewSurface(*session_), b = NewSurface(*session_);
  node_.set_fails(true);
  ASSERT_TRUE(Submit(a, {}).ok());
  node_.set_fails(false);
  ASSERT_TRUE(Submit(b, {a}).ok());
  EXPECT_TRUE(session_->Wait(*b).ok());
  EXPECT_EQ(session_->Wait(*a).code(), StatusCode::kInvalidBitstream);
}

TEST_F(SessionTest, GivesUpANodeThatHangs) {
  const SurfacePtr surface = NewSurface(*session_);
  node_.set_hangs(true);
  ASSERT_TRUE(Submit(surface, {}).ok());
  EXPECT_EQ(session_->Wait(*surface).code(), StatusCode::kCancelled);
  EXPECT_EQ(Submit(surface, {}).code(), StatusCode::kCancelled);
}

TEST_F(SessionTest, SurfacesMayOutliveIt) {
  FakeNode node;
  auto session = NewSession(node);
  SurfacePtr surface = NewSurface(*session);
  ASSERT_TRUE(session->Submit({surface, {}, Controls(), kData}).ok());
  ASSERT_TRUE(session->Wait(*surface).ok());
  session = nullptr;
  Image image;
  ASSERT_TRUE(surface->Map(&image).ok());
  EXPECT_EQ(*image.view.planes[kLuma].Row<uint8_t>(0), 1);
}

// ---- want of memory ----

static_assert(noexcept(std::declval<Session&>().Submit(NodeFrame())));
static_assert(
    noexcept(std::declval<Session&>().Wait(std::declval<const Surface&>())));
static_assert(noexcept(std::declval<PacketParser&>().Next(nullptr, nullptr)));

// A stream's first frame with all that is called for it.
Status DecodeFirst(Session& session, PacketParser& parser,
                   const std::vector<uint8_t>& packet, NodeFrame frame) {
  CodedFrame coded;
  bool end = false;
  parser.Begin(packet);
  Status status = parser.Next(&coded, &end);
  if (status.ok()) {
    frame.controls.clear();
    status = NodeControls(vp9::kCodec, coded, &frame.controls);
  }
  if (status.ok())
    status = session.SetFormat(coded.format, frame.controls, true);
  if (status.ok()) status = session.NewSurface(&frame.target);
  const SurfacePtr surface = frame.target;
  if (status.ok()) status = session.Submit(std::move(frame));
  if (status.ok()) status = session.Wait(*surface);
  Image image;
  if (status.ok()) status = surface->Map(&image);
  return status;
}

TEST(OutOfMemoryTest, IsAStatusAndNoException) {
  const std::vector<uint8_t> packet = vp9::WriteFrame(vp9::TestHeader());
  int allocations = 0;
  for (bool failed = true; failed; ++allocations) {
    FakeNode node;
    Session session(node.Open(), vp9::kCodec, {});
    std::unique_ptr<PacketParser> parser;
    ASSERT_TRUE(OpenParser(vp9::kCodec, {}, &parser).ok());
    NodeFrame frame;
    frame.data = packet;
    Status status;
    {
      const FailAllocation fails(allocations);
      status = DecodeFirst(session, *parser, packet, std::move(frame));
      failed = fails.failed();
    }
    EXPECT_EQ(status.code(),
              failed ? StatusCode::kOutOfMemory : StatusCode::kOk)
        << status.message();
  }
  EXPECT_GT(allocations, 10);
}

TEST(OutOfMemoryTest, ASessionGoesOn) {
  for (int allocations = 0;; ++allocations) {
    FakeNode node;
    Session session(node.Open(), vp9::kCodec, {});
    SurfacePtr surface;
    ASSERT_TRUE(session.SetFormat(kFormat, Controls(), true).ok());
    ASSERT_TRUE(session.NewSurface(&surface).ok());
    const std::vector<uint8_t> data = {1};
    NodeFrame frame = {surface, {surface}, Controls(), data};
    NodeFrame again = frame;
    Status status;
    {
      const FailAllocation fails(allocations);
      status = session.Submit(std::move(frame));
      if (!fails.failed()) break;
    }
    ASSERT_EQ(status.code(), StatusCode::kOutOfMemory);
    status = session.Submit(std::move(again));
    ASSERT_TRUE(status.ok()) << allocations << ": " << status.message();
    EXPECT_TRUE(session.Wait(*surface).ok());
  }
}

// ---- a stream ----

TEST(V4l2BackendTest, UsesSurfacesAgainThatNoFrameHolds) {
  FakeNode node;
  V4l2Backend backend(
      vp9::kCodec,
      std::make_shared<Session>(node.Open(), vp9::kCodec, SessionOptions()));
  int shown = 0;
  Stream stream(backend, {.shown =
                              [&shown](const Image& image) {
                                ++shown;
                                EXPECT_EQ(
                                    *image.view.planes[kLuma].Row<uint8_t>(0),
                                    shown);
                                return true;
                              },
                          .failed =
                              [](const Position&, const Status& status) {
                                ADD_FAILURE() << status.message();
                                return false;
                              }});
  vp9::TestHeader header;
  stream.Decode(vp9::WriteFrame(header), nullptr);
  header.key_frame = false;
  for (int i = 0; i < 40; ++i) stream.Decode(vp9::WriteFrame(header), nullptr);
  stream.Flush();
  EXPECT_EQ(shown, 41);
  EXPECT_LE(node.decoded_buffers(), 8u);
  // each frame reads the one before, and no target is what is read
  for (size_t i = 1; i < node.jobs().size(); ++i) {
    EXPECT_EQ(FrameControl(node.jobs()[i]).last_frame_ts,
              node.jobs()[i - 1].timestamp_us * 1000);
    EXPECT_NE(node.jobs()[i].target, node.jobs()[i - 1].target);
  }
}

}  // namespace
}  // namespace perdix::client
