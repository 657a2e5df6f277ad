# SPDX-License-Identifier: BSD-2-Clause
"""QPU code of perdix's shaders, by the Pi's own compiler, which measure/v3d-setup
makes. What it made is kept in the cache."""
import csv
import hashlib
import io
import os
import subprocess

import comparison
from pi_model import qpu_code

V3D = os.path.join(comparison.CACHE, "v3d")
RUN = os.path.join(comparison.ROOT, "measure", "v3d", "v3d-run")
KEPT = os.path.join(comparison.CACHE, "pi-model")
SHADERS = os.path.join(comparison.ROOT, "build", "dev", "shaders")
SUBGROUP_SIZE = 16  # the value of PERDIX_CONSTANT_SUBGROUP_SIZE, which is constant 0


class ProgramError(Exception):
  """A program's code is not to be had."""


class NoCompiler(ProgramError):
  """The compiler is not installed."""


def file_name(shader, constants):
  """Name of a program's file in a folder: vp9_inter_pred_rte-0-2-0.qpu."""
  return "-".join([shader.replace("/", "_"), *map(str, constants)]) + ".qpu"


class Folder:
  """Programs that lie in a folder, one in a file."""

  def __init__(self, path):
    self.path = path

  def code(self, shader, constants):
    path = os.path.join(self.path, file_name(shader, constants))
    try:
      with open(path, encoding="utf-8") as file:
        return file.read()
    except FileNotFoundError:
      raise ProgramError(f"no {path}") from None


  def keep(self, shader, constants, source):
    os.makedirs(self.path, exist_ok=True)
    comparison.write(os.path.join(self.path, file_name(shader, constants)),
                     source.code(shader, constants))


class Compiler:
  """shaders: the folder of a build where the shaders' SPIR-V is."""

  def __init__(self, shaders=SHADERS):
    self.shaders = shaders

  def code(self, shader, constants):
    spirv = os.path.join(self.shaders, shader + ".spv")
    if not os.path.exists(spirv):
      raise ProgramError(f"no {os.path.relpath(spirv)}: please build it")
    path = self.kept(spirv, shader, constants)
    if not os.path.exists(path):
      os.makedirs(KEPT, exist_ok=True)
      comparison.write(path + ".new", compile_program(spirv, constants))
      os.replace(path + ".new", path)  # never half a program
    with open(path, encoding="utf-8") as file:
      return file.read()

  @staticmethod
  def kept(spirv, shader, constants):
    """Where the program is kept: under a name that changes with the shader and
    with the compiler."""
    digest = hashlib.sha256()
    with open(spirv, "rb") as file:
      digest.update(file.read())
    digest.update(compiler_version())
    name, suffix = os.path.splitext(file_name(shader, constants))
    return os.path.join(KEPT, f"{name}-{digest.hexdigest()[:12]}{suffix}")


def compiler_version():
  try:
    state = os.stat(os.path.join(V3D, "libvulkan_broadcom.so"))
  except FileNotFoundError:
    raise NoCompiler("no compiler for the Pi's GPU: please run measure/v3d-setup") from None
  return f"{state.st_size} {state.st_mtime_ns}".encode()


def compile_program(spirv, constants):
  """The assembly, with lines that say how many threads a QPU has, and of which
  driver it is."""
  statistics = run_stat("-c", spirv, constants)
  lines = [line for line in statistics.splitlines() if not line.startswith("#")]
  row = next(csv.DictReader(io.StringIO("\n".join(lines))))
  return (f"# threads: {row['threads']}\n# driver: {row['driver']}\n" +
          run_stat("-q", spirv, constants))


def run_stat(option, spirv, constants):
  command = [RUN, "spvstat", option]
  for number, value in enumerate((SUBGROUP_SIZE, *constants)):
    command += ["-S", f"{number}={value}"]
  done = subprocess.run(command + [spirv], text=True, capture_output=True)
  if done.returncode == 77:
    raise NoCompiler(done.stderr.strip())
  if done.returncode:
    raise ProgramError(f"{spirv}: {done.stderr.strip()}")
  return done.stdout


class Programs:
  """Programs by shader and constants, each read once."""

  def __init__(self, source):
    self.source, self.known = source, {}

  def get(self, shader, constants):
    key = shader, tuple(constants)
    if key not in self.known:
      self.known[key] = qpu_code.Program(self.source.code(*key))
    return self.known[key]

  def drivers(self):
    return ", ".join(sorted({program.driver for program in self.known.values()}))
