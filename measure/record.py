# SPDX-License-Identifier: BSD-2-Clause
"""A measurement as JSON: docs/measurements/<date>-<what>-<machine>.json.

schema.json says what is in such a file; README.md shows one.
"""
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import time

import comparison

FOLDER = os.path.join(comparison.ROOT, "docs", "measurements")
FORMAT = 1


def add_option(parser):
  parser.add_argument("--record", metavar="NAME",
                      help="keep the figures in docs/measurements, as this "
                      "machine's; or in a FILE.json")


class Record:
  """Figures of one run of a command, from its begin on."""

  def __init__(self, what, units, statistic, rounds=None):
    self.file = {"format": FORMAT, "what": what, "date": time.strftime("%Y-%m-%d"),
                 "revision": comparison.revision(), "machine": {},
                 "load": [round(os.getloadavg()[0], 1)],
                 "command": plain(sys.argv), "statistic": statistic}
    if rounds:
      self.file["rounds"] = rounds
    self.file.update(units=units, rows=[])

  def add(self, figures, note=None, **of):
    """A row. of: clip, decoder, threads ...; what is None or "" is left out."""
    row = {"of": {key: value for key, value in of.items() if value not in (None, "")},
           "figures": {key: rounded(value) for key, value in figures.items()}}
    if note:
      row["note"] = note
    self.file["rows"].append(row)

  def end(self, program, **machine):
    """Once all is measured: what is known of machine and program, a file."""
    self.file["load"].append(round(os.getloadavg()[0], 1))
    known = this_machine() | {"compiler": compiler(program)} | machine
    self.file["machine"] = {key: value for key, value in known.items() if value}
    return self.file

  def keep(self, name):
    """Writes the file, if --record said where."""
    if not name:
      return
    path = name
    if not name.endswith(".json"):
      self.file["machine"]["name"] = name
      path = os.path.join(FOLDER, file_name(self.file, name))
    comparison.write(path, text(self.file))
    comparison.say(f"wrote {os.path.relpath(path)}")


def file_name(file, machine, detail=""):
  """detail: what tells a part of a run from the others of that day."""
  words = [file["date"], file["what"], detail, machine]
  return "-".join(filter(None, words)) + ".json"


def text(file):
  """JSON with a line for each row, which are last."""
  rows = ",\n".join("  " + json.dumps(row) for row in file["rows"])
  head = {key: value for key, value in file.items() if key != "rows"}
  head = json.dumps(head | {"rows": []}, indent=1)
  return head.removesuffix("[]\n}") + "[\n" + rows + "\n ]\n}\n"


def read_all(folder=FOLDER):
  """All files, the oldest first."""
  files = []
  for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
    with open(path, encoding="utf-8") as file:
      files.append(json.load(file) | {"path": path})
  return files


def rounded(value):
  """Five digits are more than any figure here is good for; counts stay whole."""
  return value if isinstance(value, int) else float(f"{value:.5g}")


def plain(words):
  """A command line without the paths of the machine that it ran on."""
  above = os.path.dirname(comparison.ROOT)

  def shorten(word):
    option, equals, path = word.rpartition("=")
    if path.startswith(comparison.ROOT + "/"):
      path = path[len(comparison.ROOT) + 1:]
    elif path.startswith(above + "/"):
      path = "../" + path[len(above) + 1:]
    elif path.startswith("/"):
      path = os.path.basename(path)
    return shlex.quote(option + equals + path)
  return " ".join([shorten(os.path.abspath(words[0])), *map(shorten, words[1:])])


def this_machine():
  with open("/etc/os-release") as file:
    system = re.search(r'^PRETTY_NAME="?([^"\n]*)', file.read(), re.MULTILINE)
  return {"name": "unnamed", "cpu": cpu_model(), "cpus": len(os.sched_getaffinity(0)),
          "system": system[1] if system else "unknown",
          "kernel": os.uname().release}


def cpu_model():
  with open("/proc/cpuinfo") as file:
    found = re.search(r"^(?:model name|Model)\s*: (.*\S)", file.read(), re.MULTILINE)
  return found[1] if found else os.uname().machine


def compiler(program):
  """What made a program, as it says itself."""
  try:
    done = subprocess.run(["readelf", "--string-dump=.comment", program], text=True,
                          capture_output=True)
  except FileNotFoundError:
    return "unknown"
  found = re.findall(r"\]  (.*\S)", done.stdout)
  return ", ".join(sorted(set(found))) or "unknown"
