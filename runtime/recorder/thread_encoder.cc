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
  if (word_states_) munmap(word_states_, word_capacity_);
  if (record_states_) munmap(record_states_, record_capacity_);
}

void ThreadEncoder::grow() {
  size_t word_bytes = pages_for(table_.coded_words() * sizeof(WordState));
  size_t record_bytes = pages_for(table_.count() * sizeof(RecordState));
  if (word_bytes > word_capacity_) word_states_ = (WordState *)grow_sparse(word_states_, word_capacity_, word_bytes);
  if (record_bytes > record_capacity_) record_states_ = (RecordState *)grow_sparse(record_states_, record_capacity_, record_bytes);
  word_capacity_ = std::max(word_bytes, word_capacity_);
  record_capacity_ = std::max(record_bytes, record_capacity_);
  known_records_ = table_.count();
}

Encoded ThreadEncoder::encode(const uint64_t *words, uint64_t count, uint64_t *used) {
  if (known_records_ != table_.count()) grow();
  const RecordInfo *records = table_.records();
  WordState *const word_states = word_states_;
  RecordState *const record_states = record_states_;
  const uint64_t *p = words, *end = words + count, *reserved = words;
  // In registers while records are as predicted; members are brought up to date before anything else looks at them.
  uint64_t base = base_, run = run_, segments = 0;
  uint32_t previous = previous_, steps = 0;
  Encoded result = Encoded::all;
  while (p < end) {
    if (p >= reserved) {
      reserved = p + batch_words;
      control_.reserve(batch_words * 2 * longest_varint);
      words_.reserve(batch_words * longest_varint);
      events_.reserve(batch_words * 2 * longest_varint);
    }
    uint64_t header = *p;
    uint32_t predicted = 0;
    if (previous != no_record) {
      uint32_t successor = record_states[previous].successor_plus_one;
      predicted = successor ? successor - 1 : previous;
    }
    uint32_t record = predicted;
    if (known_records_ == 0 || header != records[predicted].header || header == 0) {
      if (header == 0) break;
      if (header & DPROF_EVENT) {
        run_ = run;
        bool sound = put_event(p, (uint64_t)(end - p));
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
    }
    const RecordInfo &info = records[record];
    if ((uint64_t)(end - p) < 1 + (uint64_t)info.words) {
      result = Encoded::damaged;
      break;
    }
    const uint64_t *w = p + 1;
    WordState *state = word_states + info.word_base;
    uint32_t n = info.coded_words, fitting = 0;
    for (; fitting < n; fitting++) {
      uint64_t expected = state[fitting].last + state[fitting].stride;
      if (w[fitting] != expected) break;
      state[fitting].last = expected;
    }
    if (fitting == n && record == predicted) {
      run++;
    } else {
      control_.put_varint(run);
      run = 0;
      put_step(info, record, predicted, base + record_states[record].link, w, fitting);
      if (previous != no_record) record_states[previous].successor_plus_one = record + 1;
    }
    if (n) {
      record_states[record].link = w[0] - base;
      base = w[n - 1];
    }
    previous = record;
    steps++;
    segments += info.tag == DPROF_RECORD_SEGMENT;
    if (info.stamp_event) {
      put_event_code(info.stamp_event, DPROF_SYNC_ATOMIC);
      put_stamp(w[n]);
      put_address(info.stamp_event, w[n - 1]);
    }
    p += 1 + info.words;
  }
  base_ = base;
  run_ = run;
  previous_ = previous;
  steps_ += steps;
  counts.segments += segments;
  *used = (uint64_t)(p - words);
  return result;
}

void ThreadEncoder::put_run() {
  control_.put_varint(run_);
  run_ = 0;
}

// The first `fitting` words were as predicted, and their state has moved on already.
void ThreadEncoder::put_step(const RecordInfo &info, uint32_t record, uint32_t predicted, uint64_t linked, const uint64_t *words, uint32_t fitting) {
  WordState *state = word_states_ + info.word_base;
  uint32_t n = info.coded_words;
  uint8_t operation = record == predicted ? PREDICTED_RECORD : OTHER_RECORD;
  uint8_t short_codes = 0;
  uint8_t packed[256];
  if (n > 3) memset(packed, 0, n < 4 * sizeof packed ? (n + 3) / 4 : sizeof packed);
  std::vector<uint8_t> large;
  uint8_t *codes = packed;
  if (n > batch_words / 64) {
    control_.reserve(n + batch_words * 2 * longest_varint);
    words_.reserve((n + batch_words) * longest_varint);
    if ((n + 3) / 4 > sizeof packed) {
      large.resize((n + 3) / 4);
      codes = large.data();
    }
  }
  uint64_t before = fitting ? state[fitting - 1].last - state[fitting - 1].stride : 0; // last[i-1], before this step
  for (uint32_t i = fitting; i < n; i++) {
    uint64_t value = words[i], last = state[i].last;
    WordCode code;
    if (value == last + state[i].stride) code = STRIDE;
    else if (value == last) code = SAME;
    else if (value == (i ? words[i - 1] + (last - before) : linked)) code = LINKED;
    else {
      code = EXPLICIT;
      words_.put_zigzag(value - last);
    }
    if (n <= 3) short_codes |= (uint8_t)(code << (2 + 2 * i));
    else codes[i / 4] |= (uint8_t)(code << (2 * (i % 4)));
    state[i] = {value, value - last};
    before = last;
  }
  control_.put_byte(operation | short_codes);
  if (operation == OTHER_RECORD) control_.put_zigzag((uint64_t)record - (uint64_t)predicted);
  if (n > 3)
    for (uint32_t i = 0; i < (n + 3) / 4; i++) control_.put_byte(codes[i]);
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
