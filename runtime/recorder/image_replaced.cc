// Stage: recorder. A module is about to be loaded where another one was, and words of either would name the other's
// paths: the thread that loads it waits until all words are read that can be of the first one.
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "image.h"
#include "shared_word.h"

namespace dprof {

// What a thread that may be running has in its buffer. What it did in the other module is whole, since nobody is in
// there any more. Its last record may be of now: its header is there, and on some processors not yet what stands behind
// it, until the thread has passed a barrier.
void Image::take_unfinished(uint32_t index) {
  drain_seat(index);
  dprof_session_seat &seat = seats_[index];
  if (load_acquire(&seat.state) != DPROF_SEAT_LIVE) return;
  Stream &stream = stream_of(index);
  Glimpse seen;
  while (!stream.broken && !glimpse(index, stream, &seen)) { // it has just handed something over
    if (load_acquire(&seat.pushed) == seat.popped) return;
    drain_seat(index);
  }
  if (stream.broken) return;
  const uint64_t *words = buffer(index, seen.buffer);
  uint32_t end = seen.begin;
  while (end < DPROF_SESSION_BUFFER_WORDS) {
    const uint64_t header = load_acquire(words + end), behind = header ? words_of(header) : 0;
    const bool is_known = header & DPROF_EVENT ? behind : header && table_.find(header);
    if (!is_known || behind >= DPROF_SESSION_BUFFER_WORDS - end) break;
    end += 1 + (uint32_t)behind;
  }
#if !defined(__x86_64__)
  syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
#endif
  if (end > seen.begin) encode(stream, words + seen.begin, end - seen.begin);
  note_read(stream);
  stream.read[seen.buffer] = {seen.taking & 0x7fffffff, end};
}

void Image::settle_replaced() {
  if (load_acquire(&process_->replacing) != 1 || finished_) return;
  read_modules();
  for (uint32_t i = 0, n = seats(); i < n; i++) take_unfinished(i);
  table_.remove({process_->replaced_begin, process_->replaced_end});
  wake(&process_->replacing); // which adds 1
}

} // namespace dprof
