// SPDX-License-Identifier: BSD-2-Clause
// The program as a shell sees it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/client/temp_path.h"
#include "tests/tools/run_program.h"

namespace {

Result Bench(const std::string& arguments) {
  return RunProgram(PERDIX_BENCH, arguments);
}

const std::string kClip = PERDIX_CLIPS "/odd_99x57.webm";

TEST(PerdixBenchTest, WritesTableJsonAndSvg) {
  const std::string json = TempPath(".json");
  const std::string svg = TempPath(".svg");
  const Result result = Bench("--quick --frames 2 --threads 1 --json " + json +
                              " --svg " + svg + " " + kClip);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.output.find("vp9_loop_filter"), std::string::npos);
  EXPECT_NE(result.output.find("all scalar"), std::string::npos);
  EXPECT_EQ(result.output.find("wrong"), std::string::npos) << result.output;
  EXPECT_EQ(Read(json).substr(0, 2), "{\n");
  EXPECT_EQ(Read(svg).substr(0, 5), "<svg ");
}

TEST(PerdixBenchTest, OneKernelAlone) {
  const Result result = Bench(
      "--quick --frames 1 --kernel vp9_intra_pred --gpu none-such " + kClip);
  EXPECT_EQ(result.exit_code, 0);
  // no device named so, or no driver
  EXPECT_NE(result.output.find("no Vulkan d"), std::string::npos);
  EXPECT_NE(result.output.find("vp9_intra_pred"), std::string::npos);
  EXPECT_EQ(result.output.find("vp9_loop_filter"), std::string::npos);
  EXPECT_EQ(result.output.find("whole frames"), std::string::npos);
}

TEST(PerdixBenchTest, StoresWhatPerdixDecodeUses) {
  const std::string recipes = TempPath(".recipes");
  const Result result = Bench(
      "--quick --frames 1 --gpu none-such --calibrate "
      "--output " +
      recipes + " " + kClip);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  const std::string stored = Read(recipes);
  EXPECT_NE(stored.find("vp9_inter_pred="), std::string::npos) << stored;
  const std::string decode = PERDIX_DECODE
                             " --null --gpu none-such --recipes " +
                             recipes + " " + kClip;
  EXPECT_EQ(system((decode + " >/dev/null").c_str()), 0);
}

// Each codec's clips are tried with its own recipes, whichever comes first.
TEST(PerdixBenchTest, TakesClipsOfTwoCodecs) {
  const std::string av1 = PERDIX_CLIPS "/av1/grain_176x72.ivf";
  for (const std::string& clips : {kClip + " " + av1, av1 + " " + kClip}) {
    const Result result = Bench(
        "--quick --frames 2 --threads 1 --gpu none-such --calibrate --output " +
        TempPath(".recipes") + " " + clips);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    const std::string& text = result.output;
    EXPECT_NE(text.find("scalar,scalar,scalar,scalar\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("scalar,scalar,scalar,scalar,scalar,scalar,scalar,"
                        "scalar\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("not timed"), std::string::npos) << text;
  }
}

TEST(PerdixBenchTest, StoresARecipeForEachAim) {
  const std::string recipes = TempPath(".recipes");
  const Result result = Bench(
      "--quick --frames 1 --gpu none-such --calibrate --aim cpu "
      "--output " +
      recipes + " " + kClip);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("recipe that frees the CPU: "),
            std::string::npos)
      << result.output;
  EXPECT_NE(Read(recipes).find("\"aim\": \"cpu\""), std::string::npos);
  EXPECT_EQ(Bench("--aim fun " + kClip).exit_code, 64);
}

TEST(PerdixBenchTest, SaysWhatItCannotUse) {
  EXPECT_EQ(Bench("--kernel no_such_kernel").exit_code, 64);
  EXPECT_EQ(Bench("--frames 0").exit_code, 64);
  EXPECT_EQ(Bench("--output /tmp/r").exit_code, 64);  // without --calibrate
  for (const std::string option :
       {"--json", "--svg", "--kernel", "--calibrate --output"}) {
    EXPECT_EQ(Bench(option + " '' " + kClip).exit_code, 64) << option;
  }
  const Result result = Bench("--quick --gpu none-such /dev/null");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.output.find("/dev/null"), std::string::npos);
}

TEST(PerdixBenchTest, LostOutputExitsWith74) {
  for (const std::string arguments :
       {"--version", "--list --help",
        "--quick --frames 1 --threads 1 --gpu none-such --json - "}) {
    const Result result =
        RunProgramInto(">/dev/full", PERDIX_BENCH, arguments + " " + kClip);
    EXPECT_EQ(result.exit_code, 74) << arguments;
    EXPECT_NE(result.output.find("No space left on device"), std::string::npos)
        << result.output;
  }
}

TEST(PerdixBenchTest, NeverWritesOverItsInput) {
  const std::string input = TempPath(".webm");
  const std::string content = Read(kClip);
  std::ofstream(input, std::ios::binary) << content;
  for (const std::string output :
       {"--json ", "--svg ", "--gpu-cache ", "--calibrate --output "}) {
    const Result result =
        Bench("--quick --frames 1 " + input + " " + output + input);
    EXPECT_EQ(result.exit_code, 64) << output;
    EXPECT_NE(result.output.find(" are one file"), std::string::npos)
        << output << result.output;
    EXPECT_TRUE(Read(input) == content) << output;
  }
}

TEST(PerdixBenchTest, ListsDevices) { EXPECT_EQ(Bench("--list").exit_code, 0); }

}  // namespace
