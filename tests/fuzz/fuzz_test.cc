// SPDX-License-Identifier: BSD-2-Clause
// Damaged input must give failed frames, never a crash, a hang or a sanitizer
// report, and must not touch the session beside it. From the environment:
//   PERDIX_FUZZ_EFFORT  percent of all cases to run (2)
//   PERDIX_FUZZ_SEED    1
//   PERDIX_FUZZ_ONLY    the one case to run, as printed when it failed
//   PERDIX_FUZZ_SHARD, PERDIX_FUZZ_SHARDS   this process's part
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <iterator>
#include <span>

#include "client/bitstream/av1/codec.h"
#include "client/bitstream/vp9/codec.h"
#include "client/inprocess/engine_backend.h"
#include "tests/fuzz/case_watch.h"
#include "tests/fuzz/damage.h"
#include "tests/fuzz/session.h"

namespace perdix {
namespace {

constexpr int kThreads = 2;
constexpr size_t kCorruptions = 10000;      // of all clips together
constexpr size_t kControlPayloads = 10000;  // sequences of damaged controls

size_t Setting(const char* name, size_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 0);
}

class FuzzTest : public testing::Test {
 protected:
  FuzzTest() : engine_({.threads = kThreads, .recipe = {}}) { WatchCases(); }

  // Runs this process's part of `count` cases beside an intact session.
  void RunCases(size_t count, const std::function<void(size_t)>& run_case) {
    const size_t only = Setting("PERDIX_FUZZ_ONLY", SIZE_MAX);
    const size_t first =
        only == SIZE_MAX ? Setting("PERDIX_FUZZ_SHARD", 0) : only;
    const size_t step = Setting("PERDIX_FUZZ_SHARDS", 1) * 100 /
                        Setting("PERDIX_FUZZ_EFFORT", 2);
    Bystander bystander(engine_, ClipPath("odd_99x57.webm"));
    size_t ran = 0;
    for (size_t i = first; i < count && (only == SIZE_MAX || i == only);
         i += step) {
      BeginCase("PERDIX_FUZZ_SEED=" + std::to_string(seed_) +
                " PERDIX_FUZZ_ONLY=" + std::to_string(i) + " " +
                testing::UnitTest::GetInstance()->current_test_info()->name());
      run_case(i);
      ++ran;
    }
    EndCases();
    EXPECT_TRUE(bystander.Stop()) << "the session beside was not bit-exact";
    std::cout << ran << " of " << count << " cases, seed " << seed_ << ", "
              << bystander.passes() << " clips beside, " << shown_
              << " frames shown, " << failed_ << " failed\n";
  }

  void Decode(client::Backend& backend, const Packets& packets) {
    Add(DecodePackets(backend, packets));
  }
  void Add(const Outcome& outcome) {
    shown_ += size_t(outcome.shown);
    failed_ += size_t(outcome.failed);
  }
  Random CaseRandom(size_t i) const { return Random(seed_ * 1000003 + i); }

  const size_t seed_ = Setting("PERDIX_FUZZ_SEED", 1);
  Engine engine_;
  size_t shown_ = 0;
  size_t failed_ = 0;
};

// The file in memory, as a path that any library can open.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const uint8_t> bytes)
      : fd_(memfd_create("clip", MFD_CLOEXEC)) {
    if (write(fd_, bytes.data(), bytes.size()) != ssize_t(bytes.size())) {
      abort();
    }
  }
  ~MemoryFile() { close(fd_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  const int fd_;
};

TEST_F(FuzzTest, TruncatedFilesEndWithoutACrash) {
  for (const char* clip :
       {"lossless_64x48.ivf", "odd_99x57.webm", "odd_99x57.mp4"}) {
    const Bytes bytes = ReadFile(ClipPath(clip));
    RunCases(bytes.size(), [&](size_t length) {
      const MemoryFile file({bytes.data(), length});
      client::EngineBackend backend(engine_, client::vp9::kCodec, true);
      Add(DecodeFile(backend, file.path()));
    });
  }
}

// Headers of the file and of its packets, among them what has to be unpacked.
TEST_F(FuzzTest, CorruptedFilesEndWithoutACrash) {
  const Bytes clips[] = {ReadFile(ClipPath("odd_99x57.webm")),
                         ReadFile(ClipPath("zlib_176x144.mkv")),
                         ReadFile(ClipPath("resilient_176x144.ivf")),
                         ReadFile(ClipPath("odd_99x57.mp4"))};
  RunCases(kCorruptions, [&](size_t i) {
    Random random = CaseRandom(i);
    Bytes bytes = clips[random() % std::size(clips)];
    // Half the time the first headers, else anywhere.
    const size_t begin = random() & 1 ? Below(random, bytes.size()) : 0;
    DamageBytes(random, std::span(bytes).subspan(begin).first(
                            std::min<size_t>(bytes.size() - begin, 512)));
    if (random() % 4 == 0) {
      const size_t at = Below(random, bytes.size());
      const size_t count =
          Below(random, std::min<size_t>(bytes.size() - at, 64));
      bytes.erase(bytes.begin() + ptrdiff_t(at),
                  bytes.begin() + ptrdiff_t(at + count));
    }
    const MemoryFile file(bytes);
    client::EngineBackend engine(engine_, client::vp9::kCodec, true);
    GuardedBackend backend(engine);
    Add(DecodeFile(backend, file.path()));
  });
}

TEST_F(FuzzTest, CorruptedPacketsEndWithoutACrash) {
  const Packets clips[] = {ReadPackets(ClipPath("odd_99x57.webm"), 12),
                           ReadPackets(ClipPath("tiles_512x288.webm"), 4)};
  ASSERT_FALSE(clips[0].empty() || clips[1].empty());
  RunCases(kCorruptions, [&](size_t i) {
    Random random = CaseRandom(i);
    Packets packets = clips[random() & 1];
    DamagePackets(random, &packets);
    client::EngineBackend engine(engine_, client::vp9::kCodec, true);
    engine.IgnoreDamage();
    GuardedBackend backend(engine);
    Decode(backend, packets);
  });
}

TEST_F(FuzzTest, RandomControlsEndWithoutACrash) {
  const Packets clips[] = {ReadPackets(ClipPath("odd_99x57.webm"), 6),
                           ReadPackets(ClipPath("resilient_176x144.ivf"), 4)};
  ASSERT_FALSE(clips[0].empty() || clips[1].empty());
  RunCases(kControlPayloads, [&](size_t i) {
    Random random = CaseRandom(i);
    const Packets& packets = clips[random() & 1];
    client::EngineBackend engine(engine_, client::vp9::kCodec, true);
    GuardedBackend backend(engine, {.damage = &random});
    Decode(backend, packets);
  });
}

// What the specification forbids and other decoders read in different ways.
TEST_F(FuzzTest, ForbiddenAv1StreamsFail) {
  for (const char* file : {"segment_id.obu"}) {
    client::EngineBackend backend(engine_, client::av1::kCodec, true);
    const std::string path = CorpusPath("refused/" + std::string(file));
    EXPECT_GT(DecodeFile(backend, path).failed, 0) << file;
  }
}

}  // namespace
}  // namespace perdix
