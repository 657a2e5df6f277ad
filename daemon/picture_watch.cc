// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/picture_watch.h"

#include <utility>

namespace perdix {

ShownLuma ToShownLuma(const SeenLuma& seen, const PictureView& picture) {
  const double samples = double(picture.width) * double(picture.height);
  const double of_8_bit = samples * double(1u << (picture.bit_depth - 8));
  ShownLuma luma = {.mean = double(seen.sums.total) / of_8_bit,
                    .dark_ratio = double(seen.sums.dark) / samples,
                    .difference = {},
                    .width = picture.width,
                    .height = picture.height};
  if (seen.compared) luma.difference = double(seen.sums.difference) / of_8_bit;
  return luma;
}

bool Lasting::Is(Time since, Time now, double seconds) {
  if (!since_) since_ = since;
  now_ = now;
  const bool counts =
      std::chrono::duration<double>(now_ - *since_).count() >= seconds;
  return std::exchange(counts_, counts) != counts;
}

bool Lasting::IsNot() {
  since_.reset();
  return std::exchange(counts_, false);
}

uint64_t Lasting::usec() const {
  using std::chrono::microseconds;
  if (!counts_) return 0;
  return uint64_t(
      std::chrono::duration_cast<microseconds>(now_ - *since_).count());
}

PictureWatch::Changes PictureWatch::Add(const ShownLuma& luma, Time now) {
  const bool same_size =
      luma.width == luma_.width && luma.height == luma_.height;
  luma_ = luma;
  Changes changes;
  changes.freeze = Freeze(now, same_size);
  changes.black = luma.dark_ratio >= options_.black_ratio
                      ? black_.Is(now, now, options_.black_seconds)
                      : black_.IsNot();
  last_ = now;
  return changes;
}

// A picture that could not be compared says nothing, unless it is of another
// size.
bool PictureWatch::Freeze(Time now, bool same_size) {
  if (!same_size) return frozen_.IsNot();
  if (!luma_.difference) return false;
  return *luma_.difference <= options_.freeze_difference
             ? frozen_.Is(last_, now, options_.freeze_seconds)
             : frozen_.IsNot();
}

}  // namespace perdix
