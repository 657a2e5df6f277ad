// SPDX-License-Identifier: BSD-2-Clause
// The report for people.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "tools/bench/report.h"

namespace perdix::bench {
namespace {

constexpr double kNanosecondsPerMicrosecond = 1e3;

template <typename... Values>
void Print(std::string* text, const char* format, Values... values) {
  char line[512];
  std::snprintf(line, sizeof(line), format, values...);
  *text += line;
}

double Microseconds(uint64_t nanoseconds) {
  return double(nanoseconds) / kNanosecondsPerMicrosecond;
}

const char* Key(KernelId kernel) { return KernelTable()[size_t(kernel)].key; }

std::string VariantText(const KernelReport& row) {
  return std::string(VariantName(row.variant)) +
         (row.shared_memory ? ", shared" : "");
}

void PrintKernels(const ClipReport& clip, std::string* text) {
  Print(text, "\n  %-22s %-15s %-14s %12s %8s %12s %8s\n", "kernel", "variant",
        "M1", "M2/M3 us", "spread", "wall us", "R");
  for (const KernelReport& row : clip.kernels) {
    Print(text, "  %-22s %-15s %-14s", Key(row.kernel),
          VariantText(row).c_str(), GateName(row.gate));
    if (row.exact()) {
      Print(text, " %12.1f %8.1f %12.1f", Microseconds(row.nanoseconds),
            Microseconds(row.spread), Microseconds(row.wall));
    }
    if (const auto ratio = Ratio(clip, row)) Print(text, " %8.2f", *ratio);
    if (!row.reason.empty()) Print(text, " %s", row.reason.c_str());
    *text += "\n";
  }
}

void PrintOverlaps(const ClipReport& clip, std::string* text) {
  if (clip.overlaps.empty()) return;
  Print(text, "\n  %-22s %-22s %7s %10s %10s %6s %10s %10s %6s\n",
        "M4: stages/s, on CPU", "on GPU", "threads", "CPU alone", "beside", "",
        "GPU alone", "beside", "");
  const auto percent = [](double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
  };
  for (const OverlapReport& row : clip.overlaps) {
    Print(text,
          "  %-22s %-22s %7d %10.0f %10.0f %5.0f%% %10.0f %10.0f %5.0f%%\n",
          Key(row.kernel), Key(row.gpu_kernel), row.threads, row.cpu_alone,
          row.cpu_beside, percent(row.cpu_beside, row.cpu_alone), row.gpu_alone,
          row.gpu_beside, percent(row.gpu_beside, row.gpu_alone));
  }
}

// Those of the clip's codec, each once.
std::vector<KernelId> KernelsOf(const ClipReport& clip) {
  std::vector<KernelId> kernels;
  for (const KernelReport& row : clip.kernels) {
    if (std::ranges::find(kernels, row.kernel) == kernels.end())
      kernels.push_back(row.kernel);
  }
  return kernels;
}

std::string Join(const std::vector<KernelId>& kernels, const char* separator,
                 const std::function<const char*(KernelId)>& word) {
  std::string text;
  for (const KernelId kernel : kernels) {
    if (!text.empty()) text += separator;
    text += word(kernel);
  }
  return text;
}

void PrintRecipes(const ClipReport& clip, std::string* text) {
  if (clip.recipes.empty()) return;
  const std::vector<KernelId> kernels = KernelsOf(clip);
  Print(text, "\n  %-28s %10s %8s %13s  %s\n", "whole frames", "fps", "spread",
        "CPU ms/frame", Join(kernels, ", ", Key).c_str());
  for (const RecipeReport& row : clip.recipes) {
    Print(text, "  %-28s", row.label.c_str());
    if (row.exact) {
      Print(text, " %10.1f %8.1f %13.2f", row.fps, row.fps_spread,
            row.cpu_seconds * 1e3);
    } else {
      Print(text, " not timed: %s", row.reason.c_str());
    }
    const auto variant = [&row](KernelId kernel) {
      return VariantName(row.recipe.variant(kernel));
    };
    Print(text, "  %s\n", Join(kernels, ",", variant).c_str());
  }
}

}  // namespace

std::string ToTable(const Report& report) {
  std::string text;
  Print(&text, "CPU  %s, %d threads\n", report.machine.cpu.c_str(),
        report.threads);
  if (report.machine.gpu.empty()) {
    text += "GPU  none\n";
  } else {
    Print(&text, "GPU  %s, %s\n", report.machine.gpu.c_str(),
          report.machine.driver.c_str());
  }
  if (report.overheads) {
    Print(&text,
          "M5   empty submit %.1f us, dispatch %.2f us, barrier %.2f us\n",
          Microseconds(report.overheads->empty_submit),
          Microseconds(report.overheads->dispatch),
          Microseconds(report.overheads->barrier));
  }
  for (const ClipReport& clip : report.clips) {
    Print(&text, "\n%s, %ux%u, %zu frames captured\n", clip.file.c_str(),
          clip.width, clip.height, clip.frames.size());
    PrintKernels(clip, &text);
    PrintOverlaps(clip, &text);
    PrintRecipes(clip, &text);
  }
  if (!report.calibrated.empty()) {
    text +=
        (report.machine.aim == GpuAim::kCpu ? "\nrecipe that frees the CPU: "
                                            : "\nfastest recipe: ") +
        report.calibrated + "\n";
  }
  return text;
}

}  // namespace perdix::bench
