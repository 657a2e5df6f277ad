// SPDX-License-Identifier: BSD-2-Clause
// Tables of intra prediction (9.3) in the shape in which kernels read them.
#ifndef PERDIX_KERNELS_AV1_INTRA_INTRA_TABLES_H_
#define PERDIX_KERNELS_AV1_INTRA_INTRA_TABLES_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace perdix::av1 {

// PredictMode of a record.
enum IntraMode : uint32_t {
  kDcPred,
  kVPred,
  kHPred,
  kD45Pred,
  kD135Pred,
  kD113Pred,
  kD157Pred,
  kD203Pred,
  kD67Pred,
  kSmoothPred,
  kSmoothVPred,
  kSmoothHPred,
  kPaethPred,
};

// Mode_To_Angle of the directional modes, kVPred..kD67Pred, by mode - 1.
inline constexpr uint8_t kModeAngle[8] = {90, 180, 45, 135, 113, 157, 203, 67};
inline constexpr int kAngleStep = 3;

// Dr_Intra_Derivative, by angle in degrees.
inline constexpr int16_t kDirectionStep[90] = {
    0,  0,  0,   1023, 0,  0,   547, 0,  0,   372, 0,  0,   0,  0,  273,
    0,  0,  215, 0,    0,  178, 0,   0,  151, 0,   0,  132, 0,  0,  116,
    0,  0,  102, 0,    0,  0,   90,  0,  0,   80,  0,  0,   71, 0,  0,
    64, 0,  0,   57,   0,  0,   51,  0,  0,   45,  0,  0,   0,  40, 0,
    0,  35, 0,   0,    31, 0,   0,   27, 0,   0,   23, 0,   0,  19, 0,
    0,  15, 0,   0,    0,  0,   11,  0,  0,   7,   0,  0,   3,  0,  0};

// Sm_Weights_Tx_4x4 .. 64x64, one after the other: those of size at size - 4.
inline constexpr std::array<uint8_t, 124> kSmoothWeights = {
    255, 149, 85,  64,                                                //
    255, 197, 146, 105, 73,  50,  37,  32,                            //
    255, 225, 196, 170, 145, 123, 102, 84,  68,  54,  43,  33,  26,   //
    20,  17,  16,                                                     //
    255, 240, 225, 210, 196, 182, 169, 157, 145, 133, 122, 111, 101,  //
    92,  83,  74,  66,  59,  52,  45,  39,  34,  29,  25,  21,  17,   //
    14,  12,  10,  9,   8,   8,                                       //
    255, 248, 240, 233, 225, 218, 210, 203, 196, 189, 182, 176, 169,  //
    163, 156, 150, 144, 138, 133, 127, 121, 116, 111, 106, 101, 96,   //
    91,  86,  82,  77,  73,  69,  65,  61,  57,  54,  50,  47,  44,   //
    41,  38,  35,  32,  29,  27,  25,  22,  20,  18,  16,  15,  13,   //
    12,  10,  9,   8,   7,   6,   6,   5,   5,   4,   4,   4};

// Each weight kStep times: for the samples of a row of pixels.
template <int kStep>
inline constexpr std::array<uint8_t, 124 * kStep> kSmoothRowWeights = [] {
  std::array<uint8_t, 124 * kStep> weights = {};
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = kSmoothWeights[i / kStep];
  }
  return weights;
}();

// Intra_Filter_Taps, by mode, neighbour p[] and output: row by row of the 4x2.
inline constexpr int8_t kFilterIntraTaps[5][7][8] = {
    {{-6, -5, -3, -3, -4, -3, -3, -3},
     {10, 2, 1, 1, 6, 2, 2, 1},
     {0, 10, 1, 1, 0, 6, 2, 2},
     {0, 0, 10, 2, 0, 0, 6, 2},
     {0, 0, 0, 10, 0, 0, 0, 6},
     {12, 9, 7, 5, 2, 2, 2, 3},
     {0, 0, 0, 0, 12, 9, 7, 5}},
    {{-10, -6, -4, -2, -10, -6, -4, -2},
     {16, 0, 0, 0, 16, 0, 0, 0},
     {0, 16, 0, 0, 0, 16, 0, 0},
     {0, 0, 16, 0, 0, 0, 16, 0},
     {0, 0, 0, 16, 0, 0, 0, 16},
     {10, 6, 4, 2, 0, 0, 0, 0},
     {0, 0, 0, 0, 10, 6, 4, 2}},
    {{-8, -8, -8, -8, -4, -4, -4, -4},
     {8, 0, 0, 0, 4, 0, 0, 0},
     {0, 8, 0, 0, 0, 4, 0, 0},
     {0, 0, 8, 0, 0, 0, 4, 0},
     {0, 0, 0, 8, 0, 0, 0, 4},
     {16, 16, 16, 16, 0, 0, 0, 0},
     {0, 0, 0, 0, 16, 16, 16, 16}},
    {{-2, -1, -1, 0, -1, -1, -1, -1},
     {8, 3, 2, 1, 4, 3, 2, 2},
     {0, 8, 3, 2, 0, 4, 3, 2},
     {0, 0, 8, 3, 0, 0, 4, 3},
     {0, 0, 0, 8, 0, 0, 0, 4},
     {10, 6, 4, 2, 3, 4, 4, 3},
     {0, 0, 0, 0, 10, 6, 4, 3}},
    {{-12, -10, -9, -8, -10, -9, -8, -7},
     {14, 0, 0, 0, 12, 1, 0, 0},
     {0, 14, 0, 0, 0, 12, 0, 0},
     {0, 0, 14, 0, 0, 0, 12, 1},
     {0, 0, 0, 14, 0, 0, 0, 12},
     {14, 12, 11, 10, 0, 0, 1, 1},
     {0, 0, 0, 0, 14, 12, 11, 9}}};

// Intra_Edge_Kernel, by strength - 1: the taps are symmetric, these are those
// of the sample itself, of its neighbours, and of theirs.
inline constexpr uint8_t kEdgeFilter[3][3] = {{8, 4, 0}, {6, 5, 0}, {4, 4, 2}};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTRA_INTRA_TABLES_H_
