# SPDX-License-Identifier: BSD-2-Clause
"""The tables of docs/performance.md, clip by clip, of kept measurements."""
import charts
import comparison
import figures
import targets

OURS = comparison.OURS


def heading(file):
  """A table's line above: when and where, with a link to all figures."""
  return f"{figures.link(file)}: {charts.title(file)}"


def each(files, what, has, draw, notes=True):
  """The newest of each machine, one below the other."""
  return "\n\n".join(
      heading(file) + (f"; {file['note']}" if notes and "note" in file else "") +
      "\n\n" + draw(file) for file, _ in figures.newest(files, what, has))


def ratios(files, codec):
  """Times as parts of the better rival's, clip by clip, on each machine."""
  header, columns = [], []
  for words, what, has in (
      ("CPU, 1 thread", f"compare-{codec}", targets.of_rivals("cpu", targets.one)),
      ("in pairs of runs", f"compare-pairs-{codec}",
       lambda file: figures.single(file, "ratio")),
      ("wall, 2 threads", f"compare-{codec}", targets.of_rivals("wall", targets.two))):
    for file, values in figures.newest(files, what, has):
      header.append(f"{words}: {figures.link(file)}")
      columns.append({clip: f"{value:.2f}" for (clip, _), value in values.items()})
  clips = figures.in_order({clip for column in columns for clip in column})
  return comparison.table(["of the rival's", *header],
                          [[clip, *(column.get(clip, "") for column in columns)]
                           for clip in clips])


def machines(files):
  """The machines that pages name; a model's is none."""
  found = {}
  for file in files:
    if "prediction" in file:
      continue
    found[file["machine"]["name"]] = found.get(file["machine"]["name"], {}) | file["machine"]
  return comparison.table(
      ["machine", "processor", "CPUs", "GPU", "system"],
      [[name, *(str(machine.get(key, "")) for key in ("cpu", "cpus", "gpu", "system"))]
       for name, machine in sorted(found.items())])


def many_threads(file):
  """Wall time with each number of threads, of the rival's."""
  ratios = figures.of_rivals(file, "wall")
  counts = sorted({threads for _, threads in ratios})
  return comparison.table(
      ["wall time, of the rival's; threads:", *map(str, counts)],
      [[clip, *(f"{ratios[clip, count]:.2f}" for count in counts)]
       for clip in figures.in_order({clip for clip, _ in ratios})])


def through_the_node(file):
  rows = []
  for (clip, _), decoders in figures.whole_clips(file).items():
    ours = decoders[OURS]["wall"]
    rival, theirs = next((name, found["wall"]) for name, found in decoders.items()
                         if name != OURS)
    rows.append([clip, rival, f"{theirs:.2f}", f"{ours:.2f}", f"**{theirs / ours:.2f}**"])
  return comparison.table(["", "rival", "rival s", "through the node s",
                           "frame rate, of the rival's"], rows)


def instructions(file):
  decoders = list(dict.fromkeys(row["of"]["decoder"] for row in file["rows"]))
  rows = []
  runs = figures.whole_clips(file)
  for clip in figures.in_order({clip for clip, _ in runs}):
    found = runs[clip, 1]
    values = [found[decoder]["instructions"] for decoder in decoders]
    rows.append([clip, *(f"{value:.1f}" for value in values), comparison.ratio(values)])
  return comparison.table(["M instructions a frame", *decoders, "ratio"], rows)


def has_many_threads(file):
  return figures.of_rivals(file, "wall", targets.more)


def has_rows(file):
  return file["rows"]


BLOCKS = {
    "threads-av1": ("compare-av1", has_many_threads, many_threads),
    "node-vp9": ("node-speed-vp9", has_rows, through_the_node),
    "node-av1": ("node-speed-av1", has_rows, through_the_node),
    "arm64-vp9": ("compare-arm64-vp9", has_rows, instructions),
    "arm64-av1": ("compare-arm64-av1", has_rows, instructions),
}
