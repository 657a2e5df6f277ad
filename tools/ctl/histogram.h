// SPDX-License-Identifier: BSD-2-Clause
// Latencies, drawn: the daemon's buckets (which must rise) gathered into bins
// on a logarithmic axis, as text and as SVG.
#ifndef PERDIX_TOOLS_CTL_HISTOGRAM_H_
#define PERDIX_TOOLS_CTL_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/ctl/snapshot.h"
#include "tools/ctl/text.h"

namespace perdix::ctl {

struct Bins {
  // Ends of the axis, of whole bins.
  double first_usec = 0;
  double last_usec = 0;
  // Frames of each bin, upwards: a bucket counts in all bins that it overlaps,
  // by how much it does.
  std::vector<double> frames;

  // Where on the axis a latency is, 0 to 1.
  double Position(double usec) const;
};

// <count>: how many bins. Without buckets there are no bins.
Bins BinLatencies(const std::vector<Bucket>& buckets, size_t count);

// <height> lines of bars, one column a bin, and the axis below them.
std::vector<std::string> HistogramLines(const Bins& bins, size_t height,
                                        const Style& style);

// A picture of its own, without text that the page's style does not reach.
std::string HistogramSvg(const Bins& bins);

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_HISTOGRAM_H_
