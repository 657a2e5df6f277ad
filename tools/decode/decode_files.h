// SPDX-License-Identifier: BSD-2-Clause
// Files from packets to sinks, through whichever backend.
#ifndef PERDIX_TOOLS_DECODE_DECODE_FILES_H_
#define PERDIX_TOOLS_DECODE_DECODE_FILES_H_

#include <functional>
#include <memory>

#include "client/stream/backend.h"
#include "tools/decode/options.h"

namespace perdix::client {

// Makes the backend for a stream; exit code EX_OK: there is one.
using OpenBackend =
    std::function<int(const ClientCodec&, std::unique_ptr<Backend>*)>;

// The exit code of the first file that has one.
int DecodeFiles(const Options& options, const OpenBackend& open);

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_DECODE_DECODE_FILES_H_
