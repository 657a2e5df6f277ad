// SPDX-License-Identifier: BSD-2-Clause
// The D-Bus service, asked over a bus, against what the test fed the node.
#include <algorithm>
#include <future>
#include <set>

#include "tests/daemon/property_checks.h"

namespace perdix {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kClip = "resilient_176x144.ivf";

class DbusTest : public DbusFixture {
 protected:
  // Every property of the interface, through Properties.GetAll.
  Variants All(const std::string& path, const char* interface) {
    Variants properties;
    client_->Object(path)
        ->callMethod("GetAll")
        .onInterface(kPropertiesInterface)
        .withArguments(std::string(interface))
        .storeResultsTo(properties);
    return properties;
  }
};

TEST_F(DbusTest, CountsWhatWasFed) {
  Player player(*this, kClip);
  player.Finish();
  Settle();
  const uint32_t id = player.backend().session();
  EXPECT_EQ(Daemon<uint64_t>("FramesDecoded"), player.backend().frames());
  EXPECT_EQ(Daemon<uint64_t>("FramesFailed"), 0u);
  EXPECT_EQ(Daemon<uint64_t>("FramesDropped"), 0u);
  EXPECT_EQ(Daemon<uint64_t>("BytesIn"), player.backend().bytes());
  EXPECT_EQ(Daemon<uint32_t>("SessionsOpen"), 1u);
  EXPECT_EQ(Daemon<uint64_t>("Sessions"), 1u);
  EXPECT_EQ(Daemon<uint32_t>("Buffers"), host_->node().Totals().buffers);
  EXPECT_EQ(Daemon<uint64_t>("BufferImports"), host_->node().Totals().imports);
  EXPECT_EQ(Session<uint64_t>(id, "FramesDecoded"), player.backend().frames());
  EXPECT_EQ(Session<uint64_t>(id, "FramesFailed"), 0u);
  EXPECT_EQ(Session<uint64_t>(id, "BytesIn"), player.backend().bytes());
  EXPECT_EQ(Session<std::string>(id, "Codec"), "VP9");
  EXPECT_EQ(Session<uint32_t>(id, "Profile"), 0u);
  EXPECT_EQ(Session<uint32_t>(id, "Width"), 176u);
  EXPECT_EQ(Session<uint32_t>(id, "Height"), 144u);
  EXPECT_EQ(Session<uint32_t>(id, "BitDepth"), 8u);
}

TEST_F(DbusTest, TellsOfTheDaemon) {
  EXPECT_EQ(Daemon<std::string>("Version"), PERDIX_VERSION);
  EXPECT_TRUE(Daemon<bool>("Connected"));
  EXPECT_EQ(Daemon<uint32_t>("Threads"), 2u);
  EXPECT_EQ(Daemon<std::string>("GpuState"), "none");
  EXPECT_EQ(Daemon<std::string>("Gpu"), "");
  EXPECT_EQ(Daemon<LimitsValue>("Limits").at("FramesInFlight"), 3u);
  EXPECT_EQ(Daemon<VariantsValue>("Recipe").at("vp9_loop_filter"), "scalar");
  EXPECT_EQ(Daemon<std::string>("RecipeSource"), "configured");
  EXPECT_EQ(Daemon<std::string>("CalibrationState"), "idle");
  connected_ = false;
  Settle();
  EXPECT_FALSE(Daemon<bool>("Connected"));
  EXPECT_EQ(Daemon<uint32_t>("Buffers"), 0u);
}

TEST_F(DbusTest, TellsOfTheSession) {
  const uint64_t before = WallClockUSec();
  Player player(*this, kClip);
  player.Step();
  const uint32_t id = player.backend().session();
  ASSERT_TRUE(WaitFor([&] { return ManagedObjects().size() == 1; }));
  EXPECT_EQ(Session<uint32_t>(id, "Id"), id);
  EXPECT_EQ(Session<uint32_t>(id, "ClientPid"), kClientPid);
  EXPECT_EQ(Session<std::string>(id, "ClientName"), kClientName);
  EXPECT_GE(Session<uint64_t>(id, "OpenedUSec"), before);
  EXPECT_LE(Session<uint64_t>(id, "OpenedUSec"), WallClockUSec());
}

TEST_F(DbusTest, HasLatenciesOfEveryDecodedFrame) {
  Player player(*this, kClip);
  player.Finish();
  const uint32_t id = player.backend().session();
  Settle();
  const auto p50 = Session<uint64_t>(id, "LatencyP50USec");
  const auto p95 = Session<uint64_t>(id, "LatencyP95USec");
  const auto p99 = Session<uint64_t>(id, "LatencyP99USec");
  const auto max = Session<uint64_t>(id, "LatencyMaxUSec");
  EXPECT_GT(p50, 0u);
  EXPECT_LE(p50, p95);
  EXPECT_LE(p95, p99);
  EXPECT_LE(p99, max);
  uint64_t frames = 0;
  uint64_t last = 0;
  for (const auto& bucket : Session<BucketsValue>(id, "LatencyHistogram")) {
    EXPECT_GT(std::get<0>(bucket), last);
    last = std::get<0>(bucket);
    frames += std::get<1>(bucket);
  }
  EXPECT_EQ(frames, player.backend().frames());
  EXPECT_GE(last, max);
}

TEST_F(DbusTest, HasTheTimeInEachStage) {
  Player player(*this, kClip);
  player.Finish();
  Settle();
  std::map<std::string, uint64_t> daemon;
  for (const auto& stage : Daemon<StageTimesValue>("StageUSec"))
    daemon[std::get<0>(stage)] += std::get<2>(stage);
  std::map<std::string, uint64_t> session;
  for (const auto& stage :
       Session<StageTimesValue>(player.backend().session(), "StageUSec"))
    session[std::get<0>(stage)] += std::get<2>(stage);
  EXPECT_GT(daemon["entropy"], 0u);
  EXPECT_GT(daemon["vp9_loop_filter"], 0u);
  for (const auto& [stage, usec] : daemon)
    EXPECT_NEAR(double(session[stage]), double(usec), 2) << stage;
}

TEST_F(DbusTest, CountsDamagedFramesAsFailed) {
  Player player(*this, kClip);
  for (int i = 0; i < 5; ++i) player.Step();
  player.backend().set_truncate(1);
  player.Finish();
  const auto answers = host_->channel().answers();
  const auto failed = std::ranges::count(answers, true, &Answer::failed);
  ASSERT_GT(failed, 0);
  Settle();
  EXPECT_EQ(Daemon<uint64_t>("FramesFailed"), uint64_t(failed));
  EXPECT_EQ(Daemon<uint64_t>("FramesDecoded"), answers.size() - failed);
  EXPECT_EQ(Daemon<uint64_t>("FramesDropped"), 0u);
  EXPECT_EQ(Daemon<uint64_t>("BytesIn"), player.backend().bytes());
  EXPECT_EQ(Session<uint64_t>(player.backend().session(), "FramesFailed"),
            uint64_t(failed));
}

TEST_F(DbusTest, CountsFramesThatNobodyWaitedForAsDropped) {
  Player player(*this, kClip);
  host_->channel().set_answer_error(-ENOENT);
  player.Finish();
  Settle();
  EXPECT_EQ(Daemon<uint64_t>("FramesDropped"), player.backend().frames());
  EXPECT_EQ(Daemon<uint64_t>("FramesDecoded"), 0u);
  EXPECT_EQ(Daemon<uint64_t>("FramesFailed"), 0u);
}

TEST_F(DbusTest, KeepsTotalsOfSessionsThatAreGone) {
  uint64_t frames = 0;
  for (int i = 0; i < 3; ++i) {
    Player player(*this, "small_2x2.ivf");
    player.Finish();
    frames += player.backend().frames();
  }
  const auto [daemon, sessions] = Statistics();
  EXPECT_EQ(daemon.at("FramesDecoded").get<uint64_t>(), frames);
  EXPECT_EQ(daemon.at("Sessions").get<uint64_t>(), 3u);
  EXPECT_EQ(daemon.at("SessionsOpen").get<uint32_t>(), 0u);
  EXPECT_TRUE(sessions.empty());
}

TEST_F(DbusTest, GivesAllStatisticsAtOnce) {
  Player player(*this, kClip);
  player.Finish();
  const std::string path = SessionPath(player.backend().session());
  ASSERT_TRUE(WaitFor([&] { return ManagedObjects().size() == 1; }));
  const auto [daemon, sessions] = Statistics();
  const auto names = [](const Variants& properties) {
    std::set<std::string> result;
    for (const auto& [name, value] : properties) result.insert(name);
    return result;
  };
  EXPECT_EQ(names(daemon), names(All(kDaemonPath, kDaemonInterface)));
  ASSERT_EQ(sessions.size(), 1u);
  EXPECT_EQ(sessions.begin()->first, path);
  EXPECT_EQ(names(sessions.begin()->second),
            names(All(path, kSessionInterface)));
  EXPECT_EQ(daemon.at("FramesDecoded").get<uint64_t>(),
            player.backend().frames());
}

TEST_F(DbusTest, ShowsSessionsAsTheyComeAndGo) {
  std::vector<std::string> added;
  std::vector<std::string> removed;
  daemon_->uponSignal("InterfacesAdded")
      .onInterface("org.freedesktop.DBus.ObjectManager")
      .call([&](const sdbus::ObjectPath& path,
                const std::map<std::string, Variants>& interfaces) {
        if (interfaces.contains(kSessionInterface)) added.push_back(path);
      });
  daemon_->uponSignal("InterfacesRemoved")
      .onInterface("org.freedesktop.DBus.ObjectManager")
      .call([&](const sdbus::ObjectPath& path,
                const std::vector<std::string>&) { removed.push_back(path); });
  bus::BeginSignals(*daemon_);
  std::string path;
  {
    Player player(*this, kClip);
    player.Step();
    path = SessionPath(player.backend().session());
    client_->Process(milliseconds(300));
    EXPECT_EQ(added, std::vector{path});
    EXPECT_TRUE(removed.empty());
    EXPECT_EQ(ManagedObjects(), std::vector{path});
    player.Finish();
  }
  client_->Process(milliseconds(300));
  EXPECT_EQ(removed, std::vector{path});
  EXPECT_TRUE(ManagedObjects().empty());
  EXPECT_EQ(ErrorOf([&] { Session<uint32_t>(1, "Id"); }),
            "org.freedesktop.DBus.Error.UnknownObject");
}

TEST_F(DbusTest, SurvivesSessionsThatAreGoneAtOnce) {
  for (uint32_t id = 1; id <= 1000; ++id) {
    for (const uint32_t type :
         {PERDIX_EVENT_SESSION_NEW, PERDIX_EVENT_SESSION_GONE}) {
      const Lock lock(mutex_);
      ChannelEvent event;
      event.event.type = type;
      event.event.session = id;
      host_->channel().Send(std::move(event));
      host_->Pump();
      calls_.Run();  // somewhere between the two, now and then
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  Settle();
  EXPECT_EQ(Daemon<uint64_t>("Sessions"), 1000u);
  EXPECT_TRUE(WaitFor([&] { return ManagedObjects().empty(); }));
}

TEST_F(DbusTest, AnnouncesAtMostFourTimesASecondAndThenNoMore) {
  Player player(*this, kClip);
  player.Step();
  ASSERT_TRUE(WaitFor([&] { return ManagedObjects().size() == 1; }));
  const ProxyPtr session =
      client_->Object(SessionPath(player.backend().session()));
  std::map<const sdbus::IProxy*, std::vector<Variants>> news;
  for (sdbus::IProxy* object : {daemon_.get(), session.get()}) {
    object->uponSignal("PropertiesChanged")
        .onInterface(kPropertiesInterface)
        .call([&news, object](const std::string&, const Variants& changed,
                              const std::vector<std::string>& invalidated) {
          EXPECT_TRUE(invalidated.empty());
          news[object].push_back(changed);
        });
    bus::BeginSignals(*object);
  }
  const auto start = steady_clock::now();
  while (steady_clock::now() - start < milliseconds(2000)) {
    if (!player.Step()) break;
    client_->Process(milliseconds(20));
  }
  const auto played = steady_clock::now() - start;
  player.Finish();
  const auto most = size_t(played / milliseconds(250)) + 2;
  for (const auto& [object, signals] : news) {
    EXPECT_GE(signals.size(), 2u);
    EXPECT_LE(signals.size(), most);
    for (const Variants& changed : signals) {
      EXPECT_FALSE(changed.empty());
      EXPECT_FALSE(changed.contains("LatencyHistogram"));
      EXPECT_FALSE(changed.contains("Version"));
      EXPECT_FALSE(changed.contains("ClientPid"));
    }
  }
  EXPECT_EQ(news.size(), 2u);
  // Until the frame rate is 0 there is something to tell.
  client_->Process(milliseconds(2700));
  EXPECT_EQ(Session<double>(player.backend().session(), "Fps"), 0);
  news.clear();
  client_->Process(milliseconds(1000));
  EXPECT_TRUE(news.empty()) << "nobody decodes";
}

TEST_F(DbusTest, ResetsStatistics) {
  Player player(*this, kClip);
  for (int i = 0; i < 5; ++i) player.Step();
  player.Settle();
  const uint64_t before = WallClockUSec();
  daemon_->callMethod("ResetStatistics").onInterface(kDaemonInterface);
  const auto [daemon, sessions] = Statistics();
  EXPECT_EQ(Counters(daemon, true), Names());
  EXPECT_GE(daemon.at("StatisticsSince").get<uint64_t>(), before);
  ASSERT_EQ(sessions.size(), 1u) << "the list stays";
  const Variants& session = sessions.begin()->second;
  EXPECT_EQ(Counters(session, true), Names());
  EXPECT_EQ(session.at("Width").get<uint32_t>(), 176u);
}

TEST_F(DbusTest, SetsTheRecipe) {
  VariantsValue result;
  const auto set = [&](const std::string& text) {
    result.clear();
    daemon_->callMethod("SetRecipe")
        .onInterface(kDaemonInterface)
        .withArguments(text)
        .storeResultsTo(result);
  };
  set("simd");
  EXPECT_EQ(result.at("vp9_loop_filter"), "simd");
  EXPECT_EQ(Daemon<VariantsValue>("Recipe"), result);
  EXPECT_EQ(Daemon<std::string>("RecipeSource"), "set");
  set("vp9_loop_filter=scalar");
  EXPECT_EQ(result.at("vp9_loop_filter"), "scalar");
  EXPECT_EQ(result.at("vp9_intra_pred"), "simd") << "over the one in use";
  EXPECT_TRUE(host_->engine().recipe().ToString().starts_with(
      "vp9_inter_pred=simd,vp9_inverse_transform=simd,"
      "vp9_intra_pred=simd,vp9_loop_filter=scalar"));
  for (const std::string bad :
       {"", "nonsense", "vp9_loop_filter=fast", "x=simd"})
    EXPECT_EQ(ErrorOf([&] { set(bad); }), kInvalidArgs) << bad;
  set("auto");
  EXPECT_EQ(result.at("vp9_loop_filter"), "simd") << "nothing is stored";
}

// The first recipe that uses the GPU opens it; there is none, and finding that
// out takes as long as the test wants.
class DbusGpuTest : public DbusTest {
 protected:
  struct Reply {
    std::string error;
    std::string message;
  };

  EngineOptions Options() const override {
    EngineOptions options = DbusFixture::Options();
    options.gpu.device = "no such device";
    options.notice = [this](const std::string&) {
      opening_ = true;
      for (int i = 0; held_ && i < 500; ++i)
        std::this_thread::sleep_for(milliseconds(10));
    };
    return options;
  }
  // On a connection of its own.
  static std::future<Reply> SetRecipe(const std::string& text) {
    return std::async(std::launch::async, [=]() -> Reply {
      try {
        BusClient()
            .Object(kDaemonPath)
            ->callMethod("SetRecipe")
            .onInterface(kDaemonInterface)
            .withTimeout(std::chrono::seconds(60))
            .withArguments(text);
        return {};
      } catch (const sdbus::Error& error) {
        return {error.getName(), error.getMessage()};
      }
    });
  }

  mutable std::atomic<bool> opening_{false};
  mutable std::atomic<bool> held_{false};
};

TEST_F(DbusTest, OpensTheGpuForTheFirstRecipeThatUsesIt) {
  EXPECT_EQ(Daemon<std::string>("GpuState"), "none");
  const std::string error = ErrorOf([&] {
    daemon_->callMethod("SetRecipe")
        .onInterface(kDaemonInterface)
        .withTimeout(std::chrono::seconds(60))
        .withArguments(std::string("vp9_loop_filter=vulkan"));
  });
  if (error == kInvalidArgs) GTEST_SKIP() << "no Vulkan device here";
  EXPECT_EQ(error, "");
  EXPECT_NE(Daemon<std::string>("GpuState"), "none");
  EXPECT_NE(Daemon<std::string>("Gpu"), "");
  EXPECT_NE(Daemon<std::string>("GpuDriver"), "");
  EXPECT_EQ(Daemon<VariantsValue>("Recipe").at("vp9_loop_filter"), "vulkan");
  EXPECT_EQ(Daemon<std::string>("RecipeSource"), "set");
  EXPECT_EQ(Daemon<LimitsValue>("Limits").at("FramesInFlight"), 3u);
}

TEST_F(DbusGpuTest, RefusesRecipesOfAGpuThatIsNotThere) {
  for (const std::string text : {"vulkan", "vp9_loop_filter=vulkan"}) {
    const Reply reply = SetRecipe(text).get();
    EXPECT_EQ(reply.error, kInvalidArgs);
    EXPECT_NE(reply.message.find("vp9_loop_filter=vulkan"), std::string::npos)
        << reply.message;
    EXPECT_NE(reply.message.find("scalar, simd"), std::string::npos)
        << reply.message;
  }
  Settle();
  EXPECT_EQ(Daemon<VariantsValue>("Recipe").at("vp9_loop_filter"), "scalar");
  EXPECT_EQ(Daemon<std::string>("RecipeSource"), "configured");
  EXPECT_EQ(SetRecipe("simd").get().error, "");
}

TEST_F(DbusGpuTest, HoldsUpNobodyWhileItLooksForTheGpu) {
  held_ = true;
  auto vulkan = SetRecipe("vulkan");
  ASSERT_TRUE(WaitFor([&] { return opening_.load(); }));
  EXPECT_EQ(SetRecipe("simd").get().error, kBusy);
  const auto start = steady_clock::now();
  Player player(*this, kClip);
  player.Finish();
  Settle();
  EXPECT_EQ(Daemon<uint64_t>("FramesDecoded"), player.backend().frames());
  EXPECT_LT(steady_clock::now() - start, milliseconds(4000));
  held_ = false;
  EXPECT_EQ(vulkan.get().error, kInvalidArgs);
  EXPECT_EQ(SetRecipe("simd").get().error, "");
  EXPECT_EQ(Daemon<VariantsValue>("Recipe").at("vp9_loop_filter"), "simd");
}

TEST_F(DbusGpuTest, EndsWhileItLooksForTheGpu) {
  held_ = true;
  auto reply = SetRecipe("vulkan");
  ASSERT_TRUE(WaitFor([&] { return opening_.load(); }));
  StopLoop();
  calls_.Close();
  service_.reset();
  held_ = false;
  EXPECT_NE(reply.get().error, "");
}

TEST_F(DbusTest, SetsTheLogLevel) {
  const auto set = [&](const std::string& level) {
    daemon_->callMethod("SetLogLevel")
        .onInterface(kDaemonInterface)
        .withArguments(level);
  };
  for (const std::string level : {"error", "warning", "notice", "info"}) {
    set(level);
    EXPECT_EQ(Daemon<std::string>("LogLevel"), level);
  }
  for (const std::string bad : {"", "loud", "INFO"})
    EXPECT_EQ(ErrorOf([&] { set(bad); }), kInvalidArgs) << bad;
  set("error");
}

TEST_F(DbusTest, AnswersMalformedCallsWithErrors) {
  const auto error = [&](const char* method, const auto&... arguments) {
    return ErrorOf([&] {
      daemon_->callMethod(method)
          .onInterface(kDaemonInterface)
          .withArguments(arguments...);
    });
  };
  const std::string text = "info";
  EXPECT_EQ(error("SetRecipe"), kInvalidArgs);
  EXPECT_EQ(error("SetRecipe", uint32_t{1}), kInvalidArgs);
  EXPECT_EQ(error("SetLogLevel", text, text), kInvalidArgs);
  EXPECT_EQ(error("Trace", uint32_t{1}), kInvalidArgs);
  EXPECT_EQ(error("NoSuchMethod"), "org.freedesktop.DBus.Error.UnknownMethod");
  EXPECT_EQ(ErrorOf([&] { Daemon<uint32_t>("NoSuchProperty"); }),
            "org.freedesktop.DBus.Error.UnknownProperty");
  EXPECT_EQ(ErrorOf([&] {
              daemon_->setProperty("LogLevel")
                  .onInterface(kDaemonInterface)
                  .toValue(std::string("debug"));
            }),
            "org.freedesktop.DBus.Error.PropertyReadOnly");
  EXPECT_EQ(Daemon<std::string>("Version"), PERDIX_VERSION) << "it lives";
}

TEST_F(DbusTest, AnswersCallsOfWhatIsNotThereWithErrors) {
  Player player(*this, kClip);
  player.Step();
  const std::string session = SessionPath(player.backend().session());
  ASSERT_TRUE(WaitFor([&] { return ManagedObjects().size() == 1; }));
  const auto get = [&](const std::string& path, const std::string& interface,
                       const std::string& property) {
    return ErrorOf([&] {
      client_->Object(path)->getProperty(property).onInterface(interface);
    });
  };
  constexpr const char* kUnknownObject =
      "org.freedesktop.DBus.Error.UnknownObject";
  EXPECT_EQ(get("/", kDaemonInterface, "Version"), kUnknownObject);
  EXPECT_EQ(get("/no/such", kDaemonInterface, "Version"), kUnknownObject);
  EXPECT_EQ(get(SessionPath(4294967295u), kSessionInterface, "Id"),
            kUnknownObject);
  EXPECT_EQ(get(session, kSessionInterface, "NoSuchProperty"),
            "org.freedesktop.DBus.Error.UnknownProperty");
  for (const auto& [path, interface] :
       {std::pair<std::string, std::string>(kDaemonPath, "no.such.Interface"),
        {kDaemonPath, kSessionInterface},
        {session, kDaemonInterface}}) {
    const std::string error = get(path, interface, "Version");
    EXPECT_EQ(error.rfind("org.freedesktop.DBus.Error.Unknown", 0), 0u)
        << path << ' ' << interface << ": " << error;
  }
  EXPECT_EQ(ErrorOf([&] {
              client_->Object(session)
                  ->callMethod("ResetStatistics")
                  .onInterface(kSessionInterface);
            }),
            "org.freedesktop.DBus.Error.UnknownMethod");
  EXPECT_EQ(ErrorOf([&] {
              client_->Object(session)
                  ->setProperty("FramesDecoded")
                  .onInterface(kSessionInterface)
                  .toValue(uint64_t{1});
            }),
            "org.freedesktop.DBus.Error.PropertyReadOnly");
  player.Finish();
}

// While a stream is decoded, as fast as they are answered.
TEST_F(DbusTest, DecodesWhileItRefusesWhatIsHuge) {
  const std::string huge(4 << 20, 'x');
  std::atomic<bool> ending{false};
  auto errors = std::async(std::launch::async, [&] {
    std::set<std::string> seen;
    BusClient client;
    const ProxyPtr daemon = client.Object(kDaemonPath);
    do {
      for (const auto* method : {"SetRecipe", "SetLogLevel"}) {
        for (const std::string& text :
             {huge, "vp9_loop_filter=" + huge, std::string(1 << 20, ',')}) {
          try {
            daemon->callMethod(method)
                .onInterface(kDaemonInterface)
                .withTimeout(std::chrono::seconds(60))
                .withArguments(text);
            seen.insert("none");
          } catch (const sdbus::Error& error) {
            seen.insert(error.getName());
            EXPECT_LT(error.getMessage().size(), 200u) << method;
          }
        }
      }
    } while (!ending);
    return seen;
  });
  Player player(*this, kClip);
  player.Finish();
  ending = true;
  EXPECT_EQ(player.playback().failures(), 0);
  EXPECT_EQ(errors.get(), std::set<std::string>{kInvalidArgs});
  Settle();
  EXPECT_EQ(Daemon<uint64_t>("FramesDecoded"), player.backend().frames());
  EXPECT_EQ(Daemon<std::string>("RecipeSource"), "configured");
}

TEST_F(DbusTest, ComesBackWithTheBus) {
  daemon_.reset();
  client_.reset();
  bus_->Stop();
  Player player(*this, kClip);
  player.Finish();
  EXPECT_EQ(player.playback().failures(), 0) << "decodes without a bus";
  bus_->Start();
  ASSERT_TRUE(WaitFor([&] { return Serves(); }));
  client_.emplace();
  daemon_ = client_->Object(kDaemonPath);
  EXPECT_EQ(Daemon<uint64_t>("FramesDecoded"), player.backend().frames());
  EXPECT_EQ(ManagedObjects(),
            std::vector{SessionPath(player.backend().session())});
}

}  // namespace
}  // namespace perdix
