// SPDX-License-Identifier: BSD-2-Clause
// libudev's answers, given by the test: its functions are defined in
// fake_udev.cc, in place of the library's.
#ifndef PERDIX_TESTS_DAEMON_FAKE_UDEV_H_
#define PERDIX_TESTS_DAEMON_FAKE_UDEV_H_

#include <libudev.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

struct udev {};
struct udev_monitor {};
struct udev_enumerate {
  std::string subsystem;
};
struct udev_list_entry {
  std::string path;
};
struct udev_device {
  const char* node;
  const char* action;
};

namespace perdix {

// The one that answers, from its making to its end.
class FakeUdev {
 public:
  FakeUdev() { current = this; }
  ~FakeUdev() {
    current = nullptr;
    close(wake);
  }
  FakeUdev(const FakeUdev&) = delete;
  FakeUdev& operator=(const FakeUdev&) = delete;

  static FakeUdev* current;

  // What happens to a node; each may be null, like libudev's.
  void Send(const char* action, const char* node) {
    events.push_back({node, action});
    eventfd_write(wake, 1);
  }

  bool has_context = true;
  bool has_monitor = true;
  int receiving = 0;                  // or an error
  std::vector<std::string> followed;  // subsystems
  std::deque<udev_device> events;
  const int wake = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
  // By class: the device whose attribute says that it is ours.
  std::map<std::string, udev_list_entry> found;
  std::map<std::string, udev_device> devices;  // by path
  udev context;
  udev_monitor monitor;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_DAEMON_FAKE_UDEV_H_
