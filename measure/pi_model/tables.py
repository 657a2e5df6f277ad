# SPDX-License-Identifier: BSD-2-Clause
"""A prediction as Markdown and as JSON."""
import comparison
from pi_model import prediction, work

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

class Table:
  """Frames of a type. fps: for which the share of a frame's time is said."""

  def __init__(self, found, schemes, fps, params):
    self.found, self.schemes, self.fps, self.params = found, schemes, fps, params

  def text(self):
    header = ["ms a frame", "dispatches", "workgroups",
              *(NAMES[scheme] for scheme in self.schemes), "CPU, 1 thread", "4 threads"]
    rows = [self.row(row) for row in (*self.found.rows, self.found.whole)]
    return comparison.table(header, rows + [self.share(fps) for fps in self.fps])

  def row(self, row):
    frames = len(self.found.frames)
    counts = [f"{row.counts[key] / frames:.1f}".removesuffix(".0") if row.counts else ""
              for key in ("dispatches", "workgroups")]
    gpu = [cell(row.gpu[scheme]) if scheme in row.gpu else "" for scheme in self.schemes]
    return [row.name, *counts, *gpu, *map(cell, self.cpu(row))]

  def cpu(self, row):
    """One thread and four."""
    return row.cpu, row.cpu and prediction.four_threads(self.params, row.cpu)

  def share(self, fps):
    """How much of the time between two frames the GPU, one core and four take."""
    def percent(range_):
      return cell(range_, lambda ms: f"{ms * fps / 10:.0f}", " %")
    whole = self.found.whole
    return [f"of {1000 / fps:.1f} ms ({fps} a second)", "", "",
            *(percent(whole.gpu[scheme]) for scheme in self.schemes),
            *map(percent, self.cpu(whole))]


def markdown(clip, found, schemes, fps, params, source):
  """found: Prediction by type of frame; source: who counted instructions."""
  parts = [f"# {clip}", about(params, source)]
  for type_, of_type in found.items():
    counts = of_type.whole.counts
    parts += [f"## {type_} frames: the mean of {len(of_type.frames)}",
              Table(of_type, schemes, fps, params).text(),
              f"In all {counts['dispatches']} dispatches, {counts['barriers']} barriers, "
              f"{counts['workgroups']} workgroups, {counts['records']} records."]
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

def as_json(clip, found, schemes, fps, params, source):
  return {"clip": clip, "prediction": True, "unit": "ms/frame", "instructions": source,
          "workgroups_in_flight": params.groups["gpu"]["workgroups_in_flight"],
          "types": {type_: type_json(of_type, schemes, fps, params)
                    for type_, of_type in found.items()}}


def type_json(of_type, schemes, fps, params):
  return {"frames": len(of_type.frames),
          "counts": [work.counts([frame]) for frame in of_type.frames],
          "stages": [row_json(row, schemes, params) for row in of_type.rows],
          "whole": row_json(of_type.whole, schemes, params),
          "share": {str(each): share_json(of_type.whole, schemes, each, params)
                    for each in fps},
          "not_known": of_type.warnings}


def row_json(row, schemes, params):
  content = {"name": row.name, "counts": row.counts,
             "gpu": {scheme: row.gpu[scheme]._asdict() for scheme in schemes
                     if scheme in row.gpu}}
  if row.cpu:
    content["cpu"] = {"1": row.cpu._asdict(),
                      "4": prediction.four_threads(params, row.cpu)._asdict()}
  return content


def share_json(whole, schemes, fps, params):
  """Fractions of the time between two frames, without their ranges."""
  shares = {scheme: whole.gpu[scheme].ms * fps / 1e3 for scheme in schemes}
  if whole.cpu:
    shares["cpu 1"] = whole.cpu.ms * fps / 1e3
    shares["cpu 4"] = prediction.four_threads(params, whole.cpu).ms * fps / 1e3
  return shares
