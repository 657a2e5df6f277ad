#!/usr/bin/env python3
"""scoreboard.py SUITE.json GST LOG [--late | --failed | --own LOG] [OURS]

Prints fluster's results (LOG: what `fluster run` printed) as a table, names
every vector that some decoder fails, and exits 1 if the decoder OURS fails one
without an excuse. An excuse is what GStreamer cannot do with any node: a pixel
format that its stateless client has no way to ask for, or what EXCUSES names of
what stream_facts.py found in the vector (facts.json beside the folder GST). How
OURS fails is one of
  late      a frame took longer than GStreamer waits (1 s), or all of them longer
            than fluster does
  flagged   perdixd could not decode a frame: it came back with
            V4L2_BUF_FLAG_ERROR, at which GStreamer 1.26 does not look
  wrong     all frames came, and the MD5 differs
  refused   GStreamer's own words for what else ended it
as told by what GStreamer printed (GST/<vector>, its process first) and perdixd
(daemon.log beside the folder GST). A vector that is twice in the log was late
and has run again alone: the second result counts, and the board says for how
many. --late only prints the vectors of OURS that were late, --failed all that it
failed. --own LOG: what GStreamer's own av1dec or vp9dec made of those.
"""
import json
import os
import re
import sys

LINE = re.compile(r'\[(?P<suite>\S+)\s*\] \((?P<decoder>\S+)\s*\) '
                  r'(?P<vector>\S+)\s+\.\.\. (?P<result>\w[\w ]*)$')
# What the node offers. GStreamer has no name for gray: it comes as 4:2:0.
OFFERED = ('yuv420p', 'yuv420p10le', 'gray')

# What GStreamer 1.26 does wrong, by the facts of stream_facts.py.
EXCUSES = {
    'annexb': 'Annex B, in which av1parse finds no frame',
    'layers': 'spatial layers, of which av1parse drops all but the first',
    'render': 'render_size is not the frame size: GStreamer shows that size of '
              'the frame, or crashes',
    'resize': 'a new size at an inter frame, which GStreamer takes for the old one',
    '1x1': '1x1, of which videoconvert gives a later frame the first one\'s luma',
}

# What GStreamer says of a frame that took longer than it waits. The second is of
# one that is not shown: GStreamer goes on, and has no buffer for the next frame,
# because there are as many as frames may be under way.
LATE = ('took too long', 'Not enough memory to decode')

# In perdixd's log, which names the process when a session opens.
SESSION = re.compile(r'session (?P<id>\d+): (?:opened by .*\(pid (?P<pid>\d+)\)'
                     r'|closed after \d+ frames, (?P<failed>\d+) failed)')


def read_results(log):
    """By decoder and vector: the results, the newest last."""
    results = {}
    with open(log, encoding='utf-8', errors='replace') as file:
        for line in file:
            match = LINE.match(line.rstrip())
            if match and match['vector'] != 'TEST':
                results.setdefault(match['decoder'], {}).setdefault(
                    match['vector'], []).append(match['result'])
    return results


def excuse(vector, facts, how_it_failed):
    """A frame that perdixd could not decode has one only if GStreamer gave it a
    buffer of the wrong size."""
    for fact, reason in EXCUSES.items():
        if fact in facts and (how_it_failed != 'flagged' or fact == 'resize'):
            return reason
    if vector['output_format'] not in OFFERED:
        return f'the client cannot ask our node for {vector["output_format"]}'
    return ''


def read(*path):
    """The whole file; nothing if there is none."""
    path = os.path.join(*path)
    if not os.path.exists(path):
        return ''
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def failed_frames(log, pid):
    """How many frames failed in the sessions of that process, by perdixd's log."""
    mine, failed = set(), 0
    for line in SESSION.finditer(log):
        if line['pid'] == pid:
            mine.add(line['id'])
        elif line['failed'] and line['id'] in mine:
            failed += int(line['failed'])
    return failed


def how(gst, vector, result):
    """How our node failed the vector."""
    said = read(gst, vector)
    pid = re.match(r'pid (\d+)', said)
    if result == 'Timeout' or any(words in said for words in LATE):
        return 'late'
    if pid and failed_frames(read(gst, '..', 'daemon.log'), pid[1]):
        return 'flagged'
    error = re.search(r'ERROR: from element \S+: (.*)', said)
    if error:
        return f'refused ({error[1]})'
    return 'wrong' if result == 'Fail' else f'refused ({result})'


def failures(vectors, results, ours, gst):
    """By vector: what each decoder that fails it comes to."""
    bad = {}
    for name in (vector['name'] for vector in vectors):
        for decoder, by_vector in results.items():
            result = by_vector.get(name, ['Not run'])[-1]
            if result != 'Success':
                bad.setdefault(name, {})[decoder] = \
                    how(gst, name, result) if decoder == ours else result
    return bad


def print_board(vectors, results, ours):
    print(f'{"decoder":32} passed of {len(vectors)}')
    for decoder, by_vector in sorted(results.items()):
        passed = sum(r[-1] == 'Success' for r in by_vector.values())
        again = sum(len(r) > 1 for r in by_vector.values())
        more = f'  ({again} were late and ran again alone)' if again else ''
        print(f'{decoder:32} {passed:6}{more}')
    if ours and ours not in results:
        print(f'{ours}: did not run')


def own_result(own, ours, name):
    """What GStreamer's own decoder made of a vector."""
    result = own.get(ours, {}).get(name)
    if not result:
        return ''
    said = 'right' if result[-1] == 'Success' else result[-1].lower()
    return f"; GStreamer's own decoder: {said}"


def main(suite_path, gst, log, *options):
    options = list(options)
    own = {}
    if '--own' in options:
        own = read_results(options.pop(options.index('--own') + 1))
    ours = ([option for option in options if option[:2] != '--'] or [''])[0]
    with open(suite_path, encoding='utf-8') as file:
        vectors = json.load(file)['test_vectors']
    results = read_results(log)
    bad = failures(vectors, results, ours, gst)
    if '--late' in options or '--failed' in options:
        print(*(name for name, by in bad.items() if ours in by and
                ('--failed' in options or by[ours] == 'late')))
        return 0
    facts = json.loads(read(gst, '..', 'facts.json') or '{}')
    unexcused = 0
    for vector in vectors:
        name = vector['name']
        by_decoder = bad.get(name, {})
        reason = ''
        if ours in by_decoder:
            reason = excuse(vector, facts.get(name, []), by_decoder[ours])
            unexcused += not reason
            reason = f'{own_result(own, ours, name)}  [{reason or "NO EXCUSE"}]'
        if by_decoder:
            print(f'{name}: ' + ', '.join(
                f'{decoder} {why}' for decoder, why in by_decoder.items()) + reason)
    print_board(vectors, results, ours)
    if ours in results:
        print(f'{ours}: {unexcused} failures without an excuse')
    return 1 if unexcused or (ours and ours not in results) else 0


if __name__ == '__main__':
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
