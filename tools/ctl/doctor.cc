// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/doctor.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>

#include "tools/ctl/status.h"

namespace perdix::ctl {
namespace {

constexpr const char* kBusName = "org.perdix.Decoder1";
constexpr const char* kAddToVideo =
    "sudo usermod -aG video \"$USER\"    # and log in again";

Finding Ok(std::string name, std::string text) {
  return {std::move(name), Verdict::kOk, std::move(text), ""};
}
Finding Warning(std::string name, std::string text, std::string fix) {
  return {std::move(name), Verdict::kWarning, std::move(text), std::move(fix)};
}
Finding Failed(std::string name, std::string text, std::string fix) {
  return {std::move(name), Verdict::kFailed, std::move(text), std::move(fix)};
}
Finding Skipped(std::string name, std::string text) {
  return {std::move(name), Verdict::kSkipped, std::move(text), ""};
}

// ---- facts ----

std::string KernelRelease(const System& system) {
  return system.Read("/proc/sys/kernel/osrelease").value_or("");
}

using Version = std::pair<int, int>;  // major, minor

// The first one in the text; nothing: there is none.
std::optional<Version> FindVersion(const std::string& text) {
  Version version;
  const size_t start = std::min(text.find_first_of("0123456789"), text.size());
  if (std::sscanf(text.c_str() + start, "%d.%d", &version.first,
                  &version.second) != 2)
    return std::nullopt;
  return version;
}

bool ModuleLoaded(const System& system) {
  return system.Exists("/sys/module/perdix");
}

// What a command prints, when it succeeds.
std::optional<std::string> Output(const System& system,
                                  const std::vector<std::string>& arguments) {
  const auto result = system.run(arguments);
  if (!result || result->exit_code != 0) return std::nullopt;
  std::string output = result->output;
  output.erase(output.find_last_not_of(" \t\r\n") + 1);
  return output;
}

// The nodes of <folder> whose <attribute> says "perdix"; empty: none.
std::string FindNode(const System& system, const std::string& folder,
                     const std::string& attribute) {
  for (const std::string& name : system.List(folder)) {
    if (system.Read(folder + "/" + name + "/" + attribute) == "perdix")
      return "/dev/" + name;
  }
  return "";
}

std::string VideoNode(const System& system) {
  return FindNode(system, "/sys/class/video4linux", "name");
}

std::string MediaNode(const System& system) {
  return FindNode(system, "/sys/bus/media/devices", "model");
}

std::string FirstWith(const System& system,
                      const std::vector<std::string>& folders,
                      const std::function<bool(const std::string&)>& is_it) {
  for (const std::string& folder : folders) {
    for (const std::string& name : system.List(folder)) {
      if (is_it(folder + "/" + name)) return folder + "/" + name;
    }
  }
  return "";
}

std::string Access(const System& system, const FileInfo& file) {
  char mode[8];
  std::snprintf(mode, sizeof(mode), "%04o", unsigned(file.mode & 07777));
  return system.UserName(file.owner) + ":" + system.GroupName(file.group) +
         " " + mode;
}

// ---- checks, from the kernel upwards ----

Finding CheckKernel(const DoctorInput& input) {
  const std::string release = KernelRelease(input.system);
  const auto version = FindVersion(release);
  if (!version) return Skipped("kernel", "no /proc/sys/kernel/osrelease");
  if (version >= Version(6, 1)) return Ok("kernel", release);
  return Failed("kernel", release + ": the module needs 6.1 or newer",
                "sudo apt install linux-image-$(dpkg --print-architecture)");
}

// Loaded, built in, or there to be loaded.
bool KernelHas(const System& system, const std::string& module) {
  std::string file = module;
  std::ranges::replace(file, '_', '-');
  if (system.Exists("/sys/module/" + module)) return true;
  const std::string folder = "/lib/modules/" + KernelRelease(system);
  for (const char* list : {"/modules.builtin", "/modules.dep"}) {
    if (system.Read(folder + list).value_or("").find("/" + file + ".ko") !=
        std::string::npos)
      return true;
  }
  return false;
}

Finding CheckKernelModules(const DoctorInput& input) {
  const System& system = input.system;
  if (ModuleLoaded(system))
    return Ok("kernel modules", "all that perdix.ko needs are loaded");
  if (!system.Exists("/lib/modules/" + KernelRelease(system)))
    return Skipped("kernel modules",
                   "no /lib/modules/" + KernelRelease(system) +
                       ": a container, or a kernel of one's own");
  std::vector<std::string> missing;
  for (const char* module :
       {"mc", "videodev", "videobuf2_common", "videobuf2_v4l2"}) {
    if (!KernelHas(system, module)) missing.push_back(module);
  }
  if (missing.empty())
    return Ok("kernel modules", "videobuf2 and the rest are there");
  return Failed("kernel modules", "this kernel has no " + Join(missing, ", "),
                "sudo apt install linux-image-$(dpkg --print-architecture)"
                "    # not the -cloud one");
}

Finding CheckModule(const DoctorInput& input) {
  const System& system = input.system;
  if (ModuleLoaded(system)) {
    const auto version = system.Read("/sys/module/perdix/version");
    return Ok("module", version ? "perdix " + *version + " is loaded"
                                : "perdix is loaded");
  }
  const auto file = Output(system, {"modinfo", "-F", "filename", "perdix"});
  if (file) {
    return Failed("module", *file + " is there, but not loaded",
                  "sudo modprobe perdix");
  }
  return Failed(
      "module",
      "not loaded, and none for " + KernelRelease(system) + " is installed",
      "sudo apt install perdix-dkms linux-headers-$(uname -r)\n"
      "make -C /lib/modules/$(uname -r)/build M=$PWD/v4l2 modules"
      "    # from the source");
}

Finding CheckSecureBoot(const DoctorInput& input) {
  const auto variable = input.system.Read(
      "/sys/firmware/efi/efivars/"
      "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
  if (!input.system.Exists("/sys/firmware/efi"))
    return Skipped("Secure Boot", "this machine did not start by EFI");
  if (!variable) return Skipped("Secure Boot", "not known to this firmware");
  // Four bytes of attributes, then the value.
  const bool on = variable->size() > 4 && (*variable)[4] == 1;
  if (!on) return Ok("Secure Boot", "off");
  if (ModuleLoaded(input.system))
    return Ok("Secure Boot", "on, and the module is accepted");
  return Warning("Secure Boot",
                 "on: the kernel takes only modules signed with a key that "
                 "this machine knows",
                 "sudo mokutil --import /var/lib/dkms/mok.pub    # then "
                 "reboot, and confirm it");
}

Finding CheckNode(const DoctorInput& input, const std::string& name,
                  const std::string& node) {
  if (node.empty()) {
    return ModuleLoaded(input.system)
               ? Failed(name, "the module is loaded, but has none",
                        "sudo modprobe -r perdix && sudo modprobe perdix\n"
                        "sudo dmesg | grep perdix    # says why")
               : Skipped(name, "the module is not loaded");
  }
  if (input.system.Exists(node)) return Ok(name, node);
  return Failed(name, node + " is in sysfs, but not in /dev",
                "sudo udevadm trigger --settle");
}

Finding CheckPermissions(const DoctorInput& input) {
  const System& system = input.system;
  std::vector<std::string> refused;
  bool any = false;
  for (const std::string& node : {VideoNode(system), MediaNode(system)}) {
    const auto file = node.empty() ? std::nullopt : system.Stat(node);
    if (!file) continue;
    any = true;
    if (!system.caller.MayReadAndWrite(*file))
      refused.push_back(node + " (" + Access(system, *file) + ")");
  }
  const std::string who = system.UserName(system.caller.user);
  if (!any) return Skipped("permissions", "there are no nodes");
  if (refused.empty()) return Ok("permissions", who + " may open the nodes");
  return Failed("permissions", who + " may not open " + Join(refused, ", "),
                kAddToVideo);
}

Finding CheckControl(const DoctorInput& input) {
  const System& system = input.system;
  const auto video = system.accounts.find_group("video");
  const std::string who = system.UserName(system.caller.user);
  if (system.caller.user == 0 || (video && system.caller.IsIn(*video)))
    return Ok("control", who + " may change the daemon's settings");
  return Warning("control",
                 who +
                     " may look at the daemon, but not change it: not in "
                     "the group video",
                 kAddToVideo);
}

Finding CheckChannel(const DoctorInput& input) {
  const System& system = input.system;
  const auto file = system.Stat("/dev/perdix");
  if (!file) {
    return ModuleLoaded(system)
               ? Failed("channel", "no /dev/perdix",
                        "sudo udevadm trigger --settle")
               : Skipped("channel", "the module is not loaded");
  }
  const std::string text = "/dev/perdix is " + Access(system, *file);
  const std::string owner = system.UserName(file->owner);
  const bool others = (file->mode & (S_IRWXG | S_IRWXO)) != 0;
  if (owner == "perdix" && !others) return Ok("channel", text);
  const std::string fix =
      "sudo systemd-sysusers\n"
      "sudo udevadm control --reload\n"
      "sudo udevadm trigger /dev/perdix";
  // The daemon is root, and opens it all the same.
  if (input.daemon && input.daemon->daemon.connected && !others)
    return Warning("channel", text + ", not perdix's", fix);
  return Failed("channel", text + "; it should be perdix's alone, 0600", fix);
}

Finding CheckUdevRule(const DoctorInput& input) {
  const System& system = input.system;
  const std::string rule = FirstWith(
      system,
      {"/etc/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d"},
      [](const std::string& path) {
        return path.ends_with("/70-perdix.rules");
      });
  if (!rule.empty()) return Ok("udev rule", rule);
  return Warning("udev rule",
                 "70-perdix.rules is not installed: nobody makes /dev/perdix "
                 "the daemon's, nor the link video-dec0",
                 "sudo apt install --reinstall perdix\n"
                 "sudo cp systemd/70-perdix.rules /etc/udev/rules.d/"
                 "    # from the source");
}

Finding CheckLink(const DoctorInput& input) {
  const std::string node = VideoNode(input.system);
  if (node.empty()) return Skipped("video-dec0", "there is no video node");
  const auto target = input.system.LinkTarget("/dev/video-dec0");
  const std::string fix = "sudo udevadm trigger " + node;
  if (!target) {
    return Warning("video-dec0",
                   "no link /dev/video-dec0, by which Chromium finds decoders",
                   fix);
  }
  const std::string name = target->substr(target->rfind('/') + 1);
  if ("/dev/" + name == node) return Ok("video-dec0", "leads to " + node);
  return Warning("video-dec0",
                 "leads to " + name + ", another decoder's, not to " + node,
                 fix);
}

Finding CheckUnit(const DoctorInput& input) {
  const System& system = input.system;
  if (!system.Exists("/run/systemd/system"))
    return Skipped("service", "systemd does not run here");
  const auto state = Output(system, {"systemctl", "show", "--value", "-p",
                                     "ActiveState", "perdix.service"});
  if (!state) return Skipped("service", "systemctl says nothing");
  if (*state == "active") return Ok("service", "perdix.service is active");
  if (input.daemon) {
    return Warning("service",
                   "perdix.service is " + *state +
                       ", but perdixd runs: somebody has started it by hand",
                   "sudo systemctl start perdix    # once that one has ended");
  }
  return Failed("service", "perdix.service is " + *state,
                "sudo systemctl start perdix\n"
                "journalctl -u perdix -n 20    # says why it ended");
}

Finding CheckDaemon(const DoctorInput& input) {
  if (input.daemon)
    return Ok("daemon", "perdixd " + input.daemon->daemon.version +
                            " answers on the bus");
  const std::string first_line =
      input.daemon_error.substr(0, input.daemon_error.find('\n'));
  return Failed("daemon", first_line,
                "sudo systemctl start perdix\n"
                "sudo perdixd --foreground    # without systemd");
}

Finding CheckConnected(const DoctorInput& input) {
  if (!input.daemon) return Skipped("connection", "the daemon does not answer");
  const Daemon& daemon = input.daemon->daemon;
  if (!daemon.connected) {
    return Failed("connection", "the daemon has no channel to the module",
                  ModuleLoaded(input.system) ? "sudo systemctl restart perdix\n"
                                               "journalctl -u perdix -n 20"
                                             : "sudo modprobe perdix");
  }
  const std::string node = VideoNode(input.system);
  if (!node.empty() && !daemon.video_node.empty() &&
      node != daemon.video_node) {
    return Warning("connection",
                   "the daemon says " + daemon.video_node + ", sysfs " + node,
                   "sudo systemctl restart perdix");
  }
  return Ok("connection", "the daemon serves " + NodesText(daemon));
}

Finding CheckPolicy(const DoctorInput& input) {
  const System& system = input.system;
  const std::string policy =
      FirstWith(system, {"/etc/dbus-1/system.d", "/usr/share/dbus-1/system.d"},
                [&](const std::string& path) {
                  return system.Read(path).value_or("").find(kBusName) !=
                         std::string::npos;
                });
  if (!policy.empty()) return Ok("bus policy", policy);
  const std::string text =
      "none for org.perdix.Decoder1: the bus lets no daemon have that name";
  const std::string fix =
      "sudo apt install --reinstall perdix\n"
      "sudo systemctl reload dbus";
  return input.daemon ? Warning("bus policy", text, fix)
                      : Failed("bus policy", text, fix);
}

Finding CheckVersions(const DoctorInput& input) {
  if (!input.daemon) return Skipped("versions", "the daemon does not answer");
  const Daemon& daemon = input.daemon->daemon;
  const std::string module =
      !daemon.module_version.empty()
          ? daemon.module_version
          : input.system.Read("/sys/module/perdix/version").value_or("");
  const std::string text = "module " + (module.empty() ? "unknown" : module) +
                           ", daemon " + daemon.version + ", perdixctl " +
                           input.version;
  if (daemon.version == input.version &&
      (module.empty() || module == daemon.version))
    return Ok("versions", text);
  return Warning("versions", "not the same: " + text,
                 "sudo apt install --only-upgrade perdix perdix-dkms\n"
                 "sudo systemctl restart perdix");
}

// The node of the GPU in use, else the first; empty: there is none.
std::string RenderNode(const DoctorInput& input) {
  if (input.daemon && !input.daemon->daemon.gpu_node.empty())
    return input.daemon->daemon.gpu_node;
  return FirstWith(input.system, {"/dev/dri"}, [](const std::string& path) {
    return path.find("/renderD") != std::string::npos;
  });
}

// " of v3d": the kernel's driver of that node.
std::string DriverText(const System& system, const std::string& node) {
  const std::string name = node.substr(node.rfind('/') + 1);
  const auto driver =
      system.LinkTarget("/sys/class/drm/" + name + "/device/driver");
  return driver ? " of " + driver->substr(driver->rfind('/') + 1) : "";
}

// The daemon's own group does not matter here: its unit gives it render.
Finding CheckRenderNode(const DoctorInput& input) {
  const System& system = input.system;
  const std::string node = RenderNode(input);
  if (node.empty())
    return Skipped("render node", "no /dev/dri/renderD*: no GPU but software");
  const auto file = system.Stat(node);
  if (!file) {
    return Warning("render node",
                   node + " is the daemon's GPU, and not in /dev any more",
                   "sudo systemctl restart perdix");
  }
  const std::string text =
      node + DriverText(system, node) + " is " + Access(system, *file);
  const bool by_group =
      system.GroupName(file->group) == "render" &&
      (file->mode & (S_IRGRP | S_IWGRP)) == (S_IRGRP | S_IWGRP);
  const bool by_all = (file->mode & (S_IROTH | S_IWOTH)) == (S_IROTH | S_IWOTH);
  if (by_group || by_all) return Ok("render node", text);
  return Warning("render node",
                 text + ": the daemon reaches the GPU by the group render",
                 "sudo udevadm trigger " + node);
}

Finding CheckGpu(const DoctorInput& input) {
  if (!input.daemon) return Skipped("GPU", "the daemon does not answer");
  const Daemon& daemon = input.daemon->daemon;
  if (daemon.gpu_state == "lost") {
    return Warning("GPU", GpuText(daemon) + ": the CPU decodes",
                   "sudo dmesg | grep -i -e gpu -e drm\n"
                   "sudo systemctl restart perdix");
  }
  if (daemon.self_check_failures > 0) {
    return Warning("GPU",
                   GpuText(daemon) + ": " + Count(daemon.self_check_failures) +
                       " frames were not what the CPU makes of them",
                   "journalctl -u perdix | grep self    # names the kernel\n"
                   "perdixctl recipe set simd");
  }
  if (!daemon.gpu.empty()) return Ok("GPU", GpuText(daemon));
  return Ok("GPU", "none in use: the CPU decodes");
}

// "what, what: why; what: why"
std::string ByReason(const std::map<std::string, std::string>& cpu_frames) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& [what, why] : cpu_frames) by_reason[why].push_back(what);
  std::vector<std::string> parts;
  for (const auto& [why, what] : by_reason)
    parts.push_back(Join(what, ", ") + ": " + why);
  return Join(parts, "; ");
}

Finding CheckCpuFrames(const DoctorInput& input) {
  if (!input.daemon) return Skipped("CPU frames", "the daemon does not answer");
  const Daemon& daemon = input.daemon->daemon;
  if (daemon.gpu.empty() || daemon.gpu_state == "lost")
    return Skipped("CPU frames", "no GPU is in use: all of them");
  if (daemon.cpu_frames.empty())
    return Ok("CPU frames", "none, but for what the recipe has on the CPU");
  return Ok("CPU frames", ByReason(daemon.cpu_frames));
}

// AV1's stateless API is in Linux since 6.5, its element in GStreamer since
// 1.24.
bool MayHaveAv1(const System& system, const std::string& gstreamer) {
  return FindVersion(KernelRelease(system)) >= Version(6, 5) &&
         FindVersion(gstreamer.substr(std::min(
             gstreamer.find("version"), gstreamer.size()))) >= Version(1, 24);
}

Finding CheckGStreamer(const DoctorInput& input) {
  const auto version = input.system.run({"gst-inspect-1.0", "--version"});
  if (!version || version->exit_code != 0)
    return Skipped("GStreamer", "gst-inspect-1.0 is not installed");
  if (VideoNode(input.system).empty())
    return Skipped("GStreamer", "there is no video node");
  std::vector<std::string> wanted = {"v4l2slvp9dec"};
  if (MayHaveAv1(input.system, version->output))
    wanted.push_back("v4l2slav1dec");
  std::vector<std::string> missing = wanted;
  std::erase_if(missing, [&](const std::string& element) {
    return Output(input.system, {"gst-inspect-1.0", "--exists", element});
  });
  if (missing.empty()) return Ok("GStreamer", "has " + Join(wanted, ", "));
  return Warning("GStreamer", "has no element " + Join(missing, ", "),
                 "sudo apt install gstreamer1.0-plugins-bad\n"
                 "rm -f ~/.cache/gstreamer-1.0/registry.*    # it was looked "
                 "for before the node was there");
}

}  // namespace

std::vector<Finding> Examine(const DoctorInput& input) {
  const System& system = input.system;
  return {CheckKernel(input),
          CheckKernelModules(input),
          CheckModule(input),
          CheckSecureBoot(input),
          CheckNode(input, "video node", VideoNode(system)),
          CheckNode(input, "media node", MediaNode(system)),
          CheckPermissions(input),
          CheckUdevRule(input),
          CheckChannel(input),
          CheckLink(input),
          CheckPolicy(input),
          CheckUnit(input),
          CheckDaemon(input),
          CheckConnected(input),
          CheckVersions(input),
          CheckControl(input),
          CheckRenderNode(input),
          CheckGpu(input),
          CheckCpuFrames(input),
          CheckGStreamer(input)};
}

}  // namespace perdix::ctl
