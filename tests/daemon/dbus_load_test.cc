// SPDX-License-Identifier: BSD-2-Clause
// What GetStatistics a thousand times a second costs decoding: frames a second
// without and with, of runs in turn, and the D-Bus thread's CPU time for each
// call. The clients are another process. Only the CPU time is checked: on a
// machine that is busy with something else frames a second say nothing.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/daemon/dbus_fixture.h"

namespace perdix {
namespace {

using std::chrono::steady_clock;

constexpr int kRuns = 5;  // of each kind
constexpr std::chrono::microseconds kCallInterval{1000};
// Gross, for the same reason; 60 on a machine that has nothing else to do.
constexpr double kMostUSecPerCall = 500;

// Of the D-Bus thread, of this process.
double DbusSeconds() {
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "stat");
    std::string stat{std::istreambuf_iterator<char>(file), {}};
    if (stat.find("(perdix-dbus)") == stat.npos) continue;
    std::istringstream fields(stat.substr(stat.find(')') + 1));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) / double(sysconf(_SC_CLK_TCK));
  }
  ADD_FAILURE() << "no thread perdix-dbus";
  return 0;
}

constexpr int kCounterFd = 3;  // of the client: where it counts its calls

uint64_t* MapCounter(int fd) {
  return static_cast<uint64_t*>(mmap(
      nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
}

// This program again, as the client below.
class Client {
 public:
  explicit Client(int counter) {
    const char* const argv[] = {"client", "--gtest_also_run_disabled_tests",
                                "--gtest_filter=LoadTestClient.DISABLED_Asks",
                                nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, counter, kCounterFd);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    EXPECT_EQ(posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr,
                          const_cast<char* const*>(argv), environ),
              0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Client() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
};

// Until it is killed.
TEST(LoadTestClient, DISABLED_Asks) {
  uint64_t* const calls = MapCounter(kCounterFd);
  BusClient client;
  const ProxyPtr daemon = client.Object(kDaemonPath);
  auto next = steady_clock::now();
  while (true) {
    Variants totals;
    std::map<sdbus::ObjectPath, Variants> sessions;
    daemon->callMethod("GetStatistics")
        .onInterface(kDaemonInterface)
        .storeResultsTo(totals, sessions);
    ++*calls;
    next = std::max(next + kCallInterval,
                    steady_clock::now() - std::chrono::milliseconds(50));
    std::this_thread::sleep_until(next);
  }
}

struct Figures {
  uint64_t frames = 0;
  double seconds = 0;
  double fps() const { return double(frames) / seconds; }
};

class LoadTest : public DbusFixture {
 protected:
  Figures Decode() {
    const auto start = steady_clock::now();
    Figures run;
    do {
      Player player(*this, "demo.webm");
      player.Finish();
      run.frames += player.backend().frames();
    } while (steady_clock::now() - start < std::chrono::seconds(1));
    run.seconds =
        std::chrono::duration<double>(steady_clock::now() - start).count();
    return run;
  }
};

TEST_F(LoadTest, AThousandCallsASecondCostLittle) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers cost more than what is measured";
#endif
  Recipe simd;
  ASSERT_TRUE(Recipe::Parse("simd", &simd).ok());
  host_->engine().SetRecipe(simd);
  StopLoop();  // one thread, as in perdixd
  Decode();    // warms up
  std::vector<double> alone;
  std::vector<double> asked;
  double seconds = 0;
  const UniqueFd counter(memfd_create("calls", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(counter.get(), sizeof(uint64_t)), 0);
  const uint64_t* const counted = MapCounter(counter.get());
  for (int i = 0; i < kRuns; ++i) {
    alone.push_back(Decode().fps());
    const Client client(counter.get());
    const Figures run = Decode();
    asked.push_back(run.fps());
    seconds += run.seconds;
  }
  const auto calls = double(*counted);
  ASSERT_GT(calls, 0);
  std::ranges::sort(alone);
  std::ranges::sort(asked);
  const double usec_per_call = 1e6 * DbusSeconds() / calls;
  const double loss = 1 - asked[kRuns / 2] / alone[kRuns / 2];
  std::printf(
      "%.0f calls/s, %.0f us CPU each: %.1f fps, without %.1f fps: "
      "%+.1f %%\n",
      calls / seconds, usec_per_call, asked[kRuns / 2], alone[kRuns / 2],
      -100 * loss);
  EXPECT_LT(usec_per_call, kMostUSecPerCall);
}

}  // namespace
}  // namespace perdix
