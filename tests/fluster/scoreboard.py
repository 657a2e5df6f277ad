#!/usr/bin/env python3
"""scoreboard.py SUITE.json LOG [OURS]

Prints fluster's results (LOG: what `fluster run` printed) as a table, names
every vector that some decoder fails, and exits 1 if the decoder OURS fails one
without an excuse: a pixel format that GStreamer's stateless client has no way
to ask for, or a line "vector<TAB>reason" in the file `exceptions` beside this
script.
"""
import json
import os
import re
import sys

LINE = re.compile(r'\[(?P<suite>\S+)\s*\] \((?P<decoder>\S+)\s*\) '
                  r'(?P<vector>\S+)\s+\.\.\. (?P<result>\w[\w ]*)$')


def read_results(log):
    results = {}
    with open(log, encoding='utf-8', errors='replace') as file:
        for line in file:
            match = LINE.match(line.rstrip())
            if match and match['vector'] != 'TEST':
                results.setdefault(match['decoder'], {})[match['vector']] = \
                    match['result']
    return results


def read_exceptions():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'exceptions')
    with open(path, encoding='utf-8') as file:
        lines = [line.rstrip('\n') for line in file]
    return dict(line.split('\t', 1) for line in lines
                if line and not line.startswith('#'))


def excuse(vector, exceptions):
    if vector['name'] in exceptions:
        return exceptions[vector['name']]
    if vector['output_format'] != 'yuv420p':
        return f'the client cannot ask our node for {vector["output_format"]}'
    return ''


def main(suite_path, log, ours='GStreamer-VP9-V4L2SL-Gst1.0'):
    with open(suite_path, encoding='utf-8') as file:
        vectors = json.load(file)['test_vectors']
    results = read_results(log)
    exceptions = read_exceptions()
    unexcused = 0
    for vector in vectors:
        bad = {decoder: by_vector.get(vector['name'], 'Not run')
               for decoder, by_vector in results.items()
               if by_vector.get(vector['name']) != 'Success'}
        if not bad:
            continue
        reason = ''
        if ours in bad:
            reason = excuse(vector, exceptions)
            unexcused += not reason
            reason = f'  [{reason or "NO EXCUSE"}]'
        print(f'{vector["name"]}: ' + ', '.join(
            f'{decoder} {result}' for decoder, result in bad.items()) + reason)
    print(f'\n{"decoder":32} passed of {len(vectors)}')
    for decoder, by_vector in sorted(results.items()):
        passed = sum(r == 'Success' for r in by_vector.values())
        print(f'{decoder:32} {passed:6}')
    if ours in results:
        print(f'{ours}: {unexcused} failures without an excuse')
    elif ours:
        print(f'{ours}: did not run')
        return 1
    return 1 if unexcused else 0


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
