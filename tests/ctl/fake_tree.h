// SPDX-License-Identifier: BSD-2-Clause
// A machine on which all is well, as files below a folder: a test then takes
// something away from it.
#ifndef PERDIX_TESTS_CTL_FAKE_TREE_H_
#define PERDIX_TESTS_CTL_FAKE_TREE_H_

#include <sys/types.h>

#include <map>
#include <string>

#include "tools/ctl/doctor.h"

namespace perdix::ctl {

class FakeTree {
 public:
  FakeTree();
  ~FakeTree();
  FakeTree(const FakeTree&) = delete;
  FakeTree& operator=(const FakeTree&) = delete;

  void Write(const std::string& path, const std::string& text);
  void Link(const std::string& path, const std::string& target);
  void Remove(const std::string& path);  // with all below it
  void SetMode(const std::string& path, unsigned mode);

  const std::string& root() const { return root_; }

  // What programs print; one that is not here is not installed. An empty text
  // is that of a program that fails.
  std::map<std::string, std::string> programs;

  // The machine's accounts, by number.
  std::map<uid_t, std::string> users;
  std::map<gid_t, std::string> groups;

  // The daemon answers with the sample's statistics.
  DoctorInput Input() const;

 private:
  std::string root_;
};

}  // namespace perdix::ctl

#endif  // PERDIX_TESTS_CTL_FAKE_TREE_H_
