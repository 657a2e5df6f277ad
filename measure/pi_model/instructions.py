# SPDX-License-Identifier: BSD-2-Clause
"""Instructions of an arm64 CPU for a frame, by kernel: counted, not modelled."""
import json
import re

# What tells, in a source file's name, the SIMD variant from the scalar one.
VARIANT = re.compile(r"\d*(_simd)?\.cc$")
PROFILE = "profile-arm64-"
KERNELS = ("inter_pred", "inverse_transform", "intra_pred", "loop_filter", "deblock", "cdef",
           "super_res", "loop_restoration", "film_grain")
# Files with a kernel's code that are not named as it is. Where blocks are
# intra-predicted the CPU adds their residual by the same functions.
KERNEL_OF = {"transform_passes": "inverse_transform", "small_blocks": "inverse_transform",
             "masks": "inter_pred"}


class Instructions:
  """Millions a frame: of each kernel, and of parsing. source: who counted."""

  def __init__(self, kernels, parsing, source):
    self.kernels, self.parsing, self.source = kernels, parsing, source


def read(path, clip, type_):
  """Instructions of the clip's frames of that type; None if the file has none.

  The file is the one that the package's docstring describes, or what
  compare-arm64 --profile --record kept, which is of inter frames."""
  with open(path, encoding="utf-8") as file:
    content = json.load(file)
  if content.get("what", "").startswith(PROFILE):
    return of_profile(content, clip) if type_ == "inter" else None
  found = content.get(type_)
  if found is None:
    return None
  return Instructions(found["kernels"], found["parsing"], content["source"])


def of_profile(profile, clip):
  """A file of a kernel is that kernel's, whatever its variant; the rest parses."""
  codec = profile["what"][len(PROFILE):]
  kernels, parsing, found = {}, 0.0, False
  for row in profile["rows"]:
    if row["of"].get("clip") != clip or "function" in row["of"]:
      continue
    found = True
    millions = row["figures"]["instructions"]
    stem = VARIANT.sub("", row["of"]["file"])
    stem = KERNEL_OF.get(stem, stem)
    if stem in KERNELS:
      kernel = f"{codec}_{stem}"
      kernels[kernel] = kernels.get(kernel, 0.0) + millions
    else:
      parsing += millions
  if not found:
    return None
  return Instructions(kernels, parsing, f"{profile['command']}, {profile['date']}")
