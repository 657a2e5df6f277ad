// SPDX-License-Identifier: BSD-2-Clause
// What status, sessions, watch and recipe print.
#ifndef PERDIX_TOOLS_CTL_STATUS_H_
#define PERDIX_TOOLS_CTL_STATUS_H_

#include <string>
#include <vector>

#include "tools/ctl/snapshot.h"
#include "tools/ctl/text.h"

namespace perdix::ctl {

std::string StatusText(const Snapshot& snapshot, const Style& style);
std::string SessionsText(const Snapshot& snapshot, const Style& style);
// What perdixd sees of the pictures that are shown.
std::string WatchText(const Snapshot& snapshot, const Style& style);
std::string RecipeText(const Daemon& daemon, const Style& style);

// In parts, for the other views.
std::string PictureText(const Session& session);  // VP9 1920x1080
std::string SourceText(const Daemon& daemon);     // why this recipe
std::string GpuText(const Daemon& daemon);        // name, driver, node, state
std::string RecipeSummary(
    const Daemon& daemon);                 // simd, vp9_loop_filter=vulkan
Colour StateColour(const Daemon& daemon);  // of the connection
std::string NodesText(const Daemon& daemon);

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_STATUS_H_
