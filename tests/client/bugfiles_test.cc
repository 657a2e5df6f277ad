// SPDX-License-Identifier: BSD-2-Clause
// Files of kinds that public bug reports tell of, from $PERDIX_BUGFILES or the
// folder beside the repository: what the program makes of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "tests/tools/run_program.h"

namespace {

struct BugFile {
  const char* name;
  const char* options;
  int exit_code;
  const char* md5;      // of the whole output; empty: none is looked at
  const char* message;  // what is said; empty: nothing
};

constexpr const char* kAll = "d62b09f3946b2005d6d99ce075010450";

constexpr BugFile kBugFiles[] = {
    {"made_vp9_empty_packet.ivf", "", 0, kAll, ""},
    {"made_vp9_webm_empty_block.webm", "", 0, kAll, ""},
    {"made_vp9_webm_damaged_cluster_header.webm", "", 2, "",
     ": frame 11 (packet 11): WebM is damaged at byte 10139"},
    {"made_vp9_webm_damaged_cluster_header.webm", "--keep-going ", 2,
     "51d1febc267f42b1cac3c2a8b5d594c6", ": WebM is damaged at byte 10139"},
    {"made_vp9_mp4_edit_starts_at_frame_6.mp4", "", 0,
     "9369c7a678c72ae04332732cb7cf0878", ""},
    {"made_vp9_mkv_zlib_compressed.mkv", "", 0, kAll, ""},
    {"made_av1_no_td_at_start.obu", "", 0, "b125cb6b12637763160ca2efab643531",
     ""},
    {"made_vp9_webm_encrypted.webm", "", 2, "",
     ": holds encrypted V_VP9, allowed: V_VP9, V_AV1"},
    {"made_vp9_two_frames_in_packet_without_index.ivf", "", 0,
     "cc61df0d80d72881ac8a212090822056", ""},
    {"made_vp9_one_bit_flipped_undetected.ivf", "", 2, "",
     ": frame 1 (packet 1): tile 0,0: damaged data"},
    {"made_av1_one_bit_flipped_undetected.ivf", "", 2, "",
     ": frame 1 (packet 1): tile 0,0: damaged data"},
};

class BugFilesTest : public testing::TestWithParam<BugFile> {};

TEST_P(BugFilesTest, IsReadAsItShouldBe) {
  const BugFile& file = GetParam();
  const char* const set = std::getenv("PERDIX_BUGFILES");
  const std::string folder = set == nullptr ? PERDIX_BUGFILES : set;
  const std::string path = folder + "/" + file.name;
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP() << path << " is not there ($PERDIX_BUGFILES)";
  }
  const Result result =
      RunProgram(PERDIX_DECODE, file.options + ("--md5 " + path));
  if (file.name ==
          std::string_view("made_vp9_mp4_edit_starts_at_frame_6.mp4") &&
      result.output.find("MP4 needs libavformat") != std::string::npos) {
    GTEST_SKIP() << result.output;
  }
  EXPECT_EQ(result.exit_code, file.exit_code);
  EXPECT_NE(result.output.find(file.md5), std::string::npos) << result.output;
  EXPECT_NE(result.output.find(file.message), std::string::npos)
      << result.output;
  if (file.exit_code == 0) {
    EXPECT_EQ(result.output, file.md5 + ("  " + path + "\n"));
  }
}

std::string NameOf(const testing::TestParamInfo<BugFile>& info) {
  std::string name = std::string(info.param.options) + info.param.name;
  std::ranges::replace_if(
      name, [](char c) { return !isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, BugFilesTest, testing::ValuesIn(kBugFiles),
                         NameOf);

}  // namespace
