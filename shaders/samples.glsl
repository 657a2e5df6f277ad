// SPDX-License-Identifier: BSD-2-Clause
// Samples in 32-bit words. A shader is compiled once for each size of samples:
// SAMPLE_BITS is 8 (four samples to a word), or 10 (two, in 16 bits each, with
// the value in the low bits).
//
// Arithmetic is done in pairs: words with two 16-bit fields, a sample in each.
// Of 8 bits a word is two pairs, samples 0 and 2, and 1 and 3; of 10 bits a word
// is a pair.
#ifndef PERDIX_SHADERS_SAMPLES_GLSL_
#define PERDIX_SHADERS_SAMPLES_GLSL_

#ifndef SAMPLE_BITS
#define SAMPLE_BITS 8
#endif

#if SAMPLE_BITS == 8
#define SAMPLE_BYTES 1u
#else
#define SAMPLE_BYTES 2u
#endif
#define WORD_SAMPLES (4u / SAMPLE_BYTES)

#define SAMPLE_RANGE (1 << SAMPLE_BITS)
#define SAMPLE_MAX (SAMPLE_RANGE - 1)
#define BOTH 0x00010001u  // 1 in both fields of a pair
// What is 1 in samples of 8 bits.
#define SAMPLE_STEP (1u << (SAMPLE_BITS - 8))

// The two pairs of a word of 8-bit samples, and back.
#if SAMPLE_BITS == 8
uint Even(uint word) { return word & 0x00ff00ffu; }
uint Odd(uint word) { return (word >> 8) & 0x00ff00ffu; }
uint Join(uint even, uint odd) { return even | (odd << 8); }
#endif

// With r = 1 << SAMPLE_BITS: both fields of a pair, holding v + r with v in
// -r..3r - 1, become v clamped to 0..r - 1. The bit of 2r says above and makes
// all lower ones, that of r among them; then the bit of r says not below.
uint ClampPair(uint biased) {
  const uint above = biased & (BOTH << (SAMPLE_BITS + 1));
  const uint capped = biased | (above - (above >> (SAMPLE_BITS + 1)));
  const uint inside = capped & (BOTH << SAMPLE_BITS);
  return capped & (inside - (inside >> SAMPLE_BITS));
}

// The same pairs as half floats 1024 + n, whose bits are 0x6400 + n: exact up to
// n = 1023, and unpacked by unpackHalf2x16 at no cost. JoinHalves takes two back.
#define HALF_BIAS 0x64006400u
uint Halves(uint pair) { return pair + HALF_BIAS; }
#if SAMPLE_BITS == 8
uint EvenHalves(uint word) { return Even(word) + HALF_BIAS; }
uint OddHalves(uint word) { return Odd(word) + HALF_BIAS; }
uint JoinHalves(uint even, uint odd) {
  return even + (odd << 8) - (HALF_BIAS + (HALF_BIAS << 8));
}
#endif

#endif  // PERDIX_SHADERS_SAMPLES_GLSL_
