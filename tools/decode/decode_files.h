// SPDX-License-Identifier: BSD-2-Clause
// Files from sources to sinks, through whichever backend.
#ifndef PERDIX_TOOLS_DECODE_DECODE_FILES_H_
#define PERDIX_TOOLS_DECODE_DECODE_FILES_H_

#include "tools/decode/open_source.h"
#include "tools/decode/options.h"

namespace perdix::client {

// The exit code of the first file that has one.
int DecodeFiles(const Options& options, const OpenBackend& open);

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_DECODE_DECODE_FILES_H_
