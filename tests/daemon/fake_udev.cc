// SPDX-License-Identifier: BSD-2-Clause
#include "tests/daemon/fake_udev.h"

#include <gtest/gtest.h>

namespace perdix {

FakeUdev* FakeUdev::current = nullptr;

namespace {

FakeUdev& Fake() { return *FakeUdev::current; }

}  // namespace
}  // namespace perdix

using perdix::Fake;

extern "C" {

struct udev* udev_new() {
  return Fake().has_context ? &Fake().context : nullptr;
}
struct udev* udev_unref(struct udev*) {
  return nullptr;
}

udev_monitor* udev_monitor_new_from_netlink(struct udev*, const char*) {
  return Fake().has_monitor ? &Fake().monitor : nullptr;
}
udev_monitor* udev_monitor_unref(udev_monitor*) { return nullptr; }
int udev_monitor_filter_add_match_subsystem_devtype(udev_monitor*,
                                                    const char* subsystem,
                                                    const char*) {
  Fake().followed.emplace_back(subsystem);
  return 0;
}
int udev_monitor_enable_receiving(udev_monitor*) { return Fake().receiving; }
int udev_monitor_get_fd(udev_monitor*) { return Fake().wake; }
udev_device* udev_monitor_receive_device(udev_monitor*) {
  eventfd_t one;
  if (eventfd_read(Fake().wake, &one) != 0) return nullptr;
  auto* const device = new udev_device(Fake().events.front());
  Fake().events.pop_front();
  return device;
}

const char* udev_device_get_devnode(udev_device* device) {
  return device->node;
}
const char* udev_device_get_action(udev_device* device) {
  return device->action;
}
udev_device* udev_device_unref(udev_device* device) {
  delete device;
  return nullptr;
}
udev_device* udev_device_new_from_syspath(struct udev*, const char* path) {
  const auto device = Fake().devices.find(path);
  return device == Fake().devices.end() ? nullptr
                                        : new udev_device(device->second);
}

udev_enumerate* udev_enumerate_new(struct udev*) { return new udev_enumerate; }
udev_enumerate* udev_enumerate_unref(udev_enumerate* all) {
  delete all;
  return nullptr;
}
int udev_enumerate_add_match_subsystem(udev_enumerate* all,
                                       const char* subsystem) {
  all->subsystem = subsystem;
  return 0;
}
int udev_enumerate_add_match_sysattr(udev_enumerate*, const char*,
                                     const char* value) {
  EXPECT_STREQ(value, "perdix");
  return 0;
}
int udev_enumerate_scan_devices(udev_enumerate*) { return 0; }
udev_list_entry* udev_enumerate_get_list_entry(udev_enumerate* all) {
  const auto entry = Fake().found.find(all->subsystem);
  return entry == Fake().found.end() ? nullptr : &entry->second;
}
const char* udev_list_entry_get_name(udev_list_entry* entry) {
  return entry->path.c_str();
}
}
