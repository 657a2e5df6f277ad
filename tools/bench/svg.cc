// SPDX-License-Identifier: BSD-2-Clause
// The report as a picture: horizontal bars, for each clip one group with the
// kernels' times and one with the recipes' frames per second.
#include <algorithm>
#include <cstdio>

#include "kernels/text.h"
#include "tools/bench/report.h"

namespace perdix::bench {
namespace {

constexpr int kWidth = 900;  // pixels, as everything here
constexpr int kMargin = 20;
constexpr int kLabelWidth = 320;
constexpr int kValueWidth = 90;
constexpr int kBarHeight = 16;
constexpr int kStep = 22;  // from bar to bar
constexpr int kTitleStep = 34;

constexpr const char* kColours[kVariantCount] = {"#8a8f98", "#3b7dd8",
                                                 "#d97a2b"};
constexpr const char* kRecipeColour = "#4a9d6e";

struct Bar {
  std::string label;
  double value = 0;
  std::string text;  // of the value, or why there is none
  const char* colour = kRecipeColour;
};

std::string Number(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f %s", value < 10 ? 2 : 1, value, unit);
  return text;
}

class Drawing {
 public:
  void Title(const std::string& text, int size) {
    y_ += kTitleStep;
    Text(kMargin, y_, text,
         "font-size=\"" + std::to_string(size) + "\" font-weight=\"bold\"");
    y_ += kStep / 2;
  }

  void Bars(const std::vector<Bar>& bars) {
    double longest = 0;
    for (const Bar& bar : bars) longest = std::max(longest, bar.value);
    constexpr int kRoom = kWidth - 2 * kMargin - kLabelWidth - kValueWidth;
    for (const Bar& bar : bars) {
      const int length =
          longest > 0 ? int(bar.value / longest * kRoom + 0.5) : 0;
      const int x = kMargin + kLabelWidth;
      const int baseline = y_ + kBarHeight - 4;
      Text(x - 8, baseline, bar.label, "text-anchor=\"end\"");
      body_ += "<rect x=\"" + std::to_string(x) + "\" y=\"" +
               std::to_string(y_) + "\" width=\"" + std::to_string(length) +
               "\" height=\"" + std::to_string(kBarHeight) + "\" fill=\"" +
               bar.colour + "\"/>\n";
      Text(x + length + 6, baseline, bar.text, "fill=\"#444\"");
      y_ += kStep;
    }
  }

  std::string Finish() const {
    const std::string size = "width=\"" + std::to_string(kWidth) +
                             "\" height=\"" + std::to_string(y_ + kMargin) +
                             "\"";
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
           " font-family=\"sans-serif\" font-size=\"12\">\n"
           "<rect " +
           size + " fill=\"white\"/>\n" + body_ + "</svg>\n";
  }

 private:
  void Text(int x, int y, const std::string& text,
            const std::string& attributes) {
    body_ += "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
             "\" " + attributes + ">" + EscapeXml(text) + "</text>\n";
  }

  std::string body_;
  int y_ = 0;
};

std::vector<Bar> KernelBars(const ClipReport& clip) {
  std::vector<Bar> bars;
  for (const KernelReport& row : clip.kernels) {
    const double milliseconds = double(row.nanoseconds) / 1e6;
    bars.push_back(
        {std::string(KernelTable()[size_t(row.kernel)].key) + ", " +
             VariantName(row.variant) +
             (row.shared_memory ? ", shared memory" : ""),
         milliseconds,
         row.exact() ? Number(milliseconds, "ms") : GateName(row.gate),
         kColours[size_t(row.variant)]});
  }
  return bars;
}

std::vector<Bar> RecipeBars(const ClipReport& clip) {
  std::vector<Bar> bars;
  for (const RecipeReport& row : clip.recipes) {
    bars.push_back({row.label, row.fps,
                    row.exact ? Number(row.fps, "fps") : row.reason,
                    kRecipeColour});
  }
  return bars;
}

}  // namespace

std::string ToSvg(const Report& report) {
  Drawing drawing;
  drawing.Title(
      report.machine.cpu + ", " + std::to_string(report.threads) +
          " threads; " +
          (report.machine.gpu.empty() ? "no GPU" : report.machine.gpu),
      16);
  for (const ClipReport& clip : report.clips) {
    const std::string name = clip.file.substr(clip.file.rfind('/') + 1);
    drawing.Title(name + ": time of each kernel alone, a frame", 13);
    drawing.Bars(KernelBars(clip));
    if (clip.recipes.empty()) continue;
    drawing.Title(name + ": whole frames, frames per second", 13);
    drawing.Bars(RecipeBars(clip));
  }
  return drawing.Finish();
}

}  // namespace perdix::bench
