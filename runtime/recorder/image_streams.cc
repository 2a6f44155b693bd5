// Stage: recorder. The words of one seat -> its thread's chunks. The program wrote all of them, so each is checked.
#include <utility>

#include "clock.h"
#include "image.h"

namespace dprof {
namespace {

constexpr uint64_t chunk_bytes = 256 << 10;
constexpr uint32_t chunk_steps = 1u << 24;
constexpr size_t chunk_records = 1u << 16;
constexpr uint64_t chunk_age_ns = 1000000000;

} // namespace

Image::Stream &Image::stream_of(uint32_t seat) {
  Stream &stream = streams_[seat];
  if (!stream.encoder && !stream.decoder) {
    if (records_)
      stream.decoder = std::make_unique<RecordDecoder>(plans_, seats_[seat].thread);
    else
      stream.encoder = std::make_unique<ThreadEncoder>(table_);
    stream.thread = seats_[seat].thread;
    stream.chunk_since_ns = now_ns();
    // Two threads have one number: the runtime does not write that.
    stream.broken = !threads_.insert(stream.thread).second;
  }
  return stream;
}

void Image::put(Stream &stream, ChunkJob job) {
  if (stream.turns)
    stream.turns->put(stream.turn, std::move(job));
  else
    writer_.put(std::move(job));
}

Encoded Image::take_words(Stream &stream, const uint64_t *words, uint64_t count, uint64_t *used) {
  const auto reading = gate_.read();
  return stream.decoder ? stream.decoder->decode(words, count, used) : stream.encoder->encode(words, count, used);
}

// Whether the encoder, which met a header word for the first time, can have its path now.
bool Image::learn_path(const Stream &stream, uint64_t header) {
  const TableGate::Writing writing(gate_);
  return (stream.encoder && table_.find(header)) || read_modules();
}

void Image::count_lost(Stream &stream, uint64_t paths) {
  if (stream.decoder)
    stream.decoder->count_lost(paths);
  else
    stream.encoder->count_lost(paths);
}

// If there is no time to encode: counts paths, and the count stands in their place; keeps all events.
uint64_t Image::skim(Stream &stream, const uint64_t *words, uint64_t count) {
  uint64_t at = 0;
  while (at < count && words[at]) {
    bool is_event = words[at] & DPROF_EVENT;
    PathPlace place = is_event ? 0 : table_.find(words[at]);
    if (!is_event && !place && read_modules()) continue;
    uint64_t n = is_event ? EventWriter::words_of(words[at]) : place ? table_.path(place).words : 0;
    if ((is_event ? n == 0 : place == 0) || n >= count - at) break; // for the encoder to judge
    if (is_event) {
      uint64_t used;
      log_dropped(stream);
      stream.encoder->encode(words + at, 1 + n, &used);
    } else {
      stream.dropped++;
    }
    at += 1 + n;
  }
  return at;
}

void Image::log_dropped(Stream &stream) {
  if (!stream.dropped) return;
  stream.encoder->count_lost(stream.dropped);
  dropped_ += stream.dropped;
  stream.dropped = 0;
}

void Image::encode(Stream &stream, const uint64_t *words, uint64_t count) {
  if (stream.broken || sink_->error()) return;
  if (drops_ && stream.encoder && writer_.is_full()) {
    uint64_t skimmed = skim(stream, words, count);
    words += skimmed;
    count -= skimmed;
    if (count && !*words) count = 0;
  }
  if (count) log_dropped(stream);
  while (count) {
    uint64_t used = 0;
    Encoded result = take_words(stream, words, count, &used);
    words += used;
    count -= used;
    if (result == Encoded::all) break;
    if (result == Encoded::full) {
      flush(stream);
      if (sink_->error()) return;
      continue;
    }
    if (result == Encoded::part || (result == Encoded::unknown_path && learn_path(stream, *words))) continue;
    count_lost(stream, 1);
    stream.broken = true;
    break;
  }
  if (stream.encoder) put_mappings(stream);
  bool large = stream.decoder
                   ? stream.decoder->pending().size() >= chunk_records
                   : stream.encoder->pending_bytes() >= chunk_bytes || stream.encoder->pending_steps() >= chunk_steps;
  bool may_wait = !drops_ || !writer_.is_full() || stream.encoder->pending_bytes() >= 8 * chunk_bytes;
  if (large && may_wait) flush(stream);
}

// At once: chunks that use them come later, of whatever thread.
void Image::put_mappings(Stream &stream) {
  std::vector<dprof_chunk_mapping> mappings = stream.encoder->take_mappings();
  if (mappings.empty()) return;
  Bytes payload;
  put_raw(payload, mappings.data(), mappings.size() * sizeof mappings[0]);
  put(stream, {*sink_, DPROF_CHUNK_MAPPINGS, std::move(payload)});
}

void Image::flush(Stream &stream) {
  stream.chunk_since_ns = now_ns();
  if (stream.decoder) {
    if (stream.decoder->pending().empty()) return;
    auto records = std::make_shared<std::vector<dprof_sink_record>>();
    records->swap(stream.decoder->pending());
    put(stream, {*sink_, [sink = records_, records] { sink->take_records(*records); }});
  } else if (stream.encoder->pending_steps()) {
    std::unique_ptr<EventsChunk> chunk = writer_.spare();
    stream.encoder->take_chunk(*chunk);
    if (live_ && live_->takes_raw() && !drops_) stream.encoder->go_raw();
    put(stream, {*sink_, stream.thread, stream.sequence++, std::move(chunk)});
  }
}

// All chunks that the thread of a seat that has ended still has, but what its last buffer holds.
void Image::put_last(uint32_t seat, Stream &stream) {
  log_dropped(stream);
  if (seats_[seat].lost) count_lost(stream, std::exchange(seats_[seat].lost, 0)); // since the thread last looked
  flush(stream);
  if (live_)
    put(stream, {*sink_, (dprof_chunk_kind)DPROF_LIVE_QUIET,
                 payload_of({{~0ull, 0, stream.thread, DPROF_LIVE_NO_MORE, 0, {}}})});
}

void Image::end_stream(uint32_t seat) {
  auto found = streams_.find(seat);
  if (found == streams_.end()) return;
  const Stream &stream = found->second;
  segments_ += stream.decoder ? stream.decoder->segments() : stream.encoder->segments();
  lost_ += stream.decoder ? stream.decoder->lost() : stream.encoder->lost();
  streams_.erase(found);
}

void Image::flush_old() {
  uint64_t now = now_ns();
  if (drops_ && writer_.is_full()) return;
  for (auto &[seat, stream] : streams_)
    if (now - stream.chunk_since_ns > chunk_age_ns) flush(stream);
}

} // namespace dprof
