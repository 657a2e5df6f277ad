# SPDX-License-Identifier: BSD-2-Clause
"""Names for the branches and loops of a program, by the shape of its code.

A program is a tree of parts: loops, and conditions with what they enclose. A
shape is that tree as a text, in program order:

  lines*(leave inside border(far) _)

  name     a condition: what is executed where it holds, and, if there is such,
           what is executed instead
  name*    a loop
  (...)    the parts in it; without, it has none
  _        a part of any kind, with anything in it
  ...      any number of these; at the end

Where lanes do not agree a subgroup executes both sides of a condition. A loop
that lanes leave one by one begins with a condition, `leave`: the compiler has
the subgroup execute one more round, in which no lane does anything.
"""
import re

from pi_model import qpu_code

ANY = "_"
REST = "..."
TOKEN = re.compile(r"\s*(?:(?P<name>\w+|\.\.\.)(?P<loop>\*?)|(?P<open>\()|(?P<close>\)))")
DISAGREE = "disagree"  # a condition that holds for some lanes


class Part:
  """A loop, or a condition. branch: skips what is executed where it holds;
  otherwise: skips what is executed where it does not, or None."""

  def __init__(self, first, last, loop=None, branch=None, otherwise=None):
    self.first, self.last = first, last
    self.loop, self.branch, self.otherwise = loop, branch, otherwise
    self.inside = []


def parts(program):
  """The outermost parts, in program order."""
  found = [Part(loop.first, loop.last, loop=loop) for loop in program.loops]
  found += conditions(program)
  found.sort(key=lambda part: (part.first, -part.last))
  outermost, around = [], []
  for part in found:
    while around and around[-1].last < part.first:
      around.pop()
    (around[-1].inside if around else outermost).append(part)
    around.append(part)
  return outermost


def conditions(program):
  """A branch at the end of what another one skips, to behind where that leads,
  belongs to it."""
  branches = program.conditions()
  ends = {branch.index + 1 + qpu_code.DELAY_SLOTS: branch for branch in branches
          if branch.condition == "alla"}
  for branch in branches:
    if branch.condition == "alla":
      continue
    otherwise = ends.get(branch.target)
    last = (otherwise or branch).target - 1
    yield Part(branch.index, last, branch=branch, otherwise=otherwise)


class Wanted:
  """What a shape says of a part."""

  def __init__(self, name, is_loop):
    self.name, self.is_loop = name, is_loop
    self.inside = []


def parse(shape):
  lists, position = [[]], 0
  shape = shape.strip()
  while position < len(shape):
    found = TOKEN.match(shape, position)
    if found is None:
      raise ValueError(f"not a shape: {shape[position:]!r}")
    position = found.end()
    if found["open"]:
      lists.append(lists[-1][-1].inside)
    elif found["close"]:
      lists.pop()
    else:
      lists[-1].append(Wanted(found["name"], bool(found["loop"])))
  return lists[0]


def named(program, shape):
  """{name: part}. Raises CodeError where the program has another shape."""
  found = {}
  match(parts(program), parse(shape), found)
  return found


def match(there, wanted, found):
  if wanted and wanted[-1].name == REST:
    wanted = wanted[:-1]
    there = there[:len(wanted)]
  if len(there) != len(wanted):
    raise qpu_code.CodeError(f"{len(there)} parts, not {len(wanted)}")
  for part, want in zip(there, wanted):
    if want.name == ANY:
      continue
    if (part.loop is not None) != want.is_loop:
      raise qpu_code.CodeError(f"{want.name} is {'no' if want.is_loop else 'a'} loop")
    found[want.name] = part
    match(part.inside, want.inside, found)


# ---- what a subgroup executes ----

class Decider:
  """rounds: of loops, by name. holds: of conditions, by name: True, False,
  DISAGREE, or a function of how often the condition was come to before. Other
  conditions are DISAGREE, other loops have two rounds: one for each component."""

  def __init__(self, program, found, rounds, holds):
    self.rounds = {part.loop: rounds[name] for name, part in found.items()
                   if part.loop and name in rounds}
    self.holds = {}  # by branch: what holds, and the first branch of its condition
    for name, part in found.items():
      for branch in (part.branch, part.otherwise):
        if branch:
          self.holds[branch] = holds.get(name, DISAGREE), part.branch
    self.leaves = leaves(parts(program))
    self.come_to = {}  # how often, by branch
    self.idle = None   # the loop of which no lane is left

  def rounds_of(self, loop):
    return self.rounds.get(loop, 2)

  def visits(self, loop):
    more = loop in self.leaves.values() or leaves_at_top(loop)
    return max(1, self.rounds_of(loop) + more)

  def taken(self, branch):
    """Whether the branch skips."""
    if branch in self.leaves:
      return not self.begins_idle_round(branch)
    if self.idle and self.idle.holds(branch.index):
      return True
    holds, of = self.holds.get(branch, (DISAGREE, branch))
    if callable(holds):
      self.come_to[of] = self.come_to.get(of, -1) + (branch is of)
      holds = holds(self.come_to[of])
    return holds is (branch is not of)

  def begins_idle_round(self, leave):
    loop = self.leaves[leave]
    number = self.come_to.get(leave, 0)
    ends = number == self.rounds_of(loop)
    self.come_to[leave] = 0 if ends else number + 1
    self.idle = loop if ends else None
    return ends


def leaves(outermost):
  """{branch of a loop's `leave`: the loop}"""
  found = {}
  for part in outermost:
    first = part.inside[0] if part.loop and part.inside else None
    if first and first.branch and first.last - first.first < 8 and not first.inside:
      found[first.branch] = part.loop
    found |= leaves(part.inside)
  return found


def leaves_at_top(loop):
  """Whether the branch that leaves a loop is before most of its instructions."""
  return 2 * (loop.exit.index - loop.first) < loop.last - loop.first


def steps(program, found, rounds, holds):
  """Steps of a subgroup. found: what named() has found."""
  decider = Decider(program, found, rounds, holds)
  return qpu_code.steps(program, decider.taken, decider.visits)
