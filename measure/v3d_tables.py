# SPDX-License-Identifier: BSD-2-Clause
"""The tables of docs/v3d.md, of a file that v3d-report kept."""
import comparison

# Instructions and lookups of a unit that a program should not exceed.
TARGETS = {
    "inverse_transform 8x8, DCT whole, luma": (110, 4),
    "inter_pred horizontal, luma": (90, 6),
    "inter_pred vertical, luma": (90, 6),
    # A third of the 2257 ns a block that another project's CDEF takes on a Pi 5
    # is 578 ns with 30% for the rest: at 2.9 instructions a ns and 9 ns a lookup.
    "cdef both, luma, 8 bit": (1600, 60),
    "cdef both, luma, 10 bit": (1600, 60),
    "vif_stat 0": (800, 40),
    "vif_stat 1": (900, 40),
    "vif_stat 2": (750, 40),
    "vif_stat 3": (650, 40),
    "motion_blur, 8 bit": (70, 8),
    "loop_filter width 4": (6, 0.3),
    "loop_filter width 8": (8, 0.3),
}
LOOP_FILTER = "loop_filter "
PASSES = ["luma, horizontal edges", "luma, vertical edges",
          "chroma, horizontal edges", "chroma, vertical edges"]
PROGRAM = ["instructions", "threads", "spills:fills", "lookups"]


def target(name, instructions, lookups):
  """"110, 4: met", or that it is not; of figures as they are printed."""
  if name not in TARGETS:
    return ""
  most, most_lookups = TARGETS[name]
  met = round(instructions, 1) <= most and round(lookups, 2) <= most_lookups
  return f"{most}, {most_lookups}: {'met' if met else '**not met**'}"


def program_cells(figures):
  return [str(figures["instructions"]), str(figures["threads"]),
          f"{figures['spills']}:{figures['fills']}", str(figures["lookups"])]


def programs_table(file):
  programs, rows = {}, []
  for row in file["rows"]:
    of, figures = row["of"], row["figures"]
    name = of["program"]
    if "loop" not in of:
      programs[name] = figures
    if "unit_instructions" not in figures or "pass" in of:
      continue
    unit = figures["unit_instructions"], figures["unit_lookups"]
    rows.append([name + (", loop" if "loop" in of else ""),
                 *program_cells(programs[name]), of["unit"],
                 f"{unit[0]:.1f}", f"{unit[1]:.2f}", target(name, *unit)])
  return comparison.table(["program", *PROGRAM, "unit", "instructions/unit",
                           "lookups/unit", "target"], rows)


def loop_filter_table(file):
  programs, passes = {}, {}
  for row in file["rows"]:
    name, figures = row["of"]["program"], row["figures"]
    if name.startswith(LOOP_FILTER) and "loop" not in row["of"]:
      programs[name] = figures
    elif "pass" in row["of"]:
      passes.setdefault(name, {})[row["of"]["pass"]] = (
          figures["unit_instructions"], figures["unit_lookups"])
  rows = []
  for name, figures in programs.items():
    found = [passes[name][pass_] for pass_ in PASSES]
    both = tuple(sum(pair) / 2 for pair in zip(*found[:2]))
    rows.append([name.removeprefix(LOOP_FILTER), *program_cells(figures),
                 *(f"{instructions:.1f}, {lookups:.2f}"
                   for instructions, lookups in [*found, both]),
                 target(name, *both)])
  return comparison.table(["loop_filter", *PROGRAM, *PASSES,
                           "luma, both directions", "target"], rows)


def draw(file):
  machine = file["machine"]
  return (f"{machine['gpu']}, {machine['compiler']}, {file['revision']}\n\n"
          f"{programs_table(file)}\n\n{loop_filter_table(file)}")
