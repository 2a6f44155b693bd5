// Stage: recorder. For a replay while the program runs: records that threads have not handed over, and which threads
// are asleep -> chunks.
//
// A thread that sleeps takes no stamp, and has no record half written. So its later records have larger stamps than the
// clock had just before the thread was seen asleep, and `awaits` says what comes next. For a thread that runs, all
// visible records except the last are final: only when the next record is there has the cursor surely moved behind it.
#include <algorithm>

#include "clock.h"
#include "image.h"
#include "shared_word.h"
#include "sleep_probe.h"

namespace dprof {
namespace {

constexpr uint64_t least_pause_ns = 10000000;
constexpr uint64_t pauses_of_work = 20; // so that looking takes a twentieth of the time at most
constexpr unsigned rounds_in_vain = 3;  // a thread may have been seen asleep just before another one logged

#if defined(__x86_64__)
constexpr bool stores_come_in_order = true;
#else
constexpr bool stores_come_in_order = false;
#endif

bool says_the_same(const dprof_live_quiet &a, const dprof_live_quiet &b) {
  return a.thread == b.thread && a.next == b.next && a.detail == b.detail && a.object == b.object;
}

} // namespace

// What a seat says at one moment.
struct Image::Glimpse {
  uint32_t buffer, taking, begin, pushed, awaits, waits;
  uint64_t object;
  bool operator==(const Glimpse &) const = default;
};

bool Image::is_watched() const { return live_ && live_->is_hungry() && !finished_; }

bool Image::is_eager() const { return is_watched() && quiet_rounds_ <= rounds_in_vain; }

uint32_t Image::unread_from(const Stream &stream, uint32_t buffer, uint32_t taking, uint32_t begin) const {
  const auto &read = stream.read[buffer];
  return read.taking == (taking & 0x7fffffff) ? std::max(begin, read.end) : begin;
}

Bytes Image::payload_of(const std::vector<dprof_live_quiet> &quiet) {
  Bytes payload;
  put_raw(payload, quiet.data(), quiet.size() * sizeof quiet[0]);
  return payload;
}

// Number of words behind a header; 0: not known.
uint64_t Image::words_of(uint64_t header) {
  if (header & DPROF_EVENT) return EventWriter::words_of(header);
  PathPlace place = table_.find(header);
  return place ? table_.path(place).words : 0;
}

// False: there is more to be drained, or the seat is changing.
bool Image::glimpse(uint32_t index, const Stream &stream, Glimpse *seen) {
  const dprof_session_seat &seat = seats_[index];
  *seen = {load_acquire(&seat.current_buffer), load_acquire(&seat.current_taking), load_acquire(&seat.current_begin), 0,
           load_acquire(&seat.awaits),         load_acquire(&seat.waits),          load_acquire(&seat.awaited_object)};
  if (load_acquire(&seat.state) != DPROF_SEAT_LIVE || seen->buffer >= DPROF_SESSION_BUFFERS ||
      seen->begin > DPROF_SESSION_BUFFER_WORDS)
    return false;
  seen->begin = unread_from(stream, seen->buffer, seen->taking, seen->begin);
  seen->pushed = load_acquire(&seat.pushed);
  return seen->pushed == seat.popped;
}

void Image::look_at(uint32_t index, std::vector<dprof_live_quiet> &quiet) {
  dprof_session_seat &seat = seats_[index];
  if (load_acquire(&seat.state) != DPROF_SEAT_LIVE) return;
  drain_seat(index);
  if (load_acquire(&seat.state) != DPROF_SEAT_LIVE) return;
  Stream &stream = stream_of(index);
  Glimpse seen, again;
  if (stream.broken || !glimpse(index, stream, &seen)) return;
  const uint64_t *words = buffer(index, seen.buffer);
  uint32_t last = seen.begin, end = seen.begin;
  bool strange = false;
  while (end < DPROF_SESSION_BUFFER_WORDS) {
    uint64_t header = load_acquire(words + end);
    if (!header) break;
    uint64_t n = words_of(header);
    if (!n && !(header & DPROF_EVENT) && !table_.find(header) && read_modules()) continue;
    if ((!n && (header & DPROF_EVENT || !table_.find(header))) || n >= DPROF_SESSION_BUFFER_WORDS - end) {
      strange = true;
      break;
    }
    last = end;
    end += 1 + (uint32_t)n;
  }
  uint64_t stamp = read_stamp();
  bool asleep = !strange && is_asleep((pid_t)process_->pid, (pid_t)load_acquire(&seat.kernel_thread)) &&
                (end == DPROF_SESSION_BUFFER_WORDS || !load_acquire(words + end)) && glimpse(index, stream, &again) &&
                again == seen;
  if (!asleep) end = stores_come_in_order ? last : seen.begin;
  if (end > seen.begin) {
    encode(stream, words + seen.begin, end - seen.begin);
    note_read(stream);
  }
  stream.read[seen.buffer] = {seen.taking & 0x7fffffff, end};
  if (!asleep) return;
  stream.encoder->pass(stamp);
  uint8_t code = (uint8_t)(seen.awaits & 0xff);
  uint8_t next = code == DPROF_EVENT_ACQUIRE   ? DPROF_LIVE_ACQUIRE
                 : code == DPROF_EVENT_BLOCKED ? DPROF_LIVE_BLOCKED
                                               : DPROF_LIVE_ANYTHING;
  quiet.push_back({stamp,
                   next == DPROF_LIVE_ACQUIRE ? seen.object : 0,
                   stream.thread,
                   next,
                   (uint8_t)(next == DPROF_LIVE_ACQUIRE ? seen.awaits >> 16 & 0xff : 0),
                   {}});
}

void Image::tell_quiet() {
  uint64_t begun = now_ns();
  if (!is_watched() || begun < quiet_next_ns_ || sink_->error()) return;
  std::vector<dprof_live_quiet> quiet;
  for (uint32_t i = 0, n = seats(); i < n; i++) look_at(i, quiet);
  if (!std::equal(quiet.begin(), quiet.end(), told_quiet_.begin(), told_quiet_.end(), says_the_same)) quiet_rounds_ = 0;
  if (quiet_rounds_++ < rounds_in_vain) {
    for (auto &[seat, stream] : streams_) flush(stream);
    if (!quiet.empty()) writer_.put({*sink_, (dprof_chunk_kind)DPROF_LIVE_QUIET, payload_of(quiet)});
    told_quiet_ = std::move(quiet);
  }
  uint64_t now = now_ns();
  quiet_next_ns_ = now + std::max(least_pause_ns, pauses_of_work * (now - begun));
}

} // namespace dprof
