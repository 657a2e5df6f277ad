// SPDX-License-Identifier: BSD-2-Clause
// Every stream by name, by the kernels' variant $PERDIX_RECIPE, with 1, 2 and 8
// threads (or $PERDIX_TEST_THREADS), and where $PERDIX_SHUFFLE is a seed in
// random order of work, or with $PERDIX_BASELINE as any processor can: each
// frame and the whole must equal those of the codec's reference decoder, as far
// as they are known. Ends with what ran and what did not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

#include "tests/conformance/decode_run.h"
#include "tests/conformance/vectors.h"

namespace perdix {
namespace {

constexpr int kSecondsForDecoding = 300;
constexpr int kSecondsForDamaged = 60;

struct Case {
  Vector vector;
  int threads;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.vector.name << " with " << c.threads << " threads";
}

std::vector<int> ThreadCounts() {
  const char* list = std::getenv("PERDIX_TEST_THREADS");
  std::istringstream words(list ? list : "1 2 8");
  std::vector<int> counts;
  for (int count; words >> count;) counts.push_back(count);
  return counts;
}

std::vector<Case> MakeCases(const std::vector<Vector>& vectors) {
  std::vector<Case> cases;
  for (const Vector& vector : vectors) {
    for (const int threads : ThreadCounts()) cases.push_back({vector, threads});
  }
  return cases;
}

std::string CaseName(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.vector.name;
  name += "_threads_" + std::to_string(info.param.threads);
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

// Says at the end of the run what it covered.
class Coverage : public testing::Environment {
 public:
  void TearDown() override {
    std::cout << "conformance: " << exact_ << " runs equal the reference "
              << "decoder in every frame, " << survived_
              << " damaged streams survived, " << skipped_.size()
              << " streams skipped\n";
    for (const auto& [name, reason] : skipped_) {
      std::cout << "  skipped " << name << ": " << reason << "\n";
    }
  }
  void Exact() { ++exact_; }
  void Survived() { ++survived_; }
  void Skipped(const std::string& name, const std::string& reason) {
    skipped_[name] = reason;
  }

 private:
  int exact_ = 0;
  int survived_ = 0;
  std::map<std::string, std::string> skipped_;
};

Coverage* const coverage = static_cast<Coverage*>(
    testing::AddGlobalTestEnvironment(new Coverage));  // gtest owns it

// The variant that is tested.
std::string Recipe() {
  const char* const recipe = std::getenv("PERDIX_RECIPE");
  return recipe != nullptr ? recipe : "scalar";
}

// --shuffle, if it is tested.
std::string Shuffle() {
  const char* const seed = std::getenv("PERDIX_SHUFFLE");
  return seed != nullptr ? std::string(" --shuffle ") + seed : "";
}

std::string Baseline() {
  return std::getenv("PERDIX_BASELINE") != nullptr ? " --baseline" : "";
}

class VectorTest : public testing::TestWithParam<Case> {
 protected:
  // Runs perdix-decode with one kind of output.
  DecodeRun Decode(const std::string& option, int seconds) const {
    return RunDecode(option,
                     "--recipe " + Recipe() + " --threads " +
                         std::to_string(GetParam().threads) + Shuffle() +
                         Baseline(),
                     GetParam().vector.path, seconds);
  }
};

void CheckSurvives(const DecodeRun& run) {
  ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 2)
      << "exit code " << run.exit_code << "\n"
      << run.errors;
  if (run.exit_code == 2) {
    EXPECT_NE(run.errors, "") << "no reason given";
  }
  coverage->Survived();
}

// Only nodes leave profiles out.
bool MayBeRefused(const Vector& vector) {
  return !vector.for_nodes && std::getenv("PERDIX_DECODE_OPTIONS") != nullptr;
}

TEST_P(VectorTest, EqualsReferenceDecoder) {
  const Vector& vector = GetParam().vector;
  if (vector.damaged) {
    CheckSurvives(Decode("--frame-md5", kSecondsForDamaged));
    return;
  }
  DecodeRun run = Decode("--frame-md5 --md5", kSecondsForDecoding);
  if (MayBeRefused(vector) && run.exit_code == 2) {
    coverage->Skipped(vector.name, run.errors);
    GTEST_SKIP() << "unsupported: " << run.errors;
  }
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  ASSERT_FALSE(run.output.empty());
  const std::string whole_md5 = run.output.back().substr(0, 32);
  run.output.pop_back();
  if (!vector.frame_md5s.empty()) {
    ASSERT_EQ(run.output, vector.frame_md5s);
  }
  if (!vector.whole_md5.empty()) {
    ASSERT_EQ(whole_md5, vector.whole_md5);
  }
  ASSERT_FALSE(vector.frame_md5s.empty() && vector.whole_md5.empty())
      << "no MD5s to compare with";
  coverage->Exact();
}

INSTANTIATE_TEST_SUITE_P(Vp9Clips, VectorTest,
                         testing::ValuesIn(MakeCases(Clips("vp9"))), CaseName);
INSTANTIATE_TEST_SUITE_P(Av1Clips, VectorTest,
                         testing::ValuesIn(MakeCases(Clips("av1"))), CaseName);
INSTANTIATE_TEST_SUITE_P(Vp9Vectors, VectorTest,
                         testing::ValuesIn(MakeCases(Vectors("vp9"))),
                         CaseName);
INSTANTIATE_TEST_SUITE_P(Av1Vectors, VectorTest,
                         testing::ValuesIn(MakeCases(Vectors("av1"))),
                         CaseName);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(VectorTest);

class VectorFolderTest : public testing::TestWithParam<const char*> {};

TEST_P(VectorFolderTest, HoldsVectors) {
  if (Vectors(GetParam()).empty()) {
    const std::string reason = "no INDEX.tsv in " + VectorFolder();
    coverage->Skipped("all conformance vectors of " + std::string(GetParam()),
                      reason);
    GTEST_SKIP() << reason;
  }
}

INSTANTIATE_TEST_SUITE_P(Vp9Vectors, VectorFolderTest, testing::Values("vp9"));
INSTANTIATE_TEST_SUITE_P(Av1Vectors, VectorFolderTest, testing::Values("av1"));

}  // namespace
}  // namespace perdix
