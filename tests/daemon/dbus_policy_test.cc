// SPDX-License-Identifier: BSD-2-Clause
// systemd/org.perdix.Decoder1.conf on a bus that denies by default, as Debian's
// does: what a user of no group may do, and one of the group video.
#include <grp.h>
#include <unistd.h>

#include "tests/daemon/dbus_fixture.h"
#include "tests/tools/run_program.h"

namespace perdix {
namespace {

constexpr const char* kSetPriv = "/usr/bin/setpriv";
constexpr const char* kBusctl = "/usr/bin/busctl";
constexpr const char* kNobody = "65534";

class DbusPolicyTest : public DbusFixture {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to be other users";
    for (const char* program : {kSetPriv, kBusctl})
      if (access(program, X_OK) != 0) GTEST_SKIP() << "no " << program;
    video_ = getgrnam("video");
    if (!video_) GTEST_SKIP() << "no group video here";
    DbusFixture::SetUp();
  }
  std::string Policy() const override {
    return PrivateBus::SystemPolicy(PERDIX_POLICY);
  }

  // busctl's reply, or what it says of the error.
  std::string Busctl(bool in_video, const std::string& call) const {
    const std::string groups =
        in_video ? "--groups=" + std::to_string(video_->gr_gid)
                 : std::string("--clear-groups");
    return RunProgram(kSetPriv, std::string("--reuid=") + kNobody +
                                    " --regid=" + kNobody + " " + groups + " " +
                                    kBusctl + " " + call)
        .output;
  }
  std::string Call(bool in_video, const std::string& call) const {
    return Busctl(in_video, std::string("call ") + kBusName + " " +
                                kDaemonPath + " " + call);
  }

  const group* video_ = nullptr;
};

constexpr const char* kDenied = "Access denied";

bool IsDenied(const std::string& output) {
  return output.find(kDenied) != output.npos ||
         output.find("rejected") != output.npos;
}

TEST_F(DbusPolicyTest, LetsAnyoneRead) {
  for (const bool in_video : {false, true}) {
    EXPECT_EQ(Busctl(in_video,
                     "get-property org.perdix.Decoder1 /org/perdix/Decoder1 "
                     "org.perdix.Decoder1 LogLevel"),
              "s \"error\"\n");
    EXPECT_EQ(
        Call(in_video, "org.freedesktop.DBus.ObjectManager GetManagedObjects"),
        "a{oa{sa{sv}}} 0\n");
    EXPECT_EQ(Call(in_video, "org.perdix.Decoder1 GetStatistics").substr(0, 6),
              "a{sv}a");
    EXPECT_NE(Call(in_video, "org.freedesktop.DBus.Introspectable Introspect")
                  .find("FramesDecoded"),
              std::string::npos);
  }
}

TEST_F(DbusPolicyTest, LetsTheGroupVideoChangeThings) {
  for (const std::string call :
       {"SetRecipe s simd", "ResetStatistics", "SetLogLevel s error"}) {
    const std::string refused = Call(false, "org.perdix.Decoder1 " + call);
    EXPECT_TRUE(IsDenied(refused)) << call << ": " << refused;
    const std::string done = Call(true, "org.perdix.Decoder1 " + call);
    EXPECT_EQ(done.find("failed"), std::string::npos) << call << ": " << done;
  }
  const std::string refused = Call(false, "org.perdix.Decoder1 Calibrate");
  EXPECT_TRUE(IsDenied(refused)) << refused;
}

TEST_F(DbusPolicyTest, TellsTheGroupVideoAloneWhatIsShown) {
  Player player(*this, "small_2x2.ivf");
  player.Finish();
  ASSERT_TRUE(WaitFor([&] { return ManagedObjects().size() == 1; }));
  const std::string call = std::string("call ") + kBusName + " " +
                           SessionPath(player.backend().session()) + " " +
                           kSessionInterface + " Checksum";
  const std::string refused = Busctl(false, call);
  EXPECT_TRUE(IsDenied(refused)) << refused;
  const std::string off = Busctl(true, call);
  EXPECT_NE(off.find("checksum = yes"), std::string::npos) << off;
}

TEST_F(DbusPolicyTest, LetsNobodyElseBeTheDaemon) {
  service_.reset();  // the name is free
  const std::string refused =
      Busctl(true,
             "call org.freedesktop.DBus /org/freedesktop/DBus "
             "org.freedesktop.DBus RequestName su org.perdix.Decoder1 0");
  EXPECT_TRUE(IsDenied(refused)) << refused;
}

}  // namespace
}  // namespace perdix
