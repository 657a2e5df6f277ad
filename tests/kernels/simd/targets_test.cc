// SPDX-License-Identifier: BSD-2-Clause
// Which targets dispatch chooses from, beside what Highway's own library finds.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace {

TEST(SimdTargets, AreThoseThatHighwaysLibraryFinds) {
  void* const library = dlopen("libhwy.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "no libhwy.so.1: " << dlerror();
  const auto theirs = reinterpret_cast<int64_t (*)()>(
      dlsym(library, "_ZN3hwy16SupportedTargetsEv"));
  ASSERT_NE(theirs, nullptr) << dlerror();
  EXPECT_EQ(hwy::SupportedTargets() & HWY_TARGETS, theirs() & HWY_TARGETS);
}

TEST(SimdTargets, AreThoseOfTheTestWhileItLasts) {
  const int64_t all = hwy::SupportedTargets();
  hwy::SetSupportedTargetsForTest(HWY_STATIC_TARGET);
  EXPECT_EQ(hwy::SupportedTargets(), HWY_STATIC_TARGET);
  EXPECT_FALSE(hwy::GetChosenTarget().IsInitialized());
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_EQ(hwy::SupportedTargets(), all);
}

}  // namespace
