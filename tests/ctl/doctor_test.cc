// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/doctor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <ostream>

#include "tests/ctl/fake_tree.h"

namespace perdix::ctl {
namespace {

constexpr const char* kSecureBoot =
    "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";

Finding Find(const std::vector<Finding>& findings, const std::string& name) {
  const auto found = std::ranges::find(findings, name, &Finding::name);
  if (found != findings.end()) return *found;
  ADD_FAILURE() << "no check " << name;
  return {};
}

TEST(DoctorTest, FindsNothingWrongWhereAllIsWell) {
  const FakeTree tree;
  const auto findings = Examine(tree.Input());
  EXPECT_FALSE(AnyFailed(findings));
  for (const Finding& finding : findings) {
    const bool expected =
        finding.verdict == Verdict::kOk || finding.name == "Secure Boot";
    EXPECT_TRUE(expected) << finding.name << ": " << finding.text;
    EXPECT_EQ(finding.fix, "") << finding.name;
  }
}

// One thing that is wrong, the check that says so, and what it says.
struct Case {
  const char* name;
  std::function<void(FakeTree&, DoctorInput&)> spoil;
  const char* check;
  Verdict verdict;
  const char* text;
  const char* fix;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

void Unload(FakeTree& tree) {
  tree.Remove("/sys/module/perdix");
  tree.Remove("/sys/class/video4linux/video19");
  tree.Remove("/sys/bus/media/devices/media3");
  tree.Remove("/dev/perdix");
}

// GStreamer has no element whose name begins so.
void HideElement(const std::string& name, DoctorInput& input) {
  const auto run = input.system.run;
  input.system.run = [=](const std::vector<std::string>& arguments) {
    auto result = run(arguments);
    if (arguments[1] == "--exists" && arguments[2].starts_with(name))
      result->exit_code = 1;
    return result;
  };
}

const Case kCases[] = {
    {"OldKernel",
     [](FakeTree& tree, DoctorInput&) {
       tree.Write("/proc/sys/kernel/osrelease", "5.15.0-1\n");
     },
     "kernel", Verdict::kFailed, "5.15.0-1: the module needs 6.1", "apt"},
    {"CloudKernel",
     [](FakeTree& tree, DoctorInput&) {
       Unload(tree);
       tree.Write("/lib/modules/6.12.47+rpt-rpi-2712/modules.dep", "");
     },
     "kernel modules", Verdict::kFailed, "no mc, videodev, videobuf2_common",
     "linux-image"},
    {"ModuleNotLoaded", [](FakeTree& tree, DoctorInput&) { Unload(tree); },
     "module", Verdict::kFailed, "perdix.ko is there, but not loaded",
     "sudo modprobe perdix"},
    {"ModuleNotInstalled",
     [](FakeTree& tree, DoctorInput&) {
       Unload(tree);
       tree.programs["modinfo"] = "";
     },
     "module", Verdict::kFailed, "none for 6.12.47", "perdix-dkms"},
    {"SecureBoot",
     [](FakeTree& tree, DoctorInput&) {
       Unload(tree);
       tree.Write(kSecureBoot, std::string("\6\0\0\0\1", 5));
     },
     "Secure Boot", Verdict::kWarning, "on: the kernel takes only", "mokutil"},
    {"NoVideoNode",
     [](FakeTree& tree, DoctorInput&) {
       tree.Remove("/sys/class/video4linux/video19");
     },
     "video node", Verdict::kFailed, "is loaded, but has none", "modprobe -r"},
    {"NoMediaNodeInDev",
     [](FakeTree& tree, DoctorInput&) { tree.Remove("/dev/media3"); },
     "media node", Verdict::kFailed, "/dev/media3 is in sysfs, but not in /dev",
     "udevadm trigger"},
    {"NotPermitted",
     [](FakeTree& tree, DoctorInput&) { tree.SetMode("/dev/video19", 0660); },
     "permissions", Verdict::kFailed,
     "anna may not open /dev/video19 (perdix:", "usermod -aG video"},
    {"NotInVideo",
     [](FakeTree&, DoctorInput& input) { input.system.caller.groups = {}; },
     "control", Verdict::kWarning, "not in the group video",
     "usermod -aG video"},
    {"ChannelForAll",
     [](FakeTree& tree, DoctorInput&) { tree.SetMode("/dev/perdix", 0666); },
     "channel", Verdict::kFailed, "0666; it should be perdix's alone",
     "udevadm control --reload"},
    {"ChannelOfAnother",
     [](FakeTree& tree, DoctorInput& input) {
       tree.users.erase(getuid());
       input.daemon.reset();
     },
     "channel", Verdict::kFailed, "it should be perdix's", "systemd-sysusers"},
    {"NoChannel",
     [](FakeTree& tree, DoctorInput&) { tree.Remove("/dev/perdix"); },
     "channel", Verdict::kFailed, "no /dev/perdix", "udevadm"},
    {"NoUdevRule",
     [](FakeTree& tree, DoctorInput&) {
       tree.Remove("/usr/lib/udev/rules.d/70-perdix.rules");
     },
     "udev rule", Verdict::kWarning, "is not installed", "70-perdix.rules"},
    {"NoLink",
     [](FakeTree& tree, DoctorInput&) { tree.Remove("/dev/video-dec0"); },
     "video-dec0", Verdict::kWarning, "no link", "udevadm trigger"},
    {"LinkOfAnother",
     [](FakeTree& tree, DoctorInput&) {
       tree.Link("/dev/video-dec0", "video0");
     },
     "video-dec0", Verdict::kWarning, "leads to video0", "udevadm trigger"},
    {"NoBusPolicy",
     [](FakeTree& tree, DoctorInput& input) {
       tree.Remove("/usr/share/dbus-1/system.d");
       input.daemon.reset();
     },
     "bus policy", Verdict::kFailed, "none for org.perdix.Decoder1",
     "reload dbus"},
    {"UnitFailed",
     [](FakeTree& tree, DoctorInput& input) {
       tree.programs["systemctl"] = "failed\n";
       input.daemon.reset();
     },
     "service", Verdict::kFailed, "perdix.service is failed",
     "systemctl start perdix"},
    {"StartedByHand",
     [](FakeTree& tree, DoctorInput&) {
       tree.programs["systemctl"] = "inactive\n";
     },
     "service", Verdict::kWarning, "by hand", "systemctl start"},
    {"NoDaemon",
     [](FakeTree&, DoctorInput& input) {
       input.daemon.reset();
       input.daemon_error = "perdixd is not running\nmore";
     },
     "daemon", Verdict::kFailed, "perdixd is not running",
     "systemctl start perdix"},
    {"NotConnected",
     [](FakeTree&, DoctorInput& input) {
       input.daemon->daemon.connected = false;
     },
     "connection", Verdict::kFailed, "no channel", "systemctl restart perdix"},
    {"AnotherNode",
     [](FakeTree&, DoctorInput& input) {
       input.daemon->daemon.video_node = "/dev/video5";
     },
     "connection", Verdict::kWarning, "says /dev/video5, sysfs /dev/video19",
     "restart"},
    {"OldModule",
     [](FakeTree&, DoctorInput& input) {
       input.daemon->daemon.module_version = "0.0.9";
     },
     "versions", Verdict::kWarning, "not the same: module 0.0.9", "apt"},
    {"RenderNodeOfRoot",
     [](FakeTree& tree, DoctorInput&) {
       tree.SetMode("/dev/dri/renderD128", 0600);
     },
     "render node", Verdict::kWarning, "by the group render", "udevadm"},
    {"GpuLost",
     [](FakeTree&, DoctorInput& input) {
       input.daemon->daemon.gpu_state = "lost";
     },
     "GPU", Verdict::kWarning, "the CPU decodes", "restart perdix"},
    {"GpuWrong",
     [](FakeTree&, DoctorInput& input) {
       input.daemon->daemon.self_check_failures = 3;
     },
     "GPU", Verdict::kWarning, "3 frames were not", "recipe set simd"},
    {"NoElements",
     [](FakeTree&, DoctorInput& input) { HideElement("v4l2sl", input); },
     "GStreamer", Verdict::kWarning, "no element v4l2slvp9dec, v4l2slav1dec",
     "registry"},
    {"NoAv1Element",
     [](FakeTree&, DoctorInput& input) { HideElement("v4l2slav1dec", input); },
     "GStreamer", Verdict::kWarning, "no element v4l2slav1dec", "registry"},
    {"RenderNodeGone",
     [](FakeTree& tree, DoctorInput&) { tree.Remove("/dev/dri/renderD128"); },
     "render node", Verdict::kWarning, "not in /dev any more",
     "restart perdix"},
};

class DoctorCaseTest : public testing::TestWithParam<Case> {};

TEST_P(DoctorCaseTest, SaysWhatIsWrongAndWhatToDo) {
  const Case& c = GetParam();
  FakeTree tree;
  DoctorInput input = tree.Input();
  c.spoil(tree, input);
  const auto findings = Examine(input);
  const Finding finding = Find(findings, c.check);
  EXPECT_EQ(VerdictName(finding.verdict), VerdictName(c.verdict));
  EXPECT_NE(finding.text.find(c.text), std::string::npos) << finding.text;
  EXPECT_NE(finding.fix.find(c.fix), std::string::npos) << finding.fix;
  EXPECT_TRUE(AnyFailed(findings) || c.verdict != Verdict::kFailed);
}

INSTANTIATE_TEST_SUITE_P(Cases, DoctorCaseTest, testing::ValuesIn(kCases),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

TEST(DoctorTest, SkipsWhatCannotBeLookedAt) {
  FakeTree tree;
  tree.Remove("/run/systemd/system");
  tree.Remove("/dev/dri");
  tree.programs.erase("gst-inspect-1.0");
  DoctorInput input = tree.Input();
  input.daemon->daemon.gpu_node.clear();
  const auto findings = Examine(input);
  for (const char* check : {"service", "render node", "GStreamer"}) {
    EXPECT_EQ(Find(findings, check).verdict, Verdict::kSkipped) << check;
  }
  EXPECT_FALSE(AnyFailed(findings));
}

TEST(DoctorTest, NamesTheNodeOfTheGpuInUseAndItsDriver) {
  FakeTree tree;
  tree.Write("/dev/dri/renderD129", "");
  tree.SetMode("/dev/dri/renderD129", 0660);
  tree.Link("/sys/class/drm/renderD129/device/driver", "../../drivers/amdgpu");
  DoctorInput input = tree.Input();
  input.daemon->daemon.gpu_node = "/dev/dri/renderD129";
  EXPECT_EQ(Find(Examine(input), "render node").text,
            "/dev/dri/renderD129 of amdgpu is perdix:render 0660");
  EXPECT_EQ(Find(Examine(input), "GPU").text,
            "V3D 7.1.7.0, V3DV Mesa 25.0.7, /dev/dri/renderD129 by v3d 1.0.0 "
            "(ready)");
}

TEST(DoctorTest, SaysWhatStaysOnTheCpuAndWhy) {
  const FakeTree tree;
  DoctorInput input = tree.Input();
  const auto cpu_frames = [&] { return Find(Examine(input), "CPU frames"); };
  EXPECT_EQ(cpu_frames().text,
            "av1 frames with intrabc: blocks read earlier ones; "
            "av1 of 12 bit, av1 of 4:4:4: no shaders");
  input.daemon->daemon.cpu_frames.clear();
  EXPECT_EQ(cpu_frames().text, "none, but for what the recipe has on the CPU");
  input.daemon->daemon.gpu_state = "lost";
  EXPECT_EQ(cpu_frames().verdict, Verdict::kSkipped);
  input.daemon.reset();
  EXPECT_EQ(cpu_frames().verdict, Verdict::kSkipped);
}

TEST(DoctorTest, AsksForAv1OnlyWhereItCanBe) {
  FakeTree tree;
  DoctorInput input = tree.Input();
  EXPECT_EQ(Find(Examine(input), "GStreamer").text,
            "has v4l2slvp9dec, v4l2slav1dec");
  tree.Write("/proc/sys/kernel/osrelease", "6.1.0-40-amd64\n");
  EXPECT_EQ(Find(Examine(input), "GStreamer").text, "has v4l2slvp9dec");
  tree.Write("/proc/sys/kernel/osrelease", "6.12.1\n");
  tree.programs["gst-inspect-1.0"] = "gst-inspect-1.0 version 1.22.0\n";
  EXPECT_EQ(Find(Examine(tree.Input()), "GStreamer").text, "has v4l2slvp9dec");
}

TEST(DoctorTest, EmptyTreeFailsWithoutMoreHarm) {
  FakeTree tree;
  tree.Remove("");
  DoctorInput input = tree.Input();
  input.daemon.reset();
  EXPECT_TRUE(AnyFailed(Examine(input)));
}

TEST(DoctorTest, PrintsOneLineEachAndTheFixBelow) {
  const std::string text =
      DoctorText({{"module", Verdict::kFailed, "not loaded", "a\nb"},
                  {"kernel", Verdict::kOk, "6.1\033[2J", ""}},
                 {});
  EXPECT_EQ(text,
            "failed   module          not loaded\n"
            "                         $ a\n"
            "                         $ b\n"
            "ok       kernel          6.1?[2J\n"
            "\n"
            "1 ok, 0 warnings, 1 failed, 0 skipped\n");
}

TEST(DoctorTest, JsonHasEveryCheck) {
  const auto json =
      DoctorJson({{"module", Verdict::kFailed, "not loaded", "a\nb"}});
  EXPECT_EQ(json.dump(),
            R"([{"fix":"a\nb","name":"module","text":"not loaded",)"
            R"("verdict":"failed"}])");
}

}  // namespace
}  // namespace perdix::ctl
