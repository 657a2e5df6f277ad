// SPDX-License-Identifier: BSD-2-Clause
#include "engine/recipe.h"

#include <gtest/gtest.h>

namespace perdix {
namespace {

bool Has(const KernelRow& row, Variant variant) {
  return variant == Variant::kVulkan ? row.HasShader()
                                     : row.cpu[size_t(variant)][0] != nullptr;
}

TEST(RecipeTest, AVariantAloneIsForTheKernelsThatHaveIt) {
  Recipe automatic;
  ASSERT_TRUE(Recipe::Parse("auto", &automatic).ok());
  for (const Variant variant :
       {Variant::kScalar, Variant::kSimd, Variant::kVulkan}) {
    Recipe recipe;
    const Status status = Recipe::Parse(VariantName(variant), &recipe);
    ASSERT_TRUE(status.ok()) << status.message();
    for (size_t i = 0; i < KernelTable().size(); ++i) {
      const KernelRow& row = KernelTable()[i];
      EXPECT_EQ(recipe.variant(KernelId(i)),
                Has(row, variant) ? variant : automatic.variant(KernelId(i)))
          << row.key;
    }
  }
}

TEST(RecipeTest, AKernelsVariantThatThereIsNotIsRefused) {
  for (const KernelRow& row : KernelTable()) {
    for (const Variant variant : {Variant::kSimd, Variant::kVulkan}) {
      Recipe recipe;
      const std::string text =
          std::string(row.key) + "=" + VariantName(variant);
      EXPECT_EQ(Recipe::Parse(text, &recipe).ok(), Has(row, variant)) << text;
    }
  }
}

}  // namespace
}  // namespace perdix
