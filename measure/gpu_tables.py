# SPDX-License-Identifier: BSD-2-Clause
"""The tables of docs/gpu.md, of files that compare-gpu and perdix-bench gave."""
import collections
import functools

import comparison
import figures

OURS, FLOOR = comparison.OURS, "floor"
VP9_STAGES = {
    "vp9_inter_pred": ("inter prediction", "some 22 dispatches; 7 MB to move at 1080p"),
    "vp9_inverse_transform": ("residual of inter blocks", "some 16 dispatches in two passes"),
    "vp9_intra_pred": ("intra prediction, with its residual",
                       "waves, one dependent dispatch each"),
    "vp9_loop_filter": ("loop filter", "47 and 94 dependent steps"),
}
AV1_STAGES = {
    "av1_inter_pred": ("inter prediction", "one to three dependent steps"),
    "av1_inverse_transform": ("residual of inter blocks", "rows, then columns"),
    "av1_intra_pred": ("intra prediction, with its residual",
                       "waves, one dependent dispatch each"),
    "av1_deblock": ("deblocking", "two dependent steps, one more for saved lines"),
    "av1_cdef": ("CDEF", "three dependent steps"),
    "av1_loop_restoration": ("loop restoration", "two or three dependent steps"),
}
MOST_FLOORS = 3
# What a codec's clips are held to: frames a second with 8 threads by clip; CPU
# time of the better rival's; streams at once, times one.
Targets = collections.namedtuple("Targets", "frame_rates most_cpu least_together stages")
TARGETS = {
    "VP9": Targets({"1080p": 500, "2160p": 150}, 0.5, 1.5, VP9_STAGES),
    "AV1": Targets({"1080p": 400, "2160p": 120}, 0.6, 2.5, AV1_STAGES),
}


def met(is_met):
  return "met" if is_met else "**not met**"


def spread(found, key, form):
  words = format(found[key], form)
  if f"{key}_least" in found:
    words += f" ({found[f'{key}_least']:{form}} to {found[f'{key}_highest']:{form}})"
  return words


def streams(targets, file):
  runs = figures.whole_clips(file)
  counts = sorted({threads for (_, threads), found in runs.items()
                   if "frame_rate" in found.get(OURS, {})})
  rows = []
  for clip, least in targets.frame_rates.items():
    rates = [runs[clip, count][OURS] for count in counts]
    rows.append([clip, *(spread(found, "frame_rate", ".0f") for found in rates),
                 f"{least}: {met(rates[-1]['frame_rate'] >= least)}"])
  for row in file["rows"]:
    of = row["of"]
    if of.get("processes", 1) > 1:
      clip, threads = figures.short(of["clip"]), of["threads"]
      times = row["figures"]["frame_rate"] / runs[clip, threads][OURS]["frame_rate"]
      rows.append([f"{of['processes']} of {clip} at once, together",
                   *(f"{row['figures']['frame_rate']:.0f}, {times:.1f} times one"
                     if count == threads else "" for count in counts),
                   f"{targets.least_together} times: {met(times >= targets.least_together)}"])
  return comparison.table(["frames a second; threads:", *map(str, counts),
                           "target"], rows)


def cpu_time(targets, file):
  """Beside the rivals, one thread each."""
  start_up = next((row["figures"]["cpu"] for row in file["rows"]
                   if row["of"].get("frames") == 1), 0)
  rows = []
  whole = figures.whole_clips(file)
  # More than a run of a whole clip: the driver still compiled, as it does once.
  known = all(start_up < found[OURS]["cpu"] for (_, threads), found in whole.items()
              if threads == 1 and "cpu" in found.get(OURS, {}))
  for (clip, threads), decoders in whole.items():
    if threads != 1 or len(decoders) < 2 or "cpu" not in decoders.get(OURS, {}):
      continue
    best = min(found["cpu"] for name, found in decoders.items() if name != OURS)
    ours = decoders[OURS]["cpu"]
    rows.append([clip, *(spread(found, "cpu", ".3g") for found in decoders.values()),
                 f"**{ours / best:.2f}**",
                 f"{(ours - start_up) / best:.2f}" if known else "",
                 f"{targets.most_cpu}: {met(ours / best <= targets.most_cpu)}"])
  names = next((list(decoders) for decoders in figures.whole_clips(file).values()
                if len(decoders) > 1), [])
  return comparison.table(["CPU s", *names, "of the better rival's",
                           "without start-up", "target"], rows)


def stages(targets, file):
  times = {}
  for row in file["rows"]:
    if "stage" in row["of"]:
      times[row["of"]["decoder"], row["of"]["stage"], figures.short(row["of"]["clip"])] = (
          row["figures"]["time"])
  clips = list(targets.frame_rates)
  rows = []
  for stage, (name, bound) in targets.stages.items():
    if any((OURS, stage, clip) not in times for clip in clips):
      continue  # not in these streams
    ours = [times[OURS, stage, clip] for clip in clips]
    parts = [time / times[FLOOR, stage, clip] if (FLOOR, stage, clip) in times else None
             for time, clip in zip(ours, clips)]
    known = [round(part, 1) for part in parts if part]
    rows.append([name, *(f"{time:.0f}" for time in ours),
                 *(f"{part:.1f}" if part else "" for part in parts),
                 met(max(known) <= MOST_FLOORS) if known else "", bound])
  rows.append(["the whole", *(f"{sum(times[OURS, stage, clip] for stage in targets.stages if (OURS, stage, clip) in times):.0f}"
                              for clip in clips), "", "", "", ""])
  return comparison.table(
      ["us a frame", *clips, *(f"times the floor, {clip}" for clip in clips),
       f"{MOST_FLOORS} times", "what bounds it"], rows)


def overheads(file):
  return comparison.table(["the device itself", "us"],
                          [[row["of"]["stage"], f"{row['figures']['time']:g}"]
                           for row in file["rows"]])


def has_rates(file):
  return any("frame_rate" in row["figures"] for row in file["rows"])


def drawn(draw, codec):
  return (f"compare-gpu-{codec.lower()}", has_rates,
          functools.partial(draw, TARGETS[codec]))


BLOCKS = {
    "gpu-streams": drawn(streams, "VP9"),
    "gpu-cpu": drawn(cpu_time, "VP9"),
    "gpu-stages": drawn(stages, "VP9"),
    "gpu-av1-streams": drawn(streams, "AV1"),
    "gpu-av1-cpu": drawn(cpu_time, "AV1"),
    "gpu-av1-stages": drawn(stages, "AV1"),
    "gpu-overheads": ("gpu-overheads", lambda file: file["rows"], overheads),
}
