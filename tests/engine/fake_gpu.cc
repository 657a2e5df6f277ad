// SPDX-License-Identifier: BSD-2-Clause
#include "tests/engine/fake_gpu.h"

#include <sys/mman.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/metrics/checksum.h"
#include "kernels/metrics/luma.h"
#include "kernels/vulkan/gpu.h"
#include "kernels/whole_frame.h"

namespace perdix {

FakeGpuSettings& FakeGpu() {
  static FakeGpuSettings settings;
  return settings;
}

namespace vulkan {
namespace {

constexpr uint64_t kStageNanoseconds = 1000;

const GpuIdentity kIdentity = {
    .name = "fake",
    .driver = "fake",
    .type = GpuType::kDiscrete,
    .node = {"/dev/dri/renderD200", "fake 1.0.0", "pci-0000:01:00.0"}};

class Memory final : public gpu::Memory {
 public:
  Memory(size_t size, bool reachable) : bytes_(size), reachable_(reachable) {}
  uint8_t* data() const override { return reachable_ ? bytes() : nullptr; }
  size_t size() const override { return bytes_.size(); }
  uint8_t* bytes() const { return bytes_.data(); }

 private:
  mutable std::vector<uint8_t> bytes_;
  const bool reachable_;
};

// The memory of a file.
class Import final : public gpu::Memory {
 public:
  Import(int fd, size_t size)
      : bytes_(static_cast<uint8_t*>(
            mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0))),
        size_(size) {}
  ~Import() override { munmap(bytes_, size_); }
  uint8_t* data() const override { return bytes_; }
  size_t size() const override { return size_; }

 private:
  uint8_t* const bytes_;
  const size_t size_;
};

uint8_t* BytesOf(const gpu::Memory& memory) {
  if (uint8_t* data = memory.data()) return data;
  return static_cast<const Memory&>(memory).bytes();
}

PictureView ViewOf(const gpu::Picture& picture) {
  PictureView view = picture.view;
  uint8_t* const bytes = BytesOf(*picture.memory);
  view.planes[kLuma].data = bytes + picture.offsets.luma_offset;
  view.planes[kChroma].data = bytes + picture.offsets.chroma_offset;
  return view;
}

KernelArgs ArgsOf(const gpu::FrameInput& input) {
  KernelArgs args;
  args.params = input.params;
  args.codec = input.codec;
  args.filter_lag = input.filter_lag;
  args.coded_planes = input.coded_planes;
  args.target = ViewOf(input.target);
  if (input.display.memory) args.display = ViewOf(input.display);
  for (size_t i = 0; i < input.references.size(); ++i) {
    if (input.references[i].memory) {
      args.references[i] = ViewOf(input.references[i]);
    }
  }
  return args;
}

// A frame's tables, copied: what is written there does not come back.
class TableCopies {
 public:
  explicit TableCopies(const FrameTables& tables) {
    for (size_t i = 0; i < kMaxTables; ++i) {
      copies_[i].assign(tables.bytes[i].begin(), tables.bytes[i].end());
    }
  }
  FrameTables View() {
    FrameTables view;
    for (size_t i = 0; i < kMaxTables; ++i) view.bytes[i] = copies_[i];
    return view;
  }

 private:
  std::array<std::vector<std::byte>, kMaxTables> copies_;
};

// submit: from 1 on.
GpuFrameResult RunStages(const gpu::FrameInput& input,
                         std::span<const KernelId> stages, uint64_t submit) {
  KernelArgs args = ArgsOf(input);
  TableCopies tables(input.tables);
  args.tables = tables.View();
  GpuFrameResult result;
  for (size_t i = 0; i < stages.size(); ++i) {
    const int kernel = int(stages[i]);
    result.nanoseconds[i] = kStageNanoseconds;
    if (kernel == FakeGpu().idle_kernel) continue;
    RunWholeFrame(stages[i],
                  RowOf(stages[i]).cpu[0][args.params->bit_depth > 8], args,
                  input.tiles);
    const PictureView& written =
        RowOf(stages[i]).picture == WrittenPicture::kDisplay ? args.display
                                                             : args.target;
    if (kernel == FakeGpu().wrong_kernel && submit >= FakeGpu().wrong_from) {
      *written.planes[args.coded_planes - 1].data ^= 1;
    }
    if (!input.checksums) continue;
    result.checksums[i] = PictureChecksum(written);
    ++FakeGpu().checksums;
  }
  if (input.sums_luma) {
    const PictureView previous =
        input.previous.memory ? ViewOf(input.previous) : PictureView();
    result.luma =
        SumLuma(args.target, input.previous.memory ? &previous : nullptr,
                input.dark_level, {0, args.target.height});
  }
  return result;
}

class Fake final : public Gpu {
 public:
  explicit Fake(const GpuOptions& options)
      : lose_at_(options.test_hooks.lose_at_submit),
        thread_([this] { Work(); }) {}
  ~Fake() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  const GpuIdentity& identity() const override { return identity_; }
  bool Ready(KernelId kernel, const FrameParams& /*params*/) override {
    FakeGpu().asked |= 1u << int(kernel);
    return FakeGpu().ready;
  }
  void WaitReady(KernelId /*kernel*/, const FrameParams& /*params*/) override {
    FakeGpu().ready = true;
  }
  bool compiling() const override { return !FakeGpu().ready; }
  bool lost() const override { return lost_; }
  void MarkRemoved() override { lost_ = true; }
  uint64_t validation_messages() const override { return 0; }
  bool Supports(KernelId kernel, const FrameParams& params) const override {
    return RowOf(kernel).HasShaderFor(params.bit_depth) &&
           int(kernel) != FakeGpu().unsupported_kernel;
  }
  Status ImportDmaBuf(int fd, size_t size, gpu::MemoryPtr* memory) override {
    if (!FakeGpu().imports) return {StatusCode::kUnsupported, "fake"};
    *memory = std::make_shared<Import>(fd, size);
    return Status::Ok();
  }
  Status Allocate(size_t size, Placement placement,
                  gpu::MemoryPtr* memory) override {
    if (placement == Placement::kShared && !FakeGpu().shares) {
      return {StatusCode::kUnsupported, "fake"};
    }
    *memory = std::make_shared<Memory>(
        size, placement == Placement::kShared || FakeGpu().reachable);
    return Status::Ok();
  }
  Status Read(const gpu::Memory& memory, size_t offset,
              std::span<uint8_t> bytes) override {
    std::memcpy(bytes.data(),
                static_cast<const Memory&>(memory).bytes() + offset,
                bytes.size());
    return Status::Ok();
  }
  uint64_t bytes_read() const override { return 0; }
  Status Write(gpu::Memory& memory, size_t offset,
               std::span<const uint8_t> bytes) override {
    std::memcpy(static_cast<Memory&>(memory).bytes() + offset, bytes.data(),
                bytes.size());
    return Status::Ok();
  }
  Status MeasureOverheads(GpuOverheads* overheads) override {
    *overheads = {};
    return Status::Ok();
  }
  std::unique_ptr<GpuFrame> NewFrame() override;
  std::unique_ptr<GpuQuality> NewQuality() override { return nullptr; }

  using Done = std::function<void(const GpuFrameResult&)>;
  struct Submission {
    gpu::FrameInput input;
    std::vector<KernelId> stages;
    Done done;
  };

  Status Submit(Submission work) {
    std::lock_guard lock(mutex_);
    if (lost_) return {StatusCode::kDeviceLost, "the fake GPU is lost"};
    if (FakeGpu().watch) FakeGpu().watch(work.input);
    queue_.push_back(std::move(work));
    if (++submits_ == lose_at_) lost_ = true;
    changed_.notify_all();
    return Status::Ok();
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const Submission submission = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      std::this_thread::sleep_for(
          std::chrono::microseconds(FakeGpu().delay_us));
      GpuFrameResult result;
      if (lost_) {
        // A real one would leave it half done, but for planes that the frame
        // does not have.
        const gpu::Picture& target = submission.input.target;
        std::memset(BytesOf(*target.memory), 0x55,
                    submission.input.coded_planes == kPlaneCount
                        ? target.memory->size()
                        : target.offsets.chroma_offset);
        result.status = {StatusCode::kDeviceLost, "the fake GPU is lost"};
      } else {
        result = RunStages(submission.input, submission.stages, ++done_);
      }
      submission.done(result);
      lock.lock();
    }
  }

  const GpuIdentity identity_ = kIdentity;
  const uint64_t lose_at_;
  uint64_t submits_ = 0;
  uint64_t done_ = 0;  // of the thread
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Submission> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

class Frame final : public GpuFrame {
 public:
  explicit Frame(Fake& gpu) : gpu_(gpu) {}
  Status Prepare(const gpu::FrameInput& input,
                 std::span<const KernelId> stages) override {
    if (FakeGpu().refuse) return {StatusCode::kUnsupported, "fake"};
    prepared_ = {input, {stages.begin(), stages.end()}, nullptr};
    if (FakeGpu().prepares) FakeGpu().prepares();
    return Status::Ok();
  }
  Status Submit(Fake::Done done) override {
    prepared_.done = std::move(done);
    return gpu_.Submit(std::move(prepared_));
  }

 private:
  Fake& gpu_;
  Fake::Submission prepared_;
};

std::unique_ptr<GpuFrame> Fake::NewFrame() {
  return std::make_unique<Frame>(*this);
}

}  // namespace

Status Gpu::Open(const GpuOptions& options, std::unique_ptr<Gpu>* gpu) {
  if (FakeGpu().absent) return {StatusCode::kUnsupported, "no fake GPU"};
  *gpu = std::make_unique<Fake>(options);
  return Status::Ok();
}

std::vector<GpuDescription> Gpu::List(const GpuOptions& /*options*/) {
  if (FakeGpu().absent) return {};
  return {{kIdentity, Status::Ok()}};
}

}  // namespace vulkan
}  // namespace perdix
