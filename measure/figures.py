# SPDX-License-Identifier: BSD-2-Clause
"""Figures of kept measurements: the newest of each machine, and ratios of them.

Where a function gives {(clip, threads): ratio}, the clip has its short name.
"""
import collections

import comparison
import record

# What pages call the speed clips, in their order.
CLIPS = {
    "tos_800x332_p0_1M": "800x332",
    "tos_800x332_8b_svt_grain": "800x332, grain",
    "bbb_720p30_p0_fp_2M": "720p",
    "bbb_720p30_8b_aom_1500k": "720p aom",
    "bbb_720p30_p2_10b_2M": "720p 10 bit",
    "bbb_720p30_10b_svt_1500k": "720p 10 bit",
    "bbb_1080p30_p0_4tiles_4M": "1080p",
    "bbb_1080p30_8b_svt_3M": "1080p",
    "bbb_noise_1080p30_p0_25M": "1080p noise",
    "bbb_noise_1080p30_8b_svt_16M": "1080p noise",
    "bbb_2160p30_p0_14M": "2160p",
    "bbb_2160p30_8b_svt_10M": "2160p",
    "bbb_2160p30_10b_svt_grain": "2160p 10 bit, grain",
}
ORDER = list(dict.fromkeys(CLIPS.values()))
# Samples of all frames but the first, of VP9's.
LATER_SAMPLES = {"1080p": 299 * 1920 * 1080, "2160p": 59 * 3840 * 2160}


def short(clip):
  return CLIPS.get(clip, clip)


def in_order(clips):
  """Short names as CLIPS has them, others behind."""
  return sorted(clips, key=lambda clip: (
      ORDER.index(clip) if clip in ORDER else len(ORDER)))


def newest(files, what, has):
  """[(file, has(file))]: of each machine the newest file of that name of which
  `has` gives anything. Predictions do not count."""
  found = {}
  for file in files:
    if file["what"] == what and "prediction" not in file:
      value = has(file)
      if value:
        found[file["machine"]["name"]] = file, value
  return list(found.values())


def whole_clips(file):
  """{(clip, threads): {decoder: figures}}, of each decoder with the setting that
  took the least wall time."""
  found = collections.defaultdict(dict)
  for row in file["rows"]:
    of = row["of"]
    if "frames" in of or "stage" in of or "processes" in of or "decoder" not in of:
      continue
    decoders = found[short(of["clip"]), of.get("threads", 1)]
    best = decoders.get(of["decoder"])
    if not best or row["figures"].get("wall", 0) < best.get("wall", 0):
      decoders[of["decoder"]] = row["figures"]
  return found


def of_rivals(file, key, wanted=lambda threads: True):
  """{(clip, threads): ours / the least of the rivals'}"""
  ratios = {}
  for (clip, threads), decoders in whole_clips(file).items():
    values = {name: figures[key] for name, figures in decoders.items()
              if key in figures}
    ours = values.pop(comparison.OURS, None)
    if wanted(threads) and ours is not None and values:
      ratios[clip, threads] = ours / min(values.values())
  return ratios


def memory_over(file, rival):
  """{(clip, threads): MiB more than the rival takes}. Of vpxdec's settings the one
  with less memory counts, --row-mt=0."""
  memory = collections.defaultdict(dict)
  for row in file["rows"]:
    of, figures = row["of"], row["figures"]
    if ("memory" in figures and "frames" not in of and
        of.get("setting") != "--row-mt=1"):
      memory[short(of["clip"]), of["threads"]][of.get("decoder")] = figures["memory"]
  return {key: values[comparison.OURS] - values[rival]
          for key, values in memory.items()
          if comparison.OURS in values and rival in values}


def growth(file):
  """{(clip, threads): how CPU time grows from one thread, of the rival's growth}"""
  ratios = of_rivals(file, "cpu")
  return {(clip, threads): ratio / ratios[clip, 1]
          for (clip, threads), ratio in ratios.items()
          if threads > 2 and (clip, 1) in ratios}


def of_first(file, key, many):
  """{(clip, n): figure / that of n = 1}, n being row["of"][many]."""
  values = {(short(row["of"]["clip"]), row["of"][many]): row["figures"][key]
            for row in file["rows"]
            if many in row["of"] and key in row["figures"] and
            row["of"].get("statistic", "median") == "median" and
            (many == "processes" or row["of"].get("processes", 1) == 1)}
  return {(clip, n): value / values[clip, 1]
          for (clip, n), value in values.items() if n > 1}


def cost_of_a_pixel(file):
  """CPU time of a pixel at 2160p of one at 1080p, without start-up."""
  cpu = {}
  for row in file["rows"]:
    of = row["of"]
    if of.get("decoder") == comparison.OURS and of["threads"] == 1 and "cpu" in row["figures"]:
      cpu[short(of["clip"]), of.get("frames")] = row["figures"]["cpu"]
  costs = {clip: (cpu[clip, None] - cpu[clip, 1]) / samples
           for clip, samples in LATER_SAMPLES.items() if (clip, 1) in cpu}
  return ({("2160p", 1): costs["2160p"] / costs["1080p"]}
          if len(costs) == len(LATER_SAMPLES) else {})


def single(file, key):
  """{(clip, threads): figure}, as it is."""
  return {(short(row["of"]["clip"]), row["of"].get("threads", 1)): row["figures"][key]
          for row in file["rows"] if key in row["figures"]}


def link(file):
  """To the file, from a page in docs/."""
  path = file["path"].removeprefix(record.FOLDER + "/")
  return f"[{file['machine']['name']}, {file['date']}](measurements/{path})"
