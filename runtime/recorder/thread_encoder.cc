// Stage: recorder. The encoder: prediction first, codes for what was predicted wrongly, runtime events in a column of their own.
#include "thread_encoder.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace dprof {
namespace {

// Room is made for this many words at a time.
constexpr uint64_t batch_words = 4096;

enum Operation : uint8_t { PREDICTED_RECORD = 0, OTHER_RECORD = 1, RUNTIME_EVENT = 2 };
enum WordCode : uint8_t { STRIDE = 0, LINKED = 1, EXPLICIT = 2, SAME = 3 };

// Zero-filled, and only what is touched exists: most threads run through few of the records.
void *grow_sparse(void *old, size_t old_bytes, size_t bytes) {
  void *at = old ? mremap(old, old_bytes, bytes, MREMAP_MAYMOVE)
                 : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return at;
}

size_t pages_for(size_t bytes) { return (bytes + 65536) & ~(size_t)65535; }

// Words that follow the header of a runtime event; the recorder knows no others.
constexpr uint64_t event_words[] = {0, 2, 3, 3, 2, 2, 0, 4, 3, 1, 1, 1, 2, 1};

} // namespace

ThreadEncoder::ThreadEncoder(const RecordTable &table) : table_(table) {}

ThreadEncoder::~ThreadEncoder() {
  if (blocks_) munmap(blocks_, block_capacity_);
  if (record_states_) munmap(record_states_, record_capacity_);
}

void ThreadEncoder::grow() {
  static_assert(sizeof(Block) == 64 && sizeof(RecordState) == 32);
  size_t block_bytes = pages_for(table_.blocks() * sizeof(Block));
  size_t record_bytes = pages_for(table_.count() * sizeof(RecordState));
  if (block_bytes > block_capacity_) blocks_ = (Block *)grow_sparse(blocks_, block_capacity_, block_bytes);
  if (record_bytes > record_capacity_) record_states_ = (RecordState *)grow_sparse(record_states_, record_capacity_, record_bytes);
  block_capacity_ = std::max(block_bytes, block_capacity_);
  record_capacity_ = std::max(record_bytes, record_capacity_);
  known_records_ = table_.count();
}

namespace {

// The code of one word; moves its state on. Which code it will be is as good as random to the processor, so nothing here
// branches: a difference that nobody needs is stored all the same, and then overwritten.
inline unsigned code_word(uint64_t value, uint64_t linked, uint64_t &last, uint64_t &stride, uint64_t *&differences) {
  uint64_t difference = value - last;
  unsigned code = value == linked ? LINKED : EXPLICIT;
  code = difference == 0 ? SAME : code;
  code = difference == stride ? STRIDE : code;
  *differences = difference;
  differences += code == EXPLICIT;
  last = value;
  stride = difference;
  return code;
}

template <unsigned count, typename Block> inline unsigned code_words(Block &block, const uint64_t *words, uint64_t linked, uint64_t *&differences) {
  unsigned codes = 0;
  uint64_t before = 0; // last[i-1], before this step
  for (unsigned i = 0; i < count; i++) {
    uint64_t was = block.last[i];
    codes |= code_word(words[i], i ? words[i - 1] + (was - before) : linked, block.last[i], block.stride[i], differences) << 2 * i;
    before = was;
  }
  return codes;
}

} // namespace

void ThreadEncoder::pack_differences() {
  uint64_t *begin = differences_.data();
  words_.reserve((uint64_t)(next_difference_ - begin) * longest_varint);
  uint8_t *to = words_.end();
  for (uint64_t *difference = begin; difference < next_difference_; difference++) to += write_short_varint(to, zigzag(*difference));
  words_.set_end(to);
  next_difference_ = begin;
}

// For steps that begin within the next batch, of which one may have `words` words.
void ThreadEncoder::make_room(uint64_t words) {
  if (next_difference_) pack_differences();
  if (differences_.size() < batch_words + words) differences_.resize(batch_words + words);
  next_difference_ = differences_.data();
  control_.reserve(batch_words * 2 * longest_varint + words);
  events_.reserve(batch_words * 2 * longest_varint);
}

Encoded ThreadEncoder::encode(const uint64_t *words, uint64_t count, uint64_t *used) {
  if (!record_states_ || known_records_ != table_.count()) grow();
  RecordState *const record_states = record_states_;
  Block *const blocks = blocks_;
  RecordState *before = previous_ == no_record ? &before_first_ : &record_states[previous_];
  const uint64_t *p = words, *end = words + count, *roomy_until = words;
  // In registers; members are brought up to date before anything else looks at them.
  uint64_t base = base_, run = run_, segments = 0;
  uint32_t steps = 0;
  uint8_t *control = control_.end();
  uint64_t *differences = next_difference_;
  Encoded result = Encoded::all;
  while (p < end) {
    if (__builtin_expect(p >= roomy_until, 0)) {
      control_.set_end(control);
      next_difference_ = differences;
      make_room(batch_words);
      control = control_.end();
      differences = next_difference_;
      roomy_until = p + batch_words;
    }
    uint64_t header = *p;
    uint32_t predicted = before->successor, record = predicted;
    RecordState *state = &record_states[record];
    // The step is written as if it had to be; if it turns out to be as predicted, the next one is written over it.
    uint8_t *operation = control + 1;
    if (__builtin_expect(run < 0x80, 1)) *control = (uint8_t)run;
    else operation = control + write_varint(control, run);
    uint8_t *behind = operation + 1;
    unsigned code = PREDICTED_RECORD;
    if (header != state->header || header == 0) {
      if (header == 0) break;
      if (header & DPROF_EVENT) {
        run_ = run;
        control_.set_end(control);
        bool sound = put_event(p, (uint64_t)(end - p));
        control = control_.end();
        run = run_;
        if (!sound) {
          result = Encoded::damaged;
          break;
        }
        p += 1 + (header >> 8 & 0xff);
        continue;
      }
      record = table_.find(header);
      if (record == no_record) {
        result = Encoded::unknown_record;
        break;
      }
      state = &record_states[record];
      if (!state->header) {
        const RecordInfo &info = table_.records()[record];
        *state = {header, 0, record, info.first_block, info.coded_words, info.stamp_event, info.tag == DPROF_RECORD_SEGMENT};
      }
      if (record != predicted) {
        code = OTHER_RECORD;
        behind += write_short_varint(behind, zigzag((uint64_t)record - (uint64_t)predicted));
      }
    }
    uint32_t n = state->coded_words;
    if (__builtin_expect((uint64_t)(end - p) < 1 + (uint64_t)n + (state->stamp_event != 0), 0)) {
      result = Encoded::damaged;
      break;
    }
    const uint64_t *w = p + 1;
    uint64_t linked = base + state->link;
    switch (n) {
    case 0: break;
    case 1: code |= code_words<1>(blocks[state->first_block], w, linked, differences) << 2; break;
    case 2: code |= code_words<2>(blocks[state->first_block], w, linked, differences) << 2; break;
    case 3: code |= code_words<3>(blocks[state->first_block], w, linked, differences) << 2; break;
    case 4:
      *operation = (uint8_t)code;
      *behind = (uint8_t)code_words<4>(blocks[state->first_block], w, linked, differences);
      code |= *behind++;
      break;
    default: {
      if (n > batch_words) {
        size_t length = (size_t)(operation - control), whole = (size_t)(behind - control);
        control_.set_end(control);
        next_difference_ = differences;
        make_room(n);
        control = control_.end(); // what was there has moved along only up to here
        operation = control + length;
        behind = control + whole;
        if (length == 1) *control = (uint8_t)run;
        else write_varint(control, run);
        if (code == OTHER_RECORD) write_varint(operation + 1, zigzag((uint64_t)record - (uint64_t)predicted));
        differences = next_difference_;
        roomy_until = p;
      }
      *operation = (uint8_t)code;
      next_difference_ = differences;
      uint8_t *codes = behind;
      behind = code_long_step(*state, n, linked, w, codes);
      differences = next_difference_;
      while (codes < behind) code |= *codes++;
    }
    }
    if (n <= 3) *operation = (uint8_t)code;
    control = code ? behind : control;
    run = code ? 0 : run + 1;
    if (n) {
      state->link = w[0] - base;
      base = w[n - 1];
    }
    before->successor = record;
    before = state;
    steps++;
    segments += state->is_segment;
    if (__builtin_expect(state->stamp_event, 0)) {
      put_event_code(state->stamp_event, DPROF_SYNC_ATOMIC);
      put_stamp(w[n]);
      put_address(state->stamp_event, w[n - 1]);
      p++;
    }
    p += 1 + (uint64_t)n;
  }
  control_.set_end(control);
  next_difference_ = differences;
  if (next_difference_) pack_differences();
  base_ = base;
  run_ = run;
  previous_ = before == &before_first_ ? no_record : (uint32_t)(before - record_states);
  steps_ += steps;
  counts.segments += segments;
  *used = (uint64_t)(p - words);
  return result;
}

// More than three coded words: their codes fill bytes of their own.
uint8_t *ThreadEncoder::code_long_step(const RecordState &state, uint32_t n, uint64_t linked, const uint64_t *words, uint8_t *codes) {
  Block *block = blocks_ + state.first_block;
  uint64_t *differences = next_difference_;
  while (true) {
    switch (n) {
    case 1: *codes = (uint8_t)code_words<1>(*block, words, linked, differences); break;
    case 2: *codes = (uint8_t)code_words<2>(*block, words, linked, differences); break;
    case 3: *codes = (uint8_t)code_words<3>(*block, words, linked, differences); break;
    default: {
      uint64_t before = block->last[3];
      *codes = (uint8_t)code_words<4>(*block, words, linked, differences);
      if (n > 4) linked = words[3] + (block[1].last[0] - before);
    }
    }
    codes++;
    if (n <= 4) break;
    n -= 4;
    words += 4;
    block++;
  }
  next_difference_ = differences;
  return codes;
}

void ThreadEncoder::put_run() {
  control_.put_varint(run_);
  run_ = 0;
}

void ThreadEncoder::put_event_code(uint64_t code, uint64_t detail) {
  events_.put_byte((uint8_t)(code | detail << 4));
  event_entries_++;
}

// Stamps rise strictly along a thread. An event that a signal handler interrupted comes after the handler's, and so does its stamp.
void ThreadEncoder::put_stamp(uint64_t stamp) {
  if (stamp <= last_stamp_) stamp = last_stamp_ + 1;
  last_stamp_ = stamp;
  events_.put_varint(stamp - chunk_stamp_);
  chunk_stamp_ = stamp;
}

void ThreadEncoder::put_address(uint64_t code, uint64_t address) {
  events_.put_zigzag(address - chunk_address_[code]);
  chunk_address_[code] = address;
}

bool ThreadEncoder::put_event(const uint64_t *words, uint64_t count) {
  uint64_t code = words[0] & 0xff, n = words[0] >> 8 & 0xff, detail = words[0] >> 16 & 0xffff;
  if (code >= sizeof event_words / sizeof event_words[0] || !event_words[code] || n != event_words[code] || n >= count || detail > 15) return false;
  const uint64_t *w = words + 1;
  VariableName name = {};
  if (code == DPROF_EVENT_THREAD_LOCAL && !table_.find_variable(w[0], &name)) return true;
  put_run();
  control_.put_byte(RUNTIME_EVENT);
  put_event_code(code, detail);
  steps_++;
  switch (code) {
  case DPROF_EVENT_TIME:
    put_stamp(w[0]);
    events_.put_varint(w[1]);
    break;
  case DPROF_EVENT_ALLOCATE:
  case DPROF_EVENT_FREE:
    put_stamp(w[0]);
    put_address(code, w[1]);
    events_.put_varint(w[2]);
    break;
  case DPROF_EVENT_RELEASE:
  case DPROF_EVENT_ACQUIRE:
    put_stamp(w[0]);
    put_address(code, w[1]);
    break;
  case DPROF_EVENT_THREAD_START:
    put_stamp(w[0]);
    events_.put_varint(w[1]);
    put_address(code, w[2]);
    events_.put_varint(w[3] - w[2]);
    break;
  case DPROF_EVENT_THREAD_END:
    put_stamp(w[0]);
    put_address(code, w[1]);
    events_.put_varint(w[2] - w[1]);
    break;
  case DPROF_EVENT_BLOCKED: put_stamp(w[0]); break;
  case DPROF_EVENT_LOST:
    counts.lost_segments += w[0];
    events_.put_varint(w[0]);
    break;
  case DPROF_EVENT_THREAD_LOCAL:
    events_.put_varint(name.unit);
    events_.put_varint(name.variable);
    put_address(code, w[1]);
    break;
  default: events_.put_varint(w[0]); // UNSEEN, SIGNAL
  }
  return true;
}

void ThreadEncoder::count_lost(uint64_t segments) {
  control_.reserve(2 * longest_varint);
  events_.reserve(2 * longest_varint);
  uint64_t event[] = {DPROF_EVENT_HEADER(DPROF_EVENT_LOST, 1, 0), segments};
  put_event(event, 2);
}

std::vector<uint8_t> ThreadEncoder::take_chunk() {
  control_.reserve(longest_varint);
  if (run_) put_run();
  std::vector<uint8_t> payload;
  dprof_chunk_events header = {steps_, event_entries_};
  put_raw(payload, &header, sizeof header);
  for (Column *column : {&control_, &words_, &events_}) {
    put_column(payload, column->data(), column->size());
    column->clear();
  }
  steps_ = event_entries_ = 0;
  chunk_stamp_ = 0;
  for (uint64_t &address : chunk_address_) address = 0;
  return payload;
}

} // namespace dprof
