// SPDX-License-Identifier: BSD-2-Clause
#include "tools/decode/open_source.h"

#include <sysexits.h>

#include <utility>

#include "client/bitstream/av1/edits.h"
#include "client/container/container.h"
#include "client/container/open_file.h"
#include "client/decoded_source.h"
#include "client/y4m_source.h"

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

int BadFile(const std::string& file, const Status& status) {
  PrintError(file + ": " + status.message());
  return kBadFile;
}

int OpenCoded(const Options& options, std::unique_ptr<Container> container,
              const OpenBackend& open, std::unique_ptr<FrameSource>* source) {
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

}  // namespace

int OpenDecoded(const Options& options, const std::string& file,
                const OpenBackend& open, std::unique_ptr<FrameSource>* source) {
  std::unique_ptr<Container> container;
  Status status = Container::Open(file, &container);
  if (!status.ok()) return BadFile(file, status);
  return OpenCoded(options, std::move(container), open, source);
}

int OpenReference(const Options& options, const std::string& file,
                  const OpenBackend& open,
                  std::unique_ptr<FrameSource>* source) {
  InputFile input;
  std::string first;
  Status status = OpenFile(file, &input);
  if (status.ok()) status = PeekFile(input.get(), &first);
  if (!status.ok()) return BadFile(file, status);
  if (Y4mSource::IsY4m(first)) {
    status = Y4mSource::Open(std::move(input), source);
    return status.ok() ? EX_OK : BadFile(file, status);
  }
  std::unique_ptr<Container> container;
  status = Container::Open(std::move(input), &container);
  if (!status.ok()) {
    return BadFile(file, {status.code(), status.message() + "; nor is it Y4M"});
  }
  return OpenCoded(options, std::move(container), open, source);
}

}  // namespace perdix::client
