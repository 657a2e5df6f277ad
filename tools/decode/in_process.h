// SPDX-License-Identifier: BSD-2-Clause
// perdix-decode with an engine of its own.
#ifndef PERDIX_TOOLS_DECODE_IN_PROCESS_H_
#define PERDIX_TOOLS_DECODE_IN_PROCESS_H_

#include "tools/decode/options.h"

namespace perdix::client {

// Decodes the files; the exit code.
int DecodeInProcess(const Options& options);

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_DECODE_IN_PROCESS_H_
