// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "kernels/text.h"
#include "tools/ctl/bench_program.h"
#include "tools/ctl/daemon_client.h"
#include "tools/ctl/failure.h"
#include "tools/ctl/screen.h"
#include "tools/ctl/status.h"
#include "tools/ctl/top_frame.h"

namespace perdix::ctl {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

void Print(const std::string& text) { std::fputs(text.c_str(), stdout); }

void PrintJson(const json& value) {
  Print(value.dump(2, ' ', true, json::error_handler_t::replace) + "\n");
}

// ---- top ----

constexpr double kMinInterval = 0.1;  // seconds
constexpr double kMaxInterval = 60;

std::string KeysText(double interval) {
  return "q quit   up/down session   r reset view   +/- every " +
         Fixed(interval, 1) + " s";
}

// The session before or after the one selected; none stands above the first.
std::optional<uint32_t> Select(const Snapshot& snapshot,
                               std::optional<uint32_t> selected, int step) {
  const auto& sessions = snapshot.sessions;
  int row = -1;
  for (size_t i = 0; i < sessions.size(); ++i) {
    if (selected == sessions[i].id) row = int(i);
  }
  row = std::clamp(row + step, -1, int(sessions.size()) - 1);
  if (row < 0) return std::nullopt;
  return sessions[size_t(row)].id;
}

class TopLoop {
 public:
  explicit TopLoop(const Options& options) : interval_(options.interval) {
    view_.style = options.style;
  }

  void Run() {
    bool running = true;
    while (running) {
      Update();
      Draw();
      const auto end = Clock::now() + Interval();
      // Keys are answered at once, with the figures that are there.
      for (auto now = Clock::now(); running && now < end; now = Clock::now()) {
        const auto left = std::chrono::ceil<milliseconds>(end - now);
        const Key key = screen_.WaitForKey(left);
        if (key == Key::kNone) break;
        running = key != Key::kQuit;
        Handle(key);
        Draw();
      }
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  milliseconds Interval() const { return milliseconds(int(interval_ * 1000)); }

  // A daemon that is gone may come back: we wait for it.
  void Update() {
    try {
      now_ = client_.TakeSnapshot();
      if (since_.taken_usec == 0) since_ = now_;
      error_.clear();
    } catch (const Failure& failure) {
      if (failure.exit_code() != EX_UNAVAILABLE) throw;
      error_ = failure.what();
      since_ = {};
    }
  }

  void Handle(Key key) {
    if (key == Key::kUp) view_.selected = Select(now_, view_.selected, -1);
    if (key == Key::kDown) view_.selected = Select(now_, view_.selected, 1);
    if (key == Key::kFaster) interval_ = std::max(interval_ / 2, kMinInterval);
    if (key == Key::kSlower) interval_ = std::min(interval_ * 2, kMaxInterval);
    if (key == Key::kReset) since_ = now_;
  }

  void Draw() {
    const TerminalSize size = GetTerminalSize();
    view_.width = size.width;
    view_.height = size.height;
    view_.keys = KeysText(interval_);
    screen_.Show(error_.empty()
                     ? TopFrame(now_, since_, view_)
                     : std::vector<std::string>{
                           Printable(error_.substr(0, error_.find('\n'))), "",
                           "q quit"});
  }

  Screen screen_;  // before client_, which starts a thread
  DaemonClient client_;
  Snapshot now_;
  Snapshot since_;
  std::string error_;
  double interval_;
  TopView view_;
};

// ---- calibrate ----

// On a terminal one line that is written again and again, elsewhere a line for
// each step.
class ProgressLine {
 public:
  explicit ProgressLine(const Style& style) : style_(style) {}

  void Show(double fraction, const std::string& step) {
    constexpr size_t kBarWidth = 30;
    const std::string percent = PadLeft(Fixed(100 * fraction, 0), 3) + " % ";
    if (terminal_) {
      std::fprintf(stderr, "\r\033[K%s",
                   ("[" + Bar(style_, fraction, kBarWidth) + "] " + percent +
                    Printable(step))
                       .c_str());
      std::fflush(stderr);
    } else if (step != last_step_) {
      std::fprintf(stderr, "%s\n", (percent + Printable(step)).c_str());
    }
    last_step_ = step;
  }
  void Clear() {
    if (terminal_) std::fputs("\r\033[K", stderr);
  }

 private:
  const Style style_;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::string last_step_;
};

std::string Error(const std::string& what) {
  return what + ": " + strerror(errno);
}

}  // namespace

int ShowStatus(const Options& options) {
  DaemonClient client;
  if (options.json) {
    PrintJson(client.Statistics());
  } else {
    Print(StatusText(client.TakeSnapshot(), options.style));
  }
  return EX_OK;
}

int ShowSessions(const Options& options) {
  DaemonClient client;
  if (options.json) {
    PrintJson(client.Statistics().at("sessions"));
  } else {
    Print(SessionsText(client.TakeSnapshot(), options.style));
  }
  return EX_OK;
}

int ShowWatch(const Options& options) {
  DaemonClient client;
  const json all = client.Statistics();
  const Snapshot snapshot = ParseSnapshot(all);
  if (!snapshot.daemon.watch) {
    throw Failure(EX_CONFIG,
                  "perdixd does not watch what is shown\n"
                  "  watch = yes in /etc/perdix/perdixd.conf, then\n"
                  "  systemctl restart perdix");
  }
  if (!options.json) {
    Print(WatchText(snapshot, options.style));
    return EX_OK;
  }
  json sessions = json::array();
  for (const json& session : all.at("sessions")) {
    json& row = sessions.emplace_back();
    for (const char* name : {"Id", "ClientName", "ClientPid", "LumaMean",
                             "DarkRatio", "Motion", "FrozenUSec", "BlackUSec"})
      row[name] = session.value(name, json());
  }
  PrintJson(sessions);
  return EX_OK;
}

// Prints what perdix-decode --checksum does of the same pictures. JSON's
// numbers are too short for it.
int ShowChecksum(const Options& options) {
  const ShownPictures shown = DaemonClient().Checksum(options.session);
  char checksum[17];
  std::snprintf(checksum, sizeof(checksum), "%016" PRIx64, shown.checksum);
  if (options.json) {
    PrintJson(json{{"Pictures", shown.pictures}, {"Checksum", checksum}});
  } else {
    Print(std::string(checksum) + "  " + std::to_string(shown.pictures) +
          " frames  session " + std::to_string(options.session) + "\n");
  }
  return EX_OK;
}

int ShowRecipe(const Options& options) {
  DaemonClient client;
  if (options.json) {
    const json daemon = client.Statistics().at("daemon");
    PrintJson(json{{"Recipe", daemon.value("Recipe", json::object())},
                   {"RecipeSource", daemon.value("RecipeSource", "")}});
  } else {
    Print(RecipeText(client.TakeSnapshot().daemon, options.style));
  }
  return EX_OK;
}

int SetRecipe(const Options& options) {
  DaemonClient client;
  Daemon daemon;
  daemon.recipe = client.SetRecipe(options.recipe);
  daemon.recipe_source = "set";
  if (options.json) {
    PrintJson(json{{"Recipe", daemon.recipe}, {"RecipeSource", "set"}});
  } else {
    Print(RecipeText(daemon, options.style));
  }
  return EX_OK;
}

int Calibrate(const Options& options) {
  ProgressLine line(options.style);  // outlives who calls it
  DaemonClient client;
  if (!options.json) {
    Print("perdixd measures; it goes on if you end this\n");
    std::fflush(stdout);
  }
  const CalibrationResult result =
      client.Calibrate([&](double fraction, const std::string& step) {
        line.Show(fraction, step);
      });
  line.Clear();
  if (options.json) {
    PrintJson(json{{"success", result.success}, {"message", result.message}});
  } else if (result.success) {
    Print(Printable(result.message) + "\n\n");
    Print(RecipeText(client.TakeSnapshot().daemon, options.style));
  } else {
    throw Failure(EX_SOFTWARE, "calibration failed: " + result.message);
  }
  return result.success ? EX_OK : EX_SOFTWARE;
}

int Reset() {
  DaemonClient().ResetStatistics();
  return EX_OK;
}

int SetLogLevel(const Options& options) {
  DaemonClient().SetLogLevel(options.level);
  return EX_OK;
}

int Trace(const Options& options) {
  const std::string& path = options.output;
  DaemonClient client;
  const bool existed = std::filesystem::exists(path);
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) throw Failure(EX_CANTCREAT, Error(path));
  uint32_t recorded = 0;
  try {
    recorded =
        client.Trace(options.frames, uint32_t(options.timeout * 1000), fd);
  } catch (...) {
    close(fd);
    if (!existed) std::filesystem::remove(path);
    throw;
  }
  close(fd);
  if (options.json) {
    PrintJson(json{{"recorded", recorded}, {"file", path}});
  } else {
    Print(path + ": " + Count(recorded) + " frames\n" +
          "open it at https://ui.perfetto.dev, or in Chromium at "
          "chrome://tracing\n");
  }
  if (recorded == 0) {
    std::fprintf(stderr,
                 "perdixctl: no frame ended within %s s: is something "
                 "playing?\n",
                 Fixed(options.timeout, 1).c_str());
  }
  return EX_OK;
}

int Top(const Options& options) {
  if (!options.once) {
    TopLoop(options).Run();
    return EX_OK;
  }
  TopView view;
  view.style = options.style;
  view.width = GetTerminalSize().width;
  view.height = 0;
  Print(Join(TopFrame(DaemonClient().TakeSnapshot(), {}, view), "\n") + "\n");
  return EX_OK;
}

int Bench(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {BenchProgram()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& argument : all) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  throw Failure(EX_UNAVAILABLE, Error(all[0]));
}

}  // namespace perdix::ctl
