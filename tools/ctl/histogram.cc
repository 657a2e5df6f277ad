// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/histogram.h"

#include <algorithm>
#include <cmath>

namespace perdix::ctl {
namespace {

// A latency is within 3 % of the truth: buckets are at most so wide, last to
// first. A bucket without frames is not there to tell where the next begins.
constexpr double kBucketSpan = 1.0625;

// Narrower axes show nothing.
constexpr double kMinSpan = 8;

constexpr double kWidth = 860;  // pixels, as everything below
constexpr double kHeight = 200;
constexpr double kMargin = 20;  // for the labels of the axis

// 1, 2 and 5 times the powers of ten that are on the axis.
std::vector<double> Ticks(const Bins& bins) {
  std::vector<double> ticks;
  for (double decade = 1; decade <= bins.last_usec; decade *= 10) {
    for (const double step : {1., 2., 5.}) {
      const double tick = decade * step;
      if (tick >= bins.first_usec && tick <= bins.last_usec)
        ticks.push_back(tick);
    }
  }
  return ticks;
}

std::string TickText(double usec) {
  if (usec < 1000) return Fixed(usec, 0) + " us";
  if (usec < 1e6) return Fixed(usec / 1e3, 0) + " ms";
  return Fixed(usec / 1e6, 0) + " s";
}

std::string Axis(const Bins& bins) {
  std::string axis(bins.frames.size(), ' ');
  size_t free = 0;
  for (const double tick : Ticks(bins)) {
    const std::string text = "|" + TickText(tick);
    const size_t at =
        size_t(bins.Position(tick) * double(bins.frames.size() - 1));
    if (at < free || at + text.size() > axis.size()) continue;
    axis.replace(at, text.size(), text);
    free = at + text.size() + 1;
  }
  return axis;
}

double Most(const Bins& bins) {
  return bins.frames.empty() ? 1 : std::ranges::max(bins.frames);
}

// Adds <frames> to the bins from <first> to <last>, which may be within one.
void Spread(double frames, double first, double last,
            std::vector<double>* bins) {
  const double width = std::max(last - first, 1e-9);
  for (size_t bin = size_t(first); bin < bins->size(); ++bin) {
    const double overlap =
        std::min(last, double(bin + 1)) - std::max(first, double(bin));
    if (overlap <= 0) return;
    (*bins)[bin] += frames * std::min(overlap / width, 1.);
  }
}

}  // namespace

double Bins::Position(double usec) const {
  return std::log(usec / first_usec) / std::log(last_usec / first_usec);
}

Bins BinLatencies(const std::vector<Bucket>& buckets, size_t count) {
  Bins bins;
  if (buckets.empty() || count == 0) return bins;
  const auto [low, high] =
      std::ranges::minmax(buckets, {}, &Bucket::upper_usec);
  const double first = std::max(double(low.upper_usec), 1.);
  const double last = std::max(double(high.upper_usec), 1.);
  // A little room on both sides; at least kMinSpan from end to end.
  const double widen = std::max(1.1, std::sqrt(kMinSpan * first / last));
  bins.first_usec = first / widen;
  bins.last_usec = last * widen;
  bins.frames.resize(count);
  double before = 0;  // the end of the bucket below
  for (const Bucket& bucket : buckets) {
    const double upper = std::max(double(bucket.upper_usec), 1.);
    const double lower = std::max(before, upper / kBucketSpan);
    Spread(double(bucket.frames), bins.Position(lower) * double(count),
           bins.Position(upper) * double(count), &bins.frames);
    before = upper;
  }
  return bins;
}

std::vector<std::string> HistogramLines(const Bins& bins, size_t height,
                                        const Style& style) {
  constexpr const char* kEighths[] = {" ", "▁", "▂", "▃", "▄",
                                      "▅", "▆", "▇", "█"};
  const double most = Most(bins);
  std::vector<std::string> lines;
  for (size_t row = height; row-- > 0;) {
    std::string line;
    for (const double frames : bins.frames) {
      // What is there is seen, however little it is.
      const int full =
          frames == 0 ? 0
                      : std::max(1, int(frames / most * double(height) * 8));
      const int eighths = std::clamp(full - int(row) * 8, 0, 8);
      line += style.utf8 ? kEighths[eighths] : (eighths == 0 ? " " : "#");
    }
    lines.push_back(Paint(style, Colour::kGreen, line));
  }
  lines.push_back(Axis(bins));
  return lines;
}

std::string HistogramSvg(const Bins& bins) {
  const double most = Most(bins);
  const double step = kWidth / double(std::max<size_t>(bins.frames.size(), 1));
  const double floor = kHeight - kMargin;
  std::string svg = "<svg class=\"histogram\" role=\"img\" viewBox=\"0 0 " +
                    Fixed(kWidth, 0) + " " + Fixed(kHeight, 0) + "\">\n";
  for (const double tick : Ticks(bins)) {
    const std::string x = Fixed(bins.Position(tick) * kWidth, 1);
    svg += "<line class=\"grid\" x1=\"" + x + "\" x2=\"" + x +
           "\" y1=\"0\" y2=\"" + Fixed(floor, 0) + "\"/><text x=\"" + x +
           "\" y=\"" + Fixed(kHeight - 5, 0) + "\">" + TickText(tick) +
           "</text>\n";
  }
  for (size_t i = 0; i < bins.frames.size(); ++i) {
    if (bins.frames[i] == 0) continue;
    const double height = std::max(1.5, bins.frames[i] / most * (floor - 4));
    svg += "<rect class=\"bar\" x=\"" + Fixed(double(i) * step + 0.5, 1) +
           "\" y=\"" + Fixed(floor - height, 1) + "\" width=\"" +
           Fixed(std::max(step - 1, 0.5), 1) + "\" height=\"" +
           Fixed(height, 1) + "\"><title>" +
           Count(uint64_t(std::lround(bins.frames[i]))) +
           " frames</title></rect>\n";
  }
  return svg + "<line class=\"axis\" x1=\"0\" x2=\"" + Fixed(kWidth, 0) +
         "\" y1=\"" + Fixed(floor, 0) + "\" y2=\"" + Fixed(floor, 0) +
         "\"/></svg>\n";
}

}  // namespace perdix::ctl
