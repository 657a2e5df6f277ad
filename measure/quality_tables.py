# SPDX-License-Identifier: BSD-2-Clause
"""The table of docs/quality.md, of files that compare-quality gave."""
import comparison


def figure(row, name):
  return f"{row['figures'][name]:.3g}" if name in row["figures"] else ""


def draw(file):
  return comparison.table(
      ["", "", "threads", "pairs/s", "CPU ms a pair", "GPU ms a pair"],
      [[row["of"]["decoder"], row["of"]["variant"], str(row["of"]["threads"]),
        *(figure(row, name) for name in ("rate", "cpu", "gpu"))] for row in file["rows"]])


BLOCKS = {"quality": ("compare-quality", lambda file: file["rows"], draw)}
