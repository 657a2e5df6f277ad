// SPDX-License-Identifier: BSD-2-Clause
// The wedge mask process (7.11.3.11) as the specification initialises its
// table.
#include "tests/kernels/av1/spec_inter.h"

namespace perdix::av1::spec {
namespace {

constexpr int MASK_MASTER_SIZE = 64;
enum { HORIZONTAL, VERTICAL, OBLIQUE27, OBLIQUE63, OBLIQUE117, OBLIQUE153 };

constexpr int Wedge_Master_Oblique_Odd[MASK_MASTER_SIZE] = {
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  1,  2,  6,  18,
    37, 53, 60, 63, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64};
constexpr int Wedge_Master_Oblique_Even[MASK_MASTER_SIZE] = {
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  1,  4,  11, 27,
    46, 58, 62, 63, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64};
constexpr int Wedge_Master_Vertical[MASK_MASTER_SIZE] = {
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  2,  7,  21,
    43, 57, 62, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64};

constexpr int Wedge_Codebook[3][16][3] = {

    {
        {OBLIQUE27, 4, 4},
        {OBLIQUE63, 4, 4},
        {OBLIQUE117, 4, 4},
        {OBLIQUE153, 4, 4},
        {HORIZONTAL, 4, 2},
        {HORIZONTAL, 4, 4},
        {HORIZONTAL, 4, 6},
        {VERTICAL, 4, 4},
        {OBLIQUE27, 4, 2},
        {OBLIQUE27, 4, 6},
        {OBLIQUE153, 4, 2},
        {OBLIQUE153, 4, 6},
        {OBLIQUE63, 2, 4},
        {OBLIQUE63, 6, 4},
        {OBLIQUE117, 2, 4},
        {OBLIQUE117, 6, 4},
    },
    {
        {OBLIQUE27, 4, 4},
        {OBLIQUE63, 4, 4},
        {OBLIQUE117, 4, 4},
        {OBLIQUE153, 4, 4},
        {VERTICAL, 2, 4},
        {VERTICAL, 4, 4},
        {VERTICAL, 6, 4},
        {HORIZONTAL, 4, 4},
        {OBLIQUE27, 4, 2},
        {OBLIQUE27, 4, 6},
        {OBLIQUE153, 4, 2},
        {OBLIQUE153, 4, 6},
        {OBLIQUE63, 2, 4},
        {OBLIQUE63, 6, 4},
        {OBLIQUE117, 2, 4},
        {OBLIQUE117, 6, 4},
    },
    {
        {OBLIQUE27, 4, 4},
        {OBLIQUE63, 4, 4},
        {OBLIQUE117, 4, 4},
        {OBLIQUE153, 4, 4},
        {HORIZONTAL, 4, 2},
        {HORIZONTAL, 4, 6},
        {VERTICAL, 2, 4},
        {VERTICAL, 6, 4},
        {OBLIQUE27, 4, 2},
        {OBLIQUE27, 4, 6},
        {OBLIQUE153, 4, 2},
        {OBLIQUE153, 4, 6},
        {OBLIQUE63, 2, 4},
        {OBLIQUE63, 6, 4},
        {OBLIQUE117, 2, 4},
        {OBLIQUE117, 6, 4},
    }};

}  // namespace

Array WedgeMasks(int w, int h, int flip_sign, int wedge_index) {
  static int MasterMask[6][MASK_MASTER_SIZE][MASK_MASTER_SIZE];
  const int size = MASK_MASTER_SIZE;
  for (int j = 0; j < size; j++) {
    int shift = MASK_MASTER_SIZE / 4;
    for (int i = 0; i < size; i += 2) {
      MasterMask[OBLIQUE63][i][j] =
          Wedge_Master_Oblique_Even[Clip3(0, MASK_MASTER_SIZE - 1, j - shift)];
      shift -= 1;
      MasterMask[OBLIQUE63][i + 1][j] =
          Wedge_Master_Oblique_Odd[Clip3(0, MASK_MASTER_SIZE - 1, j - shift)];
      MasterMask[VERTICAL][i][j] = Wedge_Master_Vertical[j];
      MasterMask[VERTICAL][i + 1][j] = Wedge_Master_Vertical[j];
    }
  }
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++) {
      const int msk = MasterMask[OBLIQUE63][i][j];
      MasterMask[OBLIQUE27][j][i] = msk;
      MasterMask[OBLIQUE117][i][size - 1 - j] = 64 - msk;
      MasterMask[OBLIQUE153][size - 1 - j][i] = 64 - msk;
      MasterMask[HORIZONTAL][j][i] = MasterMask[VERTICAL][i][j];
    }
  }
  const int block_shape = h > w ? 0 : h < w ? 1 : 2;
  const int* const code = Wedge_Codebook[block_shape][wedge_index];
  const int dir = code[0];
  const int xoff = MASK_MASTER_SIZE / 2 - ((code[1] * w) >> 3);
  const int yoff = MASK_MASTER_SIZE / 2 - ((code[2] * h) >> 3);
  int sum = 0;
  for (int i = 0; i < w; i++) sum += MasterMask[dir][yoff][xoff + i];
  for (int i = 1; i < h; i++) sum += MasterMask[dir][yoff + i][xoff];
  const int avg = (sum + (w + h - 1) / 2) / (w + h - 1);
  const int flipSign = avg < 32;
  Array mask = NewArray(w, h);
  for (int i = 0; i < h; i++) {
    for (int j = 0; j < w; j++) {
      const int m = MasterMask[dir][yoff + i][xoff + j];
      mask[size_t(i)][size_t(j)] = flip_sign == flipSign ? m : 64 - m;
    }
  }
  return mask;
}

}  // namespace perdix::av1::spec
