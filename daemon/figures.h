// SPDX-License-Identifier: BSD-2-Clause
// The daemon's figures, by figures.def: what D-Bus, the file for Prometheus and
// perdixctl show of a Snapshot.
#ifndef PERDIX_DAEMON_FIGURES_H_
#define PERDIX_DAEMON_FIGURES_H_

#include <span>
#include <variant>

#include "daemon/control.h"
#include "daemon/dbus_types.h"
#include "daemon/unit.h"

namespace perdix {

using FigureValue =
    std::variant<bool, uint32_t, uint64_t, double, std::string, LimitsValue,
                 VariantsValue, StageTimesValue, BucketsValue>;

// How a figure is told to Prometheus.
struct PrometheusFamily {
  const char* type = nullptr;  // null: it is not
  // Behind "perdix_"; may end in labels: {name="value"}.
  const char* name = "";
  const char* help = "";
};

template <typename Whole>
struct Figure {
  const char* name;
  Unit unit;
  FigureValue (*value)(const Whole&);
  PrometheusFamily prometheus;
};

std::span<const Figure<Snapshot>> DaemonFigures();
std::span<const Figure<Snapshot::Session>> SessionFigures();

VariantsValue RecipeValue(const Recipe& recipe);

}  // namespace perdix

#endif  // PERDIX_DAEMON_FIGURES_H_
