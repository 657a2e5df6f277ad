// SPDX-License-Identifier: BSD-2-Clause
// What the daemon tells its operator and does for him, whoever asks (D-Bus,
// metrics). Belongs to the event loop's thread.
#ifndef PERDIX_DAEMON_CONTROL_H_
#define PERDIX_DAEMON_CONTROL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "daemon/calibration.h"
#include "daemon/log.h"
#include "daemon/node.h"
#include "daemon/recipe_setter.h"
#include "daemon/statistics.h"
#include "engine/decoder.h"
#include "engine/engine.h"

namespace perdix {

// The daemon at one moment. A copy: any thread may read it.
struct Snapshot {
  struct Session {
    uint32_t id = 0;
    SessionStatistics counted;
    double fps = 0;
    StreamCounters stream;  // since the last reset
    uint64_t private_bytes = 0;
  };

  bool connected = false;
  std::string module_version;  // like the next two, empty: not known
  std::string video_node;
  std::string media_node;
  int threads = 0;
  size_t frames_in_flight = 0;  // of a session
  vulkan::GpuIdentity gpu;      // no name: none is in use
  const char* gpu_state = "";
  Recipe recipe;
  CpuFrames cpu_frames;
  const char* recipe_source = "";
  const char* calibration_state = "";
  std::string calibration_message;
  const char* log_level = "";

  bool watch = false;  // what sessions show
  uint64_t since_usec = 0;
  uint64_t sessions_opened = 0;
  FrameCounts frames;
  LatencyHistogram latency;
  size_t buffers = 0;
  uint64_t buffer_imports = 0;
  uint64_t private_bytes = 0;  // pictures beside the clients'
  EngineCounters engine;
  std::vector<StageTime> stages;
  std::vector<Session> sessions;  // open
};

// How the operator is told of news; each may be null, and must be quick.
struct ControlEvents {
  std::function<void(Statistics::Change)> changed;
  Statistics::WatchedFunction watched;
  std::function<void(double fraction, const std::string& step)>
      calibration_progress;
  std::function<void(bool success, const std::string& message)>
      calibration_finished;
};

class Control {
 public:
  struct Parts {  // all outlive the Control
    Engine& engine;
    Log& log;
    Statistics& statistics;
    Calibration& calibration;
    RecipeSetter& recipes;
    // Null while there is no channel.
    std::function<const Node*()> node;
    const char* recipe_source;  // at the start, as D-Bus has it
  };

  explicit Control(Parts parts);
  ~Control();

  void set_events(ControlEvents events) { events_ = std::move(events); }
  void Changed();  // something other than the statistics

  // A render node came or went. The GPU in use is lost with its node; where
  // none is in use, one is looked for again (RecipeSetter::LookForGpu).
  void GpuNodeAdded(const std::string& path);
  void GpuNodeRemoved(const std::string& path);

  Snapshot Look();
  // The checksum of what the session has shown since it was opened;
  // kUnsupported where nothing is summed.
  Status Checksum(uint32_t session, ShownChecksum* checksum) const;
  void SetRecipe(const std::string& text, RecipeSetter::Done done);
  bool Calibrate();  // false: one is running
  void ResetStatistics();
  void SetLogPriority(int priority);

  // Any thread; as of Engine.
  Status StartTrace(uint32_t frames, std::function<void(Trace)> done) {
    return parts_.engine.StartTrace(frames, std::move(done));
  }
  void EndTrace() { parts_.engine.EndTrace(); }

 private:
  // What the engine and the node counted before the last reset: Look()
  // subtracts it. Each field of EngineCounters needs its line in operator-
  // (control.cc).
  struct Baseline {
    EngineCounters engine;
    std::vector<StageTime> stages;
    uint64_t imports = 0;
    struct Stream {
      uint64_t opened_usec = 0;  // a session's number may come again
      StreamCounters counters;
    };
    std::map<uint32_t, Stream> streams;  // by session
  };

  StreamCounters StreamSinceReset(uint32_t id,
                                  const SessionStatistics& session) const;

  void FindDevices();
  void LookForGpu();

  const Parts parts_;
  ControlEvents events_;
  Baseline baseline_;
  const char* recipe_source_;
  bool gpu_removed_ = false;
  std::string module_version_;
  std::string video_node_;
  std::string media_node_;
  SteadyTime next_search_{};
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_CONTROL_H_
