// SPDX-License-Identifier: BSD-2-Clause
// What GetStatistics a thousand times a second costs decoding: frames a second
// without and with, of runs in turn, and the daemon's CPU time for each call.
// The clients are another process. Only the CPU time is checked: on a machine
// that is busy with something else frames a second say nothing.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>

#include "tests/daemon/dbus_fixture.h"

namespace perdix {
namespace {

using std::chrono::steady_clock;

constexpr int kRuns = 5;  // of each kind
constexpr std::chrono::microseconds kCallInterval{1000};
// A twentieth of two cores, at a thousand calls a second.
constexpr double kMostUSecPerCall = 100;

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return double(time.tv_sec) + double(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
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
  double cpu_seconds = 0;  // of this process: decoder, event loop, D-Bus
  double fps() const { return double(frames) / seconds; }
};

class LoadTest : public DbusFixture {
 protected:
  Figures Decode() {
    const auto start = steady_clock::now();
    const double cpu = CpuSeconds();
    Figures run;
    do {
      Player player(*this, "demo.webm");
      player.Finish();
      run.frames += player.backend().frames();
    } while (steady_clock::now() - start < std::chrono::seconds(1));
    run.seconds =
        std::chrono::duration<double>(steady_clock::now() - start).count();
    run.cpu_seconds = CpuSeconds() - cpu;
    return run;
  }
};

TEST_F(LoadTest, AThousandCallsASecondCostLittle) {
  Recipe simd;
  ASSERT_TRUE(Recipe::Parse("simd", &simd).ok());
  host_->engine().SetRecipe(simd);
  StopLoop();  // one thread, as in perdixd
  Decode();    // warms up
  std::vector<double> alone;
  std::vector<double> asked;
  std::vector<double> frame_cpu;
  Figures total;
  const UniqueFd counter(memfd_create("calls", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(counter.get(), sizeof(uint64_t)), 0);
  const uint64_t* const counted = MapCounter(counter.get());
  for (int run = 0; run < kRuns; ++run) {
    const Figures without = Decode();
    alone.push_back(without.fps());
    frame_cpu.push_back(without.cpu_seconds / double(without.frames));
    const Client client(counter.get());
    const Figures with = Decode();
    asked.push_back(with.fps());
    total.frames += with.frames;
    total.seconds += with.seconds;
    total.cpu_seconds += with.cpu_seconds;
  }
  const auto calls = double(*counted);
  ASSERT_GT(calls, 0);
  std::ranges::sort(alone);
  std::ranges::sort(asked);
  std::ranges::sort(frame_cpu);
  const double usec_per_call =
      1e6 * (total.cpu_seconds - double(total.frames) * frame_cpu[kRuns / 2]) /
      calls;
  const double loss = 1 - asked[kRuns / 2] / alone[kRuns / 2];
  std::printf(
      "%.0f calls/s, %.0f us CPU each: %.1f fps, without %.1f fps: "
      "%+.1f %%\n",
      calls / total.seconds, usec_per_call, asked[kRuns / 2], alone[kRuns / 2],
      -100 * loss);
  EXPECT_LT(usec_per_call, kMostUSecPerCall);
}

}  // namespace
}  // namespace perdix
