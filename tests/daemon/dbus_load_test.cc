// SPDX-License-Identifier: BSD-2-Clause
// What GetStatistics a thousand times a second costs decoding on one thread:
// frames a second and CPU time of a frame, without and with, of runs in turn,
// and the D-Bus thread's CPU time for each call. The clients are another
// process. On a machine that is busy with something else only the last is
// checked.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/daemon/dbus_fixture.h"

namespace perdix {
namespace {

using std::chrono::steady_clock;

constexpr int kRuns = 7;  // of each kind
constexpr int kCallsPerSecond = 1000;
constexpr double kMostCost = 0.05;  // of frames a second, and of CPU time
// Between equal runs; beyond that a difference is not the calls'.
constexpr double kMostSpread = 0.05;
// CPUs that others have meanwhile.
constexpr double kMostOthers = 0.05;
constexpr double kFewestCalls = 0.95;  // of those that should have been
// Gross, for the same reason; 60 on a machine that has nothing else to do.
constexpr double kMostUSecPerCall = 500;

// The sum of <count> words of the file after <skipped>, which are clock ticks.
double Seconds(const std::filesystem::path& file, int skipped, int count) {
  std::ifstream text(file);
  std::string word;
  while (skipped-- > 0) text >> word;
  double sum = 0;
  for (double ticks; count-- > 0 && text >> ticks;) sum += ticks;
  return sum / double(sysconf(_SC_CLK_TCK));
}

// CPU seconds so far, of the thread perdix-dbus, of all of this process, and
// of the whole machine.
struct CpuTimes {
  double dbus = 0;
  double process = 0;
  double machine = 0;
};

CpuTimes Times() {
  CpuTimes times;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (name == "perdix-dbus")
      times.dbus = Seconds(task.path() / "stat", 13, 2);
  }
  timespec process;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &process);
  times.process = double(process.tv_sec) + double(process.tv_nsec) / 1e9;
  times.machine = Seconds("/proc/stat", 1, 3) +  // user, nice, system
                  Seconds("/proc/stat", 6, 3);   // interrupts, stolen
  return times;
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
    next = std::max(next + std::chrono::microseconds(1000000 / kCallsPerSecond),
                    steady_clock::now() - std::chrono::milliseconds(50));
    std::this_thread::sleep_until(next);
  }
}

struct Figures {
  double fps = 0;
  double usec_per_frame = 0;  // CPU time, but for the D-Bus thread's
  double seconds = 0;
  CpuTimes used;
};

// Of one figure of all runs of one kind.
std::vector<double> Sorted(const std::vector<Figures>& runs,
                           double Figures::*figure) {
  std::vector<double> values;
  for (const Figures& run : runs) values.push_back(run.*figure);
  std::ranges::sort(values);
  return values;
}
double Median(const std::vector<Figures>& runs, double Figures::*figure) {
  return Sorted(runs, figure)[runs.size() / 2];
}
double Spread(const std::vector<Figures>& runs, double Figures::*figure) {
  const auto values = Sorted(runs, figure);
  return values.back() / values.front() - 1;
}

class LoadTest : public DbusFixture {
 protected:
  EngineOptions Options() const override {
    EngineOptions options = {.threads = 1, .recipe = {}, .measure = true};
    EXPECT_TRUE(Recipe::Parse("simd", &options.recipe).ok());
    return options;
  }

  Figures Decode() {
    const CpuTimes before = Times();
    const auto start = steady_clock::now();
    Figures run;
    double frames = 0;
    do {
      Player player(*this, "demo.webm");
      player.playback().DoNotHash();
      player.Finish();
      frames += double(player.backend().frames());
    } while (steady_clock::now() - start < std::chrono::seconds(1));
    run.seconds =
        std::chrono::duration<double>(steady_clock::now() - start).count();
    const CpuTimes now = Times();
    run.used = {now.dbus - before.dbus, now.process - before.process,
                now.machine - before.machine};
    run.fps = frames / run.seconds;
    run.usec_per_frame = 1e6 * (run.used.process - run.used.dbus) / frames;
    return run;
  }
};

TEST_F(LoadTest, AThousandCallsASecondCostLittle) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers cost more than what is measured";
#endif
  StopLoop();  // one thread, as in perdixd
  Decode();    // warms up
  std::vector<Figures> alone;
  std::vector<Figures> asked;
  const UniqueFd counter(memfd_create("calls", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(counter.get(), sizeof(uint64_t)), 0);
  const uint64_t* const counted = MapCounter(counter.get());
  double seconds = 0;
  double dbus = 0;
  double others = 0;
  for (int i = 0; i < kRuns; ++i) {
    const Figures& quiet = alone.emplace_back(Decode());
    others += (quiet.used.machine - quiet.used.process) / quiet.seconds / kRuns;
    const Client client(counter.get());
    const Figures& run = asked.emplace_back(Decode());
    seconds += run.seconds;
    dbus += run.used.dbus;
  }
  const auto calls = double(*counted);
  ASSERT_GT(calls, 0);
  const double fps = Median(alone, &Figures::fps);
  const double fps_lost = 1 - Median(asked, &Figures::fps) / fps;
  const double fps_spread = Spread(alone, &Figures::fps);
  const double usec = Median(alone, &Figures::usec_per_frame);
  const double usec_more = Median(asked, &Figures::usec_per_frame) / usec - 1;
  const double usec_spread = Spread(alone, &Figures::usec_per_frame);
  std::printf(
      "%.0f calls/s, %.0f us CPU each\n"
      "%.1f fps, with the calls %+.1f %%; equal runs differ by %.1f %%\n"
      "%.1f us CPU a frame, %+.1f %%; by %.1f %%\n"
      "others have %.2f CPUs\n",
      calls / seconds, 1e6 * dbus / calls, fps, -100 * fps_lost,
      100 * fps_spread, usec, 100 * usec_more, 100 * usec_spread, others);
  EXPECT_LT(1e6 * dbus / calls, kMostUSecPerCall);
  if (std::thread::hardware_concurrency() < 2)
    GTEST_SKIP() << "frames a second want another CPU for the client";
  if (others > kMostOthers || fps_spread > kMostSpread ||
      usec_spread > kMostSpread)
    GTEST_SKIP() << "the machine is too busy to compare";
  if (calls / seconds < kFewestCalls * kCallsPerSecond)
    GTEST_SKIP() << "the client was kept from asking often enough";
  EXPECT_LE(usec_more, kMostCost);
  EXPECT_LE(fps_lost, kMostCost);
}

}  // namespace
}  // namespace perdix
