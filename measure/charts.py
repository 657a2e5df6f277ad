# SPDX-License-Identifier: BSD-2-Clause
"""What is drawn of a measurement: wall times of decoders, as bars."""
import xml.sax.saxutils

import figures

COLOURS = ("#3b7dd8", "#8a8f98", "#d97a2b")


def title(file):
  """Part of a line: on what, which revision, how."""
  machine = file["machine"]
  words = [machine[key] for key in ("gpu", "cpu") if key in machine]
  if "cpus" in machine:
    words.append(f"{machine['cpus']} CPUs")
  words.append(file["revision"])
  if "rounds" in file:
    words.append(f"{file['statistic']} of {file['rounds']}")
  if "load" in file:
    words.append("load average {} to {}".format(*file["load"]))
  return ", ".join(words)


def dated(file):
  return f"{file['date']}: {title(file)}"


class Svg:
  """Text and bars, from top to bottom."""

  def __init__(self):
    self.y, self.body = 30, []

  def text(self, x, words, attributes=""):
    self.body.append(f'<text x="{x}" y="{self.y}"{attributes}>'
                     f"{xml.sax.saxutils.escape(words)}</text>")

  def bar(self, x, length, colour):
    self.body.append(f'<rect x="{x}" y="{self.y - 11}" width="{length}" '
                     f'height="14" fill="{colour}"/>')

  def finish(self, width):
    size = f'width="{width}" height="{self.y + 20}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
                      'font-family="sans-serif" font-size="12">',
                      f'<rect {size} fill="white"/>', *self.body, "</svg>\n"])


def wall_times(file):
  """Of a run of compare: in each group bars as parts of the longest."""
  svg = Svg()
  svg.text(20, dated(file), ' font-weight="bold"')
  for (clip, threads), decoders in figures.whole_clips(file).items():
    longest = max(found["wall"] for found in decoders.values())
    svg.y += 30
    svg.text(20, f"{clip}, threads: {threads}")
    for (decoder, found), colour in zip(decoders.items(), COLOURS):
      svg.y += 18
      length = round(510 * found["wall"] / longest)
      svg.text(80, decoder, ' text-anchor="end"')
      svg.bar(90, length, colour)
      svg.text(96 + length, f"{found['wall']:.2f} s, CPU {found['cpu']:.2f} s",
               ' fill="#444"')
  return svg.finish(760)
