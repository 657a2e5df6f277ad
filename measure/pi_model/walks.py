# SPDX-License-Identifier: BSD-2-Clause
"""What a subgroup executes of perdix's programs, for the rates of a stream.

A walk finds the branches and loops of a program by the shape of its code, never
by addresses, and decides them: blocks of what size, edges of what width. Where a
program does not have the shape that its walk knows, it is counted with every
branch executed and every loop once, and the prediction says so.
"""
import random

from pi_model import qpu_code, walks_av1

SUBGROUP = 16
# Traces of a program whose subgroups differ, from which a workgroup is put together.
LOOP_FILTER_TRACES = 16
INTRA_TRACES = 24
SEED = 7


class Rates:
  """What of a stream decides branches.

  loop_filter: {"luma_horizontal": {"rounds", "edge", "edge_8", "edge_16",
  "inner"}, ...}; intra: {"blocks": [{"plane", "size", "count"}], "modes": {},
  "residual": share}, each as WORK.json has it, or {}. assumed: the values of
  params.json's group branches. subgroups: counts by what they do, of AV1's
  programs by (shader, constants)."""

  def __init__(self, loop_filter, intra, assumed, subgroups=None):
    self.loop_filter, self.intra, self.assumed = loop_filter, intra, assumed
    self.subgroups = subgroups or {}


def traces(program, dispatch, plane, rates):
  """(steps of each kind of subgroup, a warning or None)"""
  walk = WALKS.get(stem(dispatch["shader"]))
  try:
    if walk:
      return walk(program, dispatch, plane, rates), None
    if not program.loops:
      return [everything(program)], None
    problem = "no walk of this program"
  except qpu_code.CodeError as error:
    problem = str(error)
  return [everything(program)], (
      f"{dispatch['shader']}: {problem}: every branch and every loop once")


def stem(shader):
  """"vp9/inverse_transform_8" and its sisters are vp9/inverse_transform."""
  for known in WALKS:
    if shader == known or shader.startswith(known + "_"):
      return known
  return shader


def never(_):
  return False


def everything(program):
  return qpu_code.steps(program, never, lambda loop: 2)


def straight(program, dispatch, *_):
  """A program whose subgroups all do everything. An exact one may have a loop:
  rows, then columns."""
  if program.loops and not dispatch["shader"].endswith("_exact"):
    raise qpu_code.CodeError("loops where none are known")
  return [everything(program)]


# ---- inter prediction ----

SCALED, CLAMPED, BOTH, BOTH_TALL = 0, 1, 2, 6
# Rows that a lane filters horizontally: of 15 of a unit, or of 23.
ROWS_FIRST = {CLAMPED: 8, BOTH: 8, BOTH_TALL: 6}


def inter(program, dispatch, *_):
  plane, kind = dispatch["constants"][0] & 1, dispatch["constants"][1]
  if kind == SCALED:
    # Rows of a lane, pixels of a word of them, rows of taps.
    samples = 2 if "_10" in dispatch["shader"] else 4
    counts = [8, samples // (1 + plane) + 1, 8]
  else:
    counts = [ROWS_FIRST[kind]] if kind in ROWS_FIRST else []
  if len(program.loops) != len(counts):
    raise qpu_code.CodeError(f"{len(program.loops)} loops, not {len(counts)}")
  visits = dict(zip(program.loops, counts))
  return [qpu_code.steps(program, never, visits.get)]


# ---- loop filter ----

PASSES = ("horizontal", "vertical")  # edges, in the order of the program
ROUNDS = {"luma": 9, "chroma": 5}    # of a walk: 8 or 4 cells, and the one before them


def loop_filter(program, _, plane, rates):
  passes = loop_filter_passes(program, plane)
  rounds = [rates.loop_filter.get(f"{plane}_{name}") for name in PASSES]
  if not all(rounds):
    raise qpu_code.CodeError("the work does not say how many edges there are")
  chance = random.Random(SEED)
  found = []
  for _ in range(LOOP_FILTER_TRACES):
    deciders = [PassDecider(program, loop, counts, rates.assumed, chance)
                for loop, counts in zip(passes, rounds)]
    found.append(qpu_code.steps(program, plane_decider(program, plane, deciders),
                                lambda loop: ROUNDS[plane]))
  return found


def loop_filter_passes(program, plane):
  """The loops of the plane's two passes: luma's are before chroma's, where the
  program has both."""
  loops = program.outer_loops()
  if len(loops) not in (2, 4) or len(loops) != len(program.loops):
    raise qpu_code.CodeError(f"{len(program.loops)} loops, not 2 or 4")
  if not all(loop.exit for loop in loops):
    raise qpu_code.CodeError("a loop that is not left in its middle")
  return loops[-2:] if plane == "chroma" else loops[:2]


def plane_decider(program, plane, deciders):
  """Decides all of a loop filter's branches. The one that skips two loops of four
  chooses the plane."""
  def taken(branch):
    for decider in deciders:
      if decider.loop.holds(branch.index):
        return decider.taken(branch)
    skipped = program.loops_in(branch.index, branch.target)
    chooses = len(program.loops) == 4 and skipped == program.outer_loops()[:2]
    return chooses and plane == "chroma"
  return taken


class PassDecider:
  """Branches of one pass: around the edge inside a cell; around the edge at its
  border, and nested in that the filters 8 and 16 wide."""

  def __init__(self, program, loop, counts, assumed, chance):
    self.loop, self.assumed, self.chance = loop, assumed, chance
    self.rates = {name: counts[name] / max(1, counts["rounds"])
                  for name in ("edge", "edge_8", "edge_16", "inner")}
    inside = program.conditions(loop.first, loop.last)
    self.inner = [b for b in inside if b.index < loop.exit.index]
    self.nested = [b for b in inside if b.index > loop.exit.index]
    self.width = 0  # of the round's widest edge
    nested = all(a.skips(b) for a, b in zip(self.nested, self.nested[1:]))
    if len(self.inner) > 1 or len(self.nested) > 3 or not nested:
      raise qpu_code.CodeError("a pass has branches that are not known")

  def taken(self, branch):
    if branch in self.inner:
      return self.chance.random() >= self.rates["inner"]
    if branch not in self.nested:
      return False
    level = self.nested.index(branch)
    if level == 0:
      self.width = self.next_width()
      return self.width == 0
    if level == 1:
      return self.width < 8 or self.chance.random() >= self.assumed["flat_8"]
    return self.width < 16 or self.chance.random() >= self.assumed["flat_16"]

  def next_width(self):
    """The widest edge of a round; 0 without one."""
    at = self.chance.random()
    for width, name in ((16, "edge_16"), (8, "edge_8"), (4, "edge")):
      if at < self.rates[name]:
        return width
    return 0


# ---- intra prediction ----

DIRECTIONAL = ("d45", "d63", "d135", "d117", "d153", "d207")  # as the program has them
MODES = ("dc", "v", "h", "tm") + DIRECTIONAL


def intra(program, _, __, rates):
  blocks = rates.intra.get("blocks")
  if not blocks:
    raise qpu_code.CodeError("the work does not say which intra blocks there are")
  shape = IntraShape(program)
  chance = random.Random(SEED)
  modes = rates.intra.get("modes") or assumed_modes(rates.assumed)
  residual = rates.intra.get("residual", rates.assumed["intra_residual"])
  found = []
  for _ in range(INTRA_TRACES):
    block = pick(chance, [(block, block["count"]) for block in blocks])
    mode = pick(chance, list(modes.items()))
    found.append(shape.steps(IntraBlock(block["plane"], block["size"], mode,
                                        chance.random() < residual)))
  return found


def assumed_modes(assumed):
  shares = {mode: assumed[f"intra_{mode}"] for mode in ("dc", "v", "h", "tm")}
  each = assumed["intra_directional"] / len(DIRECTIONAL)
  return shares | dict.fromkeys(DIRECTIONAL, each)


def pick(chance, choices):
  """One of (choice, weight)."""
  at = chance.random() * sum(weight for _, weight in choices)
  for choice, weight in choices:
    at -= weight
    if at < 0:
      return choice
  return choices[-1][0]


class IntraBlock:
  """size: pixels."""

  def __init__(self, plane, size, mode, residual):
    self.plane, self.size, self.mode, self.residual = plane, size, mode, residual
    self.chroma = plane == "chroma"

  def lanes_rounds(self, items):
    """Rounds in which the lanes of a subgroup do so many items."""
    return max(1, -(-items // SUBGROUP))

  def visits(self):
    """Visits of the loops over the border, words of the line, samples of a word,
    and rows of the block in fours of pixels. Each loop is left at its begin."""
    beyond = self.mode in ("d45", "d63")
    border = self.lanes_rounds((3 if beyond else 2) * self.size + 1)
    samples = (3 if self.mode in DIRECTIONAL else 1) * self.size
    word = 2 if self.chroma else 4
    line = self.lanes_rounds(-(-samples // word))
    rows = self.lanes_rounds(self.size * self.size // 4)
    return border + 1, line + 1, word + 1, rows + 1


class IntraShape:
  """Where the parts of intra_pred's program are: a loop over the border, for each
  kind of mode a loop in a loop that makes the line, a loop over the rows."""

  def __init__(self, program):
    self.program = program
    outer = program.outer_loops()
    if (len(outer) != len(DIRECTIONAL) + 3 or
        [len(self.inner_of(loop)) for loop in outer] != [0] + [1] * (len(outer) - 2) + [0]):
      raise qpu_code.CodeError("its loops are not those that are known")
    self.border, *self.lines, self.rows = outer
    self.of_rows = self.rows_conditions()

  def inner_of(self, loop):
    return [other for other in self.program.loops if other.is_inside(loop)]

  def rows_conditions(self):
    """Branches of the loop over the rows that are in no other's region: they skip
    rows that are even, chroma's words of the line, TM_PRED, the residual, stores."""
    found = []
    for branch in self.program.conditions(self.rows.first, self.rows.last):
      if not any(other.skips(branch) for other in found):
        found.append(branch)
    if len(found) != 5:
      raise qpu_code.CodeError(f"its loop over rows has {len(found)} parts, not 5")
    return dict(zip(("even", "chroma_words", "tm", "residual", "store"), found))

  def steps(self, block):
    border, line, word, rows = block.visits()

    def visits(loop):
      if loop is self.border:
        return border
      if loop is self.rows:
        return rows
      return line if loop in self.lines else word
    return qpu_code.steps(self.program, lambda branch: self.taken(branch, block), visits)

  def taken(self, branch, block):
    if branch.index < self.border.last:
      return False
    if self.rows.holds(branch.index):
      return self.taken_in_rows(branch, block)
    skipped = [loop for loop in self.lines
               if branch.index < loop.first and loop.last < branch.target]
    if not skipped:
      return branch.index < self.lines[0].first and block.mode != "dc"
    if len(skipped) == len(self.lines):
      return block.mode == "h"
    return DIRECTIONAL[self.lines.index(skipped[0])] != block.mode

  def taken_in_rows(self, branch, block):
    part = next((name for name, top in self.of_rows.items() if top is branch), None)
    if part:
      return {"even": block.mode not in ("dc", "h"), "chroma_words": not block.chroma,
              "tm": block.mode != "tm", "residual": not block.residual,
              "store": False}[part]
    if self.of_rows["residual"].skips(branch):
      # Luma's part is first; nested in it, and in chroma's, everything is executed.
      return self.is_first_in("residual", branch) and block.chroma
    if self.of_rows["store"].skips(branch):
      # The first skips chroma's store of two words, the next luma's.
      return block.chroma != self.is_first_in("store", branch)
    return False

  def is_first_in(self, part, branch):
    inside = [other for other in self.program.conditions(self.rows.first, self.rows.last)
              if self.of_rows[part].skips(other)]
    return inside[0] is branch


# ---- metrics ----

def tile(program, *_):
  """A tile of 256 bytes x 32 rows; lanes do 8 pieces each."""
  if len(program.loops) != 1:
    raise qpu_code.CodeError(f"{len(program.loops)} loops, not 1")
  return [qpu_code.steps(program, never, lambda loop: 8)]


WALKS = {
    "vp9/inter_pred": inter,
    "vp9/inverse_transform": straight,
    "vp9/intra_pred": intra,
    "vp9/loop_filter": loop_filter,
    "metrics/checksum": tile,
    "metrics/luma": tile,
} | walks_av1.WALKS
