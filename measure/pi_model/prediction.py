# SPDX-License-Identifier: BSD-2-Clause
"""Times of frames: of the GPU by simulation, of the CPU by counted instructions.

  frame    = submit + sum over dispatches (dispatch + runs of its workgroups)
  CPU, ms  = instructions in millions / instructions a clock / GHz
"""
import math
from collections import Counter
from typing import NamedTuple

from pi_model import parameters, simulator, walks, work

SUBGROUP = 16
# Subgroups of a workgroup where the programs are put into wider ones.
WIDE = {"wide": 16, "wide192": 12}
SCHEMES = {
    "built": "the workgroups as they are",
    "wide": "the same programs, 256 lanes a workgroup",
    "wide192": "the same programs, 192 lanes: one subgroup on each QPU",
    "patched": "a driver that fills the GPU",
}
# A dispatch's last workgroup may be smaller: sizes that are simulated.
SIZES = (1, 2, 4, 8, 12, 16)
LOOP_FILTER_PLANES = ("luma", "chroma")  # by the workgroup's y


class Range(NamedTuple):
  """A time in ms, and between which two the true one is taken to be."""
  ms: float
  low: float
  high: float

  def plus(self, other):
    return Range(*(a + b for a, b in zip(self, other)))

  def over(self, frames):
    return Range(*(value / frames for value in self))


NOTHING = Range(0.0, 0.0, 0.0)


class Load(NamedTuple):
  """Workgroups that begin together: flight of them, of so many subgroups each."""
  program: tuple  # shader, constants
  plane: str
  subgroups: int
  flight: int


class Simulated:
  """Clocks of loads, each simulated once for each machine."""

  def __init__(self, programs, rates):
    self.programs, self.rates = programs, rates
    self.known, self.known_traces = {}, {}
    self.warnings = []

  def traces(self, load):
    key = load.program, load.plane
    if key not in self.known_traces:
      dispatch = dict(zip(("shader", "constants"), load.program))
      found, warning = walks.traces(self.programs.get(*load.program), dispatch,
                                    load.plane, self.rates)
      self.known_traces[key] = found
      if warning and warning not in self.warnings:
        self.warnings.append(warning)
    return self.known_traces[key]

  def threads(self, program):
    return self.programs.get(*program).threads

  def clocks(self, load, machine, once=False):
    """Mean of several mixtures of the program's traces; once: of a single one."""
    key = load, machine, once
    if key not in self.known:
      traces = self.traces(load)
      subgroups = load.subgroups * load.flight
      samples = 1 if once or len(traces) == 1 else mixtures(subgroups)
      self.known[key] = sum(
          simulator.clocks(mixture(traces, sample, subgroups), machine, load.subgroups)
          for sample in range(samples)) / samples
    return self.known[key]


def mixtures(subgroups):
  return 4 if subgroups >= 16 else 8 if subgroups > 1 else 16


def mixture(traces, sample, subgroups):
  return [traces[(7 * sample + 5 * number) % len(traces)] for number in range(subgroups)]


# ---- which workgroups run together ----

def parts(dispatch):
  """(plane, workgroups) of a dispatch; only of the loop filter the plane matters."""
  x, y = dispatch["groups"]
  if walks.stem(dispatch["shader"]) == "vp9/loop_filter":
    return [(plane, x) for plane in LOOP_FILTER_PLANES[:y]]
  return [("luma", x * y)]


def loads(dispatch, scheme, in_flight, capacity):
  """Counter of the Loads that come one after the other. capacity: threads of the
  GPU that the program can have."""
  found = Counter()
  subgroups = -(-dispatch["lanes"] // SUBGROUP)
  for plane, count in parts(dispatch):
    def add(size, flight, runs):
      if runs:
        found[Load(work.program_of(dispatch), plane, size, flight)] += runs
    if scheme in WIDE:
      full, rest = divmod(subgroups * count, WIDE[scheme])
      add(WIDE[scheme], in_flight, full / in_flight)
      add(simulated_size(rest), 1, 1 if rest else 0)
    else:
      most = in_flight if scheme == "built" else max(1, capacity // subgroups)
      flight = min(most, power_of_two(count))
      add(subgroups, flight, max(1, count / flight) if count else 0)
  return found


def simulated_size(subgroups):
  return next(size for size in SIZES if size >= subgroups)


def power_of_two(count):
  """The first that is not less."""
  return 1 << max(0, count - 1).bit_length()


# ---- times of stages ----

class Stage:
  """One kernel's work in frames of a type, by one scheme."""

  def __init__(self, kernel, loads_, dispatches):
    self.kernel, self.loads, self.dispatches = kernel, loads_, dispatches

  def clocks(self, simulated, machine, once=False):
    return sum(runs * simulated.clocks(load, machine, once)
               for load, runs in self.loads.items())

  def time(self, simulated, params):
    """All of the frames together."""
    factor, own = params.kernel_factor(self.kernel)
    ms = factor * self.clocks(simulated, params.machine()) / (params.gpu("clock_ghz") * 1e6)
    low, high = self.error(simulated, params, own)
    return Range(ms, ms * math.exp(-low), ms * math.exp(high)).plus(
        Range(*(self.dispatches * params.gpu("dispatch_us", end) / 1e3
                for end in ("value", "low", "high"))))

  def error(self, simulated, params, own):
    """Logarithms of the factors by which the stage may be faster, and slower: the
    model's own error and those of the parameters, which are taken to be
    independent of each other. A measured kernel has its own range alone."""
    if params.is_measured(self.kernel):
      return tuple(map(abs, own))
    changes = [own, tuple(math.log(params.gpu("clock_ghz") / params.gpu("clock_ghz", end))
                          for end in ("high", "low"))]
    base = self.clocks(simulated, params.machine(), once=True)
    for name in parameters.VARIED if base else ():
      ends = [math.log(self.clocks(simulated, params.machine(**{name: end}), once=True) / base)
              for end in ("low", "high")]
      changes.append((min(ends + [0.0]), max(ends + [0.0])))
    return tuple(math.sqrt(sum(change[end] ** 2 for change in changes)) for end in (0, 1))


def stages(frames, scheme, simulated, params):
  """Stage by kernel, in the order of their work."""
  in_flight, threads = params.gpu("workgroups_in_flight"), params.gpu("qpus")
  found = {}
  for frame in frames:
    for stage in frame["stages"]:
      of_kernel = found.setdefault(stage["kernel"], Stage(stage["kernel"], Counter(), 0))
      for dispatch in work.dispatches(stage):
        capacity = threads * simulated.threads(work.program_of(dispatch))
        of_kernel.loads.update(loads(dispatch, scheme, in_flight, capacity))
        of_kernel.dispatches += 1
  return found


def submit(params):
  return Range(*(params.gpu("submit_us", end) / 1e3 for end in ("value", "low", "high")))


def cpu_time(params, ipc, millions):
  """One thread's time for so many instructions."""
  clock = params.cpu("clock_ghz")
  return Range(*(millions / (params.cpu(ipc, end) * clock)
                 for end in ("value", "high", "low")))


def four_threads(params, time):
  return Range(time.ms / params.cpu("speedup_4"),
               time.low / params.cpu("speedup_4", "high"),
               time.high / params.cpu("speedup_4", "low"))


# ---- frames of a type ----

class Row(NamedTuple):
  """A stage, or the whole frame. gpu: Range by scheme; cpu: Range by threads."""
  name: str
  dispatches: float  # a frame
  workgroups: float
  gpu: dict
  cpu: dict


class Prediction:
  """The mean of frames of a type. rows: stages, at last the whole frame."""

  def __init__(self, frames, rows, warnings):
    self.frames, self.rows, self.warnings = frames, rows, warnings


def predict(frames, schemes, programs, params, instructions=None):
  """instructions: an Instructions, or None where nobody counted."""
  rates = walks.Rates(work.loop_filter_rates(frames), work.intra_rates(frames),
                      params.branches(), work.subgroups(frames))
  simulated = Simulated(programs, rates)
  by_scheme = {scheme: stages(frames, scheme, simulated, params) for scheme in schemes}
  rows = []
  for kernel in by_scheme[schemes[0]]:
    gpu = {scheme: found[kernel].time(simulated, params).over(len(frames))
           for scheme, found in by_scheme.items()}
    cpu = {} if instructions is None else by_threads(
        params, cpu_time(params, "ipc_simd", instructions.kernels.get(kernel, 0.0)))
    rows.append(Row(kernel, *counts_a_frame(only(frames, kernel)), gpu, cpu))
  if instructions:
    rows.append(Row("parsing", 0, 0, {}, by_threads(
        params, cpu_time(params, "ipc_parse", instructions.parsing))))
  rows.append(whole(rows, frames, params))
  return Prediction(frames, rows, simulated.warnings)


def only(frames, kernel):
  """The frames with that kernel's stages alone."""
  return [{"stages": [stage for stage in frame["stages"] if stage["kernel"] == kernel]}
          for frame in frames]


def counts_a_frame(frames):
  sums = work.counts(frames)
  return sums["dispatches"] / len(frames), sums["workgroups"] / len(frames)


def by_threads(params, time):
  return {1: time, 4: four_threads(params, time)}


def whole(rows, frames, params):
  """All stages, on the GPU with one submit."""
  gpu = {scheme: total([row.gpu[scheme] for row in rows if row.gpu], submit(params))
         for scheme in rows[0].gpu} if rows else {}
  cpu = {threads: total([row.cpu[threads] for row in rows])
         for threads in (rows[0].cpu if rows else {})}
  return Row("all, with a submit", *counts_a_frame(frames), gpu, cpu)


def total(ranges, begin=NOTHING):
  for range_ in ranges:
    begin = begin.plus(range_)
  return begin
