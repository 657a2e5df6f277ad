// SPDX-License-Identifier: BSD-2-Clause
#include <fstream>
#include <stdexcept>

#include "tests/conformance/make_stream/stream.h"

namespace perdix::make_stream {
namespace {

void Append(std::string& to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(char(value >> (8 * i) & 0xff));
}

}  // namespace

void WriteIvf(const std::string& path, const char* fourcc,
              const Stream& stream) {
  std::string file = "DKIF";
  Append(file, 0, 2);   // version
  Append(file, 32, 2);  // bytes of this header
  file += fourcc;
  Append(file, stream.width, 2);
  Append(file, stream.height, 2);
  Append(file, 30, 4);  // ticks a second
  Append(file, 1, 4);
  Append(file, stream.packets.size(), 4);
  Append(file, 0, 4);
  for (size_t i = 0; i < stream.packets.size(); ++i) {
    const std::vector<uint8_t>& packet = stream.packets[i];
    Append(file, packet.size(), 4);
    Append(file, i, 8);
    file.append(packet.begin(), packet.end());
  }
  std::ofstream out(path, std::ios::binary);
  out.write(file.data(), std::streamsize(file.size()));
  if (!out.flush()) throw std::runtime_error(path + " cannot be written");
}

}  // namespace perdix::make_stream
