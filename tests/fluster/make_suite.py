#!/usr/bin/env python3
"""make_suite.py OUT DIR...

Makes a fluster test suite of each codec from its streams under the folders:
OUT/test_suites/<codec>/PERDIX-<codec>.json and
OUT/resources/PERDIX-<codec>/<vector>/<file> (links). Writes the names of the
suites that have vectors to OUT/suites, and what is special of AV1 vectors, by
name (stream_facts.py), to OUT/facts.json.
The MD5 of a stream is taken from the first of
  INDEX.tsv        in DIR or above it: columns file, whole_md5
  STREAM.md5       "MD5  name" of the whole output (vpxdec --i420 --md5), or
                   libvpx's form, one line for each frame
  STREAM.frames.md5, "MD5  WxH" for each frame
  fluster's own suites, if they know a stream of that name
A list of frames is checked with the codec's reference decoder, which then gives
the MD5 of the whole. Streams that are left out are printed with the reason.
"""
import csv
import hashlib
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from stream_facts import facts  # noqa: E402, beside this file

STREAMS = ('.webm', '.ivf', '.mkv', '.mp4', '.vp9', '.obu')
INSTALLED = '/usr/share/fluster/test_suites'
REFERENCE = {'VP9': 'vpxdec', 'AV1': 'aomdec'}
# Y4M colour spaces of vpxdec and aomdec -> fluster's names
FORMATS = {'420jpeg': 'yuv420p', '422': 'yuv422p', '444': 'yuv444p',
           '420p10': 'yuv420p10le', '420p12': 'yuv420p12le',
           '422p10': 'yuv422p10le', '422p12': 'yuv422p12le',
           '444p10': 'yuv444p10le', '444p12': 'yuv444p12le', 'mono': 'gray'}


class LeaveOut(Exception):
    """The stream cannot be a test vector; the text says why."""


def codec_of(stream):
    with open(stream, 'rb') as file:
        head = file.read(1024)
    av1 = stream.endswith('.obu') or b'AV01' in head or b'V_AV1' in head or \
        b'av01' in head
    return 'AV1' if av1 else 'VP9'


def decode(stream, *options):
    """By the reference decoder; of a stream of OBUs in either form."""
    run = None
    for form in ([], ['--annexb']) if stream.endswith('.obu') else ([],):
        run = subprocess.run([REFERENCE[codec_of(stream)], *form, *options, stream],
                             check=False, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        if run.returncode == 0:
            break
    return run.returncode, run.stdout


def output_format(stream):
    header = decode(stream, '--limit=1', '-o', '-')[1].split(b'\n', 1)[0]
    space = re.search(rb' C(\w+)', header)
    if not space:
        raise LeaveOut('the reference decoder writes no Y4M of it')
    space = space.group(1).decode()
    if space not in FORMATS:
        raise LeaveOut(f'fluster has no name for the format {space}')
    return FORMATS[space]


def from_frames(stream, frames):
    """frames: MD5 of each. Returns the MD5 of all of them together."""
    code, out = decode(stream, '--rawvideo', '--md5', '-o', 'f-%w-%h-%6.raw')
    decoded = [line.split()[0] for line in out.decode().splitlines()]
    if code or decoded != frames:
        raise LeaveOut('the reference decoder does not give the frames of its '
                       'MD5 file')
    return decode(stream, '--rawvideo', '--md5')[1].decode().split()[0]


def from_md5_file(stream, path):
    with open(path, encoding='utf-8') as file:
        lines = [line.split() for line in file if line.strip()]
    if not lines:
        raise LeaveOut('its MD5 file is empty')
    per_frame = re.search(r'(-|^)\d+x\d+(-\d+\.\w+)?$', lines[0][-1])
    if len(lines) == 1 and not per_frame:
        return lines[0][0]
    return from_frames(stream, [line[0] for line in lines])


def read_index(folder):
    """Rows of the nearest INDEX.tsv, by absolute path of the stream."""
    while folder != '/':
        path = os.path.join(folder, 'INDEX.tsv')
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                rows = csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE)
                return {os.path.join(folder, row['file']): row for row in rows}
        folder = os.path.dirname(folder)
    return {}


def read_installed(codec):
    known = {}
    folder = os.path.join(INSTALLED, codec.lower())
    if os.path.isdir(folder):
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding='utf-8') as file:
                for vector in json.load(file)['test_vectors']:
                    known[vector['input_file']] = vector['result']
    return known


def expected_md5(stream, index, installed):
    if stream in index:
        row = index[stream]
        if row['published'].startswith(('expected-errors', 'n/a')) or \
                'rc=1' in (row['notes'] or ''):
            raise LeaveOut('damaged on purpose')
        return row['whole_md5']
    for path in (stream + '.md5', stream + '.frames.md5'):
        if os.path.exists(path):
            return from_md5_file(stream, path)
    if os.path.basename(stream) in installed:
        return installed[os.path.basename(stream)]
    raise LeaveOut('no MD5 beside it')


def streams_under(folder):
    for where, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if name.endswith(STREAMS):
                yield os.path.join(where, name)


def add_vector(suite, out, stream, md5):
    pixel_format = output_format(stream)
    name = os.path.basename(stream)
    if any(v['name'] == name for v in suite['test_vectors']):
        name = f'{os.path.basename(os.path.dirname(stream))}-{name}'
    folder = os.path.join(out, 'resources', suite['name'], name)
    os.makedirs(folder)
    os.symlink(stream, os.path.join(folder, os.path.basename(stream)))
    with open(stream, 'rb') as file:
        checksum = hashlib.md5(file.read()).hexdigest()
    suite['test_vectors'].append({
        'name': name, 'source': 'file://' + stream,
        'source_checksum': checksum, 'input_file': os.path.basename(stream),
        'output_format': pixel_format, 'result': md5})


def write_suite(out, suite):
    place = os.path.join(out, 'test_suites', suite['codec'].lower())
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, suite['name'] + '.json'), 'w',
              encoding='utf-8') as file:
        json.dump(suite, file, indent=2)


def main(out, *folders):
    suites = {codec: {'name': f'PERDIX-{codec}', 'codec': codec,
                      'description': 'made by perdix tests/fluster',
                      'test_vectors': []} for codec in REFERENCE}
    installed = {codec: read_installed(codec) for codec in REFERENCE}
    left_out = dict.fromkeys(REFERENCE, 0)
    special = {}
    for folder in map(os.path.abspath, folders):
        index = read_index(folder)
        for stream in streams_under(folder):
            codec = codec_of(stream)
            try:
                add_vector(suites[codec], out, stream,
                           expected_md5(stream, index, installed[codec]))
                if codec == 'AV1':
                    name = suites[codec]['test_vectors'][-1]['name']
                    special[name] = sorted(facts(stream))
            except LeaveOut as reason:
                left_out[codec] += 1
                print(f'left out: {os.path.basename(stream)}: {reason}')
    with open(os.path.join(out, 'facts.json'), 'w', encoding='utf-8') as file:
        json.dump(special, file, indent=2)
    with open(os.path.join(out, 'suites'), 'w', encoding='utf-8') as names:
        for codec, suite in suites.items():
            vectors = len(suite['test_vectors'])
            print(f'{suite["name"]}: {vectors} vectors, {left_out[codec]} left out')
            if vectors:
                write_suite(out, suite)
                names.write(suite['name'] + '\n')


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
