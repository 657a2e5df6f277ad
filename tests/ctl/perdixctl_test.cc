// SPDX-License-Identifier: BSD-2-Clause
// The program as a shell sees it, on a bus of its own, with a daemon that is
// none (mock_daemon.cc).
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "tests/client/temp_path.h"
#include "tests/ctl/fake_tree.h"
#include "tests/ctl/pseudo_terminal.h"
#include "tests/ctl/sample.h"
#include "tests/tools/run_program.h"

namespace perdix::ctl {
namespace {

using nlohmann::json;

// Ends with this.
class Child {
 public:
  explicit Child(std::vector<std::string> arguments) {
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    if (posix_spawnp(&pid_, argv[0], nullptr, nullptr, argv.data(), environ))
      pid_ = -1;
  }
  ~Child() {
    if (pid_ <= 0) return;
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool started() const { return pid_ > 0; }

 private:
  pid_t pid_ = -1;
};

Result Ctl(const std::string& arguments) {
  return RunProgram(PERDIXCTL, arguments);
}

json CtlJson(const std::string& arguments) {
  const Result result = Ctl(arguments + " 2>/dev/null");
  EXPECT_EQ(result.exit_code, EX_OK) << result.output;
  return json::parse(result.output, nullptr, false);
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool Eventually(const auto& condition) {
  for (int i = 0; i < 200; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

class PerdixctlTest : public testing::Test {
 protected:
  void SetUp() override {
    StartBus("");
    if (IsSkipped() || HasFatalFailure()) return;
    daemon_.emplace(std::vector<std::string>{MOCK_PERDIXD});
    ASSERT_TRUE(Eventually([] { return Ctl("status").exit_code == EX_OK; }));
  }
  void TearDown() override {
    daemon_.reset();
    bus_.reset();
    std::filesystem::remove_all(folder_);
  }

  // A bus on which all is allowed that <policy> does not deny.
  void StartBus(const std::string& policy) {
    if (system("command -v dbus-daemon >/dev/null") != 0)
      GTEST_SKIP() << "dbus-daemon is not installed";
    std::string folder = testing::TempDir() + "perdix_bus_XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    const std::string socket = folder_ + "/socket";
    std::ofstream(folder_ + "/bus.conf")
        << "<busconfig><listen>unix:path=" << socket
        << "</listen><auth>EXTERNAL</auth><policy context=\"default\">"
           "<allow send_destination=\"*\" eavesdrop=\"true\"/>"
           "<allow eavesdrop=\"true\"/><allow own=\"*\"/>"
        << policy << "</policy></busconfig>";
    bus_.emplace(std::vector<std::string>{"dbus-daemon", "--nofork",
                                          "--nopidfile", "--config-file",
                                          folder_ + "/bus.conf"});
    ASSERT_TRUE(bus_->started());
    ASSERT_TRUE(Eventually([&] { return std::filesystem::exists(socket); }));
    setenv("DBUS_SYSTEM_BUS_ADDRESS", ("unix:path=" + socket).c_str(), 1);
  }

  std::string folder_;
  std::optional<Child> bus_;
  std::optional<Child> daemon_;
};

TEST_F(PerdixctlTest, StatusTellsWhatTheDaemonTells) {
  const Result result = Ctl("status");
  EXPECT_TRUE(Has(result.output, "connected, version 0.1.0"));
  EXPECT_TRUE(Has(result.output, "chromium")) << result.output;
  EXPECT_EQ(CtlJson("status --json"), SampleStatistics(600));
  EXPECT_EQ(CtlJson("sessions --json"), SampleStatistics(600)["sessions"]);
}

TEST_F(PerdixctlTest, SessionsAndTopOnce) {
  EXPECT_TRUE(Has(Ctl("sessions").output, "VP9 1920x1080"));
  const Result top = Ctl("top --once");
  EXPECT_EQ(top.exit_code, EX_OK);
  EXPECT_TRUE(Has(top.output, "Latency, all sessions")) << top.output;
  EXPECT_FALSE(Has(top.output, "\033"));
  EXPECT_TRUE(Has(Ctl("top --once --colour always").output, "\033[1m"));
}

TEST_F(PerdixctlTest, WatchTellsWhatIsShown) {
  const Result result = Ctl("watch");
  EXPECT_EQ(result.exit_code, EX_OK);
  EXPECT_TRUE(Has(result.output, "12 s")) << result.output;
  const json sessions = CtlJson("watch --json");
  ASSERT_EQ(sessions.size(), 3u);
  EXPECT_EQ(sessions[1]["FrozenUSec"], 12'500'000);
  EXPECT_EQ(sessions[2]["BlackUSec"], 3'200'000);
  EXPECT_EQ(sessions[2]["LumaMean"], 16.5);
}

TEST_F(PerdixctlTest, TopWantsATerminal) {
  const Result result = Ctl("top </dev/null");
  EXPECT_EQ(result.exit_code, EX_USAGE);
  EXPECT_TRUE(Has(result.output, "top --once")) << result.output;
}

constexpr const char* kLeavesScreen = "\033[?1049l";

TEST_F(PerdixctlTest, TopGivesTheTerminalBackHoweverItEnds) {
  for (const int signal : {0, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    PseudoTerminal terminal(PERDIXCTL, "top", {30, 100, 0, 0});
    ASSERT_TRUE(terminal.WaitFor("q quit")) << terminal.output();
    EXPECT_EQ(terminal.LocalModes() & ECHO, 0u);
    if (signal == 0) {
      terminal.Type("q");
    } else {
      terminal.Signal(signal);
    }
    EXPECT_TRUE(terminal.WaitFor(kLeavesScreen)) << signal;
    EXPECT_EQ(terminal.Wait(), 0) << signal;
    EXPECT_EQ(terminal.LocalModes(), terminal.FirstModes()) << signal;
  }
}

TEST_F(PerdixctlTest, TopFollowsKeysAndSize) {
  PseudoTerminal terminal(PERDIXCTL, "top", {30, 100, 0, 0});
  ASSERT_TRUE(terminal.WaitFor("q quit"));
  terminal.Type("\033[B");
  EXPECT_TRUE(terminal.WaitFor(">3"));
  terminal.Type("\033[B\033[B");
  EXPECT_TRUE(terminal.WaitFor(">7"));
  terminal.Type("\033[A\033[A\033[A");
  EXPECT_TRUE(terminal.WaitFor("all sessions"));
  terminal.Resize({8, 40, 0, 0});
  // A picture of the old size may be under way.
  int64_t lines = 0;
  for (int i = 0; i < 5 && lines != 8; ++i) {
    ASSERT_TRUE(terminal.WaitFor("q quit"));
    const std::string& all = terminal.output();
    lines = 1 + std::count(all.begin() + long(all.rfind("\033[H")), all.end(),
                           '\n');
  }
  EXPECT_EQ(lines, 8);
}

TEST_F(PerdixctlTest, TopWaitsForADaemonThatHasGone) {
  PseudoTerminal terminal(PERDIXCTL, "top", {30, 100, 0, 0});
  ASSERT_TRUE(terminal.WaitFor("q quit"));
  daemon_.reset();
  EXPECT_TRUE(terminal.WaitFor("perdixd is not running"));
  daemon_.emplace(std::vector<std::string>{MOCK_PERDIXD});
  EXPECT_TRUE(terminal.WaitFor("gst-launch-1.0")) << terminal.output();
}

TEST_F(PerdixctlTest, SetsTheRecipe) {
  EXPECT_EQ(CtlJson("recipe --json")["RecipeSource"], "stored");
  const Result set = Ctl("recipe set scalar");
  EXPECT_EQ(set.exit_code, EX_OK);
  EXPECT_TRUE(Has(set.output, "vp9_inter_pred         scalar")) << set.output;
  const json recipe = CtlJson("recipe --json");
  EXPECT_EQ(recipe["RecipeSource"], "set");
  EXPECT_EQ(recipe["Recipe"]["vp9_loop_filter"], "scalar");
  const Result wrong = Ctl("recipe set none-such");
  EXPECT_EQ(wrong.exit_code, EX_USAGE);
  EXPECT_TRUE(Has(wrong.output, "scalar and simd are allowed"));
}

TEST_F(PerdixctlTest, FollowsACalibration) {
  const Result result = Ctl("calibrate");
  EXPECT_EQ(result.exit_code, EX_OK);
  EXPECT_TRUE(Has(result.output, " 25 % vp9_inter_pred simd")) << result.output;
  EXPECT_TRUE(Has(result.output, "stored: all simd")) << result.output;
  const Result busy = Ctl("calibrate");
  EXPECT_EQ(busy.exit_code, EX_TEMPFAIL);
  EXPECT_TRUE(Has(busy.output, "a calibration is running"));
}

TEST_F(PerdixctlTest, TracesIntoAFile) {
  const std::string file = TempPath(".json");
  const Result result = Ctl("trace -o " + file + " --frames 12 --timeout 1.5");
  EXPECT_EQ(result.exit_code, EX_OK) << result.output;
  EXPECT_TRUE(Has(result.output, "12 frames"));
  EXPECT_TRUE(Has(result.output, "ui.perfetto.dev"));
  EXPECT_EQ(json::parse(Read(file))["timeout_ms"], 1500);
  EXPECT_EQ(Ctl("trace -o /no/such/folder/x").exit_code, EX_CANTCREAT);
  std::filesystem::remove(file);
}

TEST_F(PerdixctlTest, ResetsAndSetsTheLogLevel) {
  EXPECT_EQ(Ctl("reset").exit_code, EX_OK);
  EXPECT_EQ(Ctl("loglevel debug").exit_code, EX_OK);
  const json daemon = CtlJson("status --json")["daemon"];
  EXPECT_EQ(daemon["FramesDecoded"], 0);
  EXPECT_EQ(daemon["LogLevel"], "debug");
}

TEST_F(PerdixctlTest, DoctorAsksTheDaemon) {
  const FakeTree tree;
  const Result result = Ctl("doctor --root " + tree.root());
  EXPECT_TRUE(Has(result.output, "perdixd 0.1.0 answers on the bus"))
      << result.output;
}

TEST_F(PerdixctlTest, ReportsInOnePage) {
  const std::string file = TempPath(".html");
  EXPECT_EQ(Ctl("report -o " + file).exit_code, EX_OK);
  EXPECT_TRUE(Has(Read(file), "gst-launch-1.0"));
  const Result result = Ctl("report -o " + file + " --bench-json /dev/null");
  EXPECT_EQ(result.exit_code, EX_DATAERR);
  EXPECT_TRUE(Has(result.output, "/dev/null: this is not JSON"));
  std::filesystem::remove(file);
}

// With a perdix-bench beside it that measures nothing.
TEST_F(PerdixctlTest, ReportsWhatItMeasures) {
  namespace fs = std::filesystem;
  const std::string program = folder_ + "/perdixctl";
  const std::string bench = folder_ + "/perdix-bench";
  fs::copy_file(PERDIXCTL, program);
  const auto write_bench = [&](const std::string& script) {
    std::ofstream(bench) << "#!/bin/sh\n" << script;
    fs::permissions(bench, fs::perms::owner_all);
  };
  write_bench(
      "[ \"$1 $2 $4\" = '--quick --json --svg' ] || exit 1\n"
      "echo '{\"clips\": []}' >\"$3\"; echo '<svg/>' >\"$5\"\n");
  const std::string file = folder_ + "/report.html";
  const Result result = RunProgram(program, "report --bench -o " + file);
  EXPECT_EQ(result.exit_code, EX_OK) << result.output;
  EXPECT_TRUE(Has(Read(file), "alt=\"perdix-bench\""));
  write_bench("exit 1\n");
  const Result failed = RunProgram(program, "report --bench -o " + file);
  EXPECT_EQ(failed.exit_code, EX_UNAVAILABLE) << failed.output;
  EXPECT_TRUE(Has(failed.output, "cannot measure here")) << failed.output;
}

TEST_F(PerdixctlTest, SaysThatThereIsNoDaemon) {
  daemon_.reset();
  for (const char* command : {"status", "recipe", "reset", "calibrate",
                              "top --once", "trace -o /dev/null"}) {
    const Result result = Ctl(command);
    EXPECT_EQ(result.exit_code, EX_UNAVAILABLE) << command;
    EXPECT_TRUE(Has(result.output, "systemctl status perdix")) << result.output;
  }
  EXPECT_EQ(Ctl("doctor").exit_code, EX_UNAVAILABLE);
}

TEST_F(PerdixctlTest, SaysThatThereIsNoBus) {
  bus_.reset();
  const Result result = Ctl("status");
  EXPECT_EQ(result.exit_code, EX_UNAVAILABLE) << result.output;
  EXPECT_TRUE(Has(result.output, "no system bus")) << result.output;
}

class RestrictedPerdixctlTest : public PerdixctlTest {
 protected:
  void SetUp() override {
    StartBus(
        "<deny send_interface=\"org.perdix.Decoder1\" "
        "send_member=\"ResetStatistics\"/>");
    if (IsSkipped() || HasFatalFailure()) return;
    daemon_.emplace(std::vector<std::string>{MOCK_PERDIXD});
    ASSERT_TRUE(Eventually([] { return Ctl("status").exit_code == EX_OK; }));
  }
};

TEST_F(RestrictedPerdixctlTest, SaysWhichGroupMay) {
  const Result result = Ctl("reset");
  EXPECT_EQ(result.exit_code, EX_NOPERM) << result.output;
  EXPECT_TRUE(Has(result.output, "group video")) << result.output;
}

TEST(PerdixctlUsageTest, SaysWhatIsAllowed) {
  const Result none = Ctl("");
  EXPECT_EQ(none.exit_code, EX_USAGE);
  const Result level = Ctl("loglevel loud");
  EXPECT_EQ(level.exit_code, EX_USAGE);
  EXPECT_TRUE(Has(level.output, "notice")) << level.output;
  EXPECT_EQ(Ctl("trace").exit_code, EX_USAGE);
  for (const char* arguments :
       {"trace -o ''", "report -o ''", "recipe set ''",
        "report -o x --bench-json ''", "report -o x --bench-svg ''"}) {
    EXPECT_EQ(Ctl(arguments).exit_code, EX_USAGE) << arguments;
  }
  EXPECT_EQ(Ctl("trace -o x --frames 1001").exit_code, EX_USAGE);
  EXPECT_EQ(Ctl("top --interval 0").exit_code, EX_USAGE);
  EXPECT_EQ(Ctl("none-such").exit_code, EX_USAGE);
}

TEST(PerdixctlUsageTest, TellsItsVersionAndCommands) {
  EXPECT_EQ(Ctl("--version").output, "perdixctl 0.1.0\n");
  const Result help = Ctl("--help");
  EXPECT_EQ(help.exit_code, EX_OK);
  EXPECT_TRUE(Has(help.output, "doctor")) << help.output;
  EXPECT_EQ(Ctl("recipe set --help").exit_code, EX_OK);
}

TEST(PerdixctlUsageTest, LostOutputExitsWith74) {
  const FakeTree tree;
  for (const std::string& arguments :
       {std::string("--version"), std::string("top --help"),
        "doctor --root " + tree.root()}) {
    const Result result = RunProgramInto(">/dev/full", PERDIXCTL, arguments);
    EXPECT_EQ(result.exit_code, EX_IOERR) << arguments;
    EXPECT_TRUE(Has(result.output, "No space left on device")) << arguments;
  }
}

TEST(PerdixctlUsageTest, NeverWritesAReportOverItsInput) {
  const std::string json = TempPath(".json");
  std::ofstream(json) << "{\"clips\": []}\n";
  const Result result = Ctl("report -o " + json + " --bench-json " + json);
  EXPECT_EQ(result.exit_code, EX_USAGE);
  EXPECT_TRUE(Has(result.output, " are one file")) << result.output;
  EXPECT_EQ(Read(json), "{\"clips\": []}\n");
}

TEST(PerdixctlUsageTest, BenchGetsItsArguments) {
  const Result result = Ctl("bench --frames 0");
  EXPECT_EQ(result.exit_code, EX_USAGE);
  EXPECT_TRUE(Has(result.output, "--frames")) << result.output;
  EXPECT_TRUE(Has(Ctl("bench --help").output, "perdix-bench"));
  EXPECT_EQ(Ctl("bench --version").output, "perdix-bench 0.1.0\n");
}

}  // namespace
}  // namespace perdix::ctl
