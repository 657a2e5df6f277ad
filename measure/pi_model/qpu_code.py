# SPDX-License-Identifier: BSD-2-Clause
"""QPU assembly, as `spvstat -q` prints it: its control flow, and what a thread
executes of it."""
import re

from pi_model.steps import Access, Instruction, steps_of

BRANCH = re.compile(r"bu?(?:\.(?P<condition>\w+))?\s+(?P<bytes>-?\d+)")
BYTES = 8         # of an instruction
DELAY_SLOTS = 3   # instructions behind a branch that are executed in any case
# More than any program of ours executes in a subgroup.
MOST = 200000


class CodeError(Exception):
  """A program does not have the shape that a walk knows."""


class Branch:
  """A jump; its target is an index, and may be the end of the program."""

  def __init__(self, index, bytes_, condition):
    self.index, self.condition = index, condition
    self.target = index + 1 + DELAY_SLOTS + bytes_ // BYTES

  def is_backward(self):
    return self.target <= self.index

  def is_conditional(self):
    return self.condition is not None

  def skips(self, other):
    """Whether the other branch is not met if this one is taken."""
    return self.index + DELAY_SLOTS < other.index < self.target


class Loop:
  """Instructions from first to last, the branch back."""

  def __init__(self, first, last, exit_branch):
    self.first, self.last, self.exit = first, last, exit_branch

  def holds(self, index):
    return self.first <= index <= self.last

  def is_inside(self, other):
    return other is not self and other.first <= self.first and self.last <= other.last


SAID = re.compile(r"^# (threads|driver): (.+)$", re.M)


class Program:
  """A shader as the Pi's compiler made it: lines of assembly, and those that
  programs.compile_program puts before them. threads: of a QPU, at most."""

  def __init__(self, text):
    self.lines = [line for line in text.splitlines() if line and is_code(line)]
    said = dict(SAID.findall(text))
    self.threads = int(said.get("threads", 4))
    self.driver = said.get("driver", "unknown")
    self.instructions = [read_instruction(line) for line in self.lines]
    found = ((index, BRANCH.match(line)) for index, line in enumerate(self.lines))
    self.branches = {index: Branch(index, int(match["bytes"]), match["condition"])
                     for index, match in found if match}
    self.loops = self.find_loops()

  def __len__(self):
    return len(self.lines)

  def find_loops(self):
    """In program order, outer ones first."""
    backward = [branch for branch in self.branches.values() if branch.is_backward()]
    loops = [Loop(branch.target, branch.index, self.find_exit(branch))
             for branch in backward]
    return sorted(loops, key=lambda loop: (loop.first, -loop.last))

  def find_exit(self, back):
    """The conditional branch that leaves the loop, if it is not the one back."""
    if back.is_conditional():
      return back
    exits = [branch for index, branch in self.branches.items()
             if back.target <= index < back.index and branch.is_conditional() and
             branch.target > back.index]
    return exits[0] if exits else None

  def loops_in(self, first, end):
    """Loops that are whole within instructions first to end - 1."""
    return [loop for loop in self.loops if first <= loop.first and loop.last < end]

  def outer_loops(self):
    return [loop for loop in self.loops
            if not any(loop.is_inside(other) for other in self.loops)]

  def loop_exits(self):
    return {loop.exit.index: loop for loop in self.loops if loop.exit}

  def conditions(self, first=0, end=None):
    """Conditional forward branches within the instructions that neither leave a
    loop nor skip padding, in program order."""
    exits = self.loop_exits()
    return [branch for index, branch in sorted(self.branches.items())
            if first <= index < (len(self) if end is None else end) and
            branch.is_conditional() and not branch.is_backward() and
            index not in exits and not self.skips_padding(branch)]

  def skips_padding(self, branch):
    """Whether it skips a store of 0 alone, which never happens: a shader has it so
    that the compiler ends a block of instructions there (END_BLOCK)."""
    body = self.lines[branch.index + 1 + DELAY_SLOTS:branch.target]
    return (branch.is_conditional() and len(body) <= 6 and
            any("mov tmud, 0" in line for line in body))

  def trace(self, taken, visits):
    """Indices in the order executed.

    taken(branch): of one of conditions(). visits(loop): how often the branch that
    leaves the loop is come to, the last time included, each time that the loop is
    entered."""
    order, index = [], 0
    exits, left = self.loop_exits(), {}
    while index < len(self):
      order.append(index)
      if len(order) > MOST:
        raise CodeError("a loop without an end")
      branch = self.branches.get(index)
      if branch is None or not self.is_taken(branch, exits.get(index), left, taken, visits):
        index += 1
        continue
      order.extend(range(index + 1, min(index + 1 + DELAY_SLOTS, len(self))))
      index = branch.target
    return order

  def is_taken(self, branch, leaves, left, taken, visits):
    """leaves: the loop that the branch leaves, or None. left: visits to come, by
    loop; changed."""
    if leaves:
      left[leaves] = left.get(leaves) or max(1, visits(leaves))
      left[leaves] -= 1
      return branch.is_backward() != (left[leaves] == 0)
    if not branch.is_conditional():
      return True
    return self.skips_padding(branch) or taken(branch)


def is_code(line):
  """Not a comment, nor a line of statistics."""
  return not line.startswith("#") and "inst," not in line and not line.startswith(" ")


def read_instruction(line):
  """Accesses have no words yet but those that they store."""
  fields = [field.strip() for field in line.split(";")]
  names = {field.split(" ", 1)[0].split(".")[0] for field in fields}
  addresses = sum(bool(re.search(r"\btmuau?\b", field)) for field in fields)
  data = sum(bool(re.search(r"\btmud\b", field)) for field in fields)
  return Instruction(
      accesses=(data, addresses), takes_word="ldtmu" in names,
      waits_for_stores="tmuwt" in names, switches="thrsw" in names,
      barrier="barrierid" in names)


def executed(program, order):
  """Instructions in that order, with their accesses: an address is of a store if
  data was written before it, else of a load. A load's words are the mean of what
  the program takes: which word is of which load, the assembly does not say."""
  found = [program.instructions[index] for index in order]
  accesses, data = [], 0
  for instruction in found:
    written, addresses = instruction.accesses
    data += written
    here = []
    for _ in range(addresses):
      here.append(Access(data > 0, float(data)))
      data = 0
    accesses.append(here)
  loads = sum(not access.store for here in accesses for access in here)
  taken = sum(instruction.takes_word for instruction in found)
  words = taken / loads if loads else 0.0
  return [instruction._replace(accesses=tuple(
      access if access.store else Access(False, words) for access in here))
      for instruction, here in zip(found, accesses)]


def steps(program, taken, visits):
  """Steps of one subgroup."""
  return steps_of(executed(program, program.trace(taken, visits)))
