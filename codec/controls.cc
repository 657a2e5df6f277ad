// SPDX-License-Identifier: BSD-2-Clause
#include "codec/controls.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "v4l2/perdix_uapi.h"

namespace perdix {
namespace {

constexpr size_t kAlignment = 8;

Status Invalid(const std::string& message) {
  return {StatusCode::kInvalidArgument, message};
}

std::string Hex(uint32_t id) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%x", id);
  return text;
}

}  // namespace

Status FindControl(Controls controls, uint32_t id,
                   std::span<const uint8_t>* value) {
  while (controls.size() >= sizeof(perdix_control)) {
    perdix_control record;
    std::memcpy(&record, controls.data(), sizeof(record));
    controls = controls.subspan(sizeof(record));
    if (record.bytes > controls.size()) {
      return Invalid("control " + Hex(record.id) + " has " +
                     std::to_string(record.bytes) + " bytes, " +
                     std::to_string(controls.size()) + " are left");
    }
    if (record.id == id) {
      *value = controls.first(record.bytes);
      return Status::Ok();
    }
    const size_t padded =
        (size_t{record.bytes} + kAlignment - 1) / kAlignment * kAlignment;
    controls = controls.subspan(std::min(padded, controls.size()));
  }
  return Invalid("no control " + Hex(id));
}

Status ReadControl(Controls controls, uint32_t id, void* value, size_t bytes) {
  std::span<const uint8_t> found;
  Status status = FindControl(controls, id, &found);
  if (!status.ok()) return status;
  if (found.size() != bytes) {
    return Invalid("control " + Hex(id) + " has " +
                   std::to_string(found.size()) + " bytes, expected " +
                   std::to_string(bytes));
  }
  std::memcpy(value, found.data(), bytes);
  return Status::Ok();
}

void AppendBytes(uint32_t id, std::span<const uint8_t> value,
                 std::vector<uint8_t>* controls) {
  const perdix_control record = {id, uint32_t(value.size())};
  const auto* bytes = reinterpret_cast<const uint8_t*>(&record);
  controls->insert(controls->end(), bytes, bytes + sizeof(record));
  controls->insert(controls->end(), value.begin(), value.end());
  controls->resize((controls->size() + kAlignment - 1) / kAlignment *
                   kAlignment);
}

}  // namespace perdix
