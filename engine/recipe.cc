// SPDX-License-Identifier: BSD-2-Clause
#include "engine/recipe.h"

#include <algorithm>
#include <utility>

namespace perdix {
namespace {

constexpr const char* kVariantNames[kVariantCount] = {"scalar", "simd",
                                                      "vulkan"};

bool Available(const KernelRow& row, Variant variant) {
  return variant == Variant::kVulkan ? row.HasShader()
                                     : row.cpu[size_t(variant)][0] != nullptr;
}

int FindVariant(std::string_view name) {
  for (int i = 0; i < kVariantCount; ++i) {
    if (name == kVariantNames[i]) return i;
  }
  return -1;
}

int FindKernel(std::string_view key) {
  const auto table = KernelTable();
  for (size_t i = 0; i < table.size(); ++i) {
    if (key == table[i].key) return int(i);
  }
  return -1;
}

Status Unknown(const char* what, std::string_view got, const char* allowed) {
  return {StatusCode::kInvalidArgument, std::string("recipe: unknown ") + what +
                                            " '" + std::string(got) +
                                            "', allowed: " + allowed};
}

std::string KernelKeys() {
  std::string keys;
  for (const KernelRow& row : KernelTable()) {
    keys += (keys.empty() ? "" : ", ") + std::string(row.key);
  }
  return keys;
}

}  // namespace

const char* VariantName(Variant variant) {
  return kVariantNames[size_t(variant)];
}

Recipe::Recipe() : variants_(KernelTable().size(), Variant::kScalar) {}

Status Recipe::Parse(std::string_view text, Recipe* recipe) {
  Recipe result;
  const auto table = KernelTable();
  // "auto": the best that exists, until a measurement is stored (perdix-bench)
  for (size_t i = 0; i < table.size(); ++i) {
    if (Available(table[i], Variant::kSimd)) {
      result.variants_[i] = Variant::kSimd;
    }
  }
  while (!text.empty() && text != "auto") {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    text = comma == text.npos ? "" : text.substr(comma + 1);
    const size_t equals = item.find('=');
    const int variant =
        FindVariant(equals == item.npos ? item : item.substr(equals + 1));
    if (variant < 0) {
      return Unknown("variant", item, "scalar, simd, vulkan, auto");
    }
    const std::string_view key = item.substr(0, equals);
    const int kernel = equals == item.npos ? -1 : FindKernel(key);
    if (equals != item.npos && kernel < 0) {
      return Unknown("kernel", key, KernelKeys().c_str());
    }
    if (kernel >= 0 && !Available(table[size_t(kernel)], Variant(variant))) {
      return {StatusCode::kUnsupported,
              std::string("recipe: this build has no ") +
                  kVariantNames[variant] + " variant of " + std::string(key)};
    }
    for (size_t i = 0; i < table.size(); ++i) {
      if (kernel >= 0 && size_t(kernel) != i) continue;
      if (!Available(table[i], Variant(variant))) continue;
      result.variants_[i] = Variant(variant);
    }
  }
  *recipe = std::move(result);
  return Status::Ok();
}

bool Recipe::Uses(Variant variant) const {
  return std::ranges::find(variants_, variant) != variants_.end();
}

void Recipe::LeaveGpu(KernelId kernel) {
  Variant& variant = variants_[size_t(kernel)];
  if (variant == Variant::kVulkan) variant = CpuVariant(kernel, 8);
}

Variant Recipe::CpuVariant(KernelId kernel, uint32_t bit_depth) const {
  const Variant wanted = variants_[size_t(kernel)];
  if (wanted == Variant::kScalar) return wanted;
  const KernelRow& row = KernelTable()[size_t(kernel)];
  return row.cpu[size_t(Variant::kSimd)][bit_depth > 8] != nullptr
             ? Variant::kSimd
             : Variant::kScalar;
}

KernelFunction Recipe::function(KernelId kernel, uint32_t bit_depth) const {
  const Variant variant = CpuVariant(kernel, bit_depth);
  return KernelTable()[size_t(kernel)].cpu[size_t(variant)][bit_depth > 8];
}

std::string Recipe::ToString() const {
  std::string text;
  for (size_t i = 0; i < variants_.size(); ++i) {
    if (i) text += ",";
    text.append(KernelTable()[i].key).append("=");
    text += VariantName(variants_[i]);
  }
  return text;
}

}  // namespace perdix
