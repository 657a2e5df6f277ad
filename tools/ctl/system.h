// SPDX-License-Identifier: BSD-2-Clause
// What doctor and report look at outside the daemon: files, accounts and
// programs, of this machine or of a tree made by a test.
#ifndef PERDIX_TOOLS_CTL_SYSTEM_H_
#define PERDIX_TOOLS_CTL_SYSTEM_H_

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace perdix::ctl {

struct FileInfo {
  mode_t mode = 0;
  uid_t owner = 0;
  gid_t group = 0;
};

struct CommandResult {
  int exit_code = 0;
  std::string output;  // of standard output
};

struct Caller {
  uid_t user = 0;
  std::vector<gid_t> groups;

  bool IsIn(gid_t group) const;
  // What the kernel decides, by mode alone.
  bool MayReadAndWrite(const FileInfo& file) const;
};

// Users and groups, wherever the machine has them.
struct Accounts {
  std::function<std::optional<std::string>(uid_t)> user;
  std::function<std::optional<std::string>(gid_t)> group;
  std::function<std::optional<gid_t>(const std::string& name)> find_group;
};

// Paths begin with / and are below <root>.
struct System {
  std::string root;
  Caller caller;
  Accounts accounts;
  // Without a shell; nothing when there is no such program.
  std::function<std::optional<CommandResult>(
      const std::vector<std::string>& arguments)>
      run;

  static System ThisMachine();

  // The whole file, without white space and zeros at its end.
  std::optional<std::string> Read(const std::string& path) const;
  std::vector<std::string> List(const std::string& folder) const;  // sorted
  bool Exists(const std::string& path) const;
  std::optional<FileInfo> Stat(const std::string& path) const;
  std::optional<std::string> LinkTarget(const std::string& path) const;

  // Numbers where they have no name.
  std::string UserName(uid_t user) const;
  std::string GroupName(gid_t group) const;
};

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_SYSTEM_H_
