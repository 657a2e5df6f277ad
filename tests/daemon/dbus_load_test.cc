// SPDX-License-Identifier: BSD-2-Clause
// What GetStatistics a thousand times a second costs decoding on one thread:
// frames a second and CPU time of a frame, without and with, and the D-Bus
// thread's CPU time for each call. The client is another process.
//
// On machines that others use equal runs differ by far more than the calls may
// cost. So short runs take turns, each pair of neighbours gives one cost, and
// the median's confidence interval decides: all of it within the bound passes,
// all of it far beyond fails, anything else is skipped with what was seen.
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

constexpr int kPairs = 61;  // a run without calls and one with
constexpr auto kRun = std::chrono::milliseconds(250);  // at least
// How many of the sorted costs lie outside the interval at either end. The
// median lies outside with a probability of 2 % (binomial, 61 and 1/2).
constexpr size_t kOutside = 21;
constexpr int kCallsPerSecond = 1000;
constexpr double kMostCost = 0.05;   // lost of frames a second, and of CPU time
constexpr double kFarBeyond = 0.30;  // lost; others on the machine make that
constexpr double kFewestCalls = 0.95;  // that come, of those that should
// Gross too; 60 on a machine that has nothing else to do.
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

// CPU seconds so far, of the thread perdix-dbus and of all of this process.
struct CpuTimes {
  double dbus = 0;
  double process = 0;
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

  // From now on, or no more.
  void Ask(bool ask) const { kill(pid_, ask ? SIGCONT : SIGSTOP); }

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
    // The reply is not taken apart: what that costs is not the daemon's.
    daemon->callMethod("GetStatistics").onInterface(kDaemonInterface);
    ++*calls;
    next = std::max(next + std::chrono::microseconds(1000000 / kCallsPerSecond),
                    steady_clock::now() - std::chrono::milliseconds(10));
    std::this_thread::sleep_until(next);
  }
}

struct Figures {
  double fps = 0;
  double usec_per_frame = 0;  // CPU time, but for the D-Bus thread's
  double seconds = 0;
  CpuTimes used;
};

// The confidence interval of the median of what was lost, 1 being all.
struct Interval {
  double low = 0;
  double median = 0;
  double high = 0;
};

Interval IntervalOf(std::vector<double> costs) {
  std::ranges::sort(costs);
  return {costs[kOutside], costs[costs.size() / 2],
          costs[costs.size() - 1 - kOutside]};
}

void Print(const char* what, const Interval& cost) {
  std::printf("%s: %+.1f %%, between %+.1f and %+.1f\n", what,
              100 * cost.median, 100 * cost.low, 100 * cost.high);
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
    } while (steady_clock::now() - start < kRun);
    run.seconds =
        std::chrono::duration<double>(steady_clock::now() - start).count();
    const CpuTimes now = Times();
    run.used = {now.dbus - before.dbus, now.process - before.process};
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
  const UniqueFd counter(memfd_create("calls", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(counter.get(), sizeof(uint64_t)), 0);
  const uint64_t* const counted = MapCounter(counter.get());
  Client client(counter.get());
  std::vector<double> fps_lost;
  std::vector<double> usec_more;
  double seconds = 0;
  double dbus = 0;
  uint64_t calls = 0;
  for (int i = 0; i < kPairs; ++i) {
    Figures alone;
    Figures asked;
    for (const bool ask : {i % 2 == 0, i % 2 != 0}) {
      client.Ask(ask);
      const uint64_t before = *counted;
      (ask ? asked : alone) = Decode();
      if (ask) calls += *counted - before;
    }
    seconds += asked.seconds;
    dbus += asked.used.dbus;
    fps_lost.push_back(1 - asked.fps / alone.fps);
    usec_more.push_back(asked.usec_per_frame / alone.usec_per_frame - 1);
  }
  ASSERT_GT(calls, 0u);
  const double usec_per_call = 1e6 * dbus / double(calls);
  std::printf("%.0f calls/s, %.0f us CPU each\n", double(calls) / seconds,
              usec_per_call);
  EXPECT_LT(usec_per_call, kMostUSecPerCall);
  const Interval fps = IntervalOf(fps_lost);
  const Interval usec = IntervalOf(usec_more);
  Print("frames a second lost", fps);
  Print("CPU time of a frame more", usec);
  if (double(calls) / seconds < kFewestCalls * kCallsPerSecond)
    GTEST_SKIP() << "the client was kept from asking often enough";
  if (std::thread::hardware_concurrency() < 2)
    GTEST_SKIP() << "frames a second want another CPU for the client";
  EXPECT_LE(fps.low, kFarBeyond);
  EXPECT_LE(usec.low, kFarBeyond);
  if (fps.high > kMostCost || usec.high > kMostCost)
    GTEST_SKIP() << "not shown on this machine";
}

}  // namespace
}  // namespace perdix
