# SPDX-License-Identifier: BSD-2-Clause
"""What a subgroup executes of AV1's programs.

How often loops go round and which branches are taken is counted where the work
says it ("subgroups" of a dispatch) or follows from the shader. Assumed are only:
how often a subgroup of deblocking has flat lines (params.json), that blocks with
a rectangular transform are in each subgroup of rows, that filtered edges of
directional blocks are filtered, and that what has overlaps of film grain has
them on its left.
"""
import random

from pi_model import qpu_code, shapes

SUBGROUP = 16
# Subgroups of a program that are put into a workgroup, if they differ.
TRACES = 24
SEED = 7
NONE = "none"  # of subgroups that fill up the last workgroup


def first_match(program, *known):
  """The parts of the first of these shapes that the program has."""
  for shape in known[:-1]:
    try:
      return shapes.named(program, shape)
    except qpu_code.CodeError:
      pass
  return shapes.named(program, known[-1])


def spread(counts):
  """TRACES keys, of each as many as its count says."""
  keys, all_ = sorted(counts), sum(counts.values())
  found, before = [], 0
  for key in keys:
    before += counts[key]
    found += [key] * (round(TRACES * before / all_) - len(found))
  random.Random(SEED).shuffle(found)
  return found


def subgroups(dispatch, rates):
  counts = rates.subgroups.get((dispatch["shader"], tuple(dispatch["constants"])))
  if not counts:
    raise qpu_code.CodeError("the work does not say what its subgroups do")
  return counts


def by_subgroup(dispatch, rates, steps):
  """steps(key) for the keys of the dispatch's subgroups."""
  keys = spread(subgroups(dispatch, rates))
  known = {key: steps(key) for key in set(keys)}
  return [known[key] for key in keys]


def by_share(share, steps):
  """steps(True) for such a share, else steps(False)."""
  if share in (0, 1):
    return [steps(bool(share))]
  known = {holds: steps(holds) for holds in (False, True)}
  return [known[holds] for holds in spread({False: 1 - share, True: share})]


# ---- filters ----

def whole(program, *_):
  """A program whose subgroups all do everything, but for words that the picture
  ends in."""
  found = first_match(program, "whole", "whole(cut)", "")
  return [shapes.steps(program, found, {}, {"whole": True, "cut": False})]


def deblock(program, _, __, rates):
  found = first_match(program, "whole", "whole(flat)")

  def steps(flat):
    return shapes.steps(program, found, {}, {"whole": True, "flat": flat})
  return by_share(rates.assumed["flat_8"] if "flat" in found else 1, steps)


CDEF_ROUNDS = 4  # of taps


def cdef(program, *_):
  found = first_match(program, "store", "taps* store", "primary taps* store")
  return [shapes.steps(program, found, {"taps": CDEF_ROUNDS},
                       {"store": True, "primary": True})]


def lines_of(key):
  """(lines of the cell, whether it is at the picture's left or right border)"""
  lines, *border = key.split()
  return (0, False) if lines == NONE else (int(lines), bool(border))


def within(lines, begin, step=1):
  """Whether row begin + step * n, in round n, is in the stripe."""
  return lambda n: 0 <= begin + step * n < lines


def from_round(first):
  return lambda n: n >= first


def restoration(program, dispatch, rates, known, rounds_of, holds_of):
  found = first_match(program, *known)

  def steps(key):
    lines, border = lines_of(key)
    holds = {"begin": lines > 0, "has_pixels": lines > 0}
    return shapes.steps(program, found, rounds_of(lines), holds | holds_of(lines, border))
  return by_subgroup(dispatch, rates, steps)


def two_rounds_of(lines):
  """Rounds of two lines, with three lines above and three below."""
  return -(-lines // 2) + 3


def wiener(program, dispatch, _, rates):
  """Two lines a round, loaded at once or one after the other."""
  return restoration(
      program, dispatch, rates,
      ("begin has_pixels(lines*(both(...) border(...) output _))",
       "begin has_pixels(lines*(upper border(...) lower border_lower(...) output _))"),
      lambda lines: {"lines": two_rounds_of(lines)},
      lambda lines, border: {"both": within(lines - 1, -3, 2), "upper": within(lines, -3, 2),
                             "lower": within(lines, -2, 2), "border": border,
                             "border_lower": border, "output": from_round(3)})


# The first pass has two lines of the picture a round; both have rounds that only
# load what lies above, or have only that for the first output.
FIRST_PASS = "inside border(...) inside_odd border_odd(...) boxes(output) _"
SECOND_PASS = "inside_2 border_2(...) boxes_2(output_2) _"
PASSES = {1: f"begin has_pixels(first*({FIRST_PASS}))",
          2: f"begin has_pixels(second*({SECOND_PASS}))",
          3: f"begin has_pixels(first*({FIRST_PASS}) second*({SECOND_PASS}))"}


def self_guided(program, dispatch, _, rates):
  def holds_of(lines, border):
    return {"inside": within(lines, -4, 2), "inside_odd": within(lines, -3, 2),
            "border": border, "border_odd": border, "boxes": from_round(2),
            "output": from_round(1),
            "inside_2": within(lines, -2), "border_2": border,
            "boxes_2": from_round(2), "output_2": from_round(2)}
  return restoration(
      program, dispatch, rates, (PASSES[dispatch["constants"][1]],),
      lambda lines: {"first": two_rounds_of(lines), "second": lines + 4}, holds_of)


def restoration_copy(program, dispatch, plane, rates):
  """Four lines of luma a round, two of chroma."""
  chroma = dispatch["constants"][0] & 1
  shape, at_once = ("_", 2) if chroma else ("cut _", 4)
  return restoration(
      program, dispatch, rates, (f"begin(has_pixels(lines*({shape})))",),
      lambda lines: {"lines": -(-lines // at_once)},
      lambda *_: {"cut": False})


def film_grain(program, *_):
  """One line of 16 has a block above that it overlaps with."""
  found = shapes.named(program, "whole(left above(left_above) cut)")

  def steps(above):
    return shapes.steps(program, found, {}, {"whole": True, "left": True, "above": above,
                                             "left_above": True, "cut": False})
  return by_share(1 / 16, steps)


# ---- residual ----

def residual_rows(program, *_):
  found = first_match(program, "", "rectangle", "apart*(rectangle) rectangle_2")
  return [shapes.steps(program, found, {"apart": 1},
                       {"rectangle": True, "rectangle_2": True})]


def residual_columns(program, dispatch, *_):
  """Columns of 32 and 64 come one after the other, then they are packed."""
  length = int(dispatch["shader"].removesuffix("_10").rsplit("_", 1)[1])
  found = first_match(program, "a", "a b", "a b c d", "apart* a b c d",
                      "columns*(apart*) fours*(a)", "columns* fours*(a)")
  rounds = {"apart": 1, "columns": 4, "fours": length // 4}
  return [shapes.steps(program, found, rounds, dict.fromkeys("abcd", True))]


def residual_dc(program, dispatch, _, rates):
  found = first_match(program, "fours*(_ inside)", "one(_ two(_ four(...)))")

  def steps(key):
    fours = 0 if key == NONE else int(key)
    return shapes.steps(program, found, {"fours": fours}, {
        "inside": True, "one": fours >= 1, "two": fours >= 2, "four": fours >= 4})
  return by_subgroup(dispatch, rates, steps)


# ---- inter prediction ----

LINES_BEFORE = 7  # that are filtered before the first is complete
DOWN = (0, 2, 4, 6)  # sources that are filtered vertically: PERDIX_PREDICT_*


def inter(program, dispatch, _, rates):
  found = first_match(program, "lines*(_)", "lines*(_ output)", "lines*(_ taps*(...))")
  blends = dispatch["shader"].startswith("av1/inter_blend")
  before = 0 if blends or dispatch["constants"][1] not in DOWN else LINES_BEFORE
  if before and "output" not in found:
    raise qpu_code.CodeError("no output in its loop")

  def steps(key):
    lines = 0 if key == NONE else int(key)
    return shapes.steps(program, found, {"lines": lines and lines + before, "taps": 8},
                        {"output": from_round(before)})
  return by_subgroup(dispatch, rates, steps)


# ---- intra prediction ----

EDGES = "edges*(_ corner(...))"
QUADS = "residual(...) visible(...)"
PLAIN = (f"{EDGES} average quads*(_ v(smooth(paeth)) blended(...) {QUADS})",
         f"{EDGES} sum* average(...) quads*(_ v(smooth(pixels*(...) paeth(pixels_2*(...))))"
         " blended(...) pixels_3*(residual(...)) visible(...))")
DIRECTIONAL = (f"{EDGES} filter*(_ filtered(...)) upsampled(again*(...)) quads*(_ {QUADS})",)
PIECES = (f"{EDGES} pieces*(piece(...))",)
# Luma that is averaged: two words of four pixels, each of the picture or beyond.
FROM_LUMA = (f"{EDGES} luma*(_ a b c d e f g h) average"
             f" quads*(_ a2 b2 c2 d2 e2 f2 g2 h2 {QUADS})",)
FROM_LUMA_HOLDS = dict.fromkeys("abcdefgh", True) | dict.fromkeys(
    (name + "2" for name in "abcdefgh"), True)
PAINT = (f"quads*(_ palette(...) {QUADS})",)
INTRA = (PLAIN, DIRECTIONAL, PIECES, FROM_LUMA, PAINT)  # PERDIX_INTRA_PROGRAM_*
CHROMA = 5
PIECE_STEPS = 23  # FILTER_STEPS: always so many, with a barrier each
UPSAMPLED = 34    # entries of an edge


class IntraBlock:
  """A key: "16x8 smooth residual"."""

  def __init__(self, key):
    size, *self.words = key.split()
    self.width, self.height = (0, 0) if size == NONE else map(int, size.split("x"))

  def has(self, word):
    return word in self.words

  def rounds(self, program):
    directional = program == INTRA.index(DIRECTIONAL)
    edge = self.width + self.height if directional else max(self.width, self.height)
    quads = lanes_rounds(self.width * self.height // 4)
    edges = lanes_rounds(edge + 1)
    return {"edges": edges, "filter": edges, "again": lanes_rounds(UPSAMPLED),
            "sum": SUBGROUP, "quads": quads, "luma": quads, "pieces": PIECE_STEPS,
            "pixels": 4, "pixels_2": 4, "pixels_3": 4}

  def holds(self):
    steps = self.width // 4 + self.height // 2 - 1
    return FROM_LUMA_HOLDS | {
        # Only the first round has the corner, and not it alone.
        "corner": lambda n: False if n else shapes.DISAGREE,
        "average": True, "filtered": True, "visible": True, "palette": shapes.DISAGREE,
        "piece": lambda n: n < steps,
        "upsampled": self.has("upsampled"), "blended": self.has("blended"),
        "residual": self.has("residual"), "v": self.has("v"),
        "smooth": self.has("smooth"), "paeth": self.has("paeth")}


def lanes_rounds(items):
  """Rounds in which the lanes of a subgroup do so many items."""
  return -(-items // SUBGROUP)


def intra(program, dispatch, _, rates):
  kind = dispatch["constants"][0] % CHROMA
  found = first_match(program, *INTRA[kind])

  def steps(key):
    block = IntraBlock(key)
    return shapes.steps(program, found, block.rounds(kind), block.holds())
  return by_subgroup(dispatch, rates, steps)


WALKS = {
    "av1/deblock_lines": whole,
    "av1/deblock": deblock,
    "av1/cdef_direction": whole,
    "av1/cdef_copy": whole,
    "av1/cdef": cdef,
    "av1/super_res": whole,
    "av1/wiener": wiener,
    "av1/self_guided": self_guided,
    "av1/restoration_copy": restoration_copy,
    "av1/film_grain": film_grain,
    "av1/residual_rows": residual_rows,
    "av1/residual_columns": residual_columns,
    "av1/residual_dc": residual_dc,
    "av1/inter": inter,
    "av1/intra_pred": intra,
}
