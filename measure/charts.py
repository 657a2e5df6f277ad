# SPDX-License-Identifier: BSD-2-Clause
"""What is drawn of a measurement: wall times of decoders, as bars."""
import figures
import svg

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


def wall_times(file):
  """The times of a run of compare: in each group bars as parts of the longest."""
  drawing, y = svg.Svg(760), 30
  drawing.text(20, y, dated(file), ' font-weight="bold"')
  for (clip, threads), decoders in figures.whole_clips(file).items():
    longest = max(found["wall"] for found in decoders.values())
    y += 30
    drawing.text(20, y, f"{clip}, threads: {threads}")
    for (decoder, found), colour in zip(decoders.items(), COLOURS):
      y += 18
      length = round(510 * found["wall"] / longest)
      drawing.text(80, y, decoder, ' text-anchor="end"')
      drawing.bar(90, y - 11, length, 14, colour)
      drawing.text(96 + length, y, f"{found['wall']:.2f} s, CPU {found['cpu']:.2f} s",
                   ' fill="#444"')
  return drawing.finish(y + 20)
