// SPDX-License-Identifier: BSD-2-Clause
// The D-Bus service's Trace, asked over a bus.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <future>

#include "tests/daemon/dbus_fixture.h"

namespace perdix {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kClip = "resilient_176x144.ivf";

class DbusTraceTest : public DbusFixture {
 protected:
  struct Reply {
    uint32_t recorded = 0;
    std::string error;
  };

  // On a connection of its own: the test plays meanwhile.
  static std::future<Reply> Trace(uint32_t frames, uint32_t timeout_ms,
                                  int file) {
    return std::async(std::launch::async, [=] {
      BusClient client;
      Reply reply;
      reply.error = ErrorOf([&] {
        client.Object(kDaemonPath)
            ->callMethod("Trace")
            .onInterface(kDaemonInterface)
            .withTimeout(std::chrono::seconds(60))
            .withArguments(frames, timeout_ms, sdbus::UnixFd(file))
            .storeResultsTo(reply.recorded);
      });
      return reply;
    });
  }
  static bool Waits(const std::future<Reply>& reply) {
    return reply.wait_for(milliseconds(0)) != std::future_status::ready;
  }
};

TEST_F(DbusTraceTest, WritesATrace) {
  Player player(*this, kClip);
  const UniqueFd file(memfd_create("trace", MFD_CLOEXEC));
  auto reply = Trace(3, 60000, file.get());
  while (Waits(reply) && player.Step())
    std::this_thread::sleep_for(milliseconds(20));
  const Reply result = reply.get();
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.recorded, 3u);
  std::string text(size_t(lseek(file.get(), 0, SEEK_END)), '\0');
  ASSERT_EQ(pread(file.get(), text.data(), text.size(), 0),
            ssize_t(text.size()));
  EXPECT_NE(text.find("\"traceEvents\""), std::string::npos);
  EXPECT_NE(text.find("entropy"), std::string::npos);
  player.Finish();
}

TEST_F(DbusTraceTest, EndsInTimeWithWhatThereIs) {
  const UniqueFd file(memfd_create("trace", MFD_CLOEXEC));
  const auto start = steady_clock::now();
  const Reply result = Trace(3, 300, file.get()).get();
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.recorded, 0u);
  EXPECT_GE(steady_clock::now() - start, milliseconds(300));
  EXPECT_GT(lseek(file.get(), 0, SEEK_END), 0) << "an empty trace";
}

TEST_F(DbusTraceTest, IsOneAtATime) {
  const UniqueFd file(memfd_create("trace", MFD_CLOEXEC));
  auto first = Trace(3, 60000, file.get());
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_TRUE(
      WaitFor([&] { return Trace(1, 0, file.get()).get().error == kBusy; }));
  Player(*this, kClip).Finish();
  EXPECT_EQ(first.get().error, "");
  EXPECT_EQ(Trace(1, 0, file.get()).get().error, "");
}

// Others' calls fill the time between a reply and whatever comes after it.
TEST_F(DbusTraceTest, IsOverWithItsReply) {
  std::atomic<bool> ending{false};
  std::vector<std::future<void>> others;
  for (int i = 0; i < 4; ++i) {
    others.push_back(std::async(std::launch::async, [&] {
      BusClient client;
      const ProxyPtr daemon = client.Object(kDaemonPath);
      while (!ending)
        daemon->callMethod("GetStatistics").onInterface(kDaemonInterface);
    }));
  }
  const UniqueFd file(memfd_create("trace", MFD_CLOEXEC));
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(Trace(1, 0, file.get()).get().error, "");
  ending = true;
}

TEST_F(DbusTraceTest, SaysWhatItRefuses) {
  const UniqueFd file(memfd_create("trace", MFD_CLOEXEC));
  EXPECT_EQ(Trace(0, 1000, file.get()).get().error, kInvalidArgs);
  EXPECT_EQ(Trace(1001, 1000, file.get()).get().error, kInvalidArgs);
  EXPECT_EQ(Trace(1, 600001, file.get()).get().error, kInvalidArgs);
  const UniqueFd read_only(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(Trace(1, 0, read_only.get()).get().error,
            "org.freedesktop.DBus.Error.Failed");
}

TEST_F(DbusTraceTest, DoesNotHoldUpOthersForAReaderWhoDoesNotRead) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  const std::string full(65536, 'x');
  ASSERT_EQ(write(writer.get(), full.data(), full.size()),
            ssize_t(full.size()));
  auto reply = Trace(1, 0, writer.get());
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_TRUE(Waits(reply));
  EXPECT_EQ(Daemon<std::string>("Version"), PERDIX_VERSION);
  std::string text(65536, '\0');
  EXPECT_GT(read(reader.get(), text.data(), text.size()), 0);
  EXPECT_EQ(reply.get().error, "");
}

// A terminal that nobody reads: its poll() says that it takes something when it
// has room for a byte, and a write() of more waits.
struct Terminal {
  Terminal() {
    master = UniqueFd(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    EXPECT_EQ(grantpt(master.get()), 0);
    EXPECT_EQ(unlockpt(master.get()), 0);
    slave =
        UniqueFd(open(ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    termios raw = {};
    EXPECT_EQ(tcgetattr(slave.get(), &raw), 0);
    cfmakeraw(&raw);
    EXPECT_EQ(tcsetattr(slave.get(), TCSANOW, &raw), 0);
  }
  // Returns how many bytes it took, <most> at most.
  size_t Fill(size_t most) const {
    fcntl(slave.get(), F_SETFL, O_RDWR | O_NONBLOCK);
    size_t filled = 0;
    for (int full = 0; full < 5 && filled < most;) {
      const std::string text(std::min<size_t>(most - filled, 4096), 'x');
      const ssize_t bytes = write(slave.get(), text.data(), text.size());
      if (bytes > 0) filled += size_t(bytes);
      if (bytes > 0) continue;
      std::this_thread::sleep_for(milliseconds(20));
      ++full;
    }
    fcntl(slave.get(), F_SETFL, O_RDWR);
    return filled;
  }

  UniqueFd master;
  UniqueFd slave;
};

// A file of FUSE can do so; here it is a terminal.
TEST_F(DbusTraceTest, IsNotStoppedByAFileThatKeepsWriteWaiting) {
  const size_t room = Terminal().Fill(SIZE_MAX);
  const Terminal terminal;
  ASSERT_EQ(terminal.Fill(room - 3000), room - 3000);
  auto reply = Trace(10, 60000, terminal.slave.get());
  {
    Player player(*this, kClip);
    for (int i = 0; i < 15; ++i) {
      player.Step();
      std::this_thread::sleep_for(milliseconds(20));
    }
  }
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_TRUE(Waits(reply));
  EXPECT_EQ(Daemon<std::string>("Version"), PERDIX_VERSION);
  const auto start = steady_clock::now();
  StopLoop();
  calls_.Close();
  service_.reset();
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_NE(reply.get().error, "");
}

}  // namespace
}  // namespace perdix
