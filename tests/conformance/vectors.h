// SPDX-License-Identifier: BSD-2-Clause
// The streams to test with, and what the reference decoders make of them:
// libvpx of VP9, libaom and dav1d of AV1.
#ifndef PERDIX_TESTS_CONFORMANCE_VECTORS_H_
#define PERDIX_TESTS_CONFORMANCE_VECTORS_H_

#include <string>
#include <vector>

namespace perdix {

struct Vector {
  std::string name;  // path below its folder
  std::string path;
  std::string whole_md5;                // empty: not known
  std::vector<std::string> frame_md5s;  // "MD5  WxH" lines; none: not known
  bool damaged = false;                 // must only be survived
  bool for_nodes = false;  // nodes decode it: 8, 10 bit 4:2:0 or gray
};

// codec: as INDEX.tsv has it, "vp9" or "av1".

// What is in the repository.
std::vector<Vector> Clips(const std::string& codec);

// $PERDIX_VECTORS, else shared/vectors beside the repository.
std::string VectorFolder();

// Everything in that folder: the rows of INDEX.tsv, then what else is in the
// folder for measurements of speed. Empty if there is no such folder.
std::vector<Vector> Vectors(const std::string& codec);

}  // namespace perdix

#endif  // PERDIX_TESTS_CONFORMANCE_VECTORS_H_
