// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/system.h"

#include <gtest/gtest.h>

namespace perdix::ctl {
namespace {

constexpr unsigned kNobodysNumber = 0xfffffff0;

// Accounts need not be in files of /etc: a root without any has them too.
TEST(SystemTest, AsksTheMachineForItsAccounts) {
  System system = System::ThisMachine();
  system.root = "/nonexistent";
  EXPECT_EQ(system.UserName(0), "root");
  EXPECT_EQ(system.GroupName(0), "root");
  EXPECT_EQ(system.accounts.find_group("root"), gid_t{0});
}

TEST(SystemTest, GivesNumbersToWhatHasNoName) {
  const System system = System::ThisMachine();
  EXPECT_EQ(system.UserName(kNobodysNumber), "4294967280");
  EXPECT_EQ(system.GroupName(kNobodysNumber), "4294967280");
  EXPECT_EQ(system.accounts.find_group("no such group"), std::nullopt);
}

}  // namespace
}  // namespace perdix::ctl
