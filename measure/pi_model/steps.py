# SPDX-License-Identifier: BSD-2-Clause
"""What a subgroup executes, as steps: all that the simulator knows of a program.

A step is one instruction that touches memory, takes a word or waits, with the
plain instructions behind it, up to the next such instruction or the next change
of threads.
"""
import re
from typing import NamedTuple

# Instructions behind `thrsw` that are still executed before the thread changes.
SWITCH_DELAY = 2


class Access(NamedTuple):
  """One access through the memory unit, of all lanes of a subgroup."""
  store: bool
  words: float  # of 32 bit in each lane; not whole where it is a mean


class Instruction(NamedTuple):
  """What matters of one instruction in the order executed."""
  accesses: tuple = ()
  takes_word: bool = False       # ldtmu: the next word of the loads, in their order
  waits_for_stores: bool = False  # tmuwt
  switches: bool = False         # thrsw
  barrier: bool = False          # waits for the workgroup at the next switch


PLAIN = Instruction()


class Step(NamedTuple):
  instructions: int
  accesses: tuple
  takes_word: bool
  waits_for_stores: bool
  switch: bool   # the thread changes behind the last instruction
  barrier: bool  # and waits for its workgroup there


def steps_of(instructions):
  """Steps of a list of Instruction, the first of which is executed first."""
  steps, first, length = [], PLAIN, 0
  delay, barrier = None, False

  def end(switch):
    if length:
      steps.append(Step(length, first.accesses, first.takes_word,
                        first.waits_for_stores, switch, switch and barrier))

  for instruction in instructions:
    if acts(instruction) or not length:
      end(switch=False)
      first, length = instruction, 0
    length += 1
    barrier = barrier or instruction.barrier
    delay = SWITCH_DELAY if instruction.switches else delay and delay - 1
    if delay == 0:
      end(switch=True)
      first, length, delay, barrier = PLAIN, 0, None, False
  end(switch=False)
  return steps


def acts(instruction):
  """Whether the time of an instruction depends on memory."""
  return bool(instruction.accesses or instruction.takes_word or
              instruction.waits_for_stores)


def instruction_count(steps):
  return sum(step.instructions for step in steps)


# ---- the notation of points.json ----

TOKEN = re.compile(r"\s*(?:(?P<times>\d+)\((?P<open>)|(?P<close>\))|(?P<word>[^\s()]+))")


def parse(text):
  """Instructions of a text in the notation that points.json describes."""
  lists, repeats = [[]], []
  position = 0
  text = text.rstrip()
  while position < len(text):
    found = TOKEN.match(text, position)
    if found is None:
      raise ValueError(f"not an instruction: {text[position:position + 20]!r}")
    position = found.end()
    if found["times"]:
      repeats.append(int(found["times"]))
      lists.append([])
    elif found["close"]:
      body = lists.pop()
      lists[-1].extend(body * repeats.pop())
    else:
      lists[-1].extend(parse_word(found["word"]))
  if repeats:
    raise ValueError(f"{len(repeats)} ( without a )")
  return lists[0]


def parse_word(word):
  """Instructions of a word: "a29" is 29, "S1+t" is one."""
  if word[0] == "a":
    return [PLAIN] * int(word[1:])
  fields = {"accesses": ()}
  for part in word.split("+"):
    if part[0] in "LS":
      fields["accesses"] += (Access(part[0] == "S", float(part[1:])),)
    else:
      fields[{"p": "takes_word", "t": "switches", "w": "waits_for_stores",
              "b": "barrier"}[part]] = True
  return [Instruction(**fields)]
