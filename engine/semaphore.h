// SPDX-License-Identifier: BSD-2-Clause
// What one thread sleeps on until another calls it.
#ifndef PERDIX_ENGINE_SEMAPHORE_H_
#define PERDIX_ENGINE_SEMAPHORE_H_

#include <semaphore.h>

namespace perdix {

// The C library's: at most a system call to sleep and one to wake. After a
// condition variable glibc takes the mutex as one that others wait for, and
// giving it back is a system call more. libstdc++'s semaphore yields its CPU
// four times before it sleeps.
class Semaphore {
 public:
  Semaphore() { sem_init(&semaphore_, 0, 0); }
  ~Semaphore() { sem_destroy(&semaphore_); }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  void Release() { sem_post(&semaphore_); }
  void Acquire() {
    while (sem_wait(&semaphore_) != 0) {  // a signal came
    }
  }

 private:
  sem_t semaphore_;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_SEMAPHORE_H_
