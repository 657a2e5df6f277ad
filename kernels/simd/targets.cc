// SPDX-License-Identifier: BSD-2-Clause
// The part of Highway's library that dispatch calls: which of the targets that
// kernels are compiled for the processor has. Loading the library itself
// measures a timer, which takes 4 to 7 ms of every program's start.
#include <hwy/targets.h>

#include <atomic>
#include <cstdint>

#if HWY_ARCH_X86
#ifdef __clang__  // does not know in C++ what glibc's header calls bool
#define _Bool bool
#endif
#include <sys/platform/x86.h>
#undef _Bool
#endif

namespace hwy {
namespace {

std::atomic<int64_t> targets_for_test = 0;
ChosenTarget chosen_target;  // what dispatch tables are asked by

// The groups of instructions that Highway's targets stand for, each with those
// before it.
int64_t TargetsOfProcessor() {
  int64_t targets = HWY_ENABLED_BASELINE;
#if HWY_ARCH_X86
  if (!CPU_FEATURE_ACTIVE(SSSE3) || !CPU_FEATURE_ACTIVE(SSE4_1) ||
      !CPU_FEATURE_ACTIVE(SSE4_2) || !CPU_FEATURE_ACTIVE(PCLMULQDQ) ||
      !CPU_FEATURE_ACTIVE(AES)) {
    return targets;
  }
  targets |= HWY_SSE4;
  if (!CPU_FEATURE_ACTIVE(AVX2) || !CPU_FEATURE_ACTIVE(LZCNT) ||
      !CPU_FEATURE_ACTIVE(BMI1) || !CPU_FEATURE_ACTIVE(BMI2) ||
      !CPU_FEATURE_ACTIVE(FMA) || !CPU_FEATURE_ACTIVE(F16C)) {
    return targets;
  }
  targets |= HWY_AVX2;
  if (!CPU_FEATURE_ACTIVE(AVX512F) || !CPU_FEATURE_ACTIVE(AVX512VL) ||
      !CPU_FEATURE_ACTIVE(AVX512DQ) || !CPU_FEATURE_ACTIVE(AVX512BW) ||
      !CPU_FEATURE_ACTIVE(AVX512CD)) {
    return targets;
  }
  targets |= HWY_AVX3;
  if (!CPU_FEATURE_ACTIVE(AVX512_VBMI) || !CPU_FEATURE_ACTIVE(AVX512_VBMI2) ||
      !CPU_FEATURE_ACTIVE(AVX512_VNNI) || !CPU_FEATURE_ACTIVE(AVX512_BITALG) ||
      !CPU_FEATURE_ACTIVE(AVX512_VPOPCNTDQ) || !CPU_FEATURE_ACTIVE(VAES) ||
      !CPU_FEATURE_ACTIVE(VPCLMULQDQ) || !CPU_FEATURE_ACTIVE(GFNI)) {
    return targets;
  }
  // Not AVX_VNNI, which Debian 12's Highway lets the compiler take
  // nevertheless: tests/kernels/check-encodings sees that it does not.
  targets |= HWY_AVX3_DL;
#endif
  return targets;
}

}  // namespace

int64_t SupportedTargets() {
  static const int64_t of_processor = TargetsOfProcessor();
  const int64_t for_test = targets_for_test;
  return for_test != 0 ? for_test : of_processor;
}

ChosenTarget& GetChosenTarget() { return chosen_target; }

void SetSupportedTargetsForTest(int64_t targets) {
  targets_for_test = targets;
  chosen_target.DeInit();
}

}  // namespace hwy
