# SPDX-License-Identifier: BSD-2-Clause
"""WORK.json: the GPU work of a clip's frames, as the package's docstring says."""
import json

KEYS = {"shader": str, "constants": list, "lanes": int, "groups": list, "records": int}
CODECS = ("vp9", "av1")
EDGES = ("rounds", "edge", "edge_8", "edge_16", "inner")


class WorkError(Exception):
  """A file is not as the package's docstring says."""


class Work:
  """frames: in decoding order."""

  def __init__(self, content):
    self.clip, self.codec = content["clip"], content["codec"]
    self.frames = content["frames"]

  def frames_of(self, type_):
    return [frame for frame in self.frames if frame["type"] == type_]

  def programs(self):
    """(shader, constants) of each program, once, in the order of their first use."""
    return list(dict.fromkeys(
        program_of(dispatch) for frame in self.frames for stage in frame["stages"]
        for dispatch in dispatches(stage)))


def program_of(dispatch):
  return dispatch["shader"], tuple(dispatch["constants"])


def dispatches(stage):
  return [item for item in stage["work"] if item != "barrier"]


def workgroups(dispatch):
  x, y = dispatch["groups"]
  return x * y


def counts(frames):
  """What a GPU is given for the frames: simply sums of the file."""
  stages = [stage for frame in frames for stage in frame["stages"]]
  given = [dispatch for stage in stages for dispatch in dispatches(stage)]
  return {"dispatches": len(given),
          "barriers": sum(len(stage["work"]) for stage in stages) - len(given),
          "workgroups": sum(map(workgroups, given)),
          "records": sum(dispatch["records"] for dispatch in given),
          "scratch_bytes": sum(stage["scratch_bytes"] for stage in stages),
          "staged_bytes": sum(stage["staged_bytes"] for stage in stages)}


def loop_filter_rates(frames):
  """Sums of the frames' counts, by plane and direction."""
  sums = {}
  for frame in frames:
    for pass_, found in frame.get("loop_filter", {}).items():
      of_pass = sums.setdefault(pass_, dict.fromkeys(EDGES, 0))
      for name in EDGES:
        of_pass[name] += found[name]
  return {pass_: found for pass_, found in sums.items() if found["rounds"]}


def subgroups(frames):
  """Sums of the counts of AV1's programs."""
  sums = {}
  for frame in frames:
    for stage in frame["stages"]:
      for dispatch in dispatches(stage):
        of_program = sums.setdefault(program_of(dispatch), {})
        for what, count in dispatch.get("subgroups", {}).items():
          of_program[what] = of_program.get(what, 0) + count
  return sums


def intra_rates(frames):
  """Sums of the frames' blocks and modes; the mean of the shares with a residual."""
  blocks, modes, residual, count = {}, {}, 0.0, 0
  for frame in frames:
    intra = frame.get("intra", {})
    here = intra.get("blocks", [])
    for block in here:
      key = block["plane"], block["size"]
      blocks[key] = blocks.get(key, 0) + block["count"]
    for mode, number in intra.get("modes", {}).items():
      modes[mode] = modes.get(mode, 0) + number
    if "residual" in intra:
      weight = sum(block["count"] for block in here)
      residual, count = residual + weight * intra["residual"], count + weight
  rates = {"blocks": [{"plane": plane, "size": size, "count": number}
                      for (plane, size), number in blocks.items() if number]}
  if any(modes.values()):
    rates["modes"] = modes
  if count:
    rates["residual"] = residual / count
  return rates


def read(path):
  with open(path, encoding="utf-8") as file:
    content = json.load(file)
  try:
    check(content)
  except KeyError as error:
    raise WorkError(f"{path}: lacks {error}") from None
  except (TypeError, ValueError) as error:
    raise WorkError(f"{path}: {error}") from None
  return Work(content)


def check(content):
  """Raises KeyError, TypeError or ValueError."""
  if content["codec"] not in CODECS or not content["clip"]:
    raise ValueError(f"codec {content['codec']!r}, clip {content['clip']!r}")
  for number, frame in enumerate(content["frames"]):
    if frame["type"] not in ("key", "inter"):
      raise ValueError(f"frame {number}: type {frame['type']}, not key or inter")
    for stage in frame["stages"]:
      for dispatch in dispatches(stage):
        check_dispatch(f"frame {number}, {stage['kernel']}", dispatch)


def check_dispatch(where, dispatch):
  for key, type_ in KEYS.items():
    if not isinstance(dispatch[key], type_):
      raise TypeError(f"{where}: {key} is {dispatch[key]!r}")
  if not 1 <= dispatch["lanes"] <= 256:
    raise ValueError(f"{where}: {dispatch['lanes']} lanes, not 1 to 256")
  if len(dispatch["groups"]) != 2:
    raise ValueError(f"{where}: groups are {dispatch['groups']}, not x and y")
