// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/top_frame.h"

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/text.h"
#include "tools/ctl/columns.h"
#include "tools/ctl/histogram.h"
#include "tools/ctl/status.h"

namespace perdix::ctl {
namespace {

constexpr size_t kStageWidth = 22;
constexpr size_t kVariantWidth = 8;
constexpr size_t kClientWidth = 15;     // so that rows stay where they are
constexpr size_t kShareWidth = 16;      // "100.0 %    12.34"
constexpr size_t kHistogramHeight = 6;  // and if there is room
constexpr size_t kMaxHistogramHeight = 14;
constexpr size_t kMaxBarWidth = 60;

using Lines = std::vector<std::string>;

const Session* Find(const Snapshot& snapshot, uint32_t id) {
  const auto found = std::ranges::find(snapshot.sessions, id, &Session::id);
  return found == snapshot.sessions.end() ? nullptr : &*found;
}

// Counters start again from 0 when someone resets them.
uint64_t Since(uint64_t now, uint64_t before) {
  return now < before ? now : now - before;
}

std::vector<StageTime> StagesSince(std::vector<StageTime> now,
                                   const std::vector<StageTime>& before) {
  for (StageTime& stage : now) {
    for (const StageTime& old : before) {
      if (old.stage == stage.stage && old.variant == stage.variant)
        stage.usec = Since(stage.usec, old.usec);
    }
  }
  return now;
}

std::string Title(const Style& style, const std::string& text) {
  return Paint(style, Colour::kCyan, text);
}

Lines Head(const Snapshot& now, const TopView& view) {
  const Daemon& daemon = now.daemon;
  double fps = 0;
  for (const Session& session : now.sessions) fps += session.fps;
  const std::string state = daemon.connected ? "connected, " + daemon.video_node
                                             : "not connected to the module";
  return {Paint(view.style, Colour::kBold, "perdix " + daemon.version) + "  " +
              Paint(view.style, StateColour(daemon), state) + "  " +
              std::to_string(daemon.threads) + " threads",
          "GPU " + GpuText(daemon),
          "recipe " + RecipeSummary(daemon) + " (" +
              Printable(daemon.recipe_source) + ")",
          Paint(view.style, Colour::kBold, Fixed(fps, 1) + " fps") + "  " +
              std::to_string(now.sessions.size()) + " sessions  " +
              Count(daemon.frames_decoded) + " frames  " +
              Paint(view.style,
                    daemon.frames_failed == 0 ? Colour::kPlain : Colour::kRed,
                    Count(daemon.frames_failed) + " failed") +
              "  " + Count(daemon.frames_dropped) + " dropped  " +
              Bytes(daemon.bytes_in) + " coded",
          ""};
}

Lines SessionRows(const Snapshot& now, const TopView& view) {
  auto titles = SessionTitles(now.daemon, Columns::kFew);
  titles[0].title = " " + titles[0].title;
  Table table(std::move(titles));
  for (const Session& session : now.sessions) {
    auto cells = SessionCells(now.daemon, session, Columns::kFew, Style{});
    cells[0] = (view.selected == session.id ? ">" : " ") + cells[0];
    cells[1] = PadRight(cells[1], kClientWidth);
    table.Add(std::move(cells));
  }
  Lines lines = table.Lines(view.style);
  for (size_t i = 0; i < now.sessions.size(); ++i) {
    if (view.selected == now.sessions[i].id)
      lines[i + 1] = Paint(view.style, Colour::kBold, lines[i + 1]);
  }
  if (now.sessions.empty()) lines = {"no sessions"};
  return lines;
}

// One bar a stage: its share of all the time on its side, CPU or GPU.
Lines StageRows(const std::vector<StageTime>& stages, double seconds,
                const TopView& view) {
  uint64_t totals[2] = {};
  for (const StageTime& stage : stages) totals[stage.on_gpu()] += stage.usec;
  const size_t taken = kStageWidth + kVariantWidth + kShareWidth + 4;
  const size_t width = std::clamp<size_t>(
      view.width > taken ? view.width - taken : 0, 4, kMaxBarWidth);
  Lines lines;
  for (const bool gpu : {false, true}) {
    if (totals[gpu] == 0) continue;
    const double busy = seconds > 0 ? double(totals[gpu]) / 1e6 / seconds : 0;
    lines.push_back(Title(view.style, gpu ? "GPU" : "CPU") + ": busy " +
                    Fixed(busy, 2) + (gpu ? " of 1" : " threads") +
                    ", share of each stage");
    for (const StageTime& stage : stages) {
      if (stage.on_gpu() != gpu) continue;
      const double share = double(stage.usec) / double(totals[gpu]);
      lines.push_back(PadRight(Printable(stage.stage), kStageWidth) + " " +
                      PadRight(Printable(stage.variant), kVariantWidth) + " " +
                      Paint(view.style, gpu ? Colour::kYellow : Colour::kBlue,
                            Bar(view.style, share, width)) +
                      " " + PadLeft(Fixed(100 * share, 1) + " %", 7));
    }
  }
  if (lines.empty()) lines.push_back("no frame yet");
  return lines;
}

// The buckets of the selected session, or of all.
std::vector<Bucket> BucketsSince(const Snapshot& now, const Snapshot& since,
                                 const TopView& view) {
  std::map<uint64_t, uint64_t> frames;
  for (const Session& session : now.sessions) {
    if (view.selected && view.selected != session.id) continue;
    std::map<uint64_t, uint64_t> before;
    if (const Session* old = Find(since, session.id)) {
      for (const Bucket& bucket : old->latency_histogram)
        before[bucket.upper_usec] = bucket.frames;
    }
    for (const Bucket& bucket : session.latency_histogram) {
      frames[bucket.upper_usec] +=
          Since(bucket.frames, before[bucket.upper_usec]);
    }
  }
  std::vector<Bucket> buckets;
  for (const auto& [upper, count] : frames) {
    if (count > 0) buckets.push_back({upper, count});
  }
  return buckets;
}

std::vector<StageTime> SelectedStages(const Snapshot& now,
                                      const Snapshot& since,
                                      const TopView& view) {
  if (!view.selected)
    return StagesSince(now.daemon.stages, since.daemon.stages);
  const Session* session = Find(now, *view.selected);
  const Session* old = Find(since, *view.selected);
  if (session == nullptr) return {};
  return StagesSince(session->stages,
                     old == nullptr ? std::vector<StageTime>() : old->stages);
}

// Seconds in which what is shown was counted.
double Elapsed(const Snapshot& now, const Snapshot& since) {
  const uint64_t start =
      std::max(since.taken_usec, now.daemon.statistics_since);
  return now.taken_usec > start ? double(now.taken_usec - start) / 1e6 : 0;
}

void Append(Lines* lines, const Lines& more) {
  lines->insert(lines->end(), more.begin(), more.end());
}

}  // namespace

std::vector<std::string> TopFrame(const Snapshot& now, const Snapshot& since,
                                  const TopView& view) {
  const std::string whose = view.selected
                                ? "session " + std::to_string(*view.selected)
                                : "all sessions";
  const double seconds = Elapsed(now, since);
  Lines lines = Head(now, view);
  Append(&lines, SessionRows(now, view));
  lines.push_back("");
  lines.push_back(Title(view.style, "Stages") + ", " + whose + ", " +
                  Duration(uint64_t(seconds * 1e6)));
  Append(&lines, StageRows(SelectedStages(now, since, view), seconds, view));
  lines.push_back("");
  const size_t footer = view.keys.empty() ? 0 : 1;
  const std::vector<Bucket> buckets = BucketsSince(now, since, view);
  if (!buckets.empty()) {
    lines.push_back(Title(view.style, "Latency") + ", " + whose +
                    ": frames by time from job to answer");
    const size_t taken = lines.size() + 1 + footer;  // with the axis
    const size_t left = view.height > taken ? view.height - taken : 0;
    Append(&lines, HistogramLines(
                       BinLatencies(buckets, view.width - 1),
                       std::clamp(left, kHistogramHeight, kMaxHistogramHeight),
                       view.style));
  }
  if (view.height > 0)
    lines.resize(view.height - std::min(view.height, footer));
  if (footer > 0) lines.push_back(Paint(view.style, Colour::kDim, view.keys));
  for (std::string& line : lines) line = Cut(line, view.width);
  return lines;
}

}  // namespace perdix::ctl
