// SPDX-License-Identifier: BSD-2-Clause
// The border of the library: no exception leaves a function that returns
// Status and is noexcept.
#ifndef PERDIX_CLIENT_BASE_NO_THROW_H_
#define PERDIX_CLIENT_BASE_NO_THROW_H_

#include "kernels/status.h"

namespace perdix::client {

// What <work> returns. All that is thrown here is for want of memory; the
// message is short enough to need none.
template <typename Work>
Status NoThrow(const Work& work) noexcept {
  try {
    return work();
  } catch (...) {
    return {StatusCode::kOutOfMemory, "no memory"};
  }
}

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_BASE_NO_THROW_H_
