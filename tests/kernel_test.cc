// SPDX-License-Identifier: BSD-2-Clause
#include "tests/kernel_test.h"

#include <hwy/targets.h>

namespace perdix {
namespace {

constexpr uint8_t kReferenceGuard = 0x11;
constexpr uint8_t kVariantGuard = 0xee;

void Run(const KernelVariant& variant, KernelInput& input, bool split) {
  const KernelFunction function = variant.function();
  const KernelArgs args = input.Args();
  hwy::SetSupportedTargetsForTest(variant.target);
  const uint32_t count = ItemCount(args, variant.id);
  if (!split) return function(args, {0, count});
  // The last item first, where the table says that their order does not matter.
  const bool backwards = RowOf(variant.id).order == ItemOrder::kAny;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t item = backwards ? count - 1 - i : i;
    function(args, {item, item + 1});
  }
}

void SetGuards(KernelInput& input, uint8_t guard) {
  input.target.SetGuard(guard);
  for (GuardedPicture& reference : input.references) reference.SetGuard(guard);
}

// After a run on a copy of before.
void ExpectOnlyTargetChanged(const KernelInput& before,
                             const KernelInput& after) {
  EXPECT_TRUE(after.target.GuardsIntact()) << "written outside the target";
  for (int i = 0; i < PERDIX_MAX_REFERENCES; ++i) {
    EXPECT_TRUE(after.references[i].GuardsIntact()) << "reference " << i;
    GuardedPicture::ExpectEqual(before.references[i], after.references[i]);
  }
}

}  // namespace

// ---- KernelVariant ----

KernelFunction KernelVariant::function() const {
  return KernelTable()[static_cast<size_t>(id)]
      .cpu[static_cast<size_t>(variant)][bit_depth > 8 ? 1 : 0];
}

std::vector<KernelVariant> VariantsOf(KernelId id) {
  std::vector<KernelVariant> variants;
  for (const uint32_t bit_depth : {8u, 10u, 12u}) {
    variants.push_back({id, Variant::kScalar, bit_depth});
    const KernelVariant simd = {id, Variant::kSimd, bit_depth};
    if (simd.function() == nullptr) continue;
    for (int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0;
         targets &= targets - 1) {
      variants.push_back(simd);
      variants.back().target = targets & -targets;
    }
  }
  return variants;
}

std::string VariantName(const ::testing::TestParamInfo<KernelVariant>& info) {
  const KernelVariant& variant = info.param;
  const bool simd = variant.variant == Variant::kSimd;
  return (simd ? hwy::TargetName(variant.target) : std::string("Scalar")) +
         "_" + std::to_string(variant.bit_depth) + "Bit";
}

// ---- KernelTest ----

void KernelTest::Run(KernelInput& input) const {
  perdix::Run(GetParam(), input, false);
}

void KernelTest::ExpectSameAsReference(const KernelInput& input,
                                       bool split) const {
  KernelVariant scalar = GetParam();
  scalar.variant = Variant::kScalar;
  KernelInput expected = input;
  SetGuards(expected, kReferenceGuard);
  perdix::Run(scalar, expected, false);
  ExpectOnlyTargetChanged(input, expected);

  KernelInput actual = input;
  SetGuards(actual, kVariantGuard);
  perdix::Run(GetParam(), actual, split);
  ExpectOnlyTargetChanged(input, actual);
  GuardedPicture::ExpectEqual(expected.target, actual.target);
}

}  // namespace perdix
