// SPDX-License-Identifier: BSD-2-Clause
// What av1_fuzz decodes: a case of each kind, by its number alone.
#ifndef PERDIX_TESTS_FUZZ_AV1_CASES_H_
#define PERDIX_TESTS_FUZZ_AV1_CASES_H_

#include <string>
#include <vector>

#include "tests/fuzz/av1_headers.h"
#include "tests/fuzz/av1_session.h"
#include "tests/fuzz/damage.h"

namespace perdix {

// The seeds of the repository, and small public vectors if they are there
// ($PERDIX_VECTORS, else shared/vectors beside the repository): at most eight
// packets of each.
std::vector<Packets> ReadAv1Streams();

// The packets of a file of any kind. One that no container's reader takes is
// read as the fuzzers of dav1d do, which are where many damaged files come
// from: as IVF whatever its header says.
Packets ReadAnyPackets(const std::string& path);

// One of the streams, damaged: its bytes or its OBUs.
Packets DamagedStream(Random& random, const std::vector<Packets>& streams);

// One to five frames with random controls and random tile bytes. A half of the
// frames is valid but for the tiles; of the others the controls are damaged.
std::vector<Av1Request> RandomRequests(Random& random);

// A frame's request with these headers as they are; fits the target to them.
Av1Request ToRequest(const Av1Headers& headers, Bytes data);

}  // namespace perdix

#endif  // PERDIX_TESTS_FUZZ_AV1_CASES_H_
