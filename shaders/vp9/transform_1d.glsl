// SPDX-License-Identifier: BSD-2-Clause
// One-dimensional inverse transforms (VP9 8.7.1) of TX_SIZE = 1 << TX_LOG2
// values held by one lane, in the steps and names of the specification; the
// loops unroll, so that t and s become registers.
//
// t wraps at 32 bits. So do sums of products, like those of the scalar kernel at
// bit depth 8; above that the scalar kernel's are exact, which is the same for
// blocks whose sums fit 32 bits.
//
// EXACT: they are exact for any t. A value is 16384 * ABOVE_14 + BELOW_14, so a
// sum of products is 16384 times one of the upper parts plus one of the lower
// parts. Rounded by 14 bits it is the first plus the second rounded. The first
// may wrap, as the result does; the second fits 31 bits.

int t[TX_SIZE];
int s[16];
#ifdef EXACT
int s_above[16];
#endif
#define ABOVE_14(value) ((value) >> 14)
#define BELOW_14(value) ((value)&0x3fff)

// Round(16384 * cos(k * pi / 64)).
const int kCos64[33] = int[](
    16384, 16364, 16305, 16207, 16069, 15893, 15679, 15426, 15137, 14811, 14449,
    14053, 13623, 13160, 12665, 12140, 11585, 11003, 10394, 9760, 9102, 8423,
    7723, 7005, 6270, 5520, 4756, 3981, 3196, 2404, 1606, 804, 0);
const int kSinpi1 = 5283;
const int kSinpi2 = 9929;
const int kSinpi3 = 13377;
const int kSinpi4 = 15212;

int Cos64(int angle) {
  const int positive = abs(angle);
  return positive <= 32 ? kCos64[positive] : -kCos64[64 - positive];
}
int Sin64(int angle) { return Cos64(angle - 32); }

// Reverses the low bits of x, at most five.
int Brev(int bits, int x) {
  const int reversed = ((x & 1) << 4) | ((x & 2) << 2) | (x & 4) |
                       ((x & 8) >> 2) | ((x & 16) >> 4);
  return reversed >> (5 - bits);
}

int Round14(int sum) { return (sum + (1 << 13)) >> 14; }

// x = a * cos - b * sin and y = a * sin + b * cos, both with bias added. By pi/4
// and 3pi/4 one multiplication for each operand is enough; else there are three
// instead of four, the same since sums wrap.
struct Rotated {
  int x;
  int y;
};
Rotated Rotate(int a, int b, int angle, int bias) {
  const int cos_angle = Cos64(angle);
  const int sin_angle = Sin64(angle);
  if (cos_angle == sin_angle) {
    const int of_a = a * cos_angle + bias;
    const int of_b = b * cos_angle;
    return Rotated(of_a - of_b, of_a + of_b);
  }
  if (cos_angle == -sin_angle) {
    const int of_b = b * cos_angle + bias;
    const int of_a = a * cos_angle;
    return Rotated(of_b + of_a, of_b - of_a);
  }
  const int both = (a + b) * cos_angle + bias;
  return Rotated(both - b * (cos_angle + sin_angle),
                 both - a * (cos_angle - sin_angle));
}

// Butterfly rotation; flip exchanges the results.
void B(int a, int b, int angle, int flip) {
#ifdef EXACT
  const Rotated above = Rotate(ABOVE_14(t[a]), ABOVE_14(t[b]), angle, 0);
  const Rotated below = Rotate(BELOW_14(t[a]), BELOW_14(t[b]), angle, 1 << 13);
  const int x = above.x + (below.x >> 14);
  const int y = above.y + (below.y >> 14);
  t[a] = flip != 0 ? y : x;
  t[b] = flip != 0 ? x : y;
#else
  const Rotated r = Rotate(t[a], t[b], angle, 1 << 13);
  t[a] = (flip != 0 ? r.y : r.x) >> 14;
  t[b] = (flip != 0 ? r.x : r.y) >> 14;
#endif
}

// Hadamard rotation; flip negates the difference's operands.
void H(int a, int b, int flip) {
  const int x = t[flip != 0 ? b : a];
  const int y = t[flip != 0 ? a : b];
  t[flip != 0 ? b : a] = x + y;
  t[flip != 0 ? a : b] = x - y;
}

// Butterfly rotation into s, flipped and not rounded.
void SB(int a, int b, int angle) {
#ifdef EXACT
  const Rotated above = Rotate(ABOVE_14(t[a]), ABOVE_14(t[b]), angle, 0);
  const Rotated r = Rotate(BELOW_14(t[a]), BELOW_14(t[b]), angle, 0);
  s_above[b] = above.x;
  s_above[a] = above.y;
#else
  const Rotated r = Rotate(t[a], t[b], angle, 0);
#endif
  s[b] = r.x;
  s[a] = r.y;
}

// Hadamard rotation of s, rounded into t.
void SH(int a, int b) {
  const int rounded = s[a] + (1 << 13);
  t[a] = (rounded + s[b]) >> 14;
  t[b] = (rounded - s[b]) >> 14;
#ifdef EXACT
  t[a] += s_above[a] + s_above[b];
  t[b] += s_above[a] - s_above[b];
#endif
}

// Round2(value * factor, 14), exact.
int Scale14(int value, int factor) {
  return ABOVE_14(value) * factor + Round14(BELOW_14(value) * factor);
}

// ---- DCT (VP9 8.7.1.2, 8.7.1.3) ----

// The inverse DCT of t[0] to t[DCT_SIZE - 1]. bias is added to every result; 0 costs nothing.
#define DCT_LOG2 (TX_LOG2 < 4 ? TX_LOG2 : 4)
#define DCT_SIZE (1 << DCT_LOG2)
void InverseDct(int bias) {
  int copy[TX_SIZE] = t;
  [[unroll]] for (int i = 0; i < DCT_SIZE; ++i) t[i] = copy[Brev(DCT_LOG2, i)];
#if TX_LOG2 >= 4
  [[unroll]] for (int i = 0; i < 4; ++i) {
    B(8 + i, 15 - i, 6 + 8 * Brev(2, 3 - i), 0);
  }
#endif
#if TX_LOG2 >= 3
  [[unroll]] for (int i = 0; i < 2; ++i) B(4 + i, 7 - i, 28 - 16 * i, 0);
#endif
#if TX_LOG2 >= 4
  [[unroll]] for (int i = 0; i < 4; ++i) H(8 + 2 * i, 9 + 2 * i, i & 1);
#endif
  B(0, 1, 16, 1);
  t[0] += bias;
  t[1] += bias;
  B(2, 3, 24, 0);
#if TX_LOG2 >= 3
  H(4, 5, 0);
  H(6, 7, 1);
#endif
#if TX_LOG2 >= 4
  B(14, 9, 24, 1);
  B(13, 10, 56, 1);
#endif
  H(0, 3, 0);
  H(1, 2, 0);
#if TX_LOG2 >= 3
  B(6, 5, 16, 1);
#endif
#if TX_LOG2 >= 4
  [[unroll]] for (int i = 0; i < 4; ++i) {
    H(8 + 4 * (i >> 1) + (i & 1), 11 + 4 * (i >> 1) - (i & 1), i >> 1);
  }
#endif
#if TX_LOG2 >= 3
  [[unroll]] for (int i = 0; i < 4; ++i) H(i, 7 - i, 0);
#endif
#if TX_LOG2 >= 4
  [[unroll]] for (int i = 0; i < 2; ++i) B(13 - i, 10 + i, 16, 1);
#endif
#if TX_LOG2 >= 4
  [[unroll]] for (int i = 0; i < 8; ++i) H(i, 15 - i, 0);
#endif
}

#if TX_LOG2 == 5
// The other half of a DCT of 32: its odd inputs in t[16] to t[31]. The whole is
// H(i, 31 - i, 0) of both.
void InverseDctOdd() {
  int copy[TX_SIZE] = t;
  [[unroll]] for (int i = 0; i < 16; ++i) t[16 + i] = copy[16 + Brev(4, i)];
  [[unroll]] for (int i = 0; i < 8; ++i) {
    B(16 + i, 31 - i, 3 + 4 * Brev(3, 7 - i), 0);
  }
  [[unroll]] for (int i = 0; i < 8; ++i) H(16 + 2 * i, 17 + 2 * i, i & 1);
  [[unroll]] for (int i = 0; i < 4; ++i) {
    B(30 - 4 * (i >> 1) - (i & 1), 17 + 4 * (i >> 1) + (i & 1),
      28 - 16 * (i >> 1) + 32 * (i & 1), 1);
  }
  [[unroll]] for (int i = 0; i < 8; ++i) {
    H(16 + 4 * (i >> 1) + (i & 1), 19 + 4 * (i >> 1) - (i & 1), (i >> 1) & 1);
  }
  [[unroll]] for (int i = 0; i < 4; ++i) {
    B(29 - i, 18 + i, 24 + 32 * (i >> 1), 1);
  }
  [[unroll]] for (int i = 0; i < 8; ++i) {
    H(16 + 8 * (i >> 2) + (i & 3), 23 + 8 * (i >> 2) - (i & 3), i >> 2);
  }
  [[unroll]] for (int i = 0; i < 4; ++i) B(27 - i, 20 + i, 16, 1);
}
#endif

// ---- ADST (VP9 8.7.1.6 to 8.7.1.9); none of 32 ----

#if TX_LOG2 == 2 && defined(EXACT)
// The sums before rounding; t[2]'s has one product.
ivec3 AdstSums(int t0, int t1, int t2, int t3) {
  const int s0 = t0 * kSinpi1 + t2 * kSinpi4 + t3 * kSinpi2;
  const int s1 = t0 * kSinpi2 - t2 * kSinpi1 - t3 * kSinpi4;
  const int s3 = t1 * kSinpi3;
  return ivec3(s0 + s3, s1 + s3, s0 + s1 - s3);
}

void InverseAdst() {
  const ivec3 above = AdstSums(ABOVE_14(t[0]), ABOVE_14(t[1]), ABOVE_14(t[2]),
                               ABOVE_14(t[3]));
  const ivec3 below = AdstSums(BELOW_14(t[0]), BELOW_14(t[1]), BELOW_14(t[2]),
                               BELOW_14(t[3]));
  t[2] = Scale14(t[0] - t[2] + t[3], kSinpi3);
  t[0] = above.x + Round14(below.x);
  t[1] = above.y + Round14(below.y);
  t[3] = above.z + Round14(below.z);
}
#elif TX_LOG2 == 2
void InverseAdst() {
  const int s0 = t[0] * kSinpi1 + t[2] * kSinpi4 + t[3] * kSinpi2;
  const int s1 = t[0] * kSinpi2 - t[2] * kSinpi1 - t[3] * kSinpi4;
  const int s2 = (t[0] - t[2] + t[3]) * kSinpi3;
  const int s3 = t[1] * kSinpi3;
  t[0] = Round14(s0 + s3);
  t[1] = Round14(s1 + s3);
  t[2] = Round14(s2);
  t[3] = Round14(s0 + s1 - s3);
}
#elif TX_LOG2 <= 4
// Odd inputs from the start, even ones from the end.
void PermuteAdstInput() {
  int copy[TX_SIZE] = t;
  [[unroll]] for (int i = 0; i < TX_SIZE; ++i) {
    t[i] = copy[(i & 1) != 0 ? i - 1 : TX_SIZE - 1 - i];
  }
}
#endif

#if TX_LOG2 == 3
void InverseAdst() {
  PermuteAdstInput();
  [[unroll]] for (int i = 0; i < 4; ++i) SB(2 * i, 1 + 2 * i, 30 - 8 * i);
  [[unroll]] for (int i = 0; i < 4; ++i) SH(i, 4 + i);
  SB(4, 5, 24);
  SB(7, 6, 8);
  SH(4, 6);
  SH(5, 7);
  H(0, 2, 0);
  H(1, 3, 0);
  B(2, 3, 16, 1);
  B(6, 7, 16, 1);
  int c[TX_SIZE] = t;
  t = int[](c[0], -c[4], c[6], -c[2], c[3], -c[7], c[5], -c[1]);
}
#elif TX_LOG2 == 4
void InverseAdst() {
  PermuteAdstInput();
  [[unroll]] for (int i = 0; i < 8; ++i) SB(2 * i, 1 + 2 * i, 31 - 4 * i);
  [[unroll]] for (int i = 0; i < 8; ++i) SH(i, 8 + i);
  SB(8, 9, 28);
  SB(10, 11, 12);
  SB(13, 12, 4);
  SB(15, 14, 20);
  [[unroll]] for (int i = 0; i < 4; ++i) SH(8 + i, 12 + i);
  [[unroll]] for (int i = 0; i < 4; ++i) H(i, 4 + i, 0);
  SB(4, 5, 24);
  SB(7, 6, 8);
  SB(12, 13, 24);
  SB(15, 14, 8);
  SH(4, 6);
  SH(5, 7);
  SH(12, 14);
  SH(13, 15);
  [[unroll]] for (int i = 0; i < 4; ++i) {
    H(8 * (i >> 1) + (i & 1), 2 + 8 * (i >> 1) + (i & 1), 0);
  }
  // The sign of the sums is inside the rounding.
  B(2, 3, 48, 0);
  B(7, 6, 16, 0);
  B(11, 10, 16, 0);
  B(14, 15, 48, 0);
  int c[TX_SIZE] = t;
  t = int[](c[0], -c[8], c[12], -c[4], c[6], c[14], c[10], c[2], c[3], c[11],
            c[15], c[7], c[5], -c[13], c[9], -c[1]);
}
#elif TX_LOG2 == 5
void InverseAdst() { InverseDct(0); }
#endif

// ---- Walsh-Hadamard (VP9 8.7.1.10) ----

#if TX_LOG2 == 2
void InverseWht(int shift) {
  int a = t[0] >> shift;
  int c = t[1] >> shift;
  int d = t[2] >> shift;
  int b = t[3] >> shift;
  a += c;
  d -= b;
  const int e = (a - d) >> 1;
  b = e - b;
  c = e - c;
  t = int[](a - b, b, c, d + c);
}
#endif
