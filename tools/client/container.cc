// SPDX-License-Identifier: BSD-2-Clause
#include "tools/client/container.h"

#include <utility>

extern "C" {
#include <libavformat/avformat.h>
#include <libavutil/error.h>
}

namespace perdix::client {
namespace {

std::string ErrorText(int error) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(error, text, sizeof(text));
  return text;
}

Status Invalid(std::string message) {
  return {StatusCode::kInvalidBitstream, std::move(message)};
}

// Index of the first VP9 stream, or -1 and in *found what there is instead.
int FindStream(const AVFormatContext& input, std::string* found) {
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const AVCodecParameters& codec = *input.streams[i]->codecpar;
    if (codec.codec_id == AV_CODEC_ID_VP9) return int(i);
    *found += (found->empty() ? "" : ", ") +
              std::string(avcodec_get_name(codec.codec_id));
  }
  if (found->empty()) *found = "no stream";
  return -1;
}

}  // namespace

void Container::CloseInput::operator()(AVFormatContext* input) const {
  avformat_close_input(&input);
}

Status Container::Open(const std::string& path,
                       std::unique_ptr<Container>* container) {
  av_log_set_level(AV_LOG_QUIET);  // a Status says it
  // "file:" keeps a path with a colon from being taken for a protocol.
  const std::string url = "file:" + path;
  AVFormatContext* opened = nullptr;
  const int error = avformat_open_input(&opened, url.c_str(), nullptr, nullptr);
  if (error < 0) return Invalid("cannot open: " + ErrorText(error));
  Input input(opened);
  // Packets as they lie in the file.
  input->flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN;

  std::string found;
  const int stream = FindStream(*input, &found);
  if (stream < 0) {
    return Invalid("holds " + found + ", allowed: a vp9 stream");
  }
  container->reset(new Container(std::move(input), stream));
  return Status::Ok();
}

Status Container::Next(Packet* packet, bool* end) {
  const std::shared_ptr<AVPacket> next(av_packet_alloc(),
                                       [](AVPacket* p) { av_packet_free(&p); });
  if (next == nullptr) return Invalid("no memory for a packet");
  do {
    av_packet_unref(next.get());
    const int error = av_read_frame(input_.get(), next.get());
    if (error == AVERROR_EOF) {
      *end = true;
      return Status::Ok();
    }
    if (error < 0) return Invalid("cannot read: " + ErrorText(error));
  } while (next->stream_index != stream_);
  if (next->flags & AV_PKT_FLAG_CORRUPT) {
    return Invalid("packet of " + std::to_string(next->size) +
                   " bytes is cut short by the end of the file");
  }
  *packet = {{next->data, size_t(next->size)}, next};
  *end = false;
  return Status::Ok();
}

FrameRate Container::frame_rate() const {
  const AVStream& stream = *input_->streams[stream_];
  for (const AVRational rate : {stream.avg_frame_rate, stream.r_frame_rate}) {
    if (rate.num > 0 && rate.den > 0) return {rate.num, rate.den};
  }
  return {};
}

}  // namespace perdix::client
