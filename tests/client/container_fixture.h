// SPDX-License-Identifier: BSD-2-Clause
// Files of a test's making, and all of their packets.
#ifndef PERDIX_TESTS_CLIENT_CONTAINER_FIXTURE_H_
#define PERDIX_TESTS_CLIENT_CONTAINER_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "client/container/container.h"
#include "tests/client/temp_path.h"

namespace perdix::client {

using Bytes = std::vector<uint8_t>;

class ContainerTest : public testing::Test {
 protected:
  Status Open(const Bytes& bytes) {
    const std::string path = TempPath(":with:colons.vp9");
    std::remove(path.c_str());  // cheaper than writing over it
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               std::streamsize(bytes.size()));
    return Container::Open(path, &container_);
  }
  // All packets up to the end or to what is in status_.
  std::vector<Bytes> ReadAll() {
    std::vector<Bytes> packets;
    for (;;) {
      Packet packet;
      bool end = false;
      status_ = container_->Next(&packet, &end);
      if (!status_.ok() || end) return packets;
      packets.emplace_back(packet.data.begin(), packet.data.end());
    }
  }
  // All packets, those behind damage too; messages_: what was wrong between.
  std::vector<Bytes> ReadOn() {
    std::vector<Bytes> all;
    messages_.clear();
    for (bool more = true; more;) {
      const std::vector<Bytes> packets = ReadAll();
      all.insert(all.end(), packets.begin(), packets.end());
      if (!status_.ok()) messages_.push_back(status_.message());
      more = !status_.ok() && container_->Resync();
    }
    return all;
  }

  std::unique_ptr<Container> container_;
  Status status_;
  std::vector<std::string> messages_;
};

}  // namespace perdix::client

#endif  // PERDIX_TESTS_CLIENT_CONTAINER_FIXTURE_H_
