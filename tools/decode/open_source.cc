// SPDX-License-Identifier: BSD-2-Clause
#include "tools/decode/open_source.h"

#include <sysexits.h>

#include <utility>

#include "client/bitstream/av1/edits.h"
#include "client/container/container.h"
#include "client/decoded_source.h"

namespace perdix::client {
namespace {

ParserOptions ParserOptionsOf(const Options& options) {
  ParserOptions parser;
  parser.operating_point = options.operating_point;
  parser.all_layers = options.all_layers;
  if (options.film_grain && options.left_out == 0) return parser;
  parser.edit = [grain = options.film_grain,
                 left_out = options.left_out](CodedFrame* frame) {
    if (!grain) av1::RemoveGrain(frame);
    if (left_out != 0) av1::LeaveOut(left_out, frame);
  };
  return parser;
}

}  // namespace

int OpenDecoded(const Options& options, const std::string& file,
                const OpenBackend& open, std::unique_ptr<FrameSource>* source) {
  std::unique_ptr<Container> container;
  Status status = Container::Open(file, &container);
  if (!status.ok()) {
    PrintError(file + ": " + status.message());
    return kBadFile;
  }
  std::unique_ptr<Backend> backend;
  if (const int exit_code = open(container->codec(), &backend)) {
    return exit_code;
  }
  *source = std::make_unique<DecodedSource>(
      std::move(container), std::move(backend),
      DecodedSourceOptions{ParserOptionsOf(options), options.limit,
                           options.keep_going});
  return EX_OK;
}

}  // namespace perdix::client
