#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""stripes.py SEED

Writes a Y4M clip, 256x128, for intra modes that films seldom need: a frame of
stripes in each direction that VP9 predicts from and one for TM, all of it twice;
then the last one with a high frequency of a 32x32 DCT added."""
import math
import random
import sys

WIDTH, HEIGHT = 256, 128
DIRECTIONS = (45, 63, 90, 117, 135, 153, 180, 207, None)  # degrees; None: TM
# width, height, pixels between the stripes' random points
PLANES = ((WIDTH, HEIGHT, 14), (WIDTH // 2, HEIGHT // 2, 9),
          (WIDTH // 2, HEIGHT // 2, 9))


def profile(step):
    """A random function, straight between multiples of step."""
    points = [random.randrange(40, 216) for _ in range(150)]

    def at(t):
        index, rest = divmod(t / step, 1)
        index = int(index) % (len(points) - 1)
        return points[index] * (1 - rest) + points[index + 1] * rest
    return at


def stripes(direction, width, height, step):
    along, across = profile(step), profile(step)
    if direction is None:
        return [[(along(x + 600) + across(y + 600)) / 2 for x in range(width)]
                for y in range(height)]
    angle = math.radians(direction)
    return [[along(600 + x * math.sin(angle) + y * math.cos(angle))
             for x in range(width)] for y in range(height)]


def add_frequency(plane, u, v, amplitude):
    return [[pixel + amplitude * math.cos((2 * x + 1) * u * math.pi / 64)
             * math.cos((2 * y + 1) * v * math.pi / 64)
             for x, pixel in enumerate(row)] for y, row in enumerate(plane)]


def write(planes):
    sys.stdout.buffer.write(b'FRAME\n')
    for plane in planes:
        for row in plane:
            sys.stdout.buffer.write(bytes(min(255, max(0, round(p))) for p in row))


random.seed(int(sys.argv[1]))
sys.stdout.buffer.write(b'YUV4MPEG2 W%d H%d F30:1 Ip C420jpeg\n' % (WIDTH, HEIGHT))
for direction in DIRECTIONS * 2:
    planes = [stripes(direction, *plane) for plane in PLANES]
    write(planes)
write([add_frequency(plane, 21, 19, 40) for plane in planes])
