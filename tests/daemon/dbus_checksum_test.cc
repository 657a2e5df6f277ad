// SPDX-License-Identifier: BSD-2-Clause
// The checksum of what a session shows, as the bus and perdixctl tell it: that
// of the same pictures decoded in process, whoever decodes them.
#include <sysexits.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "client/bitstream/av1/codec.h"
#include "client/inprocess/engine_backend.h"
#include "codec/codec.h"
#include "daemon/present.h"
#include "kernels/metrics/shown_checksum.h"
#include "tests/daemon/dbus_fixture.h"
#include "tests/engine/fake_gpu.h"
#include "tests/tools/run_program.h"

namespace perdix {
namespace {

struct Clip {
  const char* name;
  const client::ClientCodec* codec = &client::vp9::kCodec;
  bool shows_again = false;  // has frames with show_existing_frame
};
void PrintTo(const Clip& clip, std::ostream* out) { *out << clip.name; }

// Sums what is decoded to be shown; more chroma than 4:2:0 counts as the node
// shows it.
class SummingBackend final : public client::Backend {
 public:
  explicit SummingBackend(client::Backend& inner)
      : client::Backend(inner.codec()), inner_(inner) {}

  Status Submit(const client::SubmittedFrame& coded,
                client::DecodedFramePtr* frame) override {
    const Status status = inner_.Submit(coded, frame);
    if (FindCodec(codec().id)->format(coded.controls).shown) Add(**frame);
    return status;
  }
  size_t depth() const override { return inner_.depth(); }
  const ShownChecksum& checksum() const { return checksum_; }

 private:
  void Add(client::DecodedFrame& frame) {
    client::Image image;
    ASSERT_TRUE(frame.Wait().ok());
    ASSERT_TRUE(frame.Map(&image).ok());
    const PictureView& view = image.view;
    const PicturePtr as_420 =
        NewHeapPicture(view.width, view.height, view.bit_depth, 1, 1);
    ASSERT_TRUE(
        SetView(*as_420, view.width, view.height, view.bit_depth, 1, 1).ok());
    const bool more = view.subsampling_x == 0 || view.subsampling_y == 0;
    if (more && !image.monochrome)
      ShowAs420(view, as_420->layout,
                {as_420->memory.data, as_420->memory.size});
    checksum_.Add(view.width, view.height,
                  VisibleSum(more && !image.monochrome ? as_420->view : view,
                             image.monochrome));
  }

  client::Backend& inner_;
  ShownChecksum checksum_;
};

// The sum of a clip that shows nothing again is what perdix-decode --checksum
// prints.
ShownChecksum InProcess(const Clip& clip) {
  Engine engine(EngineOptions{.threads = 1, .recipe = {}, .measure = {}});
  client::EngineBackend decoder(engine, *clip.codec, true);
  SummingBackend backend(decoder);
  Playback run(backend, clip.name);
  run.Finish();
  EXPECT_EQ(run.failures(), 0);
  EXPECT_EQ(run.frames().size() > backend.checksum().pictures(),
            clip.shows_again);
  return backend.checksum();
}

class ChecksumFixture : public DbusFixture {
 protected:
  using Value = std::tuple<uint64_t, uint64_t>;

  ChecksumFixture() { FakeGpu().imports = true; }
  ~ChecksumFixture() override { FakeGpu().imports = false; }

  bool Checksum() const override { return true; }

  Value ChecksumOf(const Player& player) {
    Value value;
    client_->Object(SessionPath(player.backend().session()))
        ->callMethod("Checksum")
        .onInterface(kSessionInterface)
        .storeResultsTo(std::get<0>(value), std::get<1>(value));
    return value;
  }
};

class DbusChecksumTest
    : public ChecksumFixture,
      public testing::WithParamInterface<std::tuple<Clip, const char*>> {
 protected:
  EngineOptions Options() const override {
    EngineOptions options = DbusFixture::Options();
    EXPECT_TRUE(Recipe::Parse(std::get<1>(GetParam()), &options.recipe).ok());
    return options;
  }
};

TEST_P(DbusChecksumTest, IsThatOfTheFile) {
  const Clip clip = std::get<0>(GetParam());
  Player player(*this, clip.name, *clip.codec);
  player.Finish();
  ASSERT_TRUE(WaitFor([&] { return ManagedObjects().size() == 1; }));
  const ShownChecksum expected = InProcess(clip);
  EXPECT_NE(expected.pictures(), 0u);
  EXPECT_EQ(ChecksumOf(player), Value(expected.pictures(), expected.value()));
}

// screen: with hidden frames; grain: what is shown is not referred to.
INSTANTIATE_TEST_SUITE_P(
    Clips, DbusChecksumTest,
    testing::Combine(
        testing::Values(
            Clip{"odd_99x57.webm"}, Clip{"screen_96x72.webm"},
            Clip{"resize_640x360.webm"}, Clip{"odd10_99x57.webm"},
            Clip{"av1/grain_176x72.ivf", &client::av1::kCodec, true},
            Clip{"av1/grain10_176x72.ivf", &client::av1::kCodec, true},
            Clip{"av1/tenbit_176x72.ivf", &client::av1::kCodec, true},
            Clip{"av1/superres_240x100.ivf", &client::av1::kCodec, true},
            Clip{"av1/mono_98x42.obu", &client::av1::kCodec, true},
            Clip{"av1/screen444_256x128.obu", &client::av1::kCodec}),
        testing::Values("simd", "vulkan")),
    [](const auto& info) {
      std::string name = std::get<0>(info.param).name;
      name = name.substr(0, name.find('.')) + "_" + std::get<1>(info.param);
      std::ranges::replace(name, '/', '_');
      return name;
    });

TEST_F(ChecksumFixture, PerdixctlPrintsIt) {
  Player player(*this, "odd_99x57.webm");
  player.Finish();
  ASSERT_TRUE(WaitFor([&] { return ManagedObjects().size() == 1; }));
  const auto [pictures, value] = ChecksumOf(player);
  char hex[17];
  std::snprintf(hex, sizeof(hex), "%016" PRIx64, value);
  const std::string id = std::to_string(player.backend().session());
  EXPECT_EQ(RunProgram(PERDIXCTL, "checksum " + id).output,
            std::string(hex) + "  " + std::to_string(pictures) +
                " frames  session " + id + "\n");
  const std::string text =
      RunProgram(PERDIXCTL, "checksum --json " + id).output;
  EXPECT_NE(text.find(hex), std::string::npos) << text;
  const Result none = RunProgram(PERDIXCTL, "checksum 4000000000");
  EXPECT_EQ(none.exit_code, EX_USAGE) << none.output;
}

TEST_F(ChecksumFixture, StaysWhenTheStatisticsAreReset) {
  Player player(*this, "odd_99x57.webm");
  player.Finish();
  ASSERT_TRUE(WaitFor([&] { return ManagedObjects().size() == 1; }));
  const Value before = ChecksumOf(player);
  daemon_->callMethod("ResetStatistics").onInterface(kDaemonInterface);
  EXPECT_EQ(ChecksumOf(player), before);
}

// What was shown of it is damaged.
TEST_F(ChecksumFixture, CountsNoFrameThatFailed) {
  Player player(*this, "keyframes_176x144.webm");
  int number = 0;
  player.backend().set_rewrite([&](auto*, std::vector<uint8_t>* data) {
    if (number++ == 13) data->back() ^= 1;
  });
  player.Finish();
  ASSERT_TRUE(WaitFor([&] { return ManagedObjects().size() == 1; }));
  const int failures = player.playback().failures();
  EXPECT_GT(failures, 0);
  EXPECT_EQ(
      std::get<0>(ChecksumOf(player)),
      InProcess({"keyframes_176x144.webm"}).pictures() - uint64_t(failures));
}

class ChecksumOffTest : public ChecksumFixture {
 protected:
  bool Checksum() const override { return false; }
};

TEST_F(ChecksumOffTest, FailsAndSaysWhatToSet) {
  Player player(*this, "small_2x2.ivf");
  player.Finish();
  ASSERT_TRUE(WaitFor([&] { return ManagedObjects().size() == 1; }));
  EXPECT_EQ(ErrorOf([&] { (void)ChecksumOf(player); }),
            "org.perdix.Decoder1.Error.Off");
  const Result result = RunProgram(
      PERDIXCTL, "checksum " + std::to_string(player.backend().session()));
  EXPECT_EQ(result.exit_code, EX_CONFIG);
  EXPECT_NE(result.output.find("checksum = yes"), std::string::npos)
      << result.output;
}

}  // namespace
}  // namespace perdix
