// Stage: recorder. Where there is no room the writer waits, and with it, through the queues before it, the program.
#include "live_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace dprof {
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
    : data_(data), control_(control), keep_(std::move(keep)), reader_(getppid()),
      writer_(data, control, [this] { return reader_lives(); }) {
  name_ = keep_ ? keep_->name() : "shared memory";
}

LiveTrace::~LiveTrace() {
  close(data_);
  munmap(control_, DPROF_LIVE_CONTROL_BYTES);
}

bool LiveTrace::reader_lives() {
  if (getppid() != reader_) error_ = ECANCELED;
  return !error_;
}

void LiveTrace::put(iovec *parts, int count) {
  if (error_) return;
  if (int error = writer_.put(parts, count); error && !error_) error_ = error;
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
  store_shared(&control_->steps, control_->steps + steps);
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
  auto is_free = [&] { return raw_written_ - load_shared(&control_->raw_released) < DPROF_LIVE_SLOTS; };
  if (error_) return;
  if (int error = writer_.wait_until(is_free, 0)) {
    if (!error_) error_ = error;
    return;
  }
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

void LiveTrace::finish() {
  if (keep_) keep_->finish();
  if (keep_ && keep_->error() && !error_) error_ = keep_->error();
  writer_.end(DPROF_LIVE_OVER);
}

void LiveTrace::remove() {
  if (keep_) keep_->remove();
  writer_.end(DPROF_LIVE_NOTHING);
}

} // namespace dprof
