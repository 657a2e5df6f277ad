// SPDX-License-Identifier: BSD-2-Clause
#include "client/container/container.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "client/bitstream/av1/obu.h"
#include "client/container/avformat_file.h"
#include "client/container/input_file.h"
#include "client/container/ivf_file.h"
#include "client/container/obu_file.h"
#include "client/container/webm_file.h"

namespace perdix::client {
namespace {

// MP4 and QuickTime: a box's size, and its type, one that may come first.
bool LooksLikeMp4(std::string_view first) {
  constexpr std::string_view kTypes[] = {"ftyp", "styp", "moov", "moof", "mdat",
                                         "free", "skip", "wide", "pnot", "uuid",
                                         "sidx", "udta", "prfl", "junk"};
  return first.size() >= 8 &&
         std::ranges::count(kTypes, first.substr(4, 4)) > 0;
}

// The first bytes, in hexadecimal and as text.
std::string Describe(std::string_view first) {
  if (first.empty()) return "is empty";
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex, text;
  for (const char c : first.substr(0, 8)) {
    hex += {' ', kDigits[uint8_t(c) >> 4], kDigits[uint8_t(c) & 15]};
    text += c >= ' ' && c <= '~' ? c : '.';
  }
  return "begins with" + hex + " (" + text + ")";
}

}  // namespace

Status Container::Open(const std::string& path,
                       std::unique_ptr<Container>* container) {
  InputFile file;
  Status status = OpenFile(path, &file);
  return status.ok() ? Open(std::move(file), container) : status;
}

Status Container::Open(InputFile file, std::unique_ptr<Container>* container) {
  std::string first;
  Status status = PeekFile(file.get(), &first);
  if (!status.ok()) return status;
  if (first.starts_with("DKIF")) {
    return IvfFile::Open(std::move(file), container);
  }
  if (first.starts_with("\x1A\x45\xDF\xA3")) {
    return WebmFile::Open(std::move(file), container);
  }
  const av1::ObuFormat obus = av1::ProbeObuFormat(
      {reinterpret_cast<const uint8_t*>(first.data()), first.size()});
  if (obus != av1::ObuFormat::kNone) {
    return ObuFile::Open(std::move(file), obus, container);
  }
  if (LooksLikeMp4(first)) {
    return AvformatFile::Open(std::move(file), container);
  }
  return InvalidFile("cannot open: " + Describe(first) +
                     ", allowed: WebM, Matroska, IVF, MP4, OBUs of AV1");
}

}  // namespace perdix::client
