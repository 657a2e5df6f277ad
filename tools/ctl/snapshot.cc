// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/snapshot.h"

#include <sysexits.h>

#include <algorithm>

#include "tools/ctl/failure.h"

namespace perdix::ctl {
namespace {

using nlohmann::json;

void Read(const json& from, const char* name, auto* to) {
  const auto found = from.find(name);
  if (found == from.end()) return;
  try {
    found->get_to(*to);
  } catch (const json::exception&) {
    throw Failure(EX_PROTOCOL, std::string("the daemon's property ") + name +
                                   " is " + found->dump() +
                                   ", which is not of the type expected: are "
                                   "perdixd and perdixctl of one version?");
  }
}

void from_json(const json& from, StageTime& to) {
  to = {from.at(0), from.at(1), from.at(2)};
}

void from_json(const json& from, Bucket& to) { to = {from.at(0), from.at(1)}; }

// Reads rows that are an array of arrays in JSON.
template <typename Row>
void ReadRows(const json& from, const char* name, std::vector<Row>* to) {
  std::vector<json> rows;
  Read(from, name, &rows);
  for (const json& row : rows) {
    try {
      from_json(row, to->emplace_back());
    } catch (const json::exception&) {
      throw Failure(EX_PROTOCOL, std::string("the daemon's property ") + name +
                                     " has an element " + row.dump());
    }
  }
}

void Read(const json& from, const char* name, figure::Stages* to) {
  ReadRows(from, name, to);
}

void Read(const json& from, const char* name, figure::Buckets* to) {
  ReadRows(from, name, to);
}

Session ParseSession(const json& from) {
  Session to;
#define PERDIX_SESSION_FIGURE(Name, field, ...) Read(from, #Name, &to.field);
#include "daemon/figures.def"
  return to;
}

Daemon ParseDaemon(const json& from) {
  Daemon to;
#define PERDIX_DAEMON_FIGURE(Name, field, ...) Read(from, #Name, &to.field);
#include "daemon/figures.def"
  return to;
}

}  // namespace

Snapshot ParseSnapshot(const json& statistics) {
  json daemon = json::object();
  std::vector<json> sessions;
  Read(statistics, "daemon", &daemon);
  Read(statistics, "sessions", &sessions);
  Snapshot snapshot;
  snapshot.daemon = ParseDaemon(daemon);
  for (const json& session : sessions) {
    snapshot.sessions.push_back(ParseSession(session));
  }
  std::ranges::sort(snapshot.sessions, {}, &Session::id);
  return snapshot;
}

}  // namespace perdix::ctl
