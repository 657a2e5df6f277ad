// SPDX-License-Identifier: BSD-2-Clause
// The application's half of the stateless API: parsers that find frames and
// their controls in packets, and sessions of a V4L2 node that decode them into
// surfaces. docs/client.md shows how they go together.
#ifndef PERDIX_CLIENT_PERDIX_CLIENT_H_
#define PERDIX_CLIENT_PERDIX_CLIENT_H_

#include "client/base/coded_frame.h"  // IWYU pragma: export
#include "client/base/image.h"        // IWYU pragma: export
#include "client/bitstream/codec.h"   // IWYU pragma: export
#include "client/node/session.h"      // IWYU pragma: export
#include "client/planar.h"            // IWYU pragma: export
#include "kernels/status.h"           // IWYU pragma: export

#endif  // PERDIX_CLIENT_PERDIX_CLIENT_H_
