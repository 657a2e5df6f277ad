# SPDX-License-Identifier: BSD-2-Clause
"""points.json: what others measured, beside what the model says of it."""
import json
import math
import os

import comparison
from pi_model import simulator, steps

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "points.json")
NS = {"ns/block": 1, "ns/edge": 1, "s": 1e9}


class Result:
  """A point and the model's clocks of one of its workgroups."""

  def __init__(self, point, machine):
    self.point = point
    self.measured = measured_clocks(point)
    self.model = model_clocks(point, machine) if "subgroups" in point else None

  def ratio(self):
    return self.model / self.measured

  def counts(self):
    return "outlier" not in self.point

  def is_within(self):
    """An outlier is: nobody is held to it."""
    return not self.counts() or abs(math.log(self.ratio())) <= math.log(self.point["bound"])


def read(path=FILE):
  with open(path, encoding="utf-8") as file:
    return json.load(file)["points"]


def measured_clocks(point):
  """Clocks of a workgroup, of a time that may be of a block."""
  total = point["published"] * NS[point["unit"]] * point["items"]
  return (total - point["outside_us"] * 1e3) / point["workgroups"] * point["clock_ghz"]


def model_clocks(point, machine):
  programs = []
  for subgroups in point["subgroups"]:
    parsed = steps.steps_of(steps.parse(subgroups["steps"]))
    programs += [parsed] * subgroups["count"]
  begin = machine.workgroup_clocks
  return begin + (simulator.clocks(programs, machine) - begin) * point["rounds"]


def rms(results):
  """The root of the mean square of log(model / published): about the relative error."""
  squares = [math.log(result.ratio()) ** 2 for result in results]
  return math.sqrt(sum(squares) / len(squares)) if squares else 0.0


def table(results):
  rows = []
  for result in results:
    point = result.point
    rows.append([
        point["name"], f"{point['published']:g} {point['unit']}",
        f"{result.measured:.0f}", f"{result.model:.0f}" if result.model else "",
        f"{result.ratio():.2f}" if result.model else "",
        f"{point['left_out']:.2f}" if "left_out" in point else "",
        verdict(result)])
  return comparison.table(["point", "published", "clocks of a workgroup", "model",
                           "model / published", "left out of the fit", "bound"], rows)


def verdict(result):
  if not result.counts():
    return "outlier"
  return f"{result.point['bound']:g}" + ("" if result.is_within() else ": **outside**")


def check(machine):
  """(Markdown, whether every point is within its bound)"""
  results = [Result(point, machine) for point in read()]
  lines = [table(results), ""]
  for kind in dict.fromkeys(result.point["kind"] for result in results):
    of_kind = [result for result in results if result.point["kind"] == kind and result.counts()]
    lines.append(f"{kind}: {len(of_kind)} points, rms error {100 * rms(of_kind):.0f} %")
  lines += [f"outlier {result.point['name']}: {result.point['outlier']}"
            for result in results if not result.counts()]
  return "\n".join(lines), all(result.is_within() for result in results)
