// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/config.h"

#include <gtest/gtest.h>
#include <sysexits.h>
#include <syslog.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace perdix {
namespace {

class ConfigTest : public ::testing::Test {
 protected:
  // Reads a file with that text and these arguments.
  std::optional<int> Read(const std::string& file,
                          std::vector<const char*> arguments) {
    const std::string path =
        ::testing::TempDir() + "perdixd_" + std::to_string(getpid()) + ".conf";
    std::ofstream(path) << file;
    arguments.insert(arguments.begin(), {"perdixd", "--config", path.c_str()});
    const auto exit_code = ReadConfig(static_cast<int>(arguments.size()),
                                      arguments.data(), &config_);
    remove(path.c_str());
    return exit_code;
  }

  Config config_;
};

TEST_F(ConfigTest, HasDefaults) {
  EXPECT_EQ(Read("", {}), std::nullopt);
  EXPECT_EQ(config_.device, "/dev/perdix");
  EXPECT_EQ(config_.engine.threads, 0);
  EXPECT_EQ(config_.engine.gpu.device, "");
  EXPECT_EQ(config_.engine.gpu.cache_file, "/var/cache/perdix/pipelines");
  EXPECT_EQ(config_.log_priority, LOG_INFO);
  EXPECT_FALSE(config_.foreground);
  EXPECT_EQ(config_.engine.self_check, 0u);
  EXPECT_FALSE(config_.engine.watch.on);
  EXPECT_FALSE(config_.watch.on);
  EXPECT_FALSE(config_.checksum);
  EXPECT_TRUE(config_.dbus);
  EXPECT_EQ(config_.metrics, "");
  EXPECT_EQ(config_.limits.sessions, 1024u);
  EXPECT_EQ(config_.limits.client_sessions, 64u);
  EXPECT_EQ(config_.limits.client_memory, 8192u);
  EXPECT_EQ(config_.limits.buffers, 32768u);
  EXPECT_EQ(config_.limits.client_buffers, 4096u);
}

TEST_F(ConfigTest, ReadsTheFile) {
  EXPECT_EQ(
      Read("device = /dev/other\nthreads = 3\nlog-level = debug\n"
           "recipe = a=scalar,b=simd\nself_check = 100\n"
           "motion = yes\nchecksum = yes\ndbus = no\nmetrics = /run/perdix/m\n",
           {}),
      std::nullopt);
  EXPECT_FALSE(config_.dbus);
  EXPECT_EQ(config_.metrics, "/run/perdix/m");
  EXPECT_EQ(config_.engine.self_check, 100u);
  EXPECT_TRUE(config_.engine.watch.on);
  EXPECT_TRUE(config_.checksum);
  EXPECT_EQ(config_.device, "/dev/other");
  EXPECT_EQ(config_.engine.threads, 3);
  EXPECT_EQ(config_.log_priority, LOG_DEBUG);
}

TEST_F(ConfigTest, ReadsWhatTheWatchLooksFor) {
  EXPECT_EQ(Read("watch = yes\nfreeze-seconds = 5\nfreeze-difference = 0.5\n"
                 "black-seconds = 1.5\nblack-level = 20\nblack-ratio = 0.9\n",
                 {}),
            std::nullopt);
  EXPECT_TRUE(config_.watch.on);
  EXPECT_TRUE(config_.engine.watch.on);
  EXPECT_EQ(config_.watch.freeze_seconds, 5);
  EXPECT_EQ(config_.watch.freeze_difference, 0.5);
  EXPECT_EQ(config_.watch.black_seconds, 1.5);
  EXPECT_EQ(config_.engine.watch.black_level, 20u);
  EXPECT_EQ(config_.watch.black_ratio, 0.9);
  EXPECT_FALSE(config_.engine.self_check);
}

TEST_F(ConfigTest, RefusesWhatTheWatchCannotLookFor) {
  for (const char* line :
       {"freeze-seconds = 0", "freeze-seconds = 3601", "black-seconds = -1",
        "freeze-difference = 256", "freeze-difference = -0.1",
        "black-level = 255", "black-level = -1", "black-ratio = 1.1",
        "black-ratio = many"})
    EXPECT_NE(Read(std::string(line) + "\n", {}), std::nullopt) << line;
}

TEST_F(ConfigTest, KnowsWhoChoosesTheRecipe) {
  EXPECT_EQ(Read("", {}), std::nullopt);
  EXPECT_TRUE(config_.auto_recipe);
  EXPECT_TRUE(config_.calibrate);
  EXPECT_EQ(config_.recipes, "/var/lib/perdix/recipes");
  EXPECT_EQ(
      Read("recipe = a=scalar,b=simd\ncalibrate = no\nrecipes = /r\n", {}),
      std::nullopt);
  EXPECT_FALSE(config_.auto_recipe);
  EXPECT_FALSE(config_.calibrate);
  EXPECT_EQ(config_.recipes, "/r");
}

TEST_F(ConfigTest, ReadsARecipeInQuotes) {
  EXPECT_EQ(Read("recipe = \"a=scalar,b=simd\"\n", {}), std::nullopt);
}

TEST_F(ConfigTest, PrefersTheCommandLine) {
  EXPECT_EQ(Read("threads = 3\n", {"--threads", "5", "--foreground"}),
            std::nullopt);
  EXPECT_EQ(config_.engine.threads, 5);
  EXPECT_TRUE(config_.foreground);
}

TEST_F(ConfigTest, ShipsAFileThatNamesEveryOptionAndItsDefault) {
  std::ifstream stream(PERDIXD_CONF);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(Read(text, {}), std::nullopt);
  for (const std::string option :
       {"device = /dev/perdix", "threads = 0", "recipe = auto", "gpu = \"\"",
        "gpu-aim = speed", "gpu-cache = /var/cache/perdix/pipelines",
        "self_check = 0", "motion = no", "calibrate = yes",
        "recipes = /var/lib/perdix/recipes", "dbus = yes", "metrics = \"\"",
        "sessions = 1024", "client-sessions = 64", "buffers = 32768",
        "client-buffers = 4096", "client-memory = 8192", "log-level = info"}) {
    const size_t at = text.find("\n#" + option + "\n");
    ASSERT_NE(at, std::string::npos) << option;
    text.erase(at + 1, 1);  // the line now counts
  }
  EXPECT_EQ(Read(text, {}), std::nullopt);
  EXPECT_EQ(config_.device, "/dev/perdix");
  EXPECT_EQ(config_.engine.gpu.device, "");
  EXPECT_EQ(config_.engine.gpu.cache_file, "/var/cache/perdix/pipelines");
  EXPECT_EQ(config_.log_priority, LOG_INFO);
}

TEST_F(ConfigTest, ReadsTheGpu) {
  EXPECT_EQ(Read("gpu = V3D 7.1\ngpu-cache = \"\"\n", {}), std::nullopt);
  EXPECT_EQ(config_.engine.gpu.device, "V3D 7.1");
  EXPECT_EQ(config_.engine.gpu.cache_file, "");
}

TEST_F(ConfigTest, ReadsTheLimits) {
  EXPECT_EQ(Read("sessions = 9\nclient-sessions = 3\nclient-memory = 5\n"
                 "buffers = 7\nclient-buffers = 6\n",
                 {}),
            std::nullopt);
  EXPECT_EQ(config_.limits.sessions, 9u);
  EXPECT_EQ(config_.limits.client_sessions, 3u);
  EXPECT_EQ(config_.limits.client_memory, 5u);
  EXPECT_EQ(config_.limits.buffers, 7u);
  EXPECT_EQ(config_.limits.client_buffers, 6u);
}

TEST_F(ConfigTest, TakesTestHooksFromTheCommandLineOnly) {
  EXPECT_EQ(Read("", {"--lose-gpu-at", "3", "--refuse-dma-bufs"}),
            std::nullopt);
  EXPECT_EQ(config_.engine.gpu.test_hooks.lose_at_submit, 3u);
  EXPECT_TRUE(config_.engine.gpu.test_hooks.refuse_dma_bufs);
  EXPECT_EQ(Read("lose-gpu-at = 3\n", {}), EX_CONFIG);
  EXPECT_EQ(Read("refuse-dma-bufs = true\n", {}), EX_CONFIG);
}

TEST_F(ConfigTest, RefusesABadFile) {
  EXPECT_EQ(Read("no-such-option = 1\n", {}), EX_CONFIG);
  EXPECT_EQ(Read("foreground = true\n", {}), EX_CONFIG);
  EXPECT_EQ(Read("recipe = nonsense\n", {}), EX_CONFIG);
}

TEST_F(ConfigTest, RefusesABadCommandLine) {
  EXPECT_EQ(Read("", {"--no-such-option"}), EX_USAGE);
  EXPECT_EQ(Read("", {"--threads", "-1"}), EX_USAGE);
  EXPECT_EQ(Read("", {"--device", ""}), EX_USAGE);
  EXPECT_EQ(Read("", {"--recipe", ""}), EX_USAGE);
  EXPECT_EQ(Read("", {"--recipes", ""}), EX_USAGE);
  EXPECT_EQ(Read("", {"--gpu", ""}), std::nullopt);
  EXPECT_EQ(Read("", {"--threads", "1000000"}), EX_USAGE);
  EXPECT_EQ(Read("", {"--log-level", "loud"}), EX_USAGE);
  EXPECT_EQ(Read("", {"--client-sessions", "0"}), EX_USAGE);
}

TEST_F(ConfigTest, RefusesAFileThatIsNamedAndAbsent) {
  const char* arguments[] = {"perdixd", "--config", "/nonexistent.conf"};
  EXPECT_EQ(ReadConfig(3, arguments, &config_), EX_CONFIG);
}

TEST_F(ConfigTest, EndsWellAfterVersionAndHelp) {
  EXPECT_EQ(Read("", {"--version"}), EX_OK);
  EXPECT_EQ(Read("", {"--help"}), EX_OK);
}

}  // namespace
}  // namespace perdix
