// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/system.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace perdix::ctl {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(int fd) {
  std::string output;
  char buffer[4096];
  ssize_t size;
  while ((size = read(fd, buffer, sizeof(buffer))) > 0) {
    output.append(buffer, size_t(size));
  }
  return output;
}

std::optional<CommandResult> RunProgram(
    const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  pid_t pid;
  const int error =
      posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  CommandResult result;
  if (error == 0) {
    result.output = ReadAll(ends[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  close(ends[0]);
  if (error != 0) return std::nullopt;
  return result;
}

// What <find>, one of getpwuid_r() and its kin, says of that account. They ask
// all that nsswitch.conf names: LDAP and systemd, too.
template <typename Entry, typename Find, typename Key, typename Value>
std::optional<Value> Account(Find find, Key key, Value (*value)(const Entry&)) {
  Entry entry;
  Entry* found = nullptr;
  std::vector<char> text(1024);
  int error;
  while ((error = find(key, &entry, text.data(), text.size(), &found)) ==
         ERANGE) {
    text.resize(2 * text.size());
  }
  if (error != 0 || found == nullptr) return std::nullopt;
  return value(entry);
}

std::string NameOfUser(const passwd& user) { return user.pw_name; }
std::string NameOfGroup(const group& found) { return found.gr_name; }
gid_t NumberOfGroup(const group& found) { return found.gr_gid; }

Accounts AccountsOfThisMachine() {
  return {
      .user = [](uid_t user) { return Account(getpwuid_r, user, NameOfUser); },
      .group = [](gid_t id) { return Account(getgrgid_r, id, NameOfGroup); },
      .find_group =
          [](const std::string& name) {
            return Account(getgrnam_r, name.c_str(), NumberOfGroup);
          }};
}

}  // namespace

bool Caller::IsIn(gid_t group) const {
  return std::ranges::find(groups, group) != groups.end();
}

bool Caller::MayReadAndWrite(const FileInfo& file) const {
  if (user == 0) return true;
  mode_t mask = S_IROTH | S_IWOTH;
  if (IsIn(file.group)) mask = S_IRGRP | S_IWGRP;
  if (user == file.owner) mask = S_IRUSR | S_IWUSR;
  return (file.mode & mask) == mask;
}

System System::ThisMachine() {
  System system;
  system.run = RunProgram;
  system.accounts = AccountsOfThisMachine();
  system.caller.user = geteuid();
  system.caller.groups.resize(size_t(std::max(getgroups(0, nullptr), 0)));
  const int count =
      getgroups(int(system.caller.groups.size()), system.caller.groups.data());
  system.caller.groups.resize(size_t(std::max(count, 0)));
  system.caller.groups.push_back(getegid());
  return system;
}

std::optional<std::string> System::Read(const std::string& path) const {
  std::ifstream file(root + path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  // The device tree ends its strings with 0.
  text.erase(text.find_last_not_of(std::string(" \t\r\n\0", 5)) + 1);
  return text;
}

std::vector<std::string> System::List(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root + folder, error)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

bool System::Exists(const std::string& path) const {
  return Stat(path).has_value();
}

std::optional<FileInfo> System::Stat(const std::string& path) const {
  struct stat info = {};
  if (stat((root + path).c_str(), &info) != 0) return std::nullopt;
  return FileInfo{info.st_mode, info.st_uid, info.st_gid};
}

std::optional<std::string> System::LinkTarget(const std::string& path) const {
  std::error_code error;
  const fs::path target = fs::read_symlink(root + path, error);
  if (error) return std::nullopt;
  return target.string();
}

std::string System::UserName(uid_t user) const {
  return accounts.user(user).value_or(std::to_string(user));
}

std::string System::GroupName(gid_t group) const {
  return accounts.group(group).value_or(std::to_string(group));
}

}  // namespace perdix::ctl
