# SPDX-License-Identifier: BSD-2-Clause
"""params.json: values of the model's parameters, their ranges and sources."""
import copy
import json
import math
import os
import statistics

import record
from pi_model.simulator import Machine

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "params.json")
GROUPS = ("gpu", "cpu", "branches", "kernels")
COUNTS = ("qpus", "slices", "workgroups_in_flight")
# Parameters of a machine whose ranges are followed through the simulator.
VARIED = ("lookup_clocks", "word_clocks", "load_latency_clocks", "store_latency_clocks",
          "workgroup_clocks", "subgroup_clocks")


class ParameterError(Exception):
  """A file of parameters or a report is not as it should be."""


class Parameters:
  """Values by group and name. which: value, low or high; a parameter without a
  range has its value at both ends."""

  def __init__(self, groups):
    self.groups = groups

  def get(self, group, name, which="value"):
    entry = self.groups[group][name]
    return entry.get(which, entry["value"])

  def gpu(self, name, which="value"):
    return self.get("gpu", name, which)

  def cpu(self, name, which="value"):
    return self.get("cpu", name, which)

  def branches(self):
    return {name: entry["value"] for name, entry in self.groups["branches"].items()}

  def machine(self, **varied):
    """The GPU for the simulator; varied: "low" or "high" by name."""
    return Machine(**{name: self.gpu(name, varied.get(name, "value"))
                      for name in Machine._fields})

  def is_measured(self, kernel):
    return kernel in self.groups["kernels"]

  def kernel_factor(self, kernel):
    """What a measured time of the kernel is of the model's, and how far off a
    single one may be: (factor, (log of the low end, log of the high one))."""
    if not self.is_measured(kernel):
      return 1.0, (self.gpu("log_error", "low"), self.gpu("log_error", "high"))
    factor = self.get("kernels", kernel)
    return factor, tuple(math.log(self.get("kernels", kernel, end) / factor)
                         for end in ("low", "high"))


def read(path=None):
  with open(path or FILE, encoding="utf-8") as file:
    groups = json.load(file)
  missing = [group for group in GROUPS if group not in groups]
  if missing:
    raise ParameterError(f"{path}: no group {', '.join(missing)}")
  return Parameters(groups)


def text(groups):
  """JSON with a line for each parameter."""
  parts = [f' "about": {json.dumps(groups["about"])}'] if "about" in groups else []
  for group in GROUPS:
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}"
                       for name, entry in groups[group].items())
    parts.append(f' "{group}": {{' + (f"\n{lines}\n " if lines else "") + "}")
  return "{\n" + ",\n".join(parts) + "\n}\n"


# ---- what a real Pi measured ----

def correct(groups, report):
  """The groups with what the report measured instead of their values."""
  corrected = copy.deepcopy(groups)
  source = measured_by(report)
  for group in GROUPS:
    for name, figure in report.get(group, {}).items():
      if group != "kernels" and name not in groups[group]:
        raise ParameterError(f"{group}: no parameter {name}; there are "
                             f"{', '.join(groups[group])}")
      corrected[group][name] = entry_of(name, figure) | {"source": source}
  return corrected


def measured_by(report):
  try:
    return f"measured: {report['machine']['name']}, {report['date']}"
  except (KeyError, TypeError):
    raise ParameterError("a report has machine.name and date") from None


def entry_of(name, figure):
  """{"value", "low", "high"} of a figure, which is such or a list of samples: their
  median, the least and the greatest."""
  if isinstance(figure, list) and figure:
    check_numbers(name, figure)
    figure = {"value": statistics.median(figure), "low": min(figure), "high": max(figure)}
  if not isinstance(figure, dict) or "value" not in figure:
    raise ParameterError(f"{name}: neither samples nor a value")
  entry = {key: figure.get(key, figure["value"]) for key in ("value", "low", "high")}
  check_numbers(name, entry.values())
  if not entry["low"] <= entry["value"] <= entry["high"]:
    raise ParameterError(f"{name}: {entry['value']} is not within {entry['low']} to "
                         f"{entry['high']}")
  write = int if name in COUNTS else record.rounded
  return {key: write(value) for key, value in entry.items()}


def check_numbers(name, values):
  for value in values:
    if type(value) not in (int, float) or value <= 0 or not math.isfinite(value):
      raise ParameterError(f"{name}: {value!r} is not a number above 0")
    if name in COUNTS and value != int(value):
      raise ParameterError(f"{name}: {value} is not a whole number")
