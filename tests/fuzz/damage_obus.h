// SPDX-License-Identifier: BSD-2-Clause
// Ways to damage an AV1 stream that leave most of its OBUs readable.
#ifndef PERDIX_TESTS_FUZZ_DAMAGE_OBUS_H_
#define PERDIX_TESTS_FUZZ_DAMAGE_OBUS_H_

#include "tests/fuzz/damage.h"

namespace perdix {

// One to three changes of OBUs of the packets: bytes of the header or of the
// tiles, another type or layer, cut short with the size that fits, dropped,
// repeated, swapped with an OBU of another packet or of the other stream.
void DamageObus(Random& random, const Packets& other, Packets* packets);

}  // namespace perdix

#endif  // PERDIX_TESTS_FUZZ_DAMAGE_OBUS_H_
