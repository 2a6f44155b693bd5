// Stage: recorder. The encoder: prediction first, codes for wrong predictions, runtime events in a column of their own.
#include "thread_encoder.h"

#include <algorithm>
#include <utility>

#include "dprof/live_trace.h"
#include "raw_paths.h"

namespace dprof {
namespace {

// Room is made for this many words at a time.
constexpr uint64_t batch_words = 4096;
// After as many words, others get at the table.
constexpr uint64_t most_words_at_once = 2 * batch_words;

// Predictions begin anew after so many bytes, and not before what they have learned is a small part of them.
constexpr uint64_t restart_bytes = 2 << 20;
constexpr uint64_t restart_for_learned = 64;
// A path is new in a chunk: another path than predicted, and every word explicit.
constexpr uint64_t path_bytes = 4, word_bytes = 6;

PathState describe(const PathInfo &path, uint64_t header) {
  bool is_short = path.coded_words <= most_short_words && path.words <= most_path_words && !path.stamp_event;
  PathState state = {};
  state.header = header;
  state.counts = one_step | path.segments;
  state.number = path.number;
  state.successor = path.place;
  state.first_position = path.first_position;
  state.coded_words = not_short;
  if (!is_short) return state;
  uint32_t n = path.coded_words;
  state.words = (uint8_t)path.words;
  state.coded_words = (uint8_t)n;
  state.code_bytes = n > 3 ? (uint8_t)((n + 3) / 4) : 0;
  state.code_mask = n > 3 ? 0 : 0xfc;
  for (uint32_t lane = n + 1; lane < 4; lane++) state.settled = (uint16_t)(state.settled | 1 << 3 * (lane - 1));
  return state;
}

} // namespace

void ThreadEncoder::forget_replaced_modules() {
  for (; replaced_modules_ < table_.replaced().size(); replaced_modules_++) {
    AddressRange range = table_.replaced()[replaced_modules_];
    for (const PathInfo &path : table_.paths()) {
      uint64_t &header = state_at(path.place)->header;
      if (header - range.begin < range.end - range.begin) header = 0;
    }
  }
}

PathState *ThreadEncoder::find(uint64_t header) {
  PathPlace place = table_.known(header);
  places_bytes_ = 0;
  places_ = table_.places_at(header, &places_begin_, &places_bytes_);
  if (!place) return nullptr;
  states_.grow(table_.end_of_places());
  PathState *state = state_at(place);
  if (!state->header) {
    const PathInfo &path = table_.path(place);
    *state = describe(path, header);
    learned_ += path_bytes + word_bytes * path.coded_words;
  }
  return state;
}

// For paths that begin within the next batch, or one of `words` words.
void ThreadEncoder::make_room(uint64_t words) {
  differences_.reserve(std::max(batch_words + words_behind_limit, words) + 8);
  control_.reserve(batch_words * most_control_bytes + words);
  events_.reserve(batch_words);
  times_.resize(batch_words);
}

const uint64_t *ThreadEncoder::encode_short_paths(const uint64_t *p, const uint64_t *limit, const uint64_t *end) {
  PathLoop loop = {p,
                   limit,
                   end,
                   states_.data(),
                   state_at(previous_),
                   base_,
                   run_,
                   0,
                   control_.end(),
                   differences_.storage.data() + differences_.count,
                   times_.data(),
                   places_,
                   places_begin_,
                   places_bytes_,
                   table_.positions()};
  if (raw_)
    copy_short_paths(loop);
  else if (end)
    loops_.encode_last(loop);
  else
    loops_.encode(loop);
  previous_ = (PathPlace)((char *)loop.before - loop.states);
  base_ = loop.base;
  run_ = loop.run;
  steps_ += (uint32_t)(loop.counts / one_step);
  segments_ += loop.counts % one_step;
  control_.set_end(loop.control);
  differences_.count = (size_t)(loop.differences - differences_.storage.data());
  for (const TimeStamp *time = times_.data(); time < loop.times; time++) events_.put_time(time->stamp, time->cpu);
  return loop.next;
}

// The last words of a piece, at most `words_behind_limit`: copied to where there is room behind them.
const uint64_t *ThreadEncoder::encode_last_paths(const uint64_t *p, const uint64_t *limit, const uint64_t *end) {
  uint64_t words[words_behind_limit + words_of_blocks];
  uint64_t *const words_end = std::copy(p, end, words);
  std::fill_n(words_end, words_of_blocks, 0);
  return p + (encode_short_paths(words, words + (limit - p), words_end) - words);
}

Encoded ThreadEncoder::encode(const uint64_t *words, uint64_t count, uint64_t *used) {
  states_.grow(table_.end_of_places());
  places_bytes_ = 0; // what is at these addresses may be another module by now
  forget_replaced_modules();
  const uint64_t *p = words, *end = words + count, *roomy_until = p;
  const uint64_t *loop_end = count > words_behind_limit ? end - words_behind_limit : p;
  const uint64_t *part = count > most_words_at_once ? p + most_words_at_once : end;
  Step step = Step::taken;
  while (p < part && step == Step::taken) {
    if (p >= roomy_until) {
      make_room(0);
      roomy_until = p + batch_words;
    }
    const uint64_t *limit = std::min(loop_end, roomy_until), *last_limit = std::min(end, roomy_until);
    if (previous_ && p < limit) p = encode_short_paths(p, limit, nullptr);
    if (previous_ && !raw_ && p >= loop_end && p < last_limit) p = encode_last_paths(p, last_limit, end);
    if (p < last_limit) step = encode_one(p, end);
  }
  *used = (uint64_t)(p - words);
  switch (step) {
    case Step::unknown_path: return Encoded::unknown_path;
    case Step::damaged: return Encoded::damaged;
    case Step::end: return Encoded::all;
    case Step::taken: break;
  }
  return p < end ? Encoded::part : Encoded::all;
}

ThreadEncoder::Step ThreadEncoder::encode_one(const uint64_t *&p, const uint64_t *end) {
  uint64_t header = *p, left = (uint64_t)(end - p) - 1;
  if (header == 0) return Step::end;
  if (header & DPROF_EVENT) {
    if (!put_event(p, left)) return Step::damaged;
    p += 1 + (header >> 8 & 0xff);
    return Step::taken;
  }
  PathState *state = find(header);
  if (!state) return Step::unknown_path;
  const PathInfo &path = table_.path((PathPlace)((char *)state - states_.data()));
  if (left < path.words) return Step::damaged;
  put_path(state, path, p + 1);
  p += 1 + path.words;
  return Step::taken;
}

void ThreadEncoder::put_path(PathState *state, const PathInfo &path, const uint64_t *words) {
  uint32_t n = path.coded_words;
  if (n > most_path_words) make_room(n);
  coded_.resize(n);
  const uint32_t *positions = path.first_position == no_positions ? nullptr : table_.positions() + path.first_position;
  for (uint32_t i = 0; i < n; i++) coded_[i] = words[positions ? positions[i] : i];

  if (raw_)
    put_raw_path(path);
  else
    put_predicted_path(state, path);
  previous_ = path.place;
  steps_++;
  segments_ += path.segments;
  if (path.stamp_event)
    events_.put_atomic(path.stamp_event, words[path.words - 1], coded_[path.atomic_word] + path.atomic_delta);
}

void ThreadEncoder::put_raw_path(const PathInfo &path) {
  uint64_t *to = differences_.storage.data() + differences_.count;
  *to = path.number;
  std::copy(coded_.begin(), coded_.end(), to + 1);
  differences_.count += 1 + coded_.size();
}

void ThreadEncoder::put_predicted_path(PathState *state, const PathInfo &path) {
  const uint32_t n = path.coded_words;
  PathState *before = state_at(previous_);
  uint64_t predicted = previous_ ? state_at(before->successor)->number : 0;
  bool other = path.number != predicted;
  uint8_t *operation = control_.end() + write_varint(control_.end(), run_), *codes = operation + 1;
  if (other) codes += write_varint(codes, zigzag(path.number - predicted));
  uint8_t *behind = code_words(state, codes);
  bool written = other || std::any_of(codes, behind, [](uint8_t byte) { return byte != 0; });
  *operation = (uint8_t)(other ? OTHER_PATH : PREDICTED_PATH);
  if (n <= 3 && n) {
    *operation = (uint8_t)(*operation | *codes << 2);
    behind = codes;
  }
  if (written) control_.set_end(behind);
  run_ = written ? 0 : run_ + 1;
  before->successor = path.place;
}

// Two bits for each word of `coded_` from `codes` on; returns their end.
uint8_t *ThreadEncoder::code_words(PathState *state, uint8_t *codes) {
  WordBlock *blocks = state->blocks();
  uint64_t expected = base_ - blocks->last[0];
  blocks->last[0] = base_;
  for (size_t i = 0; i < coded_.size(); i++) {
    size_t at = i + 1; // behind `base`
    uint64_t &last = blocks[at / block_words].last[at % block_words],
             &stride = blocks[at / block_words].stride[at % block_words], difference = coded_[i] - last;
    unsigned code = difference == stride ? STRIDE : difference == 0 ? SAME : difference == expected ? LINKED : EXPLICIT;
    if (code == EXPLICIT) differences_.storage[differences_.count++] = difference;
    codes[i / 4] = (uint8_t)((i % 4 ? codes[i / 4] : 0) | code << 2 * (i % 4));
    last = base_ = coded_[i];
    stride = expected = difference;
  }
  return codes + (coded_.size() + 3) / 4;
}

bool ThreadEncoder::put_event(const uint64_t *words, uint64_t left) {
  uint64_t event[1 + EventWriter::most_words] = {words[0]}; // a copy: the program may still write there
  uint64_t n = EventWriter::words_of(event[0]);
  if (!n || left < n) return false;
  std::copy(words + 1, words + 1 + n, event + 1);
  if ((event[0] & 0xff) == DPROF_EVENT_MAPPING) { // not of one thread: a chunk of its own
    mappings_.push_back(
        {event[1], event[2], event[3], event[4], event[5], event[6], (uint32_t)(event[0] >> 16 & 15), 0});
    return true;
  }
  append_event(event);
  return true;
}

void ThreadEncoder::append_event(const uint64_t *event) {
  control_.reserve(2 * longest_varint);
  events_.reserve(1);
  if (!events_.put(event, table_)) return;
  if (raw_) {
    differences_.reserve(1);
    differences_.storage[differences_.count++] = DPROF_LIVE_RAW_EVENT;
  } else {
    control_.put_varint(run_);
    control_.put_byte(RUNTIME_EVENT);
    run_ = 0;
  }
  steps_++;
}

void ThreadEncoder::count_lost(uint64_t paths) {
  uint64_t event[] = {DPROF_EVENT_HEADER(DPROF_EVENT_LOST, 1, 0), paths};
  append_event(event);
}

// A damaged chunk makes all that follow it useless, up to one that needs nothing of those before.
void ThreadEncoder::restart() {
  states_.clear();
  places_bytes_ = 0;
  previous_ = 0;
  base_ = 0;
  restarts_ = true;
  since_restart_ = learned_ = 0;
}

void ThreadEncoder::take_chunk(EventsChunk &chunk) {
  since_restart_ += pending_bytes();
  control_.reserve(longest_varint);
  if (run_) control_.put_varint(run_);
  run_ = 0;
  chunk.habit = habit_;
  chunk.steps = std::exchange(steps_, 0);
  chunk.entries = events_.entries();
  chunk.control.clear();
  std::swap(chunk.control, control_);
  chunk.differences.count = 0;
  std::swap(chunk.differences, differences_);
  events_.take(chunk.events);
  chunk.restarts = std::exchange(restarts_, false);
  chunk.raw = raw_;
  if (!raw_ && since_restart_ >= std::max(restart_bytes, restart_for_learned * learned_)) restart();
}

} // namespace dprof
