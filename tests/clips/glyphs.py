#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""glyphs.py SEED [444]

Writes a Y4M clip of eight frames, 256x128, like a screen: windows of a few flat
colours with lines of made-up letters, which repeat. The text scrolls in one
window, and a second window moves. Encoders find palettes in it, and blocks to
copy from the same frame. 444: as many samples of chroma as of luma."""
import random
import sys

WIDTH, HEIGHT, FRAMES = 256, 128, 8
CELL = 8  # a letter has so many pixels in both directions
LETTERS = 12
LINES = 40
# Y, U, V of the desktop, of paper, ink and borders
DESKTOP, PAPER, INK, BORDER = (90, 110, 150), (235, 128, 128), (30, 128, 128), (160, 90, 200)


def make_letter():
    """Ink or not, of 8x8 pixels; the last two columns and row are empty."""
    return [[random.random() < 0.45 and x < 6 and y < 7 for x in range(CELL)]
            for y in range(CELL)]


class Window:
    def __init__(self, width, height, paper, ink):
        self.width, self.height, self.paper, self.ink = width, height, paper, ink
        self.text = [[random.randrange(LETTERS + 4) for _ in range(width // CELL)]
                     for _ in range(LINES)]

    def pixel(self, x, y, scrolled):
        if x in (0, self.width - 1) or y in (0, self.height - 1):
            return BORDER
        y += scrolled
        letter = self.text[y // CELL % LINES][x // CELL % len(self.text[0])]
        if letter >= LETTERS:
            return self.paper  # a space
        return self.ink if letters[letter][y % CELL][x % CELL] else self.paper


def draw(frame):
    windows = ((back, 16, 8, 8 * frame), (front, 100 + 5 * frame, 40 + 3 * frame, 0))
    pixels = []
    for y in range(HEIGHT):
        row = []
        for x in range(WIDTH):
            colour = DESKTOP
            for window, left, top, scrolled in windows:
                if 0 <= x - left < window.width and 0 <= y - top < window.height:
                    colour = window.pixel(x - left, y - top, scrolled)
            row.append(colour)
        pixels.append(row)
    return pixels


def write(pixels):
    sys.stdout.buffer.write(b'FRAME\n')
    sys.stdout.buffer.write(bytes(p[0] for row in pixels for p in row))
    for plane in (1, 2):
        sys.stdout.buffer.write(bytes(p[plane] for row in pixels[::step] for p in row[::step]))


random.seed(int(sys.argv[1]))
step, space = (1, b'444') if sys.argv[2:] == ['444'] else (2, b'420jpeg')
letters = [make_letter() for _ in range(LETTERS)]
back = Window(160, 96, PAPER, INK)
front = Window(120, 64, INK, (200, 60, 140))
sys.stdout.buffer.write(b'YUV4MPEG2 W%d H%d F30:1 Ip C%s\n' % (WIDTH, HEIGHT, space))
for number in range(FRAMES):
    write(draw(number))
