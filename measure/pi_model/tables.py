# SPDX-License-Identifier: BSD-2-Clause
"""A prediction as Markdown, as JSON, and as a file of docs/measurements."""
import comparison
import figures as figures_of
import record
from pi_model import work
from pi_model.prediction import Range, Row

NAMES = {"built": "GPU as built", "wide": "GPU, 256 lanes", "wide192": "GPU, 192 lanes",
         "patched": "GPU, patched driver"}


def number(value):
  """Three digits, but no more than hundredths."""
  return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def cell(range_, write=number, unit=""):
  if range_ is None:
    return ""
  ms, low, high = map(write, range_)
  return f"{ms}{unit} ({low} to {high})"


# ---- Markdown ----

def table(rows, fps):
  """Row by row, the last of which is the whole frame; and its share of the time
  between two frames, at so many frames a second."""
  whole = rows[-1]
  header = ["ms a frame", "dispatches", "workgroups", *(NAMES[scheme] for scheme in whole.gpu),
            "CPU, 1 thread", "4 threads"]
  lines = [[row.name, *map(count, (row.dispatches, row.workgroups)), *times(row, whole, cell)]
           for row in rows]
  for each in fps:
    def percent(range_):
      return cell(range_, lambda ms: f"{ms * each / 10:.0f}", " %")
    lines.append([f"of {1000 / each:.1f} ms ({each} a second)", "", "",
                  *times(whole, whole, percent)])
  return comparison.table(header, lines)


def count(number_):
  return f"{number_:.1f}".removesuffix(".0") if number_ else ""


def times(row, whole, write):
  """Cells of the columns that the whole frame has; empty where the row has none."""
  return [write(row.gpu[scheme]) if scheme in row.gpu else "" for scheme in whole.gpu] + [
      write(row.cpu[threads]) if threads in row.cpu else "" for threads in (1, 4)]


def markdown(clip, found, fps, params, source):
  """found: Prediction by type of frame; source: who counted instructions."""
  parts = [f"# {clip}", about(params, source)]
  for type_, of_type in found.items():
    sums = work.counts(of_type.frames)
    parts += [f"## {type_} frames: the mean of {len(of_type.frames)}",
              table(of_type.rows, fps),
              f"In all {sums['dispatches']} dispatches, {sums['barriers']} barriers, "
              f"{sums['workgroups']} workgroups, {sums['records']} records."]
    parts += [f"Not known: {warning}." for warning in of_type.warnings]
  return "\n\n".join(parts)


def about(params, source):
  in_flight = params.groups["gpu"]["workgroups_in_flight"]
  lines = ["**Predictions, not measurements.** In brackets: between which two the true time is "
           "taken to be, by the model's own error and the ranges of its parameters. Parsing is "
           "the CPU's in any case.",
           f"Workgroups at once on the GPU: {in_flight['value']} ({in_flight['source']})."]
  if source:
    lines.append(f"Instructions of the CPU: {source}.")
  return "\n".join(lines)


# ---- JSON ----

def as_json(clip, found, fps, params, source):
  return {"clip": clip, "prediction": True, "unit": "ms/frame", "instructions": source,
          "workgroups_in_flight": params.groups["gpu"]["workgroups_in_flight"],
          "types": {type_: type_json(of_type, fps) for type_, of_type in found.items()}}


def type_json(of_type, fps):
  return {"frames": len(of_type.frames),
          "counts": [work.counts([frame]) for frame in of_type.frames],
          "sums": work.counts(of_type.frames),
          "rows": [row_json(row) for row in of_type.rows],
          "share": {each: share_json(of_type.rows[-1], each) for each in fps},
          "not_known": of_type.warnings}


def row_json(row):
  return {"name": row.name, "dispatches": row.dispatches, "workgroups": row.workgroups,
          "gpu": {scheme: range_._asdict() for scheme, range_ in row.gpu.items()},
          "cpu": {threads: range_._asdict() for threads, range_ in row.cpu.items()}}


def share_json(whole, fps):
  """Fractions of the time between two frames, without their ranges."""
  return {"gpu": {scheme: range_.ms * fps / 1e3 for scheme, range_ in whole.gpu.items()},
          "cpu": {threads: range_.ms * fps / 1e3 for threads, range_ in whole.cpu.items()}}


# ---- docs/measurements ----

ENDS = {"ms": "", "low": "_least", "high": "_highest"}  # of a figure's name


def figures(row):
  """A row's figures by name: gpu_built, gpu_built_least, ..., cpu_4_highest."""
  found = {"dispatches": row.dispatches, "workgroups": row.workgroups}
  for kind, ranges in (("gpu", row.gpu), ("cpu", row.cpu)):
    for key, range_ in ranges.items():
      for end, suffix in ENDS.items():
        found[f"{kind}_{key}{suffix}"] = getattr(range_, end)
  return found


def keep(name, codec, clip, found, drivers):
  """A file of docs/measurements. drivers: whose compiler made the programs."""
  rows = [(type_, row) for type_, of_type in found.items() for row in of_type.rows]
  units = {key: "1" if key in ("dispatches", "workgroups") else "ms/frame"
           for _, row in rows for key in figures(row)}
  kept = record.Record(f"pi-model-{codec}", units, "count")
  kept.file["prediction"] = True
  for type_, row in rows:
    kept.add(figures(row), clip=clip, setting=f"{type_} frames", stage=row.name)
  kept.end("", cpu="Cortex-A76, by a model", gpu="V3D 7.1, by a model", cpus=4,
           system="none: a model", kernel="none: a model", compiler=drivers)
  kept.keep(name)


def rows_of(file, clip, type_):
  """The Rows that keep() has put into a file."""
  return [row_of(row["of"]["stage"], row["figures"]) for row in file["rows"]
          if row["of"]["clip"] == clip and row["of"]["setting"] == f"{type_} frames"]


def row_of(name, found):
  def range_of(key):
    return Range(*(found[key + suffix] for suffix in ENDS.values()))
  return Row(name, found["dispatches"], found["workgroups"],
             {scheme: range_of(f"gpu_{scheme}") for scheme in NAMES if f"gpu_{scheme}" in found},
             {threads: range_of(f"cpu_{threads}") for threads in (1, 4)
              if f"cpu_{threads}" in found})


def draw(files, fps=(30, 60)):
  """Tables of kept files for a page: of those that know the CPU's instructions each
  stage of inter frames, then whole frames of every clip."""
  order = figures_of.in_order(map(clip_of, files))
  files = sorted(files, key=lambda file: order.index(clip_of(file)))
  parts = []
  for file in files:
    rows = rows_of(file, file["rows"][0]["of"]["clip"], "inter")
    if rows and rows[-1].cpu:
      parts += [f"{clip_of(file)}, frames predicted from others "
                f"({figures_of.link(file)}):", table(rows, fps)]
  return "\n\n".join([*parts, "Whole frames on the GPU, of every clip:", whole_frames(files)])


def clip_of(file):
  return figures_of.short(file["rows"][0]["of"]["clip"])


def whole_frames(files):
  lines = []
  for file in files:
    for type_ in ("inter", "key"):
      rows = rows_of(file, file["rows"][0]["of"]["clip"], type_)
      if rows:
        lines.append([figures_of.link(file), type_, count(rows[-1].dispatches),
                      count(rows[-1].workgroups),
                      *(cell(rows[-1].gpu[scheme]) for scheme in NAMES)])
  return comparison.table(["clip", "frames", "dispatches", "workgroups",
                           *(f"ms: {name}" for name in NAMES.values())], lines)
