// SPDX-License-Identifier: BSD-2-Clause
// perdix-decode: coded files in, frames or checksums out; through the engine in
// this process, or with --device through a V4L2 stateless node.
#include <sysexits.h>

#include <exception>
#include <memory>

#include "client/node/v4l2_backend.h"
#include "tools/console.h"
#include "tools/decode/decode_files.h"
#include "tools/decode/in_process.h"
#include "tools/decode/options.h"
#include "tools/decode/quality.h"

namespace perdix::client {
namespace {

int DecodeThroughNode(const Options& options) {
  const auto open = [&](const ClientCodec& codec,
                        std::unique_ptr<Backend>* backend) {
    Status status =
        V4l2Backend::Open(options.device, codec, options.timeout_ms, backend);
    if (status.ok()) return EX_OK;
    PrintError(options.device + ": " + status.message());
    return EX_UNAVAILABLE;
  };
  return options.metrics.wanted() ? MeasureQuality(options, open, nullptr)
                                  : DecodeFiles(options, open);
}

int Main(int argc, char** argv) {
  Options options;
  if (const auto exit_code = ParseOptions(argc, argv, &options)) {
    return *exit_code;
  }
  return options.device.empty() ? DecodeInProcess(options)
                                : DecodeThroughNode(options);
}

}  // namespace
}  // namespace perdix::client

int main(int argc, char** argv) {
  using perdix::client::kProgram;
  perdix::OpenStandardStreams();
  int exit_code = EX_OSERR;
  try {
    exit_code = perdix::client::Main(argc, argv);
  } catch (const std::exception& error) {  // no memory, no threads
    perdix::PrintError(kProgram, error.what());
  }
  return perdix::CloseStdout(kProgram, exit_code);
}
