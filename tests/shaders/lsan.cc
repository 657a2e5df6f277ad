// SPDX-License-Identifier: BSD-2-Clause
// Read by LeakSanitizer where it is linked: lavapipe keeps some of its memory.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libvulkan_lvp.so\n";
}
