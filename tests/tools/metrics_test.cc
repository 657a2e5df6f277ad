// SPDX-License-Identifier: BSD-2-Clause
// perdix-decode --metrics as a shell sees it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/client/temp_path.h"
#include "tests/tools/run_program.h"

namespace {

const std::string kClip = PERDIX_CLIPS "/odd_99x57.webm";
const std::string kTenBit = PERDIX_CLIPS "/odd10_99x57.webm";

Result Decode(const std::string& arguments) {
  return RunProgram(PERDIX_DECODE, arguments);
}

// Without VMAF, whose model need not be on the machine.
Result Compare(const std::string& arguments) {
  return Decode("--model none --metrics " + arguments);
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The clip's frames as Y4M; all if <limit> is 0.
std::string WriteY4m(const std::string& clip, int limit,
                     const std::string& suffix) {
  const std::string path = TempPath(suffix + ".y4m");
  EXPECT_EQ(
      Decode("--limit " + std::to_string(limit) + " -o " + path + " " + clip)
          .exit_code,
      0);
  return path;
}

// A table of scores; what was printed must be no error.
std::vector<std::string> Csv(const std::string& arguments) {
  const std::string path = TempPath(".csv");
  const Result result = Compare(arguments + " --metrics-log " + path);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  return Lines(Read(path));
}

// A model that says 100 where adm2 is 1 and less where it is not.
std::string WriteModel() {
  const std::string path = TempPath("_model.json");
  std::ofstream(path) << R"({"model_dict": {
    "model": "svm_type nu_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n1 1:1\n",
    "model_type": "LIBSVMNUSVR", "norm_type": "linear_rescale",
    "feature_names": ["VMAF_integer_feature_adm2_score"],
    "slopes": [0.01, 1.0], "intercepts": [0.0, 0.0],
    "score_clip": [0.0, 100.0]}})";
  return path;
}

// ---- what it finds ----

TEST(PerdixMetricsTest, AFileIsAsGoodAsItself) {
  const std::vector<std::string> lines = Csv(kClip + " --limit 3 " + kClip);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(
      lines[0].starts_with("Frame,psnr_y,psnr_cb,psnr_cr,"
                           "integer_adm2,integer_aim,"))
      << lines[0];
  for (int i = 0; i < 3; ++i) {
    const std::string best =
        std::to_string(i) + ",60.000000,60.000000,60.000000,";
    EXPECT_TRUE(lines[1 + i].starts_with(best)) << lines[1 + i];
  }
  EXPECT_EQ(Compare(kTenBit + " " + kTenBit).exit_code, 0);
}

// Each way that a reference may come.
TEST(PerdixMetricsTest, AReferenceIsY4mOrCoded) {
  for (const std::string& clip : {kClip, kTenBit}) {
    const std::string y4m = WriteY4m(clip, 4, "");
    const auto coded = Csv(clip + " --limit 4 " + clip);
    EXPECT_EQ(Csv(y4m + " --limit 4 " + clip), coded);
    EXPECT_EQ(Csv("- --limit 4 " + clip + " <" + y4m), coded);
    EXPECT_EQ(Csv("- --limit 4 " + clip + " <" + clip), coded);
    EXPECT_EQ(Csv(y4m + " --limit 4 - <" + clip), coded);
    const std::string path = TempPath("_piped.csv");
    const Result piped =
        RunProgram("cat " + y4m + " | " PERDIX_DECODE,
                   "--model none --metrics - --limit 4 --metrics-log " + path +
                       " " + clip);
    EXPECT_EQ(piped.exit_code, 0) << piped.output;
    EXPECT_EQ(Lines(Read(path)), coded);
  }
}

TEST(PerdixMetricsTest, AReferenceMayComeFromFfmpeg) {
  if (RunProgram("ffmpeg", "-version").exit_code != 0) {
    GTEST_SKIP() << "no ffmpeg";
  }
  const std::string path = TempPath(".csv");
  const Result result = RunProgram(
      "ffmpeg -v error -i " + kClip + " -f yuv4mpegpipe - | " PERDIX_DECODE,
      "--model none --metrics - --metrics-log " + path + " " + kClip);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(Lines(Read(path)), Csv(kClip + " " + kClip));
}

TEST(PerdixMetricsTest, ScoresDoNotDependOnWhoMeasures) {
  const std::string reference = WriteY4m(kTenBit, 5, "");
  const auto one = Csv(reference + " --limit 5 --threads 1 " + kTenBit);
  EXPECT_EQ(Csv(reference + " --limit 5 --threads 7 " + kTenBit), one);
  EXPECT_EQ(Csv(reference + " --limit 5 --recipe scalar " + kTenBit), one);
  EXPECT_EQ(Csv(reference + " --limit 5 --upper-bits " + kTenBit), one);
}

TEST(PerdixMetricsTest, AMonochromeVideoHasNoChromaToCompare) {
  const std::string clip = PERDIX_CLIPS "/av1/mono_98x42.obu";
  const auto lines = Csv(clip + " " + clip);
  ASSERT_EQ(lines.size(), 11u);
  EXPECT_TRUE(lines[0].starts_with("Frame,psnr_y,integer_adm2,")) << lines[0];
}

TEST(PerdixMetricsTest, MeasuresEveryNthFrameWhole) {
  const auto lines = Csv(kClip + " --limit 5 --metrics-every 2 " + kClip);
  ASSERT_EQ(lines.size(), 6u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Contains(lines[1 + i], ",60.000000,"), i % 2 == 0)
        << lines[1 + i];
    EXPECT_FALSE(lines[1 + i].ends_with(",")) << "motion: " << lines[1 + i];
  }
}

TEST(PerdixMetricsTest, PrintsWhatIsPooledOfEachScore) {
  const Result result = Compare(kClip + " --limit 3 " + kClip);
  const auto lines = Lines(result.output);
  ASSERT_EQ(lines.size(), 2u + 17u) << result.output;
  EXPECT_TRUE(lines[0].starts_with("3 frames, "));
  EXPECT_TRUE(lines[1].starts_with("score ")) << lines[1];
  EXPECT_TRUE(Contains(lines[1], "harmonic mean"));
  EXPECT_TRUE(lines[2].starts_with("psnr_y ")) << lines[2];
  EXPECT_TRUE(Contains(lines[2], " 60.000000 ")) << lines[2];
}

TEST(PerdixMetricsTest, AModelSaysWhatViewersWould) {
  const std::string options = "--model " + WriteModel() + " --limit 2 ";
  const Result same =
      Decode(options + "--min-vmaf 99 --metrics " + kClip + " " + kClip);
  EXPECT_EQ(same.exit_code, 0) << same.output;
  EXPECT_TRUE(Contains(Lines(same.output).back(), "vmaf ")) << same.output;
  const std::string other =
      WriteY4m("--filmgrain 0 " PERDIX_CLIPS "/av1/odd_99x57.webm", 2, "");
  const Result less =
      Decode(options + "--min-vmaf 99 --metrics " + other + " " + kClip);
  EXPECT_EQ(less.exit_code, 1) << less.output;
  EXPECT_TRUE(Contains(less.output, kClip + ": the mean of vmaf is "))
      << less.output;
  EXPECT_TRUE(Contains(less.output, ", --min-vmaf 99\n")) << less.output;
}

TEST(PerdixMetricsTest, DrawsThePicture) {
  const std::string path = TempPath(".svg");
  EXPECT_EQ(Compare(kClip + " --limit 3 --metrics-svg " + path + " " + kClip)
                .exit_code,
            0);
  const std::string svg = Read(path);
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(Contains(svg, ">odd_99x57.webm against odd_99x57.webm<"));
  EXPECT_TRUE(Contains(svg, "psnr_y of 3 frames")) << svg;
}

// What libvmaf 3.2.0 found, but for VMAF and what a log says of its maker.
TEST(PerdixMetricsTest, FindsWhatLibvmafFound) {
  const std::string shared = PERDIX_SHARED;
  if (!std::filesystem::exists(shared + "/metrics/pair1.json")) {
    GTEST_SKIP() << "no shared/metrics";
  }
  const std::string log = TempPath(".json");
  const Result result =
      Compare(shared + "/vectors/speed/tos_800x332_p0_1M.webm " + shared +
              "/metrics/tos_800x332_150k.webm --limit 48 --metrics-log " + log);
  ASSERT_EQ(result.exit_code, 0) << result.output;
  // each line of ours is one of libvmaf's; the last of an object has no comma
  const auto bare = [](std::string line) {
    if (line.ends_with(",")) line.pop_back();
    return line;
  };
  const auto ours = Lines(Read(log));
  const auto golden = Lines(Read(shared + "/metrics/pair1.json"));
  size_t at = 0;
  for (const std::string& line : ours) {
    if (line.starts_with("  \"version\"") || line.starts_with("  \"fps\"")) {
      continue;
    }
    while (at < golden.size() && bare(golden[at]) != bare(line)) ++at;
    ASSERT_LT(at, golden.size()) << line;
    ++at;
  }
  EXPECT_GT(ours.size(), 900u);
}

// ---- on the GPU ----

// The clip's frames from the second on, as Y4M.
std::string WriteLaterFrames(const std::string& clip) {
  const std::string path = WriteY4m(clip, 5, "_later");
  std::string y4m = Read(path);
  const size_t first = y4m.find("FRAME");
  y4m.erase(first, y4m.find("FRAME", first + 1) - first);
  std::ofstream(path, std::ios::binary) << y4m;
  return path;
}

// One kernel of each codec, so that few shaders are compiled: the CPU reaches
// the pictures, too.
const std::string kFilterOnGpu = "simd,vp9_loop_filter=vulkan";
const std::string kGrainOnGpu = "simd,av1_film_grain=vulkan";
// Only the GPU reaches what VP9 decodes.
const std::string kVp9OnGpu =
    kFilterOnGpu +
    ",vp9_inter_pred=vulkan,vp9_inverse_transform=vulkan,vp9_intra_pred=vulkan";

// Scores by the GPU, whose shaders are kept from one call to the next.
class PerdixMetricsOnGpuTest : public testing::Test {
 protected:
  // What is printed; empty: there is no GPU. Fails unless the log is the CPU's.
  std::string Measure(const std::string& pair, const std::string& recipe) {
    const std::string log = TempPath("_gpu.csv");
    const Result result =
        Compare(pair + " --stats --limit 4 --wait-for-gpu --recipe " + recipe +
                " --gpu-cache " + cache_ + " --metrics-log " + log);
    if (Contains(result.output, ": the CPU decodes\n")) return "";
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(Lines(Read(log)), Csv(pair + " --limit 4 --recipe simd")) << pair;
    return result.output;
  }

 private:
  const std::string cache_ = TempPath(".pipelines");
};

// Codecs, film grain, 10 bit; references that are decoded and that are not.
TEST_F(PerdixMetricsOnGpuTest, PicturesAreMeasuredWhereTheyLie) {
  const std::string av1 = PERDIX_CLIPS "/av1/odd_99x57.webm";
  const std::string grain = PERDIX_CLIPS "/av1/grain_176x72.ivf";
  const std::string ungrained = WriteY4m("--filmgrain 0 " + grain, 4, "");
  const std::pair<std::string, std::string> runs[] = {
      {av1 + " " + kClip, kVp9OnGpu},
      {kClip + " --metrics-every 2 " + av1, kVp9OnGpu},
      {ungrained + " " + grain, kGrainOnGpu},
      {WriteLaterFrames(kTenBit) + " " + kTenBit, kFilterOnGpu}};
  for (const auto& [pair, recipe] : runs) {
    const std::string output = Measure(pair, recipe);
    if (output.empty()) GTEST_SKIP() << "no GPU";
    EXPECT_TRUE(Contains(output, "pairs on the GPU 4, ")) << output;
    // Four times 448: the sums are all that the host reads.
    EXPECT_TRUE(Contains(output, ", bytes read 1792\n")) << output;
  }
}

// There are nine submits: five frames and four pairs.
TEST_F(PerdixMetricsOnGpuTest, TheCpuGoesOnWhereTheGpuIsLost) {
  const std::string output = Measure(
      WriteLaterFrames(kClip) + " --lose-gpu-at 8 " + kClip, kFilterOnGpu);
  if (output.empty()) GTEST_SKIP() << "no GPU";
  const std::string notice = ": the CPU measures\n";
  EXPECT_TRUE(Contains(output, notice)) << output;
  EXPECT_EQ(output.find(notice), output.rfind(notice)) << output;
}

TEST_F(PerdixMetricsOnGpuTest, TheCpuMeasuresWhatTheGpuDoesNotTake) {
  const std::string screen = PERDIX_CLIPS "/av1/screen444_256x128.obu";
  for (const std::string& pair :
       {screen + " " + screen,
        WriteLaterFrames(kTenBit) + " --upper-bits " + kTenBit}) {
    const std::string output = Measure(pair, kFilterOnGpu);
    if (output.empty()) GTEST_SKIP() << "no GPU";
    EXPECT_TRUE(Contains(output, ": the CPU measures\n")) << output;
    EXPECT_TRUE(Contains(output, "pairs on the GPU 0, ")) << output;
  }
}

// ---- what does not fit ----

TEST(PerdixMetricsTest, OtherSizesDepthsAndSubsamplingsAreRefused) {
  const std::string small = PERDIX_CLIPS "/lossless_64x48.ivf";
  const Result size = Compare(kClip + " " + small);
  EXPECT_EQ(size.exit_code, 2);
  EXPECT_EQ(size.output, "perdix-decode: frame 0: " + small +
                             " is 64x48, 8 bit, 4:2:0, " + kClip +
                             " 99x57, 8 bit, 4:2:0; they must be equal, "
                             "nothing is scaled\n");
  const Result depth = Compare(kClip + " " + kTenBit);
  EXPECT_EQ(depth.exit_code, 2);
  EXPECT_TRUE(Contains(depth.output, " is 99x57, 10 bit, 4:2:0, "));
  const Result chroma =
      Compare(PERDIX_CLIPS "/av1/screen444_256x128.obu " PERDIX_CLIPS
                           "/av1/screen_256x128.ivf");
  EXPECT_EQ(chroma.exit_code, 2);
  EXPECT_TRUE(Contains(chroma.output, " 256x128, 8 bit, 4:4:4; "))
      << chroma.output;
}

TEST(PerdixMetricsTest, ASizeThatChangesIsRefused) {
  const std::string clip = PERDIX_CLIPS "/resize_640x360.webm";
  const Result result = Compare(clip + " " + clip);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(Contains(result.output, ": both are ")) << result.output;
  EXPECT_TRUE(
      Contains(result.output, ", before they were 640x360, 8 bit, 4:2:0\n"))
      << result.output;
}

TEST(PerdixMetricsTest, SidesBelow33AreRefused) {
  const std::string clip = PERDIX_CLIPS "/small_2x2.ivf";
  const Result result = Compare(clip + " " + clip);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(Contains(result.output, "2x2")) << result.output;
  EXPECT_TRUE(Contains(result.output, "33")) << result.output;
}

TEST(PerdixMetricsTest, OtherNumbersOfFramesAreRefused) {
  const std::string y4m = WriteY4m(kClip, 7, "");
  const Result shorter = Compare(y4m + " " + kClip);
  EXPECT_EQ(shorter.exit_code, 2);
  EXPECT_EQ(shorter.output, "perdix-decode: " + kClip + " has 40 frames, " +
                                y4m + " 7; they must be equal\n");
  const std::string more = WriteY4m(kClip, 0, "_all");
  std::ofstream(more, std::ios::binary | std::ios::app)
      << Read(y4m).substr(Read(y4m).find("FRAME"));
  const Result longer = Compare(more + " " + kClip);
  EXPECT_EQ(longer.exit_code, 2);
  EXPECT_TRUE(
      Contains(longer.output, kClip + " has 40 frames, " + more + " 47;"))
      << longer.output;
}

TEST(PerdixMetricsTest, ADamagedReferenceExitsWith2) {
  const std::string y4m = WriteY4m(kClip, 2, "");
  std::filesystem::resize_file(y4m, std::filesystem::file_size(y4m) - 1);
  const Result cut = Compare(y4m + " " + kClip);
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_EQ(cut.output, "perdix-decode: " + y4m +
                            ": frame 2 is cut short by the end of the file\n");
  const std::string header = TempPath("_header.y4m");
  std::ofstream(header) << "YUV4MPEG2 W99 H57 C411\n";
  EXPECT_TRUE(Contains(Compare(header + " " + kClip).output,
                       header + ": the header says C411, allowed: "));
  const Result none = Compare("/dev/null " + kClip);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(Contains(none.output, "; nor is it Y4M\n")) << none.output;
  EXPECT_EQ(Compare("/nonexistent " + kClip).exit_code, 2);
  EXPECT_EQ(Compare(kClip + " /nonexistent").exit_code, 2);
}

// VMAF's model need not be on the machine.
TEST(PerdixMetricsTest, VmafIsLeftOutWhereItsModelIsMissing) {
  const Result result = Decode("--limit 1 --metrics " + kClip + " " + kClip);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  const bool measured = Lines(result.output).back().starts_with("vmaf ");
  EXPECT_NE(measured, Contains(result.output, "no vmaf_v0.6.1.json in "));
  for (const std::string model :
       {"--model v0.6.1 ", "--model neg ", "--min-vmaf 1 "}) {
    const Result asked =
        Decode(model + "--limit 1 --metrics " + kClip + " " + kClip);
    EXPECT_EQ(asked.exit_code, measured ? 0 : 2) << asked.output;
  }
}

TEST(PerdixMetricsTest, AModelThatIsNotThereExitsWith2) {
  const Result result =
      Decode("--model /nonexistent --metrics " + kClip + " " + kClip);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(Contains(result.output, "--model /nonexistent: "))
      << result.output;
}

TEST(PerdixMetricsTest, OutputsThatFailExitWith73And74) {
  const std::string pair = kClip + " --limit 1 " + kClip;
  for (const std::string option : {"--metrics-log ", "--metrics-svg "}) {
    EXPECT_EQ(Compare(pair + " " + option + "/nonexistent/x.json").exit_code,
              73);
  }
  const std::string full = TempPath(".csv");
  std::filesystem::remove(full);
  std::filesystem::create_symlink("/dev/full", full);
  EXPECT_EQ(Compare(pair + " --metrics-log " + full).exit_code, 74);
  EXPECT_EQ(Compare(pair + " --metrics-svg /dev/full").exit_code, 74);
  EXPECT_EQ(RunProgramInto(">/dev/full", PERDIX_DECODE,
                           "--model none --metrics " + pair)
                .exit_code,
            74);
}

TEST(PerdixMetricsTest, WrongUseExitsWith64) {
  const std::string json = TempPath(".json");
  std::filesystem::copy_file(kClip, json,
                             std::filesystem::copy_options::overwrite_existing);
  for (const std::string& arguments :
       {"--metrics " + kClip, "--metrics '' " + kClip,
        "--metrics " + kClip + " --md5 " + kClip,
        "--metrics " + kClip + " --null " + kClip,
        "--metrics " + kClip + " --keep-going " + kClip,
        "--metrics " + kClip + " " + kClip + " " + kClip,
        std::string("--metrics - -"),
        "--metrics " + kClip + " --metrics-log x.txt " + kClip,
        "--metrics " + kClip + " --metrics-every 0 " + kClip,
        "--metrics " + kClip + " --min-vmaf 101 " + kClip,
        "--metrics " + kClip + " --min-vmaf 90 --model none " + kClip,
        "--null --min-vmaf 90 " + kClip, "--null --model none " + kClip,
        "--metrics " + json + " --metrics-log " + json + " " + kClip}) {
    EXPECT_EQ(Decode(arguments).exit_code, 64) << arguments;
  }
  EXPECT_EQ(Read(json), Read(kClip));
}

}  // namespace
