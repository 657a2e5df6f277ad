// SPDX-License-Identifier: BSD-2-Clause
// The daemon's event loop: follows the module when it goes and comes back,
// tells of GPUs that come and go, and ends with an exit code that says why. The
// kernel and udev are played by the test: OpenKernelChannel is defined here, in
// place of the daemon's.
#include "daemon/service.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sysexits.h>
#include <systemd/sd-event.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/daemon/fake_channel.h"
#include "tests/daemon/fake_udev.h"

namespace perdix {
namespace {

// What the next OpenKernelChannel returns, and gives if that is 0.
int open_error = -ENOENT;
std::shared_ptr<FakeChannel> open_channel;

}  // namespace

int OpenKernelChannel(const std::string& path,
                      std::shared_ptr<KernelChannel>* channel,
                      std::string* reason) {
  *reason = path + ": the test says so";
  if (open_error == 0) *channel = open_channel;
  return open_error;
}

namespace {

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() {
    open_error = -ENOENT;
    open_channel = nullptr;
  }
  ~ServiceTest() override { open_channel = nullptr; }

  // Blocks signals, as perdixd does; the end of a Service undoes it.
  std::unique_ptr<Service> NewService() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    return std::make_unique<Service>(config_, engine_, log_, statistics_);
  }

  // The errno with which a Service begins; 0: it does.
  int ErrorOfNewService() {
    try {
      NewService();
      return 0;
    } catch (const std::system_error& error) {
      return error.code().value();
    }
  }

  static void RunAll(Service& service) {
    while (sd_event_run(service.loop(), 0) > 0) continue;
  }
  void Event(Service& service, const char* action, const char* node) {
    udev_.Send(action, node);
    RunAll(service);
  }

  // The module is there from now on.
  std::shared_ptr<FakeChannel> LoadModule() {
    open_error = 0;
    open_channel = std::make_shared<FakeChannel>();
    open_channel->set_poll_fd(kernel_.get());
    return open_channel;
  }
  // The channel becomes readable.
  void TellOfKernel(Service& service) const {
    eventfd_write(kernel_.get(), 1);
    sd_event_run(service.loop(), 0);
    eventfd_t ignored;
    eventfd_read(kernel_.get(), &ignored);
  }

  FakeUdev udev_;
  Log log_{LogSink::kStderr, LOG_EMERG};
  Config config_;
  Statistics statistics_;
  Engine engine_{EngineOptions{.threads = 1, .recipe = {}}};
  const UniqueFd kernel_{eventfd(0, EFD_NONBLOCK)};
};

TEST_F(ServiceTest, TellsOfRenderNodesThatComeAndGo) {
  const auto service = NewService();
  EXPECT_EQ(udev_.followed, (std::vector<std::string>{"misc", "drm"}));
  std::vector<std::string> told;
  service->set_gpu_node_changed([&](const std::string& path, bool added) {
    told.push_back((added ? "+" : "-") + path);
  });
  Event(*service, "add", "/dev/dri/renderD129");
  Event(*service, "remove", "/dev/dri/renderD129");
  EXPECT_EQ(told, (std::vector<std::string>{"+/dev/dri/renderD129",
                                            "-/dev/dri/renderD129"}));
}

TEST_F(ServiceTest, TellsOfNothingElse) {
  const auto service = NewService();
  int told = 0;
  service->set_gpu_node_changed([&](const std::string&, bool) { ++told; });
  Event(*service, "change", "/dev/dri/renderD129");
  Event(*service, "add", "/dev/dri/card1");  // shows, does not render
  Event(*service, "add", "/dev/perdix");
  Event(*service, "add", nullptr);  // a device without a node
  Event(*service, nullptr, "/dev/dri/renderD129");
  EXPECT_EQ(told, 0);
}

TEST_F(ServiceTest, NobodyNeedsToListen) {
  const auto service = NewService();
  Event(*service, "add", "/dev/dri/renderD129");
  EXPECT_TRUE(udev_.events.empty());
}

TEST_F(ServiceTest, TakesAllEventsOfOneWakeUp) {
  const auto service = NewService();
  int told = 0;
  service->set_gpu_node_changed([&](const std::string&, bool) { ++told; });
  udev_.events = {{"/dev/dri/renderD128", "add"},
                  {"/dev/dri/renderD129", "add"}};
  eventfd_write(udev_.wake, 2);
  sd_event_run(service->loop(), 0);
  EXPECT_EQ(told, 2);
}

TEST_F(ServiceTest, DoesNotStartWithoutUdev) {
  udev_.receiving = -EPERM;
  EXPECT_EQ(ErrorOfNewService(), EPERM);
  udev_.has_monitor = false;
  EXPECT_EQ(ErrorOfNewService(), ENOMEM);
  udev_.has_context = false;
  EXPECT_EQ(ErrorOfNewService(), ENOMEM);
}

TEST_F(ServiceTest, ServesTheModuleAsSoonAsItIsThere) {
  const auto service = NewService();
  int changes = 0;
  service->set_changed([&] { ++changes; });
  Event(*service, "add", "/dev/null");
  EXPECT_EQ(service->node(), nullptr);
  EXPECT_EQ(changes, 1) << "it waits for the module";
  LoadModule();
  Event(*service, "add", "/dev/perdix");
  EXPECT_NE(service->node(), nullptr);
  EXPECT_EQ(changes, 2);
}

TEST_F(ServiceTest, FollowsTheModuleWhenItGoesAndComesBack) {
  const auto service = NewService();
  const auto gone = LoadModule();
  Event(*service, "add", "/dev/perdix");
  ASSERT_NE(service->node(), nullptr);
  gone->set_idle_error(-ENODEV);
  TellOfKernel(*service);
  EXPECT_EQ(service->node(), nullptr);
  LoadModule();
  Event(*service, "add", "/dev/perdix");
  EXPECT_NE(service->node(), nullptr);
}

TEST_F(ServiceTest, AnyEventOfUdevMakesItLookAtTheChannel) {
  const auto service = NewService();
  const auto gone = LoadModule();
  Event(*service, "add", "/dev/perdix");
  gone->set_idle_error(-ENODEV);
  Event(*service, "remove", "/dev/video0");
  EXPECT_EQ(service->node(), nullptr);
}

TEST_F(ServiceTest, TakesTheKernelsEvents) {
  const auto service = NewService();
  const auto channel = LoadModule();
  Event(*service, "add", "/dev/perdix");
  ChannelEvent event;
  event.event.type = PERDIX_EVENT_BUFFER_GONE;
  channel->Send(std::move(event));
  TellOfKernel(*service);
  EXPECT_TRUE(channel->empty());
  EXPECT_NE(service->node(), nullptr);
}

TEST_F(ServiceTest, DoesCallsFromOtherThreads) {
  const auto service = NewService();
  LoadModule();
  Event(*service, "add", "/dev/perdix");
  int calls = 0;
  service->calls().Post([&] { ++calls; });
  RunAll(*service);
  EXPECT_EQ(calls, 1);
}

TEST_F(ServiceTest, EndsOnASignal) {
  const auto service = NewService();
  LoadModule();
  raise(SIGTERM);
  EXPECT_EQ(service->Run(), EX_OK);
  EXPECT_EQ(service->node(), nullptr);
  EXPECT_TRUE(service->calls().closed());
}

TEST_F(ServiceTest, EndsWhereTheChannelCannotBeOpened) {
  for (const auto& [error, exit_code] :
       {std::pair(-EBUSY, EX_TEMPFAIL), std::pair(-EPROTO, EX_PROTOCOL),
        std::pair(-EACCES, EX_NOPERM), std::pair(-EPERM, EX_NOPERM),
        std::pair(-EIO, EX_IOERR)}) {
    open_error = error;
    EXPECT_EQ(NewService()->Run(), exit_code) << error;
  }
}

TEST_F(ServiceTest, EndsWhereTheChannelFailsAndTheModuleHasNotGone) {
  const auto service = NewService();
  LoadModule()->set_idle_error(-EIO);
  eventfd_write(kernel_.get(), 1);
  EXPECT_EQ(service->Run(), EX_IOERR);
}

TEST_F(ServiceTest, EndsWhereTheChannelCannotBeWaitedFor) {
  const auto service = NewService();
  LoadModule()->set_poll_fd(-1);
  EXPECT_EQ(service->Run(), EX_OSERR);
}

}  // namespace
}  // namespace perdix
