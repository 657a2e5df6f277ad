// SPDX-License-Identifier: BSD-2-Clause
// A control of a node among others, whose value is one of the kernel's structs.
#ifndef PERDIX_CLIENT_BITSTREAM_CHANGE_CONTROL_H_
#define PERDIX_CLIENT_BITSTREAM_CHANGE_CONTROL_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "client/bitstream/codec.h"
#include "kernels/status.h"

namespace perdix::client {

// Calls change(Value*) on the value of the control <id>. Fails with
// kInvalidArgument if it is not there, or has another size.
template <typename Value, typename Change>
Status ChangeControl(uint32_t id, std::span<NodeControl> controls,
                     const Change& change) {
  for (NodeControl& control : controls) {
    if (control.id != id) continue;
    if (control.value.size() != sizeof(Value)) {
      return {StatusCode::kInvalidArgument,
              "control " + std::to_string(id) + " has " +
                  std::to_string(control.value.size()) +
                  " bytes, allowed: " + std::to_string(sizeof(Value))};
    }
    Value value;  // the bytes may lie at any address
    std::memcpy(&value, control.value.data(), sizeof(value));
    change(&value);
    std::memcpy(control.value.data(), &value, sizeof(value));
    return Status::Ok();
  }
  return {StatusCode::kInvalidArgument,
          "control " + std::to_string(id) + " is missing"};
}

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_BITSTREAM_CHANGE_CONTROL_H_
