// SPDX-License-Identifier: BSD-2-Clause
#include "tests/ctl/fake_tree.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/ctl/sample.h"

namespace perdix::ctl {
namespace {

namespace fs = std::filesystem;

constexpr gid_t kVideo = 44;
constexpr uid_t kAnna = 54321;  // who asks; owns nothing

std::optional<std::string> NameOf(const std::map<uint32_t, std::string>& names,
                                  uint32_t number) {
  const auto found = names.find(number);
  if (found == names.end()) return std::nullopt;
  return found->second;
}

}  // namespace

// Every file is that of who runs the test, called perdix here, and of a group
// called render.
FakeTree::FakeTree() {
  std::string path =
      (fs::temp_directory_path() / "perdix_tree_XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error(path);
  root_ = path;
  users = {{getuid(), "perdix"}, {kAnna, "anna"}};
  groups = {{kVideo, "video"}, {getgid(), "render"}};
  Write("/etc/os-release", "NAME=Debian\nPRETTY_NAME=\"Debian 12\"\n");
  Write("/proc/sys/kernel/osrelease", "6.12.47+rpt-rpi-2712\n");
  Write("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Cortex-A76 <r4>\n");
  Write("/proc/meminfo", "MemTotal:        8256192 kB\n");
  Write("/lib/modules/6.12.47+rpt-rpi-2712/modules.dep",
        "kernel/media/mc.ko.xz:\nkernel/media/videodev.ko.xz:\n"
        "kernel/media/videobuf2-common.ko.xz:\n"
        "kernel/media/videobuf2-v4l2.ko.xz:\n");
  Write("/sys/module/perdix/version", "0.1.0\n");
  Write("/sys/class/video4linux/video0/name", "uvc\n");
  Write("/sys/class/video4linux/video19/name", "perdix\n");
  Write("/sys/bus/media/devices/media3/model", "perdix\n");
  for (const char* node : {"/dev/video19", "/dev/media3"}) {
    Write(node, "");
    SetMode(node, 0666);
  }
  Write("/dev/perdix", "");
  SetMode("/dev/perdix", 0600);
  Link("/dev/video-dec0", "video19");
  Write("/dev/dri/renderD128", "");
  SetMode("/dev/dri/renderD128", 0660);
  Link("/sys/class/drm/renderD128/device/driver", "../../bus/drivers/v3d");
  Write("/usr/lib/udev/rules.d/70-perdix.rules", "");
  Write(
      "/usr/share/dbus-1/system.d/org.perdix.Decoder1.conf",
      "<policy user=\"perdix\"><allow own=\"org.perdix.Decoder1\"/></policy>");
  fs::create_directories(root_ + "/run/systemd/system");
  programs = {{"systemctl", "active\n"},
              {"modinfo", "/lib/modules/6.12/updates/dkms/perdix.ko\n"},
              {"gst-inspect-1.0", "gst-inspect-1.0 version 1.26.2\n"}};
}

FakeTree::~FakeTree() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void FakeTree::Write(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(root_ + path).parent_path());
  std::ofstream(root_ + path, std::ios::binary) << text;
}

void FakeTree::Link(const std::string& path, const std::string& target) {
  Remove(path);
  fs::create_directories(fs::path(root_ + path).parent_path());
  fs::create_symlink(target, root_ + path);
}

void FakeTree::Remove(const std::string& path) { fs::remove_all(root_ + path); }

void FakeTree::SetMode(const std::string& path, unsigned mode) {
  chmod((root_ + path).c_str(), mode_t(mode));
}

DoctorInput FakeTree::Input() const {
  DoctorInput input;
  input.system.root = root_;
  input.system.caller = {kAnna, {1000, kVideo}};
  input.system.accounts = {
      .user = [this](uid_t user) { return NameOf(users, user); },
      .group = [this](gid_t group) { return NameOf(groups, group); },
      .find_group = [this](const std::string& name) -> std::optional<gid_t> {
        for (const auto& [group, its_name] : groups)
          if (its_name == name) return group;
        return std::nullopt;
      }};
  input.system.run = [this](const std::vector<std::string>& arguments)
      -> std::optional<CommandResult> {
    const auto program = programs.find(arguments[0]);
    if (program == programs.end()) return std::nullopt;
    return CommandResult{program->second.empty() ? 1 : 0, program->second};
  };
  input.daemon = ParseSnapshot(SampleStatistics(600));
  input.daemon->daemon.video_node = "/dev/video19";
  input.daemon->daemon.media_node = "/dev/media3";
  input.version = "0.1.0";
  return input;
}

}  // namespace perdix::ctl
