# SPDX-License-Identifier: BSD-2-Clause
"""QPU code for tests, with labels: "top:" names the next instruction, and
"bu.anyap @top" or "bu @top" jump there, three instructions behind the branch being
executed in any case. "8 alu" is eight instructions of arithmetic."""
import re

WORDS = {
    "alu": ["add rf1, rf2, rf3 ; nop"],
    "load": ["nop ; mov tmua, rf1"],
    "switch": ["nop ; nop ; thrsw"] + ["nop ; nop"] * 2,
    "take": ["nop ; nop ; ldtmu.rf4"],
    "data": ["nop ; mov tmud, rf5"],
    "zero": ["nop ; mov tmud, 0"],
    "wait": ["tmuwt rf6 ; nop"],
    "barrier": ["barrierid syncb ; nop ; thrsw"] + ["nop ; nop"] * 2,
}
WORDS["read"] = WORDS["load"] + WORDS["switch"] + WORDS["take"]
WORDS["store"] = WORDS["data"] + WORDS["load"] + WORDS["wait"]
DELAY = ["nop ; nop"] * 3


def assemble(text):
  """Words of the text, separated by commas or lines, as spvstat -q prints code."""
  lines, labels = [], {}
  for word in filter(None, map(str.strip, re.split(r"[,\n]", text))):
    if word.endswith(":"):
      labels[word[:-1]] = len(lines)
    elif "@" in word:
      lines += [word] + DELAY
    else:
      count, _, name = word.rpartition(" ")
      lines += WORDS[name] * int(count or 1)
  return "# threads: 4\n" + "".join(
      resolve(line, number, labels) + "\n" for number, line in enumerate(lines))


def resolve(line, number, labels):
  """Distances are bytes from the end of the three instructions behind it."""
  found = re.match(r"(.*) @(\w+)$", line)
  if not found:
    return line
  return f"{found[1]}  {8 * (labels[found[2]] - number - 4)}, r:unif"


# ---- programs of the shape of perdix's ----

STRAIGHT = "10 alu, read, 20 alu, store"

# A loop whose exit is at its end.
INTER = """
10 alu, read
rows:
20 alu, read, store
bu.allnap @done
bu @rows
done:
barrier
30 alu, store"""

# One pass of a loop filter: around the edge inside a cell, the exit, and around
# the edge at the border, with wide filters nested in it.
PASS = """
{0}:
read
bu.anyap @{0}_no_inner
100 alu
{0}_no_inner:
bu.allnap @{0}_over
read
bu.anyap @{0}_no_edge
200 alu
bu.anyap @{0}_no_edge
300 alu
bu.anyap @{0}_no_edge
400 alu
bu.anyap @{0}_padding_over
zero, load, wait, alu
{0}_padding_over:
alu
{0}_no_edge:
store
bu @{0}
{0}_over:
alu"""

LOOP_FILTER = f"""
5 alu
bu.anynap @chroma
{PASS.format('luma_h')}
barrier
{PASS.format('luma_v')}
bu @end
chroma:
{PASS.format('chroma_h')}
barrier
{PASS.format('chroma_v')}
end:
alu"""

LINE = """
bu.anynap @{next}
{0}:
bu.allnap @{0}_over
{0}_word:
bu.allnap @{0}_word_over
{alu} alu
bu @{0}_word
{0}_word_over:
store
bu @{0}
{0}_over:
bu @made
{next}:"""

INTRA = """
border:
bu.allap @border_over
read, store
bu @border
border_over:
barrier
bu.anynap @not_dc
50 alu
bu @made
not_dc:
bu.anyap @made
""" + "".join(
    LINE.format(f"line{i}", next=f"mode{i + 1}", alu=10 * (i + 1)) for i in range(6)) + """
v:
bu.allnap @v_over
v_word:
bu.allnap @v_word_over
alu
bu @v_word
v_word_over:
store
bu @v
v_over:
alu
made:
barrier
rows:
bu.allnap @rows_over
bu.anyap @not_even
5 alu
bu @predicted
not_even:
read
bu.anyap @luma_words
read
luma_words:
bu.anynap @predicted
40 alu
predicted:
bu.anyap @no_residual
bu.anyap @chroma_residual
read
bu @no_residual
chroma_residual:
2 read
no_residual:
bu.allna @outside
bu.allna @luma_store
data, data, load, wait
bu.alla @outside
luma_store:
data, load, wait
outside:
bu @rows
rows_over:
alu"""
