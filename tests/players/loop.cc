// SPDX-License-Identifier: BSD-2-Clause
// loop DEVICE CLIP TIMES
//
// Decodes CLIP over and over in one session of a V4L2 node. After each pass a
// line with the number of frames. Exit status 0: none failed.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "client/container/container.h"
#include "client/node/v4l2_backend.h"
#include "client/stream/stream.h"

namespace perdix {
namespace {

constexpr int kTimeoutMs = 10000;

struct Counts {
  int shown = 0;
  int failed = 0;
};

Status OpenNode(const char* device, const char* path,
                std::unique_ptr<client::Backend>* backend) {
  std::unique_ptr<client::Container> container;
  const Status status = client::Container::Open(path, &container);
  if (!status.ok()) return status;
  return client::V4l2Backend::Open(device, container->codec(), kTimeoutMs,
                                   backend);
}

Status DecodeOnce(const char* path, client::Stream& stream) {
  std::unique_ptr<client::Container> container;
  Status status = client::Container::Open(path, &container);
  client::Packet packet;
  for (bool end = false; status.ok();) {
    status = container->Next(&packet, &end);
    if (end || !status.ok()) break;
    stream.Decode(packet.data, packet.owner);
  }
  return status;
}

int Run(const char* device, const char* path, int times) {
  std::unique_ptr<client::Backend> backend;
  Status status = OpenNode(device, path, &backend);
  Counts counts;
  if (status.ok()) {
    client::Stream stream(
        *backend, {.shown =
                       [&counts](const client::Image&) {
                         ++counts.shown;
                         return true;
                       },
                   .failed =
                       [&counts](const client::Position&, const Status&) {
                         ++counts.failed;
                         return true;
                       }});
    for (int i = 0; i < times && status.ok(); ++i) {
      status = DecodeOnce(path, stream);
      printf("%d frames, %d failed\n", counts.shown, counts.failed);
      fflush(stdout);
    }
    stream.Flush();
  }
  if (!status.ok()) fprintf(stderr, "loop: %s\n", status.message().c_str());
  return !status.ok() || counts.failed > 0;
}

}  // namespace
}  // namespace perdix

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: loop DEVICE CLIP TIMES\n");
    return 64;
  }
  return perdix::Run(argv[1], argv[2], atoi(argv[3]));
}
