// Stage: recorder. The writer's half of a live trace. While there is no room it waits, and with it, through the queues
// before it, the program.
#include "live_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <utility>

namespace dprof {
namespace {

constexpr long patience_ns = 200000000; // until it is looked whether the reader still lives

template <typename T> T load(const T *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
template <typename T> void store(T *p, T value) { __atomic_store_n(p, value, __ATOMIC_SEQ_CST); }

} // namespace

int open_live_trace(const std::string &spelled, int *data, dprof_live_control **control) {
  int given[2];
  char behind;
  if (sscanf(spelled.c_str(), "live:%d,%d%c", &given[0], &given[1], &behind) != 2) return EINVAL;
  int own[2];
  for (int i = 0; i < 2; i++) {
    own[i] = fcntl(given[i], F_DUPFD_CLOEXEC, 3);
    if (own[i] < 0 || fcntl(given[i], F_SETFD, FD_CLOEXEC) != 0) return errno;
  }
  struct stat status;
  if (fstat(own[1], &status) != 0) return errno;
  if (status.st_size < (off_t)DPROF_LIVE_CONTROL_BYTES) return EINVAL;
  void *at = mmap(nullptr, DPROF_LIVE_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, own[1], 0);
  close(own[1]);
  if (at == MAP_FAILED) return errno;
  *control = (dprof_live_control *)at;
  *data = own[0];
  return (*control)->magic == DPROF_LIVE_MAGIC && (*control)->version == DPROF_LIVE_VERSION ? 0 : EPROTO;
}

LiveTrace::LiveTrace(int data, dprof_live_control *control, std::unique_ptr<Sink> keep)
    : data_(data), control_(control), keep_(std::move(keep)), reader_(getppid()) {
  name_ = keep_ ? keep_->name() : "shared memory";
}

LiveTrace::~LiveTrace() {
  close(data_);
  munmap(control_, DPROF_LIVE_CONTROL_BYTES);
}

void LiveTrace::wake_reader() {
  if (!load(&control_->reader_sleeps)) return;
  __atomic_fetch_add(&control_->data, 1u, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &control_->data, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

template <typename Condition> bool LiveTrace::wait_until(Condition has_room, uint64_t wanted) {
  while (!has_room() && !load(&control_->gone)) {
    uint32_t seen = load(&control_->room);
    store(&control_->wanted, wanted);
    store(&control_->writer_sleeps, 1u);
    wake_reader(); // who may have nothing to read, and room to make
    timespec timeout = {0, patience_ns};
    if (!has_room() && !load(&control_->gone))
      syscall(SYS_futex, &control_->room, FUTEX_WAIT, seen, &timeout, nullptr, 0);
    store(&control_->writer_sleeps, 0u);
    if (getppid() != reader_) error_ = ECANCELED;
    if (error_) return false;
  }
  if (load(&control_->gone)) error_ = ECANCELED; // and says why itself
  return !error_;
}

bool LiveTrace::wait_for_room(uint64_t bytes) {
  auto has_room = [&] {
    uint64_t released = load(&control_->released);
    return released == written_ || written_ + bytes - released <= load(&control_->capacity);
  };
  return wait_until(has_room, bytes);
}

void LiveTrace::put(iovec *parts, int count) {
  uint64_t bytes = 0;
  for (int i = 0; i < count; i++) bytes += parts[i].iov_len;
  if (error_ || !wait_for_room(bytes)) return;
  uint64_t at = written_, end = written_ + bytes;
  while (at < end) {
    ssize_t n = pwritev(data_, parts, count, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = n < 0 ? errno : ENOSPC;
      return;
    }
    at += (uint64_t)n;
    for (; count && (size_t)n >= parts->iov_len; parts++, count--) n -= (ssize_t)parts->iov_len;
    if (count) *parts = {(char *)parts->iov_base + n, parts->iov_len - (size_t)n};
  }
  written_ = end;
  store(&control_->written, end);
  wake_reader();
}

void LiveTrace::write_header(const dprof_trace_header &header) {
  dprof_trace_header finished = finished_header(header);
  iovec part = {&finished, sizeof finished};
  put(&part, 1);
  if (keep_) keep_->write_header(header);
}

// Such a payload begins with its number of steps.
void LiveTrace::count_steps(dprof_chunk_kind kind, const Bytes &payload) {
  const bool is_raw = kind == (dprof_chunk_kind)DPROF_LIVE_RAW;
  if ((kind != DPROF_CHUNK_EVENTS && kind != DPROF_CHUNK_RESTART && !is_raw) || payload.size() < sizeof(uint32_t))
    return;
  static_assert(offsetof(dprof_chunk_events, steps) == 0 && offsetof(dprof_live_raw, steps) == 0);
  uint32_t steps;
  memcpy(&steps, payload.data(), sizeof steps);
  store(&control_->steps, control_->steps + steps);
}

void LiveTrace::write_chunk(dprof_chunk_kind kind, uint32_t thread, uint32_t sequence, const Bytes &payload) {
  count_steps(kind, payload);
  dprof_chunk_header header = chunk_header(kind, thread, sequence, payload);
  iovec parts[] = {{&header, sizeof header}, {(void *)payload.data(), payload.size()}};
  put(parts, payload.empty() ? 1 : 2);
  if (!keep_ || error_ || kind == (dprof_chunk_kind)DPROF_LIVE_QUIET) return;
  keep_->write_chunk(kind, thread, sequence, payload);
  if (keep_->error()) error_ = keep_->error();
}

void LiveTrace::write_raw(uint32_t thread, uint32_t sequence, const EventsChunk &chunk) {
  const uint64_t count = chunk.differences.count;
  if (count > DPROF_LIVE_SLOT_WORDS - DPROF_LIVE_SLOT_SLACK) error_ = EOVERFLOW; // Image's chunks are smaller
  auto is_free = [&] { return raw_written_ - load(&control_->raw_released) < DPROF_LIVE_SLOTS; };
  if (error_ || !wait_until(is_free, 0)) return;
  uint64_t *slots = (uint64_t *)((char *)control_ + DPROF_LIVE_SLOTS_OFFSET);
  memcpy(slots + raw_written_ % DPROF_LIVE_SLOTS * DPROF_LIVE_SLOT_WORDS, chunk.differences.storage.data(),
         count * sizeof(uint64_t));
  raw_written_++;
  const dprof_live_raw head = {chunk.steps, chunk.entries, count};
  Bytes payload;
  put_raw(payload, &head, sizeof head);
  put_raw(payload, chunk.events.data(), chunk.events.size());
  write_chunk((dprof_chunk_kind)DPROF_LIVE_RAW, thread, sequence, payload);
}

void LiveTrace::write_end(const Bytes &json) {
  int error = error_.exchange(0); // of the file, or for want of memory that may be there again
  dprof_chunk_header header = chunk_header(DPROF_CHUNK_END, 0, 0, json);
  iovec parts[] = {{&header, sizeof header}, {(void *)json.data(), json.size()}};
  if (error != ECANCELED) put(parts, 2);
  if (keep_) keep_->write_end(json);
  if (error) error_ = error;
}

void LiveTrace::end(dprof_live_over how) {
  store(&control_->over, (uint32_t)how);
  wake_reader();
}

void LiveTrace::finish() {
  if (keep_) keep_->finish();
  if (keep_ && keep_->error() && !error_) error_ = keep_->error();
  end(DPROF_LIVE_OVER);
}

void LiveTrace::remove() {
  if (keep_) keep_->remove();
  end(DPROF_LIVE_NOTHING);
}

} // namespace dprof
