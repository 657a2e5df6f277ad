// SPDX-License-Identifier: BSD-2-Clause
// The controls of one frame, as the module gathers them and a client in process
// does: records {id, bytes, value} (struct perdix_control in perdix_uapi.h).
#ifndef PERDIX_CODEC_CONTROLS_H_
#define PERDIX_CODEC_CONTROLS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/status.h"

namespace perdix {

using Controls = std::span<const uint8_t>;

// The value of the control <id> (V4L2_CID_STATELESS_...). Fails with
// kInvalidArgument if it is not there, or the records do not fit into
// <controls>. The value may lie at any address: copy it.
Status FindControl(Controls controls, uint32_t id,
                   std::span<const uint8_t>* value);

// Reads a control whose value has one size, as every uapi struct has. Fails
// also if the client gave another size.
Status ReadControl(Controls controls, uint32_t id, void* value, size_t bytes);
template <typename Value>
Status ReadControl(Controls controls, uint32_t id, Value* value) {
  return ReadControl(controls, id, value, sizeof(Value));
}

// Adds a record of these bytes, or of one uapi struct.
void AppendBytes(uint32_t id, std::span<const uint8_t> value,
                 std::vector<uint8_t>* controls);
template <typename Value>
requires std::is_trivially_copyable_v<Value>
void AppendControl(uint32_t id, const Value& value,
                   std::vector<uint8_t>* controls) {
  AppendBytes(id, {reinterpret_cast<const uint8_t*>(&value), sizeof(Value)},
              controls);
}

}  // namespace perdix

#endif  // PERDIX_CODEC_CONTROLS_H_
