// SPDX-License-Identifier: BSD-2-Clause
// What perdix-decode is asked for.
#ifndef PERDIX_TOOLS_DECODE_OPTIONS_H_
#define PERDIX_TOOLS_DECODE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/recipe_store.h"

namespace perdix::client {

inline constexpr const char* kProgram = "perdix-decode";

// What --metrics compares with, and how.
struct MetricsOptions {
  bool wanted() const { return !reference.empty(); }

  std::string reference;  // empty: nothing is compared
  std::string model;      // empty: v0.6.1, if it is there
  std::string log;        // ends in .json or .csv; empty: none
  std::string svg;        // empty: none
  uint64_t every = 1;     // of so many frames one has all scores
  std::optional<double> min_vmaf;
};

struct Options {
  std::vector<std::string> files;
  std::string output;  // empty: none
  std::string device;  // empty: in process
  std::string recipe = "auto";
  std::string recipes = kDefaultRecipeStore;
  std::string gpu;        // empty: the best
  std::string gpu_cache;  // empty: none
  int timeout_ms = 2000;
  int threads = 0;
  int streams = 1;     // of each file
  uint64_t limit = 0;  // shown frames; 0: all
  bool md5 = false;
  bool frame_md5 = false;
  bool checksum = false;
  bool raw = false;
  bool null = false;
  bool stats = false;
  MetricsOptions metrics;
  std::string trace;  // empty: none
  bool keep_going = false;
  bool film_grain = true;
  uint32_t operating_point = 0;
  bool all_layers = false;
  uint32_t left_out = 0;  // as av1::LeaveOut() takes it
  bool upper_bits = false;
  bool ignore_damage = false;
  uint32_t shuffle_seed = 0;  // 0: not shuffled
  bool baseline = false;
  bool validate = false;
  bool wait_for_gpu = false;
  GpuAim gpu_aim = GpuAim::kSpeed;
  uint64_t lose_at_submit = 0;  // 0: never
  uint32_t self_check = 0;      // 0: never
};

// Reads the command line, and refuses outputs that would overwrite inputs. The
// exit code, if that is all there is to do.
std::optional<int> ParseOptions(int argc, char** argv, Options* options);

// "perdix-decode: text" on the standard error.
void PrintError(const std::string& text);

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_DECODE_OPTIONS_H_
