// SPDX-License-Identifier: BSD-2-Clause
// The program as a shell sees it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/client/temp_path.h"
#include "tests/engine/parsed_trace.h"
#include "tests/tools/run_program.h"

namespace {

Result Decode(const std::string& arguments) {
  return RunProgram(PERDIX_DECODE, arguments);
}

Result DecodeInto(const std::string& redirection,
                  const std::string& arguments) {
  return RunProgramInto(redirection, PERDIX_DECODE, arguments);
}

const std::string kClip = PERDIX_CLIPS "/odd_99x57.webm";

auto Lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(PerdixDecodeTest, PrintsOneLineForEachFrame) {
  const Result result = Decode("--frame-md5 " + kClip);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, Read(kClip + ".frames.md5"));
}

TEST(PerdixDecodeTest, Md5IsThatOfTheRawOutput) {
  const std::string raw = TempPath(".yuv");
  const Result md5 = Decode("--md5 --raw -o " + raw + " " + kClip);
  EXPECT_EQ(md5.exit_code, 0);
  EXPECT_EQ(md5.output.substr(32), "  " + kClip + "\n");
  EXPECT_EQ(Read(raw).size(), 40u * (99 * 57 + 2 * 50 * 29));
  const Result again = Decode("--md5 --threads 2 " + kClip);
  EXPECT_EQ(again.output, md5.output);
}

// The same whichever code decodes, and wherever samples lie in 16 bits.
TEST(PerdixDecodeTest, PrintsAChecksumOfWhatIsShown) {
  const std::pair<std::string, std::string> clips[] = {
      {"odd_99x57.webm", "aeb19b101b9c21b0  40 frames  "},
      {"odd10_99x57.webm", "9d3671e2f70969f6  16 frames  "},
      {"av1/mono_98x42.obu", "511e8dd7cf133d8b  10 frames  "}};
  for (const auto& [name, checksum] : clips) {
    const std::string clip = PERDIX_CLIPS "/" + name;
    for (const std::string options :
         {"", "--recipe scalar --threads 1 ", "--upper-bits "}) {
      const Result result = Decode("--checksum " + options + clip);
      EXPECT_EQ(result.exit_code, 0);
      EXPECT_EQ(result.output, checksum + clip + "\n") << options;
    }
  }
}

// What it prints for a file that comes through a pipe.
std::string DecodePiped(const std::string& file) {
  const Result result =
      RunProgram("cat " + file + " | " PERDIX_DECODE, "--frame-md5 -");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  return result.output;
}

TEST(PerdixDecodeTest, ReadsIvfAndWebmFromAPipe) {
  for (const std::string clip :
       {PERDIX_CLIPS "/resilient_176x144.ivf", PERDIX_CLIPS "/demo.webm"}) {
    EXPECT_EQ(DecodePiped(clip), Read(clip + ".frames.md5")) << clip;
  }
  EXPECT_EQ(Decode("--frame-md5 - <" + kClip).output,
            Read(kClip + ".frames.md5"));
}

// More tiles than a node takes, and probabilities of one whose number has more
// than 8 bits.
TEST(PerdixDecodeTest, DecodesMoreTilesThanANodeTakes) {
  const std::string clip =
      PERDIX_CLIPS "/../client/av1/clips/manytiles_2048x1088.ivf";
  for (const std::string options : {"--recipe scalar ", "--threads 2 "}) {
    const Result result = Decode("--frame-md5 " + options + clip);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.output, Read(clip + ".frames.md5"));
  }
}

TEST(PerdixDecodeTest, ReadsMp4) {
  const std::string mp4 = PERDIX_CLIPS "/odd_99x57.mp4";
  const Result result = Decode("--frame-md5 " + mp4);
  if (result.output.find("MP4 needs libavformat") != std::string::npos) {
    GTEST_SKIP() << result.output;
  }
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, Read(kClip + ".frames.md5"));
  EXPECT_EQ(Decode("--frame-md5 - <" + mp4).output, result.output);
}

TEST(PerdixDecodeTest, ReadsMatroskaPackedByZlib) {
  const std::string mkv = PERDIX_CLIPS "/zlib_176x144.mkv";
  const std::string expected =
      Read(PERDIX_CLIPS "/resilient_176x144.ivf.frames.md5");
  EXPECT_EQ(Decode("--frame-md5 " + mkv).output, expected);
  EXPECT_EQ(DecodePiped(mkv), expected);
}

TEST(PerdixDecodeTest, AnInputThatIsNoVideoExitsWith2) {
  const Result empty = Decode("--null - </dev/null");
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_NE(empty.output.find("-: cannot open: "), std::string::npos);
  EXPECT_EQ(Decode("--null - <&-").exit_code, 2);
  EXPECT_EQ(RunProgram("echo text | " PERDIX_DECODE, "--null -").exit_code, 2);
}

TEST(PerdixDecodeTest, TheStandardInputIsReadOnce) {
  for (const char* arguments : {"--null --streams 2 -", "--null - -"}) {
    const Result result = Decode(std::string(arguments) + " <" + kClip);
    EXPECT_EQ(result.exit_code, 64) << arguments;
    EXPECT_NE(result.output.find("the standard input can be read once"),
              std::string::npos)
        << result.output;
  }
}

TEST(PerdixDecodeTest, WritesY4mToTheStandardOutput) {
  const Result result = Decode("--limit 1 -o - " + kClip);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output.substr(0, 21), "YUV4MPEG2 W99 H57 F30");
}

TEST(PerdixDecodeTest, NullCountsShownFrames) {
  EXPECT_EQ(Decode("--null " + kClip).output.substr(0, 11), "40 frames, ");
  EXPECT_EQ(Decode("--null --limit 7 " + kClip).output.substr(0, 10),
            "7 frames, ");
}

TEST(PerdixDecodeTest, DecodesOneFileAfterTheOther) {
  const std::string other = PERDIX_CLIPS "/small_2x2.ivf";
  const Result result =
      Decode("--frame-md5 " + kClip + " /nonexistent " + other);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.output.find(Read(kClip + ".frames.md5")), std::string::npos);
  EXPECT_NE(result.output.find("/nonexistent: "), std::string::npos);
  EXPECT_NE(result.output.find(Read(other + ".frames.md5")), std::string::npos);
  EXPECT_EQ(Decode("-o /dev/null " + kClip + " " + other).exit_code, 64);
}

TEST(PerdixDecodeTest, StatsSayWhereFramesWereDecoded) {
  EXPECT_NE(Decode("--null --stats --recipe scalar " + kClip)
                .output.find("frames on the GPU 0, on the CPU 44, "),
            std::string::npos);
}

TEST(PerdixDecodeTest, SaysThatThereIsNoDriverAndGoesOn) {
  const char* const names[] = {"VK_ICD_FILENAMES", "VK_DRIVER_FILES"};
  for (const char* name : names) setenv(name, "/nonexistent", 1);
  const Result result = Decode("--null --recipe vulkan " + kClip);
  for (const char* name : names) unsetenv(name);
  EXPECT_EQ(result.exit_code, 0);
  if (result.output.find("built without Vulkan") != std::string::npos) {
    GTEST_SKIP() << result.output;
  }
  EXPECT_NE(result.output.find(
                "perdix-decode: no Vulkan driver is there: the CPU decodes\n"),
            std::string::npos)
      << result.output;
}

TEST(PerdixDecodeTest, ValidationWithoutAGpuExitsWith69) {
  EXPECT_EQ(Decode("--null --validate --recipe scalar " + kClip).exit_code, 69);
  EXPECT_EQ(
      Decode("--null --validate --recipe vulkan --gpu nosuchdevice " + kClip)
          .exit_code,
      69);
}

// The layer's advice on speed stands for an error that there is none of.
TEST(PerdixDecodeTest, AMessageOfTheValidationLayerExitsWith70) {
  const std::string arguments =
      "--null --validate --recipe simd,vp9_loop_filter=vulkan " + kClip;
  if (Decode(arguments).exit_code == 69) GTEST_SKIP() << "no GPU or no layer";
  setenv("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT",
         1);
  // The layer leaks and is unloaded before LeakSanitizer could tell whose it
  // is.
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  const Result result = Decode(arguments);
  unsetenv("ASAN_OPTIONS");
  unsetenv("VK_LAYER_ENABLES");
  EXPECT_EQ(result.exit_code, 70) << result.output;
  EXPECT_NE(result.output.find(" messages of the validation layer"),
            std::string::npos);
}

TEST(PerdixDecodeTest, StatsNameEachKernel) {
  const Result result = Decode("--null --stats --recipe scalar " + kClip);
  EXPECT_EQ(result.exit_code, 0);
  for (const char* name : {"entropy", "vp9_inter_pred", "vp9_loop_filter"}) {
    EXPECT_NE(result.output.find(name), std::string::npos) << name;
  }
}

TEST(PerdixDecodeTest, SelfCheckFindsNothingWrongWithTheGpu) {
  for (const char* clip : {"lossless_64x48.ivf", "odd_99x57.webm"}) {
    const Result result = Decode(
        "--null --stats --recipe vulkan --wait-for-gpu --self-check "
        "1 " PERDIX_CLIPS "/" +
        std::string(clip));
    EXPECT_EQ(result.exit_code, 0);
    if (result.output.find("the CPU decodes") != std::string::npos) {
      GTEST_SKIP() << result.output;
    }
    EXPECT_NE(result.output.find("; self-checks "), std::string::npos)
        << result.output;
    EXPECT_NE(result.output.find(", failed 0"), std::string::npos)
        << result.output;
  }
}

TEST(PerdixDecodeTest, TracesAllThatItDecodes) {
  const std::string path = TempPath(".json");
  const Result result = Decode("--null --trace " + path + " " + kClip);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  const perdix::ParsedTrace trace = perdix::ParseTrace(Read(path));
  EXPECT_EQ(trace.frames.size(), 44u);
  EXPECT_EQ(trace.frames.begin()->second.name, "stream 1 frame 1");
  EXPECT_EQ(Decode("--null --limit 3 --trace " + path + " " + kClip).exit_code,
            0);
  EXPECT_LT(perdix::ParseTrace(Read(path)).frames.size(), 44u);
}

TEST(PerdixDecodeTest, TracesTheGpuInsideItsFrames) {
  const std::string path = TempPath(".json");
  const Result result =
      Decode("--null --recipe vulkan --wait-for-gpu --trace " + path +
             " " PERDIX_CLIPS "/lossless_64x48.ivf");
  EXPECT_EQ(result.exit_code, 0);
  if (result.output.find("the CPU decodes") != std::string::npos) {
    GTEST_SKIP() << result.output;
  }
  const perdix::ParsedTrace trace = perdix::ParseTrace(Read(path));
  EXPECT_EQ(trace.frames.size(), 6u);
  EXPECT_GT(trace.Sum("vp9_inter_pred", true), 0);
  EXPECT_EQ(trace.Sum("vp9_inter_pred", false), 0);
  EXPECT_NE(trace.metadata["gpu_clock"], "none");
  perdix::ExpectGpuInsideFrames(trace);
}

TEST(PerdixDecodeTest, ATraceThatCannotBeWrittenExitsWith73Or74) {
  EXPECT_EQ(Decode("--null --trace /nonexistent/x " + kClip).exit_code, 73);
  EXPECT_EQ(Decode("--null --trace /dev/full " + kClip).exit_code, 74);
}

TEST(PerdixDecodeTest, ABadFileExitsWith2AndTheFrame) {
  const std::string path = TempPath(".ivf");
  std::string bytes = Read(PERDIX_CLIPS "/lossless_64x48.ivf");
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), std::streamsize(bytes.size() - 1));
  const Result result = Decode("--null " + path);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.output.find(path + ": frame 6 (packet 6): packet of"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("5 frames, "), std::string::npos);
  EXPECT_EQ(Decode("--null /nonexistent").exit_code, 2);
}

// An IVF file with something else in place of <count> bytes.
std::string EditedIvf(const std::string& clip, size_t at, size_t count,
                      const std::string& put) {
  const std::string path = TempPath(".ivf");
  std::string bytes = Read(clip);
  bytes.replace(at, count, put);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// Where the packet's header is in it.
size_t IvfPacketAt(const std::string& clip, int index) {
  const std::string bytes = Read(clip);
  size_t at = 32;
  for (; index > 0; --index) {
    at += 12 + (uint8_t(bytes[at]) | uint8_t(bytes[at + 1]) << 8);
  }
  return at;
}

TEST(PerdixDecodeTest, EmptyPacketsAreNoFrames) {
  for (const std::string clip : {PERDIX_CLIPS "/resilient_176x144.ivf",
                                 PERDIX_CLIPS "/av1/small_2x2.ivf"}) {
    for (const int index : {0, 3}) {
      const std::string path =
          EditedIvf(clip, IvfPacketAt(clip, index), 0, std::string(12, '\0'));
      const Result result = Decode("--frame-md5 " + path);
      EXPECT_EQ(result.exit_code, 0);
      EXPECT_EQ(result.output, Read(clip + ".frames.md5"));
    }
  }
}

TEST(PerdixDecodeTest, GoesOnBehindDamageOfTheFileIfItIsTold) {
  const std::string clip = PERDIX_CLIPS "/resilient_176x144.ivf";
  const size_t at = IvfPacketAt(clip, 5);
  const std::string path = EditedIvf(clip, at + 3, 1, "\1");
  const std::string said = path + ": frame 6 (packet 6): packet of ";
  const Result stopped = Decode("--null " + path);
  EXPECT_EQ(stopped.exit_code, 2);
  EXPECT_NE(stopped.output.find(said), std::string::npos) << stopped.output;
  EXPECT_NE(stopped.output.find("\n5 frames, "), std::string::npos);
  for (const std::string& source : {path, "- <" + path}) {
    const Result went_on = Decode("--null --keep-going " + source);
    EXPECT_EQ(went_on.exit_code, 2);
    EXPECT_NE(went_on.output.find("\n29 frames, "), std::string::npos)
        << went_on.output;
  }
}

TEST(PerdixDecodeTest, WrongUseExitsWith64) {
  for (const char* arguments :
       {"", "--md5", "x.webm", "--null --md5 x.webm",
        "--null --checksum x.webm", "--null --threads x x",
        "--null --raw x.webm", "--nonsense x.webm",
        "--null --device /dev/video0 --threads 1 x.webm",
        "--null --device /dev/video0 --trace x x.webm"}) {
    EXPECT_EQ(Decode(arguments).exit_code, 64) << arguments;
  }
  EXPECT_EQ(Decode("--null --recipe fast " + kClip).exit_code, 64);
}

TEST(PerdixDecodeTest, ValuesThatMakeNoSenseAreRefused) {
  const auto message = [](const std::string& arguments) {
    const Result result = Decode(arguments);
    EXPECT_EQ(result.exit_code, 64) << arguments;
    return result.output.substr(0, result.output.find('\n'));
  };
  const std::string empty =
      ": got an empty text, allowed: one character or more";
  EXPECT_EQ(message("-o '' " + kClip), "--output" + empty);
  for (const std::string option :
       {"--recipe", "--recipes", "--trace", "--device"}) {
    EXPECT_EQ(message("--null " + option + " '' " + kClip), option + empty);
  }
  EXPECT_EQ(message("--null ''"), "FILE" + empty);
  for (const std::string option :
       {"--limit", "--threads", "--streams", "--operating-point", "--filmgrain",
        "--self-check", "--lose-gpu-at"}) {
    const std::string said = message("--null " + option + " -1 " + kClip);
    EXPECT_TRUE(said.starts_with(option + ": Value -1 not in range ")) << said;
    message("--null " + option + " '' " + kClip);
  }
  EXPECT_EQ(Decode("--null --limit 0 " + kClip).output.substr(0, 11),
            "40 frames, ");
}

TEST(PerdixDecodeTest, AMissingNodeExitsWith69) {
  const Result result = Decode("--null --device /nonexistent " + kClip);
  EXPECT_EQ(result.exit_code, 69);
  EXPECT_EQ(result.output,
            "perdix-decode: /nonexistent: open: No such file or directory\n");
}

TEST(PerdixDecodeTest, AnOutputThatFailsExitsWith74) {
  EXPECT_EQ(Decode("-o /dev/full " + kClip).exit_code, 74);
  EXPECT_EQ(Decode("-o /nonexistent/x " + kClip).exit_code, 73);
}

TEST(PerdixDecodeTest, LostOutputExitsWith74) {
  for (const std::string output :
       {"--md5 ", "--frame-md5 ", "--checksum ", "--null ", "-o - "}) {
    const Result result = DecodeInto(">/dev/full", output + kClip);
    EXPECT_EQ(result.exit_code, 74) << output;
    EXPECT_EQ(Lines(result.output), 1) << result.output;
    EXPECT_NE(result.output.find("No space left on device"), std::string::npos)
        << result.output;
  }
  EXPECT_EQ(DecodeInto(">/dev/full", "--help").exit_code, 74);
  EXPECT_EQ(DecodeInto(">/dev/full", "--version").exit_code, 74);
  EXPECT_EQ(DecodeInto(">/dev/full", "-o /dev/null " + kClip).exit_code, 0);
}

// Where the parent has it ignore SIGPIPE, as Python does.
TEST(PerdixDecodeTest, AReaderThatIsGoneExitsWith74) {
  const Result result =
      RunProgram("bash -c 'trap \"\" PIPE; { sleep 0.3; " PERDIX_DECODE,
                 "--md5 " + kClip + "; } | true; exit ${PIPESTATUS[0]}'");
  EXPECT_EQ(result.exit_code, 74);
  EXPECT_NE(result.output.find("Broken pipe"), std::string::npos)
      << result.output;
}

// A file that is opened later must not get what was for the standard output.
TEST(PerdixDecodeTest, AClosedStandardOutputExitsWith74) {
  const std::string raw = TempPath(".yuv");
  const Result result =
      DecodeInto(">&-", "--md5 --raw -o " + raw + " " + kClip);
  EXPECT_EQ(result.exit_code, 74);
  EXPECT_EQ(result.output,
            "perdix-decode: cannot write the standard output: "
            "Bad file descriptor\n");
  EXPECT_EQ(Read(raw).size(), 40u * (99 * 57 + 2 * 50 * 29));
}

TEST(PerdixDecodeTest, NeverWritesOverItsInput) {
  const std::string input = TempPath(".webm");
  const std::string link = TempPath("_link.webm");
  const std::string symlink = TempPath("_symlink.webm");
  const std::string content = Read(kClip);
  std::ofstream(input, std::ios::binary) << content;
  for (const std::string& made : {link, symlink}) std::filesystem::remove(made);
  std::filesystem::create_hard_link(input, link);
  std::filesystem::create_symlink(input, symlink);
  const auto expect_refused = [&](const Result& result) {
    EXPECT_EQ(result.exit_code, 64);
    EXPECT_NE(result.output.find(input + " are one file"), std::string::npos)
        << result.output;
    EXPECT_TRUE(Read(input) == content);
  };
  for (const std::string& output :
       {"-o " + input, "-o " + link, "--raw -o " + symlink,
        "--null --trace " + link, "--null --gpu-cache " + symlink}) {
    SCOPED_TRACE(output);
    expect_refused(Decode(output + " " + input));
  }
  EXPECT_EQ(Decode("-o " + input + " - <" + input).exit_code, 64);
  EXPECT_EQ(DecodeInto(">>" + input, "--md5 - <" + input).exit_code, 64);
  EXPECT_TRUE(Read(input) == content);
  for (const char* output : {"--md5 ", "--frame-md5 ", "--null ", "-o - "}) {
    SCOPED_TRACE(output);
    expect_refused(DecodeInto(">>" + input, output + input));
    expect_refused(DecodeInto("1<>" + link, output + input));
  }
  EXPECT_EQ(Decode("-o " + input + " " + kClip).exit_code, 0);
}

TEST(PerdixDecodeTest, AFilesTextDoesNotReachTheTerminal) {
  const std::string path = TempPath(".ivf");
  std::string bytes = Read(PERDIX_CLIPS "/lossless_64x48.ivf");
  bytes.replace(8, 4, "\033[2\x9b");
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(Decode("--null " + path).output,
            "perdix-decode: " + path + ": holds ?[2?, allowed: VP90, AV01\n");
}

TEST(PerdixDecodeTest, ACodecsNameDoesNotReachTheTerminal) {
  const std::string path = TempPath(".webm");
  std::string bytes = Read(kClip);
  const size_t codec = bytes.find("V_VP9");
  ASSERT_NE(codec, std::string::npos);
  bytes.replace(codec, 5, "\033[2J\x9b");
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(
      Decode("--null " + path).output,
      "perdix-decode: " + path + ": holds ?[2J?, allowed: V_VP9, V_AV1\n");
}

TEST(PerdixDecodeTest, SaysItsVersion) {
  const Result result = Decode("--version");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output.substr(0, 14), "perdix-decode ");
}

}  // namespace
