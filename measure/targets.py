# SPDX-License-Identifier: BSD-2-Clause
"""What is wanted of each figure, and whether the newest measurements have it."""
import collections

import comparison
import figures

# words: what is compared; what: of which measurement; limit: the highest value,
# or the least where `least`; has: of a file, {(clip, threads): value}.
Target = collections.namedtuple("Target", "words what limit has least form",
                                defaults=(False, ".2f"))


def one(threads):
  return threads == 1


def two(threads):
  return threads == 2


def more(threads):
  return threads > 2


def of_rivals(key, wanted=lambda threads: True):
  return lambda file: figures.of_rivals(file, key, wanted)


def only(has, wanted):
  """What `has` gives of clips whose short names are wanted."""
  return lambda file: {key: value for key, value in has(file).items()
                       if wanted(key[0])}


def deep(clip):
  return "10 bit" in clip


def shallow(clip):
  return not deep(clip)


def parsing(file):
  """Parsing as a part of dav1d's, without and with both programs' walk over blocks."""
  ratios = figures.of_rivals(file, "parsing")
  whole = {"rows": [row | {"figures": {"sum": row["figures"]["parsing"] +
                                              row["figures"]["walk"]}}
                    for row in file["rows"]]}
  return ratios | {(f"{clip} with the walk", threads): ratio for (clip, threads), ratio
                   in figures.of_rivals(whole, "sum").items()}


def frame_rate(file):
  """The frame rate as a part of the rival's, where both decoded the same frames."""
  return {key: 1 / ratio for key, ratio in figures.of_rivals(file, "wall").items()}


TARGETS = [
    Target("VP9: CPU time, 1 thread, of libvpx's or FFmpeg's", "compare-vp9", 0.90,
           of_rivals("cpu", one)),
    Target("VP9: wall time, 2 threads, of theirs", "compare-vp9", 0.85,
           of_rivals("wall", two)),
    Target("VP9: CPU time of a pixel at 2160p, of one at 1080p", "compare-vp9", 1.10,
           figures.cost_of_a_pixel),
    Target("VP9: CPU time, 2 threads, of 1 thread's", "thread-cost-vp9", 1.05,
           lambda file: figures.of_first(file, "cpu", "threads")),
    Target("VP9: MiB more than libvpx's", "compare-vp9", 8,
           lambda file: figures.memory_over(file, "libvpx"), form=".1f"),
    Target("VP9: frame rate of 2, 4, 8 sessions, of one's", "sessions-vp9", 0.95,
           lambda file: figures.of_first(file, "frame_rate", "sessions"), True),
    Target("VP9 at 8 bit: instructions on arm64, of theirs", "compare-arm64-vp9", 0.95,
           only(of_rivals("instructions"), shallow)),
    Target("AV1: CPU time, 1 thread, of dav1d's", "compare-av1", 0.95,
           of_rivals("cpu", one)),
    Target("AV1: the same, by pairs of runs", "compare-pairs-av1", 0.95,
           lambda file: figures.single(file, "ratio")),
    Target("AV1: wall time, 2 threads, of dav1d's", "compare-av1", 0.90,
           of_rivals("wall", two)),
    Target("AV1: wall time, 4 to 16 threads, of dav1d's", "compare-av1", 1.00,
           of_rivals("wall", more)),
    Target("AV1: growth of CPU time up to 16 threads, of dav1d's", "compare-av1", 1.10,
           figures.growth),
    Target("AV1: MiB more than dav1d's", "compare-av1", 8,
           lambda file: figures.memory_over(file, "dav1d"), form=".1f"),
    Target("AV1: frame rate of several sessions, of one's", "sessions-av1", 0.95,
           lambda file: figures.of_first(file, "frame_rate", "sessions"), True),
    Target("AV1: instructions of parsing, of dav1d's", "parse-count-av1", 1.00, parsing),
    Target("AV1 at 8 bit: instructions on arm64, of dav1d's", "compare-arm64-av1", 1.00,
           only(of_rivals("instructions"), shallow)),
    Target("AV1 at 10 bit: the same", "compare-arm64-av1", 1.05,
           only(of_rivals("instructions"), deep)),
    Target("node, VP9: frame rate, of libvpx's", "node-speed-vp9", 0.90, frame_rate, True),
    Target("node, AV1: frame rate, of dav1d's", "node-speed-av1", 0.90, frame_rate, True),
    Target("node, VP9: wall time, of that in process", "node-cost-vp9", 1.10,
           lambda file: figures.single(file, "wall_ratio")),
    Target("node, AV1: the same", "node-cost-av1", 1.10,
           lambda file: figures.single(file, "wall_ratio")),
    Target("node, VP9: MiB beyond the frame buffers, 1080p", "node-memory-vp9", 40,
           lambda file: figures.single(file, "memory"), form=".1f"),
    Target("node, AV1: the same", "node-memory-av1", 40,
           lambda file: figures.single(file, "memory"), form=".1f"),
]


def verdict(target, values):
  """"met", or where it is not, of values as they are printed."""
  def met(value):
    value = round(value, int(target.form[1]))
    return value >= target.limit if target.least else value <= target.limit
  missed = {}
  for (clip, _), value in values.items():
    if not met(value):
      missed.setdefault(clip, []).append(format(value, target.form))
  if not missed:
    return "met"
  return "**not met**: " + "; ".join(
      f"{clip} {', '.join(missed[clip])}" for clip in figures.in_order(missed))


def table(files):
  """A row for each target and machine that has figures for it."""
  rows = []
  for target in TARGETS:
    words = target.words
    for file, values in figures.newest(files, target.what, target.has):
      low, high = (format(of(values.values()), target.form) for of in (min, max))
      limit = f"{target.limit:g}" + (" or more" if target.least else "")
      rows.append([words, limit, figures.link(file),
                   low if low == high else f"{low} to {high}", verdict(target, values)])
      words = limit = ""
  return comparison.table(["", "target", "newest of", "figure", ""], rows)
