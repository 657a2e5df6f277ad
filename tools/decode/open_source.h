// SPDX-License-Identifier: BSD-2-Clause
// Files on the command line as sources of frames.
#ifndef PERDIX_TOOLS_DECODE_OPEN_SOURCE_H_
#define PERDIX_TOOLS_DECODE_OPEN_SOURCE_H_

#include <functional>
#include <memory>
#include <string>

#include "client/frame_source.h"
#include "client/stream/backend.h"
#include "tools/decode/options.h"

namespace perdix::client {

inline constexpr int kBadFile = 2;  // the exit code for a file that is damaged

// Makes the backend for a stream; exit code EX_OK: there is one.
using OpenBackend =
    std::function<int(const ClientCodec&, std::unique_ptr<Backend>*)>;

// A coded file's frames. The exit code, its reason said, if there are none.
int OpenDecoded(const Options& options, const std::string& file,
                const OpenBackend& open, std::unique_ptr<FrameSource>* source);

// The frames of a file that is coded, or Y4M. The exit code as above.
int OpenReference(const Options& options, const std::string& file,
                  const OpenBackend& open,
                  std::unique_ptr<FrameSource>* source);

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_DECODE_OPEN_SOURCE_H_
