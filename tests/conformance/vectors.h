// SPDX-License-Identifier: BSD-2-Clause
// The streams to test with, and what libvpx says about them.
#ifndef PERDIX_TESTS_CONFORMANCE_VECTORS_H_
#define PERDIX_TESTS_CONFORMANCE_VECTORS_H_

#include <string>
#include <vector>

namespace perdix {

struct Vector {
  std::string name;  // path below its folder
  std::string path;
  std::string whole_md5;                // empty: not known
  std::vector<std::string> frame_md5s;  // "MD5  WxH" lines
  bool damaged = false;                 // must only be survived
  bool required = false;                // 8 bit 4:2:0: must decode
};

// What is in the repository. All of it required.
std::vector<Vector> Clips();

// $PERDIX_VECTORS, else shared/vectors beside the repository.
std::string VectorFolder();

// Everything in that folder: the rows of INDEX.tsv, then speed/. Empty if there
// is no such folder.
std::vector<Vector> Vectors();

}  // namespace perdix

#endif  // PERDIX_TESTS_CONFORMANCE_VECTORS_H_
