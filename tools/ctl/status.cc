// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/status.h"

#include <algorithm>
#include <map>

#include "kernels/text.h"
#include "tools/ctl/columns.h"

namespace perdix::ctl {
namespace {

constexpr size_t kLabelWidth = 12;

class Sheet {
 public:
  explicit Sheet(const Style& style) : style_(style) {}

  void Add(const std::string& label, const std::string& text) {
    text_ += Paint(style_, Colour::kBold, PadRight(label, kLabelWidth)) + text +
             "\n";
  }
  void AddLine(const std::string& line) { text_ += line + "\n"; }
  const std::string& text() const { return text_; }

 private:
  const Style& style_;
  std::string text_;
};

// Which node the GPU has, or why there is none.
std::string GpuNodeText(const Daemon& daemon) {
  if (daemon.gpu_type == "software") return "software, no render node";
  if (daemon.gpu_node.empty())
    return daemon.gpu_state == "lost" ? "render node gone"
                                      : "render node unknown";
  return Printable(daemon.gpu_node) +
         (daemon.gpu_drm_driver.empty()
              ? ""
              : " by " + Printable(daemon.gpu_drm_driver));
}

// A number that should be 0, and what it counts.
std::string Trouble(const Style& style, uint64_t count, Colour colour,
                    const std::string& what) {
  return Paint(style, count == 0 ? Colour::kPlain : colour,
               Count(count) + what);
}

std::string FramesText(const Daemon& daemon, const Style& style) {
  return Count(daemon.frames_decoded) + " decoded, " +
         Trouble(style, daemon.frames_failed, Colour::kRed, " failed") + ", " +
         Trouble(style, daemon.frames_dropped, Colour::kYellow, " dropped");
}

std::string GpuFramesText(const Daemon& daemon, const Style& style) {
  return Count(daemon.gpu_frames) + ", " +
         Trouble(style, daemon.gpu_frames_redone, Colour::kYellow,
                 " done again on the CPU") +
         "; " + Count(daemon.self_checks) + " compared, " +
         Trouble(style, daemon.self_check_failures, Colour::kRed, " wrong");
}

std::string CalibrationText(const Daemon& daemon) {
  return daemon.calibration_message.empty()
             ? daemon.calibration_state
             : daemon.calibration_state + ": " +
                   Printable(daemon.calibration_message);
}

}  // namespace

std::string PictureText(const Session& session) {
  if (session.codec.empty()) return "no frame yet";
  std::string text = Printable(session.codec) + " " +
                     std::to_string(session.width) + "x" +
                     std::to_string(session.height);
  if (session.bit_depth > 8) {
    text += " " + std::to_string(session.bit_depth) + " bit";
  }
  if (session.film_grain) text += " grain";
  return text;
}

std::string SourceText(const Daemon& daemon) {
  const std::string& source = daemon.recipe_source;
  if (source == "configured") return "from the daemon's configuration";
  if (source == "stored") return "stored by an earlier calibration";
  if (source == "default") {
    return "the default: nothing is stored for this machine "
           "(perdixctl calibrate)";
  }
  if (source == "calibrated") return "from a calibration of this daemon";
  if (source == "set") return "set by hand, until the daemon ends";
  return Printable(source);
}

std::string GpuText(const Daemon& daemon) {
  if (daemon.gpu.empty()) return "none in use";
  std::string text = Printable(daemon.gpu);
  if (!daemon.gpu_driver.empty()) text += ", " + Printable(daemon.gpu_driver);
  return text + ", " + GpuNodeText(daemon) + " (" +
         Printable(daemon.gpu_state) + ")";
}

std::string RecipeSummary(const Daemon& daemon) {
  if (daemon.recipe.empty()) return "unknown";
  std::map<std::string, size_t> kernels;  // by variant
  for (const auto& [kernel, variant] : daemon.recipe) ++kernels[variant];
  const std::string most =
      std::ranges::max_element(kernels, {}, [](const auto& row) {
        return row.second;
      })->first;
  if (kernels.size() == 1) return "all " + Printable(most);
  std::string text = Printable(most);
  for (const auto& [kernel, variant] : daemon.recipe) {
    if (variant != most) text += ", " + Printable(kernel + "=" + variant);
  }
  return text;
}

Colour StateColour(const Daemon& daemon) {
  return daemon.connected ? Colour::kGreen : Colour::kRed;
}

std::string NodesText(const Daemon& daemon) {
  return daemon.connected ? daemon.video_node + ", " + daemon.media_node
                          : "none: the module is not loaded (perdixctl doctor)";
}

std::string StatusText(const Snapshot& snapshot, const Style& style) {
  const Daemon& daemon = snapshot.daemon;
  Sheet sheet(style);
  sheet.Add("perdixd", daemon.version + ", " + std::to_string(daemon.threads) +
                           " threads, log level " + daemon.log_level);
  sheet.Add("module", Paint(style, StateColour(daemon),
                            daemon.connected ? "connected" : "not connected") +
                          (daemon.module_version.empty()
                               ? ""
                               : ", version " + daemon.module_version));
  sheet.Add("nodes", NodesText(daemon));
  sheet.Add("GPU", GpuText(daemon));
  sheet.Add("recipe", RecipeSummary(daemon) + ", " + SourceText(daemon));
  if (!daemon.calibration_state.empty() && daemon.calibration_state != "idle") {
    sheet.Add("calibration", CalibrationText(daemon));
  }
  sheet.Add("sessions", std::to_string(daemon.sessions_open) + " open, " +
                            Count(daemon.sessions) + " in all");
  sheet.Add("frames", FramesText(daemon, style));
  if (!daemon.gpu.empty()) {
    sheet.Add("on the GPU", GpuFramesText(daemon, style));
  }
  sheet.Add("coded", Bytes(daemon.bytes_in));
  sheet.Add("buffers", std::to_string(daemon.buffers) + " mapped, " +
                           Count(daemon.buffer_imports) + " in all; GPU " +
                           Count(daemon.gpu_imports) + " imported, " +
                           Count(daemon.gpu_imports_refused) + " refused");
  sheet.Add("beside them",
            Bytes(daemon.private_bytes) +
                " of our own, for film grain and chroma beyond 4:2:0");
  sheet.Add("counted", "since " + LocalTime(daemon.statistics_since));
  if (!snapshot.sessions.empty()) {
    sheet.AddLine("");
    sheet.AddLine(SessionsText(snapshot, style));
  }
  std::string text = sheet.text();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

namespace {

std::string SessionsTable(const Snapshot& snapshot, Columns columns,
                          const Style& style) {
  if (snapshot.sessions.empty()) return "no sessions\n";
  Table table(SessionTitles(snapshot.daemon, columns));
  for (const Session& session : snapshot.sessions)
    table.Add(SessionCells(snapshot.daemon, session, columns, style));
  return Join(table.Lines(style), "\n") + "\n";
}

}  // namespace

std::string SessionsText(const Snapshot& snapshot, const Style& style) {
  return SessionsTable(snapshot, Columns::kAll, style);
}

std::string WatchText(const Snapshot& snapshot, const Style& style) {
  return SessionsTable(snapshot, Columns::kWatch, style);
}

std::string RecipeText(const Daemon& daemon, const Style& style) {
  Table table({{"KERNEL"}, {"VARIANT"}});
  for (const auto& [kernel, variant] : daemon.recipe) {
    table.Add(
        {Printable(kernel),
         Paint(style, variant == "vulkan" ? Colour::kYellow : Colour::kBlue,
               Printable(variant))});
  }
  return Join(table.Lines(style), "\n") + "\n\n" + SourceText(daemon) + "\n";
}

}  // namespace perdix::ctl
