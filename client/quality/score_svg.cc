// SPDX-License-Identifier: BSD-2-Clause
#include "client/quality/score_svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "kernels/text.h"

namespace perdix::client {
namespace {

// Pixels, as all that follows.
constexpr double kWidth = 960, kHeight = 340;
constexpr double kLeft = 56, kRight = 872, kTop = 72, kBottom = 296;

constexpr const char* kCurve = "#3b7dd8";
constexpr const char* kMean = "#4a9d6e";
constexpr const char* kWorst = "#d97a2b";
constexpr const char* kGrid = "#e4e7eb";
constexpr const char* kText = "#444";

// Without zeroes at the end.
std::string Number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  std::string number = text;
  if (digits == 0) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

// Places are told to a tenth of a pixel.
std::string At(const char* name, double value) {
  return std::string(" ") + name + "=\"" + Number(value, 1) + "\"";
}

// A step of 1, 2 or 5 times a power of ten, of which at most <most> are in the
// span.
double StepOf(double span, int most) {
  const double least = span / most;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

struct Axis {
  double first = 0, last = 1;  // values
  double step = 1;             // from one line of the grid to the next
  double from = 0, to = 1;     // where they are

  double Place(double value) const {
    return from + (value - first) / (last - first) * (to - from);
  }
};

Axis FrameAxis(size_t frames) {
  Axis axis{0, double(std::max<size_t>(frames, 2) - 1), 1, kLeft, kRight};
  axis.step = std::max(1.0, StepOf(axis.last, 10));
  return axis;
}

// VMAF is always drawn from 0 to 100, so that pictures can be compared; other
// scores over their range.
Axis ScoreAxis(const std::string& name, const PooledScore& pooled) {
  Axis axis{0, 100, 20, kBottom, kTop};
  if (name == "vmaf") return axis;
  axis.step = StepOf(std::max(pooled.max - pooled.min, 1e-3), 4);
  axis.first = std::floor(pooled.min / axis.step) * axis.step;
  axis.last = std::ceil(pooled.max / axis.step) * axis.step;
  if (axis.last <= axis.first) axis.last = axis.first + axis.step;
  return axis;
}

class Drawing {
 public:
  void Text(double x, double y, const std::string& text,
            const std::string& attributes) {
    body_ += "<text" + At("x", x) + At("y", y) + attributes + ">" +
             EscapeXml(text) + "</text>\n";
  }
  void Line(double x1, double y1, double x2, double y2,
            const std::string& attributes) {
    body_ += "<line" + At("x1", x1) + At("y1", y1) + At("x2", x2) +
             At("y2", y2) + attributes + "/>\n";
  }
  void Add(const std::string& element) { body_ += element + "\n"; }

  std::string Finish() const {
    const std::string size = At("width", kWidth) + At("height", kHeight);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + size +
           " font-family=\"sans-serif\" font-size=\"12\">\n<rect" + size +
           " fill=\"white\"/>\n" + body_ + "</svg>\n";
  }

 private:
  std::string body_;
};

std::string Fill(const char* colour) {
  return std::string(" fill=\"") + colour + "\"";
}

std::string Stroke(const char* colour) {
  return std::string(" stroke=\"") + colour + "\"";
}

void DrawGrid(const Axis& frames, const Axis& scores, Drawing& drawing) {
  // Half a step more than the last: sums of steps are not exact.
  for (double value = scores.first; value < scores.last + scores.step / 2;
       value += scores.step) {
    const double y = scores.Place(value);
    drawing.Line(kLeft, y, kRight, y, Stroke(kGrid));
    drawing.Text(kLeft - 8, y + 4, Number(value, 3),
                 Fill(kText) + " text-anchor=\"end\"");
  }
  for (double value = 0; value <= frames.last; value += frames.step) {
    const double x = frames.Place(value);
    drawing.Line(x, kBottom, x, kBottom + 5, Stroke(kText));
    drawing.Text(x, kBottom + 19, Number(value, 0),
                 Fill(kText) + " text-anchor=\"middle\"");
  }
  drawing.Text((kLeft + kRight) / 2, kBottom + 36, "frame",
               Fill(kText) + " text-anchor=\"middle\"");
}

// Points of the curve. Where several frames share a pixel the least and the
// most of them are drawn, so that no dip is lost.
std::string Points(const ScoreTable& table, size_t column, const Axis& frames,
                   const Axis& scores) {
  const bool crowded = double(table.rows.size()) > kRight - kLeft;
  std::string points, last_x;
  double least = 0, most = 0;
  const auto draw = [&] {
    if (last_x.empty()) return;
    points += last_x + "," + Number(scores.Place(least), 1) + " ";
    if (most == least) return;
    points += last_x + "," + Number(scores.Place(most), 1) + " ";
  };
  for (size_t frame = 0; frame < table.rows.size(); ++frame) {
    const std::optional<double>& score = table.rows[frame][column];
    if (!score) continue;
    const std::string x = Number(frames.Place(double(frame)), crowded ? 0 : 1);
    if (x == last_x) {
      least = std::min(least, *score);
      most = std::max(most, *score);
      continue;
    }
    draw();
    last_x = x;
    least = most = *score;
  }
  draw();
  return points;
}

void DrawMean(const PooledScore& pooled, const Axis& scores, Drawing& drawing) {
  const double y = scores.Place(pooled.mean);
  drawing.Line(kLeft, y, kRight, y,
               Stroke(kMean) + " stroke-dasharray=\"6 4\"");
  drawing.Text(kRight + 6, y + 4, "mean " + Number(pooled.mean, 2),
               Fill(kMean));
}

void DrawWorst(const PooledScore& pooled, const Axis& frames,
               const Axis& scores, Drawing& drawing) {
  const double x = frames.Place(double(pooled.min_frame));
  const double y = scores.Place(pooled.min);
  drawing.Add("<circle" + At("cx", x) + At("cy", y) + " r=\"4\"" +
              Fill(kWorst) + "/>");
  // below the curve, unless that is below the axis; inside the picture
  const double text_y = y + 18 < kBottom ? y + 18 : y - 10;
  const char* const anchor = x < kLeft + 80    ? "start"
                             : x > kRight - 80 ? "end"
                                               : "middle";
  drawing.Text(
      x, text_y,
      "frame " + std::to_string(pooled.min_frame) + ": " +
          Number(pooled.min, 2),
      Fill(kWorst) + " font-weight=\"bold\" text-anchor=\"" + anchor + "\"");
}

}  // namespace

std::string ToSvg(const ScoreTable& table, size_t column,
                  const std::string& title) {
  Drawing drawing;
  drawing.Text(20, 28, title, " font-size=\"15\" font-weight=\"bold\"");
  const std::optional<PooledScore> pooled = Pool(table, column);
  if (!pooled) return drawing.Finish();
  const std::string& name = table.names[column];
  drawing.Text(20, 48,
               name + " of " + std::to_string(table.rows.size()) +
                   " frames: mean " + Number(pooled->mean, 2) +
                   ", harmonic mean " + Number(pooled->harmonic_mean, 2) +
                   ", min " + Number(pooled->min, 2) + ", max " +
                   Number(pooled->max, 2),
               Fill(kText));
  const Axis frames = FrameAxis(table.rows.size());
  const Axis scores = ScoreAxis(name, *pooled);
  DrawGrid(frames, scores, drawing);
  drawing.Add("<polyline points=\"" + Points(table, column, frames, scores) +
              "\" fill=\"none\"" + Stroke(kCurve) +
              " stroke-width=\"1.5\" stroke-linejoin=\"round\"/>");
  DrawMean(*pooled, scores, drawing);
  DrawWorst(*pooled, frames, scores, drawing);
  return drawing.Finish();
}

}  // namespace perdix::client
