// SPDX-License-Identifier: BSD-2-Clause
// Ways to damage a stream.
#ifndef PERDIX_TESTS_FUZZ_DAMAGE_H_
#define PERDIX_TESTS_FUZZ_DAMAGE_H_

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace perdix {

using Random = std::mt19937_64;
using Bytes = std::vector<uint8_t>;
using Packets = std::vector<Bytes>;

// Uniform in [0, bound).
size_t Below(Random& random, size_t bound);

// Up to eight bytes get another value: a flipped bit, 0, 255 or anything.
void DamageBytes(Random& random, std::span<uint8_t> bytes);

// One to three packets: bytes changed (half the time in the headers), cut,
// grown, repeated, dropped or swapped.
void DamagePackets(Random& random, Packets* packets);

}  // namespace perdix

#endif  // PERDIX_TESTS_FUZZ_DAMAGE_H_
