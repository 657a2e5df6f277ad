// SPDX-License-Identifier: BSD-2-Clause
// Memory that runs out, for the thread that asks for it.
#ifndef PERDIX_TESTS_CLIENT_NODE_ALLOCATIONS_H_
#define PERDIX_TESTS_CLIENT_NODE_ALLOCATIONS_H_

namespace perdix::client {

// While one lives, operator new fails once, behind <count> calls that succeed.
class FailAllocation {
 public:
  explicit FailAllocation(int count);
  ~FailAllocation();
  bool failed() const;
};

// While one lives, it never does.
class EnoughMemory {
 public:
  EnoughMemory();
  ~EnoughMemory();

 private:
  const int left_;
};

}  // namespace perdix::client

#endif  // PERDIX_TESTS_CLIENT_NODE_ALLOCATIONS_H_
