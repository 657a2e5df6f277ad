// SPDX-License-Identifier: BSD-2-Clause
// A Snapshot as the properties of the D-Bus objects: names and types as in
// systemd/org.perdix.Decoder1*.xml.
#ifndef PERDIX_DAEMON_DBUS_PROPERTIES_H_
#define PERDIX_DAEMON_DBUS_PROPERTIES_H_

#include <cstdint>
#include <map>
#include <string>

#include "daemon/figures.h"
#include "daemon/sdbus.h"

namespace perdix {

using Properties = std::map<std::string, FigureValue>;

Properties DaemonProperties(const Snapshot& snapshot);
Properties SessionProperties(const Snapshot::Session& session);

// "/org/perdix/Decoder1/session/<id>"
std::string SessionPath(uint32_t id);

// The properties as D-Bus type a{sv}.
std::map<std::string, sdbus::Variant> ToVariants(const Properties& properties);

// Those that differ and are announced when they change.
bus::PropertyNames Changed(const Properties& before, const Properties& now);

}  // namespace perdix

#endif  // PERDIX_DAEMON_DBUS_PROPERTIES_H_
