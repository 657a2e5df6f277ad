#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""corner.py FRAMES: Y4M of 2048x1088, grey but for noise of 64x64 that moves near
the corner at the lower right. Of many tiles that one has most bytes, so that libaom
keeps its contexts. manytiles_2048x1088.ivf has three such frames, by libaom 3.6's
  aomenc --ivf -w 2048 -h 1088 --limit=3 --threads=1 --good --cpu-used=8 --passes=1
    --end-usage=q --cq-level=30 --sb-size=64 --tile-columns=5 --tile-rows=5
and its MD5s are aomdec's: 544 tiles, more than a node takes, the 538th of which
leaves its probabilities.
"""
import random
import sys

WIDTH, HEIGHT, X, Y, SIZE = 2048, 1088, 1600, 1000, 64

rows = [random.Random(y).randbytes(SIZE) for y in range(SIZE)]
out = sys.stdout.buffer
out.write(b'YUV4MPEG2 W%d H%d F30:1 Ip C420jpeg\n' % (WIDTH, HEIGHT))
for frame in range(int(sys.argv[1])):
  luma = bytearray(b'\x80' * (WIDTH * HEIGHT))
  for y, row in enumerate(rows):
    begin = (Y + y) * WIDTH + X + frame
    luma[begin:begin + SIZE] = row
  out.write(b'FRAME\n' + luma + b'\x80' * (WIDTH * HEIGHT // 2))
