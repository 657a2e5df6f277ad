#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""screen.py

Writes a Y4M clip, 96x72, for what watches a screen: 30 frames move, 30 stand
still, 20 move, 30 are black, 20 move."""
import math
import sys

WIDTH, HEIGHT = 96, 72
PARTS = (('moves', 30), ('stands', 30), ('moves', 20), ('black', 30), ('moves', 20))
BLACK, GREY = 16, 128


def waves(time):
    """Luma that moves by some samples from frame to frame."""
    return bytes(int(126 + 60 * math.sin((x + 3 * time) / 7)
                     + 40 * math.cos((y - 2 * time) / 5))
                 for y in range(HEIGHT) for x in range(WIDTH))


def main():
    out = sys.stdout.buffer
    out.write(b'YUV4MPEG2 W%d H%d F25:1 Ip C420\n' % (WIDTH, HEIGHT))
    time = 0
    for what, frames in PARTS:
        for _ in range(frames):
            time += what == 'moves'
            luma = bytes([BLACK]) * (WIDTH * HEIGHT) if what == 'black' else waves(time)
            out.write(b'FRAME\n' + luma + bytes([GREY]) * (WIDTH * HEIGHT // 2))


if __name__ == '__main__':
    main()
