# SPDX-License-Identifier: BSD-2-Clause
"""What compare and compare-arm64 share: clips, command lines, tables."""
import argparse
import collections
import os
import re
import select
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or
                     os.path.expanduser("~/.cache"), "perdix")
CLIPS = os.path.join(os.path.dirname(ROOT), "shared", "vectors", "speed")
TRIXIE = os.path.join(ROOT, "tools", "trixie")
OURS = "perdix"
PROGRAMS = {OURS: "perdix-decode", "libvpx": "vpxdec", "FFmpeg": "ffmpeg",
            "dav1d": "dav1d"}
# By codec, who decodes its clips.
DECODERS = {"VP9": [OURS, "libvpx", "FFmpeg"], "AV1": [OURS, "dav1d"]}
# What a rival can do with several threads; which is faster depends on the clip.
SETTINGS = {"libvpx": ["--row-mt=0", "--row-mt=1"],
            "FFmpeg": ["-thread_type slice", "-thread_type frame"]}


SAMPLE_MS = 20  # between two looks at a program's memory

# What a program printed, and as errors; seconds of wall time and of CPU time, user
# and system; MiB, the largest resident set that was seen.
Finished = collections.namedtuple("Finished", "output errors wall cpu mib")


def settings(decoder, threads):
  return SETTINGS.get(decoder, [""]) if threads > 1 else [""]


def codec(clip):
  """A key of DECODERS. Of IVF the fourcc says it; WebM holds VP9 here."""
  with open(clip, "rb") as file:
    return "AV1" if file.read(12)[8:] == b"AV01" else "VP9"


def command(decoder, program, clip, threads, limit=None, setting="",
            scalar=False):
  """Decodes the clip (its first `limit` frames), and writes nothing. scalar: by
  plain C and C++, which not every rival can."""
  def limited(*words):
    return [word.format(limit) for word in words] if limit else []
  if decoder == OURS:
    return [program, "--null", "--recipe", "scalar" if scalar else "simd",
            "--threads", str(threads), *limited("--limit", "{}"), clip]
  if decoder == "dav1d":
    return [program, "--quiet", "--muxer", "null", "-o", "-", "--threads",
            str(threads), *(["--cpumask", "0"] if scalar else []),
            *limited("--limit", "{}"), "-i", clip]
  if decoder == "libvpx":
    return [program, "--noblit", f"--threads={threads}",
            *setting.split(), *limited("--limit={}"), clip]
  return [program, "-nostdin", "-v", "error", "-threads", str(threads),
          *setting.split(), "-c:v", "vp9", "-i", clip, *limited("-frames:v", "{}"), "-an",
          "-fps_mode", "passthrough", "-f", "null", "-"]


def resident_peak(pid):
  """The memory that the running program has taken at most, in MiB. What the kernel
  says at the end (ru_maxrss) is no less than the memory of the script that started
  it."""
  with open(f"/proc/{pid}/status") as file:
    peaks = re.findall(r"^VmHWM:\s+(\d+) kB$", file.read(), re.MULTILINE)
  return int(peaks[0]) / 1024 if peaks else 0


def finish(command, root="/"):
  """Runs it, with `root` as its root folder. Ends the program where it fails."""
  with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
    start = time.monotonic()
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
        preexec_fn=(lambda: os.chroot(root)) if root != "/" else None)
    ended = select.poll()
    handle = os.pidfd_open(child.pid)
    ended.register(handle, select.POLLIN)
    mib = resident_peak(child.pid)
    while not ended.poll(SAMPLE_MS):
      mib = max(mib, resident_peak(child.pid))
    os.close(handle)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    output.seek(0)
    errors.seek(0)
    text = errors.read().decode(errors="replace")
    if child.returncode:
      sys.exit(f"{program()}: {' '.join(command)}: exit status "
               f"{child.returncode}: {text.strip()}")
    return Finished(output.read().decode(errors="replace"), text, wall,
                    usage.ru_utime + usage.ru_stime, mib)


def add_clip_options(parser):
  parser.add_argument("clips", nargs="*", metavar="CLIP",
                      help="files (default: all of --clips)")
  parser.add_argument("--clips", dest="folder", metavar="DIR",
                      help="a folder of clips (default: ../shared/vectors/speed "
                      "if there is one, or tests/clips)")


def add_frames_option(parser):
  def two_numbers(text):
    first, last = (int(word) for word in text.split(","))
    if not 0 < first < last:
      raise argparse.ArgumentTypeError(f"{text}: wants two numbers, as in 30,60")
    return first, last
  parser.add_argument("--frames", type=two_numbers, default="30,60",
                      metavar="A,B", help="the two runs' lengths (30,60)")


def find_clips(options):
  """Absolute paths. Ends the program when there are none."""
  folder = options.folder or (
      CLIPS if os.path.isdir(CLIPS) else os.path.join(ROOT, "tests", "clips"))
  clips = options.clips or (
      [os.path.join(folder, name) for name in sorted(os.listdir(folder))
       if name.endswith((".webm", ".ivf", ".mkv"))]
      if os.path.isdir(folder) else [])
  missing = [clip for clip in clips if not os.path.exists(clip)]
  if missing or not clips:
    sys.exit(f"{program()}: no {missing[0] if missing else 'clips in ' + folder}")
  return [os.path.abspath(clip) for clip in clips]


def one_codec(clips):
  """What all of them are of. Ends the program when it is not one."""
  codecs = {codec(clip) for clip in clips}
  if len(codecs) > 1:
    sys.exit(f"{program()}: the clips are of {' and '.join(sorted(codecs))}: "
             "wants one codec")
  return codecs.pop()


def take_dav1d(files):
  """The first of files, if it is a dav1d: taken out of them. Ends the program
  where no clip is left."""
  rival = None
  if os.access(files[0], os.X_OK) and os.path.basename(files[0]) == "dav1d":
    rival = files.pop(0)
  if not files:
    sys.exit(f"{program()}: no clip")
  return rival


def stem(clip):
  return os.path.splitext(os.path.basename(clip))[0]


def program():
  return os.path.basename(sys.argv[0])


def say(text):
  print(f"{program()}: {text}", file=sys.stderr)


class Progress:
  """A line that counts, where there is a terminal."""

  def __init__(self, total):
    self.total, self.done = total, 0

  def step(self, what):
    self.done += 1
    if sys.stderr.isatty():
      end = "\n" if self.done == self.total else ""
      print(f"\r\033[K{self.done}/{self.total} {what}", end=end,
            file=sys.stderr, flush=True)


def build(arch, preset, *targets):
  """Builds targets of this tree in Debian 13; returns the programs' folder."""
  say(f"building {', '.join(targets)} for {arch} in Debian 13")
  for arguments in (["--preset", preset, "--log-level=WARNING"],
                    ["--build", "--preset", preset, "--target", *targets]):
    done = subprocess.run([TRIXIE, arch, "cmake", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
      sys.exit(f"{done.stdout}{program()}: the build for {arch} failed")
  return os.path.join(ROOT, "build", preset, "bin")


def revision():
  """The commit, with a + where the tree differs from it."""
  try:
    done = subprocess.run(["git", "describe", "--always", "--exclude=*", "--dirty=+"], cwd=ROOT,
                          capture_output=True, text=True)
  except FileNotFoundError:
    return "no git"
  return done.stdout.strip() or "not in git"


def write(path, text):
  try:
    with open(path, "w") as file:
      file.write(text)
  except OSError as error:
    sys.exit(f"{program()}: {error}")


def ratio(values):
  """Ours, the first, to the better rival; "-" without one, or if it took 0."""
  best = min(values[1:], default=0)
  return f"**{values[0] / best:.2f}**" if best else "-"


def table(header, rows):
  """Markdown; columns of numbers to the right."""
  numbers = [all(re.match(r"[-\d.:]*( |$|\*)", row[i].strip("*")) for row in rows)
             for i in range(len(header))]
  lines = [header, ["---:" if n else "---" for n in numbers], *rows]
  return "\n".join("|" + "".join(f" {cell} |" if cell else " |" for cell in line)
                   for line in lines)
