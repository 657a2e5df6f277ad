// SPDX-License-Identifier: BSD-2-Clause
// One-dimensional inverse transforms (AV1 7.13.2) of LENGTH = 1 << LENGTH_LOG2
// values held by one lane, in the steps and names of the specification; loops
// unroll, so that t becomes registers. Each length of a DCT adds its steps to
// those of half the length.
//
// LIMIT_BITS: r of 7.13.2.1. CLAMPS: results of H are clamped to so many bits
// and, if CLAMPS_SUMS, those of B and of the ADST of 4 (transform_1d.h of the
// scalar kernel says when). Sums of products wrap at 32 bits.
#ifndef PERDIX_SHADERS_AV1_TRANSFORM_1D_GLSL_
#define PERDIX_SHADERS_AV1_TRANSFORM_1D_GLSL_

layout(constant_id = PERDIX_CONSTANT_RESIDUAL_KIND) const uint KIND_CLAMPS = 0;
const uint KIND = KIND_CLAMPS & PERDIX_RESIDUAL_KIND;
const bool CLAMPS = (KIND_CLAMPS & PERDIX_RESIDUAL_CLAMPS) != 0;

#define LENGTH (1 << LENGTH_LOG2)
// What is not zero of the input. Of 64 values the even ones are transformed
// first, then the odd ones, 16 of each.
#define INPUTS (LENGTH <= 32 ? LENGTH : 16)

int v[INPUTS];
int t[LENGTH];

// Round(4096 * cos(k * pi / 128)).
const int kCos128[65] = int[](
    4096, 4095, 4091, 4085, 4076, 4065, 4052, 4036, 4017, 3996, 3973, 3948,
    3920, 3889, 3857, 3822, 3784, 3745, 3703, 3659, 3612, 3564, 3513, 3461,
    3406, 3349, 3290, 3229, 3166, 3102, 3035, 2967, 2896, 2824, 2751, 2675,
    2598, 2520, 2440, 2359, 2276, 2191, 2106, 2019, 1931, 1842, 1751, 1660,
    1567, 1474, 1380, 1285, 1189, 1092, 995, 897, 799, 700, 601, 501, 401, 301,
    201, 101, 0);
const int kSinpi1 = 1321;
const int kSinpi2 = 2482;
const int kSinpi3 = 3344;
const int kSinpi4 = 3803;

// angle: -128..128.
int Cos128(int angle) {
  const int positive = abs(angle);
  return positive <= 64 ? kCos128[positive] : -kCos128[128 - positive];
}
int Sin128(int angle) { return Cos128(angle - 64); }

// Reverses the low bits of x, at most six.
int Brev(int bits, int x) {
  const int reversed = ((x & 1) << 5) | ((x & 2) << 3) | ((x & 4) << 1) |
                       ((x & 8) >> 1) | ((x & 16) >> 3) | ((x & 32) >> 5);
  return reversed >> (6 - bits);
}

int Round12(int sum) { return (sum + (1 << 11)) >> 12; }

int FitBits(int value, int bits) {
  return clamp(value, -(1 << (bits - 1)), (1 << (bits - 1)) - 1);
}
int FitSum(int value) {
  return CLAMPS && CLAMPS_SUMS ? FitBits(value, LIMIT_BITS) : value;
}
int Fit(int value) { return CLAMPS ? FitBits(value, LIMIT_BITS) : value; }

// ---- 7.13.2.1: butterfly and Hadamard rotation ----

// x = a * cos - b * sin and y = a * sin + b * cos, rounded. By pi/4 and 3pi/4
// one multiplication for each operand is enough; else there are three instead
// of four, the same since sums wrap.
ivec2 Rotate(int a, int b, int angle) {
  const int bias = 1 << 11;
  const int cos_angle = Cos128(angle);
  const int sin_angle = Sin128(angle);
  const int cos_a = a * cos_angle + bias;
  const int cos_b = b * cos_angle;
  const int both = (a + b) * cos_angle + bias;
  // One return: with more the compiler does not see what is constant.
  const ivec2 sums =
      cos_angle == sin_angle    ? ivec2(cos_a - cos_b, cos_a + cos_b)
      : cos_angle == -sin_angle ? ivec2(cos_a + cos_b, cos_b - cos_a + 2 * bias)
                                : ivec2(both - b * (cos_angle + sin_angle),
                                        both - a * (cos_angle - sin_angle));
  return sums >> 12;
}

void B(int a, int b, int angle, int flip) {
  const ivec2 r = Rotate(t[a], t[b], angle);
  t[a] = FitSum(flip != 0 ? r.y : r.x);
  t[b] = FitSum(flip != 0 ? r.x : r.y);
}

void H(int a, int b, int flip) {
  const int x = t[flip != 0 ? b : a];
  const int y = t[flip != 0 ? a : b];
  t[flip != 0 ? b : a] = Fit(x + y);
  t[flip != 0 ? a : b] = Fit(x - y);
}

// ---- DCT: 7.13.2.3 ----

void DctSteps4() {
  B(0, 1, 32, 1);
  B(2, 3, 48, 0);
  H(0, 3, 0);
  H(1, 2, 0);
}

#if LENGTH_LOG2 >= 3
void DctSteps8() {
  B(4, 7, 56, 0);
  B(5, 6, 24, 0);
  H(4, 5, 0);
  H(6, 7, 1);
  B(6, 5, 32, 1);
  [[unroll]] for (int i = 0; i < 4; ++i) H(i, 7 - i, 0);
}
#endif

#if LENGTH_LOG2 >= 4
void DctSteps16() {
  [[unroll]] for (int i = 0; i < 4; ++i) {
    B(8 + i, 15 - i, 12 + (Brev(2, 3 - i) << 4), 0);
  }
  [[unroll]] for (int i = 0; i < 4; ++i) H(8 + 2 * i, 9 + 2 * i, i & 1);
  B(14, 9, 48, 1);
  B(13, 10, 112, 1);
  [[unroll]] for (int i = 0; i < 4; ++i) {
    H(8 + 4 * (i >> 1) + (i & 1), 11 + 4 * (i >> 1) - (i & 1), i >> 1);
  }
  B(13, 10, 32, 1);
  B(12, 11, 32, 1);
  [[unroll]] for (int i = 0; i < 8; ++i) H(i, 15 - i, 0);
}
#endif

#if LENGTH_LOG2 >= 5
void DctSteps32() {
  [[unroll]] for (int i = 0; i < 8; ++i) {
    B(16 + i, 31 - i, 6 + (Brev(3, 7 - i) << 3), 0);
  }
  [[unroll]] for (int i = 0; i < 8; ++i) H(16 + 2 * i, 17 + 2 * i, i & 1);
  [[unroll]] for (int i = 0; i < 4; ++i) {
    B(30 - 4 * (i >> 1) - (i & 1), 17 + 4 * (i >> 1) + (i & 1),
      24 + ((i & 1) << 6) + ((1 - (i >> 1)) << 5), 1);
  }
  [[unroll]] for (int i = 0; i < 8; ++i) {
    H(16 + 4 * (i >> 1) + (i & 1), 19 + 4 * (i >> 1) - (i & 1), (i >> 1) & 1);
  }
  [[unroll]] for (int i = 0; i < 4; ++i) {
    B(29 - i, 18 + i, 48 + 64 * (i >> 1), 1);
  }
  [[unroll]] for (int i = 0; i < 8; ++i) {
    H(16 + 8 * (i >> 2) + (i & 3), 23 + 8 * (i >> 2) - (i & 3), i >> 2);
  }
  [[unroll]] for (int i = 0; i < 4; ++i) B(27 - i, 20 + i, 32, 1);
  [[unroll]] for (int i = 0; i < 16; ++i) H(i, 31 - i, 0);
}
#endif

#if LENGTH_LOG2 == 6
// In two parts: see APART.
void DctSteps64First() {
  [[unroll]] for (int i = 0; i < 16; ++i) {
    B(32 + i, 63 - i, 63 - 4 * Brev(4, i), 0);
  }
  [[unroll]] for (int i = 0; i < 16; ++i) H(32 + 2 * i, 33 + 2 * i, i & 1);
}

void DctSteps64Second() {
  [[unroll]] for (int i = 0; i < 8; ++i) {
    B(62 - 4 * (i >> 1) - (i & 1), 33 + 4 * (i >> 1) + (i & 1),
      60 - 16 * Brev(2, i >> 1) + 64 * (i & 1), 1);
  }
  [[unroll]] for (int i = 0; i < 16; ++i) {
    H(32 + 4 * (i >> 1) + (i & 1), 35 + 4 * (i >> 1) - (i & 1), (i >> 1) & 1);
  }
  [[unroll]] for (int i = 0; i < 8; ++i) {
    B(61 - 8 * (i >> 2) - (i & 3), 34 + 8 * (i >> 2) + (i & 3),
      56 - 32 * (i >> 2) + 64 * ((i & 3) >> 1), 1);
  }
  [[unroll]] for (int i = 0; i < 16; ++i) {
    H(32 + 8 * (i >> 2) + (i & 3), 39 + 8 * (i >> 2) - (i & 3), (i >> 2) & 1);
  }
  [[unroll]] for (int i = 0; i < 8; ++i) {
    B(59 - i, 36 + i, i < 4 ? 48 : 112, 1);
  }
  [[unroll]] for (int i = 0; i < 8; ++i) H(32 + i, 47 - i, 0);
  [[unroll]] for (int i = 0; i < 8; ++i) H(48 + i, 63 - i, 1);
  [[unroll]] for (int i = 0; i < 8; ++i) B(55 - i, 40 + i, 32, 1);
}

// The even half, t[0] to t[31], of v; which must be kept elsewhere meanwhile.
void TransformEven() {
  [[unroll]] for (int i = 0; i < 16; ++i) {
    t[Brev(6, 2 * i)] = v[i];
    t[Brev(6, 2 * i) + 1] = 0;
  }
  DctSteps4();
  DctSteps8();
  DctSteps16();
  DctSteps32();
}

// The odd half, t[32] to t[63], of v.
void TransformOdd() {
  [[unroll]] for (int i = 0; i < 16; ++i) {
    t[Brev(6, 2 * i + 1)] = v[i];
    t[Brev(6, 2 * i + 1) + 1] = 0;
  }
  DctSteps64First();
  APART(DctSteps64Second());
}

// Values i and 63 - i of the whole, i < 32, of value i of the even half.
int JoinFirst(int even, int i) { return Fit(even + t[63 - i]); }
int JoinLast(int even, int i) { return Fit(even - t[63 - i]); }
#else
void Dct() {
  [[unroll]] for (int i = 0; i < LENGTH; ++i) t[Brev(LENGTH_LOG2, i)] = v[i];
  DctSteps4();
#if LENGTH_LOG2 >= 3
  DctSteps8();
#endif
#if LENGTH_LOG2 >= 4
  DctSteps16();
#endif
#if LENGTH_LOG2 >= 5
  DctSteps32();
#endif
}

// ---- ADST: 7.13.2.4 to 7.13.2.8 ----

#if LENGTH_LOG2 == 2
// The same as Round12 without a sum that could wrap.
int RoundFull12(int sum) { return FitSum(((sum >> 11) + 1) >> 1); }

void Adst() {
  const int s0 = kSinpi1 * v[0] + kSinpi4 * v[2] + kSinpi2 * v[3];
  const int s1 = kSinpi2 * v[0] - kSinpi1 * v[2] - kSinpi4 * v[3];
  const int s3 = kSinpi3 * v[1];
  t[0] = RoundFull12(s0 + s3);
  t[1] = RoundFull12(s1 + s3);
  t[2] = RoundFull12(kSinpi3 * (v[0] - v[2] + v[3]));
  t[3] = RoundFull12(s0 + s1 - s3);
}
#elif LENGTH_LOG2 <= 4
// Output i is t[this].
int AdstOutput(int i) {
  const int a = (i >> 3) & 1;
  const int b = ((i >> 2) ^ (i >> 3)) & 1;
  const int c = ((i >> 1) ^ (i >> 2)) & 1;
  const int d = (i ^ (i >> 1)) & 1;
  return ((d << 3) | (c << 2) | (b << 1) | a) >> (4 - LENGTH_LOG2);
}

void AdstSteps() {
#if LENGTH_LOG2 == 3
  [[unroll]] for (int i = 0; i < 4; ++i) B(2 * i, 2 * i + 1, 60 - 16 * i, 1);
  [[unroll]] for (int i = 0; i < 4; ++i) H(i, 4 + i, 0);
  B(4, 5, 48, 1);
  B(7, 6, 16, 1);
  [[unroll]] for (int i = 0; i < 4; ++i) {
    H(4 * (i & 1) + (i >> 1), 2 + 4 * (i & 1) + (i >> 1), 0);
  }
  B(2, 3, 32, 1);
  B(6, 7, 32, 1);
#else
  [[unroll]] for (int i = 0; i < 8; ++i) B(2 * i, 2 * i + 1, 62 - 8 * i, 1);
  [[unroll]] for (int i = 0; i < 8; ++i) H(i, 8 + i, 0);
  B(8, 9, 56, 1);
  B(13, 12, 8, 1);
  B(10, 11, 24, 1);
  B(15, 14, 40, 1);
  [[unroll]] for (int i = 0; i < 8; ++i) {
    H(8 * (i & 1) + (i >> 1), 4 + 8 * (i & 1) + (i >> 1), 0);
  }
  [[unroll]] for (int i = 0; i < 4; ++i) {
    B(4 + 8 * (i & 1) + 3 * (i >> 1), 5 + 8 * (i & 1) + (i >> 1),
      48 - 32 * (i >> 1), 1);
  }
  [[unroll]] for (int i = 0; i < 8; ++i) {
    H(4 * (i & 3) + (i >> 2), 2 + 4 * (i & 3) + (i >> 2), 0);
  }
  [[unroll]] for (int i = 0; i < 4; ++i) B(2 + 4 * i, 3 + 4 * i, 32, 1);
#endif
}

void Adst() {
  [[unroll]] for (int i = 0; i < LENGTH; ++i) {
    t[i] = v[(i & 1) != 0 ? i - 1 : LENGTH - 1 - i];
  }
  AdstSteps();
  const int copy[LENGTH] = t;
  [[unroll]] for (int i = 0; i < LENGTH; ++i) {
    const int value = copy[AdstOutput(i)];
    t[i] = (i & 1) != 0 ? -value : value;
  }
}
#else
void Adst() {}
#endif

// ---- the others: 7.13.2.10 to 7.13.2.15 ----

void Identity() {
  // The factors 5793 and 11586 of 4096 are split, as in the scalar kernel.
  const int whole = LENGTH_LOG2 == 2 ? 1 : LENGTH_LOG2 == 5 ? 4 : 2;
  const int fraction =
      LENGTH_LOG2 == 2 ? 5793 - 4096 : LENGTH_LOG2 == 4 ? 11586 - 8192 : 0;
  [[unroll]] for (int i = 0; i < LENGTH; ++i) {
    t[i] = v[i] * whole + (fraction != 0 ? Round12(v[i] * fraction) : 0);
  }
}

#if LENGTH_LOG2 == 2
void Wht(int shift) {
  int a = v[0] >> shift;
  int c = v[1] >> shift;
  int d = v[2] >> shift;
  int b = v[3] >> shift;
  a += c;
  d -= b;
  const int e = (a - d) >> 1;
  b = e - b;
  c = e - c;
  t = int[](a - b, b, c, d + c);
}
#else
void Wht(int shift) {}
#endif

// Transforms v into t.
void Transform(int wht_shift) {
  if (KIND == PERDIX_RESIDUAL_DCT) Dct();
  if (KIND == PERDIX_RESIDUAL_ADST) Adst();
  if (KIND == PERDIX_RESIDUAL_IDENTITY) Identity();
  if (KIND == PERDIX_RESIDUAL_WHT) Wht(wht_shift);
}
#endif  // LENGTH_LOG2 == 6

#endif  // PERDIX_SHADERS_AV1_TRANSFORM_1D_GLSL_
