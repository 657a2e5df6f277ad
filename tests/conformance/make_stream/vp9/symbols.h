// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_SYMBOLS_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_SYMBOLS_H_

#include "codec/vp9/probability.h"
#include "tests/conformance/make_stream/coverage.h"

namespace perdix::vp9 {

// Adds all symbols that the codec counts, with their contexts.
void AddSymbols(const SymbolCounts& counts, make_stream::Coverage& coverage);

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_SYMBOLS_H_
