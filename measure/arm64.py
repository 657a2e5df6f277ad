# SPDX-License-Identifier: BSD-2-Clause
"""What compare-arm64 and mca share: programs that run as on a Cortex-A76."""
import bisect
import collections
import glob
import os
import subprocess
import sys
import tempfile

import comparison

SHARED = os.environ.get("PERDIX_ARM64", os.path.join(
    os.path.dirname(comparison.ROOT), "shared", "arm64"))
CROSS = os.path.join(comparison.CACHE, "arm64", "cross")
ENVIRONMENT = dict(os.environ, ARM64=CROSS)
INSTRUCTION_BYTES = 4

Function = collections.namedtuple("Function", "begin end name file")
LIBRARIES = Function(0, 0, "libraries", "libraries")


def prepare(decode):
  """Everything there; returns the arm64 perdix-decode (built, or the one given)."""
  if not os.access(os.path.join(SHARED, "insns"), os.X_OK):
    comparison.say(f"skipped: no {SHARED}/insns (set PERDIX_ARM64)")
    sys.exit(77)
  if decode:
    subprocess.run([comparison.TRIXIE, "arm64"], check=True)
  else:
    decode = os.path.join(comparison.build("arm64", "arm64", "perdix-decode"),
                          "perdix-decode")
  if not os.path.exists(os.path.join(CROSS, "qemu")):
    comparison.say("setting up qemu-user and its plugin")
    subprocess.run(["bash", os.path.join(SHARED, "setup.sh")], check=True,
                   env=ENVIRONMENT, stdout=subprocess.DEVNULL)
  return os.path.abspath(decode)


def count(command):
  """Instructions that it executed."""
  done = subprocess.run([os.path.join(SHARED, "insns")] + command, text=True,
                        capture_output=True, env=ENVIRONMENT)
  if done.returncode or not done.stdout.strip().isdigit():
    sys.exit(f"{comparison.program()}: {' '.join(command)} failed: "
             f"{done.stderr.strip()}")
  return int(done.stdout)


def run_profiled(plugin, out, command):
  """Address of an instruction -> times executed."""
  blas = "/usr/lib/aarch64-linux-gnu/"
  subprocess.run(
      ["qemu-aarch64", "-cpu", "cortex-a76", "-L", os.path.join(CROSS, "root"),
       "-E", f"LD_LIBRARY_PATH={blas}blas:{blas}lapack",
       "-plugin", f"{plugin},out={out}", *command],
      check=True, stdout=subprocess.DEVNULL)
  executed = collections.Counter()
  with open(out) as file:
    for line in file:
      address, instructions, runs = map(int, line.split())
      for i in range(instructions):
        executed[address + i * INSTRUCTION_BYTES] += runs
  return executed


def profile(decode, clip, limits):
  """Address -> times executed by our decoder between two numbers of frames."""
  glib = subprocess.run(["pkg-config", "--cflags", "--libs", "glib-2.0"],
                        check=True, capture_output=True, text=True).stdout
  with tempfile.TemporaryDirectory() as folder:
    plugin = os.path.join(folder, "insn_profile.so")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-I",
                    os.path.join(CROSS, "qemu", "include", "qemu"),
                    os.path.join(comparison.ROOT, "measure", "insn_profile.c"),
                    "-o", plugin, *glib.split()], check=True)
    first, last = (
        run_profiled(plugin, os.path.join(folder, "out"), comparison.command(
            comparison.OURS, decode, clip, threads=1, limit=limit))
        for limit in limits)
  last.subtract(first)
  return last


def nm(*arguments):
  return subprocess.run(["nm", "--defined-only", *arguments], text=True,
                        check=True, capture_output=True).stdout.splitlines()


class Functions:
  """The functions of a program in its build folder: their addresses and source files."""

  def __init__(self, program):
    build = os.path.dirname(os.path.dirname(program))
    files = {}
    for archive in glob.glob(os.path.join(build, "*", "*.a")):
      for line in nm("-A", archive):
        place, _, name = line.rpartition(" ")
        files.setdefault(name, place.split(":")[1].removesuffix(".o"))
    self.sorted = []
    for line in nm("-S", program):
      words = line.split()
      if len(words) == 4 and words[2] in "tTwW":
        begin = int(words[0], 16)
        self.sorted.append(Function(begin, begin + int(words[1], 16), words[3],
                                    files.get(words[3], "other")))
    self.sorted.sort()

  def at(self, address):
    i = bisect.bisect(self.sorted, (address, float("inf"))) - 1
    found = self.sorted[i] if i >= 0 else LIBRARIES
    return found if found.begin <= address < found.end else LIBRARIES

  def totals(self, executed):
    """Function -> instructions."""
    totals = collections.Counter()
    for address, runs in executed.items():
      totals[self.at(address)] += runs
    return totals


def readable(names):
  """Demangled, without namespaces, return types and arguments."""
  done = subprocess.run(["c++filt", "-p"], input="\n".join(names), text=True,
                        check=True, capture_output=True)
  drop = ("perdix::", "vp9::", "(anonymous namespace)::", "client::",
          " [clone .constprop.0]")
  for name in done.stdout.splitlines():
    for text in drop:
      name = name.replace(text, "")
    yield name if len(name) < 80 else name[:77] + "..."
