// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/references.h"

#include <algorithm>

namespace perdix::client::av1 {
namespace {

namespace names = perdix::av1;

// The state of set_frame_refs().
class ReferenceFinder {
 public:
  explicit ReferenceFinder(const OrderHints& hints) {
    for (int i = 0; i < kReferenceSlots; ++i) {
      distance_[i] = hints.Distance(hints.slots[i], hints.current);
    }
    slots_.fill(-1);
  }

  void Set(int name, int slot) {
    if (slot < 0) return;
    slots_[name - names::LAST_FRAME] = slot;
    used_[slot] = true;
  }
  bool IsSet(int name) const { return slots_[name - names::LAST_FRAME] >= 0; }

  // find_latest_backward, find_earliest_backward, find_latest_forward; -1:
  // none. Among equals the later slot is the latest, the first the earliest.
  int LatestBackward() const {
    return Find([&](int slot, int best) {
      return distance_[slot] >= 0 && (best < 0 || !IsEarlier(slot, best));
    });
  }
  int EarliestBackward() const {
    return Find([&](int slot, int best) {
      return distance_[slot] >= 0 && (best < 0 || IsEarlier(slot, best));
    });
  }
  int LatestForward() const {
    return Find([&](int slot, int best) {
      return distance_[slot] < 0 && (best < 0 || !IsEarlier(slot, best));
    });
  }

  // The references that are left take the earliest slot, used or not.
  SlotOfReference Finish() const {
    const auto earliest = std::min_element(distance_.begin(), distance_.end());
    SlotOfReference result;
    for (int i = 0; i < kRefsPerFrame; ++i) {
      result[i] =
          uint8_t(slots_[i] >= 0 ? slots_[i] : earliest - distance_.begin());
    }
    return result;
  }

 private:
  bool IsEarlier(int a, int b) const { return distance_[a] < distance_[b]; }

  template <typename IsBetter>
  int Find(const IsBetter& is_better) const {
    int best = -1;
    for (int slot = 0; slot < kReferenceSlots; ++slot) {
      if (!used_[slot] && is_better(slot, best)) best = slot;
    }
    return best;
  }

  std::array<int, kReferenceSlots> distance_;  // from the current frame
  std::array<bool, kReferenceSlots> used_ = {};
  std::array<int, kRefsPerFrame> slots_;  // -1: not yet known
};

}  // namespace

int OrderHints::Distance(uint32_t a, uint32_t b) const {
  if (bits == 0) return 0;
  const int sign = 1 << (bits - 1);
  const int difference = int(a) - int(b);
  return (difference & (sign - 1)) - (difference & sign);
}

SlotOfReference SetFrameRefs(const OrderHints& hints, uint8_t last_frame_idx,
                             uint8_t gold_frame_idx) {
  ReferenceFinder finder(hints);
  finder.Set(names::LAST_FRAME, last_frame_idx);
  finder.Set(names::GOLDEN_FRAME, gold_frame_idx);
  finder.Set(names::ALTREF_FRAME, finder.LatestBackward());
  finder.Set(names::BWDREF_FRAME, finder.EarliestBackward());
  finder.Set(names::ALTREF2_FRAME, finder.EarliestBackward());
  for (const int name :
       {names::LAST2_FRAME, names::LAST3_FRAME, names::BWDREF_FRAME,
        names::ALTREF2_FRAME, names::ALTREF_FRAME}) {
    if (!finder.IsSet(name)) finder.Set(name, finder.LatestForward());
  }
  return finder.Finish();
}

std::optional<std::array<uint8_t, 2>> SkipModeFrames(
    const OrderHints& hints, const SlotOfReference& ref_frame_idx) {
  const auto hint = [&](int i) { return hints.slots[ref_frame_idx[i]]; };
  int forward = -1, backward = -1;
  for (int i = 0; i < kRefsPerFrame; ++i) {
    const int distance = hints.Distance(hint(i), hints.current);
    if (distance < 0 &&
        (forward < 0 || hints.Distance(hint(i), hint(forward)) > 0)) {
      forward = i;
    }
    if (distance > 0 &&
        (backward < 0 || hints.Distance(hint(i), hint(backward)) < 0)) {
      backward = i;
    }
  }
  if (forward < 0) return {};
  int second = backward;
  for (int i = 0; i < kRefsPerFrame && backward < 0; ++i) {
    if (hints.Distance(hint(i), hint(forward)) < 0 &&
        (second < 0 || hints.Distance(hint(i), hint(second)) > 0)) {
      second = i;
    }
  }
  if (second < 0) return {};
  return {{uint8_t(names::LAST_FRAME + std::min(forward, second)),
           uint8_t(names::LAST_FRAME + std::max(forward, second))}};
}

}  // namespace perdix::client::av1
