// SPDX-License-Identifier: BSD-2-Clause
// A shared object with the client library inside, as a driver of another
// interface is. That it links, with nothing left undefined, is the test.
#include "client/perdix_client.h"

extern "C" int OpenTestDriver(const char* node) {
  using namespace perdix::client;  // NOLINT(google-build-using-namespace)
  std::unique_ptr<PacketParser> parser;
  std::unique_ptr<Session> session;
  const ClientCodec& codec = *ClientCodecs().front();
  return OpenParser(codec, {}, &parser).ok() &&
         Session::Open(node, codec, {}, &session).ok();
}
