// SPDX-License-Identifier: BSD-2-Clause
// Whether what a stream shows stands still or is black, told by the luma of its
// shown pictures. Time passes with pictures: where none comes, nothing changes.
#ifndef PERDIX_DAEMON_PICTURE_WATCH_H_
#define PERDIX_DAEMON_PICTURE_WATCH_H_

#include <chrono>
#include <cstdint>
#include <optional>

#include "codec/picture.h"

namespace perdix {

// What perdixd.conf says.
struct PictureWatchOptions {
  bool on = false;
  double freeze_seconds = 2;
  double freeze_difference = 0.25;  // mean, of 8-bit luma
  double black_seconds = 2;
  double black_ratio = 0.98;  // of samples that are dark
};

// The luma of a shown picture, as 8-bit values.
struct ShownLuma {
  double mean = 0;
  double dark_ratio = 0;
  // Mean absolute difference to the picture shown before; nothing: not known.
  std::optional<double> difference;
  uint32_t width = 0;  // of the picture
  uint32_t height = 0;
};

// seen: of the picture.
ShownLuma ToShownLuma(const SeenLuma& seen, const PictureView& picture);

// Something that counts once it has lasted for some time.
class Lasting {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // It is so at <now>, and if it was not so before, since <since>; it counts
  // from <seconds> on. Returns whether counts() is another one now.
  bool Is(Time since, Time now, double seconds);
  bool IsNot();  // the same

  bool counts() const { return counts_; }
  uint64_t usec() const;  // since it is so; 0 unless it counts

 private:
  std::optional<Time> since_;
  Time now_{};
  bool counts_ = false;
};

class PictureWatch {
 public:
  using Time = Lasting::Time;

  struct Changes {
    bool freeze = false;
    bool black = false;
  };

  PictureWatch() = default;
  explicit PictureWatch(const PictureWatchOptions& options)
      : options_(options) {}

  // A picture was shown. Returns what is otherwise than before.
  Changes Add(const ShownLuma& luma, Time now);

  double luma_mean() const { return luma_.mean; }  // of the last picture
  double dark_ratio() const { return luma_.dark_ratio; }
  const Lasting& frozen() const { return frozen_; }
  const Lasting& black() const { return black_; }

 private:
  bool Freeze(Time now, bool same_size);

  PictureWatchOptions options_;
  ShownLuma luma_;
  Time last_{};  // when the last picture was shown
  Lasting frozen_;
  Lasting black_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_PICTURE_WATCH_H_
