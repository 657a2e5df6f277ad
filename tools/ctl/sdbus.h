// SPDX-License-Identifier: BSD-2-Clause
// sdbus-c++ 1 (Debian 12) and 2 (Debian 13) as one: what differs between them,
// and that we use, is here.
#ifndef PERDIX_TOOLS_CTL_SDBUS_H_
#define PERDIX_TOOLS_CTL_SDBUS_H_

#include <sdbus-c++/sdbus-c++.h>

#include <string>

#if __has_include(<sdbus-c++/VTableItems.h>)
#define PERDIX_SDBUS_VERSION 2
#else
#define PERDIX_SDBUS_VERSION 1
#endif

namespace perdix {

#if PERDIX_SDBUS_VERSION == 1
using BusName = std::string;
using ErrorName = std::string;
#else
using BusName = sdbus::ServiceName;
using ErrorName = sdbus::Error::Name;
#endif

// As in the Variant's signature: "s", "a{ss}".
inline std::string TypeOf(const sdbus::Variant& value) {
  return value.peekValueType();
}

inline std::string NameOf(const sdbus::Error& error) { return error.getName(); }

}  // namespace perdix

#endif  // PERDIX_TOOLS_CTL_SDBUS_H_
