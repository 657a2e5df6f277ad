// SPDX-License-Identifier: BSD-2-Clause
#include "client/container/avformat_file.h"

#include <dlfcn.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

extern "C" {
#include <libavformat/avformat.h>
}

namespace perdix::client {
namespace {

constexpr const char* kLibrary =
    "libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR);
// Containers in one file. Of others libavformat would follow the addresses in a
// playlist or a session description.
constexpr char kFormats[] = "mov,mp4,m4a,3gp,3g2,mj2";
// The largest piece of memory that libavformat may ask for: a header can claim
// an index of any size. 24 bytes for each of 11 million packets.
constexpr size_t kMaxAllocation = size_t{256} << 20;
constexpr int kIoBytes = 32 << 10;

// What is called of libavformat and of the libraries that it brings.
#define PERDIX_AV_FUNCTIONS(FUNCTION) \
  FUNCTION(av_free)                   \
  FUNCTION(av_log_set_level)          \
  FUNCTION(av_malloc)                 \
  FUNCTION(av_max_alloc)              \
  FUNCTION(av_packet_alloc)           \
  FUNCTION(av_packet_free)            \
  FUNCTION(av_packet_unref)           \
  FUNCTION(av_read_frame)             \
  FUNCTION(av_strdup)                 \
  FUNCTION(av_strerror)               \
  FUNCTION(avcodec_get_name)          \
  FUNCTION(avformat_alloc_context)    \
  FUNCTION(avformat_close_input)      \
  FUNCTION(avformat_open_input)       \
  FUNCTION(avio_alloc_context)        \
  FUNCTION(avio_context_free)

struct Library {
#define PERDIX_AV_MEMBER(name) decltype(&::name) name = nullptr;
  PERDIX_AV_FUNCTIONS(PERDIX_AV_MEMBER)
#undef PERDIX_AV_MEMBER
  std::string failure;  // empty: all of them are there

  Library() {
    void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      failure = dlerror();
      return;
    }
#define PERDIX_AV_FIND(name) Find(library, #name, &name);
    PERDIX_AV_FUNCTIONS(PERDIX_AV_FIND)
#undef PERDIX_AV_FIND
    if (!failure.empty()) return;
    av_log_set_level(AV_LOG_QUIET);  // a Status says it
    av_max_alloc(kMaxAllocation);
  }

 private:
  template <typename Function>
  void Find(void* library, const char* name, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(library, name));
    if (*function == nullptr) failure = std::string("no ") + name;
  }
};

// Loaded once, and never let go: its libraries leave threads and memory behind.
const Library& Av() {
  static const Library library;
  return library;
}

std::string ErrorText(int error) {
  char text[AV_ERROR_MAX_STRING_SIZE];
  Av().av_strerror(error, text, sizeof(text));
  return text;
}

// ---- the file, as libavformat reads it ----

int Read(void* file, uint8_t* bytes, int size) {
  const size_t got =
      std::fread(bytes, 1, size_t(size), static_cast<std::FILE*>(file));
  return got > 0 ? int(got) : AVERROR_EOF;
}

int64_t Seek(void* opaque, int64_t offset, int whence) {
  std::FILE* const file = static_cast<std::FILE*>(opaque);
  if (whence != AVSEEK_SIZE) {
    return fseeko(file, offset, whence & ~AVSEEK_FORCE) == 0 ? ftello(file)
                                                             : AVERROR(EIO);
  }
  const off_t here = ftello(file);
  if (fseeko(file, 0, SEEK_END) != 0) return AVERROR(EIO);
  const off_t size = ftello(file);
  return fseeko(file, here, SEEK_SET) == 0 ? size : AVERROR(EIO);
}

bool CanSeek(std::FILE* file) { return fseeko(file, 0, SEEK_CUR) == 0; }

// A file that names others does not get them.
int RefuseToOpen(AVFormatContext*, AVIOContext**, const char*, int,
                 AVDictionary**) {
  return AVERROR(EPERM);
}

// ---- its streams and packets ----

// Sample entries of Dolby Vision, whose pictures need more than a decoder of
// their codec: whether libavformat knows them as AV1 or HEVC depends on its
// age.
constexpr std::string_view kDolbyVision[] = {"dav1", "dva1", "dvav", "dvh1",
                                             "dvhe"};

// What MP4 calls the stream, where libavformat has no better name.
std::string NameStream(const AVCodecParameters& parameters) {
  std::string entry;  // four characters
  for (int i = 0; i < 4; ++i) entry += char(parameters.codec_tag >> 8 * i);
  if (std::ranges::count(kDolbyVision, entry) > 0) {
    return "Dolby Vision (" + entry + ")";
  }
  if (entry == "encv") return "encrypted video (encv)";
  const bool known = parameters.codec_id != AV_CODEC_ID_NONE;
  return known || parameters.codec_tag == 0
             ? Av().avcodec_get_name(parameters.codec_id)
             : entry;
}

bool IsEncrypted(const AVPacket& packet) {
  const std::span side(packet.side_data, size_t(packet.side_data_elems));
  return std::ranges::any_of(side, [](const AVPacketSideData& data) {
    return data.type == AV_PKT_DATA_ENCRYPTION_INFO;
  });
}

class Parser : public AvformatFile {
 public:
  explicit Parser(InputFile file) : file_(std::move(file)) {}
  ~Parser() override {
    Av().avformat_close_input(&format_);
    if (io_ != nullptr) Av().av_free(io_->buffer);
    Av().avio_context_free(&io_);
  }

  Status Open();
  Status Next(Packet* packet, bool* end) override;
  const ClientCodec& codec() const override { return *codec_; }
  FrameRate frame_rate() const override;

 private:
  void FindStream();

  const InputFile file_;
  AVIOContext* io_ = nullptr;
  AVFormatContext* format_ = nullptr;
  const ClientCodec* codec_ = nullptr;
  const AVStream* stream_ = nullptr;
  std::string found_;  // codecs of other streams
  bool first_ = true;  // no packet was given yet
};

Status Parser::Open() {
  auto* const buffer = static_cast<uint8_t*>(Av().av_malloc(kIoBytes));
  io_ = Av().avio_alloc_context(buffer, kIoBytes, 0, file_.get(), &Read,
                                nullptr, &Seek);
  format_ = Av().avformat_alloc_context();
  if (io_ == nullptr || format_ == nullptr) throw std::bad_alloc();
  io_->seekable = CanSeek(file_.get()) ? AVIO_SEEKABLE_NORMAL : 0;
  format_->pb = io_;
  format_->io_open = &RefuseToOpen;
  format_->format_whitelist = Av().av_strdup(kFormats);
  // Packets as they lie in the file.
  format_->flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN;
  const int error =
      Av().avformat_open_input(&format_, nullptr, nullptr, nullptr);
  if (error < 0) {
    return InvalidFile("cannot open: MP4 is damaged: " + ErrorText(error));
  }
  FindStream();
  if (codec_ == nullptr) return UnknownCodec(found_, &ClientCodec::libavformat);
  return Status::Ok();
}

void Parser::FindStream() {
  for (AVStream* stream : std::span(format_->streams, format_->nb_streams)) {
    const std::string name = NameStream(*stream->codecpar);
    const ClientCodec* const codec =
        FindClientCodec(&ClientCodec::libavformat, name);
    if (codec != nullptr && codec_ == nullptr) {
      codec_ = codec;
      stream_ = stream;
      continue;
    }
    stream->discard = AVDISCARD_ALL;
    if (codec == nullptr) found_ += (found_.empty() ? "" : ", ") + name;
  }
}

Status Parser::Next(Packet* packet, bool* end) {
  const std::shared_ptr<AVPacket> read(
      Av().av_packet_alloc(),
      [](AVPacket* gone) { Av().av_packet_free(&gone); });
  if (read == nullptr) throw std::bad_alloc();
  do {
    Av().av_packet_unref(read.get());  // of another stream
    const int error = Av().av_read_frame(format_, read.get());
    *end = error == AVERROR_EOF;
    if (*end) return Status::Ok();
    if (error < 0) return InvalidFile("MP4 is damaged: " + ErrorText(error));
  } while (read->stream_index != stream_->index);
  const size_t size = size_t(read->size);
  if (read->flags & AV_PKT_FLAG_CORRUPT) return CutShort(size);
  if (IsEncrypted(*read)) {
    return InvalidFile("packet is encrypted, allowed: packets that are not");
  }
  // Outside of what the edit list shows.
  const bool output = (read->flags & AV_PKT_FLAG_DISCARD) == 0;
  *packet = {{read->data, size}, read, output};
  if (std::exchange(first_, false)) {
    const AVCodecParameters& parameters = *stream_->codecpar;
    Configure(*codec_,
              {parameters.extradata, size_t(parameters.extradata_size)},
              packet);
  }
  return Status::Ok();
}

FrameRate Parser::frame_rate() const {
  const AVRational rate = stream_->avg_frame_rate;
  if (rate.num <= 0 || rate.den <= 0) return {};
  return {rate.num, rate.den};
}

}  // namespace

Status AvformatFile::Open(InputFile file,
                          std::unique_ptr<Container>* container) {
  if (!Av().failure.empty()) {
    return InvalidFile(
        "cannot open: MP4 needs libavformat, which cannot be loaded: " +
        Av().failure);
  }
  auto parser = std::make_unique<Parser>(std::move(file));
  Status status = parser->Open();
  if (status.ok()) *container = std::move(parser);
  return status;
}

}  // namespace perdix::client
