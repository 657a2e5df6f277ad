// SPDX-License-Identifier: BSD-2-Clause
// Read by LeakSanitizer where it is linked: lavapipe and the validation layer
// keep some of their memory. They are kept loaded, or their names are not known
// when leaks are looked for.
#include <dlfcn.h>

namespace {

constexpr const char* kLeaking[] = {"libvulkan_lvp.so",
                                    "libVkLayer_khronos_validation.so"};
[[maybe_unused]] const bool kKept = [] {
  for (const char* library : kLeaking) {
    dlopen(library, RTLD_LAZY | RTLD_NODELETE);
  }
  return true;
}();

}  // namespace

extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libvulkan_lvp.so\nleak:libVkLayer_khronos_validation.so\n";
}
