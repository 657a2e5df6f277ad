# SPDX-License-Identifier: BSD-2-Clause
"""From what measure/pi-report measured to figures of params.json.

REPORT.json of pi-report has date, machine and "parts", each of which has its
samples, or says in "left_out" why it has none:

  gpu_probe      what perdix-gpu-probe printed: cases, each with "ns" of all
                 repeats, and cpu_reads; "compiled", v3dv's statistics of its
                 programs
  kernels        "bench", what perdix-bench printed, and "work", a WORK.json of
                 the same frames
  cpu            "seconds" by threads; "profile", instructions and cycles of
                 kernels and of parsing; "conditions", clocks among them; "stat", of
                 perf stat, for people only, as are
  node, players

Closed forms, with B subgroups in a workgroup, all in clocks of the GPU:

  clock_ghz             of the chain of arithmetic, in one workgroup: an iteration's
                        instructions x instruction_clocks over its time
  workgroups_in_flight  the number F for which an iteration of many workgroups
                        takes nearest to ceil(B F / QPUs) / F of that
  workgroup_clocks,     what many workgroups take beside their instructions is a
  subgroup_clocks       line in B, if one is in flight
  lookup_clocks,        what an access must occupy its TMU so that the simulator
  word_clocks           takes as long for loads: a line in their words
  load_latency_clocks,  what they must be so that it takes as long for a chain of
  store_latency_clocks  loads, and for stores that are waited for

The simulator is given what the Pi's compiler makes of the probe's loops
(probe.json). A value is the median of the repeats and its range are their tenths
at both ends; where that says too little, functions here say what else is in it.
A kernel's figure is the time on the GPU that perdix-bench measured, less
dispatch_us for each dispatch, over the time of the model's workgroups.
"""
import functools
import json
import math
import os
import statistics

from pi_model import parameters, prediction, programs, simulator, steps, work

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "probe.json")
GPU = "V3D 7.1"
THREADS = 4     # of a QPU, that the chain of arithmetic can have
SUBGROUP = 16
WORDS = (1, 2, 4)
# A clip whose rows are this long has work for four threads.
WIDE_CLIP = 1280
# The number of workgroups in flight is not told by times that are further off.
MOST_OFF = math.log(1.25)
TURNS = 5       # of the parameters that depend on each other


class NotTold(Exception):
  """The samples do not tell a figure."""


# ---- samples ----

class Probe:
  """Cases of perdix-gpu-probe."""

  def __init__(self, content):
    self.content = content

  def cases(self, name, **fields):
    """Those with these values, the shortest loop first."""
    found = [case for case in self.content["cases"] if case["name"] == name and "ns" in case
             and all(case.get(key) == value for key, value in fields.items())]
    if not found:
      raise NotTold(self.why_none(name))
    return sorted(found, key=lambda case: case["iterations"])

  def why_none(self, name):
    reasons = [case["left_out"] for case in self.content["cases"]
               if case["name"] == name and "left_out" in case]
    return f"{name}: {reasons[0]}" if reasons else f"no samples of {name}"

  def nanoseconds(self, name, **fields):
    return self.cases(name, **fields)[0]["ns"]

  def iteration(self, name, **fields):
    """Nanoseconds of an iteration of one workgroup."""
    cases = self.cases(name, groups=1, **fields)
    return differences(cases[-1]["ns"], cases[0]["ns"],
                       cases[-1]["iterations"] - cases[0]["iterations"])

  def many(self, lanes):
    """[(iterations, nanoseconds)] of one of many workgroups of arithmetic."""
    groups = max(case["groups"] for case in self.cases("arithmetic", lanes=lanes))
    return [(case["iterations"],
             differences(case["ns"], self.nanoseconds(
                 "arithmetic", lanes=lanes, groups=1, iterations=case["iterations"]),
                         groups - 1))
            for case in self.cases("arithmetic", lanes=lanes, groups=groups)]


def differences(longer, shorter, count):
  """By repeat, what one of count more things takes."""
  if count < 1:
    raise NotTold("only one length was measured")
  return [(a - b) / count for a, b in zip(longer, shorter)]


def median(samples):
  value = statistics.median(samples) if samples else 0
  if value <= 0:
    raise NotTold("noise is larger than what was measured")
  return value


def spread(samples):
  """A figure of params.json."""
  value = median(samples)
  ordered = sorted(sample for sample in samples if sample > 0)
  tenth = len(ordered) // 10
  return figure(value, ordered[tenth], ordered[-1 - tenth])


def per(amount, samples):
  """The amount over each time; a time of 0 is none."""
  return [amount / sample for sample in samples if sample > 0]


def figure(value, *others):
  """With a range that holds all of them."""
  return {"value": value, "low": min(value, *others), "high": max(value, *others)}


def line(points):
  """(at 0, slope) of the line with the least squares through [(x, y)]."""
  x, y = ([point[i] for point in points] for i in (0, 1))
  middle = statistics.mean(x)
  slope = (sum((a - middle) * b for a, b in points) /
           sum((a - middle) ** 2 for a in x))
  return statistics.mean(y) - slope * middle, slope


# ---- the simulator's part ----

@functools.lru_cache(maxsize=None)
def probe_json():
  with open(FILE, encoding="utf-8") as file:
    return json.load(file)


@functools.lru_cache(maxsize=None)
def loop(name, iterations):
  """Steps of a subgroup of the probe's program."""
  before, iteration, after = map(steps.parse, probe_json()["loops"][name])
  return steps.steps_of(before + iteration * iterations + after)


def loop_clocks(machine, name, subgroups, iterations):
  return simulator.clocks([loop(name, iterations)] * subgroups, machine)


def iteration_clocks(machine, name, subgroups):
  return (loop_clocks(machine, name, subgroups, 4) -
          loop_clocks(machine, name, subgroups, 2)) / 2


def solve(target, clocks_of):
  """The value for which an increasing function is the target, to a thousandth."""
  low, high = 0.01, 20000.0
  at_low, at_high = clocks_of(low), clocks_of(high)
  if not at_low < target < at_high:
    raise NotTold(f"{target:.0f} clocks of an iteration, and the model has at least "
                  f"{at_low:.0f}")
  while high - low > 1e-3 * high:
    # The function is nearly straight in parts: a line between both ends, kept off them.
    share = (target - at_low) / (at_high - at_low)
    between = low + (high - low) * min(max(share, 0.02), 0.98)
    found = clocks_of(between)
    if abs(found - target) <= 1e-4 * target:
      return between
    if found < target:
      low, at_low = between, found
    else:
      high, at_high = between, found
  return (low + high) / 2


def occupied(machine, name, clocks):
  """How long each access of the program occupies its TMU, if an iteration of 16
  subgroups takes that many clocks."""
  return solve(clocks, lambda value: iteration_clocks(
      machine._replace(lookup_clocks=value, word_clocks=0), name, 16))


def access_line(machine, kind, clocks):
  """(lookup_clocks, word_clocks); clocks: of an iteration, by words."""
  found = line([(words, occupied(machine, f"{kind}_{words}", clocks[words]))
                for words in WORDS])
  if min(found) <= 0:
    raise NotTold(f"{kind} do not take longer by their words")
  return found


def latency(machine, name, parameter, clocks):
  return solve(clocks, lambda value: iteration_clocks(
      machine._replace(**{parameter: value}), name, 1))


# ---- the GPU ----

def submit(probe):
  return {"submit_us": spread([sample / 1e3 for sample in probe.nanoseconds("submit")])}


def dispatch(probe):
  """The value is with barriers, as most of perdix's dispatches have them; the range
  holds both."""
  def slope(barriers):
    few, many = (probe.nanoseconds("dispatches", dispatches=count, barriers=barriers)
                 for count in (10, 1000))
    return spread([sample / 1e3 for sample in differences(many, few, 990)])
  waiting, free = slope(True), slope(False)
  return {"dispatch_us": figure(waiting["value"], *waiting.values(), *free.values())}


def clock(probe, machine):
  """One subgroup: with more, others of the same QPU would have a share."""
  clocks = steps.instruction_count(loop("arithmetic", 2))
  clocks -= steps.instruction_count(loop("arithmetic", 1))
  clocks *= machine.instruction_clocks
  return {"clock_ghz": spread(per(clocks, probe.iteration("arithmetic", lanes=SUBGROUP)))}


def in_flight(probe, machine, ghz):
  """No range: it is a number that is right or wrong."""
  alone = iteration_clocks(machine, "arithmetic", 1)
  shares = {}
  for subgroups in sizes(probe):
    (few, shorter), *_, (more, longer) = probe.many(subgroups * SUBGROUP)
    shares[subgroups] = median(differences(longer, shorter, more - few)) * ghz / alone
  off = {count: off_by(shares, count, machine.qpus)
         for count in range(1, THREADS * machine.qpus + 1)}
  best = min(off, key=off.get)
  if off[best] > MOST_OFF:
    raise NotTold(f"times of workgroups fit no number at once: with {best} they are off "
                  f"by {math.exp(off[best]):.2f}")
  return {"workgroups_in_flight": {"value": best}}


def sizes(probe):
  """Subgroups of the workgroups of arithmetic."""
  return sorted({case["lanes"] // SUBGROUP for case in probe.cases("arithmetic")})


def off_by(shares, count, qpus):
  """Root of the mean square of the logarithms; shares: of the time that a workgroup
  alone takes, by subgroups."""
  squares = []
  for subgroups, share in shares.items():
    flight = min(count, THREADS * qpus // subgroups)
    squares.append(math.log(math.ceil(subgroups * flight / qpus) / flight / share) ** 2)
  return math.sqrt(statistics.mean(squares))


def begins(probe, machine, ghz):
  """workgroup_clocks, subgroup_clocks; subgroups that have a QPU each."""
  without = machine._replace(workgroup_clocks=0, subgroup_clocks=0)
  by_size = {}
  for subgroups in sizes(probe):
    if subgroups <= machine.qpus:
      iterations, samples = probe.many(subgroups * SUBGROUP)[0]
      busy = loop_clocks(without, "arithmetic", subgroups, iterations)
      by_size[subgroups - 1] = [sample * ghz - busy for sample in samples]
  lines = [line(list(zip(by_size, repeat))) for repeat in zip(*by_size.values())]
  return {"workgroup_clocks": spread([first for first, _ in lines]),
          "subgroup_clocks": spread([more for _, more in lines])}


def accesses(probe, machine, ghz):
  """Ranges: of lookup_clocks and word_clocks also with stores; the value of
  load_latency_clocks is that in the second largest memory, its ends are the hits of
  the smallest and the misses of the largest."""
  def clocks(kind):
    return {words: [sample * ghz for sample in
                    probe.iteration(f"{kind}_{words}", lanes=256)] for words in WORDS}

  def chained(case):
    return median(probe.iteration("load_chain", bytes=case["bytes"])) * ghz
  loads, chains = clocks("loads"), probe.cases("load_chain")
  by_bytes = {case["bytes"]: chained(case) for case in chains}
  *hits, middle, misses = (by_bytes[size] for size in sorted(by_bytes))
  medians = {words: median(samples) for words, samples in loads.items()}
  machine = settled(machine, medians, middle)
  latencies = [latency(machine, "load_chain", "load_latency_clocks", clocks)
               for clocks in (middle, misses, *hits)]
  lines = [(machine.lookup_clocks, machine.word_clocks)]
  lines += other_lines(machine, loads, clocks("stores"))
  return {"load_latency_clocks": figure(*latencies),
          "lookup_clocks": figure(*(first for first, _ in lines)),
          "word_clocks": figure(*(slope for _, slope in lines))}


def settled(machine, loads, chain):
  """The machine for which both take as long: each needs the other's parameters."""
  for _ in range(TURNS):
    lookup, word = access_line(machine, "loads", loads)
    machine = machine._replace(lookup_clocks=lookup, word_clocks=word)
    machine = machine._replace(load_latency_clocks=latency(
        machine, "load_chain", "load_latency_clocks", chain))
  return machine


def other_lines(machine, loads, stores):
  """Lines of the repeats in which loads took least and most, and of stores."""
  for kind, samples, end in (("loads", loads, "low"), ("loads", loads, "high"),
                             ("stores", stores, "value")):
    try:
      clocks = {words: spread(found)[end] for words, found in samples.items()}
      yield access_line(machine, kind, clocks)
    except NotTold:
      pass  # then it says nothing of the range


def stores_waited_for(probe, machine, ghz):
  found = spread(probe.iteration("store_wait"))
  return {"store_latency_clocks": {
      end: latency(machine, "store_wait", "store_latency_clocks", value * ghz)
      for end, value in found.items()}}


def bandwidth(probe):
  """Low: beside the CPU's copies."""
  def gbs(**fields):
    case = probe.cases("copy", lanes=256, **fields)[0]
    return spread(per(2 * case["bytes"], case["ns"]))
  alone, beside = gbs(cpu_threads=None), gbs(cpu_threads=4)
  return {"bandwidth_gbs": figure(alone["value"], *alone.values(), *beside.values())}


def readback(probe):
  for reads in probe.content["cpu_reads"]:
    if reads["memory"] == "device" and "ns" in reads:
      return {"readback_gbs": spread(per(reads["bytes"], reads["ns"]))}
  raise NotTold("the CPU does not see the GPU's memory")


# ---- figures, and why others are missing ----

class Figures:
  """What was told, by group and name, and why the rest was not."""

  def __init__(self):
    self.groups, self.left_out = {}, {}

  def take(self, group, names, make, *arguments):
    try:
      found = make(*arguments)
    except NotTold as why:
      self.left_out |= dict.fromkeys(names, str(why))
    else:
      self.groups.setdefault(group, {}).update(found)

  def value(self, group, name):
    return self.groups.get(group, {}).get(name, {}).get("value")

  def on(self, machine):
    """The machine with what was told."""
    found = self.groups.get("gpu", {})
    return machine._replace(**{name: found[name]["value"] for name in machine._fields
                               if name in found})


def gpu_figures(figures, content, machine):
  probe = Probe(content)
  figures.take("gpu", ("submit_us",), submit, probe)
  figures.take("gpu", ("dispatch_us",), dispatch, probe)
  figures.take("gpu", ("bandwidth_gbs",), bandwidth, probe)
  figures.take("gpu", ("readback_gbs",), readback, probe)
  figures.take("gpu", ("clock_ghz",), clock, probe, machine)
  ghz = figures.value("gpu", "clock_ghz")
  if ghz is None:
    figures.left_out["all that is in clocks"] = "no clock"
    return
  figures.take("gpu", ("workgroups_in_flight",), in_flight, probe, machine, ghz)
  names = ("workgroup_clocks", "subgroup_clocks")
  if figures.value("gpu", "workgroups_in_flight") == 1:
    figures.take("gpu", names, begins, probe, machine, ghz)
  else:
    figures.left_out |= dict.fromkeys(names, "only told with one workgroup at a time")
  figures.take("gpu", ("lookup_clocks", "word_clocks", "load_latency_clocks"),
               accesses, probe, machine, ghz)
  figures.take("gpu", ("store_latency_clocks",), stores_waited_for, probe,
               figures.on(machine), ghz)


# ---- the CPU ----

def instructions_a_clock(profile, what):
  counted = profile.get(what, {})
  if not counted.get("instructions") or not counted.get("cycles"):
    raise NotTold(profile.get("left_out", f"perf saw nothing of {what}"))
  return {"value": counted["instructions"] / counted["cycles"]}


def cpu_clock(content):
  """The fastest that was seen: between two parts it is slower."""
  seen = [clock for then in content.get("conditions", [])
          for clock in [then.get("arm_mhz", 0), *then.get("cpu_mhz", [])]]
  if not any(seen):
    raise NotTold("neither vcgencmd nor cpufreq says it")
  return {"clock_ghz": {"value": max(seen) / 1e3}}


def speedup(content):
  if content.get("width", 0) < WIDE_CLIP:
    raise NotTold(f"a clip of {content.get('width', 0)} pixels a row has little work for "
                  f"four threads: wanted are {WIDE_CLIP}")
  one, four = (content["seconds"][threads] for threads in ("1", "4"))
  return {"speedup_4": spread([a / b for a, b in zip(one, four) if b > 0])}


def cpu_figures(figures, content):
  figures.take("cpu", ("speedup_4",), speedup, content)
  figures.take("cpu", ("clock_ghz (CPU)",), cpu_clock, content)
  profile = content.get("profile", {})
  for name, what in (("ipc_simd", "kernels"), ("ipc_parse", "parsing")):
    figures.take("cpu", (name,), lambda: {name: instructions_a_clock(profile, what)})


# ---- kernels ----

def kernel_figures(figures, content, params, source):
  """params: corrected by all else that was told. source: of the programs."""
  if "left_out" in content["work"]:
    raise NotTold(content["work"]["left_out"])
  work.check(content["work"])
  frames = content["work"]["frames"]
  rates = prediction.walks.Rates(work.loop_filter_rates(frames), work.intra_rates(frames),
                                 params.branches())
  simulated = prediction.Simulated(programs.Programs(source), rates)
  by_kernel = prediction.stages(frames, "built", simulated, params)
  for row in content["bench"]["clips"][0]["kernels"]:
    if row["variant"] == "vulkan" and row["memory"] == "device":
      figures.take("kernels", (row["kernel"],), kernel_factor, row,
                   by_kernel.get(row["kernel"]), len(frames), simulated, params)


def kernel_factor(row, stage, frames, simulated, params):
  if "ns_per_frame" not in row:
    raise NotTold(f"not timed: {row['gate']} {row.get('reason', '')}".strip())
  if stage is None or not stage.dispatches:
    raise NotTold("the clip's work has none of it")
  modelled = (stage.clocks(simulated, params.machine()) /
              (params.gpu("clock_ghz") * 1e3) / frames)  # us, of a frame

  def factor(end):
    overhead = stage.dispatches / frames * params.gpu("dispatch_us", end)
    return (row["ns_per_frame"] / 1e3 - overhead) / modelled
  found = figure(factor("value"), factor("low"), factor("high"))
  if found["low"] <= 0:
    raise NotTold("its dispatches' cost is all that it takes")
  return {row["kernel"]: found}


# ---- all ----

def doubts(content):
  """Why figures of the GPU may be none of a Pi."""
  gpu = content["gpu"]
  if not gpu["name"].startswith(GPU):
    yield f"this is {gpu['name']}, not a {GPU}: no figure of it is a Pi's"
    return
  counts = {int(line.split()[0]) for line in content.get("compiled", [])}
  other = [f"{name} is not {count} instructions" for name, count in probe_json()[
      "instructions"].items() if count not in counts]
  if other:
    yield f"by {gpu['driver']} programs are not as in probe.json: {', '.join(other)}"


def figures_of(report, params, source):
  """(the report with the figures that its parts tell, {name: why not, or what to
  know of it}). A figure that the report already has stays. source: programs.Folder
  or Compiler."""
  figures, parts = Figures(), report.get("parts", {})

  def told():
    return report | {group: found | report.get(group, {})
                     for group, found in figures.groups.items()}

  def has(part):
    if part in parts and "left_out" not in parts[part]:
      return True
    if parts:
      figures.left_out[part] = parts.get(part, {}).get("left_out", "not in the report")
    return False
  if has("gpu_probe"):
    gpu_figures(figures, parts["gpu_probe"], params.machine())
    figures.left_out |= {"gpu": doubt for doubt in doubts(parts["gpu_probe"])}
  if has("cpu"):
    cpu_figures(figures, parts["cpu"])
  if has("kernels"):
    corrected = parameters.Parameters(parameters.correct(params.groups, told()))
    try:
      kernel_figures(figures, parts["kernels"], corrected, source)
    except (programs.ProgramError, NotTold) as why:
      figures.left_out["kernels"] = str(why)
  return told(), figures.left_out
