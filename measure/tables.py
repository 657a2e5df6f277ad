# SPDX-License-Identifier: BSD-2-Clause
"""The tables of docs/performance.md, clip by clip, of kept measurements."""
import charts
import comparison
import figures

OURS = comparison.OURS


def heading(file):
  """A table's line above: when and where, with a link to all figures."""
  name = file["machine"]["name"]
  return f"[{name}]({figures.path_from_docs(file)}): {charts.title(file)}"


def each(files, what, has, draw, notes=True):
  """The newest of each machine, one below the other."""
  return "\n\n".join(
      heading(file) + (f"; {file['note']}" if notes and "note" in file else "") +
      "\n\n" + draw(file) for file, _ in figures.newest(files, what, has))


def decoders_of(file):
  return list(dict.fromkeys(row["of"]["decoder"] for row in file["rows"]))


def has(*wanted):
  """Whether a file has each (figure, threads) of our own."""
  def check(file):
    found = {(key, threads) for (_, threads), decoders in
             figures.whole_clips(file).items() for key in decoders.get(OURS, ())}
    return all(one in found for one in wanted)
  return check


def compared(file):
  """CPU time with one thread and wall time with two, of each decoder; only
  ratios where only ratios are known."""
  decoders, runs = decoders_of(file), figures.whole_clips(file)
  columns = [(key, threads, words) for key, threads, words in
             (("cpu", 1, "CPU s, 1 thread"), ("wall", 2, "s, 2 threads"))
             if key in file["units"]]
  header, rows = ["clip"], []
  for key, _, words in columns:
    if file["units"][key] == "s":
      header += [f"{OURS} {words}", *decoders[1:]]
    header.append(f"ratio {words.replace(' s,', ' time,').replace('s,', 'time,')}")
  for clip in figures.in_order({clip for clip, _ in runs}):
    row = [clip]
    for key, threads, _ in columns:
      values = [runs[clip, threads][decoder][key] for decoder in decoders]
      if file["units"][key] == "s":
        row += [f"{value:.2f}" for value in values]
      row.append(comparison.ratio(values))
    rows.append(row)
  return comparison.table(header, rows)


def many_threads(file):
  """Wall time with each number of threads, of the rival's."""
  ratios = figures.of_rivals(file, "wall")
  counts = sorted({threads for _, threads in ratios})
  return comparison.table(
      ["wall time, of the rival's; threads:", *map(str, counts)],
      [[clip, *(f"{ratios[clip, count]:.2f}" for count in counts)]
       for clip in figures.in_order({clip for clip, _ in ratios})])


def memory(file):
  """With the fewest and with the most threads."""
  decoders = [decoder for decoder in decoders_of(file) if decoder != "FFmpeg"]
  runs = figures.whole_clips(file)
  counts = sorted({threads for (_, threads), found in runs.items()
                   if "memory" in found[OURS]})
  counts = sorted({counts[0], counts[-1]})
  columns = [(decoder, count) for count in counts for decoder in decoders]
  return comparison.table(
      ["MiB; threads:", *(f"{decoder}, {count}" for decoder, count in columns)],
      [[clip, *(f"{runs[clip, count][decoder]['memory']:g}"
                for decoder, count in columns)]
       for clip in figures.in_order({clip for clip, _ in runs})])


def pairs(file):
  found = {figures.short(row["of"]["clip"]): row["figures"] for row in file["rows"]
           if "ratio" in row["figures"]}
  return comparison.table(
      ["CPU time, 1 thread", "of the rival's", "standard error"],
      [[clip, f"**{found[clip]['ratio']:.2f}**", f"{found[clip]['error']:.3f}"]
       for clip in figures.in_order(found)])


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
  decoders, rows = decoders_of(file), []
  runs = figures.whole_clips(file)
  for clip in figures.in_order({clip for clip, _ in runs}):
    found = runs[clip, 1]
    values = [found[decoder]["instructions"] for decoder in decoders]
    rows.append([clip, *(f"{value:.1f}" for value in values), comparison.ratio(values)])
  return comparison.table(["M instructions a frame", *decoders, "ratio"], rows)


BLOCKS = {
    "compare-vp9": ("compare-vp9", has(("cpu", 1), ("wall", 2)), compared),
    "memory-vp9": ("compare-vp9", has(("memory", 1)), memory),
    "compare-av1": ("compare-av1", has(("cpu", 1), ("wall", 2)), compared),
    "threads-av1": ("compare-av1", has(("wall", 4)), many_threads),
    "memory-av1": ("compare-av1", has(("memory", 1)), memory),
    "pairs-av1": ("compare-pairs-av1", lambda file: file["rows"], pairs),
    "node": ("node-speed", lambda file: file["rows"], through_the_node),
    "arm64-vp9": ("compare-arm64-vp9", lambda file: file["rows"], instructions),
    "arm64-av1": ("compare-arm64-av1", lambda file: file["rows"], instructions),
}
